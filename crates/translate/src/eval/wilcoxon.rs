//! The signed-ranks test of Wilcoxon (1945): do paired figures differ, or was it luck?
//!
//! The differences that are not 0 are ranked by size, equal ones sharing their ranks. If the two were equally good,
//! each rank would be as likely to favour one as the other. With few differences all ways to hand out the ranks are
//! counted, ties and all; with many, their sum is as good as normal.

/// So many differences are counted exactly.
const MAX_EXACT: usize = 100;

/// The outcome of [`wilcoxon`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SignedRanks {
    /// The sum of the ranks of positive differences.
    pub positive: f64,
    /// The sum of the ranks of negative differences.
    pub negative: f64,
    /// The differences that are not 0.
    pub num_differences: usize,
    /// The probability of sums at least as uneven, either way, if there were no difference.
    pub p: f64,
}

/// Tests differences between pairs, two-sided.
///
/// ```
/// let outcome = boughs_translate::eval::wilcoxon(&[1.0, 2.0, 3.0, 0.0]);
/// assert_eq!((outcome.positive, outcome.negative, outcome.p), (6.0, 0.0, 0.25));
/// ```
pub fn wilcoxon(differences: &[f64]) -> SignedRanks {
    let mut differences: Vec<f64> =
        differences.iter().copied().filter(|&difference| difference != 0.0).collect();
    differences.sort_by(|one, other| one.abs().total_cmp(&other.abs()));
    let ranks = doubled_ranks(&differences);
    let sum_of = |is_wanted: fn(&f64) -> bool| -> u64 {
        differences
            .iter()
            .zip(&ranks)
            .filter(|(difference, _)| is_wanted(difference))
            .map(|(_, rank)| rank)
            .sum()
    };
    let (positive, negative) =
        (sum_of(|&difference| difference > 0.0), sum_of(|&difference| difference < 0.0));
    let p = match ranks.len() {
        0 => 1.0,
        1..=MAX_EXACT => exact(&ranks, positive.min(negative)),
        _ => normal(&ranks, positive.min(negative)),
    };
    SignedRanks {
        positive: positive as f64 / 2.0,
        negative: negative as f64 / 2.0,
        num_differences: ranks.len(),
        p,
    }
}

/// Twice the ranks of sorted differences: whole numbers, since equal ones share the mean of theirs.
fn doubled_ranks(sorted: &[f64]) -> Vec<u64> {
    let mut ranks = Vec::new();
    for equal in sorted.chunk_by(|one, other| one.abs() == other.abs()) {
        let (first, last) = (ranks.len() as u64 + 1, (ranks.len() + equal.len()) as u64);
        ranks.resize(ranks.len() + equal.len(), first + last);
    }
    ranks
}

/// The share of all ways to hand out the ranks whose smaller sum is at most `least`.
fn exact(ranks: &[u64], least: u64) -> f64 {
    let mut shares = vec![0.0; least as usize + 1];
    shares[0] = 1.0;
    for &rank in ranks {
        for sum in (0..shares.len()).rev() {
            let without = sum.checked_sub(rank as usize).map_or(0.0, |rest| shares[rest]);
            shares[sum] = (shares[sum] + without) / 2.0;
        }
    }
    (2.0 * shares.iter().sum::<f64>()).min(1.0)
}

/// By the normal distribution of the same mean and variance, half a rank nearer to the mean.
fn normal(ranks: &[u64], least: u64) -> f64 {
    let mean = ranks.iter().sum::<u64>() as f64 / 2.0;
    let variance: f64 = ranks.iter().map(|&rank| (rank as f64).powi(2)).sum::<f64>() / 4.0;
    let distance = (mean - least as f64 - 1.0).max(0.0);
    erfc(distance / (2.0 * variance).sqrt()).min(1.0)
}

/// The complementary error function, to 1.2·10⁻⁷ of its value (Press et al. 1992, section 6.2), for x ≥ 0.
fn erfc(x: f64) -> f64 {
    const COEFFICIENTS: [f64; 10] = [
        -1.265_512_23,
        1.000_023_68,
        0.374_091_96,
        0.096_784_18,
        -0.186_288_06,
        0.278_868_07,
        -1.135_203_98,
        1.488_515_87,
        -0.822_152_23,
        0.170_872_77,
    ];
    let t = 1.0 / (1.0 + 0.5 * x);
    let polynomial = COEFFICIENTS.iter().rev().fold(0.0, |sum, coefficient| sum * t + coefficient);
    t * (polynomial - x * x).exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ties_share_their_ranks() {
        let outcome = wilcoxon(&[1.0, -1.0, 2.0, 0.0, 3.0]);
        assert_eq!((outcome.positive, outcome.negative, outcome.num_differences), (8.5, 1.5, 4));
        // Sums up to 1.5: none, the first, or the second of the tied ones; twice 3 of 16.
        assert_eq!(outcome.p, 0.375);
    }

    #[test]
    fn no_difference_is_no_evidence() {
        assert_eq!(wilcoxon(&[0.0; 5]).p, 1.0);
        assert_eq!(wilcoxon(&[]).p, 1.0);
        assert_eq!(wilcoxon(&[1.0, -1.0]).p, 1.0);
    }

    #[test]
    fn exact_and_normal_agree_where_they_meet() {
        let differences: Vec<f64> =
            (1..=100).map(|rank| f64::from(rank) * if rank % 3 == 0 { -1.0 } else { 1.0 }).collect();
        let ranks = doubled_ranks(&differences);
        let negative = ranks.iter().skip(2).step_by(3).sum();
        let (exact, normal) = (exact(&ranks, negative), normal(&ranks, negative));
        // The normal distribution has heavier tails.
        assert!(normal > exact && normal < 1.1 * exact, "{exact} {normal}");
    }

    #[test]
    fn the_error_function_is_known_at_some_points() {
        for (x, expected) in [(0.0, 1.0), (0.5, 0.479_500_122), (1.0, 0.157_299_207), (3.0, 2.209_049_7e-5)] {
            assert!((erfc(x) - expected).abs() <= 2e-7 * expected, "{x}");
        }
    }
}
