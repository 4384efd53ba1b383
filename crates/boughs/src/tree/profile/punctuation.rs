//! Which tags are punctuation, by the words that have them.

use std::collections::BTreeMap;

use crate::tree::{TRACE_TAG, Tree};

/// Of all tokens with the tag of punctuation so many have neither letter nor digit.
const SHARE: f64 = 0.95;

/// The tags of tokens that have neither letter nor digit, nearly always.
pub(super) fn learn(trees: &[Tree]) -> Vec<String> {
    let mut counts: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
    for token in trees.iter().flat_map(Tree::tokens).filter(|token| token.tag != TRACE_TAG) {
        let (of_marks, all) = counts.entry(token.tag).or_default();
        *of_marks += u64::from(!token.word.contains(char::is_alphanumeric));
        *all += 1;
    }
    let is_punctuation =
        |&(_, &(of_marks, all)): &(&&str, &(u64, u64))| of_marks as f64 >= SHARE * all as f64;
    counts.iter().filter(is_punctuation).map(|(tag, _)| (*tag).to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_tell_which_tags_are_punctuation() {
        let tree: Tree = "(S (N a) (P ,) (Q ?) (N -) (Q 1) (-NONE- *))".parse().expect("a tree");
        assert_eq!(learn(&[tree]), ["P"]);
    }

    #[test]
    fn of_english_it_finds_those_of_the_penn_treebank() {
        let learned = learn(&crate::tree::profile::head_statistics::sample_trees());
        for tag in [",", ".", ":", "``", "''"] {
            assert!(learned.iter().any(|other| other == tag), "{tag}: {learned:?}");
        }
        assert!(!learned.iter().any(|tag| tag.starts_with(char::is_alphabetic)), "{learned:?}");
    }
}
