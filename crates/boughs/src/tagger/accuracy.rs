//! How many tags are right.

use std::fmt;

/// Counts of right tags, over all words and over those that the tagger's lexicon does not have.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Accuracy {
    /// The words.
    pub num_words: u64,
    /// Those with the right tag.
    pub num_right: u64,
    /// The words that are not in the lexicon.
    pub num_unknown: u64,
    /// Those of them with the right tag.
    pub num_unknown_right: u64,
}

impl Accuracy {
    /// Counts a word.
    pub fn add(&mut self, is_right: bool, is_known: bool) {
        self.num_words += 1;
        self.num_right += u64::from(is_right);
        self.num_unknown += u64::from(!is_known);
        self.num_unknown_right += u64::from(is_right && !is_known);
    }

    /// Adds the counts of another part of the words.
    pub fn merge(&mut self, other: &Self) {
        self.num_words += other.num_words;
        self.num_right += other.num_right;
        self.num_unknown += other.num_unknown;
        self.num_unknown_right += other.num_unknown_right;
    }

    /// The share of right tags in percent; not a number if there are no words.
    pub fn percent(&self) -> f64 {
        100.0 * self.num_right as f64 / self.num_words as f64
    }

    /// The share of right tags among words that are not in the lexicon, in percent.
    pub fn unknown_percent(&self) -> f64 {
        100.0 * self.num_unknown_right as f64 / self.num_unknown as f64
    }
}

impl fmt::Display for Accuracy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { num_words, num_right, num_unknown, .. } = self;
        write!(f, "accuracy {:.2}% ({num_right} of {num_words} words)", self.percent())?;
        if *num_unknown > 0 {
            write!(f, ", {:.2}% on {num_unknown} words not in the lexicon", self.unknown_percent())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_add_up() {
        let (mut all, mut part) = (Accuracy::default(), Accuracy::default());
        all.add(true, true);
        part.add(true, false);
        part.add(false, false);
        all.merge(&part);
        let text = all.to_string();
        assert_eq!(text, "accuracy 66.67% (2 of 3 words), 50.00% on 2 words not in the lexicon");
    }
}
