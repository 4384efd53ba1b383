//! Settings of recipes as text, and the identity of a run.

use std::collections::BTreeSet;
use std::fmt::Display;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::error::Result;
use crate::learn::names::name_of;
use crate::learn::run::{fingerprint, from_toml, to_toml};
use crate::tree::Tree;
use crate::tree::heads::{HEAD_RULES, HeadConventions, TAG_CLASSES};
use crate::tree::rule_text::{name_or_text, named_text};

/// What a run depends on, as a short name: settings and trees.
pub(super) fn identity(settings: &impl Serialize, train: &[Tree], dev: Option<&[Tree]>) -> String {
    let trees = [Some(train), dev].map(|trees| {
        let trees = trees.into_iter().flatten().map(|tree| format!("{tree}\n"));
        trees.collect::<String>()
    });
    fingerprint(settings, trees)
}

/// What a model says of the paper whose settings it was trained with, and of those that were changed.
///
/// # Errors
/// If settings cannot be written down.
pub fn preset_note<T: Serialize>(preset: &impl Serialize, own: &T, paper: &T) -> Result<String> {
    let changes = differences(own, paper)?;
    let but = if changes.is_empty() { String::new() } else { format!(" but for {}", changes.join(", ")) };
    Ok(format!("{} as printed{but}", name_of(preset)))
}

/// The names of the settings that differ, in their order; those of tables with a dot.
fn differences<T: Serialize>(one: &T, other: &T) -> Result<Vec<String>> {
    let [one, other] = [one, other].map(|settings| from_toml::<toml::Table>(&to_toml(settings)?));
    let mut names = Vec::new();
    add_differences("", &one?, &other?, &mut names);
    Ok(names)
}

fn add_differences(prefix: &str, one: &toml::Table, other: &toml::Table, names: &mut Vec<String>) {
    let all: BTreeSet<&String> = one.keys().chain(other.keys()).collect();
    for name in all {
        let path = format!("{prefix}{name}");
        match (one.get(name), other.get(name)) {
            (Some(toml::Value::Table(one)), Some(toml::Value::Table(other))) => {
                add_differences(&format!("{path}."), one, other, names);
            }
            (one, other) if one != other => names.push(path),
            _ => {}
        }
    }
}

/// For `#[serde(with = "as_text")]`.
pub(super) mod as_text {
    use super::{Deserialize, Deserializer, Display, FromStr, Serializer};
    use serde::de::Error;

    pub(crate) fn serialize<T: Display, S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(value)
    }

    pub(crate) fn deserialize<'d, T, D: Deserializer<'d>>(deserializer: D) -> Result<T, D::Error>
    where
        T: FromStr<Err = crate::error::Error>,
    {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
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
    use super::*;
    use serde::de::Error;

    pub(crate) fn serialize<S: Serializer>(
        language: &HeadConventions,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        LanguageText {
            head_rules: name_or_text(&HEAD_RULES, &language.head_text).to_owned(),
            tag_classes: name_or_text(&TAG_CLASSES, &language.class_text).to_owned(),
        }
        .serialize(serializer)
    }

    pub(crate) fn deserialize<'d, D: Deserializer<'d>>(deserializer: D) -> Result<HeadConventions, D::Error> {
        let LanguageText { head_rules, tag_classes } = LanguageText::deserialize(deserializer)?;
        let (heads, classes) = (named_text(&HEAD_RULES, &head_rules), named_text(&TAG_CLASSES, &tag_classes));
        HeadConventions::new(heads, classes).map_err(D::Error::custom)
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
