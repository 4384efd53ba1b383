//! `boughs translate`: translation by transforming source trees.

mod data;
mod explain;
mod run;
mod scores;
mod split;
mod train;
mod words;

use std::path::{Path, PathBuf};

use anyhow::Result;
use boughs::model::ModelFile;
use boughs::parser::{Parser, Sentence, Worker};
use boughs::tree::Tree;
use boughs_learn::run::Model;
use boughs_translate::{SearchLimits, Transducer, TranslateWorker};
use clap::{Args, Subcommand};

use crate::model::{ENGLISH, load_file};
use crate::sentences::{Item, SentenceArgs};
use crate::training::set;
use crate::{Outcome, number};

/// Learn to translate from aligned text, translate, and measure translations
#[derive(Subcommand)]
pub(crate) enum TranslateCommand {
    Split(Box<split::BitextSplitArgs>),
    Train(Box<train::TranslateTrainArgs>),
    Run(Box<run::TranslateRunArgs>),
    Explain(Box<explain::TranslateExplainArgs>),
    Eval(scores::TranslateEvalArgs),
    Compare(scores::TranslateCompareArgs),
    Words(Box<words::WordsArgs>),
}

impl TranslateCommand {
    pub(crate) fn run(self) -> Result<Outcome> {
        match self {
            Self::Split(args) => split::run(&args),
            Self::Train(args) => train::run(&args),
            Self::Run(args) => run::run(&args),
            Self::Explain(args) => explain::run(&args),
            Self::Eval(args) => scores::eval(&args),
            Self::Compare(args) => scores::compare(&args),
            Self::Words(args) => words::run(&args),
        }
    }
}

/// A transducer, the parser of its source language, and the sentences to translate.
#[derive(Debug, Clone, Args)]
struct TransducerArgs {
    /// The transducer: a file written by `boughs translate train`
    #[arg(long, short, value_name = "MODEL")]
    model: PathBuf,

    /// The parser of the source language: a file written by `boughs train`, or `@english`, which is built in
    #[arg(long, value_name = "MODEL", default_value = ENGLISH)]
    parser: PathBuf,

    #[command(flatten)]
    limits: SearchLimitArgs,

    #[command(flatten)]
    sentences: SentenceArgs,
}

/// How to search.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Search")]
struct SearchLimitArgs {
    /// Drop translations of a phrase that cost more than N times the cheapest [default: as the model says; 1000 in
    /// training]
    #[arg(long, value_name = "N")]
    max_cost_ratio: Option<f64>,

    /// Keep at most N translations of a phrase [default: as the model says; 40 in training]
    #[arg(long, value_name = "N", value_parser = number::within::<usize>(1..))]
    max_items: Option<usize>,
}

impl SearchLimitArgs {
    /// Changes limits as the user says.
    fn change(&self, limits: &mut SearchLimits) {
        set(&mut limits.max_cost_ratio, self.max_cost_ratio);
        set(&mut limits.max_items, self.max_items);
    }
}

/// A transducer and its parser, unless there are trees already.
struct Translator(Transducer, Option<Parser>);

impl TransducerArgs {
    fn load(&self) -> Result<Translator> {
        let file = ModelFile::load(&self.model)?;
        let transducer = Transducer::from_file(&file).map_err(|error| error.in_file(&self.model))?;
        let mut limits = transducer.search();
        self.limits.change(&mut limits);
        let parser = (!self.sentences.trees).then(|| load_parser(&self.parser)).transpose()?;
        Ok(Translator(transducer.with_search(limits), parser))
    }
}

/// What one thread needs to translate sentences.
struct SentenceTranslator<'a> {
    parser: Option<Worker<'a>>,
    translate: TranslateWorker<'a>,
}

impl Translator {
    fn worker(&self) -> SentenceTranslator<'_> {
        SentenceTranslator { parser: self.1.as_ref().map(Parser::worker), translate: self.0.worker() }
    }
}

impl SentenceTranslator<'_> {
    /// Parses a sentence, or takes the tree that it came with.
    fn tree(&mut self, item: &Item) -> Result<Tree> {
        match &mut self.parser {
            Some(worker) => parse(worker, &item.sentence),
            None => Ok(item.gold.clone().unwrap_or_default()),
        }
    }
}

fn load_parser(path: &Path) -> Result<Parser> {
    Ok(Parser::from_file(&load_file(path)?).map_err(|error| error.in_file(path))?)
}

fn parse(worker: &mut Worker<'_>, sentence: &Sentence) -> Result<Tree> {
    Ok(worker.parse(sentence)?.tree().clone())
}
