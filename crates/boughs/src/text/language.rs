//! What differs between languages, as data: abbreviations, words that begin sentences, clitics and elisions, decimal
//! commas, ordinals. What is the same in all, such as inverted marks or addresses, is in the code.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;
use std::sync::LazyLock;

use rustc_hash::FxHashSet;
use serde::Deserialize;

use crate::error::{Error, ErrorKind};

/// The language of a text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Language {
    /// English.
    #[default]
    English,
    /// Spanish.
    Spanish,
    /// French.
    French,
    /// German.
    German,
    /// Portuguese.
    Portuguese,
    /// Dutch.
    Dutch,
}

const FILES: [(Language, &str, &str); 6] = [
    (Language::English, "english", include_str!("../../data/languages/english.toml")),
    (Language::Spanish, "spanish", include_str!("../../data/languages/spanish.toml")),
    (Language::French, "french", include_str!("../../data/languages/french.toml")),
    (Language::German, "german", include_str!("../../data/languages/german.toml")),
    (Language::Portuguese, "portuguese", include_str!("../../data/languages/portuguese.toml")),
    (Language::Dutch, "dutch", include_str!("../../data/languages/dutch.toml")),
];

static CONVENTIONS: LazyLock<[Conventions; 6]> =
    LazyLock::new(|| FILES.map(|(_, _, text)| Conventions::new(toml::from_str(text).unwrap_or_default())));

impl Language {
    /// All languages.
    pub const ALL: [Self; 6] =
        [Self::English, Self::Spanish, Self::French, Self::German, Self::Portuguese, Self::Dutch];

    /// Its name, as `spanish`.
    pub fn name(self) -> &'static str {
        FILES[self as usize].1
    }

    pub(super) fn conventions(self) -> &'static Conventions {
        &CONVENTIONS[self as usize]
    }
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// By name.
impl FromStr for Language {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        Self::ALL.into_iter().find(|language| language.name() == name).ok_or_else(|| {
            let message = format!("expected a language of texts, found `{name}`");
            let names: Vec<&str> = Self::ALL.into_iter().map(Self::name).collect();
            Error::new(ErrorKind::Argument, message).hint(format!("there are {}", names.join(", ")))
        })
    }
}

/// A file of `data/languages`.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
struct LanguageFile {
    clitics: Vec<String>,
    english_contractions: bool,
    elided: Vec<String>,
    elisions: Vec<String>,
    fused: BTreeMap<String, usize>,
    cuts_hyphens: bool,
    decimal_comma: bool,
    ordinals: bool,
    starters: String,
    abbreviations: Abbreviations,
}

/// Words in small letters, without their last period, by what it says about the end of a sentence.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Abbreviations {
    /// It never ends one, however the word is written.
    pub(super) titles: FxHashSet<String>,
    /// It never ends one, unless the word is all in capitals.
    pub(super) prefixes: FxHashSet<String>,
    /// It never ends one after a word with a capital.
    pub(super) capital_prefixes: FxHashSet<String>,
    /// It ends none if a number follows; otherwise the word is no abbreviation.
    pub(super) before_numbers: FxHashSet<String>,
    /// It may end one.
    pub(super) anywhere: FxHashSet<String>,
    /// It may end one after a word with a capital.
    pub(super) capitals_anywhere: FxHashSet<String>,
}

/// What the tokeniser knows of a language.
#[derive(Debug)]
pub(super) struct Conventions {
    /// What leans on the word before it, behind an apostrophe: `'s`.
    clitics: Vec<String>,
    /// `n't`, `y'all`, `d'ye`, `goin'`.
    pub(super) has_english_contractions: bool,
    /// Words of which an apostrophe stands for the beginning: `'em`.
    elided: Vec<String>,
    /// Words of which an apostrophe stands for the end, and which are tokens with it: `l'`.
    elisions: Vec<String>,
    /// Words written as one and where the second begins.
    fused: Vec<(String, usize)>,
    /// Whether treebanks of the new style cut words at hyphens and slashes.
    pub(super) cuts_hyphens: bool,
    /// `3,5` and `1.234,56` are numbers.
    pub(super) has_decimal_comma: bool,
    /// A number with a period is an ordinal: `am 3. Oktober`.
    pub(super) has_ordinals: bool,
    starters: FxHashSet<String>,
    pub(super) abbreviations: Abbreviations,
}

impl Conventions {
    fn new(file: LanguageFile) -> Self {
        Self {
            clitics: file.clitics,
            has_english_contractions: file.english_contractions,
            elided: file.elided,
            elisions: file.elisions,
            fused: file.fused.into_iter().collect(),
            cuts_hyphens: file.cuts_hyphens,
            has_decimal_comma: file.decimal_comma,
            has_ordinals: file.ordinals,
            starters: file.starters.split_whitespace().map(str::to_owned).collect(),
            abbreviations: file.abbreviations,
        }
    }

    /// Whether the word, as written, more likely begins a sentence than goes on with a name after an abbreviation.
    pub(super) fn is_starter(&self, word: &str) -> bool {
        self.starters.contains(word)
    }

