//! `boughs treebank draw`: pictures of trees for terminals, web pages and papers.

use std::fmt;
use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use boughs::tree::Tree;
use boughs::tree::draw::{TextOptions, write_svg, write_text};
use boughs::tree::transform::{remove_traces, strip_functions};
use boughs::tree::write::{LATEX_END, LATEX_PREAMBLE, write_latex};
use clap::{Args, ValueEnum};

use super::numbers::Numbers;
use crate::format::text_options;
use crate::input::{InputArgs, Trees};
use crate::output::{counted, report, stdout};
use crate::{Outcome, number};

const EXAMPLES: &str = "\
Examples:
  boughs treebank draw @sample/news --number 1..3
  boughs treebank draw @sample --number 5 --format svg > tree.svg
  boughs treebank draw trees.mrg --format svg --out-dir pictures
  boughs treebank draw trees.mrg --format latex --standalone > trees.tex";

/// Draw trees as text, SVG or LaTeX
///
/// Text is drawn upright if it fits into the width, otherwise sideways. SVG holds one tree a file: choose one with
/// --number, or name a directory for many.
#[derive(Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct DrawArgs {
    #[command(flatten)]
    input: InputArgs,

    /// The trees to draw, counted from 1 over all files, e.g. `3,7..9,20..`; by default all
    #[arg(long, short, value_name = "N,M..K")]
    number: Option<Numbers>,

    /// What to draw
    #[arg(long, short, value_enum, default_value_t)]
    format: Format,

    /// The most columns of an upright text drawing; by default those of the terminal, or 100
    #[arg(long, short, value_name = "N", value_parser = number::within::<usize>(1..))]
    width: Option<usize>,

    /// Draw the lines of text with ASCII characters
    #[arg(long)]
    ascii: bool,

    /// Leave out traces, function tags and indices
    #[arg(long, short)]
    strip: bool,

    /// Make LaTeX a complete document, with a page for each tree
    #[arg(long)]
    standalone: bool,

    /// Write each tree into a file of its own, DIR/0001.svg and so on, by the tree's number
    #[arg(long, value_name = "DIR")]
    out_dir: Option<PathBuf>,

    /// Overwrite existing files
    #[arg(long, requires = "out_dir")]
    force: bool,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Box-drawing characters, for terminals
    #[default]
    Text,
    /// A picture for web pages and browsers
    Svg,
    /// Source for the LaTeX package `forest`
    Latex,
}

impl Format {
    fn extension(self) -> &'static str {
        match self {
            Self::Text => "txt",
            Self::Svg => "svg",
            Self::Latex => "tex",
        }
    }
}

pub(crate) fn run(args: &DrawArgs) -> Result<Outcome> {
    check_flags(args)?;
    let mut selection = Selection {
        trees: args.input.open()?,
        wanted: args.number.as_ref(),
        strip: args.strip,
        is_done: false,
        num_drawn: 0,
        outcome: Outcome::Complete,
    };
    let pen = Pen::new(args);
    match &args.out_dir {
        Some(directory) => draw_into(directory, args.force, &pen, &mut selection)?,
        None if args.format == Format::Svg => draw_one(&pen, &mut selection)?,
        None => draw_all(&pen, &mut selection)?,
    }
    Ok(selection.trees.finish().max(selection.outcome))
}

fn check_flags(args: &DrawArgs) -> Result<()> {
    let flags = [
        ("--width", args.width.is_some(), Format::Text, "text"),
        ("--ascii", args.ascii, Format::Text, "text"),
        ("--standalone", args.standalone, Format::Latex, "latex"),
    ];
    for (flag, is_given, format, name) in flags {
        if is_given && args.format != format {
            bail!("{flag} is for --format {name} only");
        }
    }
    Ok(())
}

/// The trees that were asked for.
struct Selection<'a> {
    trees: Trees,
    wanted: Option<&'a Numbers>,
    strip: bool,
    is_done: bool,
    num_drawn: u64,
    /// Partial if some of the trees do not exist.
    outcome: Outcome,
}

fn stripped(mut tree: Tree) -> Tree {
    remove_traces(&mut tree);
    strip_functions(&mut tree);
    tree
}

