//! NEGRA export, versions 3 and 4: a line for every token and node, with the number of its parent.
//!
//! ```text
//! #FORMAT 4
//! #BOS 1
//! Sie     sie     PPER    --      SB      500
//! liest   lesen   VVFIN   --      HD      500
//! .       --      $.      --      --      0
//! #500    --      S       --      --      0
//! #EOS 1
//! ```
//!
//! Version 3 has no lemmas. Without `#FORMAT` the number of columns tells: secondary edges, which are passed over,
//! come in pairs, so it is odd in version 3 and even in version 4. Columns are separated by tabs, any number of
//! them, or by blanks on a line without tabs; `--` is an empty value; `%%` starts a comment; tables
//! (`#BOT` to `#EOT`) are passed over. Words are taken as they are: `--` and `%%` may be words.
//!
//! The root is `VROOT`, and edge labels of phrases become function tags, `NP-SB`; see
//! [`ReadOptions`](super::ReadOptions) about gaps. After an error the reader goes on with the next `#BOS`.

use std::io::Read;

use rustc_hash::FxHashMap;

use super::graph::{GraphItem, SentenceGraph};
use super::lines::Lines;
use super::message::{shorten, syntax};
use super::reader::TreeSource;
use crate::error::{Error, Result};
use crate::tree::Tree;

/// Nodes are numbered from here on; a smaller number after `#` is part of a word.
pub(crate) const FIRST_NODE: u64 = 500;

/// The versions of the export format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExportVersion {
    /// Word, tag, morphology, edge label, parent.
    V3 = 3,
    /// Word, lemma, tag, morphology, edge label, parent.
    V4 = 4,
}

impl ExportVersion {
    /// The first line of a file of this version.
    pub fn header(self) -> &'static str {
        match self {
            Self::V3 => "#FORMAT 3",
            Self::V4 => "#FORMAT 4",
        }
    }

    fn num_columns(self) -> usize {
        2 + self as usize
    }

    fn of_row(num_columns: usize) -> Self {
        if num_columns.is_multiple_of(2) { Self::V4 } else { Self::V3 }
    }
}

/// The sentences of an export file.
pub(super) struct ExportSentences<R> {
    lines: Lines<R>,
    version: Option<ExportVersion>,
    attach_discontinuous: bool,
}

/// How a line begins that says something about those around it.
const MARKS: [&str; 5] = ["#FORMAT", "#BOT", "#EOT", "#BOS", "#EOS"];

impl<R: Read> TreeSource for ExportSentences<R> {
    /// Goes to the next `#BOS`; false at the end of the file.
    fn find(&mut self) -> Result<bool> {
        while self.lines.advance()? {
            match mark(&self.lines.line) {
                Some("#BOS") => return Ok(true),
                Some("#FORMAT") => self.version = Some(self.read_version()?),
                Some("#BOT") => self.skip_to_mark()?,
                Some("#EOS") => {
                    return Err(syntax("`#EOS` ends no sentence")
                        .hint("is its `#BOS` missing?")
                        .at_line(self.lines.number));
                }
                Some(_) => {}
                None if self.lines.is_blank() || self.lines.line.starts_with(b"%%") => {}
                None => return Err(self.stray()?),
            }
        }
        Ok(false)
    }

    /// Reads from `#BOS`, whatever is wrong, to `#EOS` or to what shows that it is missing.
    fn read(&mut self) -> Result<Tree> {
        let start = self.lines.number;
        let id = self.sentence_id();
        let mut sentence = ExportSentence::default();
        let mut fault = None;
        let found_instead = loop {
            if !self.lines.advance()? {
                break Some("the file ends".to_owned());
            }
            match mark(&self.lines.line) {
                None if fault.is_none() => fault = self.read_row(&mut sentence).err(),
                None => {}
                Some("#EOS") => break None,
                Some(_) => {
                    self.lines.unread();
                    break Some(format!("line {} starts something new", self.lines.number));
                }
            }
        };
        let missing_end = found_instead.map(|found| unclosed(&id, &found).at_line(start));
        if let Some(error) = fault.or(missing_end) {
            return Err(error);
        }
        self.check_end(&id)?;
        sentence.tree(&shorten(&id), self.attach_discontinuous)
    }
}

impl<R: Read> ExportSentences<R> {
    pub(super) fn new(input: R, attach_discontinuous: bool) -> Self {
        Self { lines: Lines::new(input), version: None, attach_discontinuous }
    }

