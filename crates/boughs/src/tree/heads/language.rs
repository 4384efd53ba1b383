//! Head rules and tag classes together, with their texts, so that what was trained with them can carry them along.

use super::{HeadRules, TagClasses};
use crate::error::Result;

const ENGLISH_HEADS: &str = include_str!("../../../data/heads/english.heads");
const ENGLISH_CLASSES: &str = include_str!("../../../data/heads/english.classes");
const ANY_HEADS: &str = include_str!("../../../data/heads/any.heads");

/// What features know of a language beyond what its treebank tells.
#[derive(Debug, Clone)]
pub struct Language {
    /// The head rules.
    pub heads: HeadRules,
    /// The classes of parts of speech.
    pub classes: TagClasses,
    /// The text of the head rules.
    pub head_text: String,
    /// The text of the tag classes.
    pub class_text: String,
}

impl Language {
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
        Self::new(ENGLISH_HEADS, ENGLISH_CLASSES).expect("the texts are tested")
    }

    /// The text of the head rules of a name: `english` or `any`.
    pub fn named_heads(name: &str) -> Option<&'static str> {
        match name {
            "english" => Some(ENGLISH_HEADS),
            "any" => Some(ANY_HEADS),
            _ => None,
        }
    }

    /// The text of the tag classes of a name: `english`, or `none`, which has all tags in one class.
    pub fn named_classes(name: &str) -> Option<&'static str> {
        match name {
            "english" => Some(ENGLISH_CLASSES),
            "none" => Some(""),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stand_for_sound_texts() {
        for heads in ["english", "any"] {
            for classes in ["english", "none"] {
                let (heads, classes) = (Language::named_heads(heads), Language::named_classes(classes));
                assert!(Language::new(heads.unwrap(), classes.unwrap()).is_ok());
            }
        }
        assert!(Language::named_heads("none").is_none() && Language::named_classes("any").is_none());
        assert!(Language::new("NP sideways NN", "").is_err());
    }

    #[test]
    fn without_classes_all_tags_are_alike() {
        let language = Language::new("", "").unwrap();
        assert_eq!(language.classes.class("NN"), language.classes.class("VB"));
    }
}
