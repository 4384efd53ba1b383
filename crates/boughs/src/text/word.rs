//! How far a word goes: over letters and digits, over the signs that connect them, and sometimes one sign more.

use super::abbreviation::Abbreviation;
use super::chars::{is_apostrophe, is_closer, is_hyphen, is_word_char};
use super::lexer::Chunk;
use super::tokenizer::Style;

/// The length of the word that begins at `at`; a word may have hyphens and apostrophes, at which it is cut later.
pub(super) fn len(chunk: &Chunk<'_>, at: usize) -> usize {
    let text = &chunk.text[at..];
    let mut end = 0;
    loop {
        end += text[end..].find(|c| !is_word_char(c)).unwrap_or(text.len() - end);
        let Some(c) = text[end..].chars().next() else { return end };
        let after = &text[end + c.len_utf8()..];
        if !connects(chunk, at, &text[..end], c, after) {
            return end + tail(chunk, &text[..end], &text[end..]);
        }
        end += c.len_utf8();
    }
}

/// Whether a sign connects what stands before it, from `at` on, and after it to one word.
fn connects(chunk: &Chunk<'_>, at: usize, before: &str, sign: char, after: &str) -> bool {
    let Some(next) = after.chars().next() else { return false };
    if sign == '.' && is_hyphen(next) {
        return Abbreviation::of(last_part(before), chunk.language).is_some()
            && after[next.len_utf8()..].starts_with(is_word_char);
    }
    if !is_word_char(next) {
        return false;
    }
    match sign {
        '.' => true,
        '\'' | '’' => before.ends_with(char::is_alphanumeric) && next.is_alphabetic(),
        '&' => before.ends_with(char::is_uppercase) && next.is_uppercase(),
        ',' if chunk.language.has_decimal_comma => digits_at_end(before) > 0 && digits_at_start(after) > 0,
        ',' => digits_at_end(before) <= 3 && digits_at_end(before) > 0 && digits_at_start(after) == 3,
        ':' => is_time(before, after),
        '/' => chunk.style == Style::Old || connects_by_slash(&chunk.text[..at], before, after),
        _ => is_hyphen(sign),
    }
}

fn digits_at_end(text: &str) -> usize {
    text.bytes().rev().take_while(u8::is_ascii_digit).count()
}

fn digits_at_start(text: &str) -> usize {
    text.bytes().take_while(u8::is_ascii_digit).count()
}

/// In the new style a slash is a token, but for a few.
fn connects_by_slash(lead: &str, before: &str, after: &str) -> bool {
    is_abbreviated_by_slash(before, after) || (!lead.ends_with('/') && is_fraction(before, after))
}

/// `6:30`, and the second colon of `6:30:15`; but not `1:10,000`.
fn is_time(before: &str, after: &str) -> bool {
    let is_short = matches!(digits_at_end(before), 1 | 2) && digits_at_start(after) == 2;
    is_short && !(after[2..].starts_with(',') && digits_at_start(&after[3..]) > 0)
}

/// `1/2`, and dates.
fn is_fraction(before: &str, after: &str) -> bool {
    let is_number = |part: &str| part.len() <= 2 && part.bytes().all(|byte| byte.is_ascii_digit());
    let len = digits_at_start(after);
    let is_year = len == 4 && before.contains('/');
    // No date has more before its last slash; without this, `1/1/1/…` would take quadratic time.
    let is_short = before.len() <= "12/31".len();
    is_short
        && before.split('/').all(is_number)
        && (matches!(len, 1 | 2) || is_year)
        && !after[len..].starts_with(is_word_char)
}

/// `w/o`, `c/o`, `n/a`, `s/he`.
fn is_abbreviated_by_slash(before: &str, after: &str) -> bool {
    let end = after.find(|c| !is_word_char(c)).unwrap_or(after.len());
    let is = |left: &str, right: &str| {
        before.eq_ignore_ascii_case(left) && after[..end].eq_ignore_ascii_case(right)
    };
    is("w", "o") || is("c", "o") || is("n", "a") || is("s", "he")
}

/// How many bytes after the word belong to it.
fn tail(chunk: &Chunk<'_>, word: &str, rest: &str) -> usize {
    let first = rest.chars().next().unwrap_or(' ');
    let after = &rest[first.len_utf8().min(rest.len())..];
    let belongs = match first {
        '.' => keeps_period(chunk, last_part(word), after),
        '$' => word.len() <= 3 && word.bytes().all(|byte| byte.is_ascii_uppercase()),
        '\'' | '’' if chunk.language.is_elision(word) => true,
        '\'' | '’' if chunk.language.has_english_contractions => {
            drops_letters(word) && !after.starts_with(is_apostrophe)
        }
        '+' => return plus_signs(word, rest),
        '(' => return plural(rest),
        c if is_hyphen(c) => keeps_hyphen(chunk, word, after),
        _ => false,
    };
    if belongs { first.len_utf8() } else { 0 }
}

/// What stands after the last hyphen.
fn last_part(word: &str) -> &str {
    word.rsplit(is_hyphen).next().unwrap_or(word)
}

