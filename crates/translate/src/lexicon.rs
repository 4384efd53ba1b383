//! Which translations a word may have.

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use super::examples::AlignedPair;
use crate::align::IdRows;
use boughs_learn::vocab::Vocab;

/// Stands for no translation: the word is left out.
pub(super) const ERASED: u32 = u32::MAX;

/// Which translations a word may have; its most frequent one always. The paper's filter was worse on captions of
/// pictures (`record/2026-11-16-translate.md`).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct CandidateFilter {
    /// How often a translation must have been seen. Default: 2; 3 in the paper.
    pub min_count: u32,
    /// Of which share of the word's translations it must be. Default: 0.005; 0.2 in the paper.
    pub min_share: f64,
    /// The most translations of a word. Default: 40.
    pub max_candidates: usize,
}

impl Default for CandidateFilter {
    fn default() -> Self {
        Self { min_count: 2, min_share: 0.005, max_candidates: 40 }
    }
}

impl CandidateFilter {
    /// Every translation that was seen, up to 40 of a word.
    pub fn all() -> Self {
        Self { min_count: 1, min_share: 0.0, ..Self::default() }
    }

    /// The paper's: at least three times, and a fifth of the word's translations (TWM06, footnote 6), so never more
    /// than five.
    pub fn twm06() -> Self {
        Self { min_count: 3, min_share: 0.2, ..Self::default() }
    }
}

/// Words and their translations, the most frequent first; of equals the one that was seen first, and being left out
/// last.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct BilingualLexicon {
    pub(super) source: Vocab,
    pub(super) target: Vocab,
    /// By source word.
    pub(super) candidates: IdRows,
}

impl BilingualLexicon {
    /// The translations seen in pairs, as far as the filter lets them through.
    pub fn new(pairs: &[AlignedPair], filter: &CandidateFilter) -> Self {
        let mut lexicon = Self::default();
        let mut counts: Vec<FxHashMap<u32, u32>> = Vec::new();
        for pair in pairs {
            for (word, translation) in pair.words() {
                let source = lexicon.source.intern(word) as usize;
                let target = translation.map_or(ERASED, |translation| lexicon.target.intern(translation));
                counts.resize_with(counts.len().max(source + 1), FxHashMap::default);
                *counts[source].entry(target).or_default() += 1;
            }
        }
        for counts in counts {
            lexicon.add(counts.into_iter().collect(), filter);
        }
        lexicon
    }

    fn add(&mut self, mut counts: Vec<(u32, u32)>, filter: &CandidateFilter) {
        counts.sort_unstable_by_key(|&(target, count)| (std::cmp::Reverse(count), target));
        let total: u32 = counts.iter().map(|&(_, count)| count).sum();
        let is_kept = |&(index, &(_, count)): &(usize, &(u32, u32))| {
            let is_frequent =
                count >= filter.min_count && f64::from(count) >= filter.min_share * f64::from(total);
            index == 0 || (is_frequent && index < filter.max_candidates)
        };
        let kept = counts.iter().enumerate().filter(is_kept).map(|(_, &(target, _))| target);
        self.candidates.push(kept);
    }

    /// The number of a source word, as it is or else in lower case.
    pub(super) fn find(&self, word: &str) -> Option<u32> {
        self.source.get(word).or_else(|| self.source.get(&word.to_lowercase()))
    }

    /// The places of the candidates of a source word among all.
    pub(super) fn places(&self, source: u32) -> std::ops::Range<usize> {
        self.candidates.range(source as usize)
    }

    /// The candidates of a source word, which are never none.
    pub(super) fn of(&self, source: u32) -> &[u32] {
        self.candidates.get(source as usize)
    }

    /// The translations of a word; `None` is that it is left out.
    pub fn translations(&self, word: &str) -> Vec<Option<&str>> {
        let source = self.find(word);
        let candidates = source.map_or(&[][..], |source| self.of(source));
        candidates.iter().map(|&target| (target != ERASED).then(|| self.target.name(target))).collect()
    }

    /// The number of source words.
    pub fn num_words(&self) -> usize {
        self.source.len()
    }

    /// The number of pairs of a word and a translation.
    pub fn num_pairs(&self) -> usize {
        self.candidates.num_ids()
    }
}

#[cfg(test)]
mod tests {
    use super::super::examples::tests::pair;
    use super::*;

    #[test]
    fn the_most_frequent_and_the_frequent_are_kept() {
        let mut pairs = Vec::new();
        for (target, count) in [("x", 6), ("y", 3), ("z", 2), ("v", 1)] {
            pairs.extend((0..count).map(|_| pair("(X (A a))", target, "0-0")));
        }
        pairs.push(pair("(X (A b))", "z", "0-0"));
        let lexicon = BilingualLexicon::new(
            &pairs,
            &CandidateFilter { min_count: 3, min_share: 0.2, max_candidates: 40 },
        );
        assert_eq!(lexicon.translations("a"), [Some("x"), Some("y")]);
        assert_eq!(lexicon.translations("B"), [Some("z")]);
        assert_eq!(lexicon.translations("c"), []);
        assert_eq!(BilingualLexicon::new(&pairs, &CandidateFilter::all()).translations("a").len(), 4);
    }

    #[test]
    fn being_left_out_is_a_translation() {
        let lexicon =
            BilingualLexicon::new(&[pair("(X (A a) (B b))", "x", "1-0")], &CandidateFilter::default());
        assert_eq!(lexicon.translations("a"), [None]);
        assert_eq!((lexicon.num_words(), lexicon.num_pairs()), (2, 2));
    }
}
