//! Learning token by token: stochastic gradient descent whose steps AdaGrad adapts to each weight, with an L1 penalty.
//!
//! The naive form computes the probabilities of all tags for a token, and moves every weight of its features by a
//! step along the gradient. AdaGrad divides the step by the root of the sum of the weight's squared gradients so far,
//! so that rare features still learn when frequent ones have settled. The penalty moves every weight towards 0 at
//! every step; since nearly all weights rest at nearly all steps, a weight catches up on it when it is next used.
//!
//! Leaving features out at random keeps the words themselves from explaining everything: words that were not seen
//! must be tagged by their ends and neighbours. Averaging the weights over all steps, as for perceptrons, gained 0.05
//! at most on gum and wsj, and was left out.

use serde::{Deserialize, Serialize};

use super::corpus::{Corpus, CorpusSentence};
use super::pairs::TagPairs;
use super::{Feature, TaggerProgress, too_large};
use crate::error::Result;
use crate::rng::Rng;
use crate::tagger::templates::TagHistory;
use crate::tagger::{OnlineConfig, TagId};

/// A gradient nearer to 0 is taken for 0: most tags of most tokens.
const NEGLIGIBLE: f32 = 1e-3;

/// Keeps the first division by the root of squared gradients from being one by nearly 0.
const DAMPING: f32 = 1e-3;

pub(super) struct OnlineLearner {
    config: OnlineConfig,
    pairs: TagPairs,
    /// The penalty for a step.
    penalty: f32,
    pub(super) state: OnlineState,
    keys: Vec<u64>,
    features: Vec<u32>,
    scores: Vec<f32>,
    /// The tags whose gradient is not 0: few, and most features of a token are frequent and meet all tags.
    moved: Vec<usize>,
}

/// What changes from pass to pass.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct OnlineState {
    weights: Vec<Weight>,
    /// The passes that are done.
    pass: u32,
    /// The number of tokens learned from.
    step: u32,
    rng: Rng,
    /// The order of the sentences in the last pass.
    order: Vec<usize>,
}

impl OnlineState {
    /// Whether this may take the place of another in a run.
    pub(super) fn fits(&self, other: &Self) -> bool {
        let mut order = self.order.clone();
        order.sort_unstable();
        self.weights.len() == other.weights.len() && order.into_iter().eq(0..other.order.len())
    }
}

/// A weight and what AdaGrad must remember of it.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
struct Weight {
    value: f32,
    /// The sum of its squared gradients.
    squares: f32,
    /// The step up to which its penalty is paid.
    paid: u32,
}

impl Weight {
    /// A step along a gradient, and the penalty of all steps since the last.
    fn update(&mut self, gradient: f32, rate: f32, penalty: f32, step: u32) {
        self.squares += gradient * gradient;
        let rate = rate / (self.squares.sqrt() + DAMPING);
        let owed = penalty * (step - self.paid) as f32;
        self.value = soft_threshold(self.value - rate * gradient, rate * owed);
        self.paid = step;
    }
}

/// The number moved towards 0 by an amount, and not beyond.
fn soft_threshold(value: f32, amount: f32) -> f32 {
    value.signum() * (value.abs() - amount).max(0.0)
}

impl OnlineLearner {
    pub(super) fn new(corpus: &Corpus, config: &OnlineConfig, seed: u64) -> Result<Self> {
        let num_steps = u64::from(config.passes).checked_mul(corpus.num_tokens() as u64);
        num_steps.and_then(|steps| u32::try_from(steps).ok()).ok_or_else(|| too_large("words"))?;
        let pairs = TagPairs::new(corpus)?;
        Ok(Self {
            config: config.clone(),
            penalty: (config.l1 / corpus.num_tokens() as f64) as f32,
            state: OnlineState {
                weights: vec![Weight::default(); pairs.len()],
                pass: 0,
                step: 0,
                rng: Rng::new(seed),
                order: (0..corpus.sentences.len()).collect(),
            },
            pairs,
            keys: Vec::new(),
            features: Vec::new(),
            scores: Vec::new(),
            moved: Vec::new(),
        })
    }

    /// One pass over the data; nothing if all are done.
    pub(super) fn step(&mut self, corpus: &Corpus) -> Option<TaggerProgress> {
        if self.state.pass >= self.config.passes {
            return None;
        }
        self.state.pass += 1;
        let mut order = std::mem::take(&mut self.state.order);
        self.state.rng.shuffle(&mut order);
        let loss: f64 = order.iter().map(|&index| self.learn(corpus, &corpus.sentences[index])).sum();
        self.state.order = order;
        Some(TaggerProgress {
            pass: self.state.pass.into(),
            max_passes: self.config.passes.into(),
            loss: loss / corpus.num_tokens() as f64,
        })
    }

    /// The weights when all penalties are paid.
    pub(super) fn features(&self, corpus: &Corpus) -> Vec<Feature> {
        let paid = |weight: &Weight| {
            let mut weight = *weight;
            weight.update(0.0, self.config.rate, self.penalty, self.state.step);
            weight.value
        };
        let weights: Vec<f32> = self.state.weights.iter().map(paid).collect();
        self.pairs.features(&corpus.features.keys, &weights)
    }

