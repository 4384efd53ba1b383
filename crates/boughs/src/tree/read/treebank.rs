//! [`TreebankReader`]: one stream of trees over any number of files of any format.

use super::format::format_by_name;
use super::reader::sniff_xml;
use super::{Format, Input, ReadOptions, TreeReader};
use crate::error::Result;
use crate::tree::Tree;

/// Reads the trees of several inputs one after the other. Errors name the file; after an error in a tree
/// reading goes on with the next, after one of the operating system with the next file.
///
/// ```
/// use boughs::tree::read::{Input, ReadOptions, TreebankReader};
///
/// let input = Input::Text { name: "demo".into(), text: "(NP (NN a)) (NP (NN b" };
/// let mut trees = TreebankReader::open(vec![input], ReadOptions::default())?;
/// assert!(trees.next().unwrap().is_ok());
/// let error = trees.next().unwrap().unwrap_err();
/// assert!(error.to_string().starts_with("demo:1:13: tree 2: "));
/// # Ok::<(), boughs::Error>(())
/// ```
pub struct TreebankReader {
    inputs: std::vec::IntoIter<Input>,
    options: ReadOptions,
    current: Option<TreeReader<'static>>,
    file: String,
    number: u64,
}

impl TreebankReader {
    /// A reader of these inputs; directories are replaced by the files in them.
    ///
    /// # Errors
    /// If an input does not exist or a directory has no treebank files.
    pub fn open(inputs: Vec<Input>, options: ReadOptions) -> Result<Self> {
        let mut files = Vec::new();
        for input in inputs {
            files.extend(input.expand()?);
        }
        Ok(Self { inputs: files.into_iter(), options, current: None, file: String::new(), number: 0 })
    }

    /// The name of the file that the last tree, or error, came from.
    pub fn file(&self) -> &str {
        &self.file
    }

    /// The number of the last tree, good or bad, within its file, from 1. An error that concerns no tree, such as
    /// text between trees, does not count.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// The trees of the next file; its ending tells the format, unless the options do.
    fn open_next(&mut self) -> Option<Result<TreeReader<'static>>> {
        let input = self.inputs.next()?;
        self.file = input.name();
        self.number = 0;
        let by_name = match &input {
            Input::Path(path) => format_by_name(path),
            _ => None,
        };
        Some(self.open_as(&input, by_name))
    }
}

impl TreebankReader {
    fn open_as(&self, input: &Input, by_name: Option<Format>) -> Result<TreeReader<'static>> {
        let mut stream = input.open(self.options.encoding)?;
        let format = match (self.options.format, by_name) {
            (None, Some(Format::TigerXml)) => Some(sniff_xml(&mut stream)?),
            (given, by_name) => given.or(by_name),
        };
        Ok(TreeReader::new(stream, ReadOptions { format, ..self.options.clone() }))
    }
}

impl Iterator for TreebankReader {
    type Item = Result<Tree>;

    fn next(&mut self) -> Option<Result<Tree>> {
        loop {
            if let Some(tree) = self.current.as_mut().and_then(Iterator::next) {
                self.number += u64::from(is_tree(&tree));
                return Some(tree.map_err(|error| error.in_file(&self.file)));
            }
            match self.open_next()? {
                Ok(trees) => self.current = Some(trees),
                Err(error) => return Some(Err(error.in_file(&self.file))),
            }
        }
    }
}

/// Whether this is a tree or an error in one.
fn is_tree(item: &Result<Tree>) -> bool {
    item.as_ref().err().is_none_or(|error| error.place().tree.is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &'static str) -> Vec<String> {
        let input = Input::Text { name: "demo".into(), text };
        TreebankReader::open(vec![input], ReadOptions::default())
            .expect("it exists")
            .map(|tree| tree.map_or_else(|error| error.to_string(), |tree| tree.to_string()))
            .collect()
    }

    #[test]
    fn first_lines_tell_the_format() {
        assert_eq!(read("*x* copyright\n;\n; a\tb\n (NN a)"), ["(NN a)"]);
        assert_eq!(read("%% corpus\n#FORMAT 3\n#BOS 1\na X -- -- 0\n#EOS 1"), ["(VROOT (X a))"]);
        assert_eq!(read("#BOS 1\na X -- -- 0\n#EOS 1"), ["(VROOT (X a))"]);
        assert_eq!(read("<s><t word='a' pos='X' id='1'/></s>"), ["(VROOT (X a))"]);
        assert_eq!(read("# text = a\n1\ta\t_\tX\t_\t_\t_\t_\t_\t_\n"), ["(X a)"]);
        assert_eq!(read("%\tX\n#\tX\n"), ["( (X %) (X #))"]);
        assert!(read("").is_empty());
    }

    #[test]
    fn what_is_no_format_is_taken_for_brackets() {
        let found = read("Once upon a time.\n");
        assert!(found[0].starts_with("demo:1:1: expected a tree, found `Once`"), "{found:?}");
    }

    #[test]
    fn only_trees_are_numbered() {
        for text in [
            "(A a)\nstray\n(B )\n(C c)\n",
            "#BOS 1\na X -- -- 0\n#EOS 1\nstray\n#BOS 2\na X\n#EOS 2\n#BOS 3\n#EOS 3\n#EOS 3\n",
            "<corpus><s/></s><s><t/></s><s/>",
        ] {
            let input = Input::Text { name: "demo".into(), text };
            let mut trees = TreebankReader::open(vec![input], ReadOptions::default()).expect("it exists");
            let mut numbers = Vec::new();
            while let Some(tree) = trees.next() {
                let of_error = tree.as_ref().err().map(|error| error.place().tree);
                assert!(of_error.is_none_or(|tree| tree.is_none_or(|tree| tree == trees.number())));
                numbers.push(trees.number());
            }
            assert!(numbers.starts_with(&[1, 1, 2, 3]), "{text}: {numbers:?}");
            assert_eq!(numbers.last(), Some(&3));
        }
    }
}
