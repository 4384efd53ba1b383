//! `boughs treebank draw`: pictures of trees for terminals, web pages and papers.

use std::fmt;
use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use boughs::tree::Tree;
use boughs::tree::draw::{Drawing, HTML_END, TextOptions, html_start, write_html, write_sheet, write_text};
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
  boughs treebank draw @sample --number 5 --to svg > tree.svg
  boughs treebank draw trees.mrg --to svg --out-dir pictures
  boughs treebank draw trees.mrg --to latex --standalone > trees.tex";

/// Draw trees as text, SVG, a web page or LaTeX
///
/// Trees that are too wide are drawn with their root at the left. All trees go into one picture, below each other, or
/// each into a file of its own, with --out-dir.
#[derive(Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct DrawArgs {
    #[command(flatten)]
    input: InputArgs,

    /// The trees to draw, counted from 1 over all files, e.g. `3,7..9,20..`; by default all
    #[arg(long, short, value_name = "N,M..K")]
    number: Option<Numbers>,

    /// What to draw
    #[arg(long, short, value_enum, value_name = "FORMAT", default_value_t)]
    to: Format,

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
    #[arg(long)]
    force: bool,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Box-drawing characters, for terminals
    #[default]
    Text,
    /// A picture for web pages and browsers
    Svg,
    /// A web page with each sentence and its picture
    Html,
    /// Source for the LaTeX package `forest`
    Latex,
}

impl Format {
    fn extension(self) -> &'static str {
        match self {
            Self::Text => "txt",
            Self::Svg => "svg",
            Self::Html => "html",
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
        if is_given && args.to != format {
            bail!("{flag} is for --to {name} only");
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
    before: String,
    after: &'static str,
}

impl Pen {
    fn new(args: &DrawArgs) -> Self {
        let mut text = text_options();
        text.max_width = args.width.unwrap_or(text.max_width);
        text.ascii = args.ascii;
        let (before, after) = match args.to {
            Format::Html => (html_start("boughs"), HTML_END),
            Format::Latex if args.standalone => (LATEX_PREAMBLE.to_owned(), LATEX_END),
            _ => (String::new(), ""),
        };
        Self { format: args.to, text, before, after }
    }

    /// Draws a tree by its number; pictures of SVG are collected.
    fn draw(&self, tree: &Tree, number: u64, picture: &mut String, sheet: &mut Vec<Drawing>) -> fmt::Result {
        match self.format {
            Format::Text => write_text(tree, &self.text, picture),
            Format::Svg => {
                sheet.push(Drawing::of(tree));
                Ok(())
            }
            Format::Html => write_html(tree, number, picture),
            Format::Latex => write_latex(tree, picture),
        }
    }

    /// Ends a file, with the pictures that were collected.
    fn finish(&self, sheet: &[Drawing], picture: &mut String) -> fmt::Result {
        picture.push_str(self.after);
        if self.format == Format::Svg { write_sheet(sheet, picture) } else { Ok(()) }
    }

    /// Whether a blank line stands between two trees.
    fn parts_trees(&self) -> bool {
        matches!(self.format, Format::Text | Format::Latex)
    }
}

fn draw_all(pen: &Pen, selection: &mut Selection<'_>) -> Result<()> {
    let mut out = stdout();
    let mut picture = pen.before.clone();
    let mut sheet = Vec::new();
    while let Some((number, tree)) = selection.next()? {
        if selection.num_drawn > 1 && pen.parts_trees() {
            picture.push('\n');
        }
        pen.draw(&tree, number, &mut picture, &mut sheet)?;
        out.write_all(picture.as_bytes())?;
        picture.clear();
    }
    if selection.num_drawn == 0 && pen.format == Format::Svg {
        bail!("there is no tree to draw");
    }
    pen.finish(&sheet, &mut picture)?;
    out.write_all(picture.as_bytes())?;
    Ok(out.flush()?)
}

fn draw_into(directory: &Path, force: bool, pen: &Pen, selection: &mut Selection<'_>) -> Result<()> {
    fs::create_dir_all(directory).with_context(|| format!("cannot make {}", directory.display()))?;
    let mut picture = String::new();
    while let Some((number, tree)) = selection.next()? {
        picture.clear();
        picture.push_str(&pen.before);
        let mut sheet = Vec::new();
        pen.draw(&tree, number, &mut picture, &mut sheet)?;
        pen.finish(&sheet, &mut picture)?;
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
