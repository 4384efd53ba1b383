//! Parses a treebank again with a trained parser, greedily and by the full search, and says how well and how fast:
//! `cargo run --release -p boughs-bench --example parse_speed -- MODEL TREEBANK [MAX_WORDS] [TRAIN]`.
//!
//! The parts of speech are those of the treebank. With training trees the cascade is learned anew.

#![expect(clippy::print_stdout, reason = "a program for people to look at")]

use std::path::{Path, PathBuf};

use boughs::model::ModelFile;
use boughs::parse::Request;
use boughs::train::transition::score_trees;
use boughs::transition::{Search, TransitionModel, TransitionOptions, TransitionParser};
use boughs::tree::Tree;
use boughs::tree::read::{Input, ReadOptions, TreebankReader};
use boughs::tree::transform::sentence_length;
use boughs_bench::cpu;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [model, treebank, rest @ ..] = &arguments[..] else {
        panic!("expected a model and a treebank");
    };
    let max_words = rest.first().map_or(f64::INFINITY, |text| text.parse().expect("a number"));
    let file = ModelFile::load(Path::new(model)).expect("a model file");
    let mut model = TransitionModel::from_file(&file).expect("a parser by classification");
    if let Some(train) = rest.get(1) {
        model.learn_cascade(&read(train, max_words)).expect("a finished forest");
    }
    let trees = read(treebank, max_words);
    for search in [Search::Greedy, Search::AGENDA] {
        measure(&model, &trees, TransitionOptions { search, ..Default::default() });
    }
    println!("{:.0} MB at the most", cpu::peak_megabytes());
}

fn read(path: &str, max_words: f64) -> Vec<Tree> {
    let input = vec![Input::Path(PathBuf::from(path))];
    let trees = TreebankReader::open(input, ReadOptions::default()).expect("a treebank");
    let trees = trees.map(|tree| tree.expect("a sound treebank"));
    trees.filter(|tree| sentence_length(tree) as f64 <= max_words).collect()
}

/// The first round starts with cold caches, the second goes on with warm ones.
fn measure(model: &TransitionModel, trees: &[Tree], options: TransitionOptions) {
    let mut parser = TransitionParser::new(model, &options);
    let mut rounds = Vec::new();
    let mut inferences = 0;
    let mut parsed = Vec::new();
    for _ in 0..2 {
        let (start, before) = (cpu::seconds(), parser.num_inferences());
        parsed = trees.iter().map(|tree| parser.parse(Request::new(tree.sentence()))).collect();
        inferences = parser.num_inferences() - before;
        rounds.push(trees.len() as f64 / (cpu::seconds() - start));
    }
    let f1 = score_trees(trees, parsed.iter().map(|parsed| parsed.tree().clone())).f1;
    println!(
        "{:?}: F1 {f1:.2}, {:.0} sentences a CPU-second at first, {:.0} in a second round, {inferences} inferences",
        options.search, rounds[0], rounds[1],
    );
}
