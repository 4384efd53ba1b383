//! BERT's basic tokenisation: a word becomes runs of normalised characters, which remember their bytes.
//!
//! It cleans (no control characters), isolates Chinese characters and punctuation, and, as the encoder wants
//! it, strips accents and lowers case. The result must be that of the code an encoder was trained with, so
//! the rules are those of Hugging Face's `tokenizers`, quirks included: accents go by decomposition, case
//! goes character by character (no final sigma), and ASCII symbols such as `$` are punctuation.

use std::ops::Range;

use serde::{Deserialize, Serialize};
use unicode_normalization::char::decompose_canonical;
use unicode_properties::{GeneralCategory, GeneralCategoryGroup, UnicodeGeneralCategory};

/// How words are normalised.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Normalization {
    /// Removes control characters, and treats all blanks alike.
    pub clean: bool,
    /// Chinese characters stand alone.
    pub isolate_chinese: bool,
    /// Removes accents.
    pub strip_accents: bool,
    /// Lowers case.
    pub lowercase: bool,
}

/// A normalised word; one is filled again and again.
#[derive(Debug, Default)]
pub(super) struct Normalized {
    pub text: String,
    chars: Vec<NormalizedChar>,
    /// Where each run starts in `chars`.
    starts: Vec<usize>,
}

#[derive(Debug)]
struct NormalizedChar {
    /// Its place in the normalised text.
    at: usize,
    /// The bytes of the word that it came from.
    source: Range<u32>,
}

impl Normalized {
    /// Normalises a word and cuts it into runs.
    pub fn fill(&mut self, rules: Normalization, word: &str) {
        self.text.clear();
        self.chars.clear();
        self.starts.clear();
        let mut open = false;
        for (at, c) in word.char_indices() {
            let source = at as u32..(at + c.len_utf8()) as u32;
            if rules.clean && is_removed(c) {
                continue;
            }
            let is_alone = rules.isolate_chinese && is_chinese(c);
            open &= !is_alone;
            fold(rules, c, |c| {
                if c.is_whitespace() {
                    open = false;
                    return;
                }
                let is_mark = is_punctuation(c);
                if is_mark || !open {
                    self.starts.push(self.chars.len());
                }
                open = !is_mark;
                self.chars.push(NormalizedChar { at: self.text.len(), source: source.clone() });
                self.text.push(c);
            });
            open &= !is_alone;
        }
    }

    /// The runs, as ranges of characters.
    pub fn runs(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        let ends = self.starts.iter().skip(1).copied().chain([self.chars.len()]);
        self.starts.iter().copied().zip(ends).map(|(start, end)| start..end)
    }

    /// The text of some characters.
    pub fn text_of(&self, chars: Range<usize>) -> &str {
        let at = |index: usize| self.chars.get(index).map_or(self.text.len(), |c| c.at);
        &self.text[at(chars.start)..at(chars.end)]
    }

    /// The bytes of the word that some characters came from; there must be some.
    pub fn source_of(&self, chars: Range<usize>) -> Range<u32> {
        self.chars[chars.start].source.start..self.chars[chars.end - 1].source.end
    }
}

/// Gives out what a character becomes: nothing, itself, or several.
fn fold(rules: Normalization, c: char, mut emit: impl FnMut(char)) {
    let mut lower = |c: char| match rules.lowercase {
        true => c.to_lowercase().for_each(&mut emit),
        false => emit(c),
    };
    match rules.strip_accents {
        // Marks are not put into canonical order, as decomposition would: those that order concerns are
        // removed.
        true => decompose_canonical(c, |c| {
            if c.general_category() != GeneralCategory::NonspacingMark {
                lower(c);
            }
        }),
        false => lower(c),
    }
}

fn is_removed(c: char) -> bool {
    use GeneralCategory::{Control, Format, PrivateUse};
    let is_other = matches!(c.general_category(), Control | Format | PrivateUse);
    c == '\u{FFFD}' || is_other && !matches!(c, '\t' | '\n' | '\r')
}

fn is_punctuation(c: char) -> bool {
    c.is_ascii_punctuation() || c.general_category_group() == GeneralCategoryGroup::Punctuation
}

/// The blocks of Chinese characters, as BERT lists them; `2B920` is a slip of the original, which wrote it
/// down so.
fn is_chinese(c: char) -> bool {
    matches!(
        u32::from(c),
        0x4E00..=0x9FFF
            | 0x3400..=0x4DBF
            | 0x20000..=0x2A6DF
            | 0x2A700..=0x2B73F
            | 0x2B740..=0x2B81F
            | 0x2B920..=0x2CEAF
            | 0xF900..=0xFAFF
            | 0x2F800..=0x2FA1F
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const UNCASED: Normalization =
        Normalization { clean: true, isolate_chinese: true, strip_accents: true, lowercase: true };

    /// The runs of a word, each with its bytes.
    fn runs(rules: Normalization, word: &str) -> Vec<(String, Range<u32>)> {
        let mut normalized = Normalized::default();
        normalized.fill(rules, word);
        let pair =
            |run: Range<usize>| (normalized.text_of(run.clone()).to_owned(), normalized.source_of(run));
        normalized.runs().map(pair).collect()
    }

    fn texts(rules: Normalization, word: &str) -> Vec<String> {
        runs(rules, word).into_iter().map(|(text, _)| text).collect()
    }

    #[test]
    fn case_and_accents() {
        assert_eq!(texts(UNCASED, "Éclair"), ["eclair"]);
        assert_eq!(texts(Normalization { strip_accents: false, ..UNCASED }, "Éclair"), ["éclair"]);
        assert_eq!(texts(Normalization { lowercase: false, ..UNCASED }, "Éclair"), ["Eclair"]);
        assert_eq!(texts(UNCASED, "ΣΟΦΟΣ"), ["σοφοσ"]);
    }

    #[test]
    fn marks_and_chinese_characters_stand_alone() {
        assert_eq!(texts(UNCASED, "U.S.-based"), ["u", ".", "s", ".", "-", "based"]);
        assert_eq!(texts(UNCASED, "ab中文cd"), ["ab", "中", "文", "cd"]);
        assert_eq!(texts(UNCASED, "$5–6"), ["$", "5", "–", "6"]);
    }

    #[test]
    fn bytes_are_those_of_the_word() {
        // The combining accent (bytes 1 to 3) belongs to nothing; é is two bytes.
        assert_eq!(runs(UNCASED, "e\u{301}x"), [("ex".to_owned(), 0..4)]);
        assert_eq!(
            runs(UNCASED, "é-b"),
            [("e".to_owned(), 0..2), ("-".to_owned(), 2..3), ("b".to_owned(), 3..4)]
        );
        assert_eq!(runs(UNCASED, "\u{200B}a b"), [("a".to_owned(), 3..4), ("b".to_owned(), 5..6)]);
        assert!(runs(UNCASED, "\u{200B}").is_empty());
    }
}