/// Whether a period that no word character follows belongs to the word before it.
fn keeps_period(chunk: &Chunk<'_>, word: &str, after: &str) -> bool {
    let is_full_stop = chunk.is_stopped && !after.contains(['.', '?', '!']);
    let kind = Abbreviation::of(word, chunk.language);
    let may_end = matches!(kind, Some(Abbreviation::Prefix | Abbreviation::Anywhere));
    match after.chars().next() {
        _ if is_full_stop => may_end && chunk.style == Style::New,
        None | Some(',') => true,
        Some('.') => false,
        Some(c) if is_closer(c) => may_end,
        Some(_) => kind.is_some(),
    }
}

/// `goin'`, `o'`, `ol'`.
fn drops_letters(word: &str) -> bool {
    let lower = word.as_bytes();
    (lower.len() > 4 && lower.ends_with(b"in")) || matches!(word, "o" | "ol" | "Ol" | "lil" | "th")
}

/// `Ca2+`, `C++`; but not `20+`, nor the genotype `+/+`.
fn plus_signs(word: &str, rest: &str) -> usize {
    let len = rest.find(|c| c != '+').unwrap_or(rest.len());
    let after = &rest[len..];
    let is_genotype = after.strip_prefix('/').is_some_and(|other| !other.starts_with(is_word_char));
    let is_free = !after.starts_with(is_word_char) && !is_genotype;
    if is_free && word.contains(char::is_alphabetic) { len } else { 0 }
}

/// `word(s)`.
fn plural(rest: &str) -> usize {
    let is_plural =
        |ending: &&str| rest.strip_prefix(*ending).is_some_and(|after| !after.starts_with(is_word_char));
    ["(s)", "(es)"].iter().find(|ending| is_plural(ending)).map_or(0, |ending| ending.len())
}

/// Whether a hyphen at the end of a word is part of it: of one broken off (`th-`), and in the old style also of one
/// that is completed later (`two- or three-fold`).
fn keeps_hyphen(chunk: &Chunk<'_>, word: &str, after: &str) -> bool {
    if after.starts_with(|c| is_hyphen(c) || is_word_char(c) || c == '>') {
        return false;
    }
    let goes_on = matches!(chunk.next, "and" | "or" | "to" | "versus" | "vs." | "but" | "&")
        || after.starts_with([',', '/']);
    chunk.style == Style::Old || !(goes_on || word.ends_with(|c: char| c.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::super::language::Language;
    use super::*;

    fn word(text: &str, next: &str, is_stopped: bool, style: Style) -> String {
        let chunk = Chunk {
            text,
            next,
            is_stopped,
            style,
            language: Language::English.conventions(),
            may_hold_address: false,
        };
        text[..len(&chunk, 0)].to_owned()
    }

    #[test]
    fn signs_connect() {
        for text in [
            "3.14",
            "1,234,567",
            "10:30",
            "1/2",
            "12/25/2005",
            "AT&T",
            "O'Brien",
            "node.js",
            "chr.1",
            "s/he",
            "w/o",
            "C++",
            "Ca2+",
            "word(s)",
            "don't",
            "U.S.-led",
            "A_b",
            "co\u{AD}op",
            "e\u{301}",
        ] {
            assert_eq!(word(text, "", true, Style::New), text);
        }
    }

    #[test]
    fn signs_that_do_not_connect() {
        for (text, expected) in [
            ("2,3", "2"),
            ("1:100", "1"),
            ("1:10,000", "1"),
            ("1/500", "1"),
            ("and/or", "and"),
            ("20+", "20"),
            ("x+/+", "x"),
            ("salt&pepper", "salt"),
            ("a--b", "a"),
            ("a,b", "a"),
            ("a:b", "a"),
            ("end...", "end"),
            ("word(sic)", "word"),
        ] {
            assert_eq!(word(text, "", true, Style::New), expected);
        }
    }

    #[test]
    fn periods() {
        for (text, ends, old, new) in [
            ("end.", true, "end", "end"),
            ("etc.", true, "etc", "etc."),
            ("etc.", false, "etc.", "etc."),
            ("furn.", false, "furn.", "furn."),
            ("C.", true, "C", "C"),
            ("etc.)", false, "etc.", "etc."),
            ("end.)", false, "end", "end"),
            ("etc.).", true, "etc.", "etc."),
            ("Inc.,", false, "Inc.", "Inc."),
            ("mid-Sept.,", false, "mid-Sept.", "mid-Sept."),
            ("U.S.", true, "U.S", "U.S."),
        ] {
            assert_eq!(word(text, "", ends, Style::Old), old, "{text}");
            assert_eq!(word(text, "", ends, Style::New), new, "{text}");
        }
    }

    #[test]
    fn hyphens_at_the_end() {
        assert_eq!(word("th-", "the", false, Style::New), "th-");
        assert_eq!(word("pre-", "and", false, Style::New), "pre");
        assert_eq!(word("pre-", "and", false, Style::Old), "pre-");
        assert_eq!(word("pre--", "and", false, Style::Old), "pre");
    }
}