    fn read_version(&self) -> Result<ExportVersion> {
        match self.lines.text()?.split_ascii_whitespace().nth(1) {
            Some("3") => Ok(ExportVersion::V3),
            Some("4") => Ok(ExportVersion::V4),
            other => Err(syntax(format!(
                "expected `#FORMAT 3` or `#FORMAT 4`, found `{}`",
                shorten(other.unwrap_or("nothing"))
            ))
            .hint("other versions are not known; without this line the number of columns tells")
            .at_line(self.lines.number)),
        }
    }

    /// Passes over lines up to the next mark, which is read again.
    fn skip_to_mark(&mut self) -> Result<()> {
        while self.lines.advance()? {
            if mark(&self.lines.line).is_some() {
                self.lines.unread();
                break;
            }
        }
        Ok(())
    }

    fn stray(&mut self) -> Result<Error> {
        let line = self.lines.number;
        let found = shorten(&String::from_utf8_lossy(&self.lines.line));
        self.skip_to_mark()?;
        Ok(syntax(format!("expected `#BOS`, found `{found}`"))
            .hint("a sentence starts with `#BOS` and its number; is this an export file?")
            .at_line(line))
    }

    /// The number after `#BOS` or `#EOS`; empty if there is none.
    fn sentence_id(&self) -> String {
        let line = String::from_utf8_lossy(&self.lines.line);
        line.split_ascii_whitespace().nth(1).unwrap_or_default().to_owned()
    }

    fn check_end(&self, id: &str) -> Result<()> {
        let end = self.sentence_id();
        if end == id || end.is_empty() || id.is_empty() {
            return Ok(());
        }
        Err(syntax(format!("expected `#EOS {}`, found `#EOS {}`", shorten(id), shorten(&end)))
            .hint("are lines missing between the two sentences?")
            .at_line(self.lines.number))
    }

    fn read_row(&self, sentence: &mut ExportSentence) -> Result<()> {
        let text = self.lines.text()?;
        let columns = columns(text);
        if columns.is_empty() || text.starts_with("%%") && columns.len() < ExportVersion::V3.num_columns() {
            return Ok(());
        }
        let version = self.version.unwrap_or_else(|| ExportVersion::of_row(columns.len()));
        let row = ExportRow::new(&columns, version).map_err(|error| error.at_line(self.lines.number))?;
        sentence.add(&row, self.lines.number)
    }
}

/// The columns of a line up to a comment.
fn columns(line: &str) -> Vec<&str> {
    let has_tabs = line.contains('\t');
    let separates = |c: char| if has_tabs { c == '\t' } else { c.is_ascii_whitespace() };
    let fields = line.split(separates).map(str::trim_ascii).filter(|field| !field.is_empty());
    let num_obligatory = ExportVersion::V3.num_columns();
    fields
        .enumerate()
        .take_while(|(index, field)| *index < num_obligatory || !field.starts_with("%%"))
        .map(|(_, field)| field)
        .collect()
}

fn mark(line: &[u8]) -> Option<&'static str> {
    let word = line.split(u8::is_ascii_whitespace).next()?;
    MARKS.into_iter().find(|mark| mark.as_bytes() == word)
}

/// The number of a node from `#500` and the like; none for a word.
fn node_number(field: &str) -> Option<u64> {
    let digits = field.strip_prefix('#')?;
    let is_number = digits.bytes().all(|byte| byte.is_ascii_digit());
    digits.parse().ok().filter(|&number| is_number && number >= FIRST_NODE)
}

/// Whether a line that starts with this word would not be read as a token.
pub(crate) fn is_taken_for_markup(word: &str) -> bool {
    node_number(word).is_some() || mark(word.as_bytes()).is_some()
}

fn unclosed(id: &str, found: &str) -> Error {
    syntax(format!("sentence {} is still open where {found}", shorten(id)))
        .hint("this is where it starts; a sentence ends with `#EOS` and its number")
}

/// The columns that count.
struct ExportRow<'a> {
    name: &'a str,
    label: &'a str,
    edge_label: &'a str,
    parent: u64,
}

