//! The choice of words alone, by several learners on the same examples: the paper's comparison of penalties.
//!
//! An l2 penalty makes weights small, an l1 penalty makes most of them nothing. To compare models of the same size, the l2 model is
//! cut to its heaviest weights, as many as the l1 model has compound features.

use rayon::prelude::*;

use super::context::Context;
use super::examples::{AlignedPair, Examples, Numbering};
use super::lexicon::Lexicon;
use super::problem::{Rows, best_class};
use super::search::SearchLimits;
use super::train::TrainConfig;
use super::transducer::Transducer;
use crate::error::Result;
use crate::learn::logistic::{Labels, Logistic, LogisticConfig};
use crate::model::Linear;
use crate::tree::heads::HeadRules;
use crate::vocab::Vocab;

/// How a learner does on the words of held-out pairs.
#[derive(Debug, Clone, PartialEq)]
pub struct WordAccuracy {
    /// The learner.
    pub name: &'static str,
    /// Weights, or leaves, that are not zero.
    pub num_active: usize,
    /// Words whose translation, or being left out, was predicted as the links have it.
    pub num_right: usize,
}

/// What [`compare_words`] finds.
#[derive(Debug, Clone, PartialEq)]
pub struct WordComparison {
    /// The words of the held-out pairs.
    pub num_words: usize,
    /// The most frequent translation, l1, l2, and l2 cut to the size of l1.
    pub learners: Vec<WordAccuracy>,
}

/// Compares a transducer with l2-penalised logistic regression on the words of held-out pairs. `l2` is the weight of that penalty.
///
/// # Errors
/// If a setting is out of its range.
pub fn compare_words(
    pairs: &[AlignedPair],
    held_out: &[AlignedPair],
    (transducer, num_active): (&Transducer, usize),
    config: &TrainConfig,
    l2: f64,
) -> Result<WordComparison> {
    let rules = HeadRules::english();
    let lexicon = Lexicon::new(pairs, &config.candidates);
    let mut features = Vocab::new();
    let examples = Examples::new(pairs, &lexicon, &rules, &mut Numbering::Growing(&mut features));
    let tested = Examples::new(held_out, &lexicon, &rules, &mut Numbering::Fixed(&features));
    let settings = LogisticConfig { l2, ..LogisticConfig::default() };
    let rows = examples.by_source(&lexicon);
    let fit = |source: u32| fit(&lexicon, &examples, &rows[source as usize], source, &settings);
    let models: Vec<Option<Fitted>> =
        (0..lexicon.num_words() as u32).into_par_iter().map(fit).collect::<Result<_>>()?;
    let whole = Accuracy { lexicon: &lexicon, tested: &tested, models: &models };
    let num_weights = models.iter().flatten().map(|fitted| fitted.model.num_weights()).sum();
    let threshold = heaviest(&models, num_active);
    let row = |name, num_active, num_right| WordAccuracy { name, num_active, num_right };
    Ok(WordComparison {
        num_words: tested.words.len(),
        learners: vec![
            row("most frequent", 0, whole.count(f64::INFINITY)),
            row("l1 boosted trees", num_active, count_transduced(transducer, held_out)),
            row("l2 logistic", num_weights, whole.count(0.0)),
            row("l2 logistic, cut", num_active.min(num_weights), whole.count(threshold)),
        ],
    })
}

/// The classifier of a source word's candidates.
struct Fitted {
    model: Linear,
    /// The features' own numbers, sorted, with the model's.
    numbers: Vec<(u32, u32)>,
}

fn fit(
    lexicon: &Lexicon,
    examples: &Examples,
    rows: &[u32],
    source: u32,
    settings: &LogisticConfig,
) -> Result<Option<Fitted>> {
    let candidates = lexicon.of(source);
    if candidates.len() < 2 {
        return Ok(None);
    }
    let numbered = Rows::new(&examples.word_rows, rows, 1);
    let class = |&row: &u32| examples.candidate(lexicon, source, row);
    let labels = Labels::new(rows.iter().map(class).collect(), candidates.len() as u32)?;
    let model = Logistic::fit(&numbered.dataset()?, &labels, settings)?;
    let mut numbers: Vec<(u32, u32)> = numbered.originals.iter().copied().zip(0u32..).collect();
    numbers.sort_unstable();
    Ok(Some(Fitted { model, numbers }))
}

