//! How well a grammar parses.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::chart::{ChartOptions, GrammarParser, Query};
use crate::eval::{Parameters, Scorer, Totals};
use crate::model::GrammarModel;
use crate::tree::{TRACE_TAG, Tree};

/// Scores on trees, in percent.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct GrammarScores {
    /// Labelled precision.
    pub precision: f64,
    /// Labelled recall.
    pub recall: f64,
    /// Labelled F1.
    pub f1: f64,
    /// Sentences that are parsed without an error.
    pub exact: f64,
    /// Words with the right tag.
    pub tags: f64,
    /// Sentences without a parse.
    pub num_failed: usize,
}

/// Sentences that a thread parses at a time.
const CHUNK: usize = 16;

/// Parses the words of trees and compares. The grammar tags for itself.
pub(in crate::train) fn measure(
    model: &GrammarModel,
    trees: &[Tree],
    options: &ChartOptions,
) -> GrammarScores {
    let parse_chunk = |chunk: &[Tree]| {
        let mut parser = GrammarParser::new(model, options.clone());
        chunk.iter().map(|tree| parse_words(&mut parser, tree)).collect::<Vec<_>>()
    };
    let parsed: Vec<Option<Tree>> = trees.par_chunks(CHUNK).flat_map_iter(parse_chunk).collect();
    compare(trees, &parsed)
}

/// Compares trees with those that a parser gave; a sentence without one counts as flat and without tags.
pub(in crate::train) fn compare(trees: &[Tree], parsed: &[Option<Tree>]) -> GrammarScores {
    let mut scorer = Scorer::new(Parameters::named("COLLINS").unwrap_or_default());
    let mut totals = Totals::default();
    for (gold, test) in trees.iter().zip(parsed) {
        let flat = || untagged(gold);
        totals.add(&scorer.score(gold, test.as_ref().unwrap_or(&flat())));
    }
    let figures = totals.all.strict();
    let percent = |figure: Option<f64>| figure.unwrap_or(0.0);
    GrammarScores {
        precision: percent(figures.precision()),
        recall: percent(figures.recall()),
        f1: percent(figures.f1()),
        exact: percent(figures.exact_match()),
        tags: percent(figures.tag_accuracy()),
        num_failed: parsed.iter().filter(|tree| tree.is_none()).count(),
    }
}

fn words_of(tree: &Tree) -> Tree {
    let mut tree = tree.clone();
    tree.retain_tokens(|token| token.tag != TRACE_TAG);
    tree.retain_nodes(|_| false);
    tree
}

/// The words of a tree, without tags and traces.
pub(in crate::train) fn untagged(tree: &Tree) -> Tree {
    let mut tokens = words_of(tree);
    (0..tokens.num_tokens()).for_each(|index| tokens.set_tag(index, ""));
    tokens
}

fn parse_words(parser: &mut GrammarParser<'_>, tree: &Tree) -> Option<Tree> {
    let tokens = untagged(tree).into_sentence();
    let (mut parses, _) = parser.parse(Query::new(&tokens)).ok()?;
    (!parses.is_empty()).then(|| parses.swap_remove(0).tree)
}
