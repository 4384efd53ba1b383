//! Any bytes are read as token tables without a panic and without end, and what was read is a sound tree.
#![no_main]

use boughs::tree::read::{TableReader};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    for tree in TableReader::new(data).flatten() {
        assert_eq!(tree.check_invariants(), Ok(()));
        let _ = tree.to_string();
    }
});
