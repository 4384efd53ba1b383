//! The arguments by which every verb takes trees, and the loop that reads them.

use std::collections::VecDeque;
use std::fs;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Result, anyhow, bail};
use boughs::ErrorKind;
use boughs::tree::Tree;
use boughs::tree::profile::Profile;
use boughs::tree::read::{BlankLines, Encoding, Format, Input, ReadOptions, TreebankReader};
use boughs::treebank::sample_inputs;
use clap::Args;

use crate::Outcome;
use crate::choice::{Choices, choice};
use crate::losses::{Loss, Losses};
use crate::output::report;

/// How files are read, whatever they are for.
#[derive(Debug, Clone, Args)]
pub(crate) struct ReadArgs {
    /// Character encoding of the input; a byte-order mark overrules it
    #[arg(long, default_value = "utf8", value_parser = choice(ENCODINGS), help_heading = "Input")]
    pub(crate) encoding: Encoding,

    /// Format of the input; by default each file's ending and first lines tell
    #[arg(long, value_name = "FORMAT", value_parser = choice(FORMATS), help_heading = "Input")]
    from: Option<Format>,

    /// Make discontinuous trees (export, TIGER-XML, Alpino) continuous instead of refusing them: punctuation at the root
    /// is lowered into the phrase it interrupts, then all but the head's part of a phrase with a gap is raised
    #[arg(long, help_heading = "Input")]
    attach_discontinuous: bool,

    /// Report trees and files that cannot be read (also those that do not exist), go on with the next, and exit with 1
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

pub(crate) const ENCODINGS: Choices<Encoding> = &[
    ("utf8", "UTF-8, or UTF-16 with a byte-order mark, or what an XML file declares", Encoding::Utf8),
    ("latin1", "ISO 8859-1", Encoding::Latin1),
];

const FORMATS: Choices<Format> = &[
    ("bracket", "Penn-style brackets", Format::Bracket),
    ("export", "NEGRA export, version 3 or 4", Format::Export),
    ("tiger", "TIGER-XML", Format::TigerXml),
    ("json", "JSON lines, as `treebank convert --to json` writes them", Format::Json),
    ("sinica", "The Sinica Treebank of Chinese, a tree a line", Format::Sinica),
    ("floresta", "The Floresta of Portuguese: brackets with labels `FUNCTION+category`", Format::Floresta),
    ("alpino", "The XML of the Alpino Treebank of Dutch", Format::AlpinoXml),
    ("table", "A token a line, a blank line after a sentence: CoNLL-U, word and tag, or word", Format::Table),
];

impl ReadArgs {
    /// How the library is to read.
    pub(crate) fn options(&self) -> ReadOptions {
        ReadOptions {
            format: self.from,
            encoding: self.encoding,
            blank_lines: BlankLines::Skip,
            attach_discontinuous: self.attach_discontinuous,
        }
    }

    /// Opens files as one stream of trees; with `--keep-going`, those that exist.
    pub(crate) fn open(&self, files: &[PathBuf]) -> Result<Trees> {
        let mut inputs = named_inputs(files)?;
        let mut faults = Vec::new();
        if self.keep_going {
            inputs.retain(|input| input.clone().expand().map_err(|error| faults.push(error)).is_ok());
        }
        let mut trees = self.open_inputs(inputs, self.options())?;
        trees.faults = faults;
        Ok(trees)
    }

    /// Opens files, all of which must exist, as one stream of trees, to be read by these options.
    pub(crate) fn open_with(&self, files: &[PathBuf], options: ReadOptions) -> Result<Trees> {
        self.open_inputs(named_inputs(files)?, options)
    }

    fn open_inputs(&self, inputs: Vec<Input>, options: ReadOptions) -> Result<Trees> {
        take_stdins(&inputs)?;
        let is_format_known = options.format.is_some();
        Ok(Trees {
            reader: TreebankReader::open(inputs, options)?,
            is_format_known,
            faults: Vec::new(),
            keep_going: self.keep_going,
            quiet: false,
            num_read: 0,
            ahead: VecDeque::new(),
            place: None,
            profile: None,
            losses: Losses::default(),
        })
    }
}

impl InputArgs {
    /// Opens the files as one stream of trees.
    pub(crate) fn open(&self) -> Result<Trees> {
        self.read.open(&self.files)
    }

    /// Refuses what cannot be read twice.
    pub(crate) fn require_rereadable(&self) -> Result<()> {
        match self.files.as_slice() {
            [] => require_rereadable(Path::new("-")),
            files => files.iter().try_for_each(|file| require_rereadable(file)),
        }
    }

