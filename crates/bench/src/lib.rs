//! What the benchmarks run on.

pub mod cpu;
pub mod forest;
pub mod spans;

use std::fs;
use std::path::Path;

use boughs::tree::Tree;
use boughs::tree::read::{Input, ReadOptions, TreebankReader};
use boughs::tree::transform::sentence_length;

/// A treebank file of the machine's data folder, or the project's own sample many times over where there is none.
pub fn treebank(name: &str) -> (String, Vec<u8>) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    match fs::read(root.join("../shared/data").join(name)) {
        Ok(bytes) => (name.to_owned(), bytes),
        Err(_) => ("sample".to_owned(), sample(&root.join("crates/boughs/data/sample")).repeat(20)),
    }
}

/// The sentences of the project's own sample of at most 15 words.
pub fn short_sample() -> Vec<Tree> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../crates/boughs/data/sample");
    let trees = TreebankReader::open(vec![Input::Path(path)], ReadOptions::default()).expect("the sample");
    trees.map(|tree| tree.expect("a tree")).filter(|tree| sentence_length(tree) <= 15).collect()
}

fn sample(directory: &Path) -> Vec<u8> {
    let mut files: Vec<_> = fs::read_dir(directory)
        .expect("the sample treebank is part of the project")
        .map(|entry| entry.expect("readable").path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "mrg"))
        .collect();
    files.sort();
    files.iter().flat_map(|file| fs::read(file).expect("readable")).collect()
}
