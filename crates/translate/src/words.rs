//! The choice of words alone, by several learners on the same examples: the paper's comparison of penalties.
//!
//! An l2 penalty makes weights small, an l1 penalty makes most of them nothing. To compare models of the same size, the l2 model is
//! cut to its heaviest weights, as many as the l1 model has compound features. Whether biases are among what is counted and cut can be read
//! both ways, so both are there.

use rayon::prelude::*;

use super::context::Context;
use super::examples::{AlignedPair, Examples, Numbering};
use super::lexicon::Lexicon;
use super::problem::{Rows, best_class};
use super::search::SearchLimits;
use super::train::TrainConfig;
use super::transducer::Transducer;
use crate::eval::wilcoxon;
use boughs::error::Result;
use boughs::tree::heads::HeadRules;
use boughs_learn::logistic::{Labels, Logistic, LogisticConfig};
use boughs_learn::model::Linear;
use boughs_learn::vocab::Vocab;

/// How a learner does on the words of held-out pairs.
#[derive(Debug, Clone, PartialEq)]
pub struct WordAccuracy {
    /// The learner.
    pub name: &'static str,
    /// Weights, or leaves, that are not zero.
    pub num_active: usize,
    /// Words whose translation, or being left out, was predicted as the links have it.
    pub num_right: usize,
    /// The probability of such a difference from the l1 model if there were none, by signed ranks of the pairs' numbers of right words.
    pub p: f64,
}

/// What [`compare_words`] finds.
#[derive(Debug, Clone, PartialEq)]
pub struct WordComparison {
    /// The words of the held-out pairs.
    pub num_words: usize,
    /// The most frequent translation, l1, l2, l2 cut to the size of l1, and l2 cut so that biases count and fall as weights do.
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
    let cut = |kept: Kept| {
        let accuracy = Accuracy { lexicon: &lexicon, tested: &tested, models: &models, kept };
        accuracy.right_by_pair(held_out)
    };
    let num_weights: usize = models.iter().flatten().map(|fitted| fitted.model.num_weights()).sum();
    let [weights, biased] = [false, true].map(|with_biases| heaviest(&models, num_active, with_biases));
    let nothing = Kept { weights: f64::INFINITY, biases: f64::INFINITY };
    let rows = [
        ("most frequent", 0, cut(nothing)),
        ("l1 boosted trees", num_active, transduced_by_pair(transducer, held_out)),
        ("l2 logistic", num_weights, cut(Kept { weights: 0.0, biases: 0.0 })),
        ("l2 logistic, cut", num_active.min(num_weights), cut(Kept { weights, biases: 0.0 })),
        (
            "l2 logistic, biases cut too",
            num_active.min(num_weights),
            cut(Kept { weights: biased, biases: biased }),
        ),
    ];
    let [_, (_, _, l1), ..] = &rows;
    let row = |(name, num_active, right): &(&'static str, usize, Vec<u32>)| WordAccuracy {
        name,
        num_active: *num_active,
        num_right: right.iter().map(|&right| right as usize).sum(),
        p: wilcoxon(&differences(right, l1)).p,
    };
    Ok(WordComparison { num_words: tested.words.len(), learners: rows.iter().map(row).collect() })
}

fn differences(one: &[u32], other: &[u32]) -> Vec<f64> {
    one.iter().zip(other).map(|(&one, &other)| f64::from(one) - f64::from(other)).collect()
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

/// The size of the lightest of so many heaviest weights, biases included or not.
fn heaviest(models: &[Option<Fitted>], num_kept: usize, with_biases: bool) -> f64 {
    let mut sizes: Vec<f64> = Vec::new();
    for Fitted { model, .. } in models.iter().flatten() {
        let weights = (0..model.num_features() as u32).flat_map(|feature| model.weights(feature));
        sizes.extend(weights.map(|(_, weight)| weight.abs()));
        if with_biases {
            sizes.extend(model.bias().iter().map(|bias| bias.abs()));
        }
    }
    sizes.sort_unstable_by(|one, other| other.total_cmp(one));
    num_kept.checked_sub(1).map_or(f64::INFINITY, |last| sizes.get(last).copied().unwrap_or(0.0))
}

/// The least sizes of weights and biases that count.
#[derive(Debug, Clone, Copy)]
struct Kept {
    weights: f64,
    biases: f64,
}

struct Accuracy<'a> {
    lexicon: &'a Lexicon,
    tested: &'a Examples,
    models: &'a [Option<Fitted>],
    kept: Kept,
}

impl Accuracy<'_> {
    /// How many words of each pair are predicted right.
    fn right_by_pair(&self, pairs: &[AlignedPair]) -> Vec<u32> {
        let mut rows = 0..self.tested.words.len();
        let right = |pair: &AlignedPair| {
            rows.by_ref().take(pair.tree.num_tokens()).filter(|&row| self.is_right(row)).count() as u32
        };
        pairs.iter().map(right).collect()
    }

    fn is_right(&self, row: usize) -> bool {
        let (Some(source), Some(target)) = self.tested.words[row] else { return false };
        let class = match &self.models[source as usize] {
            Some(fitted) => fitted.class(self.tested.word_rows.get(row), self.kept),
            None => 0,
        };
        self.lexicon.of(source)[class] == target
    }
}

impl Fitted {
    /// The best candidate; of equals the more frequent one.
    fn class(&self, active: &[u32], kept: Kept) -> usize {
        let mut active = active.to_vec();
        active.sort_unstable();
        active.dedup();
        let cut = |value: f64, least: f64| if value.abs() >= least { value } else { 0.0 };
        let mut scores: Vec<f64> = self.model.bias().iter().map(|&bias| cut(bias, kept.biases)).collect();
        for feature in active {
            if let Ok(place) = self.numbers.binary_search_by_key(&feature, |&(original, _)| original) {
                for (class, weight) in self.model.weights(self.numbers[place].1) {
                    scores[class as usize] += cut(weight, kept.weights);
                }
            }
        }
        best_class(scores)
    }
}

/// How many words of each pair a transducer predicts as the links have them.
fn transduced_by_pair(transducer: &Transducer, pairs: &[AlignedPair]) -> Vec<u32> {
    let count = |pair: &AlignedPair| {
        let mut worker = transducer.worker(SearchLimits::default());
        let context = Context::new(&pair.tree, &transducer.rules);
        let best = worker.translate(context.tree(), 1).swap_remove(0);
        let mut found = vec![None; pair.tree.num_tokens()];
        for (word, &source) in best.words.iter().zip(&best.sources) {
            found[source as usize] = Some(word.as_str());
        }
        pair.words().zip(found).filter(|((_, gold), found)| gold == found).count() as u32
    };
    pairs.par_iter().map(count).collect()
}

#[cfg(test)]
mod tests {
    use super::super::examples::tests::pair;
    use super::*;
    use crate::train::train;

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
        for cut in &found.learners[3..] {
            assert!(cut.num_active <= found.learners[1].num_active, "cut to the size of the other");
        }
        let p: Vec<f64> = found.learners[..3].iter().map(|learner| learner.p).collect();
        assert_eq!(p, [0.0625, 1.0, 1.0], "five pairs with one word more, each for the same side");
    }
}
