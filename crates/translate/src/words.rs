//! The choice of words alone, by several learners on the same examples: the paper's comparison of penalties.
//!
//! An l2 penalty makes weights small, an l1 penalty makes most of them nothing. To compare models of the same size,
//! the l2 model is cut to its heaviest weights, as many as the l1 model has compound features. Whether biases are
//! among what is counted and cut can be read both ways, so both are there.

use super::examples::{AlignedPair, ChoiceExamples};
use super::lexicon::{BilingualLexicon, CandidateFilter};
use super::problem::LocalNumbers;
use super::transducer::{Costs, NUM_ORDERS, PAIRS_OF_SHARD, Transducer};
use crate::align::first_best;
use crate::eval::wilcoxon;
use boughs::error::Result;
use boughs_learn::logistic::{Labels, Logistic, LogisticConfig};
use boughs_learn::model::{DecisionTree, Linear};
use boughs_learn::shards::{Chunks, reduce};
use boughs_learn::vocab::Vocab;

/// The learners that are compared, in order.
pub const WORD_LEARNERS: [&str; 5] =
    ["most frequent", "l1 boosted trees", "l2 logistic", "l2 logistic, cut", "l2 logistic, biases cut too"];

/// How a learner does on the words of held-out pairs.
#[derive(Debug, Clone, PartialEq)]
pub struct WordAccuracy {
    /// The learner, one of [`WORD_LEARNERS`].
    pub name: &'static str,
    /// Weights, or leaves, that are not zero.
    pub num_active: usize,
    /// Words whose translation, or being left out, was predicted as the links have it.
    pub num_right: usize,
    /// The same, by pair.
    pub right_by_pair: Vec<u32>,
    /// The probability of such a difference from the l1 model if there were none, by signed ranks of the pairs' numbers
    /// of right words.
    pub p: f64,
}

/// What [`compare_words`] finds.
#[derive(Debug, Clone, PartialEq)]
pub struct WordComparison {
    /// The words of the held-out pairs.
    pub num_words: usize,
    /// The weight of the l2 penalty.
    pub l2: f64,
    /// Those of [`WORD_LEARNERS`]: l2 is cut to the size of l1, without its biases and with them.
    pub learners: Vec<WordAccuracy>,
}

/// Weights of the l2 penalty that are tried, if none is given.
pub const L2_WEIGHTS: [f64; 5] = [0.1, 0.3, 1.0, 3.0, 10.0];

/// Compares a transducer of boosted classifiers with l2-penalised logistic regression on the words of held-out pairs.
/// Both learned from the same pairs with the same candidates. `l2` is the weight of the penalty; without it, that of
/// [`L2_WEIGHTS`] is taken which has most words of the development pairs right, as their penalty is chosen by such
/// pairs (the first of equals).
///
/// # Errors
/// If a setting is out of its range.
pub fn compare_words(
    [pairs, dev, held_out]: [&[AlignedPair]; 3],
    transducer: &Transducer,
    candidates: &CandidateFilter,
    l2: Option<f64>,
) -> Result<WordComparison> {
    let num_active = num_active(transducer);
    let data = WordData::new(pairs, candidates);
    let l2 = match l2 {
        Some(l2) => l2,
        None => {
            let right = |&l2: &f64| Ok(data.fit(l2)?.right(dev, 0.0, 0.0).iter().sum::<u32>().into());
            L2_WEIGHTS[first_best(L2_WEIGHTS.iter().map(right).collect::<Result<Vec<f64>>>()?).0]
        }
    };
    let fitted = data.fit(l2)?;
    let models = &fitted.models;
    let cut = |weights: f64, biases: f64| fitted.right(held_out, weights, biases);
    let l1 = transduced_by_pair(transducer, held_out);
    let [weights, biased] = [false, true].map(|with_biases| heaviest(models, num_active, with_biases));
    let num_weights: usize = models.iter().flatten().map(|fitted| fitted.model.num_weights()).sum();
    let num_cut = num_active.min(num_weights);
    let accuracy = |(name, (num_active, right)): (&'static str, (usize, Vec<u32>))| {
        let differences = right.iter().zip(&l1).map(|(&one, &other)| f64::from(one) - f64::from(other));
        let p = wilcoxon(&differences.collect::<Vec<f64>>()).p;
        let num_right = right.iter().map(|&right| right as usize).sum();
        WordAccuracy { name, num_active, num_right, right_by_pair: right, p }
    };
    let found = [
        (0, cut(f64::INFINITY, f64::INFINITY)),
        (num_active, l1.clone()),
        (num_weights, cut(0.0, 0.0)),
        (num_cut, cut(weights, 0.0)),
        (num_cut, cut(biased, biased)),
    ];
    let learners = WORD_LEARNERS.into_iter().zip(found).map(accuracy).collect();
    let num_words = held_out.iter().map(|pair| pair.tree.num_tokens()).sum();
    Ok(WordComparison { num_words, l2, learners })
}

