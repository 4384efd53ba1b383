//! The arguments by which every verb takes trees, and the loop that reads them.

use std::path::PathBuf;

use anyhow::Result;
use boughs::tree::Tree;
use boughs::tree::read::{BlankLines, Encoding, Input, ReadOptions, TreebankReader};
use clap::{Args, ValueEnum};

use crate::Outcome;
use crate::output::report;

/// How files are read, whatever they are for.
#[derive(Debug, Clone, Args)]
pub(crate) struct ReadArgs {
    /// Character encoding of the input; a byte-order mark overrules it
    #[arg(long, value_enum, default_value_t, help_heading = "Input")]
    encoding: EncodingArg,

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
    read: ReadArgs,
}

#[derive(Debug, Clone, Copy, Default, ValueEnum)]
enum EncodingArg {
    /// UTF-8, or UTF-16 with a byte-order mark
    #[default]
    Utf8,
    /// ISO 8859-1
    Latin1,
}

impl ReadArgs {
    /// How the library is to read.
    pub(crate) fn options(&self) -> ReadOptions {
        let mut options = ReadOptions::default();
        options.encoding = match self.encoding {
            EncodingArg::Utf8 => Encoding::Utf8,
            EncodingArg::Latin1 => Encoding::Latin1,
        };
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
            files => files.iter().flat_map(|path| named_input(path)).collect(),
        };
        Ok(Trees {
            reader: TreebankReader::open(inputs, options)?,
            keep_going: self.keep_going,
            num_skipped: 0,
        })
    }
}

impl InputArgs {
    /// Opens the files as one stream of trees.
    pub(crate) fn open(&self) -> Result<Trees> {
        self.read.open(&self.files)
    }
}

fn named_input(path: &std::path::Path) -> Vec<Input> {
    match path.to_str() {
        Some("-") => vec![Input::Stdin],
        _ => vec![Input::Path(path.to_path_buf())],
    }
}

/// The trees of a run; bad ones end it, or are reported and counted with `--keep-going`.
pub(crate) struct Trees {
    reader: TreebankReader,
    keep_going: bool,
    num_skipped: u64,
}

impl Trees {
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

    /// The next tree, or `Some(None)` in the place of one that was reported and skipped.
    pub(crate) fn next_or_skipped(&mut self) -> Result<Option<Option<Tree>>> {
        match self.reader.next() {
            None => Ok(None),
            Some(Ok(tree)) => Ok(Some(Some(tree))),
            Some(Err(error)) if self.keep_going => {
                report(format_args!("{error}"));
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

    /// Reports how many trees were skipped, if any.
    pub(crate) fn finish(self) -> Outcome {
        match self.num_skipped {
            0 => Outcome::Complete,
            1 => {
                report(format_args!("1 tree was skipped"));
                Outcome::Partial
            }
            skipped => {
                report(format_args!("{skipped} trees were skipped"));
                Outcome::Partial
            }
        }
    }
}
