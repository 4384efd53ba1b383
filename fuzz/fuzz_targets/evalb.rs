//! Any parameters and any two files are evaluated, or refused, without a panic.
#![no_main]

use boughs::eval::{Parameters, evalb};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|files: (&[u8], &[u8], &[u8])| {
    let (parameters, gold, test) = files;
    if let Ok(parameters) = Parameters::parse(parameters) {
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let _ = evalb::run(gold, test, &parameters, &mut out, &mut err);
    }
});
