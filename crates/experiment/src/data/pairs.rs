//! Sentence pairs: parsed, filtered, and linked word by word.

use rayon::prelude::*;

use super::Parts;
use boughs::parser::{Parser, Sentence, Worker};
use boughs::tree::Tree;
use boughs_learn::error::{Error, ErrorKind, Result};
use boughs_learn::run::{RunOptions, run};
use boughs_translate::AlignedPair;
use boughs_translate::align::{AlignConfig, Bitext, PairFilter, Symmetrization};

/// Sentences with their trees, and their translations.
#[derive(Debug, Clone, Default)]
pub struct PairText {
    trees: Vec<Tree>,
    bitext: Bitext,
}

impl PairText {
    /// Pairs whose source is parsed here.
    ///
    /// # Errors
    /// If the parser cannot tag.
    pub fn parsed(bitext: &Bitext, parser: &Parser) -> Result<Self> {
        let parse = |worker: &mut Worker<'_>, index: usize| {
            let sentence = Sentence::new(bitext.source.words(index).map(|word| (word, "")));
            Ok(worker.parse(&sentence)?.parses.swap_remove(0).tree)
        };
        let trees = (0..bitext.len()).into_par_iter().map_init(|| parser.worker(), parse);
        let trees = trees.collect::<Result<Vec<Tree>>>()?;
        let mut pairs = Self::default();
        for (index, tree) in trees.into_iter().enumerate() {
            pairs.push(tree, bitext.target.words(index));
        }
        Ok(pairs)
    }

    /// Adds a pair.
    pub fn push<'w>(&mut self, tree: Tree, target: impl Iterator<Item = &'w str>) {
        let target: Vec<&str> = target.collect();
        self.bitext.push(tree.words(), target.iter().copied());
        self.trees.push(tree);
    }

    pub(super) fn len(&self) -> usize {
        self.trees.len()
    }

    pub(super) fn num_source_words(&self) -> usize {
        self.trees.iter().map(Tree::num_tokens).sum()
    }

    /// The pairs as text, a line each.
    pub(super) fn lines(&self) -> impl Iterator<Item = String> {
        let target = |index| self.bitext.target.words(index).collect::<Vec<_>>().join(" ");
        self.trees.iter().enumerate().map(move |(index, tree)| format!("{tree}\t{}", target(index)))
    }

    /// The pairs that are neither too short nor too long nor too uneven.
    pub(super) fn filtered(&self, min_words: Option<usize>) -> Self {
        let default = PairFilter::default();
        let filter = PairFilter { min_words: min_words.unwrap_or(default.min_words), ..default };
        let mut kept = Self::default();
        for (index, tree) in self.trees.iter().enumerate() {
            if filter.rejection(tree.num_tokens(), self.bitext.num_words(index).1).is_none() {
                kept.push(tree.clone(), self.bitext.target.words(index));
            }
        }
        kept
    }

    fn extend(&mut self, other: &Self) {
        for (index, tree) in other.trees.iter().enumerate() {
            self.push(tree.clone(), other.bitext.target.words(index));
        }
    }

    /// Links the words of all pairs.
    fn linked(self) -> Result<Vec<AlignedPair>> {
        let aligned = run(&AlignConfig::default(), &self.bitext.lowercased(), None, RunOptions::default())?;
        let aligned = aligned.ok_or_else(|| {
            Error::new(ErrorKind::Mismatch, "expected links, found a run that was broken off")
        })?;
        let [links, strong] = [Symmetrization::GrowDiagFinalAnd, Symmetrization::Intersection]
            .map(|how| aligned.model.symmetrize(how));
        Ok(AlignedPair::all(self.trees, &self.bitext, links, &strong))
    }
}

/// Links the words of pairs. The links of those to learn from and to choose by do not depend on those to test
/// on.
pub(super) fn align(parts: &Parts<PairText>) -> Result<Parts<Vec<AlignedPair>>> {
    let mut all = parts.train.clone();
    all.extend(&parts.dev);
    let test = match &parts.test {
        Some(test) => {
            let mut with_test = all.clone();
            with_test.extend(test);
            Some(with_test.linked()?.split_off(all.len()))
        }
        None => None,
    };
    let mut train = all.linked()?;
    let dev = train.split_off(parts.train.len());
    Ok(Parts { train, dev, test })
}
