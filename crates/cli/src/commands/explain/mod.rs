//! `boughs explain`: why a parser decided as it did.

mod combined;
mod crf;
mod decisions;
mod grammar;
mod neural;
mod summary;

use std::io::{self, Write};

use anyhow::{Result, bail};
use boughs::parser::{EngineOptions, Model, Parser};
use boughs::transition::TransitionOptions;
use boughs::transition::explain::Explainer;
use boughs::tree::Tokens;
use clap::Args;

use crate::model::ParserArgs;
use crate::output::{counted, print, stdout};
use crate::search::SearchArgs;
use crate::sentences::{Item, SentenceArgs};
use crate::{Outcome, number};
use summary::Summary;

/// Explain a parser's decisions
///
/// A parser of `boughs train boosted` tells of each step to the best parse: the inference that was made, the
/// best alternatives, the score of each, and in words the conjunctions of features that made the difference to the
/// first alternative. `+` speaks for the inference that was made; `by default` is the score of a classifier where
/// nothing holds that it asks about. Together they are the difference between the scores.
///
/// A grammar without features (`boughs train latent`, `conditional`, `pcfg`) tells of each phrase of the best tree the
/// logarithm of its probability, what else might have been there and by how much it falls behind, and which words
/// decided: by how much the first alternative comes closer when the parser does not know the word.
///
/// A crf (`boughs train crf`) tells of each part of the best tree what it is worth, and which features paid
/// for it.
///
/// A neural parser (`boughs train neural`) tells of each phrase of the best tree what else might have been there and by
/// how much it falls behind, and which words decided: by how much the first alternative comes closer when the
/// parser does not see the word.
///
/// With `--trees`, the trees are taken for gold: wrong inferences are marked and the fault is found. It is
/// the search, which has missed a better parse, or the model, by which a wrong parse is better. Tables at the
/// end tell how often the best inference is right where all before were (so without compounded errors), by
/// label and by number of children.
#[derive(Debug, Args)]
pub(crate) struct ExplainArgs {
    #[command(flatten)]
    parser: ParserArgs,

    #[command(flatten)]
    sentences: SentenceArgs,

    /// Explain only this sentence, counted from 1 over all files; may be given several times
    #[arg(long, value_name = "N", value_parser = number::within::<u64>(1..))]
    sentence: Vec<u64>,

    /// Tell only of steps that are wrong, or that have an alternative with a better score
    #[arg(long)]
    wrong: bool,

    /// Print only the tables at the end
    #[arg(long)]
    summary: bool,

    /// How many alternatives to show
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = number::within::<usize>(0..))]
    alternatives: usize,

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
    /// Calls `explain` with every sentence that is wanted, and with its tokens as the model knows them.
    fn each(
        &self,
        parser: &Parser,
        mut explain: impl FnMut(&Item, &Tokens) -> Result<()>,
    ) -> Result<Outcome> {
        let mut worker = parser.worker();
        let mut number = 0;
        let outcome = self.sentences.for_profile(parser.profile()).each(|mut item| {
            number += 1;
            if !self.sentence.is_empty() && !self.sentence.contains(&number) {
                return Ok(());
            }
            self.parser.take_tags(&mut item.sentence);
            let tokens = worker.prepare(&item.sentence)?;
            explain(&item, &tokens)
        })?;
        match self.sentence.iter().find(|&&wanted| wanted > number) {
            None => Ok(outcome),
            Some(wanted) => bail!("--sentence {wanted}: there are {}", counted(number, "sentence")),
        }
    }

    /// Writes as many reasons, each with its effect, as are wanted, and the sum of the others.
    fn write_reasons<R>(
        &self,
        reasons: &[R],
        effect: impl Fn(&R) -> f64,
        in_words: impl Fn(&R) -> String,
        out: &mut impl Write,
    ) -> io::Result<()> {
        let (shown, rest) = reasons.split_at(self.reasons.min(reasons.len()));
        for reason in shown {
            writeln!(out, "        {:+.3}  {}", effect(reason), in_words(reason))?;
        }
        match rest {
            [] => Ok(()),
            _ => writeln!(out, "        {:+.3}  {} more", rest.iter().map(effect).sum::<f64>(), rest.len()),
        }
    }
}

/// Writes which sentence it is about.
fn write_head<'w>(item: &Item, words: impl Iterator<Item = &'w str>, out: &mut impl Write) -> io::Result<()> {
    let words: Vec<&str> = words.collect();
    writeln!(out, "{} sentence {}: {}", item.document, item.number, words.join(" "))
}

pub(crate) fn run(args: &ExplainArgs) -> Result<Outcome> {
    args.search.options(TransitionOptions::default())?;
    let parser = args.parser.load()?;
    let parser = match parser.options().transition() {
        Some(search) => {
            let engine = EngineOptions::Transition(args.search.options(*search)?);
            parser.with_engine(engine)?
        }
        None => parser,
    };
    let (model, search) = match (parser.model(), parser.options().transition()) {
        (Model::Transition(model), Some(search)) => (model, *search),
        (Model::Chart(model), _) if model.features().is_some() => return crf::run(args, &parser, model),
        (Model::Neural(model), _) => return neural::run(args, &parser, model),
        (Model::Combined(model), _) => return combined::run(args, &parser, model),
        _ => return grammar::run(args, &parser),
    };
    let mut explainer = Explainer::new(model, search, args.alternatives);
    let mut summary = Summary::default();
    let mut out = stdout();
    let outcome = args.each(&parser, |item, tokens| {
        let gold = item.gold.as_ref().filter(|_| args.sentences.trees);
        let explained = explainer.explain(tokens, gold);
        summary.add(&mut explainer, tokens, gold, &explained);
        if !args.summary {
            decisions::write(args, &explainer, item, &explained, &mut out)?;
        }
        Ok(())
    });
    out.flush()?;
    drop(out);
    Ok(outcome?.max(print(summary.text())?))
}
