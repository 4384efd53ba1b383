//! A chunk becomes tokens, from left to right: at each place one shape matches, and it matches something.

use std::ops::Range;

use super::chars::{is_apostrophe, is_extender, is_hyphen, is_regional_indicator, is_word_char};
use super::language::Conventions;
use super::tokenizer::Style;
use super::{contraction, hyphen, shapes, word};

/// A chunk and what is known about its surroundings.
#[derive(Debug, Clone, Copy)]
pub(super) struct Chunk<'c> {
    pub(super) text: &'c str,
    /// The chunk after it, empty at the end of a paragraph.
    pub(super) next: &'c str,
    /// Whether its last period is a full stop.
    pub(super) is_stopped: bool,
    pub(super) style: Style,
    pub(super) language: &'c Conventions,
    pub(super) may_hold_address: bool,
}

/// What was found at a place of the chunk: how many bytes it has, and whether it is to be cut further.
enum Shape {
    Whole(usize),
    Word(usize),
}

/// Calls `emit` with the place of each token of a chunk.
pub(super) fn lex(
    text: &str,
    next: &str,
    is_stopped: bool,
    style: Style,
    language: &Conventions,
    mut emit: impl FnMut(Range<usize>),
) {
    if text.bytes().all(|byte| byte.is_ascii_alphabetic()) {
        return contraction::split(text, 0, language, &mut emit);
    }
    let chunk =
        Chunk { text, next, is_stopped, style, language, may_hold_address: shapes::may_hold_address(text) };
    let mut at = 0;
    while at < text.len() {
        match chunk.shape(at) {
            Shape::Whole(len) => {
                emit(at..at + len);
                at += len;
            }
            Shape::Word(len) => {
                split_word(&text[at..at + len], at, chunk, &mut emit);
                at += len;
            }
        }
    }
}

fn split_word(word: &str, at: usize, chunk: Chunk<'_>, emit: &mut impl FnMut(Range<usize>)) {
    match chunk.style {
        Style::Old => contraction::split(word, at, chunk.language, emit),
        Style::New => hyphen::split(word, at, chunk.language, emit),
    }
}

impl Chunk<'_> {
    fn shape(&self, at: usize) -> Shape {
        let rest = &self.text[at..];
        let Some(c) = rest.chars().next() else { return Shape::Whole(0) };
        let is_start = !self.text[..at].ends_with(is_word_char);
        if is_word_char(c) {
            let address = (is_start && self.may_hold_address).then(|| shapes::address(rest)).flatten();
            return match address {
                Some(len) => Shape::Whole(len),
                None => Shape::Word(word::len(self, at)),
            };
        }
        if let Some(len) = self.face(at) {
            return Shape::Whole(len);
        }
        let second = rest[c.len_utf8()..].chars().next().unwrap_or(' ');
        match c {
            '.' if is_start && second.is_ascii_digit() => Shape::Word(1 + word::len(self, at + 1)),
            '.' => Shape::Whole(self.dots(at)),
            '\'' | '’' | '‘' | '`' => self.apostrophe(at, is_start),
            '#' | '@' if is_start && second.is_alphabetic() => Shape::Whole(1 + word_run(&rest[1..])),
            c if is_hyphen(c) && is_word_char(second) && self.style == Style::Old => {
                Shape::Word(c.len_utf8() + word::len(self, at + c.len_utf8()))
            }
            '°' if is_start && matches!(second, 'C' | 'F') => Shape::Whole('°'.len_utf8() + 1),
            _ => Shape::Whole(symbol(rest)),
        }
    }

    /// What an apostrophe or a single quotation mark at a place is part of.
    fn apostrophe(&self, at: usize, is_start: bool) -> Shape {
        let rest = &self.text[at..];
        if matches!(rest, "'n'" | "’n’") {
            return Shape::Whole(rest.len());
        }
        if rest.starts_with("''") || rest.starts_with("``") {
            return Shape::Whole(2);
        }
        let mark = rest.chars().next().map_or(0, char::len_utf8);
        let letters = &rest[mark..mark + word_run(&rest[mark..])];
        if is_start && contraction::is_elided(letters, self.language) {
            return Shape::Word(mark + word::len(self, at + mark));
        }
        Shape::Whole(if self.language.is_clitic(letters) { mark + letters.len() } else { mark })
    }

    /// The length of a face, where one may begin: not within brackets or words.
    fn face(&self, at: usize) -> Option<usize> {
        let before = &self.text[..at];
        let is_free = before.is_empty() || before.ends_with(['.', ',', '!', '?', '…']);
        shapes::emoticon(&self.text[at..]).filter(|_| is_free)
    }

    /// The length of a run of dots; of four that end a sentence the last is its full stop.
    fn dots(&self, at: usize) -> usize {
        let rest = &self.text[at..];
        let len = run(rest, |c| c == '.');
        if len == 4 && rest.len() == 4 && self.is_stopped { 3 } else { len }
    }
}

