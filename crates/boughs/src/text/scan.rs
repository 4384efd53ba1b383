//! Chunks: what lies between blanks.

use std::ops::Range;

use super::chars::{is_blank, is_closer, is_ideographic_stop};

/// The most bytes of a chunk, and so of a token; what is longer is cut.
pub const MAX_CHUNK_BYTES: usize = 1 << 12;

/// The most bytes from a sentence's first token to its last; before the chunk that would exceed it the sentence ends.
pub const MAX_SENTENCE_BYTES: usize = 1 << 16;

/// The place of the first chunk at or after `from`; none if there are only blanks. The chunk ends where the text ends,
/// if nothing else ends it.
pub(super) fn find_chunk(text: &str, from: usize) -> Option<Range<usize>> {
    let start = skip_blanks(text, from);
    (start < text.len()).then(|| start..chunk_end(text, start))
}

/// The chunk after the one that ends at `end`, or nothing at the end of a paragraph: at a blank line, the end of the
/// text, or more blanks than anybody means. None if that cannot be known before more of the text is.
pub(super) fn following(text: &str, end: usize, is_last: bool) -> Option<&str> {
    let start = skip_blanks(text, end);
    if has_paragraph_break(&text[end..start]) || start - end > MAX_CHUNK_BYTES {
        return Some("");
    }
    if start == text.len() {
        return is_last.then_some("");
    }
    let chunk = start..chunk_end(text, start);
    (is_last || is_complete(text, &chunk)).then(|| &text[chunk])
}

/// Whether more text could not make the chunk longer.
pub(super) fn is_complete(text: &str, chunk: &Range<usize>) -> bool {
    chunk.end < text.len()
}

pub(super) fn skip_blanks(text: &str, from: usize) -> usize {
    let rest = &text[from..];
    text.len() - rest.trim_start_matches(is_blank).len()
}

fn chunk_end(text: &str, start: usize) -> usize {
    let bytes = text.as_bytes();
    let plain =
        bytes[start..].iter().take(MAX_CHUNK_BYTES).take_while(|byte| (0x21..0x7F).contains(*byte)).count();
    let rest = &text[start + plain..];
    match rest.chars().next() {
        Some(c) if !c.is_ascii() && plain < MAX_CHUNK_BYTES => chunk_end_slow(text, start, start + plain),
        _ => start + plain,
    }
}

/// As `chunk_end`, for any characters from `from` on.
fn chunk_end_slow(text: &str, start: usize, from: usize) -> usize {
    let mut is_stopped = false;
    for (at, c) in text[from..].char_indices() {
        let at = from + at;
        let goes_on = !is_stopped || is_ideographic_stop(c) || is_closer(c);
        if is_blank(c) || !goes_on || at + c.len_utf8() - start > MAX_CHUNK_BYTES {
            return at;
        }
        is_stopped |= is_ideographic_stop(c);
    }
    text.len()
}

/// Whether blanks contain an empty line or a paragraph separator.
fn has_paragraph_break(blanks: &str) -> bool {
    if blanks.len() < 2 {
        return false;
    }
    let mut num_lines = 0;
    let mut previous = '\0';
    for c in blanks.chars() {
        match c {
            '\u{2029}' => return true,
            '\n' if previous == '\r' => {}
            '\n' | '\r' | '\u{85}' | '\u{2028}' => num_lines += 1,
            _ => {}
        }
        previous = c;
    }
    num_lines > 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chunks(text: &str) -> Vec<&str> {
        let mut from = 0;
        let next = || {
            let chunk = find_chunk(text, from)?;
            from = chunk.end;
            Some(&text[chunk])
        };
        std::iter::from_fn(next).collect()
    }

    #[test]
    fn blanks_of_all_kinds_part_chunks() {
        assert_eq!(chunks(" a\u{A0}b\u{3000}é\u{200B}c\0d\n"), ["a", "b", "é", "c", "d"]);
        assert_eq!(chunks(" \t"), Vec::<&str>::new());
    }

    #[test]
    fn an_ideographic_stop_parts_chunks_and_keeps_its_closers() {
        assert_eq!(chunks("你好。「再见！」走"), ["你好。", "「再见！」", "走"]);
    }

    #[test]
    fn long_chunks_are_cut_between_characters() {
        let text = "é".repeat(MAX_CHUNK_BYTES);
        let parts = chunks(&text);
        assert_eq!(parts.concat(), text);
        assert!(parts.iter().all(|part| part.len() <= MAX_CHUNK_BYTES));
        let text = "x".repeat(MAX_CHUNK_BYTES + 1);
        assert_eq!(chunks(&text).iter().map(|part| part.len()).collect::<Vec<_>>(), [MAX_CHUNK_BYTES, 1]);
    }

    #[test]
    fn blank_lines_break() {
        for blanks in ["\n\n", "\r\n \r\n", "\n\t\n", "\r\r", "\u{2029}x", "\n\u{2028}"] {
            let text = format!("a{}b", blanks.trim_end_matches('x'));
            let expected = blanks.ends_with('x') || has_paragraph_break(blanks);
            assert!(expected, "{blanks:?}");
            assert_eq!(following(&text, 1, true), Some(""), "{blanks:?}");
        }
        for blanks in ["\n", "\r\n", " \n ", "\t"] {
            assert_eq!(following(&format!("a{blanks}b"), 1, true), Some("b"), "{blanks:?}");
        }
    }

    #[test]
    fn what_follows_may_not_be_known_yet() {
        for text in ["a", "a ", "a b", "a\n"] {
            assert_eq!(following(text, 1, false), None, "{text:?}");
        }
        assert_eq!(following("a\n\n", 1, false), Some(""));
        assert_eq!(following("a b ", 1, false), Some("b"));
    }
}
