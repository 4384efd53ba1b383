//! What each of several parsers thinks of the phrases of a tree.

use std::io::{self, Write};

use anyhow::Result;
use boughs::parser::combined::{
    CombinedModel, CombinedOptions, CombinedParser, CombinedPhrase, PhrasePosteriors,
};
use boughs::parser::{EngineOptions, Parser};
use boughs::tree::Tokens;

use super::{ExplainArgs, write_head};
use crate::Outcome;
use crate::output::stdout;

pub(super) fn run(args: &ExplainArgs, parser: &Parser, model: &CombinedModel) -> Result<Outcome> {
    let options = match &parser.options().engine {
        EngineOptions::Combined(options) => options.clone(),
        _ => CombinedOptions::new(model.parsers().len()),
    };
    let mut combined = CombinedParser::new(model, &options, parser.options().timeout);
    let mut out = stdout();
    for (number, parser) in (1..).zip(model.parsers()) {
        writeln!(out, "parser {number}: {}", parser.about().kind)?;
    }
    let outcome = args.each(parser, |item, tokens| {
        write_head(item, tokens.words(), &mut out)?;
        let explanation = combined.explain(&item.sentence, args.alternatives)?;
        for phrase in &explanation.phrases {
            write_phrase(tokens, phrase, &mut out)?;
        }
        Ok(writeln!(out, "  {}\n", explanation.parsed.tree())?)
    });
    out.flush()?;
    outcome
}

fn write_phrase(tokens: &Tokens, phrase: &CombinedPhrase, out: &mut impl Write) -> io::Result<()> {
    let words: Vec<&str> = phrase.span.range().map(|index| tokens.word(index)).collect();
    let label = phrase.own.label.as_deref().unwrap_or_default();
    let likely = in_words(&phrase.own);
    writeln!(out, "  {:+.3}  {label}  “{}”: {likely}", phrase.own.score, words.join(" "))?;
    for other in &phrase.alternatives {
        let label = other.label.as_deref().unwrap_or("no phrase");
        writeln!(out, "    {label} is {:.3} behind: {}", phrase.own.score - other.score, in_words(other))?;
    }
    Ok(())
}

/// How likely each parser finds it.
fn in_words(posteriors: &PhrasePosteriors) -> String {
    let likely = |probability: &Option<f32>| match probability {
        Some(probability) => format!("{probability:.3}"),
        None => "–".to_owned(),
    };
    posteriors.probabilities.iter().map(likely).collect::<Vec<_>>().join(" ")
}
