//! Scores parses against gold trees as EVALB does, every sentence counted: `cargo run --example score -- GOLD TEST`.

#![expect(clippy::print_stdout, reason = "a program for people to look at")]

use boughs::eval::{Parameters, Scorer, Totals};
use boughs::tree::read::{Input, ReadOptions};
use boughs::treebank::Treebank;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let files: Vec<String> = std::env::args().skip(1).collect();
    let [gold, test] = &files[..] else { return Err("expected gold trees and parses".into()) };
    let read = |file: &String| Treebank::read([Input::Path(file.into())], &ReadOptions::default());
    let (gold, test) = (read(gold)?, read(test)?);
    let mut scorer = Scorer::new(Parameters::named("COLLINS").unwrap_or_default());
    let mut totals = Totals::default();
    for (gold, test) in gold.trees().iter().zip(test.trees()) {
        totals.add(&scorer.score(gold, test));
    }
    println!("F1 {:.2}", totals.all.strict().f1().unwrap_or(0.0));
    Ok(())
}
