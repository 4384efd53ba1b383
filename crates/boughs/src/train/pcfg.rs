//! Plain grammars: rules as likely as they are frequent in the training trees.
//!
//! The naive form reads rules off the trees as they are, and is a poor parser (Charniak 1996): it believes too much of the long rules and
//! knows too little of where a phrase stands. Binarisation that forgets (horizontal markovisation) helps against the one, names that tell the
//! parent (vertical) against the other (Johnson 1998). [`Annotations`] tell more, from what linguists know of English (Klein & Manning 2003): they are sub-symbols, and the grammar
//! without them prunes.

use super::grammar::{Annotations, GrammarScores, GrammarTrees, LexiconConfig, estimate, measure};
use crate::chart::ChartConfig;
use crate::error::Result;
use crate::model::{GrammarModel, Level};
use crate::tree::{Binarization, Tree};

/// Settings of training.
#[derive(Debug, Clone)]
pub struct PcfgConfig {
    /// How trees are binarised, and what names remember. Default: right-branching, one child and the parent.
    pub binarization: Binarization,
    /// What symbols are split by. Default: nothing.
    pub annotations: Annotations,
    /// How words are counted.
    pub lexicon: LexiconConfig,
}

impl Default for PcfgConfig {
    fn default() -> Self {
        Self {
            binarization: Binarization { horizontal: Some(1), vertical: 2, ..Binarization::default() },
            annotations: Annotations::default(),
            lexicon: LexiconConfig::default(),
        }
    }
}

/// How far the words of the sub-symbols of annotations are moved to the mean of their tag.
const WORD_SMOOTHING: f32 = 0.1;

/// Reads a grammar off trees.
///
/// # Errors
/// If there is nothing to learn from, a setting is out of its range, or the annotations are not for such trees.
pub fn train(trees: &[Tree], config: &PcfgConfig) -> Result<GrammarModel> {
    config.lexicon.check()?;
    let (how, classes) = (&config.binarization, &config.lexicon.classes);
    let trees = GrammarTrees::annotated(trees, how, classes, &config.annotations)?;
    let grammar = trees.relative_frequencies();
    let counts = trees.leaf_counts(&grammar);
    let (lexicon, _) = estimate(&trees, &grammar, &counts, &config.lexicon, WORD_SMOOTHING);
    let weights = trees.substate_counts().1.into_iter().map(|count| count as f32).collect();
    let split = trees.sizes.iter().map(|&size| vec![0; usize::from(size)]).collect();
    let splits = if config.annotations.is_empty() { Vec::new() } else { vec![split] };
    Ok(GrammarModel::new(trees.symbols, Level { grammar, lexicon, weights }, splits))
}

/// Parses the words of trees with a grammar, which tags for itself, and compares.
pub fn evaluate(model: &GrammarModel, trees: &[Tree], config: &ChartConfig) -> GrammarScores {
    measure(model, trees, config)
}
