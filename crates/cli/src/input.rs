//! The arguments by which every verb takes trees, and the loop that reads them.

use std::path::{Path, PathBuf};

use anyhow::Result;
use boughs::tree::Tree;
use boughs::tree::read::{BlankLines, Encoding, Format, Input, ReadOptions, TreebankReader};
use clap::{Args, ValueEnum};

use crate::Outcome;
use crate::output::report;
use crate::sample;

/// How files are read, whatever they are for.
#[derive(Debug, Clone, Args)]
pub(crate) struct ReadArgs {
    /// Character encoding of the input; a byte-order mark overrules it
    #[arg(long, value_enum, default_value_t, help_heading = "Input")]
    encoding: EncodingArg,

    /// Format of the input; by default each file's ending and first lines tell
    #[arg(long, value_enum, value_name = "FORMAT", help_heading = "Input")]
    from: Option<FormatArg>,

    /// Make discontinuous trees (export, TIGER-XML) continuous instead of refusing them: punctuation at the root is
    /// lowered into the phrase it interrupts, then all but the head's part of a phrase with a gap is raised
    #[arg(long, help_heading = "Input")]
    attach_discontinuous: bool,

    /// Report a tree that cannot be read, go on without it, and exit with 1 at the end
    #[arg(long, short = 'k', help_heading = "Input")]
    pub(crate) keep_going: bool,
}

/// Treebank files to go through.
#[derive(Debug, Clone, Args)]
pub(crate) struct InputArgs {
    /// Treebank files or directories (plain or .gz); `-` or nothing is standard input, `@sample` the built-in treebank
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) read: ReadArgs,
}

#[derive(Debug, Clone, Copy, Default, ValueEnum)]
enum EncodingArg {
    /// UTF-8, or UTF-16 with a byte-order mark, or what an XML file declares
    #[default]
    Utf8,
    /// ISO 8859-1
    Latin1,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum FormatArg {
    /// Penn-style brackets
    Bracket,
    /// NEGRA export, version 3 or 4
    Export,
    /// TIGER-XML
    Tiger,
    /// JSON lines, as `treebank convert --to json` writes them
    Json,
    /// A token a line, a blank line after a sentence: CoNLL-U, word and tag, or word
    Table,
}

impl From<FormatArg> for Format {
    fn from(format: FormatArg) -> Self {
        match format {
            FormatArg::Bracket => Self::Bracket,
            FormatArg::Export => Self::Export,
            FormatArg::Tiger => Self::TigerXml,
            FormatArg::Json => Self::Json,
            FormatArg::Table => Self::Table,
        }
    }
}

impl ReadArgs {
    /// How the library is to read.
    pub(crate) fn options(&self) -> ReadOptions {
        let mut options = ReadOptions::default();
        options.encoding = match self.encoding {
            EncodingArg::Utf8 => Encoding::Utf8,
            EncodingArg::Latin1 => Encoding::Latin1,
        };
        options.format = self.from.map(Format::from);
        options.attach_discontinuous = self.attach_discontinuous;
        options.blank_lines = BlankLines::Skip;
        options
    }

    /// Opens files as one stream of trees.
    pub(crate) fn open(&self, files: &[PathBuf]) -> Result<Trees> {
        self.open_with(files, self.options())
    }

    /// Opens files as one stream of trees, to be read by these options.
    pub(crate) fn open_with(&self, files: &[PathBuf], options: ReadOptions) -> Result<Trees> {
        let inputs = match files {
            [] => vec![Input::Stdin],
            files => files.iter().map(|path| named_input(path)).collect::<Result<Vec<_>>>()?.concat(),
        };
        Ok(Trees {
            reader: TreebankReader::open(inputs, options)?,
            keep_going: self.keep_going,
            quiet: false,
            num_read: 0,
            num_skipped: 0,
        })
    }
}

impl InputArgs {
    /// Opens the files as one stream of trees.
    pub(crate) fn open(&self) -> Result<Trees> {
        self.read.open(&self.files)
    }

    /// Whether standard input is among the files, which can be read only once.
    pub(crate) fn reads_stdin(&self) -> bool {
        self.files.is_empty() || self.files.iter().any(|file| file.as_os_str() == "-")
    }
}

fn named_input(path: &Path) -> Result<Vec<Input>> {
    let name = path.to_str().unwrap_or_default();
    if name == "-" {
        return Ok(vec![Input::Stdin]);
    }
    Ok(sample::inputs(name)?.unwrap_or_else(|| vec![Input::Path(path.to_path_buf())]))
}

/// The trees of a run; bad ones end it, or are reported and counted with `--keep-going`.
pub(crate) struct Trees {
    reader: TreebankReader,
    keep_going: bool,
    quiet: bool,
    num_read: u64,
    num_skipped: u64,
}

impl Trees {
    /// Passes over bad trees without a word, for files that are read again.
    pub(crate) fn quietly(mut self) -> Self {
        self.quiet = true;
        self
    }

    /// The next tree that can be read.
    pub(crate) fn next(&mut self) -> Result<Option<Tree>> {
        loop {
            match self.next_or_skipped()? {
                None => return Ok(None),
                Some(None) => {}
                Some(tree) => return Ok(tree),
            }
        }
    }

    /// Reports bad trees and goes on, whatever the user said.
    pub(crate) fn keep_going(mut self) -> Self {
        self.keep_going = true;
        self
    }

    /// The number of the last tree, counted from 1 over all files, with those that were skipped.
    pub(crate) fn number_overall(&self) -> u64 {
        self.num_read + self.num_skipped
    }

    /// The next tree, or `Some(None)` in the place of one that was reported and skipped.
    pub(crate) fn next_or_skipped(&mut self) -> Result<Option<Option<Tree>>> {
        match self.reader.next() {
            None => Ok(None),
            Some(Ok(tree)) => {
                self.num_read += 1;
                Ok(Some(Some(tree)))
            }
            Some(Err(error)) if self.keep_going => {
                if !self.quiet {
                    report(format_args!("{error}"));
                }
                self.num_skipped += 1;
                Ok(Some(None))
            }
            Some(Err(error)) => Err(error.into()),
        }
    }

    /// The next tree, or why it cannot be read, whatever `--keep-going` says.
    pub(crate) fn next_result(&mut self) -> Option<boughs::Result<Tree>> {
        self.reader.next()
    }

    /// The file of the last tree.
    pub(crate) fn file(&self) -> &str {
        self.reader.file()
    }

    /// The number of the last tree within its file, from 1.
    pub(crate) fn number(&self) -> u64 {
        self.reader.number()
    }

    /// How many trees could not be read so far.
    pub(crate) fn num_skipped(&self) -> u64 {
        self.num_skipped
    }

    /// Reports how many trees were skipped, if any.
    pub(crate) fn finish(self) -> Outcome {
        if self.num_skipped == 0 {
            return Outcome::Complete;
        }
        if !self.quiet {
            let (trees, were) = if self.num_skipped == 1 { ("tree", "was") } else { ("trees", "were") };
            report(format_args!("{} {trees} {were} skipped", self.num_skipped));
        }
        Outcome::Partial
    }
}
