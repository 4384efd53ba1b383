//! The arguments by which verbs take sentence pairs, and the loop that reads them.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use boughs::align::{Bitext, Link, PairFilter, Tokens, parse_links};
use boughs::tree::Tree;
use boughs::tree::read::{Encoding, Input};
use clap::Args;

use crate::input::{ReadArgs, is_stdin, take_stdin};
use crate::lines::Lines;

#[derive(Debug, Clone, Args)]
pub(crate) struct BitextArgs {
    /// The sentences, one a line (plain or .gz); or sentence pairs with a tab between, if there is no TARGET
    #[arg(value_name = "SOURCE")]
    pub(crate) source: PathBuf,

    /// Their translations, as many lines
    #[arg(value_name = "TARGET")]
    target: Option<PathBuf>,

    /// SOURCE is a treebank
    #[arg(long, requires = "target", help_heading = "Input")]
    trees: bool,

    /// What a token of the source is: plain (words and punctuation), english (as treebanks have them) or blanks [default: plain; english
    /// where it is parsed]
    #[arg(long, value_name = "NAME", help_heading = "Input", value_parser = |name: &str| name.parse::<Tokens>())]
    source_tokens: Option<Tokens>,

    /// What a token of the target is
    #[arg(long, value_name = "NAME", default_value = "plain", help_heading = "Input", value_parser = |name: &str| name.parse::<Tokens>())]
    target_tokens: Tokens,

    #[command(flatten)]
    read: ReadArgs,
}

/// Which pairs are worth having.
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

/// Sentence pairs, with their source trees if those were given.
pub(crate) struct Pairs {
    pub(crate) bitext: Bitext,
    pub(crate) trees: Vec<Tree>,
}

impl BitextArgs {
    pub(crate) fn has_trees(&self) -> bool {
        self.trees
    }

    /// Reads all pairs; a token of the source is what the user says, or else what `source_tokens` says.
    pub(crate) fn read(&self, source_tokens: Tokens) -> Result<Pairs> {
        let source_tokens = self.source_tokens.unwrap_or(source_tokens);
        match &self.target {
            None => self.read_tabbed(source_tokens),
            Some(target) if self.trees => self.read_trees(target),
            Some(target) => self.read_lines(source_tokens, target),
        }
    }

    fn open(&self, path: &Path) -> Result<Lines> {
        open(path, self.read.encoding.into())
    }

    fn read_tabbed(&self, source_tokens: Tokens) -> Result<Pairs> {
        let mut lines = self.open(&self.source)?;
        let mut bitext = Bitext::new();
        while let Some(line) = next(&mut lines, &self.source)? {
            let Some((source, target)) = line.split_once('\t') else {
                let place = format!("{}:{}", self.source.display(), bitext.len() + 1);
                bail!(
                    "{place}: expected two sentences with a tab between, found none (or name a TARGET file)"
                );
            };
            push(&mut bitext, &source_tokens.split(source), &self.target_tokens.split(target));
        }
        Ok(Pairs { bitext, trees: Vec::new() })
    }

    fn read_lines(&self, source_tokens: Tokens, target: &Path) -> Result<Pairs> {
        let (mut sources, mut targets) = (self.open(&self.source)?, self.open(target)?);
        let mut bitext = Bitext::new();
        loop {
            let source = next(&mut sources, &self.source)?.map(|line| source_tokens.split(line));
            let translation = next(&mut targets, target)?.map(|line| self.target_tokens.split(line));
            match (source, translation) {
                (Some(source), Some(translation)) => push(&mut bitext, &source, &translation),
                (None, None) => return Ok(Pairs { bitext, trees: Vec::new() }),
                (source, _) => return self.differ(bitext.len(), source.is_some(), target),
            }
        }
    }

    fn read_trees(&self, target: &Path) -> Result<Pairs> {
        let mut sources = self.read.open(std::slice::from_ref(&self.source))?;
        let mut targets = self.open(target)?;
        let (mut bitext, mut trees) = (Bitext::new(), Vec::new());
        loop {
            let tree = sources.next_or_skipped()?.map(Option::unwrap_or_default);
            let translation = next(&mut targets, target)?.map(|line| self.target_tokens.split(line));
            match (tree, translation) {
                (Some(tree), Some(translation)) => {
                    bitext.push(tree.words(), translation.iter().map(String::as_str));
                    trees.push(tree);
                }
                (None, None) => return Ok(Pairs { bitext, trees }),
                (tree, _) => return self.differ(bitext.len(), tree.is_some(), target),
            }
        }
    }

    fn differ(&self, num_pairs: usize, has_source: bool, target: &Path) -> Result<Pairs> {
        let (shorter, longer) = if has_source { (target, &*self.source) } else { (&*self.source, target) };
        bail!(
            "expected as many sentences in both files, found {num_pairs} in {} and more in {}",
            shorter.display(),
            longer.display()
        )
    }
}

fn push(bitext: &mut Bitext, source: &[String], target: &[String]) {
    bitext.push(source.iter().map(String::as_str), target.iter().map(String::as_str));
}

/// Opens a file of lines.
pub(crate) fn open(path: &Path, encoding: Encoding) -> Result<Lines> {
    let input = if is_stdin(path) { Input::Stdin } else { Input::Path(path.to_path_buf()) };
    if is_stdin(path) {
        take_stdin()?;
    }
    Ok(Lines::open(&input, encoding, false).map_err(|error| error.in_file(path))?)
}

/// The next line of a file, without its end.
pub(crate) fn next<'l>(lines: &'l mut Lines, path: &Path) -> Result<Option<&'l str>> {
    let line = lines.next().map_err(|error| error.in_file(path))?;
    Ok(line.map(|line| line.trim_end_matches(['\n', '\r'])))
}

/// Calls `visit` with the number of each line, from 0, and the line; there must be as many as pairs.
pub(crate) fn each_line(
    path: &Path,
    num_pairs: usize,
    mut visit: impl FnMut(usize, &str) -> boughs::Result<()>,
) -> Result<()> {
    let mut lines = open(path, Encoding::default())?;
    let mut number = 0;
    while let Some(line) = next(&mut lines, path)? {
        if number < num_pairs {
            visit(number, line).map_err(|error| error.in_file(path).at_line(number as u64 + 1))?;
        }
        number += 1;
    }
    if number != num_pairs {
        bail!("expected a line for each of {num_pairs} sentences, found {number} in {}", path.display());
    }
    Ok(())
}

/// The links of another aligner.
pub(crate) fn read_links(path: &Path, bitext: &Bitext) -> Result<Vec<Vec<Link>>> {
    let mut links = Vec::new();
    let num_words = |index| {
        let lengths = [bitext.source(), bitext.target()].map(|side| side.sentences().get(index).len());
        (lengths[0], lengths[1])
    };
    each_line(path, bitext.len(), |index, line| {
        links.push(parse_links(line, Some(num_words(index)))?);
        Ok(())
    })
    .context("links")?;
    Ok(links)
}
