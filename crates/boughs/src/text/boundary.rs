//! Whether a sentence ends between two chunks.
//!
//! The naive rule is a stop before a capital. It does for `?` and `!`, but abbreviations have periods too, and names
//! follow them. What tells is the word before the period, by its kind, and whether the word after it is one that
//! begins sentences more often than it is part of a name.

use super::abbreviation::Abbreviation;
use super::chars::{is_closer, is_ideographic_stop, is_opener, is_word_char};
use super::language::Conventions;
use super::shapes;

/// What is known about the sentence before the chunk at hand.
#[derive(Debug, Clone, Copy)]
pub(super) struct SentenceSoFar {
    /// The chunk is its first.
    pub(super) is_empty: bool,
    /// The chunk before could have ended it.
    pub(super) is_stopped: bool,
}

/// What stands between two chunks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Boundary {
    /// Nothing: the sentence goes on, and a period belongs to its word.
    None,
    /// A full stop, but what follows still belongs to the sentence: a bracket that closes, a face, the number of a
    /// note.
    Stop,
    /// The end of the sentence.
    End,
}

/// What stands between a chunk and the next.
pub(super) fn between(chunk: &str, next: &str, before: SentenceSoFar, language: &Conventions) -> Boundary {
    // Nearly all chunks end with a letter.
    if chunk.ends_with(|c: char| c.is_ascii_lowercase()) {
        return Boundary::None;
    }
    match (stops(chunk, next, before, language), is_trailer(next)) {
        (false, _) => Boundary::None,
        (true, true) => Boundary::Stop,
        (true, false) => Boundary::End,
    }
}

fn stops(chunk: &str, next: &str, before: SentenceSoFar, language: &Conventions) -> bool {
    if is_trailer(chunk) {
        return before.is_stopped && starts_sentence(next);
    }
    let body = strip_closers(chunk);
    match body.chars().next_back() {
        Some('.') => is_full_stop(&body[..body.len() - 1], next, before, language),
        Some('?' | '!' | '‽' | '؟' | '।' | '۔') => starts_sentence(next) && !is_dash(next),
        Some('…') => starts_with_capital(next),
        Some(c) => is_ideographic_stop(c),
        None => false,
    }
}

/// Whether the chunk ends with what could end a sentence, or belongs to one that does.
pub(super) fn is_stopped(chunk: &str, before: SentenceSoFar) -> bool {
    if is_trailer(chunk) {
        return before.is_stopped;
    }
    strip_closers(chunk).ends_with(['.', '?', '!', '…', '‽', '؟', '।', '۔', '。', '！', '？'])
}

/// Whether the chunk belongs to the sentence before it, though that has ended: brackets that close, a face, the
/// number of a note.
fn is_trailer(chunk: &str) -> bool {
    match chunk.as_bytes().first() {
        Some(b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'"' | b'\'') | None => false,
        Some(b'[') => is_note(chunk),
        _ => chunk.chars().all(is_closer) || shapes::emoticon(chunk) == Some(chunk.len()),
    }
}

/// `[12]`, `[3,4]`, `[5–8]`
fn is_note(chunk: &str) -> bool {
    let inner = chunk.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    let is_of_note = |c: char| c.is_ascii_digit() || matches!(c, ',' | '-' | '–' | '[' | ']');
    inner.is_some_and(|inner| !inner.is_empty() && inner.chars().all(is_of_note))
}

fn strip_closers(chunk: &str) -> &str {
    let body = chunk.trim_end_matches(is_closer);
    match body.rfind('[') {
        Some(start) if start > 0 && body.len() < chunk.len() && is_note(&chunk[start..]) => {
            chunk[..start].trim_end_matches(is_closer)
        }
        _ => body,
    }
}

