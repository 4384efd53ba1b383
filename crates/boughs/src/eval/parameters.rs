//! What to count and what to leave out: the settings of EVALB's `.prm` files.
//!
//! A `.prm` file has one setting a line, a keyword and its value: `DELETE_LABEL TOP`. Lines that start
//! with `#` and lines of less than three characters say nothing. The two files that published figures
//! were made with are built in under their names, `COLLINS` and `new`.
//!
//! EVALB passes over a line that it does not understand; here it is an error, since a score made with other
//! settings than intended is worse than none.

use std::path::Path;

use crate::error::{Error, Result, syntax};
use crate::tree::TRACE_TAG;
use crate::tree::profile::Profile;

/// A label or a word as its bytes: EVALB knows no encoding.
pub type Name = Vec<u8>;

/// The settings of an evaluation; [`default`](Self::default) is EVALB without a `.prm` file.
///
/// ```
/// use boughs::eval::Parameters;
///
/// let collins = Parameters::named("COLLINS").unwrap();
/// let same = Parameters::parse(b"DELETE_LABEL TOP\nEQ_LABEL ADVP PRT\n")?;
/// assert_eq!(same.equal_labels, collins.equal_labels);
/// assert!(collins.delete_labels.contains(&b",".to_vec()));
/// # Ok::<(), boughs::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameters {
    /// `DEBUG`: 1 shows the words and brackets of each sentence, 2 also how they were matched. Default 0.
    pub debug: i64,
    /// `MAX_ERROR`: EVALB gives up at the second error beyond this number. Default 10.
    pub max_errors: i64,
    /// `CUTOFF_LEN`: sentences up to this length get a summary of their own. Default 40.
    pub cutoff_length: i64,
    /// `LABELED`: whether brackets must agree in their labels. Default true.
    pub labeled: bool,
    /// `DELETE_LABEL`: words with this tag are left out, and brackets with this label.
    pub delete_labels: Vec<Name>,
    /// `DELETE_LABEL_FOR_LENGTH`: words with this tag do not count in the length of a sentence.
    pub delete_labels_for_length: Vec<Name>,
    /// `QUOTE_LABEL`: where lengths differ, words `'`, `"` and `/` that one side deletes and the other
    /// does not are put back if both their tags are among these.
    pub quote_labels: Vec<Name>,
    /// `EQ_LABEL`: labels, and tags, that count as the same; symmetric, not transitive.
    pub equal_labels: Vec<(Name, Name)>,
    /// `EQ_WORD`: words that count as the same.
    pub equal_words: Vec<(Name, Name)>,
}

impl Default for Parameters {
    fn default() -> Self {
        Self {
            debug: 0,
            max_errors: 10,
            cutoff_length: 40,
            labeled: true,
            delete_labels: Vec::new(),
            delete_labels_for_length: Vec::new(),
            quote_labels: Vec::new(),
            equal_labels: Vec::new(),
            equal_words: Vec::new(),
        }
    }
}

impl Parameters {
    /// The names that [`named`](Self::named) knows.
    pub const NAMES: [&str; 2] = ["COLLINS", "new"];

    /// The settings that come with EVALB under a name: `COLLINS`, which nearly all figures for English are
    /// made with, and `new`, which also deletes `S1`, `?` and `!` and forgives mistagged quotation marks.
    pub fn named(name: &str) -> Option<Self> {
        let text: &[u8] = match name {
            "COLLINS" => include_bytes!("../../data/eval/COLLINS.prm"),
            "new" => include_bytes!("../../data/eval/new.prm"),
            _ => return None,
        };
        Self::parse(text).ok()
    }

    /// The settings for treebanks of a profile: `COLLINS` for the Penn Treebank, and for others the same without its
    /// equal labels, and with the punctuation of the profile.
    pub fn of_profile(profile: &Profile) -> Self {
        let collins = Self::named("COLLINS").unwrap_or_default();
        if profile.is_default() {
            return collins;
        }
        let deleted =
            ["TOP", TRACE_TAG].into_iter().map(str::to_owned).chain(profile.punctuation().into_tags());
        Self { delete_labels: deleted.map(String::into_bytes).collect(), equal_labels: Vec::new(), ..collins }
    }

    /// The settings of a name if there are such, otherwise of a file.
    ///
    /// # Errors
    /// If the file cannot be read, or one of its lines is no setting.
    pub fn load(name_or_file: &str) -> Result<Self> {
        if let Some(parameters) = Self::named(name_or_file) {
            return Ok(parameters);
        }
        let file = Path::new(name_or_file);
        let text = std::fs::read(file).map_err(|error| {
            Error::io("open the settings", error)
                .hint(format!("expected a .prm file, or one of the names {}", Self::NAMES.join(", ")))
                .in_file(file)
        })?;
        Self::parse(&text).map_err(|error| error.in_file(file))
    }

    /// Reads the text of a `.prm` file.
    ///
    /// # Errors
    /// [`ErrorKind::Syntax`](crate::ErrorKind::Syntax) with the number of the line that is no setting.
    pub fn parse(text: &[u8]) -> Result<Self> {
        let mut parameters = Self::default();
        for (line, number) in text.split(|&byte| byte == b'\n').zip(1..) {
            let line = line.trim_ascii_end();
            if line.len() >= 3 && line.trim_ascii_start()[0] != b'#' {
                parameters.set(line).map_err(|error| error.at_line(number))?;
            }
        }
        Ok(parameters)
    }

