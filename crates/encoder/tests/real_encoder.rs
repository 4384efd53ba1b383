//! A real encoder, all-MiniLM-L6-v2, beside what `transformers` makes of it. `.ci/run` fetches it and names its
//! directory in `BOUGHS_ENCODER`; without that variable there is nothing to compare.

use std::path::PathBuf;

use boughs_encoder::{Batch, Kernel, Precision, Worker, read};

const WORDS: [&str; 8] = ["She", "saw", "the", "man", "with", "the", "telescope", "."];
const IDS: [u32; 10] = [101, 2016, 2387, 1996, 2158, 2007, 1996, 12772, 1012, 102];

/// Rows, their first numbers and their lengths: `BertModel.from_pretrained(…)(…).last_hidden_state`, version 5.23.
const EXPECTED: [(usize, [f32; 4], f32); 4] = [
    (0, [0.242, -0.41662, 0.1632, 0.24416], 7.4115),
    (2, [0.07421, -0.23828, 0.04099, -0.33587], 11.5115),
    (7, [0.3064, -0.13359, 0.57016, 0.53197], 12.5014),
    (9, [0.20498, 0.0185, 0.0189, 0.45089], 6.1686),
];

#[expect(clippy::print_stderr, reason = "a test that tests less than it could should say so")]
fn directory() -> Option<PathBuf> {
    let named = std::env::var_os("BOUGHS_ENCODER").map(PathBuf::from);
    if named.is_none() {
        eprintln!("skipped: BOUGHS_ENCODER names no directory of all-MiniLM-L6-v2");
    }
    named
}

#[test]
fn a_forward_pass_is_that_of_transformers() {
    let Some(directory) = directory() else { return };
    let (encoder, vocabulary) = read(&directory, None).unwrap();
    let sentence = vocabulary.sentence(&WORDS);
    assert_eq!(sentence.ids, IDS);
    let batch = Batch::new([sentence.ids.as_slice()], encoder.config()).unwrap();
    let width = encoder.config().hidden;
    for (precision, bound) in [(Precision::F32, 1e-4), (Precision::Int8(Kernel::best()), 0.15)] {
        let mut worker = Worker::default();
        let rows = encoder.freeze(precision).encode(&batch, &mut worker).to_vec();
        for (row, first, length) in EXPECTED {
            let row = &rows[row * width..][..width];
            let near = |(found, expected): (&f32, f32)| (found - expected).abs() < bound;
            assert!(row.iter().zip(first).all(near), "{precision:?}: {:?} {first:?}", &row[..4]);
            let found = row.iter().map(|x| x * x).sum::<f32>().sqrt();
            assert!((found - length).abs() < 10.0 * bound, "{precision:?}: {found} {length}");
        }
    }
}