/// The examples that learners of words see.
struct WordData {
    lexicon: BilingualLexicon,
    features: Vocab,
    examples: ChoiceExamples,
    /// By source word.
    rows: Vec<(u32, Vec<u32>)>,
}

/// Logistic regression for each source word.
struct WordModels<'d> {
    data: &'d WordData,
    models: Vec<Option<Fitted>>,
}

impl WordData {
    fn new(pairs: &[AlignedPair], candidates: &CandidateFilter) -> Self {
        let lexicon = BilingualLexicon::new(pairs, candidates);
        let mut features = Vocab::new();
        let examples = ChoiceExamples::new(pairs, &lexicon, |name| Some(features.intern(name)));
        let rows = (0u32..).zip(examples.by_source(&lexicon)).collect();
        Self { lexicon, features, examples, rows }
    }

    fn fit(&self, l2: f64) -> Result<WordModels<'_>> {
        let settings = LogisticConfig { l2, ..LogisticConfig::default() };
        let fit = |of_word: &[(u32, Vec<u32>)]| {
            fit(&self.lexicon, &self.examples, of_word[0].0, &of_word[0].1, &settings)
        };
        let mut models = Vec::new();
        reduce(&Chunks { items: &self.rows, size: 1, compute: fit }, &(), |fitted| models.push(fitted));
        Ok(WordModels { data: self, models: models.into_iter().collect::<Result<_>>()? })
    }
}

impl WordModels<'_> {
    /// How many words of each pair are right if weights and biases below these sizes are cut.
    fn right(&self, pairs: &[AlignedPair], weights: f64, biases: f64) -> Vec<u32> {
        let WordData { lexicon, features, .. } = self.data;
        let tested = ChoiceExamples::new(pairs, lexicon, |name| features.get(name));
        let is_right = |row: usize| {
            let (Some(source), Some(target)) = tested.words[row] else { return false };
            let fitted = self.models[source as usize].as_ref();
            let class =
                fitted.map(|fitted| fitted.class(tested.word_rows.get(row), Kept { weights, biases }));
            lexicon.of(source)[class.unwrap_or(0)] == target
        };
        let mut rows = 0..tested.words.len();
        let right = |pair: &AlignedPair| {
            rows.by_ref().take(pair.tree.num_tokens()).filter(|&row| is_right(row)).count() as u32
        };
        pairs.iter().map(right).collect()
    }
}

/// The classifier of a source word's candidates.
struct Fitted {
    model: Linear,
    numbers: LocalNumbers,
}

/// The least sizes of weights and biases that count.
#[derive(Debug, Clone, Copy)]
struct Kept {
    weights: f64,
    biases: f64,
}

