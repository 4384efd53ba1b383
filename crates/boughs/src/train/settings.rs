//! Settings of recipes as text, and the identity of a run.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::Annotations;
use crate::error::Result;
use crate::learn::run::fingerprint;
use crate::model::{CRF_TEMPLATE_SETS, CrfTemplates, WordClasses};
use crate::transition::features::{TEMPLATE_SETS, Templates};
use crate::tree::Tree;
use crate::tree::heads::Language;
use crate::tree::transform::Pipeline;

/// What a run depends on, as a short name: settings and trees.
pub(super) fn identity(settings: &impl Serialize, train: &[Tree], dev: Option<&[Tree]>) -> String {
    let trees = [Some(train), dev].map(|trees| {
        let trees = trees.into_iter().flatten().map(|tree| format!("{tree}\n"));
        trees.collect::<String>()
    });
    fingerprint(settings, trees)
}

/// Something that has a text form of its own.
pub(super) trait AsText: Sized {
    fn to_text(&self) -> String;
    fn from_text(text: &str) -> Result<Self>;
}

/// For `#[serde(with = "as_text")]`.
pub(super) mod as_text {
    use super::{AsText, Deserialize, Deserializer, Serializer};
    use serde::de::Error;

    pub(in crate::train) fn serialize<T: AsText, S: Serializer>(
        value: &T,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&value.to_text())
    }

    pub(in crate::train) fn deserialize<'d, T: AsText, D: Deserializer<'d>>(
        deserializer: D,
    ) -> Result<T, D::Error> {
        let text = String::deserialize(deserializer)?;
        T::from_text(&text).map_err(D::Error::custom)
    }
}

/// A text that has a name is known by it.
fn name_or_text(text: &str, named: &[(&str, &str)]) -> String {
    named.iter().find(|(_, known)| *known == text).map_or(text, |(name, _)| name).to_owned()
}

impl AsText for Templates {
    fn to_text(&self) -> String {
        name_or_text(self.text(), &TEMPLATE_SETS)
    }

    fn from_text(text: &str) -> Result<Self> {
        Self::named(text).map_or_else(|| text.parse(), Ok)
    }
}

impl AsText for CrfTemplates {
    fn to_text(&self) -> String {
        name_or_text(self.text(), &CRF_TEMPLATE_SETS)
    }

    fn from_text(text: &str) -> Result<Self> {
        Self::named(text).map_or_else(|| text.parse(), Ok)
    }
}

impl AsText for WordClasses {
    fn to_text(&self) -> String {
        let (english, plain) = (Self::english(), Self::plain());
        name_or_text(self.text(), &[("english", english.text()), ("none", plain.text())])
    }

    fn from_text(text: &str) -> Result<Self> {
        match text {
            "english" => Ok(Self::english()),
            "none" => Ok(Self::plain()),
            text => Self::parse(text),
        }
    }
}

impl AsText for Annotations {
    fn to_text(&self) -> String {
        self.to_string()
    }

    fn from_text(text: &str) -> Result<Self> {
        if text.is_empty() { Ok(Self::default()) } else { text.parse() }
    }
}

impl AsText for Pipeline {
    fn to_text(&self) -> String {
        self.to_string()
    }

    fn from_text(text: &str) -> Result<Self> {
        Self::named(text).map_or_else(|| Self::parse(text), Ok)
    }
}

/// Head rules and tag classes, each as text or by name.
#[derive(Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
struct LanguageText {
    head_rules: String,
    tag_classes: String,
}

impl Default for LanguageText {
    fn default() -> Self {
        Self { head_rules: "english".to_owned(), tag_classes: "english".to_owned() }
    }
}

/// For `#[serde(with = "language")]`.
pub(super) mod language {
    use super::{Deserialize, Deserializer, Language, LanguageText, Serialize, Serializer, name_or_text};
    use serde::de::Error;

    pub(in crate::train) fn serialize<S: Serializer>(
        language: &Language,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let english = Language::english();
        LanguageText {
            head_rules: name_or_text(&language.head_text, &[("english", &english.head_text)]),
            tag_classes: name_or_text(&language.class_text, &[("english", &english.class_text)]),
        }
        .serialize(serializer)
    }

    pub(in crate::train) fn deserialize<'d, D: Deserializer<'d>>(
        deserializer: D,
    ) -> Result<Language, D::Error> {
        let LanguageText { head_rules, tag_classes } = LanguageText::deserialize(deserializer)?;
        let heads = Language::named_heads(&head_rules).unwrap_or(&head_rules);
        let classes = Language::named_classes(&tag_classes).unwrap_or(&tag_classes);
        Language::new(heads, classes).map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use crate::learn::run::{from_toml, over_toml, to_toml};
    use crate::train::{BaseGrammar, ConditionalConfig, CrfConfig, LatentConfig, PcfgConfig, Penalty};

    #[test]
    fn what_is_not_mentioned_stays() {
        let settings = LatentConfig { grammars: 2, ..LatentConfig::default() };
        let settings = over_toml(&settings, "max-rounds = 3\n[lexicon]\nrare = 7").unwrap();
        assert_eq!((settings.grammars, settings.max_rounds, settings.lexicon.rare), (2, 3, 7));
        assert_eq!(settings.lexicon.class_count, LatentConfig::default().lexicon.class_count);
    }

    #[test]
    fn another_choice_is_taken_as_a_whole() {
        let settings = over_toml(&CrfConfig::default(), "[base.pcfg]\nvertical = 1").unwrap();
        let BaseGrammar::Pcfg(base) = settings.base else { panic!("a plain grammar") };
        assert_eq!((base.vertical, base.horizontal), (1, PcfgConfig::default().horizontal));
    }

    #[test]
    fn settings_are_read_as_they_are_written() {
        let text = to_toml(&PcfgConfig::default()).unwrap();
        assert_eq!(
            to_toml(&from_toml::<PcfgConfig>(&text).unwrap()).unwrap(),
            text,
            "also without annotations"
        );
        let text = to_toml(&CrfConfig::default()).unwrap();
        assert_eq!(to_toml(&from_toml::<CrfConfig>(&text).unwrap()).unwrap(), text);
    }

    #[test]
    fn choices_without_settings_of_their_own_are_taken_too() {
        let settings = over_toml(&ConditionalConfig::default(), "penalty = { l2 = 0.5 }").unwrap();
        assert_eq!(settings.penalty, Penalty::L2(0.5));
    }

    #[test]
    fn what_there_is_not_is_told_with_its_line() {
        let error = from_toml::<LatentConfig>("seed = 1\nround = 3\n").unwrap_err().to_string();
        assert!(error.contains("line 2") || error.starts_with("2:"), "{error}");
        assert!(error.contains("round"), "{error}");
    }
}
