//! Which features of a grammar with features paid for which phrase.

use std::io::{self, Write};

use anyhow::Result;
use boughs::chart::{ChartOptions, ChartParser, CrfExplanation, ExplainedPart};
use boughs::model::ChartModel;
use boughs::parse::Request;
use boughs::parser::{ParseOptions, Parser};
use boughs::tree::Tree;

use super::ExplainArgs;
use crate::Outcome;
use crate::output::stdout;

pub(super) fn run(args: &ExplainArgs, parser: &Parser, model: &ChartModel) -> Result<Outcome> {
    let mut worker = parser.worker(&ParseOptions::default());
    let mut explainer = ChartParser::new(model, &ChartOptions::default());
    let mut out = stdout();
    let mut number = 0;
    let outcome = args.sentences.each(|mut item| {
        number += 1;
        if !args.is_wanted(number) {
            return Ok(());
        }
        args.parser.take_tags(&mut item.sentence);
        let tokens = worker.prepare(&item.sentence)?;
        writeln!(
            out,
            "{} sentence {}: {}",
            item.document,
            item.number,
            words(&tokens, 0..tokens.num_tokens())
        )?;
        let request = Request { constraints: item.sentence.constraints(), ..Request::new(tokens.sentence()) };
        match explainer.explain(request, &[])? {
            Some(explanation) => write(args, &tokens, &explanation, &mut out)?,
            None => writeln!(out, "  there is no parse")?,
        }
        writeln!(out)?;
        Ok(())
    })?;
    out.flush()?;
    args.check_numbers(number)?;
    Ok(outcome)
}

fn write(
    args: &ExplainArgs,
    tokens: &Tree,
    explanation: &CrfExplanation,
    out: &mut impl Write,
) -> io::Result<()> {
    for step in &explanation.steps {
        write_step(args, tokens, step, out)?;
    }
    let score: f32 = explanation.steps.iter().map(ExplainedPart::score).sum();
    writeln!(out, "  {score:+.3}  {}", explanation.parse.tree)
}

fn write_step(
    args: &ExplainArgs,
    tokens: &Tree,
    step: &ExplainedPart,
    out: &mut impl Write,
) -> io::Result<()> {
    writeln!(out, "  {:+.3}  {}  “{}”", step.score(), step.name, words(tokens, step.span.range()))?;
    if step.base_score != 0.0 {
        writeln!(out, "        {:+.3}  before all features", step.base_score)?;
    }
    let (shown, rest) = step.reasons.split_at(args.reasons.min(step.reasons.len()));
    for reason in shown {
        writeln!(out, "        {:+.3}  {}", reason.weight, reason.name)?;
    }
    if !rest.is_empty() {
        let sum: f32 = rest.iter().map(|reason| reason.weight).sum();
        writeln!(out, "        {sum:+.3}  {} more", rest.len())?;
    }
    Ok(())
}

fn words(tokens: &Tree, range: std::ops::Range<usize>) -> String {
    range.map(|index| tokens.word(index)).collect::<Vec<_>>().join(" ")
}