fn word_run(text: &str) -> usize {
    run(text, is_word_char)
}

fn run(text: &str, is_of_run: impl Fn(char) -> bool) -> usize {
    text.find(|c| !is_of_run(c)).unwrap_or(text.len())
}

/// The length of the symbol at the beginning of `rest`: a run of one sign, an arrow, or a picture with all its parts.
fn symbol(rest: &str) -> usize {
    let Some(first) = rest.chars().next() else { return 0 };
    match first {
        '!' | '?' => run(rest, |c| matches!(c, '!' | '?')),
        '-' | '=' => {
            let len = run(rest, |c| c == first);
            len + usize::from(rest[len..].starts_with('>'))
        }
        '<' | '>' if rest[1..].starts_with('=') => 2,
        '*' | '~' | '+' | '<' | '>' | '^' | '|' | '\\' | '#' | '•' | '—' | '–' | '…' | '_' => {
            run(rest, |c| c == first)
        }
        c if c.is_ascii() || is_apostrophe(c) => c.len_utf8(),
        c => picture(rest, c),
    }
}

fn picture(rest: &str, first: char) -> usize {
    let mut len = first.len_utf8();
    let mut previous = first;
    for c in rest[len..].chars() {
        let is_flag = is_regional_indicator(first) && len == first.len_utf8() && is_regional_indicator(c);
        if !(is_extender(c) || is_flag || (previous == '\u{200D}' && !is_word_char(c))) {
            break;
        }
        len += c.len_utf8();
        previous = c;
    }
    len
}

#[cfg(test)]
mod tests {
    use super::super::language::Language;
    use super::*;

    fn tokens(text: &str, style: Style) -> String {
        let mut tokens = Vec::new();
        lex(text, "", true, style, Language::English.conventions(), |range| tokens.push(&text[range]));
        assert_eq!(tokens.concat(), text);
        tokens.join(" ")
    }

    fn both(text: &str, expected: &str) {
        assert_eq!(tokens(text, Style::Old), expected);
        assert_eq!(tokens(text, Style::New), expected);
    }

    #[test]
    fn punctuation_is_cut_off() {
        both("(\"Why?\"),", "( \" Why ? \" ) ,");
        both("“end.”", "“ end . ”");
        both("what?!", "what ?!");
        both("well—no", "well — no");
        both("a--b", "a -- b");
        both("wait...", "wait ...");
        both("end....", "end ... .");
        both("[...]", "[ ... ]");
        both("word,word", "word , word");
    }

    #[test]
    fn money_and_measures() {
        both("$5.50,", "$ 5.50 ,");
        both("US$1,000", "US$ 1,000");
        both("€7", "€ 7");
        both("10%", "10 %");
        both("°C", "°C");
        both("37°C", "37 ° C");
        both(".25", ".25");
        both("#5", "# 5");
    }

    #[test]
    fn faces_and_pictures() {
        both(":-)", ":-)");
        both("great!:)", "great ! :)");
        both("(see:)", "( see : )");
        both("👍🏽👨‍👩‍👧🇫🇷🇩🇪", "👍🏽 👨‍👩‍👧 🇫🇷 🇩🇪");
        both("->", "->");
        both("#tag,@name", "#tag , @name");
    }

    #[test]
    fn apostrophes() {
        both("'twas", "'t was");
        both("'em", "'em");
        both("'90s", "'90s");
        both("'60's", "'60's");
        both("'n'", "'n'");
        both("'new'", "' new '");
        both("‘new’", "‘ new ’");
        both("boys'", "boys '");
        both("\"Time\"'s", "\" Time \" 's");
        both("''", "''");
        both("'s", "'s");
    }

    #[test]
    fn the_two_styles() {
        for (text, old, new) in [
            ("state-of-the-art", "state-of-the-art", "state - of - the - art"),
            ("and/or", "and/or", "and / or"),
            ("U.S.-based", "U.S.-based", "U.S. - based"),
            ("Inc.", "Inc .", "Inc."),
            ("-5", "-5", "- 5"),
            ("Ca2+/H+", "Ca2+ / H+", "Ca2+ / H+"),
            ("Sox9+/+", "Sox9 + / +", "Sox9 + / +"),
        ] {
            assert_eq!(tokens(text, Style::Old), old);
            assert_eq!(tokens(text, Style::New), new);
        }
    }
}
