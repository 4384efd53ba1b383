//! Any bytes are read as NEGRA export without a panic and without end, and what was read is a sound tree.
#![no_main]

use boughs::tree::read::{ExportReader};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    for tree in ExportReader::new(data).attach_discontinuous(true).flatten() {
        assert_eq!(tree.check_invariants(), Ok(()));
        let _ = tree.to_string();
    }
});
