//! Trains a grammar on the sample treebank (`train FILE`), or parses the treebank with it once (`parse FILE`), for
//! `scripts/count-instructions`, which counts the instructions of the latter.

#![expect(clippy::print_stdout, reason = "a program for people to look at")]

use std::hint::black_box;
use std::ops::ControlFlow;

use boughs::chart::{ChartOptions, ChartParser};
use boughs::model::{About, ChartModel, ModelFile};
use boughs::parse::Request;
use boughs::train::latent::{LatentConfig, train};
use boughs::tree::{Tokens, Tree};
use boughs_bench::short_sample;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [what, file] = &arguments[..] else { panic!("expected train or parse, and a file") };
    let trees = short_sample();
    if what == "train" {
        train_model(&trees).save(file.as_ref()).expect("a file");
        return;
    }
    let model = ChartModel::from_file(&ModelFile::load(file.as_ref()).expect("a model")).expect("a grammar");
    let words_of = |tree: Tree| tree.into_sentence().without_tags();
    let sentences: Vec<Tokens> = trees.into_iter().map(words_of).collect();
    let words: usize = sentences.iter().map(Tokens::len).sum();
    println!("{} sentences, {words} words", sentences.len());
    parse_all(&model, &sentences);
}

fn train_model(trees: &[Tree]) -> ModelFile {
    let config = LatentConfig { max_rounds: 3, ..LatentConfig::default() };
    let trained = train(trees, &[], &config, None, |_| ControlFlow::Continue(())).expect("a grammar");
    trained.model.to_file(About::new("")).expect("a file")
}

/// What is counted. Its name is in the script.
#[inline(never)]
fn parse_all(model: &ChartModel, sentences: &[Tokens]) {
    let mut parser = ChartParser::new(model, &ChartOptions::default());
    for tokens in sentences {
        black_box(parser.parse(Request::new(tokens), &[]).expect("small trees"));
    }
}
