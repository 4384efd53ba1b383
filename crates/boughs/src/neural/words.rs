//! Words as an encoder is shown them, and their shapes.
//!
//! Most small encoders see no case. BERT has vectors of types, for the first and the second of two sentences;
//! here a piece has the shape of its word for a type, and the encoder learns what shapes mean.

use std::borrow::Cow;

use crate::tree::escape::unescape;

/// A word as running text has it, which is what encoders have read: treebanks write quotation marks, brackets
/// and slashes in their own way.
pub(crate) fn as_in_text(word: &str) -> Cow<'_, str> {
    match word {
        "``" | "''" => Cow::Borrowed("\""),
        "`" => Cow::Borrowed("'"),
        _ if word.contains("\\/") => Cow::Owned(word.replace("\\/", "/")),
        _ => unescape(word),
    }
}

/// How a word is written: most encoders see no case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum WordShape {
    /// There is no word: the edge of a sentence.
    Edge,
    /// A quotation mark that opens.
    Opening,
    /// A quotation mark that closes.
    Closing,
    /// `boughs`
    Lower,
    /// `Boughs`
    Capitalized,
    /// `BOUGHS`
    Upper,
    /// `B`
    Initial,
    /// `eBough`
    Mixed,
    /// `1,200`
    Digits,
    /// `2nd`
    LowerDigits,
    /// `B2`
    UpperDigits,
    /// `--`
    Symbols,
    /// Letters of a script that has no case.
    Caseless,
}

/// How many shapes there are.
pub(crate) const NUM_SHAPES: usize = WordShape::Caseless as usize + 1;

impl WordShape {
    /// The shape of a word.
    pub(super) fn of(word: &str) -> Self {
        match word {
            "``" | "`" | "“" | "‘" | "«" => return Self::Opening,
            "''" | "”" | "»" => return Self::Closing,
            _ => {}
        }
        let letters = || word.chars().filter(|c| c.is_alphabetic());
        let has_digits = word.chars().any(char::is_numeric);
        let num_upper = letters().filter(|c| c.is_uppercase()).count();
        let has_lower = letters().any(char::is_lowercase);
        match (letters().next(), has_digits, num_upper, has_lower) {
            (None, true, ..) => Self::Digits,
            (None, false, ..) => Self::Symbols,
            (_, true, 0, _) => Self::LowerDigits,
            (_, true, ..) => Self::UpperDigits,
            (_, false, 0, true) => Self::Lower,
            (_, false, 0, false) => Self::Caseless,
            (_, false, 1, false) => Self::Initial,
            (_, false, _, false) => Self::Upper,
            (Some(first), false, 1, true) if first.is_uppercase() => Self::Capitalized,
            _ => Self::Mixed,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_treebanks() {
        let words = ["``", "''", "`", "'", "-LRB-", "(", "1\\/2", "it's"];
        assert_eq!(words.map(as_in_text), ["\"", "\"", "'", "'", "(", "(", "1/2", "it's"]);
    }

    #[test]
    fn shapes() {
        use WordShape::*;
        for (word, shape) in [
            ("boughs", Lower),
            ("it's", Lower),
            ("Boughs", Capitalized),
            ("Ünal-", Capitalized),
            ("U.S.", Upper),
            ("I", Initial),
            ("'S", Initial),
            ("eBough", Mixed),
            ("McCoy", Mixed),
            ("1,200", Digits),
            ("2nd", LowerDigits),
            ("B2", UpperDigits),
            ("--", Symbols),
            ("``", Opening),
            ("''", Closing),
            ("'", Symbols),
            ("", Symbols),
            ("木", Caseless),
        ] {
            assert_eq!(WordShape::of(word), shape, "{word}");
        }
    }
}
