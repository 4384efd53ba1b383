//! Any bytes are read as text without a panic and without end; tokens are slices, with nothing but blanks between
//! them.
#![no_main]

use boughs::text::{Language, SentenceReader, Style, Tokenizer, Unit, is_blank};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Some((settings, data)) = data.split_first() else { return };
    let style = if settings & 1 == 0 { Style::New } else { Style::Old };
    let unit = if settings & 2 == 0 { Unit::Text } else { Unit::Line };
    let language = Language::ALL[usize::from(settings >> 2) % Language::ALL.len()];
    let text = String::from_utf8_lossy(data);
    let mut end = 0;
    for sentence in SentenceReader::new(data, Tokenizer { style, unit, language }).lossy() {
        let sentence = sentence.expect("lossy reading does not fail");
        for token in sentence.tokens() {
            let start = token.span.start as usize;
            assert!(text[end..start].chars().all(is_blank));
            end = token.span.end() as usize;
            assert_eq!(&text[start..end], token.text);
        }
        assert_eq!(sentence.penn_forms().len(), sentence.num_tokens());
    }
    assert!(text[end..].chars().all(is_blank));
});
