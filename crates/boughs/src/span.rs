//! Half-open ranges: of tokens in a sentence, and of bytes and characters in a text.

use std::ops::Range;

use serde::Serialize;

/// A range of tokens, `start..end`, half-open, in the order of the sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Span {
    /// The first token.
    pub start: u32,
    /// One past the last token.
    pub end: u32,
}

impl Span {
    /// The tokens `start..end`.
    ///
    /// # Panics
    /// In debug builds, if `start > end`.
    pub fn new(start: u32, end: u32) -> Self {
        debug_assert!(start <= end, "a span cannot end before it starts");
        Self { start, end }
    }

    /// The number of tokens.
    pub fn len(self) -> usize {
        (self.end - self.start) as usize
    }

    /// Whether there is no token in it.
    pub fn is_empty(self) -> bool {
        self.start == self.end
    }

    /// Whether `other` lies within, equality included.
    pub fn contains(self, other: Self) -> bool {
        self.start <= other.start && other.end <= self.end
    }

    /// Whether the two overlap and neither contains the other.
    pub fn crosses(self, other: Self) -> bool {
        (self.start < other.start && other.start < self.end && self.end < other.end)
            || (other.start < self.start && self.start < other.end && other.end < self.end)
    }

    /// The same range for indexing slices.
    pub fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// Where a token stands in its text, in bytes of UTF-8 and in characters (Unicode scalar values, as Python counts).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TextSpan {
    /// The first byte.
    pub start: u64,
    /// The first character.
    pub char_start: u64,
    /// The number of bytes.
    pub len: u32,
    /// The number of characters.
    pub char_len: u32,
}

impl TextSpan {
    /// One past the last byte.
    pub fn end(self) -> u64 {
        self.start + u64::from(self.len)
    }

    /// One past the last character.
    pub fn char_end(self) -> u64 {
        self.char_start + u64::from(self.char_len)
    }

    /// The bytes.
    pub fn bytes(self) -> Range<u64> {
        self.start..self.end()
    }

    /// The characters.
    pub fn chars(self) -> Range<u64> {
        self.char_start..self.char_end()
    }

    /// From the start of this span to the end of another.
    pub fn to(self, last: Self) -> Option<Self> {
        Some(Self {
            len: u32::try_from(last.end().checked_sub(self.start)?).ok()?,
            char_len: u32::try_from(last.char_end().checked_sub(self.char_start)?).ok()?,
            ..self
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crossing_is_strict_and_symmetric() {
        let cases = [
            ((0, 3), (2, 5), true),
            ((0, 3), (3, 5), false),
            ((0, 5), (1, 3), false),
            ((0, 3), (0, 5), false),
            ((1, 3), (1, 3), false),
        ];
        for ((a, b), (c, d), crosses) in cases {
            let (one, other) = (Span::new(a, b), Span::new(c, d));
            assert_eq!(one.crosses(other), crosses);
            assert_eq!(other.crosses(one), crosses);
        }
    }

    #[test]
    fn contains_includes_itself() {
        let span = Span::new(1, 4);
        assert!(span.contains(span));
        assert!(span.contains(Span::new(2, 4)));
        assert!(!span.contains(Span::new(0, 2)));
    }
}
