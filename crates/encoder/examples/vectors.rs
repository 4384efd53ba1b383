//! Encodes sentences: a sentence of words a line comes in; out go its vectors, a row of f32 (little-endian) per piece,
//! the marks at start and end included.
//!
//!     cargo run -p boughs-encoder --example vectors -- DIRECTORY [f32|int8 [LAYERS]] < sentences > rows

use std::io::{BufRead, Write, stdin, stdout};
use std::path::Path;

use boughs_encoder::{Batch, Kernel, Precision, Worker};

/// Sentences that go through the encoder together.
const BATCH: usize = 16;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let directory = arguments.next().ok_or("name the directory of an encoder")?;
    let precision = match arguments.next().as_deref() {
        Some("int8") => Precision::Int8(Kernel::best()),
        _ => Precision::F32,
    };
    let layers = arguments.next().map(|layers| layers.parse()).transpose()?;
    let (encoder, vocabulary) = boughs_encoder::read(Path::new(&directory), layers)?;
    let encoder = encoder.freeze(precision);
    let lines = stdin().lock().lines().collect::<Result<Vec<_>, _>>()?;
    let (mut out, mut worker) = (stdout().lock(), Worker::default());
    for lines in lines.chunks(BATCH) {
        let sentences: Vec<_> = lines
            .iter()
            .map(|line| vocabulary.sentence(&line.split_whitespace().collect::<Vec<_>>()))
            .collect();
        let batch = Batch::new(sentences.iter().map(|sentence| sentence.ids.as_slice()), encoder.config())?;
        for value in encoder.encode(&batch, &mut worker) {
            out.write_all(&value.to_le_bytes())?;
        }
    }
    Ok(())
}