    /// Whether the letters, after an apostrophe, are a word of their own that leans on the one before.
    pub(super) fn is_clitic(&self, letters: &str) -> bool {
        self.clitics.iter().any(|clitic| letters.eq_ignore_ascii_case(clitic))
    }

    /// Whether the word, after an apostrophe, is one that has lost its beginning.
    pub(super) fn is_elided(&self, word: &str) -> bool {
        self.elided.iter().any(|elided| word.eq_ignore_ascii_case(elided))
    }

    /// Whether the word, before an apostrophe, is one that has lost its end.
    pub(super) fn is_elision(&self, word: &str) -> bool {
        self.elisions.iter().any(|elision| word.eq_ignore_ascii_case(elision))
    }

    /// Where the second of two words begins that are written as one.
    pub(super) fn fused(&self, word: &str) -> Option<usize> {
        self.fused.iter().find(|(fused, _)| word.eq_ignore_ascii_case(fused)).map(|&(_, cut)| cut)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::Tokenizer;

    fn lines(language: Language, text: &str) -> Vec<String> {
        let tokenizer = Tokenizer { language, ..Tokenizer::default() };
        tokenizer.sentences(text).map(|sentence| sentence.to_string()).collect()
    }

    #[test]
    fn files_are_sound() {
        for (language, name, text) in FILES {
            let file: LanguageFile = toml::from_str(text).unwrap_or_else(|error| panic!("{name}: {error}"));
            let lists = &file.abbreviations;
            let all = [&lists.titles, &lists.prefixes, &lists.capital_prefixes, &lists.before_numbers];
            let words = all.into_iter().chain([&lists.anywhere, &lists.capitals_anywhere]).flatten();
            assert!(
                words.clone().count() > 20 && words.clone().all(|word| *word == word.to_lowercase()),
                "{name}"
            );
            assert!(file.fused.iter().all(|(word, &cut)| word.is_char_boundary(cut)), "{name}");
            assert!(file.starters.split_whitespace().count() > 80, "{name}");
            assert_eq!((language.name(), name.parse().unwrap()), (name, language));
        }
        assert!("klingon".parse::<Language>().is_err_and(|error| error.to_string().contains("klingon")));
    }

    #[test]
    fn spanish() {
        assert_eq!(
            lines(
                Language::Spanish,
                "El Sr. García pagó 1.234,56 €. ¿Quién? ¡Nadie! Vive en EE.UU. desde 1999."
            ),
            ["El Sr. García pagó 1.234,56 € .", "¿ Quién ?", "¡ Nadie !", "Vive en EE.UU. desde 1999 ."]
        );
        assert_eq!(
            lines(Language::Spanish, "Véase la pág. 12, p.ej. La casa, etc. Después se fue con D. Juan."),
            ["Véase la pág. 12 , p.ej. La casa , etc .", "Después se fue con D. Juan ."]
        );
        assert_eq!(lines(Language::Spanish, "Un 3,5% franco-alemán."), ["Un 3,5 % franco-alemán ."]);
    }

    #[test]
    fn french() {
        assert_eq!(
            lines(
                Language::French,
                "M. Dupont n’a pas vu l'eau aujourd'hui. Qu'est-ce qu’il dit ? Jusqu'à 3,5 km."
            ),
            ["M. Dupont n’ a pas vu l' eau aujourd'hui .", "Qu' est-ce qu’ il dit ?", "Jusqu' à 3,5 km ."]
        );
        assert_eq!(
            lines(Language::French, "Voir la fig. 3 de l'«Humanité», etc. Elle est là."),
            ["Voir la fig. 3 de l' « Humanité » , etc .", "Elle est là ."]
        );
    }

    #[test]
    fn german() {
        assert_eq!(
            lines(
                Language::German,
                "Am 3. Oktober kam Dr. Weiß, z.B. Der Bus. Er kostet 3,50 Euro. Wie geht's?"
            ),
            ["Am 3. Oktober kam Dr. Weiß , z.B. Der Bus .", "Er kostet 3,50 Euro .", "Wie geht 's ?"]
        );
        assert_eq!(
            lines(
                Language::German,
                "Es waren 12. Die anderen gingen 1999. Vgl. S. 12 usw. Das 19. Jahrhundert."
            ),
            ["Es waren 12 .", "Die anderen gingen 1999 .", "Vgl. S. 12 usw .", "Das 19. Jahrhundert ."]
        );
    }

    #[test]
    fn portuguese_and_dutch() {
        assert_eq!(
            lines(Language::Portuguese, "A Sra. Silva pagou 3,5 euros, p.ex. ao Dr. Reis. Não gostou."),
            ["A Sra. Silva pagou 3,5 euros , p.ex. ao Dr. Reis .", "Não gostou ."]
        );
        assert_eq!(
            lines(Language::Dutch, "'t Kost 3,50 euro, d.w.z. Jan betaalt dhr. Bos. De rest niet."),
            ["'t Kost 3,50 euro , d.w.z. Jan betaalt dhr. Bos .", "De rest niet ."]
        );
    }

    #[test]
    fn english_is_as_it_was() {
        assert_eq!(lines(Language::English, "It costs 3,5, l'eau."), ["It costs 3 , 5 , l'eau ."]);
    }
}
