//! Any text is read as head rules, or refused, without a panic.
#![no_main]

use boughs::tree::heads::HeadRules;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let _ = text.parse::<HeadRules>();
});