impl<'a> ExportRow<'a> {
    fn new(columns: &[&'a str], version: ExportVersion) -> Result<Self> {
        let expected = version.num_columns();
        let Some(&[label, _, edge_label, parent]) = columns.get(expected - 4..expected) else {
            let found = columns.len();
            return Err(syntax(format!("expected {expected} columns or more, found {found}"))
                .hint("a row is word, (version 4: lemma,) tag, morphology, edge label, parent"));
        };
        let parent = parent.parse().map_err(|_| {
            syntax(format!(
                "expected the number of the parent in column {expected}, found `{}`",
                shorten(parent)
            ))
            .hint("0 is the root; is `#FORMAT` right? Version 4 has a column more, for lemmas")
        })?;
        Ok(Self { name: columns[0], label, edge_label, parent })
    }
}

/// A sentence while it is read.
#[derive(Default)]
struct ExportSentence {
    graph: SentenceGraph,
    /// From a node's number to its index.
    nodes: FxHashMap<u64, usize>,
    edges: Vec<NumberedEdge>,
}

/// An edge before the number of the parent is known to mean anything.
struct NumberedEdge {
    item: GraphItem,
    label: String,
    parent: u64,
    line: u64,
}

impl ExportSentence {
    fn add(&mut self, row: &ExportRow<'_>, line: u64) -> Result<()> {
        let item = match node_number(row.name) {
            None => self.graph.token(row.name, row.label),
            Some(number) => {
                if self.nodes.insert(number, self.graph.nodes.len()).is_some() {
                    return Err(syntax(format!("`#{number}` is there twice in one sentence"))
                        .hint("every node needs a number of its own; is an `#EOS` missing?")
                        .at_line(line));
                }
                self.graph.node(row.label, line)
            }
        };
        self.edges.push(NumberedEdge { item, label: row.edge_label.to_owned(), parent: row.parent, line });
        Ok(())
    }

