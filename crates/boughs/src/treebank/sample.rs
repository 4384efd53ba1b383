//! The treebank inside the library, for trying things out: 440 sentences of our own in eight kinds of text.

use crate::error::{Error, ErrorKind, Result};
use crate::tree::Tree;
use crate::tree::read::{Format, Input, TreeReader};

/// The name by which programs take it where they take files; `@sample/news` is one file of it.
const NAME: &str = "@sample";

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

/// The inputs that a file name means, if it is a name of the sample: `@sample`, or one file of it as `@sample/news`. A
/// file of such a name is `./@sample`.
///
/// # Errors
/// [`ErrorKind::Argument`] if there is no such file in the sample.
pub fn sample_inputs(file_name: &str) -> Result<Option<Vec<Input>>> {
    let Some(rest) = file_name.strip_prefix(NAME) else { return Ok(None) };
    match rest.strip_prefix('/') {
        None if rest.is_empty() => Ok(Some(SAMPLE.iter().map(|&(name, text)| input(name, text)).collect())),
        None => Ok(None),
        Some(file) => one(file).map(Some),
    }
}

fn one(file: &str) -> Result<Vec<Input>> {
    let wanted = file.strip_suffix(".mrg").unwrap_or(file);
    match SAMPLE.iter().find(|(name, _)| *name == wanted) {
        Some(&(name, text)) => Ok(vec![input(name, text)]),
        None => {
            let names: Vec<_> = SAMPLE.iter().map(|(name, _)| *name).collect();
            let message = format!("there is no `{file}` in the built-in treebank");
            Err(Error::new(ErrorKind::Argument, message).hint(format!("it has {}", names.join(", "))))
        }
    }
}

fn input(name: &str, text: &'static str) -> Input {
    Input::Text { name: format!("{NAME}/{name}.mrg"), text }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(file_name: &str) -> Vec<String> {
        let inputs = sample_inputs(file_name).expect("a sample").unwrap_or_default();
        inputs.iter().map(Input::name).collect()
    }

    #[test]
    fn the_whole_and_its_parts() {
        assert_eq!(names("@sample").len(), SAMPLE.len());
        assert!(names("@sample").is_sorted());
        assert_eq!(names("@sample/news"), ["@sample/news.mrg"]);
        assert_eq!(names("@sample/news.mrg"), ["@sample/news.mrg"]);
    }

    #[test]
    fn other_files_are_files() {
        for name in ["sample", "@samples", "./@sample", "@sample.mrg"] {
            assert!(sample_inputs(name).expect("no sample").is_none());
        }
    }

    #[test]
    fn what_is_not_in_the_sample() {
        let error = sample_inputs("@sample/poems").expect_err("no such file").to_string();
        assert!(error.contains("`poems`") && error.contains("travel"), "{error}");
    }
}
