//! Plain grammars: rules as likely as they are frequent in the training trees.
//!
//! The naive form reads rules off the trees as they are, and is a poor parser (Charniak 1996): it believes too much of the long rules and
//! knows too little of where a phrase stands. Binarisation that forgets (horizontal markovisation) helps against the one, names that tell the
//! parent (vertical) against the other (Johnson 1998, Klein & Manning 2003).

use super::grammar::{GrammarScores, GrammarTrees, LeafScores, LexiconConfig, NodeKind, estimate, measure};
use crate::chart::ChartConfig;
use crate::error::Result;
use crate::model::{GrammarModel, Level};
use crate::tree::{Binarization, Tree};

/// Settings of training.
#[derive(Debug, Clone)]
pub struct PcfgConfig {
    /// How trees are binarised, and what names remember. Default: right-branching, one child and the parent.
    pub binarization: Binarization,
    /// How words are counted.
    pub lexicon: LexiconConfig,
}

impl Default for PcfgConfig {
    fn default() -> Self {
        Self {
            binarization: Binarization { horizontal: Some(1), vertical: 2, ..Binarization::default() },
            lexicon: LexiconConfig::default(),
        }
    }
}

/// Reads a grammar off trees.
///
/// # Errors
/// If there is nothing to learn from, or a setting is out of its range.
pub fn train(trees: &[Tree], config: &PcfgConfig) -> Result<GrammarModel> {
    config.lexicon.check()?;
    let trees = GrammarTrees::new(trees, &config.binarization, &config.lexicon.classes)?;
    let grammar = trees.relative_frequencies();
    let mut counts = LeafScores::zeros(&trees, &grammar);
    for node in &trees.nodes {
        if let NodeKind::Leaf { leaf } = node.kind {
            counts.values[leaf as usize] += 1.0;
        }
    }
    let (lexicon, _) = estimate(&trees, &grammar, &counts, &config.lexicon, 0.0);
    let weights = trees.symbol_counts().into_iter().map(|count| count as f32).collect();
    Ok(GrammarModel::new(trees.symbols, Level { grammar, lexicon, weights }, Vec::new()))
}

/// Parses the words of trees with a grammar, which tags for itself, and compares.
pub fn evaluate(model: &GrammarModel, trees: &[Tree], config: &ChartConfig) -> GrammarScores {
    measure(model, trees, config)
}
