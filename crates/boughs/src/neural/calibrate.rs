//! The temperature by which shares of trees are probabilities.

use rayon::prelude::*;

use super::labels::{LabelledSpan, PhraseLabels};
use super::objective::tree_score;
use super::parser::NeuralParser;
use super::search::{SpanScores, TreeSums};
use crate::error::Result;
use crate::tree::Tree;

/// Sentences that go through the encoder together.
const BATCH: usize = 16;

/// The logarithms of the least and the greatest temperature.
const BOUNDS: [f64; 2] = [-4.0, 2.0];

/// How often the bounds come closer: to within 1%.
const ROUNDS: usize = 14;

/// What a sentence's spans are worth, and its tree.
type ScoredGold = (SpanScores, Vec<LabelledSpan>);

impl NeuralParser<'_> {
    /// The [temperature](super::NeuralOptions::temperature) by which development trees are likeliest, given their
    /// words (temperature scaling: Guo et al. 2017). Trees with labels that the model does not know are left out; if
    /// none are left, it is 1.
    ///
    /// # Errors
    /// If there are no trees.
    pub fn calibrate(&mut self, trees: &[Tree]) -> Result<f32> {
        let (labels, mut gold) = PhraseLabels::collect(trees)?;
        let numbers = self.labels().numbers_of(&labels);
        gold.retain(|tree| tree.phrases.iter().all(|phrase| numbers[usize::from(phrase.label)].is_some()));
        let known = |phrase: &LabelledSpan| {
            numbers[usize::from(phrase.label)].map(|label| LabelledSpan { label, ..*phrase })
        };
        let mut scored: Vec<ScoredGold> = Vec::new();
        for gold in gold.chunks(BATCH) {
            let words = gold.iter().map(|tree| tree.words.iter().map(AsRef::as_ref).collect());
            let scores = self.span_scores(&words.collect::<Vec<Vec<&str>>>())?;
            let phrases = gold.iter().map(|tree| tree.phrases.iter().filter_map(known).collect());
            scored.extend(scores.into_iter().zip(phrases));
        }
        if scored.is_empty() {
            return Ok(1.0);
        }
        Ok(likeliest(&scored))
    }
}

/// The temperature by which trees are likeliest, by golden sections: the logarithm of their probability is concave in
/// its inverse, so there is one maximum.
fn likeliest(scored: &[ScoredGold]) -> f32 {
    let section = 0.5 * (5f64.sqrt() - 1.0);
    let [mut low, mut high] = BOUNDS;
    let measured = |place: f64| (place, likelihood(scored, place.exp() as f32));
    let mut left = measured(high - section * (high - low));
    let mut right = measured(low + section * (high - low));
    for _ in 0..ROUNDS {
        if left.1 < right.1 {
            (low, left) = (left.0, right);
            right = measured(low + section * (high - low));
        } else {
            (high, right) = (right.0, left);
            left = measured(high - section * (high - low));
        }
    }
    (0.5 * (low + high)).exp() as f32
}

/// The logarithm of the probability of all trees.
fn likelihood(scored: &[ScoredGold], temperature: f32) -> f64 {
    let of_tree = |(scores, gold): &ScoredGold| {
        let scores = scores.clone().divided_by(temperature);
        tree_score(&scores, gold) - TreeSums::new(&scores).log_total
    };
    // Collected first: sums are in order, whatever the threads.
    scored.par_iter().map(of_tree).collect::<Vec<f64>>().into_iter().sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::span::Span;

    /// Three of four words are phrases. That is likeliest where a phrase weighs three times as much as none.
    #[test]
    fn what_is_as_often_right_as_it_says() {
        let phrase = LabelledSpan { span: Span::new(0, 1), label: 0 };
        for score in [0.1, 1.0, 2.0] {
            let scores = SpanScores::new(1, 1, vec![score]);
            let scored =
                [vec![phrase], vec![phrase], vec![], vec![phrase]].map(|gold| (scores.clone(), gold));
            let found = likeliest(&scored);
            assert!((score / found - 3f32.ln()).abs() < 0.02 * 3f32.ln(), "{score} {found}");
        }
    }
}
