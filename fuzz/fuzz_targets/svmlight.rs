//! Any bytes are read as rows without a panic and without end.
#![no_main]

use std::io::Cursor;

use boughs_learn::svmlight::{Options, SvmlightReader, SvmlightRow};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Ok(mut reader) = SvmlightReader::new(Cursor::new(data.to_vec()), "fuzz", Options::default()) else { return };
    let mut row = SvmlightRow::default();
    while reader.read(&mut row).is_ok_and(|is_row| is_row) {}
});
