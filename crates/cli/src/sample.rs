//! The treebank inside the program, for trying things out: `@sample`, or one file of it, `@sample/news`.

use anyhow::{Result, bail};
use boughs::tree::read::Input;
use boughs::treebank::SAMPLE;

const NAME: &str = "@sample";

/// The inputs that a file name means, if it is a name of the sample; a file of such a name is `./@sample`.
pub(crate) fn inputs(file_name: &str) -> Result<Option<Vec<Input>>> {
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
            bail!("there is no `{file}` in the built-in treebank (it has {})", names.join(", "))
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
        let inputs = inputs(file_name).expect("a sample").unwrap_or_default();
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
            assert!(inputs(name).expect("no sample").is_none());
        }
    }

    #[test]
    fn what_is_not_in_the_sample() {
        let error = inputs("@sample/poems").expect_err("no such file").to_string();
        assert!(error.contains("`poems`") && error.contains("travel"), "{error}");
    }
}
