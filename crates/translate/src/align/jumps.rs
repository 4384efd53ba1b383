//! How far from one another the translations of neighbours are: the transitions of the HMM model.
//!
//! From place p (0 before the first word, otherwise one behind the word linked last) to word i, in a sentence of I
//! words:
//!
//! > p(i|p, I) = u / I + (1 − u) · s(i + 1 − p) / Z(p, I),  Z(p, I) = Σ_i s(i + 1 − p)
//!
//! with one weight s(d) for each distance and a fixed uniform share u, so that no jump is impossible. Because of Z,
//! relative frequencies of the distances are not the maximum of the expected likelihood. −ln Z is bounded from below
//! by its tangent at the old weights, and the maximum of that bound is
//!
//! > s(d) = c(d) / Σ c(p, I) / Z(p, I), over all p and I from which d stays inside the sentence,
//!
//! which never lowers the likelihood.

/// The weight of a distance at the start, before any data.
fn initial_weight(distance: i64) -> f64 {
    1.0 / (1.0 + (distance - 1).abs() as f64)
}

/// The smallest weight, as a share of all.
const FLOOR: f64 = 1e-9;

/// The weights of distances.
#[derive(Debug, Clone)]
pub(super) struct Jumps {
    max_words: usize,
    uniform_share: f64,
    /// By distance, from −`max_words` to `max_words`.
    pub(super) weights: Vec<f64>,
}

/// Transitions of sentences of one length, by place and then by word.
#[derive(Debug, Clone, Default)]
pub(super) struct Transitions {
    num_words: usize,
    probabilities: Vec<f64>,
    /// Which share of each probability is not the uniform one's.
    shares: Vec<f64>,
    totals: Vec<f64>,
}

/// Expected numbers of jumps.
#[derive(Debug, Clone)]
pub(super) struct JumpCounts {
    max_words: usize,
    by_distance: Vec<f64>,
    /// By length and place.
    by_place: Vec<f64>,
}

impl Jumps {
    /// Sentences have so many words at most.
    pub(super) fn new(max_words: usize, uniform_share: f64) -> Self {
        let most = max_words as i64;
        Self { max_words, uniform_share, weights: (-most..=most).map(initial_weight).collect() }
    }

    fn weight(&self, place: usize, word: usize) -> f64 {
        self.weights[self.max_words + word + 1 - place]
    }

    /// The transitions of sentences of up to the longest length.
    pub(super) fn all_transitions(&self) -> Vec<Transitions> {
        (0..=self.max_words).map(|num_words| self.transitions(num_words)).collect()
    }

    fn transitions(&self, num_words: usize) -> Transitions {
        let mut transitions = Transitions { num_words, ..Transitions::default() };
        for place in 0..=num_words {
            let total: f64 = (0..num_words).map(|word| self.weight(place, word)).sum();
            transitions.totals.push(total);
            for word in 0..num_words {
                let jump = (1.0 - self.uniform_share) * self.weight(place, word) / total;
                let probability = jump + self.uniform_share / num_words as f64;
                transitions.probabilities.push(probability);
                transitions.shares.push(jump / probability);
            }
        }
        transitions
    }

    /// The weights that the counts, expected under the old weights, make best.
    pub(super) fn update(&mut self, counts: &JumpCounts, old: &[Transitions]) {
        let mut divisors = vec![0.0; self.weights.len()];
        for transitions in old {
            for (place, &total) in transitions.totals.iter().enumerate() {
                let count = counts.by_place[counts.place(transitions.num_words, place)];
                for word in 0..transitions.num_words {
                    divisors[self.max_words + word + 1 - place] += count / total;
                }
            }
        }
        for ((weight, &count), &divisor) in self.weights.iter_mut().zip(&counts.by_distance).zip(&divisors) {
            *weight = if divisor > 0.0 { count / divisor } else { 0.0 };
        }
        let floor = FLOOR * self.weights.iter().sum::<f64>();
        self.weights.iter_mut().for_each(|weight| *weight = weight.max(floor).max(f64::MIN_POSITIVE));
    }
}

impl Transitions {
    /// The probabilities of all words from a place.
    #[inline]
    pub(super) fn from(&self, place: usize) -> &[f64] {
        &self.probabilities[place * self.num_words..][..self.num_words]
    }

    #[inline]
    fn share(&self, place: usize, word: usize) -> f64 {
        self.shares[place * self.num_words + word]
    }
}

impl JumpCounts {
    pub(super) fn new(max_words: usize) -> Self {
        let num_places = (max_words + 1) * (max_words + 1);
        Self { max_words, by_distance: vec![0.0; 2 * max_words + 1], by_place: vec![0.0; num_places] }
    }

    fn place(&self, num_words: usize, place: usize) -> usize {
        num_words * (self.max_words + 1) + place
    }

    /// Adds a jump with its probability.
    #[inline]
    pub(super) fn add(&mut self, transitions: &Transitions, place: usize, word: usize, probability: f64) {
        let count = probability * transitions.share(place, word);
        self.by_distance[self.max_words + word + 1 - place] += count;
        let place = self.place(transitions.num_words, place);
        self.by_place[place] += count;
    }

    pub(super) fn merge(&mut self, other: &Self) {
        self.by_distance.iter_mut().zip(&other.by_distance).for_each(|(sum, more)| *sum += more);
        self.by_place.iter_mut().zip(&other.by_place).for_each(|(sum, more)| *sum += more);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transitions_are_probabilities() {
        let jumps = Jumps::new(5, 0.2);
        for (num_words, transitions) in jumps.all_transitions().iter().enumerate().skip(1) {
            for place in 0..=num_words {
                assert!((transitions.from(place).iter().sum::<f64>() - 1.0).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn steps_to_the_right_are_learned() {
        let mut jumps = Jumps::new(4, 0.1);
        for _ in 0..20 {
            let old = jumps.all_transitions();
            let mut counts = JumpCounts::new(4);
            (0..4).for_each(|place| counts.add(&old[4], place, place, 1.0));
            jumps.update(&counts, &old);
        }
        assert!(jumps.all_transitions()[4].from(1)[1] > 0.9);
    }
}
