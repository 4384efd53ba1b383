//! Parses a tokenised sentence in which some words must be a phrase, and prints the best three trees:
//! `cargo run --example constraints -- MODEL 1 3 the old man the boats` requires a phrase over the words 1 and 2.

#![expect(clippy::print_stdout, reason = "a program for people to look at")]

use boughs::parser::{ParseOptions, Parser, Sentence};
use boughs::span::Span;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [model, start, end, words @ ..] = &arguments[..] else {
        return Err("expected a model, where a phrase starts and ends, and words".into());
    };
    let parser = Parser::load(model.as_ref())?;
    let options = ParseOptions { num_best: 3, ..parser.options().clone() };
    let parser = parser.with_options(options)?;
    let mut sentence = Sentence::new(words.iter().map(|word| (word.as_str(), "")));
    sentence.constraints.require(Span::new(start.parse()?, end.parse()?), None);
    let parsed = parser.worker().parse(&sentence)?;
    if let Some(why) = &parsed.unmet {
        println!("the constraint is not met: {why}");
    }
    for parse in &parsed.parses {
        println!("{:8.2} {}", parse.cost.unwrap_or(f64::NAN), parse.tree);
    }
    Ok(())
}
