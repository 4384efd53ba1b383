//! What features see of words.
//!
//! The naive form sees the word. Most words are rare, and of those an ending says more: [`WordForm::Class`] is the
//! word where it is frequent, and else the longest ending that is, behind marks for a capital, a digit and a hyphen.

use std::borrow::Cow;

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;
use xxhash_rust::xxh3::xxh3_64;

use super::WordForm;
use crate::error::{Error, ErrorKind, Result};
use crate::vocab::Vocab;

/// Endings of more letters are words.
const LONGEST_ENDING: usize = 8;

/// Which words and endings are frequent, and the clusters of words.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct WordForms {
    frequent: Vocab,
    clusters: HashMap<Box<str>, Box<str>, FxBuildHasher>,
    cluster_text: String,
}

impl WordForms {
    /// The words and endings of at least `min_count` occurrences, given words with their counts.
    pub fn new<'w>(words: impl IntoIterator<Item = (&'w str, u32)>, min_count: u32) -> Self {
        let mut frequent = Vocab::new();
        let mut endings: HashMap<String, u32, FxBuildHasher> = HashMap::default();
        let mut order = Vocab::new();
        for (word, count) in words {
            if count >= min_count {
                frequent.intern(word);
                continue;
            }
            for ending in endings_of(word) {
                order.intern(&ending);
                *endings.entry(ending).or_default() += count;
            }
        }
        for ending in order.iter().filter(|ending| endings[*ending] >= min_count) {
            frequent.intern(ending);
        }
        Self { frequent, ..Self::default() }
    }

    /// The forms with these frequent words and endings.
    pub(super) fn of_frequent(frequent: Vocab) -> Self {
        Self { frequent, ..Self::default() }
    }

    /// The same with clusters, one word a line: the word, a tab, the name of its cluster.
    ///
    /// # Errors
    /// [`ErrorKind::Syntax`] if a line is of another form.
    pub fn with_clusters(mut self, text: &str) -> Result<Self> {
        self.clusters.clear();
        for (number, line) in (1..).zip(text.lines()) {
            let mut fields = line.split('\t');
            let (Some(word), Some(cluster)) = (fields.next(), fields.next()) else {
                let message = format!("expected a word, a tab and its cluster, found `{line}`");
                return Err(Error::new(ErrorKind::Syntax, message).at_line(number));
            };
            self.clusters.insert(word.into(), cluster.into());
        }
        self.cluster_text = text.to_owned();
        Ok(self)
    }

    /// The frequent words, and endings.
    pub fn frequent(&self) -> &Vocab {
        &self.frequent
    }

    /// The text that the clusters were read from.
    pub fn cluster_text(&self) -> &str {
        &self.cluster_text
    }

    /// What a form shows of a word with a tag.
    pub fn text<'w>(&'w self, form: WordForm, word: &'w str, tag: &'w str) -> Cow<'w, str> {
        match form {
            WordForm::Word => Cow::Borrowed(word),
            WordForm::Class => self.class(word),
            WordForm::Suffix(length) => Cow::Owned(suffix(&word.to_lowercase(), length.into()).to_owned()),
            WordForm::Prefix(length) => Cow::Owned(prefix(&word.to_lowercase(), length.into()).to_owned()),
            WordForm::Shape => Cow::Owned(shape(word)),
            WordForm::Tag => Cow::Borrowed(tag),
            WordForm::Cluster => Cow::Borrowed(self.clusters.get(word).map_or("", AsRef::as_ref)),
        }
    }

    /// The same as a number.
    pub fn value(&self, form: WordForm, word: &str, tag: &str) -> u64 {
        xxh3_64(self.text(form, word, tag).as_bytes())
    }

    fn class<'w>(&'w self, word: &'w str) -> Cow<'w, str> {
        match self.frequent.get(word) {
            Some(_) => Cow::Borrowed(word),
            None => endings_of(word).find(|it| self.frequent.get(it).is_some()).unwrap_or_default().into(),
        }
    }
}

/// The endings of a word with the marks of its form, the longest first; the last is none.
fn endings_of(word: &str) -> impl Iterator<Item = String> {
    let mut marks = String::new();
    for (mark, holds) in [
        ('C', word.chars().next().is_some_and(char::is_uppercase)),
        ('9', word.chars().any(char::is_numeric)),
        ('h', word.contains('-')),
    ] {
        if holds {
            marks.push(mark);
        }
    }
    let lower = word.to_lowercase();
    (0..=LONGEST_ENDING.min(lower.chars().count()))
        .rev()
        .map(move |length| format!("{marks}~{}", suffix(&lower, length)))
}

fn suffix(word: &str, length: usize) -> &str {
    let skipped = word.chars().count().saturating_sub(length);
    word.char_indices().nth(skipped).map_or("", |(start, _)| &word[start..])
}

fn prefix(word: &str, length: usize) -> &str {
    word.char_indices().nth(length).map_or(word, |(end, _)| &word[..end])
}

/// The kind of each letter, at most two of a kind in a row.
fn shape(word: &str) -> String {
    let mut shape = String::new();
    let mut run = 0;
    for kind in word.chars().map(letter_kind) {
        run = if shape.ends_with(kind) { run + 1 } else { 1 };
        if run <= 2 {
            shape.push(kind);
        }
    }
    shape
}

fn letter_kind(c: char) -> char {
    match c {
        _ if c.is_uppercase() => 'X',
        _ if c.is_alphabetic() => 'x',
        _ if c.is_numeric() => '9',
        _ => c,
    }
}

/// The kind of a word, in one letter: that of its first, or the mark itself.
pub(crate) fn word_kind(word: &str) -> char {
    word.chars().next().map_or(' ', letter_kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rare_words_are_seen_by_their_longest_frequent_ending() {
        let forms = WordForms::new([("the", 9), ("walking", 2), ("talking", 2), ("Kim", 1), ("4x4", 1)], 3);
        for (word, class) in
            [("the", "the"), ("walking", "~alking"), ("balking", "~alking"), ("Ring", ""), ("king", "~king")]
        {
            assert_eq!(forms.text(WordForm::Class, word, ""), class, "{word}");
        }
    }

    #[test]
    fn forms_of_words() {
        let forms = WordForms::default().with_clusters("Größe\t0101\n").unwrap();
        for (form, text) in [
            (WordForm::Word, "Größe"),
            (WordForm::Suffix(2), "ße"),
            (WordForm::Suffix(9), "größe"),
            (WordForm::Prefix(3), "grö"),
            (WordForm::Shape, "Xxx"),
            (WordForm::Cluster, "0101"),
        ] {
            assert_eq!(forms.text(form, "Größe", "NN"), text, "{form}");
        }
        assert_eq!(forms.text(WordForm::Shape, "U.S.-1990", ""), "X.X.-99");
        assert_eq!(forms.text(WordForm::Suffix(3), "", ""), "");
        assert!(WordForms::default().with_clusters("no tab").unwrap_err().to_string().contains("line 1"));
    }
}
