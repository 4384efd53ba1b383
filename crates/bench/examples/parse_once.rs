//! Trains a parser on the sample treebank and parses the treebank once, for `scripts/count-instructions`, which counts the
//! instructions of the parsing alone.

#![expect(clippy::print_stdout, reason = "a program for people to look at")]

use std::hint::black_box;
use std::ops::ControlFlow;

use boughs::history::search::{Search, SearchConfig};
use boughs::history::{Limits, Model, Parser};
use boughs::learn::L1Config;
use boughs::train::history::{HistoryConfig, Learner, train};
use boughs::tree::Tree;
use boughs_bench::short_sample;

fn main() {
    let trees = short_sample();
    let mut config = HistoryConfig::tm06();
    if let Learner::L1(l1) = config.learner {
        config.learner = Learner::L1(L1Config { final_penalty: 0.5, ..l1 });
    }
    let model = train(&trees, &[], &config, None, |_| ControlFlow::Continue(())).expect("a parser").model;
    let words: usize = trees.iter().map(Tree::num_tokens).sum();
    println!("{} sentences, {words} words, {} active features", trees.len(), model.forest.num_active());
    match std::env::args().nth(1).as_deref() {
        Some("greedy") => parse_all(&model, &trees, Search::Greedy),
        _ => parse_all(&model, &trees, Search::AGENDA),
    }
}

/// What is counted. Its name is in the script.
#[inline(never)]
fn parse_all(model: &Model, trees: &[Tree], search: Search) {
    let mut parser =
        Parser::new(model, SearchConfig { search, ..SearchConfig::default() }, Limits::default());
    for tree in trees {
        black_box(parser.parse(tree));
    }
}