/// The size of the lightest of so many heaviest weights.
fn heaviest(models: &[Option<Fitted>], num_kept: usize) -> f64 {
    let mut sizes: Vec<f64> = models
        .iter()
        .flatten()
        .flat_map(|fitted| {
            (0..fitted.model.num_features() as u32).flat_map(|feature| fitted.model.weights(feature))
        })
        .map(|(_, weight)| weight.abs())
        .collect();
    sizes.sort_unstable_by(|one, other| other.total_cmp(one));
    num_kept.checked_sub(1).map_or(f64::INFINITY, |last| sizes.get(last).copied().unwrap_or(0.0))
}

struct Accuracy<'a> {
    lexicon: &'a Lexicon,
    tested: &'a Examples,
    models: &'a [Option<Fitted>],
}

impl Accuracy<'_> {
    /// How many words are predicted right by weights of at least this size; biases always count.
    fn count(&self, threshold: f64) -> usize {
        let is_right = |&(row, &(source, target)): &(usize, &(Option<u32>, Option<u32>))| {
            let (Some(source), Some(target)) = (source, target) else { return false };
            let candidates = self.lexicon.of(source);
            let class = match &self.models[source as usize] {
                Some(fitted) if threshold.is_finite() => {
                    fitted.class(self.tested.word_rows.get(row), threshold)
                }
                _ => 0,
            };
            candidates[class] == target
        };
        self.tested.words.iter().enumerate().filter(is_right).count()
    }
}

impl Fitted {
    fn class(&self, active: &[u32], threshold: f64) -> usize {
        let mut active = active.to_vec();
        active.sort_unstable();
        active.dedup();
        let mut scores = self.model.bias().to_vec();
        for feature in active {
            if let Ok(place) = self.numbers.binary_search_by_key(&feature, |&(original, _)| original) {
                for (class, weight) in self.model.weights(self.numbers[place].1) {
                    scores[class as usize] += if weight.abs() >= threshold { weight } else { 0.0 };
                }
            }
        }
        best_class(scores)
    }
}

/// How many words a transducer predicts as the links have them.
fn count_transduced(transducer: &Transducer, pairs: &[AlignedPair]) -> usize {
    let count = |pair: &AlignedPair| {
        let mut worker = transducer.worker(SearchLimits::default());
        let context = Context::new(&pair.tree, &transducer.rules);
        let best = worker.translate(context.tree(), 1).swap_remove(0);
        let mut found = vec![None; pair.tree.num_tokens()];
        for (word, &source) in best.words.iter().zip(&best.sources) {
            found[source as usize] = Some(word.as_str());
        }
        pair.words().zip(found).filter(|((_, gold), found)| gold == found).count()
    };
    pairs.par_iter().map(count).sum()
}

#[cfg(test)]
mod tests {
    use super::super::examples::tests::pair;
    use super::super::train::train;
    use super::*;

    #[test]
    fn learners_see_the_context_and_frequency_does_not() {
        let mut pairs = vec![pair("(NP (NN money) (NN bank))", "monnaie banque", "0-0 1-1"); 6];
        pairs.extend(vec![pair("(NP (NN river) (NN bank))", "fleuve rive", "0-0 1-1"); 5]);
        let mut config = TrainConfig::default();
        config.words.final_penalty = 0.5;
        let (transducer, report) = train(&pairs, &pairs, &config, |_, _| {}).unwrap();
        let active = report.num_active[0];
        let found = compare_words(&pairs, &pairs, (&transducer, active), &config, 1.0).unwrap();
        let right: Vec<usize> = found.learners.iter().map(|learner| learner.num_right).collect();
        assert_eq!((found.num_words, &right[..3]), (22, &[17, 22, 22][..]));
        assert!(found.learners[3].num_active <= active);
    }
}
