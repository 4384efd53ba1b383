//! Unknown words by their form.
//!
//! The naive form calls every unknown word `UNK`. Its form tells more: capitals, digits, hyphens and endings. A class
//! is the list of its marks, `UNK-LC-DASH` or `UNK-INITC-KNOWNLC-ing`, after Klein & Manning and the Berkeley parser.
//! Which endings matter depends on the language and is data.

use std::fmt;
use std::str::FromStr;

use crate::error::{Error, ErrorKind, Result};
use crate::tree::rule_text::{name_or_text, named_text};

/// The named lists: name, text. `none` has capitals, digits and hyphens only, for any language.
pub const WORD_CLASSES: [(&str, &str); 2] =
    [("english", include_str!("../../../data/classes/english.classes")), ("none", "")];

/// Which endings tell unknown words apart.
///
/// It is read from lines of the form `suffixes N a b c` (these endings, the first that fits, of words of at least N
/// letters without a hyphen) and `plural N s x y` (the ending `s` of words of at least N letters, unless `x` or `y` is
/// before it).
///
/// ```
/// use boughs::model::WordClasses;
///
/// let english = WordClasses::english();
/// assert_eq!(english.class("half-baked", false, |_| false), "UNK-LC-DASH");
/// assert_eq!(english.class("Reading", true, |word| word == "reading"), "UNK-INITC-KNOWNLC-ing");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WordClasses {
    text: String,
    suffixes: Vec<(usize, String)>,
    plural: Option<Plural>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Plural {
    min_length: usize,
    ending: String,
    not_after: Vec<String>,
}

impl WordClasses {
    /// The endings of English.
    pub fn english() -> Self {
        "english".parse().expect("a list that ships")
    }

    /// No endings: capitals, digits and hyphens only, for any language.
    pub fn plain() -> Self {
        Self { text: String::new(), suffixes: Vec::new(), plural: None }
    }

    fn add(&mut self, kind: &str, min_length: usize, rest: &[&str]) -> Option<()> {
        match (kind, rest) {
            ("suffixes", _) => {
                self.suffixes.extend(rest.iter().map(|&ending| (min_length, ending.to_owned())));
            }
            ("plural", [ending, not_after @ ..]) => {
                let not_after = not_after.iter().map(|&it| it.to_owned()).collect();
                self.plural = Some(Plural { min_length, ending: (*ending).to_owned(), not_after });
            }
            _ => return None,
        }
        Some(())
    }

    /// The text that they were read from.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The class of a word, from its form, whether it begins the sentence, and which words are known.
    pub fn class(&self, word: &str, is_first: bool, is_known: impl Fn(&str) -> bool) -> String {
        let mut class = String::from("UNK");
        let lower = word.to_lowercase();
        class.push_str(capitals(word, &lower, is_first, is_known));
        if word.chars().any(char::is_numeric) {
            class.push_str("-NUM");
        }
        let has_hyphen = word.contains('-');
        if has_hyphen {
            class.push_str("-DASH");
        }
        if let Some(ending) = self.ending(&lower, has_hyphen) {
            class.push('-');
            class.push_str(ending);
        }
        class
    }

    fn ending(&self, lower: &str, has_hyphen: bool) -> Option<&str> {
        let length = lower.chars().count();
        if let Some(plural) = &self.plural {
            let before = lower.strip_suffix(plural.ending.as_str()).filter(|_| length >= plural.min_length);
            if before.is_some_and(|before| !plural.not_after.iter().any(|it| before.ends_with(it.as_str()))) {
                return Some(&plural.ending);
            }
        }
        let fits = |(min_length, ending): &&(usize, String)| {
            length >= *min_length && lower.ends_with(ending.as_str())
        };
        self.suffixes.iter().filter(|_| !has_hyphen).find(fits).map(|(_, ending)| ending.as_str())
    }
}

impl fmt::Display for WordClasses {
    /// Writes the name of the list, or the text of one that has none.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(name_or_text(&WORD_CLASSES, &self.text))
    }
}

impl FromStr for WordClasses {
    type Err = Error;

    /// Reads a list of endings, or takes that of this name among [`WORD_CLASSES`].
    ///
    /// # Errors
    /// If a line is of another form.
    fn from_str(text: &str) -> Result<Self> {
        let text = named_text(&WORD_CLASSES, text);
        let mut classes = Self { text: text.to_owned(), ..Self::plain() };
        for (index, line) in text.lines().enumerate() {
            let line = line.split('#').next().unwrap_or("");
            let words: Vec<&str> = line.split_whitespace().collect();
            let known = match words[..] {
                [] => Some(()),
                [kind, number, ref rest @ ..] => {
                    number.parse().ok().and_then(|number| classes.add(kind, number, rest))
                }
                [_] => None,
            };
            known.ok_or_else(|| {
                Error::new(
                    ErrorKind::Syntax,
                    format!("expected `suffixes N …` or `plural N …`, found `{line}`"),
                )
                .at_line(index as u64 + 1)
            })?;
        }
        Ok(classes)
    }
}

fn capitals(word: &str, lower: &str, is_first: bool, is_known: impl Fn(&str) -> bool) -> &'static str {
    let begins = word.chars().next().is_some_and(char::is_uppercase);
    let num_upper = word.chars().filter(|c| c.is_uppercase()).count();
    match (begins, num_upper) {
        (true, 1) if is_first && is_known(lower) => "-INITC-KNOWNLC",
        (true, 1) if is_first => "-INITC",
        (_, 0) if word.chars().any(char::is_lowercase) => "-LC",
        (_, 0) => "",
        (_, 2..) if word.chars().all(|c| !c.is_lowercase()) => "-CAPS",
        _ => "-CAP",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_of_words() {
        let english = WordClasses::english();
        for (word, is_first, class) in [
            ("1990s", false, "UNK-LC-NUM-s"),
            ("42", false, "UNK-NUM"),
            ("Blair", false, "UNK-CAP"),
            ("Blair", true, "UNK-INITC"),
            ("NATO", true, "UNK-CAPS"),
            ("glasses", false, "UNK-LC-s"),
            ("glass", false, "UNK-LC"),
            ("quickly", false, "UNK-LC-ly"),
            ("go", false, "UNK-LC"),
            ("%", false, "UNK"),
            ("", false, "UNK"),
        ] {
            assert_eq!(english.class(word, is_first, |_| false), class, "{word}");
        }
    }

    #[test]
    fn faults_are_told() {
        let message = "suffixes 3 a\nending x".parse::<WordClasses>().unwrap_err().to_string();
        assert_eq!(message, "line 2: expected `suffixes N …` or `plural N …`, found `ending x`");
    }
}
