//! The parsers that ship, by name: `@english` and `@english-small`.
//!
//! Which of them a build has is up to its features, `english` and `english-small`. A package from a registry lacks the
//! large one, which no registry takes; a clone has both.

use super::Parser;
use crate::error::{Error, ErrorKind, Result};
use crate::model::ModelFile;

/// The name of the large parser for English: the most accurate.
pub const ENGLISH: &str = "@english";

/// The name of the small one: fast, and a third of the size.
pub const ENGLISH_SMALL: &str = "@english-small";

/// All names.
pub const NAMES: [&str; 2] = [ENGLISH, ENGLISH_SMALL];

#[cfg(any(feature = "english", feature = "english-small"))]
static FILES: [Option<&[u8]>; 2] = [boughs_english::LARGE, boughs_english::SMALL];
#[cfg(not(any(feature = "english", feature = "english-small")))]
static FILES: [Option<&[u8]>; 2] = [None, None];

/// The name of the parser to take if nobody names one: `@english`, unless this build has only the small one.
pub const DEFAULT: &str = if FILES[0].is_none() && FILES[1].is_some() { ENGLISH_SMALL } else { ENGLISH };

/// The model file of this name; nothing if no parser that ships has it.
///
/// # Errors
/// [`ErrorKind::Argument`] if this build is without it.
pub fn model_file(name: &str) -> Option<Result<ModelFile>> {
    let place = NAMES.iter().position(|&known| known == name)?;
    let file = FILES[place].ok_or_else(|| missing(name)).and_then(ModelFile::from_bytes);
    Some(file.map_err(|error| error.in_file(name)))
}

/// Whether this build has the parser of this name.
pub fn has(name: &str) -> bool {
    NAMES.iter().zip(FILES).any(|(&known, file)| known == name && file.is_some())
}

fn missing(name: &str) -> Error {
    let hint = match name {
        ENGLISH => {
            "take `@english-small`, build a clone of the repository, which has the file, or name \
             crates/english/english.model of one"
        }
        _ => "build with the feature `english-small`, or name a model file",
    };
    Error::new(ErrorKind::Argument, format!("there is no `{name}` in this build")).hint(hint)
}

impl Parser {
    /// The parser for English that is best among those in this build: [`DEFAULT`].
    ///
    /// # Errors
    /// If this build has none.
    pub fn english() -> Result<Self> {
        Self::built_in(DEFAULT)
    }

    /// A parser that ships, by its name, such as [`ENGLISH_SMALL`].
    ///
    /// # Errors
    /// [`ErrorKind::Argument`] if there is none of that name in this build.
    pub fn built_in(name: &str) -> Result<Self> {
        let no_such = || Error::new(ErrorKind::Argument, format!("there is no parser `{name}` that ships"));
        let file = model_file(name)
            .unwrap_or_else(|| Err(no_such().hint(format!("there are {}", NAMES.join(", ")))))?;
        Self::from_file(&file).map_err(|error| error.in_file(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_build_has_can_be_loaded_and_the_rest_is_told() {
        for name in NAMES {
            match (has(name), Parser::built_in(name)) {
                (true, parser) => assert!(parser.is_ok_and(|parser| parser.can_tag())),
                (false, parser) => {
                    let error = parser.expect_err("no such file");
                    assert!(error.to_string().contains(name) && error.remedy().is_some(), "{error}");
                }
            }
        }
        assert!(has(DEFAULT) || !NAMES.into_iter().any(has));
        assert!(model_file("@klingon").is_none());
        assert!(Parser::built_in("@klingon").is_err());
    }
}
