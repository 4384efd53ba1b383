//! The arguments by which verbs take sentence pairs, and the loop that reads them.

use std::fmt;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use boughs::tree::Tree;
use boughs::tree::read::{Encoding, Input};
use boughs_translate::align::{Bitext, PairFilter, Tokenization, split_pair};
use clap::Args;

use crate::choice::named;
use crate::input::{ReadArgs, is_stdin, take_stdin};
use crate::lines::Lines;

#[derive(Debug, Clone, Args)]
pub(crate) struct BitextArgs {
    /// The sentences, one a line (plain or .gz); or sentence pairs with a tab between, if there is no TARGET
    #[arg(value_name = "SOURCE")]
    source: PathBuf,

    /// Their translations, as many lines
    #[arg(value_name = "TARGET")]
    target: Option<PathBuf>,

    /// SOURCE is a treebank
    #[arg(long, requires = "target", help_heading = "Input")]
    pub(crate) trees: bool,

    /// What a token of the source is: plain (words and punctuation), english (as treebanks have them) or blanks
    /// [default: plain; english where it is parsed]
    #[arg(long, value_name = "NAME", value_parser = named::<Tokenization>("what tokens are"), help_heading = "Input")]
    source_tokens: Option<Tokenization>,

    /// What a token of the target is
    #[arg(long, value_name = "NAME", default_value = "plain", value_parser = named::<Tokenization>("what tokens are"), help_heading = "Input")]
    target_tokens: Tokenization,

    #[command(flatten)]
    read: ReadArgs,
}

/// Which pairs to keep.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Which pairs")]
pub(crate) struct FilterArgs {
    /// Leave out pairs with fewer words on a side
    #[arg(long, value_name = "N", default_value_t = PairFilter::default().min_words)]
    min_words: usize,

    /// Leave out pairs with more words on a side
    #[arg(long, value_name = "N", default_value_t = PairFilter::default().max_words)]
    max_words: usize,

    /// Leave out pairs of which one side is more than N times as long as the other
    #[arg(long, value_name = "N", default_value_t = PairFilter::default().max_ratio)]
    max_ratio: f64,
}

impl FilterArgs {
    pub(crate) fn filter(&self) -> PairFilter {
        PairFilter { min_words: self.min_words, max_words: self.max_words, max_ratio: self.max_ratio }
    }
}

/// Sentence pairs, with their source trees if those are known.
#[derive(Default)]
pub(crate) struct BitextPairs {
    pub(crate) bitext: Bitext,
    pub(crate) trees: Vec<Tree>,
}

/// A sentence as it was read, or its tree.
pub(crate) enum SourceLine<'a> {
    Text(&'a str),
    Tree(Tree),
}

impl fmt::Display for SourceLine<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(line) => f.write_str(line),
            Self::Tree(tree) => write!(f, "{tree}"),
        }
    }
}

impl BitextArgs {
    /// Pairs of a file, or of two, whose tokens are the usual ones.
    pub(crate) fn of_files(files: &[PathBuf], read: &ReadArgs) -> Self {
        Self {
            source: files.first().cloned().unwrap_or_default(),
            target: files.get(1).cloned(),
            trees: false,
            source_tokens: None,
            target_tokens: Tokenization::Plain,
            read: read.clone(),
        }
    }

    /// The files that are read.
    pub(crate) fn files(&self) -> Vec<PathBuf> {
        [Some(&self.source), self.target.as_ref()].into_iter().flatten().cloned().collect()
    }

    /// The words of both sides; a token of the source is what the user says, or else what `tokens` says.
    pub(crate) fn words(
        &self,
        source: &SourceLine<'_>,
        target: &str,
        tokens: Tokenization,
    ) -> [Vec<String>; 2] {
        let source = match source {
            SourceLine::Text(line) => self.source_tokens.unwrap_or(tokens).split(line),
            SourceLine::Tree(tree) => tree.words().map(str::to_owned).collect(),
        };
        [source, self.target_tokens.split(target)]
    }

    /// Reads all pairs of a file, or of two.
    pub(crate) fn read(&self, files: &[PathBuf], tokens: Tokenization) -> Result<BitextPairs> {
        let mut pairs = BitextPairs::default();
        self.each_pair(files, |source, target| {
            let [words, target] = self.words(&source, target, tokens);
            pairs.bitext.push(words.iter().map(String::as_str), target.iter().map(String::as_str));
            if let SourceLine::Tree(tree) = source {
                pairs.trees.push(tree);
            }
            Ok(())
        })?;
        Ok(pairs)
    }

    /// Goes through the pairs of a file, or of two, one at a time. There must be one, and as many lines on both sides.
    pub(crate) fn each_pair(
        &self,
        files: &[PathBuf],
        mut visit: impl FnMut(SourceLine<'_>, &str) -> Result<()>,
    ) -> Result<()> {
        let open = |path: &PathBuf| open_lines(path, self.read.encoding);
        let mut trees = self.trees.then(|| self.read.open(&files[..1])).transpose()?;
        let mut lines = files.first().filter(|_| !self.trees).map(open).transpose()?;
        let mut targets = files.get(1).map(open).transpose()?;
        let mut number = 0;
        loop {
            let source = match (&mut trees, &mut lines) {
                (Some(trees), _) => {
                    trees.next_or_skipped()?.map(|tree| SourceLine::Tree(tree.unwrap_or_default()))
                }
                (None, lines) => lines.as_mut().map_or(Ok(None), Lines::next)?.map(SourceLine::Text),
            };
            let (source, target) = match (source, &mut targets) {
                (source, Some(targets)) => (source, targets.next()?),
                (Some(SourceLine::Text(line)), None) => {
                    let pair = split_pair(line).map_err(|error| error.in_file(&files[0]).at_line(number + 1));
                    pair.map(|(source, target)| (Some(SourceLine::Text(source)), Some(target)))?
                }
                (source, None) => (source, None),
            };
            match (source, target) {
                (Some(source), Some(target)) => visit(source, target)?,
                (None, None) if number > 0 => return Ok(()),
                (None, None) => bail!("{}: expected sentence pairs, found none", files[0].display()),
                (source, _) => {
                    let (shorter, longer) = if source.is_some() { (1, 0) } else { (0, 1) };
                    bail!(
                        "expected as many sentences in both files, found {number} in {} and more in {}",
                        files[shorter].display(),
                        files[longer].display()
                    );
                }
            }
            number += 1;
        }
    }
}

/// Opens a file, or standard input, to read its lines.
pub(crate) fn open_lines(path: &Path, encoding: Encoding) -> Result<Lines> {
    if is_stdin(path) {
        take_stdin()?;
        return Ok(Lines::open(&Input::Stdin, encoding, false)?);
    }
    Ok(Lines::open(&Input::Path(path.to_path_buf()), encoding, false)?)
}

/// Reads something from each line of a file, by the number of the line, from 0. There must be as many as pairs.
pub(crate) fn read_lines<T>(
    path: &Path,
    num_pairs: usize,
    mut read: impl FnMut(usize, &str) -> boughs::Result<T>,
) -> Result<Vec<T>> {
    let mut lines = open_lines(path, Encoding::default())?;
    let mut found = Vec::new();
    let mut number = 0;
    while let Some(line) = lines.next()? {
        if number < num_pairs {
            found.push(read(number, line).map_err(|error| error.in_file(path).at_line(number as u64 + 1))?);
        }
        number += 1;
    }
    if number != num_pairs {
        bail!("expected a line for each of {num_pairs} sentences, found {number} in {}", path.display());
    }
    Ok(found)
}
