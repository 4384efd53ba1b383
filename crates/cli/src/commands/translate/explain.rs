//! `boughs translate explain`.

use std::fmt::Write as _;
use std::io::Write;

use anyhow::Result;
use boughs::tree::Tree;
use boughs::tree::draw::{TextOptions, write_text};
use boughs_translate::{ChoiceAlternative, TranslationExplanation};
use clap::Args;

use super::TransducerArgs;
use crate::output::stdout;
use crate::{Outcome, number};

/// Explain translations: the source tree, the choices, their alternatives and the reasons
///
/// For each sentence: its tree, its translation, what became of each word and which phrases swapped their parts. A
/// choice comes with its cost, its alternatives, and the conjunctions of features for (`+`) and against it (`-`); `!`
/// is what does not hold.
#[derive(Debug, Clone, Args)]
pub(crate) struct TranslateExplainArgs {
    #[command(flatten)]
    model: TransducerArgs,

    /// How many conjunctions to show of a choice
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = number::within::<usize>(0..))]
    reasons: usize,

    /// How many alternatives to show of a choice
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = number::within::<usize>(0..))]
    alternatives: usize,

    /// Also tell of words with one translation only, and of phrases that kept their order
    #[arg(long)]
    all: bool,
}

pub(crate) fn run(args: &TranslateExplainArgs) -> Result<Outcome> {
    let translator = args.model.load()?;
    let mut worker = translator.worker();
    let mut out = stdout();
    let outcome = args.model.sentences.each(|item| {
        let tree = worker.tree(&item)?;
        let explanation = worker.translate.explain(&tree, args.reasons);
        Ok(out.write_all(described(args, &tree, &explanation)?.as_bytes())?)
    })?;
    out.flush()?;
    Ok(outcome)
}

fn described(
    args: &TranslateExplainArgs,
    tree: &Tree,
    explanation: &TranslationExplanation,
) -> Result<String> {
    let mut text = String::new();
    write_text(tree, &TextOptions::default(), &mut text)?;
    let translation = &explanation.translation;
    writeln!(text, "\n{}\ncost {:.4}\n", translation.words.join(" "), translation.cost)?;
    for choice in &explanation.words {
        if !choice.is_known {
            writeln!(text, "{}: never seen, stays as it is", choice.word)?;
        } else if args.all || choice.alternatives.len() > 1 {
            writeln!(text, "{}", choice.word)?;
            describe(args, &choice.alternatives, &mut text)?;
        }
    }
    for choice in &explanation.nodes {
        if args.all || choice.alternatives[0].name.as_deref() != Some("straight") {
            let [label, left, right] = &choice.labels;
            let words: Vec<&str> =
                (choice.span.0..choice.span.1).map(|word| tree.word(word as usize)).collect();
            writeln!(text, "{label} → {left} {right}: {}", words.join(" "))?;
            describe(args, &choice.alternatives, &mut text)?;
        }
    }
    text.push('\n');
    Ok(text)
}

fn describe(
    args: &TranslateExplainArgs,
    alternatives: &[ChoiceAlternative],
    text: &mut String,
) -> Result<()> {
    for (index, alternative) in alternatives.iter().enumerate().take(1 + args.alternatives) {
        let mark = if index == 0 { "→" } else { " " };
        let name = alternative.name.as_deref().unwrap_or("(left out)");
        writeln!(text, "  {mark} {name}  cost {:.4}", alternative.cost)?;
        for reason in &alternative.reasons {
            writeln!(text, "      {reason}")?;
        }
    }
    Ok(())
}
