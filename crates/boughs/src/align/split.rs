//! Disjoint parts of a corpus, drawn at random by a seed.

use crate::error::{Error, ErrorKind, Result};
use crate::rng::Rng;

/// The parts of a corpus: indices of pairs, in increasing order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Parts {
    /// What is left for training.
    pub train: Vec<usize>,
    /// For choosing penalties.
    pub tune: Vec<usize>,
    /// For trying things out.
    pub dev: Vec<usize>,
    /// For the end.
    pub test: Vec<usize>,
}

/// Draws `[tune, dev, test]` pairs out of `num_pairs`; the rest is for training.
///
/// # Errors
/// If there are not more pairs than that.
pub fn split(num_pairs: usize, sizes: [usize; 3], seed: u64) -> Result<Parts> {
    let num_taken = sizes.iter().fold(0usize, |sum, &size| sum.saturating_add(size));
    if num_taken >= num_pairs {
        let message =
            format!("expected more than {num_taken} pairs, so that some are left, found {num_pairs}");
        return Err(Error::new(ErrorKind::Argument, message).hint("ask for smaller parts"));
    }
    let mut order: Vec<usize> = (0..num_pairs).collect();
    Rng::new(seed).shuffle(&mut order);
    let mut take = |size: usize| {
        let mut part = order.split_off(order.len() - size);
        part.sort_unstable();
        part
    };
    let [tune, dev, test] = sizes.map(&mut take);
    let train = take(num_pairs - num_taken);
    Ok(Parts { train, tune, dev, test })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_disjoint_and_the_seed_decides() {
        let parts = split(100, [10, 20, 30], 1).unwrap();
        let mut all = [&parts.train[..], &parts.tune, &parts.dev, &parts.test].concat();
        assert_eq!(
            (parts.train.len(), parts.tune.len(), parts.dev.len(), parts.test.len()),
            (40, 10, 20, 30)
        );
        all.sort_unstable();
        assert_eq!(all, (0..100).collect::<Vec<_>>());
        assert_eq!(split(100, [10, 20, 30], 1).unwrap(), parts);
        assert_ne!(split(100, [10, 20, 30], 2).unwrap(), parts);
    }

    #[test]
    fn something_must_be_left() {
        assert!(split(3, [1, 1, 1], 0).is_err());
        assert!(split(4, [1, usize::MAX, usize::MAX], 0).is_err());
    }
}
