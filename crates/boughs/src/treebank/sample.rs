//! The treebank inside the library, for trying things out: 440 sentences of our own in eight kinds of text.

use crate::tree::Tree;
use crate::tree::read::{Format, TreeReader};

macro_rules! file {
    ($name:literal) => {
        ($name, include_str!(concat!("../../data/sample/", $name, ".mrg")))
    };
}

/// Its files: the kind of text, and the trees in brackets.
pub const SAMPLE: [(&str, &str); 8] = [
    file!("business"),
    file!("dialogue"),
    file!("fiction"),
    file!("howto"),
    file!("letters"),
    file!("news"),
    file!("science"),
    file!("travel"),
];

/// The trees of one kind of text; none if there is no such kind.
///
/// ```
/// assert_eq!(boughs::treebank::sample("news").len(), 55);
/// ```
pub fn sample(kind: &str) -> Vec<Tree> {
    let text = SAMPLE.iter().find(|(name, _)| *name == kind).map_or("", |(_, text)| text);
    TreeReader::new(text.as_bytes(), Format::Bracket).map_while(Result::ok).collect()
}
