//! Scores of words from counts.
//!
//! The naive form is c(word, tag) / c(tag). It is turned round: P(tag | word), mixed with P(tag | class of the word)
//! so that rare words may have tags that they were not seen with, divided by P(tag). What unknown words of a class
//! are, rare words of the class tell.

use serde::{Deserialize, Serialize};

use super::trees::GrammarTrees;
use crate::error::{Result, require};
use crate::model::{Grammar, GrammarLexicon, ScoreTable, Symbol, WordClasses};
use crate::train::settings::as_text;

/// How words are counted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct LexiconConfig {
    /// Words that occur at most so often stand for the unknown ones of their class. Default: 5.
    pub rare: u32,
    /// How many occurrences of a word its class counts as. Default: 0.1.
    pub class_count: f32,
    /// How many occurrences of a class all rare words together count as. Default: 1.
    pub rare_count: f32,
    /// How words are put into classes: `english`, `none`, or their text. Default: English.
    #[serde(with = "as_text")]
    pub classes: WordClasses,
}

impl Default for LexiconConfig {
    fn default() -> Self {
        Self { rare: 5, class_count: 0.1, rare_count: 1.0, classes: WordClasses::english() }
    }
}

impl LexiconConfig {
    pub(crate) fn check(&self) -> Result<()> {
        let weights = [self.class_count, self.rare_count];
        let is_sound = weights.iter().all(|weight| *weight >= 0.0 && weight.is_finite());
        require(is_sound, "weights of at least 0 for classes of words", format_args!("{weights:?}"))
    }
}

/// Numbers for each substate of the tag of each leaf, one leaf after the other.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct LeafScores {
    pub(crate) starts: Vec<u32>,
    pub(crate) values: Vec<f32>,
}

impl LeafScores {
    pub(crate) fn zeros(trees: &GrammarTrees, grammar: &Grammar) -> Self {
        let mut starts = vec![0];
        let mut end = 0;
        for leaf in &trees.leaves {
            end += grammar.size(leaf.tag) as u32;
            starts.push(end);
        }
        Self { starts, values: vec![0.0; end as usize] }
    }

    pub(crate) fn of(&self, leaf: usize) -> &[f32] {
        &self.values[self.starts[leaf] as usize..self.starts[leaf + 1] as usize]
    }
}

/// Scores of words, and of the leaves of the training trees, from how often each leaf has each substate of its tag.
/// `smoothing` is how far the scores of substates are moved to the mean of their tag.
pub(crate) fn estimate(
    trees: &GrammarTrees,
    grammar: &Grammar,
    counts: &LeafScores,
    config: &LexiconConfig,
    smoothing: f32,
) -> (GrammarLexicon, LeafScores) {
    let estimator = Estimator::new(trees, grammar, counts, config, smoothing);
    let lexicon = estimator.lexicon();
    let mut scores = LeafScores { starts: counts.starts.clone(), values: vec![0.0; counts.values.len()] };
    for (index, leaf) in trees.leaves.iter().enumerate() {
        let range = scores.starts[index] as usize..scores.starts[index + 1] as usize;
        let sums = &mut scores.values[range];
        let word = leaf.word as usize;
        let mut add = |values: &[f32], factor: f32| {
            sums.iter_mut().zip(values).for_each(|(sum, value)| *sum += factor * value);
        };
        let of_tag = |table: &ScoreTable, index: usize, add: &mut dyn FnMut(&[f32])| {
            table.get(index).filter(|(tag, _)| *tag == leaf.tag).for_each(|(_, values)| add(values));
        };
        of_tag(&lexicon.of_words, word, &mut |values| add(values, 1.0));
        let share = lexicon.class_share[word];
        of_tag(&lexicon.of_classes, leaf.class as usize, &mut |values| add(values, share));
    }
    (lexicon, scores)
}

struct Estimator<'e> {
    trees: &'e GrammarTrees,
    grammar: &'e Grammar,
    counts: &'e LeafScores,
    config: &'e LexiconConfig,
    smoothing: f32,
    /// For each substate of a tag, its part of all tokens.
    priors: Vec<f32>,
    /// For each substate of a tag, its part of the rare tokens.
    of_rare: Vec<f32>,
}

