//! Any line is links, gold links, a sentence pair, or refused, without a panic; and links come back as they were
//! written.
#![no_main]

use boughs_translate::align::{GoldLinks, Tokenization, format_links, parse_links, split_pair};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|line: &str| {
    if let Ok(links) = parse_links(line, None) {
        assert_eq!(parse_links(&format_links(&links), None).ok(), Some(links));
    }
    let _ = GoldLinks::parse(line, Some((10, 10)));
    if let Ok((source, target)) = split_pair(line) {
        let _ = (Tokenization::English.split(source), Tokenization::Plain.split(target));
    }
});
