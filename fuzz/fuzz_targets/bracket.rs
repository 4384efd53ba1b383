//! Any bytes are read as brackets without a panic and without end, and what was read is a sound tree.
#![no_main]

use boughs::tree::read::{BlankLines, BracketReader};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    for tree in BracketReader::new(data).blank_lines(BlankLines::AreEmptyTrees).flatten() {
        assert_eq!(tree.check_invariants(), Ok(()));
        let _ = tree.to_string();
    }
});
