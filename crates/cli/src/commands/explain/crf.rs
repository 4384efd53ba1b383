//! Which features of a crf paid for which phrase.

use std::io::{self, Write};

use anyhow::Result;
use boughs::chart::{ChartParser, ExplainedPart};
use boughs::model::ChartModel;
use boughs::parse::Request;
use boughs::parser::Parser;
use boughs::tree::Tokens;

use super::{ExplainArgs, write_head};
use crate::Outcome;
use crate::output::stdout;

pub(super) fn run(args: &ExplainArgs, parser: &Parser, model: &ChartModel) -> Result<Outcome> {
    let options = parser.options().chart().cloned().unwrap_or_default();
    let mut chart = ChartParser::new(model, &options);
    let mut out = stdout();
    let outcome = args.each(parser, |item, tokens| {
        write_head(item, tokens.words(), &mut out)?;
        let request = Request { constraints: &item.sentence.constraints, ..Request::new(tokens) };
        let Some(explanation) = chart.explain(request, &[])? else {
            return Ok(writeln!(out, "  there is no parse\n")?);
        };
        for step in &explanation.steps {
            write_step(args, tokens, step, &mut out)?;
        }
        let score: f32 = explanation.steps.iter().map(ExplainedPart::score).sum();
        Ok(writeln!(out, "  {score:+.3}  {}\n", explanation.parse.tree)?)
    });
    out.flush()?;
    outcome
}

fn write_step(
    args: &ExplainArgs,
    tokens: &Tokens,
    step: &ExplainedPart,
    out: &mut impl Write,
) -> io::Result<()> {
    let words: Vec<&str> = step.span.range().map(|index| tokens.word(index)).collect();
    writeln!(out, "  {:+.3}  {}  “{}”", step.score(), step.name, words.join(" "))?;
    if step.base_score != 0.0 {
        writeln!(out, "        {:+.3}  before all features", step.base_score)?;
    }
    args.write_reasons(&step.reasons, |reason| f64::from(reason.weight), |reason| reason.name.clone(), out)
}