/// Whether a period is one, given what stands before it in its chunk.
fn is_full_stop(before_period: &str, next: &str, before: SentenceSoFar, language: &Conventions) -> bool {
    let word = last_word(before_period);
    let lead = &before_period[..before_period.len() - word.len()];
    if before.is_empty && lead.is_empty() && is_enumerator(word) {
        return false;
    }
    if before_period.ends_with('.') {
        return starts_with_capital(next) && !before.is_empty;
    }
    if language.has_ordinals && is_short_number(word) {
        return starts_with_starter(next, language);
    }
    match Abbreviation::of(word, language) {
        Some(Abbreviation::Prefix) => false,
        // `(b. May 1900)`
        Some(Abbreviation::BeforeNumber) if lead.ends_with('(') => false,
        Some(Abbreviation::BeforeNumber) => !is_number(next) && starts_sentence(next),
        Some(Abbreviation::Anywhere) => starts_with_starter(next, language) || is_quoted_capital(next),
        // `°C.`, `A-C.` and the like end with a letter that is no initial.
        Some(Abbreviation::Initial)
            if lead.is_empty() || lead.ends_with(is_opener) || lead.ends_with(".-") =>
        {
            starts_with_starter(next, language) && !is_initial(next)
        }
        _ => starts_sentence(next) || is_name_in_lower_case(next),
    }
}

/// The word at the end, with its inner periods.
fn last_word(text: &str) -> &str {
    let start = text.rfind(|c| !(is_word_char(c) || c == '.')).map_or(0, |at| at + char_len(text, at));
    &text[start..]
}

fn char_len(text: &str, at: usize) -> usize {
    text[at..].chars().next().map_or(0, char::len_utf8)
}

/// `1.`, `12.`, `2.1.`, `a.`, `IV.` at the beginning of a sentence.
fn is_enumerator(word: &str) -> bool {
    let is_number =
        word.split('.').all(|part| part.len() <= 3 && part.bytes().all(|byte| byte.is_ascii_digit()));
    let is_roman = word.len() <= 5 && word.bytes().all(|byte| matches!(byte, b'I' | b'V' | b'X'));
    let is_letter = word.len() == 1 && word.bytes().all(|byte| byte.is_ascii_alphabetic());
    !word.is_empty() && (is_number || is_roman || is_letter)
}

/// A number that may be an ordinal: a day, a century.
fn is_short_number(word: &str) -> bool {
    matches!(word.len(), 1 | 2) && word.bytes().all(|byte| byte.is_ascii_digit())
}

fn head(next: &str) -> &str {
    next.trim_start_matches(|c| is_opener(c) || matches!(c, '—' | '–' | '-' | '*' | '•' | '…' | '.'))
}

/// Whether a sentence can start with the chunk: with a capital, a digit, a letter of a script without capitals, a
/// sign, or the number of a part, as in `(a) Mice`.
fn starts_sentence(next: &str) -> bool {
    let head = head(next);
    match head.chars().next() {
        Some(c) if is_word_char(c) && !c.is_lowercase() => true,
        Some(c) => {
            matches!(c, '#' | '@' | '$' | '£' | '€' | '~' | '+')
                || is_part_number(next, head)
                || is_trailer(next)
        }
        None => !next.starts_with('.'),
    }
}

/// `(a)`, `(ii)`, `(a-d)`, `a:`, `a)`, `a.`, `b-f:`
fn is_part_number(next: &str, head: &str) -> bool {
    let is_in_brackets = next.starts_with('(') && head.find(')').is_some_and(|end| end <= 3);
    let letters = head.strip_suffix([':', ')', '.']).unwrap_or_default();
    is_in_brackets || matches!(letters.as_bytes(), [b'a'..=b'z'] | [b'a'..=b'z', b'-', b'a'..=b'z'])
}

fn is_dash(next: &str) -> bool {
    next.chars().all(|c| matches!(c, '-' | '–' | '—'))
}

fn starts_with_capital(next: &str) -> bool {
    head(next).chars().next().is_some_and(char::is_uppercase)
}

fn is_quoted_capital(next: &str) -> bool {
    next.starts_with(['"', '“']) && starts_with_capital(next)
}

/// Whether the chunk is a number, or the likes of `AB1234`.
fn is_number(next: &str) -> bool {
    first_word(next).contains(|c: char| c.is_ascii_digit())
}

