//! Trains a grammar on the sample treebank (`train FILE`), or parses the treebank with it once (`parse FILE`), or computes the inside
//! values alone (`inside FILE`), for `scripts/count-instructions`, which counts the instructions of the latter two.

#![expect(clippy::print_stdout, reason = "a program for people to look at")]

use std::hint::black_box;
use std::ops::ControlFlow;

use boughs::chart::{ChartConfig, ChartParser, Request, Sum};
use boughs::model::{About, GrammarModel, ModelFile};
use boughs::train::latent::{LatentConfig, train};
use boughs::tree::{Constraints, Tree};
use boughs_bench::chart::{inside_of_all, words_of};
use boughs_bench::short_sample;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [what, file] = &arguments[..] else { panic!("expected train, parse or inside, and a file") };
    let trees = short_sample();
    if what == "train" {
        train_model(&trees).save(file.as_ref()).expect("a file");
        return;
    }
    let model =
        GrammarModel::from_file(&ModelFile::load(file.as_ref()).expect("a model")).expect("a grammar");
    let sentences: Vec<Tree> = trees.into_iter().map(words_of).collect();
    let words: usize = sentences.iter().map(Tree::num_tokens).sum();
    println!("{} sentences, {words} words", sentences.len());
    match what == "inside" {
        true => parse_all(|| inside_of_all::<Sum>(&model, &sentences)),
        false => parse_all(|| chart_of_all(&model, &sentences)),
    }
}

fn train_model(trees: &[Tree]) -> ModelFile {
    let config = LatentConfig { max_rounds: 3, ..LatentConfig::default() };
    let trained = train(trees, &[], &config, None, |_| ControlFlow::Continue(())).expect("a grammar");
    trained.model.to_file(About::new("")).expect("a file")
}

/// What is counted. Its name is in the script.
#[inline(never)]
fn parse_all(work: impl FnOnce()) {
    work();
}

fn chart_of_all(model: &GrammarModel, sentences: &[Tree]) {
    let (mut parser, constraints) = (ChartParser::new(model, ChartConfig::default()), Constraints::default());
    for tokens in sentences {
        black_box(
            parser.parse(Request { tokens, constraints: &constraints, hints: &[] }).expect("no constraints"),
        );
    }
}