    fn tree(mut self, id: &str, attach_discontinuous: bool) -> Result<Tree> {
        for edge in &self.edges {
            let parent = match edge.parent {
                0 => None,
                number => Some(*self.nodes.get(&number).ok_or_else(|| {
                    syntax(format!("the parent, {number}, is not in the sentence"))
                        .hint(format!("expected a row `#{number}`, or 0 for the root"))
                        .at_line(edge.line)
                })?),
            };
            self.graph.attach(edge.item, parent, &edge.label);
        }
        self.graph.tree(id, attach_discontinuous)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;
    use crate::tree::read::{Format, ReadOptions, TreeReader};

    fn read_with(text: &str, attach: bool) -> Vec<Result<String, String>> {
        TreeReader::new(
            text.as_bytes(),
            ReadOptions { attach_discontinuous: attach, ..Format::Export.into() },
        )
        .map(|tree| tree.map(|tree| tree.to_string()).map_err(|error| error.to_string()))
        .collect()
    }

    fn read(text: &str) -> Vec<Result<String, String>> {
        read_with(text, false)
    }

    fn error(rows: &str) -> String {
        let read = read(&format!("#FORMAT 3\n#BOS 8\n{rows}\n#EOS 8\n#BOS 9\na X -- -- 0\n#EOS 9\n"));
        assert_eq!(read.len(), 2, "{read:?}");
        assert_eq!(read[1].as_deref(), Ok("(VROOT (X a))"));
        read[0].clone().expect_err("an error")
    }

    const ROWS: &str = "\
%% an invented corpus
#BOT WORDTAG
1\tNN\tN\tnoun
#EOT WORDTAG
#BOS 1 2 899973978 1 %% checked
Der\t\tART\tNom\tNK\t500
Ast\t\tNN\tNom\tNK\t500\t%% comment
biegt\t\tVVFIN\t--\tHD\t501\tOC\t500\tX\t501
sich\t\tPRF\t--\tOA\t501\tOC\t501\t%% and more
--\t\t$(\t--\t--\t0
%%\t\t--\t--\t--\t0
#500\t\tNP\t--\tSB\t501
#501\t\tS\t--\t--\t0
#EOS 1
";

    #[test]
    fn version_3() {
        let expected = "(VROOT (S (NP-SB (ART Der) (NN Ast)) (VVFIN biegt) (PRF sich)) ($-LRB- --) (_ %%))";
        assert_eq!(read(&format!("#FORMAT 3\n{ROWS}")), [Ok(expected.to_owned())]);
        assert_eq!(read(ROWS), [Ok(expected.to_owned())]);
        assert_eq!(read(&ROWS.replace('\n', "\r\n")), [Ok(expected.to_owned())]);
    }

    #[test]
    fn version_4() {
        let rows = "#BOS 1\nSie\tsie\tPPER\t--\tSB\t500\tSB\t501\nliest\t--\tVVFIN\t--\tHD\t500\n\
                    #500\t--\tS\t--\t--\t0\n#EOS 1\n";
        for header in ["#FORMAT 4\n", ""] {
            let expected = "(VROOT (S (PPER Sie) (VVFIN liest)))";
            assert_eq!(read(&format!("{header}{rows}")), [Ok(expected.to_owned())]);
        }
    }

    #[test]
    fn blanks_between_columns_and_within_words() {
        let text = "#BOS 1\n16 000\tCARD\t--\t--\t0\n#5 CARD -- -- 0\n#EOS\n";
        assert_eq!(read(text), [Ok("(VROOT (CARD 16\u{A0}000) (CARD #5))".to_owned())]);
    }

    #[test]
    fn sentences_without_tokens() {
        assert_eq!(read("#BOS 1\n#EOS 1\n"), [Ok("()".to_owned())]);
        assert!(read("").is_empty());
        assert!(read("#FORMAT 3\n\n").is_empty());
    }

    #[test]
    fn gaps_are_refused_or_closed() {
        let text = "#BOS 12\nWas PWS -- OA 501\nwill VMFIN -- HD 500\nsie PPER -- SB 500\n, $, -- -- 0\n\
                    lesen VVINF -- HD 501\n? $. -- -- 0\n#501 VP -- OC 500\n#500 S -- -- 0\n#EOS 12\n";
        let refused = "line 8: tree 1: `VP-OC` is discontinuous in sentence 12: token 2, `will`, lies within it \
                       and belongs elsewhere (option attach-discontinuous closes the gaps by moving the parts up)";
        assert_eq!(read(text), [Err(refused.to_owned())]);
        let closed = "(VROOT (S (PWS Was) (VMFIN will) (PPER sie) ($, ,) (VP-OC (VVINF lesen))) ($. ?))";
        assert_eq!(read_with(text, true), [Ok(closed.to_owned())]);
    }

    #[test]
    fn malformed_rows() {
        for (rows, expected) in [
            ("a X -- --", "line 3: tree 1: expected 5 columns or more, found 4"),
            ("a X -- -- x", "expected the number of the parent in column 5, found `x`"),
            ("a a X -- -- 0", "expected the number of the parent in column 5, found `--`"),
            ("a X -- -- -1", "found `-1`"),
            ("a X -- -- 500", "line 3: tree 1: the parent, 500, is not in the sentence"),
            ("a X -- -- 0\n#500 S -- -- 0", "line 4: tree 1: nothing below the node `S`"),
            ("a X -- -- 500\n#500 S -- -- 501\n#501 S -- -- 500", "is its own ancestor"),
            ("a X -- -- 500\n#500 S -- -- 0\n#500 S -- -- 0", "line 5: tree 1: `#500` is there twice"),
            ("#99999999999999999999999 S -- -- 500", "the parent, 500, is not"),
        ] {
            let error = error(rows);
            assert!(error.contains(expected), "{error}");
        }
    }

    #[test]
    fn what_is_not_closed_or_opened() {
        let text =
            "#BOS 1\na X -- -- 0\n#BOS 2\na X -- -- 0\n#EOS 3\n#EOS 3\nstray\nmore\n#FORMAT 5\n#BOS 4\n";
        let expected = [
            "line 1: tree 1: sentence 1 is still open where line 3 starts something new",
            "line 5: tree 2: expected `#EOS 2`, found `#EOS 3`",
            "line 6: `#EOS` ends no sentence",
            "line 7: expected `#BOS`, found `stray`",
            "line 9: expected `#FORMAT 3` or `#FORMAT 4`, found `5`",
            "line 10: tree 3: sentence 4 is still open where the file ends",
        ];
        let found = read(text);
        assert_eq!(found.len(), expected.len(), "{found:?}");
        for (found, expected) in found.iter().zip(expected) {
            let found = found.as_ref().expect_err("an error");
            assert!(found.starts_with(expected), "{found}");
        }
    }

    #[test]
    fn other_encodings_are_named() {
        let text = b"#BOS 1\nStra\xDFe NN -- -- 0\n#EOS 1\n#BOS 2\n#EOS 2\n";
        let mut trees = TreeReader::new(&text[..], Format::Export);
        let error = trees.next().expect("one").expect_err("latin1");
        assert_eq!((error.kind(), error.place().line), (ErrorKind::Encoding, Some(2)));
        assert!(trees.next().expect("two").is_ok());
    }
}
