//! [`TreebankReader`]: one stream of trees over any number of files of any format.

use std::io::{Cursor, Read};
use std::path::Path;

use super::source::treebank_extension;
use super::{BlankLines, BracketReader, Encoding, Input, JsonReader};
use crate::error::{Error, Result};
use crate::tree::Tree;

/// A format that trees, or tokens, can be read from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// Penn-style brackets.
    Bracket,
    /// JSON lines, as [`write_json`](crate::tree::write::write_json) writes them.
    Json,
}

/// How to read a treebank.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct ReadOptions {
    /// The format; by default each file's ending and first bytes tell.
    pub format: Option<Format>,
    /// The encoding.
    pub encoding: Encoding,
    /// What a blank line between bracketed trees means.
    pub blank_lines: BlankLines,
}

type Trees = Box<dyn Iterator<Item = Result<Tree>> + Send>;

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
    current: Option<Trees>,
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

    /// The number of the last tree, or error, within its file, from 1.
    pub fn number(&self) -> u64 {
        self.number
    }

    fn open_next(&mut self) -> Option<Result<Trees>> {
        let input = self.inputs.next()?;
        self.file = input.name();
        self.number = 0;
        Some(open_trees(&input, &self.options))
    }
}

impl Iterator for TreebankReader {
    type Item = Result<Tree>;

    fn next(&mut self) -> Option<Result<Tree>> {
        loop {
            if let Some(tree) = self.current.as_mut().and_then(Iterator::next) {
                self.number += 1;
                return Some(tree.map_err(|error| error.in_file(&self.file)));
            }
            match self.open_next()? {
                Ok(trees) => self.current = Some(trees),
                Err(error) => return Some(Err(error.in_file(&self.file))),
            }
        }
    }
}

fn open_trees(input: &Input, options: &ReadOptions) -> Result<Trees> {
    let stream = input.open(options.encoding)?;
    let by_name = match input {
        Input::Path(path) => format_by_name(path),
        _ => None,
    };
    let (format, stream) = match options.format.or(by_name) {
        Some(format) => (format, stream),
        None => sniff(stream)?,
    };
    Ok(match format {
        Format::Bracket => Box::new(BracketReader::new(stream).blank_lines(options.blank_lines)),
        Format::Json => Box::new(JsonReader::new(stream)),
    })
}

fn format_by_name(path: &Path) -> Option<Format> {
    match treebank_extension(path)?.as_str() {
        "mrg" => Some(Format::Bracket),
        "json" | "jsonl" | "ndjson" => Some(Format::Json),
        _ => None,
    }
}

/// Tells the format from the first bytes, which are put back.
fn sniff(mut stream: Box<dyn Read + Send>) -> Result<(Format, Box<dyn Read + Send>)> {
    const ENOUGH: u64 = 4096;
    let mut start = Vec::new();
    stream.by_ref().take(ENOUGH).read_to_end(&mut start).map_err(|error| Error::io("read", error))?;
    let format = match start.trim_ascii_start().first() {
        Some(b'{') => Format::Json,
        _ => Format::Bracket,
    };
    Ok((format, Box::new(Cursor::new(start).chain(stream))))
}