    /// The files to be read, those of directories one by one, in their canonical form.
    pub(crate) fn canonical_files(&self) -> Result<Vec<PathBuf>> {
        let mut found = Vec::new();
        for path in &self.files {
            for input in named_input(path)? {
                // What cannot be opened is reported where it is read.
                found.extend(input.expand().unwrap_or_default().into_iter().filter_map(
                    |input| match input {
                        Input::Path(path) => fs::canonicalize(path).ok(),
                        _ => None,
                    },
                ));
            }
        }
        Ok(found)
    }
}

/// Refuses pipes and the like, of which a second reading would find nothing.
pub(crate) fn require_rereadable(path: &Path) -> Result<()> {
    let is_rereadable = match named_input(path)?.as_slice() {
        [Input::Stdin] => false,
        // What does not exist is reported where it is opened.
        [Input::Path(path)] => fs::metadata(path).map_or(true, |found| found.is_file() || found.is_dir()),
        _ => true,
    };
    if !is_rereadable {
        let name = if is_stdin(path) { "standard input".into() } else { path.to_string_lossy() };
        bail!("{name} would be read twice, but can be read only once: name a file");
    }
    Ok(())
}

/// Whether the name stands for standard input.
pub(crate) fn is_stdin(path: &Path) -> bool {
    path == Path::new("-")
}

/// Takes standard input for one reader; a second would find nothing, or half of it.
pub(crate) fn take_stdin() -> Result<()> {
    static IS_TAKEN: AtomicBool = AtomicBool::new(false);
    if IS_TAKEN.swap(true, Ordering::Relaxed) {
        bail!("standard input can be read only once, but is named twice (`-`, or no FILE): name a file");
    }
    if io::stdin().is_terminal() {
        report(format_args!("reading standard input"));
    }
    Ok(())
}

fn take_stdins(inputs: &[Input]) -> Result<()> {
    inputs.iter().filter(|input| matches!(input, Input::Stdin)).try_for_each(|_| take_stdin())
}

/// Files of text; standard input if there are none, which is taken.
pub(crate) fn text_inputs(files: &[PathBuf]) -> Result<Vec<Input>> {
    if let Some(directory) = files.iter().find(|path| path.is_dir()) {
        bail!("{0} is a directory: name the text files in it, as in {0}/*.txt", directory.display());
    }
    if let Some(sentence) = files.iter().find(|path| is_sentence(path)) {
        let text = sentence.display();
        bail!("there is no file `{text}`; to parse it as text, say: echo \"{text}\" | boughs parse");
    }
    let named = |path: &PathBuf| if is_stdin(path) { Input::Stdin } else { Input::Path(path.clone()) };
    let inputs = match files {
        [] => vec![Input::Stdin],
        files => files.iter().map(named).collect(),
    };
    take_stdins(&inputs)?;
    Ok(inputs)
}

/// Whether a name is rather what somebody wants to be parsed.
fn is_sentence(path: &Path) -> bool {
    let name = path.to_string_lossy();
    name.contains(' ')
        && name.ends_with(|c: char| c.is_alphabetic() || ".?!\"”’)".contains(c))
        && !path.exists()
}

/// Calls `visit` with every input. Its outer error ends the run; its inner error is that of reading, which with
/// `keep_going` costs no more than the rest of the file.
pub(crate) fn each_input(
    inputs: &[Input],
    keep_going: bool,
    mut visit: impl FnMut(&Input) -> Result<boughs::Result<()>>,
) -> Result<Outcome> {
    let mut losses = Losses::default();
    for input in inputs {
        match visit(input)?.map_err(|error| error.in_file(input.name())) {
            Ok(()) => {}
            Err(error) if !keep_going => return Err(error.into()),
            Err(error) => {
                report(format_args!("{error}"));
                losses.add(Loss::RestOfFile);
            }
        }
    }
    if losses.outcome() == Outcome::Partial {
        report(format_args!("{losses}"));
    }
    Ok(losses.outcome())
}

/// What the names of files stand for; standard input if there are none.
fn named_inputs(files: &[PathBuf]) -> Result<Vec<Input>> {
    match files {
        [] => Ok(vec![Input::Stdin]),
        files => Ok(files.iter().map(|path| named_input(path)).collect::<Result<Vec<_>>>()?.concat()),
    }
}

fn named_input(path: &Path) -> Result<Vec<Input>> {
    if is_stdin(path) {
        return Ok(vec![Input::Stdin]);
    }
    let name = path.to_str().unwrap_or_default();
    Ok(sample_inputs(name)?.unwrap_or_else(|| vec![Input::Path(path.to_path_buf())]))
}

/// The trees of a run; what cannot be read ends it, or is reported and counted with `--keep-going`.
pub(crate) struct Trees {
    reader: TreebankReader,
    /// Whether the user named the format; otherwise it may be the cause of an error.
    is_format_known: bool,
    /// Why inputs cannot be opened, as long as it is not reported.
    faults: Vec<boughs::Error>,
    keep_going: bool,
    quiet: bool,
    num_read: u64,
    /// What was read before it was asked for, with its file and number.
    ahead: VecDeque<(boughs::Result<Tree>, String, u64)>,
    /// The file and number of the last tree, if it was read ahead.
    place: Option<(String, u64)>,
    /// The conventions that trees are brought to.
    profile: Option<Profile>,
    /// What could not be read so far.
    pub(crate) losses: Losses,
}

impl Trees {
    /// Errors between trees that are reported; the others are only counted, since a file of prose has one a line.
    const MOST_STRAYS: u64 = 5;

    /// Passes over bad trees without a word, for files that are read again.
    pub(crate) fn quietly(mut self) -> Self {
        self.quiet = true;
        self
    }