    /// Learns from the tokens of a sentence and returns the sum of their losses.
    fn learn(&mut self, corpus: &Corpus, sentence: &CorpusSentence) -> f64 {
        let mut history = TagHistory::START;
        let mut loss = 0.0;
        for (token, &gold) in sentence.gold.iter().enumerate() {
            self.state.step += 1;
            let candidates = corpus.candidates(sentence, token);
            if let &[only] = candidates {
                history = history.then(only);
                continue;
            }
            self.find_features(corpus, sentence, token, history);
            self.score(corpus.tags.len());
            let predicted = self.best(candidates);
            loss += f64::from(to_gradients(&mut self.scores, candidates, gold));
            self.update();
            history = history.then(predicted);
        }
        loss
    }

    /// The features of a token, some of them left out.
    fn find_features(
        &mut self,
        corpus: &Corpus,
        sentence: &CorpusSentence,
        token: usize,
        history: TagHistory,
    ) {
        self.features.clear();
        self.features.extend_from_slice(sentence.word_features(token));
        corpus.add_history_features(sentence, token, history, &mut self.keys, &mut self.features);
        let (rng, dropout) = (&mut self.state.rng, self.config.dropout);
        if dropout > 0.0 {
            self.features.retain(|_| rng.unit() >= dropout);
        }
    }

    fn score(&mut self, num_tags: usize) {
        self.scores.clear();
        self.scores.resize(num_tags, 0.0);
        for &feature in &self.features {
            let range = self.pairs.range(feature);
            if range.len() == num_tags {
                // It meets all tags, in order: nothing to look up.
                let weights = &self.state.weights[range];
                self.scores.iter_mut().zip(weights).for_each(|(score, weight)| *score += weight.value);
                continue;
            }
            for (tag, weight) in self.pairs.tags[range.clone()].iter().zip(&self.state.weights[range]) {
                self.scores[tag.index()] += weight.value;
            }
        }
    }

    /// The candidate of the highest score; the first of several.
    fn best(&self, candidates: &[TagId]) -> TagId {
        let score = |tag: TagId| self.scores[tag.index()];
        let better = |best: TagId, other: TagId| if score(other) > score(best) { other } else { best };
        candidates.iter().copied().reduce(better).unwrap_or(TagId::NONE)
    }

    /// Moves the weights along the gradients that stand in the place of the scores.
    fn update(&mut self) {
        let gradients = &self.scores;
        let (rate, penalty, step) = (self.config.rate, self.penalty, self.state.step);
        self.moved.clear();
        self.moved.extend((0..gradients.len()).filter(|&tag| gradients[tag] != 0.0));
        for &feature in &self.features {
            let range = self.pairs.range(feature);
            let weights = &mut self.state.weights[range.clone()];
            if weights.len() == gradients.len() {
                self.moved.iter().for_each(|&tag| weights[tag].update(gradients[tag], rate, penalty, step));
                continue;
            }
            for (tag, weight) in self.pairs.tags[range].iter().zip(weights) {
                let gradient = gradients[tag.index()];
                if gradient != 0.0 {
                    weight.update(gradient, rate, penalty, step);
                }
            }
        }
    }
}

/// Turns scores into the derivatives of the loss by them, the probability minus 1 for the gold tag and minus 0 for
/// the others; returns the loss, −ln p of the gold tag. What is no candidate has no probability.
fn to_gradients(scores: &mut [f32], candidates: &[TagId], gold: TagId) -> f32 {
    let largest = candidates.iter().map(|tag| scores[tag.index()]).fold(f32::NEG_INFINITY, f32::max);
    let sum: f32 = candidates.iter().map(|tag| (scores[tag.index()] - largest).exp()).sum();
    let loss = largest + sum.ln() - scores[gold.index()];
    let mut candidates = candidates.iter().peekable();
    for (index, score) in scores.iter_mut().enumerate() {
        let is_candidate = candidates.next_if(|tag| tag.index() == index).is_some();
        let probability = if is_candidate { (*score - largest).exp() / sum } else { 0.0 };
        let gradient = probability - f32::from(u8::from(index == gold.index()));
        *score = if gradient.abs() < NEGLIGIBLE { 0.0 } else { gradient };
    }
    loss
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gradients_are_probability_minus_truth() {
        let mut scores = [5.0, 0.0, 3f32.ln()];
        let loss = to_gradients(&mut scores, &[TagId(1), TagId(2)], TagId(2));
        assert!((loss - (4f32 / 3.0).ln()).abs() < 1e-6);
        assert_eq!(scores[0], 0.0);
        assert!((scores[1] - 0.25).abs() < 1e-6 && (scores[2] + 0.25).abs() < 1e-6);
    }

    #[test]
    fn the_penalty_is_paid_in_arrears() {
        let mut often = Weight { value: 1.0, squares: 4.0, paid: 0 };
        let mut seldom = often;
        (1..=5).for_each(|step| often.update(0.0, 0.5, 0.1, step));
        seldom.update(0.0, 0.5, 0.1, 5);
        assert!((often.value - seldom.value).abs() < 1e-6);
        assert!((seldom.value - 0.875).abs() < 1e-4);
        assert_eq!(soft_threshold(-0.5, 0.75), 0.0);
    }
}
