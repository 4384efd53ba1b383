//! Parts of a treebank, so that a model of the others did not see them.

use std::collections::HashMap;

use crate::tree::Tree;

/// The most neighbours in the same part.
const MAX_NEIGHBOURS: usize = 300;

/// The part that each tree is in. Neighbours are in the same one, since they come from the same text; but not too many, since
/// a treebank may begin with one kind of text and end with another. A sentence that occurs again is where it was at first, so
/// that no grammar saw it that should not, also if a treebank is given twice to count twice.
pub(crate) fn folds_of(trees: &[Tree], num_folds: usize) -> Vec<usize> {
    let mut firsts: HashMap<Vec<&str>, usize> = HashMap::new();
    let mut first = |place: usize| *firsts.entry(trees[place].words().collect()).or_insert(place);
    let block = |place| block_fold(place, trees.len(), num_folds);
    let folds: Vec<usize> = (0..trees.len()).map(|place| block(first(place))).collect();
    let is_one = folds.iter().all(|fold| *fold == 0);
    if is_one { (0..trees.len()).map(block).collect() } else { folds }
}

fn block_fold(place: usize, num_trees: usize, num_folds: usize) -> usize {
    let num_blocks = num_folds * num_trees.div_ceil(num_folds * MAX_NEIGHBOURS).max(1);
    place * num_blocks / num_trees.max(1) % num_folds
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_fold_has_its_trees() {
        let trees: Vec<Tree> = (0..7).map(|number| format!("(S (NN {number}))").parse().unwrap()).collect();
        for num_folds in 1..=7 {
            let folds = folds_of(&trees, num_folds);
            assert!((0..num_folds).all(|fold| folds.contains(&fold)), "{folds:?}");
        }
    }

    #[test]
    fn a_sentence_that_occurs_again_is_in_the_same_part() {
        let once: Vec<Tree> = (0..700).map(|number| format!("(S (NN {number}))").parse().unwrap()).collect();
        let twice: Vec<Tree> = once.iter().chain(&once).cloned().collect();
        let folds = folds_of(&twice, 2);
        assert_eq!(folds[..700], folds[700..]);
        assert!(folds.contains(&0) && folds.contains(&1));
    }

    #[test]
    fn one_sentence_again_and_again_is_still_cut() {
        let trees: Vec<Tree> = (0..4).map(|_| "(S (NN rain))".parse().unwrap()).collect();
        assert_eq!(folds_of(&trees, 2), [0, 0, 1, 1]);
    }
}
