//! Words that are two or three: `do n't`, `I 'd 've`, `can not`, `gon na`.

use std::ops::Range;

use super::chars::is_apostrophe;
use super::language::Conventions;

/// The most clitics of one word: `y'all'd've`.
const MAX_CUTS: usize = 4;

/// Whether the word, after an apostrophe, is one that has lost its beginning, or a year without its century.
pub(super) fn is_elided(word: &str, language: &Conventions) -> bool {
    let digits = word.strip_suffix('s').unwrap_or(word);
    let is_year = digits.len() == 2 && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_year || language.is_elided(word)
}

/// Calls `emit` with the places of the parts of a word that begins at `at`.
pub(super) fn split(word: &str, at: usize, language: &Conventions, emit: &mut impl FnMut(Range<usize>)) {
    if let Some(cut) = language.fused(word) {
        emit(at..at + cut);
        emit(at + cut..at + word.len());
        return;
    }
    let mut start = elisions(word, at, language, emit);
    let (cuts, num_cuts) = cuts(&word[start..], language);
    let first = start;
    for &cut in cuts[..num_cuts].iter().rev() {
        emit(at + start..at + first + cut);
        start = first + cut;
    }
    if start < word.len() {
        emit(at + start..at + word.len());
    }
}

/// Calls `emit` with the elided words that a word begins with, and returns where it goes on.
fn elisions(word: &str, at: usize, language: &Conventions, emit: &mut impl FnMut(Range<usize>)) -> usize {
    let mut start = 0;
    while let Some(mark) = word[start..].find(is_apostrophe).map(|mark| start + mark) {
        if !language.is_elision(&word[start..mark]) {
            break;
        }
        let end = mark + word[mark..].chars().next().map_or(0, char::len_utf8);
        emit(at + start..at + end);
        start = end;
    }
    start
}

/// Where the clitics of a word begin, the last one first, and how many there are.
fn cuts(word: &str, language: &Conventions) -> ([usize; MAX_CUTS], usize) {
    let mut cuts = [0; MAX_CUTS];
    let mut num_cuts = 0;
    let mut end = word.len();
    while num_cuts < MAX_CUTS {
        let Some(cut) = last_cut(&word[..end], language).filter(|&cut| 0 < cut && cut < end) else { break };
        cuts[num_cuts] = cut;
        num_cuts += 1;
        end = cut;
    }
    (cuts, num_cuts)
}

fn last_cut(word: &str, language: &Conventions) -> Option<usize> {
    let mark = word.rfind(is_apostrophe)?;
    let before = &word[..mark];
    let after = word[mark..].trim_start_matches(is_apostrophe);
    let begins_with = |letters: &str| before.eq_ignore_ascii_case(letters);
    let is = |letters: &str| after.eq_ignore_ascii_case(letters);
    if language.is_clitic(after) {
        let is_decade = is("s") && is_round_number(before.trim_start_matches(is_apostrophe));
        return (!is_decade).then_some(mark);
    }
    if !language.has_english_contractions {
        return None;
    }
    if is("t") && before.ends_with(['n', 'N']) {
        return Some(mark - 1);
    }
    if before.is_empty() && (is("tis") || is("twas")) {
        return Some(word.len() - after.len() + 1);
    }
    let leans_forward = (begins_with("y") && is("all")) || (begins_with("d") && (is("ye") || is("you")));
    leans_forward.then(|| word.len() - after.len())
}

/// A decade, whose `'s` is a plural; that of other years is a genitive.
fn is_round_number(text: &str) -> bool {
    text.ends_with('0') && text.bytes().all(|byte| byte.is_ascii_digit())
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
    fn clitics_are_cut_off() {
        for (word, expected) in [
            ("don't", "do n't"),
            ("DON’T", "DO N’T"),
            ("can't", "ca n't"),
            ("I'm", "I 'm"),
            ("she'd've", "she 'd 've"),
            ("shouldn't've", "should n't 've"),
            ("cat's", "cat 's"),
            ("1989's", "1989 's"),
            ("y'all", "y' all"),
            ("y'all'd've", "y' all 'd 've"),
            ("d'ye", "d' ye"),
            ("'tis", "'t is"),
            ("’Twas", "’T was"),
            ("Cannot", "Can not"),
            ("GONNA", "GON NA"),
            ("lemme", "lem me"),
        ] {
            assert_eq!(parts(word), expected);
        }
    }

    #[test]
    fn other_words_stay_whole() {
        for word in [
            "O'Brien",
            "o'clock",
            "80's",
            "'60's",
            "'s",
            "n't",
            "ma'am",
            "kinda",
            "rock'n'roll",
            "'",
            "''",
            "",
        ] {
            assert_eq!(parts(word), word);
        }
    }
}
