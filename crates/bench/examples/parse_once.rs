//! Trains a parser on short sentences of the sample treebank (`train boosted|latent FILE`), or parses them with it
//! once (`parse FILE`, or `greedy FILE` without search), for `scripts/count-instructions`, which counts the
//! instructions of the parsing alone.

#![expect(clippy::print_stdout, reason = "a program for people to look at")]

use std::hint::black_box;
use std::path::Path;

use boughs::parser::{EngineOptions, Parser, Sentence};
use boughs::train::{LatentConfig, Recipe, RunOptions, TagSource, TransitionConfig, run};
use boughs::transition::{Search, TransitionOptions};
use boughs::tree::Tree;
use boughs_bench::short_sample;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["train", "boosted", file] => train(&boosted(), file.as_ref()),
        ["train", "latent", file] => {
            train(&LatentConfig { max_rounds: 3, ..LatentConfig::default() }, file.as_ref());
        }
        ["parse", file] => parse(&Parser::load(file.as_ref()).expect("a parser")),
        ["greedy", file] => parse(&greedy(Parser::load(file.as_ref()).expect("a parser"))),
        _ => panic!("expected `train boosted FILE`, `train latent FILE`, `parse FILE` or `greedy FILE`"),
    }
}

fn boosted() -> TransitionConfig {
    let config = TransitionConfig { tags: TagSource::Gold, ..TransitionConfig::default() };
    TransitionConfig { learner: config.learner.with_final_penalty(0.5), ..config }
}

fn train(recipe: &impl Recipe<Data = [Tree], Model = Parser>, file: &Path) {
    let trained = run(recipe, &short_sample(), None, RunOptions::default()).expect("a run");
    trained.expect("nobody broke it off").model.save(file).expect("a file");
}

fn greedy(parser: Parser) -> Parser {
    let search = TransitionOptions { search: Search::Greedy, ..TransitionOptions::default() };
    parser.with_engine(EngineOptions::Transition(search)).expect("a transition parser")
}

fn parse(parser: &Parser) {
    let sentence = |tree: Tree| match parser.can_tag() {
        true => Sentence::from_tree(&tree).without_tags(),
        false => Sentence::from_tree(&tree),
    };
    let sentences: Vec<Sentence> = short_sample().into_iter().map(sentence).collect();
    let words: usize = sentences.iter().map(|sentence| sentence.tokens().len()).sum();
    println!("{} sentences, {words} words", sentences.len());
    parse_all(parser, &sentences);
}

/// What is counted. Its name is in the script.
#[inline(never)]
fn parse_all(parser: &Parser, sentences: &[Sentence]) {
    let mut worker = parser.worker();
    for sentence in sentences {
        black_box(worker.parse(sentence).expect("tags"));
    }
}
