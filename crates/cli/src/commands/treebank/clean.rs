//! `boughs treebank clean`: the transforms of the library on whole files.

mod args;

use std::fs::File;
use std::io::{BufReader, Write};

use anyhow::{Context, Result, bail};
use boughs::tree::Tree;
use boughs::tree::transform::{
    KeepOrDrop, KnownWords, PIPELINES, Pipeline, TransformStep, WordCounts, read_words,
};
use boughs::tree::write::{write_line, write_pretty};

pub(crate) use args::CleanArgs;

use crate::Outcome;
use crate::input::Trees;
use crate::output::{counted, report, stdout};

pub(crate) fn run(args: &CleanArgs) -> Result<Outcome> {
    if args.wants_list() {
        return list();
    }
    let mut trees = args.input.open()?;
    let mut pipeline = args.pipeline(args.profile.of_stream(&mut trees)?)?;
    let counted = count(args, &pipeline)?;
    pipeline.settings.vocabulary = counted.vocabulary;
    let mut out = stdout();
    let mut summary = Summary::default();
    let mut text = String::new();
    let write = if args.output.pretty { write_pretty } else { write_line };
    let line_end = if args.output.pretty { "\n\n" } else { "\n" };
    while let Some(mut tree) = trees.next()? {
        let before = args.output.verbose.then(|| tree.clone());
        let verdict = pipeline.apply(&mut tree);
        summary.add(before.as_ref(), &tree, verdict);
        if verdict == KeepOrDrop::Keep {
            text.clear();
            write(&tree, &mut text)?;
            text.push_str(line_end);
            out.write_all(text.as_bytes())?;
        }
    }
    out.flush()?;
    if counted.num_trees.is_some_and(|expected| expected != summary.num_trees) {
        bail!("the input changed while it was read: words were counted in other trees than were written");
    }
    if args.output.verbose {
        summary.report();
    }
    Ok(trees.finish().max(counted.outcome))
}

/// What the pipeline has to know of the whole treebank.
struct Counted {
    /// The words that are not rare, if the pipeline asks for them.
    vocabulary: Option<KnownWords>,
    /// The trees of the input, if they were counted: the second reading must find as many.
    num_trees: Option<u64>,
    /// Whether all trees the words come from could be read.
    outcome: Outcome,
}

impl From<Option<KnownWords>> for Counted {
    fn from(vocabulary: Option<KnownWords>) -> Self {
        Self { vocabulary, num_trees: None, outcome: Outcome::Complete }
    }
}

fn count(args: &CleanArgs, pipeline: &Pipeline) -> Result<Counted> {
    let Some(min_count) = pipeline.min_count() else {
        if !args.words.training.is_empty() {
            bail!("--training is there to find rare words (add --replace-rare N or --pipeline tm05)");
        }
        return Ok(None.into());
    };
    if let Some(path) = &args.words.vocabulary {
        let cannot_read = || format!("cannot read the vocabulary {}", path.display());
        let file = File::open(path).with_context(cannot_read)?;
        return Ok(Some(read_words(BufReader::new(file)).with_context(cannot_read)?).into());
    }
    count_words(args, pipeline, min_count)
}

fn count_words(args: &CleanArgs, pipeline: &Pipeline, min_count: u64) -> Result<Counted> {
    let mut trees = training_trees(args)?;
    let mut counts = WordCounts::new(pipeline.settings.counting);
    let mut num_trees = 0;
    while let Some(tree) = trees.next()? {
        pipeline.count_words(tree, &mut counts);
        num_trees += 1;
    }
    Ok(Counted {
        vocabulary: Some(counts.vocabulary(min_count)),
        num_trees: args.words.training.is_empty().then_some(num_trees),
        outcome: trees.finish(),
    })
}

fn training_trees(args: &CleanArgs) -> Result<Trees> {
    if !args.words.training.is_empty() {
        return args.input.read.open(&args.words.training);
    }
    args.input
        .require_rereadable()
        .context("rare words are found in the input itself (--training or --vocabulary name another file)")?;
    Ok(args.input.open()?.quietly())
}

fn list() -> Result<Outcome> {
    let mut out = stdout();
    writeln!(out, "Pipelines:")?;
    for (name, description, steps) in PIPELINES {
        writeln!(out, "  {name}: {description}")?;
        writeln!(out, "    {}", steps.replace(',', "\n    "))?;
    }
    writeln!(out, "\nSteps, in the order in which they fit together:")?;
    for (_, step, description) in TransformStep::ALL {
        writeln!(out, "  {step:<26}{description}")?;
    }
    out.flush()?;
    Ok(Outcome::Complete)
}

#[derive(Default)]
struct Summary {
    num_trees: u64,
    num_changed: u64,
    num_emptied: u64,
    num_dropped: u64,
}

impl Summary {
    fn add(&mut self, before: Option<&Tree>, after: &Tree, verdict: KeepOrDrop) {
        self.num_trees += 1;
        match verdict {
            KeepOrDrop::Drop => self.num_dropped += 1,
            KeepOrDrop::Keep => {
                self.num_changed += u64::from(before.is_some_and(|before| before != after));
                self.num_emptied +=
                    u64::from(before.is_some_and(|before| !before.is_empty()) && after.is_empty());
            }
        }
    }

    fn report(&self) {
        let Self { num_trees, num_changed, num_emptied, num_dropped } = self;
        report(format_args!(
            "{} read, {num_changed} changed ({num_emptied} left without tokens), \
             {num_dropped} dropped for their length",
            counted(*num_trees, "tree")
        ));
    }
}
