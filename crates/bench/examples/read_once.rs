//! Reads a treebank once, for counting instructions: `valgrind --tool=callgrind target/release/examples/read_once`.

use boughs::tree::read::{Format, TreeReader};
use boughs_bench::treebank;

fn main() {
    let (_, bytes) = treebank("craft/train.mrg");
    let tokens: usize = TreeReader::new(&bytes[..], Format::Bracket)
        .map(|tree| tree.expect("a sound treebank").num_tokens())
        .sum();
    assert!(tokens > 0, "nothing was read");
}