    fn set(&mut self, line: &[u8]) -> Result<()> {
        let end = line.iter().position(u8::is_ascii_whitespace).unwrap_or(line.len());
        let (keyword, value) = (&line[..end], line[end..].trim_ascii_start());
        match keyword {
            b"DEBUG" => self.debug = number(keyword, value)?,
            b"MAX_ERROR" => self.max_errors = number(keyword, value)?,
            b"CUTOFF_LEN" => self.cutoff_length = number(keyword, value)?,
            b"LABELED" => self.labeled = number(keyword, value)? != 0,
            b"DELETE_LABEL" => self.delete_labels.push(name(keyword, value)?),
            b"DELETE_LABEL_FOR_LENGTH" => self.delete_labels_for_length.push(name(keyword, value)?),
            b"QUOTE_LABEL" => self.quote_labels.push(name(keyword, value)?),
            b"EQ_LABEL" => self.equal_labels.push(pair(keyword, value)?),
            b"EQ_WORD" => self.equal_words.push(pair(keyword, value)?),
            b"" => return Err(syntax("expected a keyword at the start of the line, found a blank")),
            _ => {
                let known = "DEBUG, MAX_ERROR, CUTOFF_LEN, LABELED, DELETE_LABEL, DELETE_LABEL_FOR_LENGTH, \
                             QUOTE_LABEL, EQ_LABEL, EQ_WORD";
                let message = format!("unknown setting `{}`", shown(keyword));
                return Err(
                    syntax(message).hint(format!("the settings are {known}; a comment starts with #"))
                );
            }
        }
        Ok(())
    }
}

/// The number that a value starts with; what follows it is passed over, as EVALB does.
fn number(keyword: &[u8], value: &[u8]) -> Result<i64> {
    let word = value.split(u8::is_ascii_whitespace).next().unwrap_or_default();
    str::from_utf8(word)
        .ok()
        .and_then(|word| word.parse().ok())
        .ok_or_else(|| expected("a whole number", keyword, value))
}

fn name(keyword: &[u8], value: &[u8]) -> Result<Name> {
    if value.is_empty() { Err(expected("a label", keyword, value)) } else { Ok(value.to_vec()) }
}

fn pair(keyword: &[u8], value: &[u8]) -> Result<(Name, Name)> {
    let mut words = value.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    match (words.next(), words.next(), words.next()) {
        (Some(one), Some(other), None) => Ok((one.to_vec(), other.to_vec())),
        _ => Err(expected("two values", keyword, value)),
    }
}

fn expected(what: &str, keyword: &[u8], value: &[u8]) -> Error {
    let found = if value.is_empty() { "nothing".to_owned() } else { format!("`{}`", shown(value)) };
    syntax(format!("expected {what} after {}, found {found}", shown(keyword)))
}

fn shown(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(names: &[&str]) -> Vec<Name> {
        names.iter().map(|&name| name.into()).collect()
    }

    #[test]
    fn the_named_settings_are_those_of_evalb() {
        let collins = Parameters {
            delete_labels: names(&["TOP", "-NONE-", ",", ":", "``", "''", "."]),
            delete_labels_for_length: names(&["-NONE-"]),
            equal_labels: vec![("ADVP".into(), "PRT".into())],
            ..Parameters::default()
        };
        let new = Parameters {
            delete_labels: names(&["TOP", "S1", "-NONE-", ",", ":", "``", "''", ".", "?", "!"]),
            quote_labels: names(&["``", "''", "POS", "NN", "CD", "VBZ", ":"]),
            ..collins.clone()
        };
        assert_eq!(Parameters::NAMES.map(Parameters::named), [Some(collins), Some(new)]);
    }

    #[test]
    fn every_setting() {
        let text = b"# a comment\n## another\n\nDEBUG 1\nMAX_ERROR  7\nCUTOFF_LEN\t70\r\nLABELED 0   \n\
            DELETE_LABEL TOP\nDELETE_LABEL_FOR_LENGTH -NONE-\nQUOTE_LABEL POS\nEQ_LABEL A  B\nEQ_WORD a b\n";
        let expected = Parameters {
            debug: 1,
            max_errors: 7,
            cutoff_length: 70,
            labeled: false,
            delete_labels: names(&["TOP"]),
            delete_labels_for_length: names(&["-NONE-"]),
            quote_labels: names(&["POS"]),
            equal_labels: vec![("A".into(), "B".into())],
            equal_words: vec![("a".into(), "b".into())],
        };
        assert_eq!(Parameters::parse(text).expect("all are settings"), expected);
    }

    #[test]
    fn errors_name_the_line() {
        for (text, message) in [
            ("DELETE_LABEL X\nDELETE LABEL Y\n", "line 2: unknown setting `DELETE`"),
            ("MAX_ERROR ten", "line 1: expected a whole number after MAX_ERROR, found `ten`"),
            ("\n\nEQ_LABEL A", "line 3: expected two values after EQ_LABEL, found `A`"),
            ("EQ_WORD", "line 1: expected two values after EQ_WORD, found nothing"),
            ("DELETE_LABEL  ", "line 1: expected a label after DELETE_LABEL, found nothing"),
            (" DEBUG 1", "line 1: expected a keyword at the start of the line, found a blank"),
        ] {
            let error = Parameters::parse(text.as_bytes()).expect_err(text);
            assert!(error.to_string().starts_with(message), "{error}");
        }
    }

    #[test]
    fn unknown_names_are_files() {
        let error = Parameters::load("no-such.prm").expect_err("there is none");
        assert!(error.to_string().contains("COLLINS, new"), "{error}");
    }
}
