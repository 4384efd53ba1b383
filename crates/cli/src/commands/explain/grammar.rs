//! What else a grammar without features might have found, and which words decided.

use std::io::{self, Write};

use anyhow::Result;
use boughs::parser::{ExplainedStep, Parser};

use super::{ExplainArgs, write_head};
use crate::Outcome;
use crate::output::stdout;

pub(super) fn run(args: &ExplainArgs, parser: &Parser) -> Result<Outcome> {
    let mut worker = parser.worker();
    let mut out = stdout();
    let outcome = args.each(parser, |item, tokens| {
        write_head(item, tokens.words(), &mut out)?;
        let parsed = worker.parse(&item.sentence)?;
        if parsed.status.is_fallback() {
            return Ok(writeln!(out, "  there is no parse\n")?);
        }
        for step in boughs::parser::explain(parser, &item.sentence, args.alternatives)? {
            write_step(args, &step, &mut out)?;
        }
        Ok(writeln!(out, "  {}\n", parsed.tree())?)
    });
    out.flush()?;
    outcome
}

fn write_step(args: &ExplainArgs, step: &ExplainedStep, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "  {:+.3}  {}  “{}”", step.score, step.label, step.words.join(" "))?;
    for (label, margin) in &step.alternatives {
        writeln!(out, "    {} is {margin:.3} behind", label.as_deref().unwrap_or("no phrase"))?;
    }
    args.write_reasons(&step.reasons, |(_, lost)| *lost, |(word, _)| word.clone(), out)
}
