//! Trains a parser on the sample treebank (`train FILE`), or parses the treebank with it once (`greedy FILE`, `agenda FILE`), for
//! `scripts/count-instructions`, which counts the instructions of the parsing alone.

#![expect(clippy::print_stdout, reason = "a program for people to look at")]

use std::hint::black_box;
use std::ops::ControlFlow;

use boughs::model::{About, ModelFile};
use boughs::parse::Request;
use boughs::train::transition::{Learner, TransitionConfig, train};
use boughs::transition::{Search, TransitionModel, TransitionOptions, TransitionParser};
use boughs::tree::Tree;
use boughs_bench::short_sample;
use boughs_learn::L1Config;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [what, file] = &arguments[..] else { panic!("expected train, greedy or agenda, and a file") };
    let trees = short_sample();
    if what == "train" {
        train_model(&trees).save(file.as_ref()).expect("a file");
        return;
    }
    let model =
        TransitionModel::from_file(&ModelFile::load(file.as_ref()).expect("a model")).expect("a parser");
    let words: usize = trees.iter().map(Tree::num_tokens).sum();
    println!("{} sentences, {words} words, {} active features", trees.len(), model.num_active());
    parse_all(&model, &trees, if what == "greedy" { Search::Greedy } else { Search::AGENDA });
}

fn train_model(trees: &[Tree]) -> ModelFile {
    let mut config = TransitionConfig::tm06();
    if let Learner::L1(l1) = config.learner {
        config.learner = Learner::L1(L1Config { final_penalty: 0.5, ..l1 });
    }
    let trained = train(trees, &[], &config, None, |_| ControlFlow::Continue(())).expect("a parser");
    trained.model.to_file(About::new("")).expect("a file")
}

/// What is counted. Its name is in the script.
#[inline(never)]
fn parse_all(model: &TransitionModel, trees: &[Tree], search: Search) {
    let mut parser = TransitionParser::new(model, &TransitionOptions { search, ..Default::default() });
    for tree in trees {
        black_box(parser.parse(Request::new(tree.sentence())));
    }
}
