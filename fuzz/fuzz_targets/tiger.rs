//! Any bytes are read as TIGER-XML without a panic and without end, and what was read is a sound tree.
#![no_main]

use boughs::tree::read::TigerReader;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Ok(reader) = TigerReader::new(data) else { return };
    for tree in reader.attach_discontinuous(true).flatten() {
        assert_eq!(tree.check_invariants(), Ok(()));
        let _ = tree.to_string();
    }
});
