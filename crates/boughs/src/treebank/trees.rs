//! [`Treebank`]: the trees that training takes, and how they are divided into parts that share no sentence.

use rustc_hash::FxHashMap;

use crate::error::Result;
use crate::tree::Tree;
use crate::tree::read::{Input, ReadOptions, TreebankReader};
use crate::tree::transform::sentence_length;

/// The most neighbours in the same part.
const MAX_NEIGHBOURS: usize = 300;

/// The trees of a treebank, in order.
///
/// ```
/// use boughs::treebank::{Treebank, sample};
///
/// let treebank = Treebank::from(sample("news")).at_most(20);
/// let (train, dev) = treebank.hold_out(0.1);
/// assert!(dev.len() > 0 && train.len() > 8 * dev.len());
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Treebank {
    trees: Vec<Tree>,
}

impl Treebank {
    /// Reads all trees of some files; a directory stands for the files in it.
    ///
    /// # Errors
    /// The first one: a file that cannot be read, or a tree with a fault.
    pub fn read(inputs: impl IntoIterator<Item = Input>, options: &ReadOptions) -> Result<Self> {
        let reader = TreebankReader::open(inputs.into_iter().collect(), options.clone())?;
        Ok(Self { trees: reader.collect::<Result<_>>()? })
    }

    /// The trees.
    pub fn trees(&self) -> &[Tree] {
        &self.trees
    }

    /// The trees, for keeps.
    pub fn into_trees(self) -> Vec<Tree> {
        self.trees
    }

    /// The number of trees.
    pub fn len(&self) -> usize {
        self.trees.len()
    }

    /// Whether there are no trees.
    pub fn is_empty(&self) -> bool {
        self.trees.is_empty()
    }

    /// The sentences of at most so many words: tokens that are not traces.
    #[must_use]
    pub fn at_most(mut self, max_words: usize) -> Self {
        self.trees.retain(|tree| sentence_length(tree) <= max_words);
        self
    }

    /// The trees to train on, and a share of all that is held out. The share is rounded to an n-th, at most a half;
    /// every n-th block of neighbours is held out, by the same rules as folds of cross-validation. So no sentence is on
    /// both sides, and the same treebank is always divided in the same way.
    #[must_use]
    pub fn hold_out(self, share: f64) -> (Self, Self) {
        let num_folds = (1.0 / share.clamp(1e-6, 0.5)).round() as usize;
        let folds = folds_by_first(&self.trees, num_folds);
        // A small treebank has no trees in some of the folds.
        let last = folds.iter().copied().max().filter(|&last| last > 0);
        let (mut kept, mut held_out) = (Self::default(), Self::default());
        for (tree, fold) in self.trees.into_iter().zip(folds) {
            let side = if Some(fold) == last { &mut held_out } else { &mut kept };
            side.trees.push(tree);
        }
        (kept, held_out)
    }
}

impl From<Vec<Tree>> for Treebank {
    fn from(trees: Vec<Tree>) -> Self {
        Self { trees }
    }
}

/// The part that each tree is in, of so many parts. Neighbours are in the same one, since they come from the same
/// text; but not too many, since a treebank may begin with one kind of text and end with another. A sentence that
/// occurs again is where it was at first, so that no model saw it that should not, also if a treebank is given
/// twice to count twice. Only a treebank of one sentence, again and again, is cut all the same.
pub(crate) fn folds_of(trees: &[Tree], num_folds: usize) -> Vec<usize> {
    let folds = folds_by_first(trees, num_folds);
    let is_one = folds.iter().all(|fold| *fold == 0);
    if is_one {
        (0..trees.len()).map(|place| block_fold(place, trees.len(), num_folds)).collect()
    } else {
        folds
    }
}

/// The part of each tree, that of the first tree with the same words.
fn folds_by_first(trees: &[Tree], num_folds: usize) -> Vec<usize> {
    let mut firsts: FxHashMap<Vec<&str>, usize> = FxHashMap::default();
    let mut first = |place: usize| *firsts.entry(trees[place].words().collect()).or_insert(place);
    (0..trees.len()).map(|place| block_fold(first(place), trees.len(), num_folds)).collect()
}

fn block_fold(place: usize, num_trees: usize, num_folds: usize) -> usize {
    let num_blocks = num_folds * num_trees.div_ceil(num_folds * MAX_NEIGHBOURS).max(1);
    place * num_blocks / num_trees.max(1) % num_folds
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Trees of one word each.
    fn numbers(numbers: impl IntoIterator<Item = usize>) -> Treebank {
        let tree = |number| format!("(S (NN {number}))").parse().expect("a tree");
        Treebank::from(numbers.into_iter().map(tree).collect::<Vec<Tree>>())
    }

    #[test]
    fn a_sentence_that_occurs_again_is_in_the_same_part() {
        let folds = folds_of(numbers((0..700).chain(0..700)).trees(), 2);
        assert_eq!(folds[..700], folds[700..]);
        assert!(folds.contains(&0) && folds.contains(&1));
    }

    #[test]
    fn one_sentence_again_and_again_is_still_cut() {
        assert_eq!(folds_of(numbers([5; 4]).trees(), 2), [0, 0, 1, 1]);
    }

    #[test]
    fn nothing_is_on_both_sides() {
        for (treebank, share, expected) in [
            (numbers(0..1000), 0.1, 100),
            (numbers((0..700).chain(0..700)), 0.25, 350),
            (numbers(0..3), 0.05, 1),
            (numbers(0..2), 0.5, 1),
            (numbers([5; 4]), 0.5, 0),
            (numbers([]), 0.5, 0),
        ] {
            let len = treebank.len();
            let (kept, held_out) = treebank.clone().hold_out(share);
            assert_eq!(kept.len() + held_out.len(), len);
            assert!(held_out.len().abs_diff(expected) <= len / 20, "{} of {len}", held_out.len());
            assert!(held_out.trees().iter().all(|tree| !kept.trees().contains(tree)));
            assert_eq!((kept, held_out), treebank.hold_out(share));
        }
    }

    #[test]
    fn held_out_blocks_come_from_all_over_a_large_treebank() {
        let (_, held_out) = numbers(0..9000).hold_out(0.1);
        let number = |tree: &Tree| tree.word(0).parse::<usize>().expect("a number");
        let numbers: Vec<usize> = held_out.trees().iter().map(number).collect();
        assert_eq!(numbers.len(), 900);
        assert!(numbers.windows(2).filter(|pair| pair[1] != pair[0] + 1).count() == 2);
    }

    #[test]
    fn traces_are_no_words() {
        let trees = ["(S (NP (-NONE- *)) (VP (VB Go)))", "(S (VB Go) (. .))"];
        let inputs = trees.map(|text| Input::Text { name: "test".to_owned(), text });
        let treebank = Treebank::read(inputs, &ReadOptions::default()).expect("trees");
        assert_eq!(treebank.len(), 2);
        let short = treebank.at_most(1);
        assert_eq!(short.trees().iter().map(ToString::to_string).collect::<Vec<_>>(), trees[..1]);
        Treebank::read([Input::Path("nowhere.mrg".into())], &ReadOptions::default()).unwrap_err();
    }
}
