//! boughs: constituency parsing that learns from your treebank.
//!
//! Read a treebank, train a parser on it, parse running text, walk the phrases with their bytes, and score:
//!
//! ```
//! use boughs::parser::Sentence;
//! use boughs::text;
//! use boughs::train::{LatentConfig, run};
//! use boughs::tree::read::{Input, ReadOptions};
//! use boughs::treebank::Treebank;
//!
//! let files = [Input::Path(concat!(env!("CARGO_MANIFEST_DIR"), "/data/sample/howto.mrg").into())];
//! let (train, dev) = Treebank::read(files, &ReadOptions::default())?.hold_out(0.2);
//!
//! let recipe = LatentConfig { max_rounds: 1, split_iterations: 5, ..LatentConfig::default() };
//! let trained = run(&recipe, train.trees(), Some(dev.trees()), Default::default())?;
//! let parser = trained.expect("nobody broke it off").model;
//!
//! let text = "Wash the rice. Then add the salt.";
//! let mut worker = parser.worker();
//! for sentence in text::sentences(text) {
//!     let parsed = worker.parse(&Sentence::from_text(&sentence))?;
//!     for phrase in parsed.tree().nodes() {
//!         let bytes = parsed.tree().bytes(phrase.span).expect("tokens of a text");
//!         println!("{} {}", phrase.label, &text[bytes.start as usize..bytes.end as usize]);
//!     }
//! }
//! assert!(parser.evaluate(dev.trees())?.get("F1").is_some_and(|f1| f1 > 20.0));
//! # Ok::<(), boughs::Error>(())
//! ```
//!
//! The parsers for English that ship need no training: [`Parser::english`](parser::Parser::english), with the features
//! `english` and `english-small`. Saved parsers are one file: [`Parser::save`](parser::Parser::save), [`Parser::load`](parser::Parser::load).
//!
//! | module | what it has |
//! |---|---|
//! | [`parser`] | [`Parser`](parser::Parser): a model, its tagger and its options; sentences in, trees out |
//! | [`train`] | recipes for parsers and taggers, and the one loop that runs them |
//! | [`tree`] | [`Tree`](tree::Tree), readers, writers, transforms, head rules, pictures |
//! | [`text`] | running text to sentences and tokens |
//! | [`treebank`] | whole treebanks: held-out parts, checks, statistics, a sample |
//! | [`eval`] | EVALB to the letter, a strict evaluator, significance tests |
//! | [`tagger`] | part-of-speech tagging |
//! | [`parse`], [`chart`], [`transition`], [`neural`], [`parser::combined`], [`model`] | requests and answers; the three kinds of parser, and several in one; frozen models |

pub mod chart;
pub mod eval;
pub mod model;
pub mod neural;
pub mod parse;
pub mod parser;
pub mod span;
pub mod tagger;
pub mod text;
pub mod train;
pub mod transition;
pub mod tree;
pub mod treebank;

// Tests inside the library share files with those outside.
#[cfg(test)]
extern crate self as boughs;

pub(crate) use boughs_learn as learn;
pub use boughs_learn::error;
pub(crate) use boughs_learn::{rng, vocab};
pub use error::{Error, ErrorKind, Result};
