//! Templates beyond Ratnaparkhi's: what later taggers found useful, and what helped on development data.
//!
//! Words to the right have no tags yet; their classes, the sets of tags that they had in training, stand in for them
//! (the ambiguity classes of Giménez and Màrquez's SVMTool, 2004).

use super::{FIRST_HISTORY, TagHistory, Window};
use crate::tagger::key::Keys;

pub(super) fn add_word_keys(window: &Window<'_>, keys: &mut Vec<u64>) {
    let mut keys = Keys::new(keys, 0);
    add_own(window, &mut keys);
    add_neighbours(window, &mut keys);
    add_pairs_of_words(window, &mut keys);
    add_classes(window, &mut keys);
}

fn add_own(window: &Window<'_>, keys: &mut Keys<'_>) {
    let here = window.here;
    keys.always();
    keys.one(here.text);
    keys.one(here.lower);
    for &affix in here.prefixes.iter().chain(&here.suffixes) {
        keys.one_if(affix != 0, affix);
    }
    keys.one(here.shape);
    keys.one(here.outline);
    keys.two(here.outline, window.is_first.into());
    keys.two(here.outline, here.suffixes[2]);
    keys.two(here.prefixes[0], here.suffixes[1]);
}

fn add_neighbours(window: &Window<'_>, keys: &mut Keys<'_>) {
    let Window { before, here, after, .. } = *window;
    for neighbour in [before[0], before[1], after[0], after[1]] {
        keys.one(neighbour.lower);
    }
    keys.one(before[0].suffixes[2]);
    keys.one(after[0].suffixes[2]);
    keys.one(after[0].suffixes[1]);
    for neighbour in [before[0], after[0]] {
        keys.one(neighbour.outline);
        keys.two(neighbour.outline, here.outline);
    }
}

fn add_pairs_of_words(window: &Window<'_>, keys: &mut Keys<'_>) {
    let Window { before, here, after, .. } = *window;
    keys.two(before[0].lower, here.lower);
    keys.two(here.lower, after[0].lower);
    keys.two(before[0].lower, after[0].lower);
    keys.two(before[1].lower, before[0].lower);
    keys.two(after[0].lower, after[1].lower);
}

fn add_classes(window: &Window<'_>, keys: &mut Keys<'_>) {
    let Window { here, after, .. } = *window;
    keys.one(here.class);
    keys.one(after[0].class);
    keys.one(after[1].class);
    keys.two(here.class, after[0].class);
    keys.two(after[0].class, after[1].class);
    keys.two(here.suffixes[2], after[0].class);
    keys.two(here.likeliest, after[0].likeliest);
}

pub(super) fn add_history_keys(window: &Window<'_>, history: TagHistory, keys: &mut Vec<u64>) {
    let Window { before, here, after, .. } = *window;
    let (last, second) = (history.0.value(), history.1.value());
    let mut keys = Keys::new(keys, FIRST_HISTORY);
    keys.one(last);
    keys.one(second);
    keys.two(last, second);
    keys.two(last, here.lower);
    keys.two(last, here.suffixes[1]);
    keys.two(last, here.suffixes[2]);
    keys.two(last, here.outline);
    keys.two(last, here.class);
    keys.two(last, before[0].lower);
    keys.two(last, after[0].lower);
    keys.two(last, after[0].class);
    keys.three(last, here.class, after[0].class);
    keys.three(last, second, here.lower);
    keys.three(last, second, here.class);
    keys.three(last, second, after[0].class);
}
