//! Parses the text on standard input with a model: `cargo run --example parse_text -- MODEL < text`.

#![expect(clippy::print_stdout, reason = "a program for people to look at")]

use std::io::Read;
use std::path::PathBuf;

use boughs::parser::{Parser, Sentence};
use boughs::text;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let model: PathBuf = std::env::args().nth(1).ok_or("expected the file of a model")?.into();
    let parser = Parser::load(&model)?;
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text)?;
    let mut worker = parser.worker();
    for sentence in text::sentences(&text) {
        let parsed = worker.parse(&Sentence::from_text(&sentence))?;
        println!("{:<16} {}", parsed.status.name(), parsed.tree());
    }
    Ok(())
}
