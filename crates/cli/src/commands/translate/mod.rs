//! `boughs translate`: translation by transforming source trees.

mod data;
mod explain;
mod run;
mod scores;
mod split;
mod train;
mod words;

use std::path::PathBuf;

use anyhow::Result;
use boughs::model::ModelFile;
use boughs::parser::{Parser, Sentence, Worker, built_in};
use boughs::tree::Tree;
use boughs_learn::run::Model;
use boughs_translate::{SearchLimits, Transducer, TranslateWorker};
use clap::Args;

use crate::model::load_parser;
use crate::number;
use crate::sentences::{Item, SentenceArgs};
use crate::training::set;

verbs! {
    /// Learn to translate from aligned text, translate, and measure translations
    TranslateCommand {
        Split(Box<split::BitextSplitArgs>) => split::run,
        Train(Box<train::TranslateTrainArgs>) => train::run,
        Run(Box<run::TranslateRunArgs>) => run::run,
        Explain(Box<explain::TranslateExplainArgs>) => explain::run,
        Eval(scores::TranslateEvalArgs) => scores::eval,
        Compare(scores::TranslateCompareArgs) => scores::compare,
        Words(Box<words::WordsArgs>) => words::run,
    }
}

/// A transducer, the parser of its source language, and the sentences to translate.
#[derive(Debug, Clone, Args)]
struct TransducerArgs {
    /// The transducer: a file written by `boughs translate train`
    #[arg(long, short, value_name = "MODEL")]
    model: PathBuf,

    /// The parser of the source language: a file written by `boughs train`, or `@english`, which is built in
    #[arg(long, value_name = "MODEL", default_value = built_in::DEFAULT)]
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
        let mut transducer = Transducer::from_file(&file).map_err(|error| error.in_file(&self.model))?;
        self.limits.change(&mut transducer.search);
        let parser = (!self.sentences.trees).then(|| load_parser(&self.parser)).transpose()?;
        Ok(Translator(transducer, parser))
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

fn parse(worker: &mut Worker<'_>, sentence: &Sentence) -> Result<Tree> {
    Ok(worker.parse(sentence)?.tree().clone())
}
