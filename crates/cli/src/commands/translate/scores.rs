//! Translations beside their references, scored sentence by sentence.

use std::path::Path;

use anyhow::Result;
use boughs::tree::read::Encoding;
use boughs_translate::align::Tokens;
use boughs_translate::eval::{Bleu, RunMatch, RunMatcher};
use clap::Args;
use rayon::prelude::*;

use crate::bitext::{each_line, next, open};
use crate::number;

#[derive(Debug, Clone, Args)]
pub(super) struct ScoreArgs {
    /// The exponent of F; may be given several times [default: 1 and 2]
    #[arg(long, value_name = "E")]
    exponent: Vec<f64>,

    /// What a token of a translation is: blanks, plain or english
    #[arg(long, value_name = "NAME", default_value = "blanks", value_parser = |name: &str| name.parse::<Tokens>())]
    tokens: Tokens,

    /// What a token of a reference is
    #[arg(long, value_name = "NAME", default_value = "plain", value_parser = |name: &str| name.parse::<Tokens>())]
    reference_tokens: Tokens,

    /// Score only the first N sentences
    #[arg(long, value_name = "N", value_parser = number::within::<usize>(1..))]
    max_sentences: Option<usize>,
}

/// The references.
pub(super) struct References {
    lines: Vec<String>,
    tokens: Vec<Vec<String>>,
}

/// The figures of one translation.
pub(super) struct Scores {
    /// By exponent, then by sentence.
    pub(super) matches: Vec<Vec<RunMatch>>,
    /// Over the same tokens, and over those of mteval-v13a.
    pub(super) bleu: [f64; 2],
}

impl ScoreArgs {
    pub(super) fn exponents(&self) -> &[f64] {
        if self.exponent.is_empty() { &[1.0, 2.0] } else { &self.exponent }
    }

    pub(super) fn read_references(&self, path: &Path) -> Result<References> {
        let mut lines = open(path, Encoding::default())?;
        let mut references = References { lines: Vec::new(), tokens: Vec::new() };
        while let Some(line) = next(&mut lines, path)? {
            references.tokens.push(self.reference_tokens.split(line));
            references.lines.push(line.to_owned());
        }
        Ok(references)
    }

    pub(super) fn score(&self, path: &Path, references: &References) -> Result<Scores> {
        let mut candidates: Vec<Vec<String>> = Vec::new();
        let mut bleu = [Bleu::default(); 2];
        let num_scored = self.max_sentences.unwrap_or(usize::MAX);
        each_line(path, references.lines.len(), |index, line| {
            if index < num_scored {
                let candidate = self.tokens.split(line);
                bleu[0].add(&candidate, &references.tokens[index]);
                bleu[1].add_text(line, &references.lines[index]);
                candidates.push(candidate);
            }
            Ok(())
        })?;
        let matches = |&exponent: &f64| {
            let matcher = RunMatcher::new(exponent);
            let pairs = candidates.par_iter().zip(&references.tokens);
            pairs.map(|(candidate, reference)| matcher.score(candidate, reference)).collect()
        };
        Ok(Scores {
            matches: self.exponents().iter().map(matches).collect(),
            bleu: bleu.map(|bleu| bleu.score()),
        })
    }
}

/// All sentences together.
pub(super) fn total(matches: &[RunMatch]) -> RunMatch {
    let mut total = RunMatch::default();
    matches.iter().for_each(|&one| total += one);
    total
}
