//! Small data that are built in: the sample treebank, a few sentence pairs, and rows that are made up.

use std::fmt::Write;
use std::io::Cursor;

use super::{PairText, Parts};
use boughs::tree::Tree;
use boughs::tree::read::{Format, TreeReader};
use boughs::treebank::sample;
use boughs_learn::DatasetBuilder;
use boughs_learn::error::Result;
use boughs_learn::rng::Rng;
use boughs_learn::svmlight::{LabelledRows, Options, SvmlightReader};
use boughs_translate::align::Tokenization;

/// The kinds of text of the sample to learn from; the others are to choose by and to test on.
const TRAIN: [&str; 6] = ["business", "dialogue", "fiction", "howto", "letters", "science"];

const SOURCE: &str = include_str!("../../data/quick/bitext.mrg");
const TARGET: &str = include_str!("../../data/quick/bitext.fr");

/// Every so many pairs one is to choose by, and one to test on.
const PAIRS_OF_ROUND: usize = 6;

/// How many rows there are to learn from, to choose by and to test on.
const NUM_ROWS: [usize; 3] = [600, 200, 200];
const NUM_FEATURES: u64 = 200;
const NUM_CONJUNCTIONS: usize = 12;

pub(super) fn trees() -> Parts<Vec<Tree>> {
    let train = TRAIN.iter().flat_map(|kind| sample(kind)).collect();
    Parts { train, dev: sample("news"), test: Some(sample("travel")) }
}

pub(super) fn pairs() -> Result<Parts<PairText>> {
    let mut parts = [PairText::default(), PairText::default(), PairText::default()];
    let trees = TreeReader::new(SOURCE.as_bytes(), Format::Bracket);
    for (number, (tree, target)) in trees.zip(TARGET.lines()).enumerate() {
        let part = match number % PAIRS_OF_ROUND {
            0 => 1,
            3 => 2,
            _ => 0,
        };
        let words = Tokenization::Plain.split(target);
        parts[part].push(tree?, words.iter().map(String::as_str));
    }
    let [train, dev, test] = parts;
    Ok(Parts { train, dev, test: Some(test) })
}

pub(super) fn rows() -> Result<Parts<LabelledRows>> {
    let mut generator = RowGenerator::new(1);
    let [train, dev, test] = NUM_ROWS.map(|number| generator.text(number));
    Parts { train, dev, test: Some(test) }.try_map(|text| {
        let mut reader = SvmlightReader::new(Cursor::new(text), "made up", Options::default())?;
        LabelledRows::read_with(&mut reader, DatasetBuilder::finish_by_frequency)
    })
}

/// Makes up rows that look like those of a parser: features by Zipf's law, labels from the sum of a few
/// conjunctions, some of them with a feature that must not hold, and noise.
struct RowGenerator {
    rng: Rng,
    conjunctions: Vec<(u32, Option<u32>, f64)>,
}

impl RowGenerator {
    fn new(seed: u64) -> Self {
        let mut rng = Rng::new(seed);
        let conjunctions = (0..NUM_CONJUNCTIONS).map(|place| {
            let other = (place % 3 > 0).then(|| zipf(&mut rng));
            let weight = if place % 2 == 0 { 1.5 } else { -1.5 };
            (zipf(&mut rng), other, weight)
        });
        let conjunctions = conjunctions.collect();
        Self { rng, conjunctions }
    }

    fn text(&mut self, num_rows: usize) -> String {
        let mut text = String::new();
        for _ in 0..num_rows {
            let mut features: Vec<u32> = (0..20).map(|_| zipf(&mut self.rng)).collect();
            features.sort_unstable();
            features.dedup();
            let label = if self.score(&features) + self.rng.unit() - 0.5 > 0.0 { "+1" } else { "-1" };
            let features: Vec<String> = features.iter().map(|feature| format!("{feature}:1")).collect();
            // Writing to a string does not fail.
            let _ = writeln!(text, "{label} {}", features.join(" "));
        }
        text
    }

    fn score(&self, features: &[u32]) -> f64 {
        let has = |feature: u32| features.binary_search(&feature).is_ok();
        let holds =
            |&&(one, other, _): &&(u32, Option<u32>, f64)| has(one) && other.is_none_or(|it| !has(it));
        self.conjunctions.iter().filter(holds).map(|(_, _, weight)| weight).sum()
    }
}

/// A feature: the first ones are the most frequent.
fn zipf(rng: &mut Rng) -> u32 {
    (NUM_FEATURES as f64).powf(rng.unit()) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_something_in_every_part() {
        let pairs = pairs().unwrap();
        assert_eq!((pairs.train.len(), pairs.dev.len(), pairs.test.unwrap().len()), (40, 10, 10));
        let rows = rows().unwrap();
        assert_eq!([&rows.train, &rows.dev].map(|rows| rows.labels.len()), [2, 2]);
        let positive = rows.train.classes.iter().filter(|class| **class == 1).count();
        assert!((150..450).contains(&positive), "{positive} of {}", NUM_ROWS[0]);
    }
}
