//! Words that end with a period of their own, by what the period says about the end of a sentence.

use super::language::{Abbreviations, Conventions};

/// What a period after a word means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Abbreviation {
    /// It never ends a sentence: something must follow, as a name after `Mr.`.
    Prefix,
    /// It ends no sentence if a number follows, as after `No.`; otherwise the word is no abbreviation.
    BeforeNumber,
    /// It may end a sentence, as after `Inc.` or `U.S.`; what follows must tell.
    Anywhere,
    /// An initial, as in `J. Smith`, or a letter that happens to be the last word.
    Initial,
}

impl Abbreviation {
    /// What the word, written with a period after it, is; none if it is an ordinary word.
    pub(super) fn of(word: &str, language: &Conventions) -> Option<Self> {
        let num_chars = word.chars().take(2).count();
        if num_chars == 1 && word.starts_with(char::is_alphabetic) {
            return Some(single_letter(word));
        }
        if has_inner_period(word) {
            let is_prefix = language.abbreviations.prefixes.contains(&word.to_lowercase());
            return Some(if is_prefix { Self::Prefix } else { Self::Anywhere });
        }
        if !(2..=LONGEST).contains(&word.len()) {
            return None;
        }
        listed(word, &language.abbreviations)
    }
}

/// A small letter is a unit (`5 h.`), or short for a word before a number (`p. 5`).
fn single_letter(word: &str) -> Abbreviation {
    match word {
        "v" => Abbreviation::Prefix,
        _ if word.starts_with(char::is_lowercase) => Abbreviation::BeforeNumber,
        _ => Abbreviation::Initial,
    }
}

/// Whether the word is made of short parts with periods between them, as `U.S`, `Ph.D`, `a.m`: no number, no host.
fn has_inner_period(word: &str) -> bool {
    let is_part =
        |part: &str| (1..=3).contains(&part.chars().take(4).count()) && part.chars().all(char::is_alphabetic);
    word.contains('.')
        && word.split('.').all(is_part)
        && word.split('.').any(|part| part.chars().nth(1).is_none())
}

/// The longest word of the lists, in bytes.
const LONGEST: usize = 8;

fn listed(word: &str, lists: &Abbreviations) -> Option<Abbreviation> {
    let lower = word.to_lowercase();
    // Words all in capitals are names of other things: `EST`, `OCT`, `CA`.
    let is_shouted = word.chars().nth(1).is_some_and(char::is_uppercase);
    let is_capital = word.starts_with(char::is_uppercase) && !is_shouted;
    let is_prefix = (!is_shouted && lists.prefixes.contains(&lower))
        || (is_capital && lists.capital_prefixes.contains(&lower));
    if is_prefix || lists.titles.contains(&lower) {
        Some(Abbreviation::Prefix)
    } else if lists.anywhere.contains(&lower) || (is_capital && lists.capitals_anywhere.contains(&lower)) {
        Some(Abbreviation::Anywhere)
    } else if lists.before_numbers.contains(&lower) {
        Some(Abbreviation::BeforeNumber)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::super::language::Language;
    use super::*;

    #[test]
    fn words_by_what_their_period_means() {
        for (word, expected) in [
            ("Mr", Some(Abbreviation::Prefix)),
            ("e.g", Some(Abbreviation::Prefix)),
            ("Gen", Some(Abbreviation::Prefix)),
            ("gen", None),
            ("No", Some(Abbreviation::BeforeNumber)),
            ("Inc", Some(Abbreviation::Anywhere)),
            ("U.S", Some(Abbreviation::Anywhere)),
            ("Ph.D", Some(Abbreviation::Anywhere)),
            ("Sun", Some(Abbreviation::Anywhere)),
            ("sun", None),
            ("EST", None),
            ("CA", None),
            ("MR", Some(Abbreviation::Prefix)),
            ("ms", None),
            ("h", Some(Abbreviation::BeforeNumber)),
            ("J", Some(Abbreviation::Initial)),
            ("É", Some(Abbreviation::Initial)),
            ("3.5", None),
            ("node.js", None),
            ("7", None),
            ("bough", None),
            ("", None),
        ] {
            assert_eq!(Abbreviation::of(word, Language::English.conventions()), expected, "{word}");
        }
    }
}
