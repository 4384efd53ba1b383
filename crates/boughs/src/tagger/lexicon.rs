//! The lexicon: how often each word had each tag in the training data.
//!
//! From the counts follow three things: whether a word is rare, which tags it may have (the tag dictionary of
//! Ratnaparkhi 1996: a word seen often enough has no tags but those seen), and its class, the set of tags that it has
//! more than by accident, which features use as a first guess at words that are not tagged yet.

use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashMap};

use super::TagId;
use super::config::Thresholds;
use super::key::join;

/// A tag with less than this share of a word's tokens does not count for its class.
const SMALLEST_SHARE: f64 = 0.02;

/// How often a word had each of its tags.
pub(super) type TagCounts = Vec<(TagId, u32)>;

/// What is known of a word.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct LexiconEntry {
    /// Its tags, the most frequent first, then by number.
    pub(super) counts: TagCounts,
    /// The only tags that it may have, by number; empty if it may have any.
    pub(super) candidates: Vec<TagId>,
    /// The hash of its class, not 0; 0 if it is seen too seldom to have one.
    pub(super) class: u64,
    num_tokens: u64,
}

/// The words seen more than a few times.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct TagLexicon {
    /// From when on a word is rare, and so on.
    pub(super) thresholds: Thresholds,
    /// In the order of the bytes of the words.
    entries: IndexMap<Box<str>, LexiconEntry, FxBuildHasher>,
}

impl LexiconEntry {
    fn new(mut counts: TagCounts, thresholds: &Thresholds) -> Self {
        counts.sort_unstable_by_key(|&(tag, count)| (std::cmp::Reverse(count), tag));
        let num_tokens = counts.iter().map(|&(_, count)| u64::from(count)).sum();
        let mut entry = Self { counts, candidates: Vec::new(), class: 0, num_tokens };
        if num_tokens >= u64::from(thresholds.dictionary) {
            entry.candidates = entry.tags_with_share(0.0);
        }
        if num_tokens >= u64::from(thresholds.class) {
            entry.class = hash_class(&entry.tags_with_share(SMALLEST_SHARE));
        }
        entry
    }

    fn tags_with_share(&self, share: f64) -> Vec<TagId> {
        let least = share * self.num_tokens as f64;
        let frequent = self.counts.iter().filter(|&&(_, count)| f64::from(count) >= least);
        let mut tags: Vec<TagId> = frequent.map(|&(tag, _)| tag).collect();
        tags.sort_unstable();
        tags
    }

    /// The most frequent tag as a value of features.
    pub(super) fn likeliest(&self) -> u64 {
        self.counts.first().map_or(0, |&(tag, _)| tag.value())
    }
}

fn hash_class(tags: &[TagId]) -> u64 {
    tags.iter().fold(1, |hash, tag| join(hash, tag.value())).max(1)
}

impl TagLexicon {
    /// The lexicon of some tokens.
    pub(super) fn count<'a>(
        tokens: impl IntoIterator<Item = (&'a str, TagId)>,
        thresholds: Thresholds,
    ) -> Self {
        let mut counts: FxHashMap<&str, TagCounts> = FxHashMap::default();
        for (word, tag) in tokens {
            let tags = counts.entry(word).or_default();
            match tags.iter_mut().find(|(known, _)| *known == tag) {
                Some((_, count)) => *count = count.saturating_add(1),
                None => tags.push((tag, 1)),
            }
        }
        Self::new(counts.into_iter().map(|(word, counts)| (word.into(), counts)), thresholds)
    }

    /// The lexicon of these counts, without the words that are too rare for all purposes.
    pub(super) fn new(
        words: impl IntoIterator<Item = (Box<str>, TagCounts)>,
        thresholds: Thresholds,
    ) -> Self {
        let entries = words.into_iter().map(|(word, counts)| (word, LexiconEntry::new(counts, &thresholds)));
        let least = u64::from(thresholds.least());
        let mut entries: IndexMap<_, _, _> = entries.filter(|(_, entry)| entry.num_tokens >= least).collect();
        entries.sort_unstable_keys();
        Self { thresholds, entries }
    }

    /// What is known of a word.
    pub(super) fn get(&self, word: &str) -> Option<&LexiconEntry> {
        self.entries.get(word)
    }

    /// The number of a word, and what is known of it.
    pub(super) fn find(&self, word: &str) -> Option<(usize, &LexiconEntry)> {
        self.entries.get_full(word).map(|(number, _, entry)| (number, entry))
    }

    /// The tags that the word of a number may have; empty if it may have any.
    pub(super) fn candidates(&self, number: Option<usize>) -> &[TagId] {
        number.map_or(&[], |number| &self.entries[number].candidates)
    }

    /// Whether a word of this entry is rare.
    pub(super) fn is_rare(&self, entry: Option<&LexiconEntry>) -> bool {
        entry.is_none_or(|entry| entry.num_tokens < u64::from(self.thresholds.rare))
    }

    /// The words and what is known of them, in the order of their bytes.
    pub(super) fn words(&self) -> impl Iterator<Item = (&str, &LexiconEntry)> {
        self.entries.iter().map(|(word, entry)| (&**word, entry))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lexicon() -> TagLexicon {
        let [noun, verb, rare] = [0, 1, 2].map(TagId);
        let mut tokens = vec![("run", verb); 60];
        tokens.extend([("run", noun); 39]);
        tokens.extend([("run", rare); 1]);
        tokens.extend([("walk", noun), ("walk", verb), ("walk", verb), ("hop", verb)]);
        TagLexicon::count(tokens, Thresholds { rare: 3, dictionary: 50, class: 2 })
    }

    #[test]
    fn frequent_words_have_only_their_own_tags() {
        let lexicon = lexicon();
        let run = lexicon.get("run").unwrap();
        assert_eq!(run.candidates, [0, 1, 2].map(TagId));
        assert_eq!(run.counts[0], (TagId(1), 60));
        assert_eq!(run.likeliest(), TagId(1).value());
        assert!(lexicon.get("walk").unwrap().candidates.is_empty());
    }

    #[test]
    fn classes_leave_accidents_out() {
        let lexicon = lexicon();
        assert_eq!(lexicon.get("run").unwrap().class, lexicon.get("walk").unwrap().class);
        assert_eq!(lexicon.get("hop"), None);
        assert!(lexicon.is_rare(lexicon.get("hop")) && !lexicon.is_rare(lexicon.get("walk")));
    }
}