fn fit(
    lexicon: &BilingualLexicon,
    examples: &ChoiceExamples,
    source: u32,
    rows: &[u32],
    settings: &LogisticConfig,
) -> Result<Option<Fitted>> {
    let num_candidates = lexicon.of(source).len();
    if num_candidates < 2 {
        return Ok(None);
    }
    let numbers = LocalNumbers::new(&examples.word_rows, rows, 1);
    let class = |&row: &u32| examples.candidate(lexicon, source, row);
    let labels = Labels::new(rows.iter().map(class).collect(), num_candidates as u32)?;
    let model = Logistic::fit(&numbers.dataset(&examples.word_rows, rows)?, &labels, settings)?;
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

impl Fitted {
    /// The best candidate; of equals the more frequent one.
    fn class(&self, active: &[u32], kept: Kept) -> usize {
        let mut active = active.to_vec();
        active.sort_unstable();
        active.dedup();
        let cut = |value: f64, least: f64| if value.abs() >= least { value } else { 0.0 };
        let mut scores: Vec<f64> = self.model.bias().iter().map(|&bias| cut(bias, kept.biases)).collect();
        for feature in self.numbers.of(&active) {
            for (class, weight) in self.model.weights(feature) {
                scores[class as usize] += cut(weight, kept.weights);
            }
        }
        first_best(scores).0
    }
}

/// Leaves of the classifiers of words that are not zero: compound features.
fn num_active(transducer: &Transducer) -> usize {
    let Costs::Classifiers(classifiers) = &transducer.costs else { return 0 };
    let of_words = &classifiers.forest.classifiers()[NUM_ORDERS..];
    of_words.iter().flat_map(|one| one.ensemble.trees()).map(DecisionTree::num_active).sum()
}

/// How many words of each pair a transducer predicts as the links have them.
fn transduced_by_pair(transducer: &Transducer, pairs: &[AlignedPair]) -> Vec<u32> {
    let count = |pair: &AlignedPair| {
        let best = transducer.worker().translate(&pair.tree, 1).swap_remove(0);
        let mut found = vec![None; pair.tree.num_tokens()];
        for (word, &source) in best.words.iter().zip(&best.sources) {
            found[source as usize] = Some(word.as_str());
        }
        pair.words().zip(found).filter(|((_, gold), found)| gold == found).count() as u32
    };
    let mut counts = Vec::new();
    let compute = |pairs: &[AlignedPair]| pairs.iter().map(count).collect::<Vec<u32>>();
    reduce(&Chunks { items: pairs, size: PAIRS_OF_SHARD, compute }, &(), |shard| counts.extend(shard));
    counts
}

#[cfg(test)]
mod tests {
    use super::super::examples::tests::pair;
    use super::*;
    use crate::discriminative::DiscriminativeConfig;
    use crate::testing::train;

    #[test]
    fn learners_see_the_context_and_frequency_does_not() {
        let mut pairs = vec![pair("(NP (NN money) (NN bank))", "monnaie banque", "0-0 1-1"); 6];
        pairs.extend(vec![pair("(NP (NN river) (NN bank))", "fleuve rive", "0-0 1-1"); 5]);
        let mut config = DiscriminativeConfig::default();
        config.words.final_penalty = 0.5;
        let transducer = train(&config, &pairs[..], Some(&pairs)).model;
        let found = compare_words([&pairs; 3], &transducer, &config.candidates, Some(1.0)).unwrap();
        let right: Vec<usize> = found.learners.iter().map(|learner| learner.num_right).collect();
        assert_eq!((found.num_words, &right[..3]), (22, &[17, 22, 22][..]));
        for cut in &found.learners[3..] {
            assert!(cut.num_active <= found.learners[1].num_active, "cut to the size of the other");
        }
        let p: Vec<f64> = found.learners[..3].iter().map(|learner| learner.p).collect();
        assert_eq!(p, [0.0625, 1.0, 1.0], "five pairs with one word more, each for the same side");
    }

    /// Six pairs say one thing and one the other: a heavy penalty keeps the rare sign from being learned.
    #[test]
    fn the_weight_of_l2_is_chosen_by_development_pairs() {
        let usual = pair("(NP (NN money) (NN bank))", "monnaie banque", "0-0 1-1");
        let rare = pair("(NP (NN river) (NN bank))", "fleuve rive", "0-0 1-1");
        let pairs = [vec![usual.clone(); 6], vec![rare.clone(); 2]].concat();
        let config = DiscriminativeConfig::default();
        let transducer = train(&config, &pairs[..], None).model;
        for dev in [&[usual][..], &[rare]] {
            let right = |l2: Option<f64>| {
                let found = compare_words([&pairs, dev, dev], &transducer, &config.candidates, l2).unwrap();
                (found.learners[2].num_right, found.l2)
            };
            let best = L2_WEIGHTS.map(|l2| right(Some(l2)).0).into_iter().max().unwrap();
            let first = L2_WEIGHTS.into_iter().find(|&l2| right(Some(l2)).0 == best).unwrap();
            assert_eq!(right(None), (best, first));
        }
    }
}
