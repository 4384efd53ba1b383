//! How good is a parse? PARSEVAL as EVALB counts it, on whole treebanks.
//!
//! The naive form: take the labelled spans of the gold tree and of the parser's tree, and count how many
//! they share. Precision is that number over the parser's spans, recall over the gold ones. Everything else
//! is convention, and figures differ by it as much as by the parsers: which words count (EVALB leaves out
//! punctuation), which brackets (not the root), whether `NP` over `NP` counts twice (yes), what happens
//! to a sentence whose words differ (EVALB leaves it out of all figures).
//!
//! - [`evalb`] is EVALB: the same bytes out for the same bytes in.
//! - [`Scorer`] compares two [`Tree`](crate::tree::Tree)s by the same rules, but for the three that lose
//!   sentences, and [`Totals`] adds up.
//! - [`Calibration`] says whether the confidences of a parser mean something, and a [`ConfidenceCurve`] makes them.
//! - [`significance`] says whether a difference between two parsers means anything.
//!
//! ```
//! use boughs::eval::{Parameters, Scorer, Totals};
//!
//! let mut scorer = Scorer::new(Parameters::named("COLLINS").unwrap());
//! let gold = "(TOP (S (NP (PRP We)) (VP (VBP draw) (NP (NNS trees)))))".parse()?;
//! let test = "(S (NP (PRP We)) (VP (VBP draw)) (NP (NNS trees)))".parse()?;
//! let score = scorer.score(&gold, &test);
//! assert_eq!((score.counts.matched, score.counts.gold, score.counts.test), (3, 4, 4));
//!
//! let mut totals = Totals::default();
//! totals.add(&score);
//! assert_eq!(totals.all.strict().f1(), Some(75.0));
//! # Ok::<(), boughs::Error>(())
//! ```

mod brackets;
mod calibration;
pub mod evalb;
mod isotonic;
pub mod json;
mod labels;
mod parameters;
mod score;
pub mod significance;
mod totals;

pub use calibration::{Calibration, CalibrationBin, NUM_BINS};
pub use isotonic::ConfidenceCurve;
pub use labels::LabelId;
pub use parameters::{Name, Parameters};
pub use score::{Mismatch, Scorer, SentenceScore, Verdict};
pub use totals::{Brackets, Figures, LENGTHS, Tally, Totals};
