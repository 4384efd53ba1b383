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
use boughs::parser::{ParseOptions, Parser, Sentence, Worker};
use boughs::tree::Tree;
use boughs_learn::run::Model;
use boughs_translate::{SearchLimits, Transducer, TranslateWorker};
use clap::Args;

use crate::model::{ENGLISH, load_parser};
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
    #[arg(long, value_name = "MODEL", default_value = ENGLISH)]
    parser: PathBuf,

    /// Weigh the N best parses of a sentence with their translations
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = number::within::<usize>(1..))]
    parses: usize,

    /// How much the cost of a parse counts beside that of its translation
    #[arg(long, value_name = "X", default_value_t = 1.0)]
    parse_weight: f64,

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
struct Translator {
    transducer: Transducer,
    parser: Option<Parser>,
    parse_weight: f64,
}

impl TransducerArgs {
    fn load(&self) -> Result<Translator> {
        let file = ModelFile::load(&self.model)?;
        let mut transducer = Transducer::from_file(&file).map_err(|error| error.in_file(&self.model))?;
        self.limits.change(&mut transducer.search);
        let parser = (!self.sentences.trees).then(|| load_parser(&self.parser)).transpose()?;
        let parser = parser.map(|parser| {
            let options = ParseOptions { num_best: self.parses, ..parser.options().clone() };
            parser.with_options(options)
        });
        Ok(Translator { transducer, parser: parser.transpose()?, parse_weight: self.parse_weight })
    }
}

/// What one thread needs to translate sentences.
struct SentenceTranslator<'a> {
    parser: Option<Worker<'a>>,
    parse_weight: f64,
    translate: TranslateWorker<'a>,
}

impl Translator {
    fn worker(&self) -> SentenceTranslator<'_> {
        SentenceTranslator {
            parser: self.parser.as_ref().map(Parser::worker),
            parse_weight: self.parse_weight,
            translate: self.transducer.worker(),
        }
    }
}

impl SentenceTranslator<'_> {
    /// The parses of a sentence, each with what it costs more than the first, or the tree that it came with.
    fn trees(&mut self, item: &Item) -> Result<Vec<(Tree, f64)>> {
        let Some(worker) = &mut self.parser else {
            return Ok(vec![(item.gold.clone().unwrap_or_default(), 0.0)]);
        };
        let parses = worker.parse(&item.sentence)?.parses;
        let first = parses[0].cost.unwrap_or(0.0);
        let more = |cost: Option<f64>| self.parse_weight * (cost.unwrap_or(first) - first);
        Ok(parses.into_iter().map(|parse| (parse.tree, more(parse.cost))).collect())
    }
}

fn parse(worker: &mut Worker<'_>, sentence: &Sentence) -> Result<Tree> {
    Ok(worker.parse(sentence)?.tree().clone())
}
