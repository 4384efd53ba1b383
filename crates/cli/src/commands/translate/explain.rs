//! `boughs translate explain`.

use std::fmt::Write as _;
use std::io::Write;

use anyhow::Result;
use boughs::tree::Tree;
use boughs::tree::draw::{TextOptions, write_text};
use boughs_translate::{Explanation, Rival};
use clap::Args;

use super::{ModelArgs, TreeMaker};
use crate::Outcome;
use crate::number;
use crate::output::stdout;
use crate::sentences::SentenceArgs;

/// Explain translations: the source tree, the choices, their rivals and the reasons
///
/// For each sentence: its tree, its translation, what became of each word and which phrases swapped their parts. A choice comes with
/// its cost, its rivals, and the conjunctions of features that speak for (`+`) and against it (`-`); `!` is what does not hold.
#[derive(Debug, Clone, Args)]
pub(crate) struct ExplainArgs {
    #[command(flatten)]
    model: ModelArgs,

    #[command(flatten)]
    sentences: SentenceArgs,

    /// How many conjunctions to show of a choice
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = number::within::<usize>(0..))]
    reasons: usize,

    /// How many rivals to show of a choice
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = number::within::<usize>(0..))]
    rivals: usize,

    /// Also tell of words with one translation only, and of phrases that kept their order
    #[arg(long)]
    all: bool,
}

pub(crate) fn run(args: &ExplainArgs) -> Result<Outcome> {
    let transducer = args.model.transducer()?;
    let parser = args.model.parser(args.sentences.trees)?;
    let mut trees = TreeMaker::new(parser.as_ref());
    let mut worker = transducer.worker(args.model.limits());
    let mut out = stdout();
    let outcome = args.sentences.each(|item| {
        let tree = trees.tree(&item)?;
        let explanation = worker.explain(&tree, args.reasons);
        Ok(out.write_all(described(args, &tree, &explanation)?.as_bytes())?)
    })?;
    out.flush()?;
    Ok(outcome)
}

fn described(args: &ExplainArgs, tree: &Tree, explanation: &Explanation) -> Result<String> {
    let mut text = String::new();
    write_text(tree, &TextOptions::default(), &mut text)?;
    let translation = &explanation.translation;
    writeln!(text, "\n{}\ncost {:.4}\n", translation.words.join(" "), translation.cost)?;
    for choice in &explanation.words {
        if !choice.is_known {
            writeln!(text, "{}: never seen, stays as it is", choice.word)?;
        } else if args.all || choice.rivals.len() > 1 {
            writeln!(text, "{}", choice.word)?;
            describe_rivals(args, &choice.rivals, &mut text)?;
        }
    }
    for choice in &explanation.nodes {
        let is_straight =
            choice.rivals.first().is_some_and(|rival| rival.name.as_deref() == Some("straight"));
        if args.all || !is_straight {
            let [label, left, right] = &choice.labels;
            let words: Vec<&str> =
                (choice.span.0..choice.span.1).map(|word| tree.word(word as usize)).collect();
            writeln!(text, "{label} → {left} {right}: {}", words.join(" "))?;
            describe_rivals(args, &choice.rivals, &mut text)?;
        }
    }
    text.push('\n');
    Ok(text)
}

fn describe_rivals(args: &ExplainArgs, rivals: &[Rival], text: &mut String) -> Result<()> {
    for (index, rival) in rivals.iter().enumerate().take(1 + args.rivals) {
        let mark = if index == 0 { "→" } else { " " };
        let name = rival.name.as_deref().unwrap_or("(left out)");
        writeln!(text, "  {mark} {name}  cost {:.4}", rival.cost)?;
        for reason in &rival.reasons {
            writeln!(text, "      {reason}")?;
        }
    }
    Ok(())
}
