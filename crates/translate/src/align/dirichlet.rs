//! Probabilities from expected counts, with or without a sparse prior.
//!
//! The naive form is the relative frequency c/Σc. A rare source word then explains whatever it meets, because it has
//! nothing else to spend its probability on. With a Dirichlet prior of weight α on the K words of a row, variational
//! Bayes has
//!
//! > exp(ψ(c + α)) / exp(ψ(Σc + Kα))
//!
//! instead (MacKay 1997; Riley and Gildea 2012 for word alignment), which is less than c/Σc by about half a count:
//! what was seen half a time or less is next to impossible. Such weights sum to less than 1. What no iteration of EM
//! lowers then is not the likelihood but its bound, the logarithm of the probability under these weights less the
//! divergence of each row's posterior from its prior.

/// The prior of a row: Dirichlet with the same weight for each word, or none.
#[derive(Debug, Clone, Copy)]
pub(super) struct Prior {
    weight: f64,
    ln_gamma: f64,
    digamma: f64,
}

/// A row of counts, summed up.
#[derive(Debug, Clone, Copy)]
pub(super) struct RowTotal {
    sum: f64,
    digamma: f64,
}

impl Prior {
    /// Of this weight; 0 for none.
    pub(super) fn new(weight: f64) -> Self {
        match weight > 0.0 {
            true => Self { weight, ln_gamma: ln_gamma(weight), digamma: digamma(weight) },
            false => Self { weight: 0.0, ln_gamma: 0.0, digamma: 0.0 },
        }
    }

    fn is_none(self) -> bool {
        self.weight == 0.0
    }

    /// Of a row of so many words with so large a sum.
    pub(super) fn total(self, sum: f64, num_words: usize) -> RowTotal {
        let digamma = if self.is_none() { 0.0 } else { digamma(sum + num_words as f64 * self.weight) };
        RowTotal { sum, digamma }
    }

    /// What a word's count becomes; none if the row was never used.
    pub(super) fn probability(self, count: f64, total: RowTotal) -> Option<f64> {
        match self.is_none() {
            true => (total.sum > 0.0).then(|| count / total.sum),
            false if count == 0.0 => Some((self.digamma - total.digamma).exp()),
            false => Some((digamma(count + self.weight) - total.digamma).exp()),
        }
    }

    /// The divergence of a row's posterior from the prior.
    pub(super) fn divergence(
        self,
        counts: impl Iterator<Item = f64>,
        total: RowTotal,
        num_words: usize,
    ) -> f64 {
        if self.is_none() || num_words == 0 {
            return 0.0;
        }
        let of_word = |count: f64| {
            let posterior = count + self.weight;
            self.ln_gamma - ln_gamma(posterior) + count * (digamma(posterior) - total.digamma)
        };
        let whole = num_words as f64 * self.weight;
        ln_gamma(total.sum + whole) - ln_gamma(whole)
            + counts.filter(|&count| count > 0.0).map(of_word).sum::<f64>()
    }
}

/// From here on the series below are exact to twelve digits.
const LARGE: f64 = 8.0;

/// ψ, the derivative of ln Γ, for x > 0.
fn digamma(mut x: f64) -> f64 {
    let mut below = 0.0;
    while x < LARGE {
        below += 1.0 / x;
        x += 1.0;
    }
    let y = 1.0 / (x * x);
    let series = y * (1.0 / 12.0 - y * (1.0 / 120.0 - y * (1.0 / 252.0 - y * (1.0 / 240.0 - y / 132.0))));
    x.ln() - 0.5 / x - series - below
}

/// ln Γ, for x > 0.
fn ln_gamma(mut x: f64) -> f64 {
    let mut product = 1.0;
    while x < LARGE {
        product *= x;
        x += 1.0;
    }
    let y = 1.0 / (x * x);
    let series = (1.0 / 12.0 - y * (1.0 / 360.0 - y * (1.0 / 1260.0 - y * (1.0 / 1680.0 - y / 1188.0)))) / x;
    (x - 0.5) * x.ln() - x + 0.5 * (2.0 * std::f64::consts::PI).ln() + series - product.ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    const EULER: f64 = 0.577_215_664_901_532_9;

    #[test]
    fn special_functions_have_their_known_values() {
        let near = |one: f64, other: f64| assert!((one - other).abs() < 1e-11, "{one} {other}");
        near(digamma(1.0), -EULER);
        near(digamma(0.5), -EULER - 4.0f64.ln());
        near(digamma(10.0), (1..10).map(|n| 1.0 / f64::from(n)).sum::<f64>() - EULER);
        near(ln_gamma(0.5), std::f64::consts::PI.sqrt().ln());
        near(ln_gamma(1.0), 0.0);
        near(ln_gamma(11.0), 3_628_800f64.ln());
    }

    #[test]
    fn without_a_prior_frequencies_are_relative() {
        let prior = Prior::new(0.0);
        assert_eq!(prior.probability(1.0, prior.total(4.0, 3)), Some(0.25));
        assert_eq!(prior.probability(0.0, prior.total(0.0, 3)), None);
        assert_eq!(prior.divergence([1.0, 3.0].into_iter(), prior.total(4.0, 2), 2), 0.0);
    }

    #[test]
    fn a_sparse_prior_takes_from_the_rare_and_most_from_nothing() {
        let prior = Prior::new(0.01);
        let total = prior.total(10.5, 3);
        let [often, rare, never] = [10.0, 0.5, 0.0].map(|count| prior.probability(count, total).unwrap());
        assert!((0.94..10.0 / 10.5).contains(&often), "{often}");
        assert!((0.01..0.5 * 0.5 / 10.5).contains(&rare), "{rare}");
        assert!(never < 1e-40);
    }

    #[test]
    fn a_posterior_diverges_from_its_prior_unless_nothing_was_seen() {
        let prior = Prior::new(0.5);
        assert_eq!(prior.divergence([0.0, 0.0].into_iter(), prior.total(0.0, 2), 2), 0.0);
        // Dirichlet(1.5, 0.5) from Dirichlet(0.5, 0.5): ln 2 + ψ(1.5) − ψ(2).
        let expected = 2.0f64.ln() + digamma(1.5) - digamma(2.0);
        assert!((prior.divergence([1.0, 0.0].into_iter(), prior.total(1.0, 2), 2) - expected).abs() < 1e-11);
    }
}