impl Selection<'_> {
    fn next(&mut self) -> Result<Option<(u64, Tree)>> {
        while !self.is_done {
            let Some(tree) = self.trees.next()? else { return self.end() };
            let number = self.trees.number_overall();
            let largest = self.wanted.and_then(Numbers::largest);
            self.is_done = largest.is_some_and(|largest| number >= largest);
            if self.wanted.is_none_or(|wanted| wanted.contains(number)) {
                self.num_drawn += 1;
                return Ok(Some((number, if self.strip { stripped(tree) } else { tree })));
            }
        }
        Ok(None)
    }

    fn end(&mut self) -> Result<Option<(u64, Tree)>> {
        self.is_done = true;
        let count = self.trees.number_overall();
        let Some(number) = self.wanted.and_then(|wanted| wanted.beyond(count)) else { return Ok(None) };
        let message = format!("there is no tree {number}: the input has {}", counted(count, "tree"));
        if self.num_drawn == 0 {
            bail!(message);
        }
        report(format_args!("{message}"));
        self.outcome = Outcome::Partial;
        Ok(None)
    }
}

/// Draws in the way that the user asked for.
struct Pen {
    format: Format,
    text: TextOptions,
    /// What stands before the first tree of a file, and after the last.
    before: &'static str,
    after: &'static str,
}

impl Pen {
    fn new(args: &DrawArgs) -> Self {
        let mut text = text_options();
        text.max_width = args.width.unwrap_or(text.max_width);
        text.ascii = args.ascii;
        let (before, after) = if args.standalone { (LATEX_PREAMBLE, LATEX_END) } else { ("", "") };
        Self { format: args.format, text, before, after }
    }

    fn draw(&self, tree: &Tree, picture: &mut String) -> fmt::Result {
        match self.format {
            Format::Text => write_text(tree, &self.text, picture),
            Format::Svg => write_svg(tree, picture),
            Format::Latex => write_latex(tree, picture),
        }
    }
}

fn draw_all(pen: &Pen, selection: &mut Selection<'_>) -> Result<()> {
    let mut out = stdout();
    let mut picture = pen.before.to_owned();
    let mut is_first = true;
    while let Some((_, tree)) = selection.next()? {
        if !is_first {
            picture.push('\n');
        }
        is_first = false;
        pen.draw(&tree, &mut picture)?;
        out.write_all(picture.as_bytes())?;
        picture.clear();
    }
    picture.push_str(pen.after);
    out.write_all(picture.as_bytes())?;
    Ok(out.flush()?)
}

fn draw_one(pen: &Pen, selection: &mut Selection<'_>) -> Result<()> {
    let Some((_, tree)) = selection.next()? else { bail!("there is no tree to draw") };
    if selection.next()?.is_some() {
        bail!(
            "an SVG file holds one tree, but there are more (choose with --number N, or give --out-dir DIR)"
        );
    }
    let mut picture = String::new();
    pen.draw(&tree, &mut picture)?;
    let mut out = stdout();
    out.write_all(picture.as_bytes())?;
    Ok(out.flush()?)
}

fn draw_into(directory: &Path, force: bool, pen: &Pen, selection: &mut Selection<'_>) -> Result<()> {
    fs::create_dir_all(directory).with_context(|| format!("cannot make {}", directory.display()))?;
    let mut picture = String::new();
    while let Some((number, tree)) = selection.next()? {
        picture.clear();
        picture.push_str(pen.before);
        pen.draw(&tree, &mut picture)?;
        picture.push_str(pen.after);
        let file = directory.join(format!("{number:04}.{}", pen.format.extension()));
        write_file(&file, &picture, force)?;
    }
    let files = counted(selection.num_drawn, "file");
    report(format_args!("{files} written into {}", directory.display()));
    Ok(())
}

/// Writes a file that does not exist yet, or may be overwritten.
fn write_file(path: &Path, text: &str, force: bool) -> Result<()> {
    let mut options = File::options();
    options.write(true).truncate(true).create(true).create_new(!force);
    let written = options.open(path).and_then(|mut file| file.write_all(text.as_bytes()));
    match written {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            bail!("{} exists (--force overwrites it)", path.display())
        }
        written => written.with_context(|| format!("cannot write {}", path.display())),
    }
}
