//! Weights as whole multiples of one small unit, so that sums of them are exact.
//!
//! Floating-point sums depend on the order of their terms. Sums of integers do not: any number of threads gives the
//! same bits, a sum may be taken away again without a trace, and the histogram of one child is that of its parent less
//! that of its sibling. The price is a rounding of each weight by at most 2^-55 of all weight together.

/// Bits for the sum of all biases. The seven that are left of 63 hold what a sample may overestimate.
const TOTAL_BITS: i32 = 56;

/// Losses are unbounded, if only by the margin, and get this many bits less.
const LOSS_BITS: i32 = 12;

/// The unit of the weights of one target.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct FixedPoint {
    scale: f64,
}

impl FixedPoint {
    /// The unit for weights that sum up to at most `total`.
    pub(super) fn for_total(total: f64) -> Self {
        let bits = if total > 0.0 { total.log2().ceil() as i32 } else { 0 };
        Self { scale: f64::powi(2.0, TOTAL_BITS - 1 - bits) }
    }

    /// A weight in units, rounded towards zero.
    #[inline]
    pub(super) fn weight(self, weight: f64) -> i64 {
        (weight * self.scale) as i64
    }

    /// What so many units weigh.
    pub(super) fn value(self, units: i64) -> f64 {
        units as f64 / self.scale
    }

    /// A penalty in the units of weights; infinity becomes the largest number.
    pub(super) fn penalty(self, penalty: f64) -> i64 {
        (penalty * self.scale) as i64
    }

    /// A loss in the units of losses.
    #[inline]
    pub(super) fn loss(self, loss: f64) -> i64 {
        (loss * self.scale * f64::powi(2.0, -LOSS_BITS)) as i64
    }

    /// The loss of so many units.
    pub(super) fn loss_value(self, units: i64) -> f64 {
        units as f64 / self.scale * f64::powi(2.0, LOSS_BITS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn totals_of_any_size_fit() {
        for total in [1e-45, 0.3, 1.0, 40e6, 1e38 * 4e9] {
            let fixed = FixedPoint::for_total(total);
            let units = fixed.weight(total);
            assert!((1 << 54..=1 << 55).contains(&units), "{total}: {units}");
            assert!((fixed.value(units) - total).abs() <= total * 1e-15);
            assert!((fixed.loss_value(fixed.loss(total)) - total).abs() <= total * 1e-12);
        }
    }

    #[test]
    fn an_infinite_penalty_exceeds_every_sum() {
        assert_eq!(FixedPoint::for_total(3.0).penalty(f64::INFINITY), i64::MAX);
    }
}
