//! `boughs explain`: why a parser decided as it did.

mod crf;
mod decisions;
mod summary;

use std::io::Write;

use anyhow::{Result, bail};
use boughs::parser::{ParseOptions, ParserModel};
use boughs::transition::explain::Explainer;
use boughs::transition::search::SearchConfig;
use clap::Args;

use crate::Outcome;
use crate::model::ParserArgs;
use crate::number;
use crate::output::{counted, stdout};
use crate::search::SearchArgs;
use crate::sentences::SentenceArgs;
use summary::Summary;

/// Explain a parser's decisions
///
/// For each step to the best parse: the inference that was made, its best rivals, what the model says of each, and the conjunctions
/// of features that made the difference to the first rival, in words. `+` speaks for the inference that was made; `by default` is what
/// a classifier says where nothing holds that it asks about; `set aside early, as hopeless` is what an inference has lost because the first trees did
/// not believe in it and the others were not asked (not with `--scoring full`). Together they are the difference between the two scores.
///
/// A grammar with features (`boughs train --method crf`) tells of each part of the best tree what it is worth, and which features paid for it.
///
/// With `--trees`, the trees are taken for gold: wrong inferences are marked, the fault is found (the search has missed a better parse,
/// the model likes a wrong one better, or it does so only because of inferences that were set aside early: a cascade error), and tables at the end tell how often the best inference is right where all before were
/// (so without compounded errors), by label and by number of children.
#[derive(Debug, Args)]
pub(crate) struct ExplainArgs {
    #[command(flatten)]
    parser: ParserArgs,

    #[command(flatten)]
    sentences: SentenceArgs,

    /// Explain only this sentence, counted from 1 over all files; may be given several times
    #[arg(long, value_name = "N", value_parser = number::within::<u64>(1..))]
    sentence: Vec<u64>,

    /// Tell only of steps that are wrong, or that have a rival with a better score
    #[arg(long)]
    wrong: bool,

    /// Print only the tables at the end
    #[arg(long)]
    summary: bool,

    /// How many rivals to show
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = number::within::<usize>(0..))]
    rivals: usize,

    /// How many conjunctions to show
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = number::within::<usize>(0..))]
    reasons: usize,

    /// How many things that do not hold to show of a conjunction
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = number::within::<usize>(0..))]
    absent: usize,

    #[command(flatten)]
    search: SearchArgs,
}

impl ExplainArgs {
    fn is_wanted(&self, number: u64) -> bool {
        self.sentence.is_empty() || self.sentence.contains(&number)
    }

    /// Refuses numbers of sentences that there were not.
    fn check_numbers(&self, num_sentences: u64) -> Result<()> {
        match self.sentence.iter().find(|&&number| number > num_sentences) {
            None => Ok(()),
            Some(number) => bail!("--sentence {number}: there are {}", counted(num_sentences, "sentence")),
        }
    }
}

pub(crate) fn run(args: &ExplainArgs) -> Result<Outcome> {
    args.search.config(SearchConfig::default())?;
    let parser = args.parser.load()?;
    let search = args.search.config(parser.search()?)?;
    let model = match parser.model() {
        ParserModel::Transition(model) => model,
        ParserModel::Chart(model) if model.features().is_some() => return crf::run(args, &parser, model),
        ParserModel::Chart(_) => bail!(
            "the model is a grammar without features; only parsers of `boughs train --method boosted` and `--method crf` explain themselves: name \
             one with --model"
        ),
    };
    let options =
        ParseOptions { search, num_taggings: args.parser.num_taggings(), ..ParseOptions::default() };
    let mut worker = parser.worker(&options);
    let mut explainer = Explainer::new(model, search, args.rivals);
    let mut summary = Summary::default();
    let mut out = stdout();
    let mut number = 0;
    let outcome = args.sentences.each(|mut item| {
        number += 1;
        if !args.is_wanted(number) {
            return Ok(());
        }
        args.parser.take_tags(&mut item.sentence);
        let tokens = worker.prepare(&item.sentence)?;
        let gold = item.gold.as_ref().filter(|_| args.sentences.trees);
        let explained = explainer.explain(&tokens, gold);
        summary.add(&mut explainer, &tokens, gold, &explained);
        if !args.summary {
            decisions::write(args, &explainer, &item, &explained, &mut out)?;
        }
        Ok(())
    })?;
    out.flush()?;
    args.check_numbers(number)?;
    summary.write(&mut out)?;
    out.flush()?;
    Ok(outcome)
}
