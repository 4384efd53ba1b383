//! Grammars whose symbols have latent subcategories: what chart parsers work with.
//!
//! The naive form is a list of rules with probabilities, `NP → DT NN 0.3`. A latent-variable grammar has many of
//! these for each rule of the treebank, `NP₃ → DT₀ NN₇ 0.02`, one for each choice of latent subcategories, here
//! called *substates*. Nearly all that a parser does, it does for all substates of a rule at once, so a [`Grammar`]
//! keeps them together: a [`GrammarRule`] is one of the treebank, and has a *row* for each pair of substates of its
//! children, with a number for each substate of the parent. Rows of zeros are left out. A plain grammar is one where
//! every symbol has one substate.
//!
//! A [`GrammarModel`] is what a file holds: symbols with names, the words ([`GrammarLexicon`]), the grammar, and how
//! its substates came about by splitting, which gives coarser grammars to prune with ([`GrammarModel::levels`]).

mod classes;
mod file;
mod levels;
mod lexicon;
mod projection;
mod quantize;
mod rules;
mod subcategories;
mod symbols;

pub use classes::{WORD_CLASSES, WordClasses};
pub(crate) use file::read_splits;
pub(super) use file::{GrammarSettings, deflate, inflate};
pub(crate) use levels::merge_sums;
pub use levels::{GrammarModel, Level, Splits};
pub use lexicon::{GrammarLexicon, ScoreTable};
pub use rules::{Grammar, GrammarRule, RuleBlock};
pub use subcategories::{Subcategory, TellingRule};
pub use symbols::{Symbol, Symbols};
