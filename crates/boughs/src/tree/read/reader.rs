//! [`TreeReader`]: the trees of one stream, whatever its format.

use std::io::{Cursor, Read};

use super::alpino::{AlpinoSentences, is_alpino};
use super::bracket::Brackets;
use super::export::ExportSentences;
use super::floresta::FlorestaTrees;
use super::format::format_by_line;
use super::json::JsonLines;
use super::sinica::SinicaLines;
use super::table::TokenTable;
use super::tiger::TigerSentences;
use super::{BlankLines, Encoding, Format};
use crate::error::{Error, ErrorKind, Result};
use crate::tree::Tree;

/// How to read trees.
#[derive(Debug, Clone, Default)]
pub struct ReadOptions {
    /// The format; by default each file's ending and first bytes tell.
    pub format: Option<Format>,
    /// The encoding.
    pub encoding: Encoding,
    /// What a blank line between bracketed trees means.
    pub blank_lines: BlankLines,
    /// Whether to make discontinuous trees continuous; otherwise they are errors, of kind
    /// [`Discontinuous`](crate::ErrorKind::Discontinuous).
    ///
    /// First, punctuation at the root goes to the lowest phrase that holds both its neighbours. Then, from the bottom
    /// up, every phrase with a gap keeps the block of children with its head (edge label `HD` or `hd`; without one the
    /// largest block, the leftmost of several), and its other children are raised to the parent. A tree without gaps
    /// is not changed.
    pub attach_discontinuous: bool,
}

impl From<Format> for ReadOptions {
    fn from(format: Format) -> Self {
        Self { format: Some(format), ..Self::default() }
    }
}

/// What a format has to do.
pub(super) trait TreeSource {
    /// Goes to the next tree; false at the end. An error here concerns no tree.
    fn find(&mut self) -> Result<bool>;

    /// Reads the tree found. Also after an error it ends where the search for the next begins.
    fn read(&mut self) -> Result<Tree>;
}

/// Reads trees from a stream, one at a time; memory is that of one tree. After an error in a tree reading goes on with
/// the next.
///
/// ```
/// use boughs::tree::read::{Format, TreeReader};
///
/// let text = "( (S (NP (PRP We)) (VP (VBP read))))\n(X (Y broken)\n(NP (NNS trees))";
/// let mut trees = TreeReader::new(text.as_bytes(), Format::Bracket);
/// assert_eq!(trees.next().unwrap()?.num_tokens(), 2);
/// let error = trees.next().unwrap().unwrap_err();
/// assert_eq!(error.place().line, Some(2));
/// assert_eq!(trees.next().unwrap()?.to_string(), "(NP (NNS trees))");
/// # Ok::<(), boughs::Error>(())
/// ```
pub struct TreeReader<'r> {
    /// Until the first tree is asked for.
    input: Option<Box<dyn Read + Send + 'r>>,
    options: ReadOptions,
    source: Option<Box<dyn TreeSource + Send + 'r>>,
    num_trees: u64,
}

impl<'r> TreeReader<'r> {
    /// A reader of a stream, which is UTF-8 by now if the options name another encoding. Without a format the first
    /// bytes tell.
    pub fn new(input: impl Read + Send + 'r, options: impl Into<ReadOptions>) -> Self {
        Self { input: Some(Box::new(input)), options: options.into(), source: None, num_trees: 0 }
    }

    fn read(&mut self) -> Result<Option<Tree>> {
        if let Some(input) = self.input.take() {
            self.source = Some(open(input, &self.options)?);
        }
        let Some(source) = &mut self.source else { return Ok(None) };
        if !source.find()? {
            return Ok(None);
        }
        self.num_trees += 1;
        source.read().map(Some).map_err(|error| error.in_tree(self.num_trees))
    }
}

impl Iterator for TreeReader<'_> {
    type Item = Result<Tree>;

    fn next(&mut self) -> Option<Result<Tree>> {
        let result = self.read();
        if result.as_ref().is_err_and(|error| error.kind() == ErrorKind::Io) {
            // An error of the operating system would come again.
            self.source = None;
        }
        result.transpose()
    }
}

fn open<'r>(
    mut input: Box<dyn Read + Send + 'r>,
    options: &ReadOptions,
) -> Result<Box<dyn TreeSource + Send + 'r>> {
    let format = match options.format {
        Some(format) => format,
        None => sniff(&mut input)?,
    };
    let attach = options.attach_discontinuous;
    // An encoding that the user names is undone by now, whatever an XML file declares.
    let is_decoded = options.encoding != Encoding::Utf8;
    Ok(match format {
        Format::Bracket => Box::new(Brackets::new(input, options.blank_lines)),
        Format::Json => Box::new(JsonLines::new(input)),
        Format::Export => Box::new(ExportSentences::new(input, attach)),
        Format::TigerXml => Box::new(TigerSentences::new(input, is_decoded, attach)?),
        Format::Table => Box::new(TokenTable::new(input)),
        Format::Sinica => Box::new(SinicaLines::new(input)),
        Format::Floresta => Box::new(FlorestaTrees::new(input)),
        Format::AlpinoXml => Box::new(AlpinoSentences::new(input, is_decoded, attach)?),
    })
}

/// Tells the format from the first bytes.
fn sniff(input: &mut Box<dyn Read + Send + '_>) -> Result<Format> {
    let start = peek(input)?;
    Ok(match start.split(|&byte| byte == b'\n').find_map(format_by_line) {
        Some(Format::TigerXml) if is_alpino(&start) => Format::AlpinoXml,
        found => found.unwrap_or(Format::Bracket),
    })
}

/// Which format of XML it is.
pub(super) fn sniff_xml(input: &mut Box<dyn Read + Send + '_>) -> Result<Format> {
    Ok(if is_alpino(&peek(input)?) { Format::AlpinoXml } else { Format::TigerXml })
}

/// The first bytes, which are put back.
fn peek(input: &mut Box<dyn Read + Send + '_>) -> Result<Vec<u8>> {
    const ENOUGH: u64 = 4096;
    let mut start = Vec::new();
    input.by_ref().take(ENOUGH).read_to_end(&mut start).map_err(|error| Error::io("read", error))?;
    let rest = std::mem::replace(input, Box::new(std::io::empty()));
    *input = Box::new(Cursor::new(start.clone()).chain(rest));
    Ok(start)
}
