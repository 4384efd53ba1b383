//! What to predict: a class for each row, and how much the row counts.

use crate::error::{Error, ErrorKind, Result, require};

/// The class of every row of a dataset, and how much each row counts.
#[derive(Debug, Clone, PartialEq)]
pub struct Labels {
    classes: Vec<u32>,
    num_classes: usize,
    /// Empty if every row counts 1.
    weights: Vec<f64>,
}

impl Labels {
    /// Classes numbered below `num_classes`; every row counts 1.
    ///
    /// # Errors
    /// If a class is not below `num_classes`, or there are fewer than two.
    pub fn new(classes: Vec<u32>, num_classes: u32) -> Result<Self> {
        require(num_classes >= 2, "two classes or more to tell apart", num_classes)?;
        if let Some(row) = classes.iter().position(|&class| class >= num_classes) {
            let message =
                format!("expected classes below {num_classes}, found {} in row {row}", classes[row]);
            return Err(Error::new(ErrorKind::Argument, message));
        }
        Ok(Self { classes, num_classes: num_classes as usize, weights: Vec::new() })
    }

    /// Makes row `i` count as much as `weights[i]` rows; a row that counts 0 is not used.
    ///
    /// # Errors
    /// If there are not as many weights as rows, or one is negative or not finite.
    pub fn with_weights(mut self, weights: Vec<f64>) -> Result<Self> {
        if weights.len() != self.num_rows() {
            let message = format!("expected weights for {} rows, found {}", self.num_rows(), weights.len());
            return Err(Error::new(ErrorKind::Mismatch, message));
        }
        if let Some(row) = weights.iter().position(|weight| !weight.is_finite() || *weight < 0.0) {
            let message = format!("expected a weight of 0 or more, found {} in row {row}", weights[row]);
            return Err(Error::new(ErrorKind::Argument, message));
        }
        self.weights = weights;
        Ok(self)
    }

    /// The number of rows.
    pub fn num_rows(&self) -> usize {
        self.classes.len()
    }

    /// The number of classes.
    pub fn num_classes(&self) -> usize {
        self.num_classes
    }

    /// The class of a row.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn class(&self, row: usize) -> usize {
        self.classes[row] as usize
    }

    /// How much a row counts; 1 for rows beyond the last.
    pub fn weight(&self, row: usize) -> f64 {
        self.weights.get(row).copied().unwrap_or(1.0)
    }

    /// How much the rows of each class count together.
    pub fn class_weights(&self) -> Vec<f64> {
        let mut totals = vec![0.0; self.num_classes];
        for row in 0..self.num_rows() {
            totals[self.class(row)] += self.weight(row);
        }
        totals
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bad_labels_are_refused() {
        assert_eq!(
            Labels::new(vec![0, 3], 3).unwrap_err().to_string(),
            "expected classes below 3, found 3 in row 1"
        );
        assert!(Labels::new(vec![0], 1).is_err());
        let labels = Labels::new(vec![0, 1], 2).unwrap();
        assert!(labels.clone().with_weights(vec![1.0]).is_err());
        assert!(labels.clone().with_weights(vec![1.0, f64::NAN]).is_err());
        assert!(labels.with_weights(vec![1.0, -1.0]).is_err());
    }
}
