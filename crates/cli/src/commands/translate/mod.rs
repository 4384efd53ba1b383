//! `boughs translate`: translation by transforming source trees.

mod compare;
mod data;
mod eval;
mod explain;
mod run;
mod scores;
mod split;
mod train;
mod words;

use std::path::{Path, PathBuf};

use anyhow::Result;
use boughs::model::ModelFile;
use boughs::parser::{ParseOptions, Parser, Worker};
use boughs::tree::Tree;
use boughs_translate::{SearchLimits, Transducer};
use clap::{Args, Subcommand};

use crate::Outcome;
use crate::model::{ENGLISH, load_file};
use crate::number;
use crate::sentences::Item;

/// Learn to translate from aligned text, translate, and measure translations
#[derive(Subcommand)]
pub(crate) enum TranslateCommand {
    Split(Box<split::SplitArgs>),
    Train(Box<train::TrainArgs>),
    Run(Box<run::RunArgs>),
    Explain(Box<explain::ExplainArgs>),
    Eval(eval::EvalArgs),
    Compare(compare::CompareArgs),
    Words(Box<words::WordsArgs>),
}

impl TranslateCommand {
    pub(crate) fn run(self) -> Result<Outcome> {
        match self {
            Self::Split(args) => split::run(&args),
            Self::Train(args) => train::run(&args),
            Self::Run(args) => run::run(&args),
            Self::Explain(args) => explain::run(&args),
            Self::Eval(args) => eval::run(&args),
            Self::Compare(args) => compare::run(&args),
            Self::Words(args) => words::run(&args),
        }
    }
}

/// A transducer, the parser of its source language, and how to search.
#[derive(Debug, Clone, Args)]
struct ModelArgs {
    /// The transducer: a file written by `boughs translate train`
    #[arg(long, short, value_name = "MODEL")]
    model: PathBuf,

    /// The parser of the source language: a file written by `boughs train`, or `@english`, which is built in
    #[arg(long, value_name = "MODEL", default_value = ENGLISH)]
    parser: PathBuf,

    /// Drop translations of a phrase that cost more than N times the cheapest
    #[arg(long, value_name = "N", default_value_t = SearchLimits::default().max_ratio, help_heading = "Search")]
    max_ratio: f64,

    /// Keep at most N translations of a phrase
    #[arg(long, value_name = "N", default_value_t = SearchLimits::default().max_items, help_heading = "Search", value_parser = number::within::<usize>(1..))]
    max_items: usize,
}

impl ModelArgs {
    fn limits(&self) -> SearchLimits {
        SearchLimits { max_ratio: self.max_ratio, max_items: self.max_items }
    }

    fn transducer(&self) -> Result<Transducer> {
        let file = ModelFile::load(&self.model)?;
        Ok(Transducer::from_file(&file).map_err(|error| error.in_file(&self.model))?)
    }

    /// The parser, unless there are trees already.
    fn parser(&self, has_trees: bool) -> Result<Option<Parser>> {
        if has_trees { Ok(None) } else { load_parser(&self.parser).map(Some) }
    }
}

fn load_parser(path: &Path) -> Result<Parser> {
    Ok(Parser::from_file(&load_file(path)?).map_err(|error| error.in_file(path))?)
}

/// Parses sentences, or takes the trees that they came with.
struct TreeMaker<'p>(Option<Worker<'p>>);

impl<'p> TreeMaker<'p> {
    fn new(parser: Option<&'p Parser>) -> Self {
        Self(parser.map(|parser| parser.worker(&ParseOptions::default())))
    }

    fn tree(&mut self, item: &Item) -> Result<Tree> {
        match &mut self.0 {
            Some(worker) => Ok(worker.parse(&item.sentence)?.tree().clone()),
            None => Ok(item.gold.clone().unwrap_or_default()),
        }
    }
}
