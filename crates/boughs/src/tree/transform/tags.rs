//! [`TagSet`]: which parts of speech a transform is about.

use std::fmt;

/// A small set of tags. Treebanks differ in how they tag punctuation, so the sets are data.
///
/// ```
/// use boughs::tree::transform::TagSet;
///
/// assert!(TagSet::punctuation().contains("``"));
/// assert!(TagSet::parse("$. $, $(").contains("$,"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TagSet(Vec<String>);

impl TagSet {
    /// The punctuation of the Penn Treebank, as the papers and EVALB have it. Brackets are words.
    pub fn punctuation() -> Self {
        Self::parse(": , . `` ''")
    }

    /// The quotation marks of the Penn Treebank.
    pub fn quotes() -> Self {
        Self::parse("`` ''")
    }

    /// The tags of a list with blanks between them; commas are tags themselves.
    pub fn parse(tags: &str) -> Self {
        tags.split_whitespace().map(str::to_owned).collect()
    }

    /// The tags, in the order in which they were given.
    pub fn into_tags(self) -> impl Iterator<Item = String> {
        self.0.into_iter()
    }

    /// Whether the tag is in the set.
    pub fn contains(&self, tag: &str) -> bool {
        self.0.iter().any(|member| member == tag)
    }
}

impl fmt::Display for TagSet {
    /// The list that [`TagSet::parse`] reads.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join(" "))
    }
}

impl FromIterator<String> for TagSet {
    fn from_iter<I: IntoIterator<Item = String>>(tags: I) -> Self {
        Self(tags.into_iter().collect())
    }
}