    /// Reports bad trees and goes on, whatever the user said.
    pub(crate) fn keep_going(mut self) -> Self {
        self.keep_going = true;
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

    /// All trees that are left and can be read.
    pub(crate) fn rest(&mut self) -> Result<Vec<Tree>> {
        std::iter::from_fn(|| self.next().transpose()).collect()
    }

    /// The next tree, or `Some(None)` in the place of one that was reported and skipped.
    pub(crate) fn next_or_skipped(&mut self) -> Result<Option<Option<Tree>>> {
        for fault in std::mem::take(&mut self.faults) {
            self.pass_over(&fault);
        }
        while let Some(result) = self.advance() {
            match result {
                Ok(tree) => return Ok(Some(Some(tree))),
                Err(error) if !self.keep_going => return Err(anyhow!("{error}{}", self.advice(&error))),
                Err(error) if self.pass_over(&error) == Loss::Tree => return Ok(Some(None)),
                Err(_) => {}
            }
        }
        Ok(None)
    }

    /// The next tree, or why it cannot be read, whatever `--keep-going` says: only a file that cannot be read on ends
    /// it.
    pub(crate) fn next_result(&mut self) -> Result<Option<boughs::Result<Tree>>> {
        while let Some(result) = self.advance() {
            match result {
                Err(error) if Loss::of(&error) == Loss::RestOfFile => return Err(error.into()),
                Err(error) if Loss::of(&error) == Loss::Stray => {
                    self.pass_over(&error);
                }
                result => return Ok(Some(result)),
            }
        }
        Ok(None)
    }

    /// Goes on to the end without a word; returns how many trees there were, good and bad.
    pub(crate) fn count_rest(&mut self) -> u64 {
        let is_tree = |result: &boughs::Result<Tree>| match result {
            Ok(_) => true,
            Err(error) => Loss::of(error) == Loss::Tree,
        };
        let ahead = std::mem::take(&mut self.ahead).into_iter().map(|(result, ..)| result);
        ahead.chain(self.reader.by_ref()).filter(is_tree).count() as u64
    }

    fn advance(&mut self) -> Option<boughs::Result<Tree>> {
        let (mut result, place) = match self.ahead.pop_front() {
            Some((result, file, number)) => (result, Some((file, number))),
            None => (self.reader.next()?, None),
        };
        self.place = place;
        self.num_read += u64::from(result.is_ok());
        if let (Ok(tree), Some(profile)) = (&mut result, &self.profile) {
            profile.normalize(tree);
        }
        Some(result)
    }

    /// The first trees, which stay to be read.
    pub(crate) fn look_ahead(&mut self, number: usize) -> Vec<Tree> {
        while self.ahead.len() < number {
            let Some(result) = self.reader.next() else { break };
            self.ahead.push_back((result, self.reader.file().to_owned(), self.reader.number()));
        }
        self.ahead.iter().filter_map(|(result, ..)| result.as_ref().ok().cloned()).collect()
    }

    /// Brings all trees to the conventions of the toolkit.
    pub(crate) fn normalize(&mut self, profile: &Profile) {
        self.profile = Some(profile.clone()).filter(|profile| !profile.is_default());
    }

    fn pass_over(&mut self, error: &boughs::Error) -> Loss {
        let loss = Loss::of(error);
        self.losses.add(loss);
        match loss {
            _ if self.quiet => {}
            Loss::Stray if self.losses.strays > Self::MOST_STRAYS => {}
            Loss::RestOfFile if self.number() > 0 => {
                report(format_args!("{error}: the rest of {} could not be read", self.file()));
            }
            _ => report(format_args!("{error}{}", self.advice(error))),
        }
        loss
    }

    /// What to try if a file begins with an error.
    fn advice(&self, error: &boughs::Error) -> &'static str {
        let is_of_format = matches!(error.kind(), ErrorKind::Syntax | ErrorKind::Encoding);
        let is_first = self.number() == 0 || error.place().tree == Some(1);
        match (is_of_format, is_first && !self.is_format_known) {
            (true, true) => " (is it another format? see --from)",
            (true, false) if !is_first && !self.keep_going => {
                " (--keep-going leaves out what cannot be read)"
            }
            _ => "",
        }
    }

    /// The file of the last tree.
    pub(crate) fn file(&self) -> &str {
        self.place.as_ref().map_or_else(|| self.reader.file(), |(file, _)| file)
    }

    /// The number of the last tree within its file, from 1.
    pub(crate) fn number(&self) -> u64 {
        self.place.as_ref().map_or_else(|| self.reader.number(), |(_, number)| *number)
    }

    /// The number of the last tree, counted from 1 over all files, with those that were skipped.
    pub(crate) fn number_overall(&self) -> u64 {
        self.num_read + self.losses.trees
    }

    /// Reports what was lost, if anything.
    pub(crate) fn finish(self) -> Outcome {
        let outcome = self.losses.outcome();
        if outcome == Outcome::Partial && !self.quiet {
            report(format_args!("{}", self.losses));
        }
        outcome
    }
}
