//! Head rules and tag classes together, with their texts, so that what was trained with them can carry them along.

use super::{HeadRules, TagClasses};
use crate::error::Result;

/// The named head rules: name, text.
pub const HEAD_RULES: [(&str, &str); 2] = [
    ("english", include_str!("../../../data/heads/english.heads")),
    ("any", include_str!("../../../data/heads/any.heads")),
];

/// The named tag classes: name, text. `none` has all tags in one class.
pub const TAG_CLASSES: [(&str, &str); 2] =
    [("english", include_str!("../../../data/heads/english.classes")), ("none", "")];

/// What features know of a language beyond what its treebank tells.
#[derive(Debug, Clone)]
pub struct HeadConventions {
    /// The head rules.
    pub heads: HeadRules,
    /// The classes of parts of speech.
    pub classes: TagClasses,
    /// The text of the head rules.
    pub head_text: String,
    /// The text of the tag classes.
    pub class_text: String,
}

impl HeadConventions {
    /// Reads [head rules](super) and [tag classes](TagClasses).
    ///
    /// # Errors
    /// If one of them is not in its format.
    pub fn new(head_text: &str, class_text: &str) -> Result<Self> {
        Ok(Self {
            heads: head_text.parse()?,
            classes: class_text.parse()?,
            head_text: head_text.to_owned(),
            class_text: class_text.to_owned(),
        })
    }

    /// English, and what is tagged and labelled as in the Penn Treebank.
    ///
    /// # Panics
    /// Never: the texts are part of the program, and tested.
    pub fn english() -> Self {
        Self::new(HEAD_RULES[0].1, TAG_CLASSES[0].1).expect("the texts are tested")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stand_for_sound_texts() {
        for (_, heads) in HEAD_RULES {
            for (_, classes) in TAG_CLASSES {
                assert!(HeadConventions::new(heads, classes).is_ok());
            }
        }
        assert_eq!(HEAD_RULES.map(|(name, _)| name), ["english", "any"]);
        assert_eq!(TAG_CLASSES.map(|(name, _)| name), ["english", "none"]);
        assert!(HeadConventions::new("NP sideways NN", "").is_err());
    }

    #[test]
    fn without_classes_all_tags_are_alike() {
        let language = HeadConventions::new("", "").unwrap();
        assert_eq!(language.classes.class("NN"), language.classes.class("VB"));
    }
}
