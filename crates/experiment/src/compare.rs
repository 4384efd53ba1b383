//! Is one row better than another, or was it luck? The tests of `boughs compare` and `boughs translate
//! compare`.

use serde::Serialize;

use crate::outcome::{Measurement, Units};
use boughs::eval::Brackets;
use boughs::eval::significance::{ParserPair, shuffle};
use boughs_translate::eval::wilcoxon;

/// As many trials as in the papers.
const TRIALS: u64 = 1_000_000;
const SEED: u64 = 1;

/// What is less likely by chance is called significant.
pub const LEVEL: f64 = 0.05;

/// The difference between two rows.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Difference {
    /// That of the one minus that of the other.
    pub value: f64,
    /// The probability of such a difference if there were none, either way; none where there is no test for
    /// the figure.
    pub p: Option<f64>,
}

impl Difference {
    /// Whether it is larger than chance explains.
    pub fn is_significant(&self) -> bool {
        self.p.is_some_and(|p| p < LEVEL)
    }
}

/// The probability of such a difference of a figure if there were none: by stratified shuffling for parses,
/// by signed ranks for what is a number for each sentence. None if there is no test for the figure, or the
/// sentences are others.
pub(crate) fn p_value(figure: &str, one: &Measurement, other: &Measurement) -> Option<f64> {
    match (&one.units, &other.units) {
        (Units::Brackets(one), Units::Brackets(other)) => shuffled(figure, one, other),
        (Units::Numbers(one), Units::Numbers(other)) => ranked(one.get(figure)?, other.get(figure)?),
        _ => None,
    }
}

fn shuffled(figure: &str, one: &[[u64; 3]], other: &[[u64; 3]]) -> Option<f64> {
    if one.len() != other.len() {
        return None;
    }
    let brackets = |&[matched, gold, test]: &[u64; 3]| Brackets { matched, gold, test };
    let pairs = one.iter().zip(other).map(|(one, other)| ParserPair { a: brackets(one), b: brackets(other) });
    let p = |pairs: &[ParserPair]| shuffle(pairs, TRIALS, SEED).p;
    let pairs: Vec<ParserPair> = pairs.collect();
    match figure {
        "P" => Some(p(&pairs).precision),
        "R" => Some(p(&pairs).recall),
        "F1" => Some(p(&pairs).f1),
        _ => None,
    }
}

fn ranked(one: &[f64], other: &[f64]) -> Option<f64> {
    let differences: Vec<f64> = one.iter().zip(other).map(|(one, other)| one - other).collect();
    (one.len() == other.len()).then(|| wilcoxon(&differences).p)
}

#[cfg(test)]
mod tests {
    use super::*;
    use boughs_learn::run::Figure;

    fn measured(units: Units) -> Measurement {
        Measurement { figures: vec![Figure::new("F1", 1.0, 2)], units }
    }

    #[test]
    fn parses_are_shuffled_and_numbers_ranked() {
        let (better, worse) = (
            measured(Units::Brackets(vec![[9, 10, 10]; 3])),
            measured(Units::Brackets(vec![[7, 10, 10]; 3])),
        );
        assert_eq!(p_value("F1", &better, &worse), Some(0.25), "all three swapped, or none");
        assert_eq!(p_value("exact", &better, &worse), None);
        let number = |value: f64| measured(Units::Numbers([("accuracy".to_owned(), vec![value; 5])].into()));
        assert_eq!(p_value("accuracy", &number(2.0), &number(1.0)), Some(0.0625), "five for the same side");
        assert_eq!(p_value("accuracy", &better, &number(1.0)), None);
    }
}
