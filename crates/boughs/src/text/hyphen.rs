//! Hyphens as the newer treebanks treat them: each is a token, unless it joins a word to an affix.

use std::ops::Range;

use super::chars::is_hyphen;
use super::contraction;
use super::language::Conventions;

/// What is not cut off from the word after it.
const PREFIXES: [&str; 30] = [
    "ante", "anti", "arch", "auto", "bi", "co", "counter", "cross", "de", "ex", "extra", "hetero", "inter",
    "intra", "mal", "mega", "mid", "mini", "multi", "non", "over", "peri", "post", "pre", "pro", "pseudo",
    "re", "semi", "sub", "super",
];

/// What is not cut off from the word before it.
const SUFFIXES: [&str; 6] = ["esque", "fest", "fold", "gate", "less", "wise"];

/// Calls `emit` with the places of the parts of a word that begins at `at`, hyphens and clitics included.
pub(super) fn split(word: &str, at: usize, language: &Conventions, emit: &mut impl FnMut(Range<usize>)) {
    if !word.contains(is_hyphen) || is_whole(word) {
        return contraction::split(word, at, language, emit);
    }
    let mut start = 0;
    for (place, hyphen) in word.char_indices().filter(|(_, c)| is_hyphen(*c)) {
        let after = place + hyphen.len_utf8();
        if after == word.len() || joins_affix(&word[start..place], &word[after..]) {
            continue;
        }
        if start < place {
            contraction::split(&word[start..place], at + start, language, emit);
        }
        emit(at + place..at + after);
        start = after;
    }
    contraction::split(&word[start..], at + start, language, emit);
}

/// Whether the hyphen between these is no token: `before` goes back to the last one that is.
fn joins_affix(before: &str, after: &str) -> bool {
    let end = after.find(is_hyphen).unwrap_or(after.len());
    let is_in = |list: &[&str], word: &str| list.iter().any(|affix| word.eq_ignore_ascii_case(affix));
    let is_electronic = before == "e" && end > 2 && after.starts_with(|c: char| c.is_ascii_lowercase());
    is_in(&PREFIXES, before) || is_in(&SUFFIXES, &after[..end]) || is_electronic
}

/// Whether no hyphen of the word is a token: sounds (`uh-huh`), numbers of telephones, dates of machines.
fn is_whole(word: &str) -> bool {
    let mut lengths = [0; 3];
    for (index, part) in word.split(is_hyphen).enumerate() {
        if index == lengths.len() || !part.bytes().all(|byte| byte.is_ascii_digit()) {
            return is_sound(word);
        }
        lengths[index] = part.len();
    }
    matches!(lengths, [3, 4, 0] | [3, 3, 4] | [4, 2, 2])
}

fn is_sound(word: &str) -> bool {
    const SOUNDS: [&str; 13] =
        ["ah", "ha", "hm", "hmm", "ho", "hoo", "huh", "m", "mm", "oh", "uh", "um", "whoo"];
    word.split(is_hyphen).all(|part| SOUNDS.iter().any(|sound| part.eq_ignore_ascii_case(sound)))
}

#[cfg(test)]
mod tests {
    use super::super::language::Language;
    use super::*;

    fn parts(word: &str) -> String {
        let mut parts = Vec::new();
        split(word, 0, Language::English.conventions(), &mut |range: Range<usize>| parts.push(&word[range]));
        assert_eq!(parts.concat(), word);
        parts.join(" ")
    }

    #[test]
    fn hyphens_are_tokens() {
        for (word, expected) in [
            ("well-known", "well - known"),
            ("mother-in-law's", "mother - in - law 's"),
            ("1990-1995", "1990 - 1995"),
            ("non-native-like", "non-native - like"),
            ("anti-co-op", "anti-co - op"),
            ("ten-fold", "ten-fold"),
            ("E-cadherin", "E - cadherin"),
            ("-based", "- based"),
        ] {
            assert_eq!(parts(word), expected);
        }
    }

    #[test]
    fn some_words_stay_whole() {
        for word in
            ["re-elect", "Uh-huh", "mm-hm", "555-1234", "202-555-1234", "2005-12-31", "e-mail", "th-", "-"]
        {
            assert_eq!(parts(word), word);
        }
    }
}
