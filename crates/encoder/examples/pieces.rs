//! Cuts words into pieces: a word a line comes in, its pieces go out, each as `id:start-end` in bytes.
//!
//!     cargo run -p boughs-encoder --example pieces -- DIRECTORY < words

use std::io::{BufRead, Write, stdin, stdout};
use std::path::Path;

use boughs_encoder::Error;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let directory = std::env::args().nth(1).ok_or("name the directory of an encoder")?;
    let vocabulary = boughs_encoder::read_vocabulary(Path::new(&directory))?;
    let mut out = stdout().lock();
    let mut pieces = Vec::new();
    for word in stdin().lock().lines() {
        pieces.clear();
        vocabulary.cut(&word.map_err(|error| Error::io("read words", error))?, &mut pieces);
        let all: Vec<String> =
            pieces.iter().map(|piece| format!("{}:{}-{}", piece.id, piece.start, piece.end)).collect();
        writeln!(out, "{}", all.join(" "))?;
    }
    Ok(())
}