/// Whether the chunk is a name like `p53`, `mRNA`, `iPhone` or `β-actin`, with which a sentence may start.
fn is_name_in_lower_case(next: &str) -> bool {
    let word = first_word(next);
    word.contains(|c: char| c.is_uppercase() || c.is_ascii_digit() || matches!(c, 'α'..='ω'))
}

fn first_word(next: &str) -> &str {
    let word = head(next);
    &word[..word.find(|c| !is_word_char(c)).unwrap_or(word.len())]
}

fn is_initial(next: &str) -> bool {
    let mut chars = head(next).chars();
    chars.next().is_some_and(char::is_uppercase) && chars.next() == Some('.')
}

/// Whether the chunk's first word begins sentences more often than it is part of a name.
fn starts_with_starter(next: &str, language: &Conventions) -> bool {
    let head = head(next);
    let end = head.find(|c: char| !c.is_alphabetic()).unwrap_or(head.len());
    language.is_starter(&head[..end])
}

#[cfg(test)]
mod tests {
    use super::super::language::Language;
    use super::*;

    fn between(chunk: &str, next: &str, before: SentenceSoFar) -> Boundary {
        super::between(chunk, next, before, Language::English.conventions())
    }

    fn ends(text: &str) -> bool {
        let (before, next) = text.split_once(" | ").expect("a mark");
        let chunk = before.rsplit(' ').next().unwrap_or(before);
        between(chunk, next, SentenceSoFar { is_empty: !before.contains(' '), is_stopped: false })
            == Boundary::End
    }

    #[test]
    fn sentences_end() {
        for text in [
            "It rained. | We",
            "he left.\" | She",
            "(it rained.) | We",
            "Really?! | Yes",
            "Go! | \"No",
            "at the Acme Corp. | The",
            "in the U.S. | He",
            "at 5 p.m. | They",
            "with vitamin C. | We",
            "and so on... | Then",
            "it ended in 1999. | In",
            "at the end.[12] | In",
            "He said no. | The",
            "is shown here. | p53",
            "see page 5. | (This",
            "ends here. | 12",
            "as shown [7]. | The",
            "at 37 °C. | Mice",
            "in black. | (a)",
            "of the mice. | b-f:",
            "of the mice. | c.",
            "for 2 h. | Mice",
            "Uh-m. | Go",
            "in blue. | β-Catenin",
            "Acme Inc. | \"Actually",
        ] {
            assert!(ends(text), "{text}");
        }
    }

    #[test]
    fn sentences_go_on() {
        for text in [
            "saw Mr. | Gray",
            "by J. | Smith",
            "by J. | A.",
            "the Acme Corp. | Building",
            "in the U.S. | Senate",
            "No. | 5",
            "under accession no. | AB123",
            "Gray et al. | [24]",
            "\"Huh?\" | –",
            "thank J.-I. | Smith",
            "her son (b. | May",
            "... | Miller",
            "see Fig. | 3",
            "and so on... | and",
            "at 5 p.m. | tomorrow",
            "Yahoo! | is",
            "\"Really?\" | asked",
            "1. | Wash",
            "II. | The",
            "apples etc. | and",
            "the end. | )",
            "the end. | [12]",
            "e.g. | The",
            "a word | Another",
            "left, | He",
        ] {
            assert!(!ends(text), "{text}");
        }
    }

    #[test]
    fn what_trails_a_sentence_belongs_to_it() {
        let before = SentenceSoFar { is_empty: false, is_stopped: true };
        for chunk in [")", "[12]", "[3,4]", ":)", "”"] {
            assert_eq!(between(chunk, "Then", before), Boundary::End, "{chunk}");
            assert_eq!(between(chunk, "then", before), Boundary::None, "{chunk}");
            assert_eq!(between("end.", chunk, before), Boundary::Stop, "{chunk}");
            assert_eq!(
                between(chunk, "Then", SentenceSoFar { is_stopped: false, ..before }),
                Boundary::None,
                "{chunk}"
            );
        }
    }
}
