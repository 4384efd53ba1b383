//! Endings by which unknown words are told apart, by information gain.
//!
//! Rare words stand for unknown ones. An ending is worth as many bits as it saves in telling their tags: the entropy of
//! the tags, less what remains once it is known whether a word has the ending.

use std::collections::BTreeMap;

use crate::tree::{TRACE_TAG, Tree};

/// Words that occur more often are known.
const RARE: usize = 5;
/// The longest ending, in characters.
const LONGEST: usize = 4;
/// Different words that must have an ending.
const LEAST_WORDS: u32 = 20;
/// The most endings.
const MOST: usize = 40;

type TagCounts<'t> = BTreeMap<&'t str, u32>;

/// The text of the best endings, the longest first, as word classes are written.
pub(super) fn learn(trees: &[Tree], punctuation: &[String]) -> String {
    let mut words: BTreeMap<String, TagCounts<'_>> = BTreeMap::new();
    let tokens = trees.iter().flat_map(Tree::tokens);
    for token in
        tokens.filter(|token| token.tag != TRACE_TAG && !punctuation.iter().any(|tag| tag == token.tag))
    {
        *words.entry(token.word.to_lowercase()).or_default().entry(token.tag).or_default() += 1;
    }
    words.retain(|word, tags| {
        tags.values().sum::<u32>() as usize <= RARE && !word.contains(|c: char| c.is_numeric() || c == '-')
    });
    text(&best(&words))
}

/// The endings that save the most bits; of equal ones the first by name.
fn best(words: &BTreeMap<String, TagCounts<'_>>) -> Vec<String> {
    let mut all = TagCounts::new();
    let mut by_ending: BTreeMap<&str, (u32, TagCounts<'_>)> = BTreeMap::new();
    for (word, tags) in words {
        add(&mut all, tags);
        for ending in endings(word) {
            let (num_words, of_ending) = by_ending.entry(ending).or_default();
            *num_words += 1;
            add(of_ending, tags);
        }
    }
    let mut gains: Vec<(f64, &str)> = by_ending
        .iter()
        .filter(|(_, (num_words, _))| *num_words >= LEAST_WORDS)
        .map(|(ending, (_, with))| (gain(&all, with), *ending))
        .collect();
    gains.sort_by(|(one, name), (other, other_name)| other.total_cmp(one).then_with(|| name.cmp(other_name)));
    gains
        .into_iter()
        .filter(|(gain, _)| *gain > 0.0)
        .take(MOST)
        .map(|(_, ending)| ending.to_owned())
        .collect()
}

/// The endings of a word that leave something of it.
fn endings(word: &str) -> impl Iterator<Item = &str> {
    let starts: Vec<usize> = word.char_indices().map(|(start, _)| start).skip(1).collect();
    starts.into_iter().rev().take(LONGEST).map(|start| &word[start..])
}

fn add<'t>(sums: &mut TagCounts<'t>, counts: &TagCounts<'t>) {
    for (tag, count) in counts {
        *sums.entry(tag).or_default() += count;
    }
}

/// What knowing of an ending saves, in bits a word.
fn gain(all: &TagCounts<'_>, with: &TagCounts<'_>) -> f64 {
    let mut without = all.clone();
    for (tag, count) in with {
        if let Some(left) = without.get_mut(tag) {
            *left -= count;
        }
    }
    let total = |counts: &TagCounts<'_>| counts.values().map(|&count| f64::from(count)).sum::<f64>();
    bits(all) - (total(with) * bits(with) + total(&without) * bits(&without)) / total(all)
}

fn bits(counts: &TagCounts<'_>) -> f64 {
    let total: f64 = counts.values().map(|&count| f64::from(count)).sum();
    let shares = counts.values().filter(|&&count| count > 0).map(|&count| f64::from(count) / total);
    -shares.map(|share| share * share.log2()).sum::<f64>()
}

/// A line for each length; the first that fits decides, so the longest come first.
fn text(endings: &[String]) -> String {
    let mut by_length: BTreeMap<usize, Vec<&str>> = BTreeMap::new();
    for ending in endings {
        by_length.entry(ending.chars().count()).or_default().push(ending);
    }
    let line = |(length, list): (&usize, &Vec<&str>)| format!("suffixes {} {}\n", length + 1, list.join(" "));
    by_length.iter().rev().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Words of five letters that differ in front.
    fn words(ending: &str, tag: &str, count: usize) -> String {
        let letter = |number: usize| char::from(b'a' + (number % 26) as u8);
        (0..count).map(|it| format!("({tag} {}{}{ending})", letter(it), letter(it / 26))).collect()
    }

    #[test]
    fn endings_that_tell_tags_apart_are_found() {
        let text = format!("(S {}{})", words("ung", "N", 60), words("bar", "J", 60));
        let learned = learn(&[text.parse().expect("a tree")], &[]);
        assert!(
            learned.lines().any(|line| line.starts_with("suffixes 4 ") && line.contains("ung")),
            "{learned}"
        );
        let lengths: Vec<&str> = learned.lines().filter_map(|line| line.split(' ').nth(1)).collect();
        assert!(lengths.is_sorted_by(|one, next| one > next), "{learned}");
    }

    #[test]
    fn endings_that_say_nothing_are_left_out() {
        let text = format!("(S {})", words("ung", "N", 60));
        assert_eq!(learn(&[text.parse().expect("a tree")], &[]), "");
        assert_eq!(learn(&[], &[]), "");
    }

    #[test]
    fn gains_are_those_of_the_formula() {
        let all = TagCounts::from([("A", 4), ("B", 4)]);
        assert!((gain(&all, &TagCounts::from([("A", 4)])) - 1.0).abs() < 1e-12);
        assert!(gain(&all, &TagCounts::from([("A", 2), ("B", 2)])).abs() < 1e-12);
    }
}
