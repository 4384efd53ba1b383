//! Which line breaks are meant: those between headlines, or between paragraphs of a line each, end a sentence, and
//! those of a text that was wrapped at some width do not.
//!
//! A line is wrapped because the next word did not fit. So where the next word would have fitted into the longest line
//! of its block (what stands between blank lines), somebody meant the break. In a block with many such breaks
//! lines are units, and all breaks count; in any other block only those do after less than half a line, as at the end
//! of a paragraph. A line that begins with a small letter goes on with the one before it, unless most lines do.

use std::collections::VecDeque;

use super::chars::is_blank;

/// The most bytes of a block; what is longer is judged in pieces.
pub(super) const MAX_BLOCK_BYTES: usize = 1 << 14;

/// Nobody wraps text as narrow as this, in characters, nor as wide.
const NARROW: usize = 45;
const WIDE: usize = 100;

/// The block at hand, in terms of the whole text.
#[derive(Debug, Default)]
pub(super) struct LineBreaks {
    /// Where the block ends: text from here on is not judged yet.
    end: u64,
    /// The line ends of it that end a sentence.
    breaks: VecDeque<u64>,
}

impl LineBreaks {
    /// Judges the block that begins at `from`, a place in a piece of text, unless that was done. Whether it could be:
    /// if not, more of the text must be seen.
    pub(super) fn judge(&mut self, text: &str, piece_start: u64, from: usize, is_last: bool) -> bool {
        let start = piece_start + from as u64;
        if start < self.end {
            return true;
        }
        let Some(block) = block(&text[from..], is_last) else { return false };
        self.end = start + block.len().max(1) as u64;
        self.breaks = meant(block).into_iter().map(|place| start + place as u64).collect();
        true
    }

    /// Whether a sentence ends at a line break between two places.
    pub(super) fn any_between(&mut self, start: u64, end: u64) -> bool {
        while self.breaks.front().is_some_and(|&place| place < start) {
            self.breaks.pop_front();
        }
        self.breaks.front().is_some_and(|&place| place < end)
    }
}

/// The text up to a blank line, or as much of it as is judged together; none if that is not known yet.
fn block(text: &str, is_last: bool) -> Option<&str> {
    let most = (0..=text.len().min(MAX_BLOCK_BYTES)).rev().find(|&place| text.is_char_boundary(place))?;
    // What lies beyond must not matter, since it is not always at hand.
    let seen = &text[..most];
    let lines = seen.match_indices('\n').map(|(place, _)| place);
    let is_blank_line = |place: &usize| {
        let next = &seen[place + 1..];
        next.trim_start_matches(|c| c != '\n' && is_blank(c)).starts_with('\n')
    };
    if let Some(end) = lines.clone().find(is_blank_line) {
        return Some(&text[..end]);
    }
    match text.len() > MAX_BLOCK_BYTES {
        true => Some(&text[..lines.clone().next_back().map_or(most, |last| last + 1)]),
        false => is_last.then_some(text),
    }
}

/// A line and what follows it.
struct Line {
    /// Where it ends, at its line break.
    end: usize,
    num_chars: usize,
    /// The characters of the word after the break.
    next_word: usize,
    goes_on: bool,
}

/// The places of the line breaks that end a sentence.
fn meant(block: &str) -> Vec<usize> {
    let lines = lines(block);
    // A single word, such as an address, is never wrapped.
    let all =
        block.lines().map(|line| line.trim_end_matches(is_blank)).filter(|line| line.contains(is_blank));
    let longest = all.map(|line| line.chars().count()).max().unwrap_or(0);
    let num_small = lines.iter().filter(|line| line.goes_on).count();
    let small_is_usual = lines.len() >= 3 && 5 * num_small >= 4 * lines.len();
    let fits = |line: &&Line| line.num_chars + 1 + line.next_word <= longest;
    let num_fitting = lines.iter().filter(fits).count();
    let are_units = 2 * num_fitting > lines.len() || !(NARROW..=WIDE).contains(&longest);
    let is_meant = |line: &&Line| {
        let is_short = 2 * (line.num_chars + 1 + line.next_word) <= longest;
        (are_units || is_short) && (!line.goes_on || (small_is_usual && are_units && num_fitting > 0))
    };
    lines.iter().filter(is_meant).map(|line| line.end).collect()
}

