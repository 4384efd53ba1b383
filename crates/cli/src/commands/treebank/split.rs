//! `boughs treebank split`: train, dev and test from one treebank.

use std::fs;
use std::io::Write;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use boughs::tree::Tree;
use boughs::treebank::{SplitPart, assign};
use boughs_learn::rng::Rng;
use clap::{Args, ValueEnum};

use crate::input::{InputArgs, Trees};
use crate::output::{counted, report};
use crate::part_file::{PartFile, check_paths};
use crate::{Outcome, number};

/// Divide a treebank into parts, at random or in order
///
/// For example: boughs treebank split all.mrg --part train=rest --part dev=10% --part test=500 --out-dir parts
///
/// Each part is written to NAME.mrg, one tree a line, in the order of the input. The treebank is read twice and never
/// held in memory; so name files, standard input will not do.
#[derive(Args)]
pub(crate) struct SplitArgs {
    #[command(flatten)]
    input: InputArgs,

    /// A part and its size, in sentences, or in files with `--by file`: a number (dev=300), a share (dev=10%) or what
    /// is left (train=rest); repeat for each part
    #[arg(long, short, value_name = "NAME=SIZE", required = true)]
    part: Vec<SplitPart>,

    /// What is kept together
    #[arg(long, value_enum, value_name = "UNIT", default_value_t)]
    by: Unit,

    /// Take the parts one after the other instead of at random
    #[arg(long)]
    in_order: bool,

    /// The random seed: the same seed gives the same parts
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = number::within::<u64>(0..), conflicts_with = "in_order")]
    seed: u64,

    /// Where to write the parts; it is made if it does not exist
    #[arg(long, short, value_name = "DIR", default_value = ".")]
    out_dir: PathBuf,

    /// Overwrite existing files
    #[arg(long)]
    force: bool,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, ValueEnum)]
enum Unit {
    /// Every sentence by itself
    #[default]
    Sentence,
    /// All sentences of a file, so that no document is in two parts
    File,
}

pub(crate) fn run(args: &SplitArgs) -> Result<Outcome> {
    args.input.require_rereadable()?;
    let paths: Vec<PathBuf> =
        args.part.iter().map(|part| args.out_dir.join(format!("{}.mrg", part.name))).collect();
    check_paths(&paths, &args.input.canonical_files()?, args.force)?;
    let mut rng = Rng::new(args.seed);
    let counted = for_each_unit(args, args.input.open()?.quietly(), |_, _| Ok(()))?;
    let slots = assign(counted.num_units, &args.part, (!args.in_order).then_some(&mut rng))?;
    fs::create_dir_all(&args.out_dir).with_context(|| format!("cannot make {}", args.out_dir.display()))?;
    write_parts(args, &slots, &counted, &paths)
}

/// What one reading of the treebank found.
struct Reading {
    num_units: usize,
    num_trees: u64,
    outcome: Outcome,
}

/// Goes through the trees with the number of the unit each belongs to.
fn for_each_unit(
    args: &SplitArgs,
    mut trees: Trees,
    mut f: impl FnMut(usize, &Tree) -> Result<()>,
) -> Result<Reading> {
    let (mut num_units, mut num_trees) = (0, 0);
    let mut last_file = String::new();
    while let Some(tree) = trees.next()? {
        if args.by == Unit::Sentence || trees.file() != last_file {
            num_units += 1;
            trees.file().clone_into(&mut last_file);
        }
        num_trees += 1;
        f(num_units - 1, &tree)?;
    }
    Ok(Reading { num_units, num_trees, outcome: trees.finish() })
}

fn write_parts(
    args: &SplitArgs,
    slots: &[Option<usize>],
    first: &Reading,
    paths: &[PathBuf],
) -> Result<Outcome> {
    let mut files = paths.iter().map(|path| PartFile::create(path)).collect::<Result<Vec<_>>>()?;
    let mut num_trees = vec![0; paths.len()];
    let written = for_each_unit(args, args.input.open()?, |unit, tree| {
        if let Some(part) = slots.get(unit).copied().flatten() {
            writeln!(files[part].out, "{tree}")?;
            num_trees[part] += 1;
        }
        Ok(())
    })?;
    if (written.num_units, written.num_trees) != (first.num_units, first.num_trees) {
        bail!("the treebank changed while it was read, and nothing was written");
    }
    for ((file, path), num_trees) in files.into_iter().zip(paths).zip(num_trees) {
        file.finish()?;
        report(format_args!("{}: {}", path.display(), counted(num_trees, "tree")));
    }
    Ok(written.outcome)
}