impl<'e> Estimator<'e> {
    fn new(
        trees: &'e GrammarTrees,
        grammar: &'e Grammar,
        counts: &'e LeafScores,
        config: &'e LexiconConfig,
        smoothing: f32,
    ) -> Self {
        let mut priors = vec![0.0f64; grammar.num_substates()];
        let mut of_rare = priors.clone();
        for (index, leaf) in trees.leaves.iter().enumerate() {
            let is_rare = trees.word_counts[leaf.word as usize] <= config.rare;
            for (place, &count) in grammar.substates(leaf.tag).zip(counts.of(index)) {
                priors[place] += f64::from(count);
                of_rare[place] += if is_rare { f64::from(count) } else { 0.0 };
            }
        }
        let normalize = |counts: &[f64]| {
            let total: f64 = counts.iter().sum();
            counts.iter().map(|count| if total > 0.0 { (count / total) as f32 } else { 0.0 }).collect()
        };
        Self {
            trees,
            grammar,
            counts,
            config,
            smoothing,
            of_rare: normalize(&of_rare),
            priors: normalize(&priors),
        }
    }

    fn lexicon(&self) -> GrammarLexicon {
        let weight = self.config.class_count;
        let share = |&count: &u32| weight / (count as f32 + weight).max(f32::MIN_POSITIVE);
        GrammarLexicon {
            words: self.trees.words.clone().into(),
            classes: self.trees.classes.clone(),
            classifier: self.config.classes.clone(),
            class_share: self.trees.word_counts.iter().map(share).collect(),
            of_words: self.of_words(),
            of_classes: self.of_classes(),
        }
    }

    /// Leaves are in the order of words, then of tags.
    fn of_words(&self) -> ScoreTable {
        let mut table = ScoreTable::new();
        let mut leaves = self.trees.leaves.iter().enumerate().peekable();
        for (word, &count) in (0..).zip(&self.trees.word_counts) {
            let mut scores: Vec<(Symbol, Vec<f32>)> = Vec::new();
            while let Some((index, leaf)) = leaves.next_if(|(_, leaf)| leaf.word == word) {
                let counts = self.counts.of(index);
                match scores.last_mut().filter(|(tag, _)| *tag == leaf.tag) {
                    Some((_, sums)) => sums.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count),
                    None => scores.push((leaf.tag, counts.to_vec())),
                }
            }
            let total = count as f32 + self.config.class_count;
            for (tag, values) in &mut scores {
                self.to_scores(*tag, values, total);
            }
            table.push(scores.iter().map(|(tag, values)| (*tag, &values[..])));
        }
        table
    }

    fn of_classes(&self) -> ScoreTable {
        let trees = self.trees;
        let mut sums = vec![vec![0.0f32; 0]; trees.classes.len()];
        let mut totals = vec![0.0f32; trees.classes.len()];
        let num_tags = trees.symbols.num_tags();
        let num_substates = self.grammar.substates(Symbol(num_tags as u16 - 1)).end;
        for (index, leaf) in trees.leaves.iter().enumerate() {
            if trees.word_counts[leaf.word as usize] > self.config.rare {
                continue;
            }
            let class = leaf.class as usize;
            sums[class].resize(num_substates, 0.0);
            for (place, &count) in self.grammar.substates(leaf.tag).zip(self.counts.of(index)) {
                sums[class][place] += count;
                totals[class] += count;
            }
        }
        let mut table = ScoreTable::new();
        for (mut sums, total) in sums.into_iter().zip(totals) {
            sums.resize(num_substates, 0.0);
            let weight = if total > 0.0 { self.config.rare_count } else { 1.0 };
            sums.iter_mut().zip(&self.of_rare).for_each(|(sum, rare)| *sum += weight * rare);
            let mut scores = Vec::new();
            for tag in (0..num_tags as u16).map(Symbol) {
                let range = self.grammar.substates(tag);
                if sums[range.clone()].iter().any(|&sum| sum > 0.0) {
                    self.to_scores(tag, &mut sums[range.clone()], total + weight);
                    scores.push((tag, range));
                }
            }
            table.push(scores.into_iter().map(|(tag, range)| (tag, &sums[range])));
        }
        table
    }

    /// Counts of substates become P(substate | word) / P(substate).
    fn to_scores(&self, tag: Symbol, values: &mut [f32], total: f32) {
        for (value, &prior) in values.iter_mut().zip(&self.priors[self.grammar.substates(tag)]) {
            *value = if prior > 0.0 { *value / (total * prior) } else { 0.0 };
        }
        smooth(values, self.smoothing);
    }
}

/// Moves numbers towards their mean.
fn smooth(values: &mut [f32], smoothing: f32) {
    let mean = values.iter().sum::<f32>() / values.len() as f32;
    values.iter_mut().for_each(|value| *value = (1.0 - smoothing) * *value + smoothing * mean);
}
