//! The templates of Adwait Ratnaparkhi, A maximum entropy model for part-of-speech tagging (EMNLP 1996), table 1.

use super::{FIRST_HISTORY, TagHistory, Window};
use crate::tagger::key::Keys;

pub(super) fn add_word_keys(window: &Window<'_>, keys: &mut Vec<u64>) {
    let Window { before, here, after, .. } = *window;
    let mut keys = Keys::new(keys, 0);
    keys.always();
    keys.one_if(!here.is_rare, here.text);
    for &prefix in &here.prefixes {
        keys.one_if(here.is_rare && prefix != 0, prefix);
    }
    for &suffix in &here.suffixes[..4] {
        keys.one_if(here.is_rare && suffix != 0, suffix);
    }
    for has in [here.has_digit, here.has_upper, here.has_hyphen] {
        keys.one_if(here.is_rare && has, 0);
    }
    for neighbour in [before[0], before[1], after[0], after[1]] {
        keys.one(neighbour.text);
    }
}

pub(super) fn add_history_keys(TagHistory(last, second): TagHistory, keys: &mut Vec<u64>) {
    let mut keys = Keys::new(keys, FIRST_HISTORY);
    keys.one(last.value());
    keys.two(last.value(), second.value());
}
