//! How good is a translation? Precision, recall and F of Turian, Shen and Melamed (2003), and BLEU.
//!
//! The naive form counts the words that the translation shares with a reference. [`GtmMatcher`] does so without
//! counting any word twice, and lets longer runs weigh more. [`Bleu`] counts runs of up to four words, as sacreBLEU
//! does. [`wilcoxon`] tests whether paired figures differ.

mod bleu;
mod gtm;
mod wilcoxon;

pub use bleu::{Bleu, tokenize_13a};
pub use gtm::{GtmMatch, GtmMatcher};
pub use wilcoxon::{SignedRanks, wilcoxon};
