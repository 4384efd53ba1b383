//! What else a neural parser might have found, and which words decided.

use std::io::{self, Write};

use anyhow::Result;
use boughs::neural::{ExplainedPhrase, NeuralModel, NeuralOptions, NeuralParser};
use boughs::parse::Request;
use boughs::parser::{EngineOptions, Parser};
use boughs::tree::Tokens;

use super::{ExplainArgs, write_head};
use crate::Outcome;
use crate::output::stdout;

pub(super) fn run(args: &ExplainArgs, parser: &Parser, model: &NeuralModel) -> Result<Outcome> {
    let options = match parser.options().engine {
        EngineOptions::Neural(options) => options,
        _ => NeuralOptions::default(),
    };
    let mut neural = NeuralParser::new(model, options);
    let mut out = stdout();
    let outcome = args.each(parser, |item, tokens| {
        write_head(item, tokens.words(), &mut out)?;
        let request = Request { constraints: &item.sentence.constraints, ..Request::new(tokens) };
        let explanation = neural.explain(request, args.alternatives)?;
        for phrase in &explanation.phrases {
            write_phrase(args, tokens, phrase, &mut out)?;
        }
        Ok(writeln!(out, "  {}\n", explanation.parse.tree)?)
    });
    out.flush()?;
    outcome
}

fn write_phrase(
    args: &ExplainArgs,
    tokens: &Tokens,
    phrase: &ExplainedPhrase,
    out: &mut impl Write,
) -> io::Result<()> {
    let words: Vec<&str> = phrase.span.range().map(|index| tokens.word(index)).collect();
    writeln!(out, "  {:+.3}  {}  “{}”", phrase.score, phrase.label, words.join(" "))?;
    for alternative in &phrase.alternatives {
        let label = alternative.label.as_deref().unwrap_or("no phrase");
        writeln!(out, "    {label} is {:.3} behind", alternative.margin)?;
    }
    let in_words = |(place, _): &(usize, f32)| format!("“{}”, word {}", tokens.word(*place), place + 1);
    args.write_reasons(&phrase.words, |(_, effect)| f64::from(*effect), in_words, out)
}
