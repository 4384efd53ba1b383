//! Trains a parser on a treebank and saves it: `cargo run --release --example train_parser -- TREEBANK MODEL`.

#![expect(clippy::print_stderr, reason = "a program for people to look at")]

use boughs::train::{Event, LatentConfig, Observer, RunOptions, run};
use boughs::tree::read::{Input, ReadOptions};
use boughs::treebank::Treebank;

/// Tells the score of each step.
struct Scores;

impl Observer for Scores {
    fn see(&self, event: &Event<'_>) {
        if let Event::Step { steps: [.., step] } = event {
            let f1 = step.scores.as_ref().and_then(|scores| scores.get("F1"));
            eprintln!("round {:.0}: F1 {:.2}", step.get("round").unwrap_or(0.0), f1.unwrap_or(0.0));
        }
    }

    fn is_interrupted(&self) -> bool {
        false
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(treebank), Some(model)) = (arguments.next(), arguments.next()) else {
        return Err("expected a treebank, and the file of the model to write".into());
    };
    let trees = Treebank::read([Input::Path(treebank.into())], &ReadOptions::default())?;
    let (train, dev) = trees.hold_out(0.1);
    let options = RunOptions { observer: &Scores, ..RunOptions::default() };
    let trained = run(&LatentConfig::default(), train.trees(), Some(dev.trees()), options)?;
    trained.ok_or("broken off")?.model.save(model.as_ref())?;
    Ok(())
}
