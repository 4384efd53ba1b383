//! A grammar while it is learned, and what one pass over the trees tells about it.

use serde::{Deserialize, Serialize};

use super::smooth::smooth_rules;
use crate::model::{Grammar, GrammarLexicon, RuleBlock, Splits};
use crate::train::grammar::{GrammarTrees, LeafScores, LexiconConfig, estimate};

/// A grammar whose rules all have all rows, the words, and how it came about.
#[derive(Debug, Clone)]
pub(crate) struct GrammarState {
    pub(crate) grammar: Grammar,
    pub(crate) lexicon: GrammarLexicon,
    /// How often each leaf has each substate of its tag.
    pub(crate) leaf_counts: LeafScores,
    pub(crate) leaf_scores: LeafScores,
    pub(crate) splits: Vec<Splits>,
    /// How often each substate occurs.
    pub(crate) weights: Vec<f64>,
}

/// What the derivations of a tree are worth: rules with all rows, and words.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TreeScores<'s> {
    pub(crate) grammar: &'s Grammar,
    pub(crate) leaves: &'s LeafScores,
}

/// Expected counts.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Counts {
    /// For each number of the grammar, the expected uses divided by the number.
    pub(crate) rules: Vec<f64>,
    /// For each leaf and substate.
    pub(crate) leaves: Vec<f64>,
    /// For each substate.
    pub(crate) substates: Vec<f64>,
    pub(crate) log_likelihood: f64,
}

/// Probabilities below this are zero.
const SMALLEST: f64 = 1e-12;

impl GrammarState {
    pub(crate) fn scores(&self) -> TreeScores<'_> {
        TreeScores { grammar: &self.grammar, leaves: &self.leaf_scores }
    }

    /// The grammar before the first split.
    pub(crate) fn new(trees: &GrammarTrees, config: &LexiconConfig) -> Self {
        let grammar = trees.relative_frequencies();
        let counts = trees.leaf_counts(&grammar);
        let (lexicon, leaf_scores) = estimate(trees, &grammar, &counts, config, 0.0);
        let weights = trees.substate_counts().1;
        Self { grammar, lexicon, leaf_counts: counts, leaf_scores, splits: Vec::new(), weights }
    }

    /// The next grammar of EM; smoothed if wanted.
    pub(crate) fn maximize(
        &mut self,
        trees: &GrammarTrees,
        counts: &Counts,
        config: &LexiconConfig,
        smoothing: Option<Smoothing>,
    ) {
        let uses: Vec<f64> = self
            .grammar
            .values()
            .iter()
            .zip(&counts.rules)
            .map(|(&value, count)| f64::from(value) * count)
            .collect();
        set_normalized(&mut self.grammar, &uses);
        if let Some(smoothing) = smoothing {
            smooth_rules(&mut self.grammar, &self.splits, smoothing.rules);
        }
        self.leaf_counts = LeafScores {
            starts: self.leaf_scores.starts.clone(),
            values: counts.leaves.iter().map(|&count| count as f32).collect(),
        };
        let words = smoothing.map_or(0.0, |smoothing| smoothing.words);
        (self.lexicon, self.leaf_scores) = estimate(trees, &self.grammar, &self.leaf_counts, config, words);
        self.weights.clone_from(&counts.substates);
    }
}

/// How far the rules of substates are moved to the mean of their branch, and their words to that of their tag.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Smoothing {
    pub(crate) rules: f32,
    pub(crate) words: f32,
}

/// Makes the rules as likely as they are frequent, for each substate of the parent.
pub(crate) fn set_normalized(grammar: &mut Grammar, uses: &[f64]) {
    let mut totals = vec![0.0f64; grammar.num_substates()];
    for index in 0..grammar.rules().len() {
        let parent = grammar.substates(grammar.rule(index).parent);
        for row in uses[grammar.values_of(index)].chunks_exact(parent.len()) {
            totals[parent.clone()].iter_mut().zip(row).for_each(|(total, count)| *total += count);
        }
    }
    let mut shares = Vec::with_capacity(uses.len());
    for index in 0..grammar.rules().len() {
        let parent = grammar.substates(grammar.rule(index).parent);
        let totals = totals[parent].iter().cycle();
        shares.extend(uses[grammar.values_of(index)].iter().zip(totals).map(|(count, total)| {
            let share = if *total > 0.0 { count / total } else { 0.0 };
            if share < SMALLEST { 0.0 } else { share as f32 }
        }));
    }
    grammar.change_values(|values| values.copy_from_slice(&shares));
}

/// All pairs of substates, in order.
pub(crate) fn all_rows(left: usize, right: usize) -> Vec<[u16; 2]> {
    (0..left as u16).flat_map(|b| (0..right as u16).map(move |c| [b, c])).collect()
}

/// The grammar with a row for every pair of substates.
pub(crate) fn with_all_rows(grammar: &Grammar) -> Grammar {
    let fill = |block: RuleBlock| {
        let (size, right) = (grammar.size(block.parent), block.right.map_or(1, |right| grammar.size(right)));
        let rows = all_rows(grammar.size(block.left), right);
        let mut values = vec![0.0; rows.len() * size];
        for ([b, c], old) in block.rows.iter().zip(block.values.chunks_exact(size)) {
            let place = usize::from(*b) * right + usize::from(*c);
            values[place * size..(place + 1) * size].copy_from_slice(old);
        }
        RuleBlock { rows, values, ..block }
    };
    Grammar::new(grammar.sizes().to_vec(), grammar.blocks().map(fill).collect(), grammar.max_chain())
}
