//! What features see of a word: hashes of its text, its ends and its shape, and what the lexicon knows of it.

use super::key::{hash_text, join};
use super::lexicon::{LexiconEntry, TagLexicon};

pub(super) const MAX_PREFIX: usize = 4;
pub(super) const MAX_SUFFIX: usize = 5;

/// No longer run of letters of one kind makes a difference to a shape.
const MAX_RUN: u32 = 4;

/// Whether affixes are those of the word as it stands or of its lower-cased form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Affixes {
    AsWritten,
    LowerCased,
}

/// A word as the templates see it. The values are hashes; 0 stands for what is not there.
#[derive(Debug, Clone, Default)]
pub(super) struct SeenWord {
    pub(super) text: u64,
    pub(super) lower: u64,
    /// The first one, two, … characters; 0 beyond the word.
    pub(super) prefixes: [u64; MAX_PREFIX],
    /// The last one, two, … characters; 0 beyond the word.
    pub(super) suffixes: [u64; MAX_SUFFIX],
    /// Kinds of characters in order: `Xxxx` of `Mars` and of `Venus`.
    pub(super) shape: u64,
    /// The same without repetition: `Xx`.
    pub(super) outline: u64,
    /// The tags that the word is known to have, or else its outline.
    pub(super) class: u64,
    /// The tag that the word has most often.
    pub(super) likeliest: u64,
    pub(super) is_rare: bool,
    pub(super) has_digit: bool,
    pub(super) has_upper: bool,
    pub(super) has_hyphen: bool,
    /// The number of the word in the lexicon, if it is there as it is written.
    pub(super) entry: Option<usize>,
}

impl SeenWord {
    /// A word; `lower` is scratch for its lower-cased form.
    pub(super) fn new(word: &str, lexicon: &TagLexicon, affixes: Affixes, lower: &mut String) -> Self {
        lower_case(word, lower);
        let mut form = Self { text: hash_text(word), lower: hash_text(lower), ..Self::default() };
        let whole = match affixes {
            Affixes::AsWritten => word,
            Affixes::LowerCased => lower,
        };
        fill_affixes(&mut form.prefixes, whole.chars());
        fill_affixes(&mut form.suffixes, whole.chars().rev());
        form.look_at_characters(word);
        form.look_up(word, lower, lexicon);
        form
    }

    fn look_at_characters(&mut self, word: &str) {
        let mut last = None;
        let mut run = 0;
        for character in word.chars() {
            let kind = kind(character);
            self.has_upper |= kind == 'X';
            self.has_digit |= kind == '0';
            self.has_hyphen |= kind == '-';
            run = if last == Some(kind) { run + 1 } else { 1 };
            if run == 1 {
                self.outline = join(self.outline, kind.into());
            }
            if run <= MAX_RUN {
                self.shape = join(self.shape, kind.into());
            }
            last = Some(kind);
        }
    }

    /// A word that the lexicon does not know as it is written may be known in lower case.
    fn look_up(&mut self, word: &str, lower: &str, lexicon: &TagLexicon) {
        let (number, entry) = lexicon.find(word).unzip();
        self.is_rare = lexicon.is_rare(entry);
        self.entry = number;
        let entry = entry.or_else(|| lexicon.get(lower)).filter(|entry| entry.class != 0);
        self.class = entry.map_or(self.outline, |entry| entry.class);
        self.likeliest = entry.map_or(0, LexiconEntry::likeliest);
    }
}

fn lower_case(word: &str, lower: &mut String) {
    lower.clear();
    if word.is_ascii() {
        lower.push_str(word);
        lower.make_ascii_lowercase();
    } else {
        lower.extend(word.chars().flat_map(char::to_lowercase));
    }
}

fn fill_affixes(affixes: &mut [u64], characters: impl Iterator<Item = char>) {
    let mut hash = 0;
    for (affix, character) in affixes.iter_mut().zip(characters) {
        hash = join(hash, character.into());
        *affix = hash;
    }
}

/// What a character is in a shape: letters and digits stand for all of their kind, anything else for itself.
fn kind(character: char) -> char {
    match character {
        'a'..='z' => 'x',
        'A'..='Z' => 'X',
        '0'..='9' => '0',
        _ if character.is_ascii() => character,
        _ if character.is_uppercase() => 'X',
        _ if character.is_lowercase() => 'x',
        _ if character.is_numeric() => '0',
        _ if character.is_alphabetic() => 'a',
        _ => character,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form(word: &str) -> SeenWord {
        static EMPTY: std::sync::LazyLock<TagLexicon> = std::sync::LazyLock::new(TagLexicon::default);
        SeenWord::new(word, &EMPTY, Affixes::LowerCased, &mut String::new())
    }

    #[test]
    fn shapes_forget_letters_and_long_runs() {
        assert_eq!(form("Mars").shape, form("Cats").shape);
        assert_eq!(form("Jupiter").shape, form("Neptune's".trim_end_matches("'s")).shape);
        assert_ne!(form("Mars").shape, form("mars").shape);
        assert_ne!(form("Io").shape, form("Mars").shape);
        assert_eq!(form("Io").outline, form("Mars").outline);
        assert_eq!(form("1,000").outline, form("12,5").outline);
        assert_ne!(form("1,000").outline, form("1.000").outline);
    }

    #[test]
    fn affixes_end_with_the_word() {
        let short = form("ab");
        assert_eq!(short.prefixes[2..], [0, 0]);
        assert_ne!(short.prefixes[1], short.suffixes[1]);
        assert_eq!(form("walking").suffixes[..3], form("SING").suffixes[..3]);
        assert_eq!(form("").suffixes, [0; MAX_SUFFIX]);
    }

    #[test]
    fn characters_of_all_scripts_have_kinds() {
        assert_eq!(form("Ärger").shape, form("Anger").shape);
        assert!(form("É").has_upper && form("٣").has_digit && form("x-y").has_hyphen);
        assert_eq!(form("日本").outline, form("語").outline);
    }
}
