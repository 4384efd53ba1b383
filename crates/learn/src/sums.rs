//! What is summed over the rows of a node: the gradient alone, or the weight of either class.

use std::fmt::Debug;
use std::ops::{AddAssign, Sub, SubAssign};

/// A sum of weights, in units of [`FixedPoint`](super::fixed::FixedPoint).
pub trait WeightSum:
    Debug + Copy + Default + PartialEq + Send + Sync + AddAssign + SubAssign + Sub<Output = Self>
{
    /// What no sum ever is: marks the places of a table that nothing was added to.
    const UNTOUCHED: Self;

    /// What a row with this y·w adds.
    fn of(signed_weight: i64) -> Self;

    /// The same sum, less detailed.
    fn from_classes(classes: ClassSums) -> Self;
}

/// The weights of the positive and of the negative examples.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ClassSums {
    pub(super) positive: i64,
    pub(super) negative: i64,
}

impl ClassSums {
    /// Minus the derivative of the loss: the sum of y·w.
    pub(super) fn gradient(self) -> i64 {
        self.positive - self.negative
    }

    /// The sums over rows with these y·w.
    pub(super) fn over(signed_weights: impl IntoIterator<Item = i64>) -> Self {
        signed_weights.into_iter().fold(Self::default(), |mut sums, weight| {
            sums += Self::of(weight);
            sums
        })
    }
}

impl WeightSum for i64 {
    const UNTOUCHED: Self = i64::MIN;

    fn of(signed_weight: i64) -> Self {
        signed_weight
    }

    fn from_classes(classes: ClassSums) -> Self {
        classes.gradient()
    }
}

impl WeightSum for ClassSums {
    const UNTOUCHED: Self = Self { positive: i64::MIN, negative: i64::MIN };

    fn of(signed_weight: i64) -> Self {
        Self { positive: signed_weight.max(0), negative: (-signed_weight).max(0) }
    }

    fn from_classes(classes: ClassSums) -> Self {
        classes
    }
}

impl AddAssign for ClassSums {
    fn add_assign(&mut self, other: Self) {
        self.positive += other.positive;
        self.negative += other.negative;
    }
}

impl SubAssign for ClassSums {
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}

impl Sub for ClassSums {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self { positive: self.positive - other.positive, negative: self.negative - other.negative }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_hold_the_gradient() {
        let classes = ClassSums::over([5, -3, 0, -4]);
        assert_eq!(classes, ClassSums { positive: 5, negative: 7 });
        assert_eq!(i64::from_classes(classes), -2);
        assert_eq!(classes - ClassSums::of(-3), ClassSums::over([5, -4]));
    }
}
