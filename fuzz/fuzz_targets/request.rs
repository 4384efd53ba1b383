//! Any bytes are read as a request to the service, of every kind, without a panic; what is taken has sentences within
//! the limit, and says the same after it was written and read again.
#![no_main]

use boughs::text::Language;
use boughs_serve::{Content, Properties, SentenceRequest};
use libfuzzer_sys::fuzz_target;

const MAX_WORDS: usize = 200;

fuzz_target!(|data: &[u8]| {
    let (query, body) = match data.iter().position(|&byte| byte == b'\n') {
        Some(place) => (&data[..place], &data[place + 1..]),
        None => (data, data),
    };
    let query = String::from_utf8_lossy(query);
    if let Ok(properties) = Properties::read(&query) {
        properties.sentences(&String::from_utf8_lossy(body), Language::default());
    }
    for (content, query) in [(Content::Text, &*query), (Content::Json, ""), (Content::of(Some(&query)), "")] {
        let Ok(request) = SentenceRequest::read(content, query, body) else { continue };
        if let Ok(sentences) = request.sentences(Language::default(), MAX_WORDS) {
            assert!(sentences.iter().all(|sentence| sentence.tokens().len() <= MAX_WORDS));
        }
        let written = serde_json::to_vec(&request).expect("a request can be written");
        let again = SentenceRequest::read(Content::Json, "", &written).expect("what was written is read");
        assert_eq!(again, request);
    }
});
