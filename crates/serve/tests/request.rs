//! Any bytes are read as a request without a panic; what is taken says the same after it was written and read again.

use boughs::text::Language;
use boughs_serve::{Content, Properties, SentenceRequest};
use proptest::prelude::*;

/// Bytes, and texts that look like requests.
fn body() -> impl Strategy<Value = Vec<u8>> {
    let field = prop_oneof![
        Just(r#""text": "It rains. We can't.""#),
        Just(r#""lines": ["a", ""]"#),
        Just(r#""tokens": [["a", {"word": "b", "tag": "NN"}]]"#),
        Just(r#""unit": "lines""#),
        Just(r#""model": "x""#),
        Just(r#""n_best": 3.0"#),
        Just(r#""phrases": [{"start": 0, "end": 1}]"#),
        Just(r#""root": "S""#),
        Just(r#""format": "svg""#),
    ];
    prop_oneof![
        prop::collection::vec(any::<u8>(), 0..200),
        prop::collection::vec(field, 0..4)
            .prop_map(|fields| format!("{{{}}}", fields.join(",")).into_bytes()),
    ]
}

proptest! {
    #[test]
    fn requests_come_back_as_they_were(query in "\\PC{0,40}", body in body()) {
        for (content, query) in [(Content::Text, query.as_str()), (Content::Text, "n_best=2&model=a"), (Content::Json, "")] {
            let Ok(request) = SentenceRequest::read(content, query, &body) else { continue };
            if let Ok(sentences) = request.sentences(Language::default(), 5) {
                prop_assert!(sentences.iter().all(|sentence| sentence.tokens().len() <= 5));
            }
            let written = serde_json::to_vec(&request).expect("a request can be written");
            let again = SentenceRequest::read(Content::Json, "", &written).expect("what was written is read");
            prop_assert_eq!(again, request);
        }
    }

    #[test]
    fn properties_never_panic(query in "(properties=)?[{}'\":=,;a-z.%0-9 ]{0,60}", text in "\\PC{0,80}") {
        if let Ok(properties) = Properties::read(&query) {
            for sentence in properties.sentences(&text, Language::default()) {
                prop_assert!(!sentence.tokens().is_empty());
            }
        }
    }
}