/// The lines of a block that another follows.
fn lines(block: &str) -> Vec<Line> {
    let mut start = 0;
    let mut lines = Vec::new();
    for (end, _) in block.match_indices('\n') {
        let next = block[end + 1..].trim_start_matches(is_blank);
        let next_word = next.find(is_blank).map_or(next, |len| &next[..len]);
        let first_letter = next_word.chars().find(|c| c.is_alphanumeric());
        if !next_word.is_empty() {
            lines.push(Line {
                end,
                num_chars: block[start..end].trim_end_matches(is_blank).chars().count(),
                next_word: next_word.chars().count(),
                goes_on: first_letter.is_some_and(char::is_lowercase),
            });
        }
        start = end + 1;
    }
    lines
}

#[cfg(test)]
mod tests {
    use crate::text::{Tokenizer, Unit, sentences};

    fn split(text: &str) -> Vec<String> {
        sentences(text).map(|sentence| sentence.to_string()).collect()
    }

    #[test]
    fn headlines_are_sentences() {
        let text = "Rain expected over the weekend\nMayor opens bridge\nTwo dogs found in well, both fine\n\
                    Bakery burns down\nSchool wins prize for its garden and its kitchen\nTrains late again\n";
        assert_eq!(split(text).len(), 6);
        assert_eq!(split("Short title\nOther title"), ["Short title", "Other title"]);
    }

    #[test]
    fn wrapped_lines_are_not() {
        let text = "The old man walked down to the river, where the boats were, and sat\n\
                    on the bench that Peter had painted green the summer before, when\n\
                    Anna was still there. He looked at the water. It was brown and slow\n\
                    and carried branches from the hills.\n";
        assert_eq!(split(text).len(), 3);
        assert_eq!(split(&text.replace('\n', "\r\n")).len(), 3);
    }

    #[test]
    fn a_title_above_a_wrapped_paragraph_stands_alone() {
        let text = "A day at the river\n\
                    The old man walked down to the river, where the boats were, and sat\n\
                    on the bench that Peter had painted green the summer before, when\n\
                    Anna was still there.\n";
        assert_eq!(split(text)[0], "A day at the river");
        assert_eq!(split(text).len(), 2);
    }

    #[test]
    fn a_paragraph_on_each_line_is_split_into_sentences() {
        let text = "It rains. It pours, and the street is a river by now\nThe sun will shine tomorrow, they say. \
                    Nobody believes them, and why should they after this summer of rain?\nWe stay in\n";
        assert_eq!(split(text).len(), 5);
    }

    #[test]
    fn lines_can_be_said_to_be_one_thing_or_another() {
        let text = "It rains. It pours\nthe whole day.\n\nStop";
        let of = |unit| Tokenizer { unit, ..Tokenizer::default() }.sentences(text).count();
        assert_eq!((of(Unit::Wrapped), of(Unit::Paragraph), of(Unit::Line)), (3, 4, 4));
        assert_eq!(of(Unit::Text), 3);
    }

    #[test]
    fn small_letters_go_on() {
        assert_eq!(
            split("We met\nyesterday at the station, as we\nalways do"),
            ["We met yesterday at the station , as we always do"]
        );
        assert_eq!(split("apples\nred pears, many of them\nbread\nbutter").len(), 4);
    }

    /// How many characters that are not blank stand before each end of a sentence.
    fn ends(text: &str, unit: Unit) -> Vec<usize> {
        let sentences = Tokenizer { unit, ..Tokenizer::default() }.sentences(text);
        let lengths =
            sentences.map(|sentence| sentence.tokens().map(|token| token.text.chars().count()).sum());
        lengths
            .scan(0, |end, length: usize| {
                *end += length;
                Some(*end)
            })
            .collect()
    }

    /// Figures: record/2026-11-18-first-hour.md.
    #[test]
    fn lines_of_a_mixed_text() {
        let marked = include_str!("../../../../testdata/lines/mixed.txt");
        let lengths = marked.split('‖').map(|part| part.chars().filter(|c| !c.is_whitespace()).count());
        let mut gold: Vec<usize> = lengths
            .scan(0, |end, length| {
                *end += length;
                Some(*end)
            })
            .collect();
        gold.dedup();
        let f1 = |unit| {
            let found = ends(&marked.replace('‖', ""), unit);
            let right = found.iter().filter(|end| gold.contains(end)).count();
            200.0 * right as f64 / (found.len() + gold.len()) as f64
        };
        assert!(f1(Unit::Text) > 95.0, "{}", f1(Unit::Text));
        assert!(f1(Unit::Wrapped) < 85.0 && f1(Unit::Paragraph) < 90.0);
    }
}
