//! What one classifier is to learn: a label and a bias for each row it uses, and which variant it sees.

use crate::error::{Error, ErrorKind, Result};

/// The labels y(i) and biases b(i) of one classifier over the rows of a dataset; rows may be left out.
///
/// A row takes four bytes: y(i)·b(i) in single precision, 0 where the row is not used; and one more if variants are
/// chosen.
#[derive(Debug, Clone, PartialEq)]
pub struct Target {
    signed_biases: Vec<f32>,
    /// The variant of each row; empty while all are 0.
    choices: Vec<u8>,
}

impl Target {
    /// A target that uses none of so many rows yet.
    pub fn unused(num_rows: usize) -> Self {
        Self { signed_biases: vec![0.0; num_rows], choices: Vec::new() }
    }

    /// Every row with bias 1: `true` is y = +1, `false` y = -1.
    pub fn from_labels(labels: impl IntoIterator<Item = bool>) -> Self {
        let sign = |is_positive| if is_positive { 1.0 } else { -1.0 };
        Self { signed_biases: labels.into_iter().map(sign).collect(), choices: Vec::new() }
    }

    /// Uses a row, with this label and bias.
    ///
    /// # Errors
    /// If the bias is not a positive finite number in single precision.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn set(&mut self, row: usize, is_positive: bool, bias: f64) -> Result<()> {
        let single = bias as f32;
        if !(single.is_finite() && single > 0.0) {
            return Err(Error::new(ErrorKind::Argument, format!("expected a bias above 0, found {bias}"))
                .hint("leave rows without weight unused"));
        }
        self.signed_biases[row] = if is_positive { single } else { -single };
        Ok(())
    }

    /// Leaves a row out.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn skip(&mut self, row: usize) {
        self.signed_biases[row] = 0.0;
    }

    /// Chooses the variant of a row that the classifier sees, counted from 0; without a choice it is the
    /// first. A row without variants has no use for it.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn choose(&mut self, row: usize, variant: u8) {
        if self.choices.is_empty() && variant > 0 {
            self.choices = vec![0; self.num_rows()];
        }
        if !self.choices.is_empty() {
            self.choices[row] = variant;
        }
    }

    /// The variant chosen of a row.
    #[inline]
    pub fn choice(&self, row: usize) -> u8 {
        self.choices.get(row).copied().unwrap_or(0)
    }

    /// The number of rows, used or not.
    pub fn num_rows(&self) -> usize {
        self.signed_biases.len()
    }

    /// y(i)·b(i), or 0 if the row is not used.
    #[inline]
    pub fn signed_bias(&self, row: usize) -> f64 {
        f64::from(self.signed_biases[row])
    }

    /// Whether y(i) is +1, or nothing if the row is not used.
    pub fn label(&self, row: usize) -> Option<bool> {
        let bias = self.signed_biases[row];
        (bias != 0.0).then_some(bias > 0.0)
    }

    /// The rows used, in increasing order.
    pub fn used_rows(&self) -> impl Iterator<Item = u32> + '_ {
        (0u32..).zip(&self.signed_biases).filter(|&(_, &bias)| bias != 0.0).map(|(row, _)| row)
    }

    /// The sum of the biases.
    pub fn total_bias(&self) -> f64 {
        self.signed_biases.iter().map(|&bias| f64::from(bias).abs()).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_unused_until_set() {
        let mut target = Target::unused(4);
        target.set(1, true, 0.5).unwrap();
        target.set(3, false, 2.0).unwrap();
        assert_eq!(target.used_rows().collect::<Vec<_>>(), [1, 3]);
        assert_eq!((target.label(0), target.label(1), target.label(3)), (None, Some(true), Some(false)));
        assert_eq!((target.signed_bias(3), target.total_bias()), (-2.0, 2.5));
        target.skip(1);
        assert_eq!(target.used_rows().count(), 1);
    }

    #[test]
    fn the_first_variant_is_chosen_unless_another_is() {
        let mut target = Target::unused(3);
        target.choose(1, 0);
        assert_eq!(target, Target::unused(3));
        target.choose(1, 4);
        assert_eq!([0, 1, 2].map(|row| target.choice(row)), [0, 4, 0]);
    }

    #[test]
    fn biases_that_weigh_nothing_are_refused() {
        for bias in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e-60] {
            assert_eq!(Target::unused(1).set(0, true, bias).unwrap_err().kind(), ErrorKind::Argument);
        }
    }
}
