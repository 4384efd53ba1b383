//! The arguments by which verbs take sentence pairs, and the loop that reads them.

use std::fmt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use boughs::tree::Tree;
use boughs::tree::read::{Encoding, Input};
use boughs_translate::align::{Bitext, Link, PairFilter, Tokens, parse_links, split_pair};
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

/// A sentence as it was read, or its tree.
pub(crate) enum Source<'a> {
    Line(&'a str),
    Tree(Tree),
}

impl fmt::Display for Source<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line(line) => f.write_str(line),
            Self::Tree(tree) => write!(f, "{tree}"),
        }
    }
}

impl BitextArgs {
    pub(crate) fn has_trees(&self) -> bool {
        self.trees
    }

    /// The files that are read.
    pub(crate) fn files(&self) -> impl Iterator<Item = &Path> {
        [Some(&self.source), self.target.as_ref()].into_iter().flatten().map(PathBuf::as_path)
    }

    /// The words of the source; a token is what the user says, or else what `tokens` says.
    pub(crate) fn source_words(&self, source: &Source<'_>, tokens: Tokens) -> Vec<String> {
        match source {
            Source::Line(line) => self.source_tokens.unwrap_or(tokens).split(line),
            Source::Tree(tree) => tree.words().map(str::to_owned).collect(),
        }
    }

    pub(crate) fn target_words(&self, target: &str) -> Vec<String> {
        self.target_tokens.split(target)
    }

    /// Reads all pairs.
    pub(crate) fn read(&self, tokens: Tokens) -> Result<Pairs> {
        let (mut bitext, mut trees) = (Bitext::new(), Vec::new());
        self.each_pair(|source, target| {
            let words = [self.source_words(&source, tokens), self.target_words(target)];
            bitext.push(words[0].iter().map(String::as_str), words[1].iter().map(String::as_str));
            if let Source::Tree(tree) = source {
                trees.push(tree);
            }
            Ok(())
        })?;
        Ok(Pairs { bitext, trees })
    }

    /// Goes through the pairs, one at a time.
    pub(crate) fn each_pair(&self, visit: impl FnMut(Source<'_>, &str) -> Result<()>) -> Result<()> {
        match &self.target {
            None => self.each_tabbed(visit),
            Some(target) if self.trees => self.each_tree(target, visit),
            Some(target) => self.each_line(target, visit),
        }
    }

    fn open(&self, path: &Path) -> Result<Lines> {
        open(path, self.read.encoding.into())
    }

    fn each_tabbed(&self, mut visit: impl FnMut(Source<'_>, &str) -> Result<()>) -> Result<()> {
        let mut lines = self.open(&self.source)?;
        let mut number = 0;
        while let Some(line) = next(&mut lines, &self.source)? {
            number += 1;
            let (source, target) =
                split_pair(line).map_err(|error| error.in_file(&self.source).at_line(number))?;
            visit(Source::Line(source), target)?;
        }
        Ok(())
    }

    fn each_line(&self, target: &Path, mut visit: impl FnMut(Source<'_>, &str) -> Result<()>) -> Result<()> {
        let (mut sources, mut targets) = (self.open(&self.source)?, self.open(target)?);
        for num_pairs in 0.. {
            match (next(&mut sources, &self.source)?, next(&mut targets, target)?) {
                (Some(source), Some(translation)) => visit(Source::Line(source), translation)?,
                (None, None) => break,
                (source, _) => return self.differ(num_pairs, source.is_some(), target),
            }
        }
        Ok(())
    }

    fn each_tree(&self, target: &Path, mut visit: impl FnMut(Source<'_>, &str) -> Result<()>) -> Result<()> {
        let mut sources = self.read.open(std::slice::from_ref(&self.source))?;
        let mut targets = self.open(target)?;
        for num_pairs in 0.. {
            let tree = sources.next_or_skipped()?.map(Option::unwrap_or_default);
            match (tree, next(&mut targets, target)?) {
                (Some(tree), Some(translation)) => visit(Source::Tree(tree), translation)?,
                (None, None) => break,
                (tree, _) => return self.differ(num_pairs, tree.is_some(), target),
            }
        }
        Ok(())
    }

    fn differ(&self, num_pairs: usize, has_source: bool, target: &Path) -> Result<()> {
        let (shorter, longer) = if has_source { (target, &*self.source) } else { (&*self.source, target) };
        bail!(
            "expected as many sentences in both files, found {num_pairs} in {} and more in {}",
            shorter.display(),
            longer.display()
        )
    }
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
    each_line(path, bitext.len(), |index, line| {
        links.push(parse_links(line, Some(bitext.num_words(index)))?);
        Ok(())
    })
    .context("links")?;
    Ok(links)
}
