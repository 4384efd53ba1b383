//! Any bytes are read as Alpino XML without a panic and without end, and what was read is a
//! sound tree.
#![no_main]

#[path = "../../crates/boughs/tests/common/invariants.rs"]
mod invariants;

use boughs::tree::read::{Format, TreeReader};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    for tree in TreeReader::new(data, Format::AlpinoXml).flatten() {
        assert_eq!(invariants::check(&tree), Ok(()));
        let _ = tree.to_string();
    }
});
