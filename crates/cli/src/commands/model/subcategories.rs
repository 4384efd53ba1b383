//! `boughs model subcategories`: what the latent subcategories of a grammar stand for.

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Result, bail};
use boughs::model::{GrammarModel, Subcategory, Symbol};
use boughs::parser::Parser;
use clap::Args;
use serde_json::json;

use crate::Outcome;
use crate::model::load_file;
use crate::number;
use crate::output::stdout;

/// Tell what the latent subcategories of a grammar stand for: of tags the most frequent words, of phrases the rules
/// that tell them apart
///
/// The first number is the share of the subcategory in the occurrences of its symbol. Behind a rule stand its share of
/// the rules of the subcategory and, for comparison, of those of the whole symbol. Names that begin with `@` are parts
/// of phrases.
#[derive(Debug, Args)]
pub(crate) struct SubcategoriesArgs {
    /// A file written by `boughs train latent`, `conditional` or `crf`
    #[arg(value_name = "MODEL")]
    model: PathBuf,

    /// Tags or phrases to tell of [default: all that are split]
    #[arg(value_name = "SYMBOL")]
    symbols: Vec<String>,

    /// How many words or rules to show of each
    #[arg(long, value_name = "N", default_value_t = 6, value_parser = number::within::<usize>(1..))]
    most: usize,

    /// The grammar, of several, counted from 1
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = number::within::<usize>(1..))]
    grammar: usize,

    /// Print a JSON object for each subcategory
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &SubcategoriesArgs) -> Result<Outcome> {
    let parser = Parser::from_file(&load_file(&args.model)?).map_err(|error| error.in_file(&args.model))?;
    let grammars = parser.model().grammars();
    let Some(grammar) = grammars.get(args.grammar - 1) else {
        bail!("{}: expected a grammar {}, found {}", args.model.display(), args.grammar, grammars.len())
    };
    let mut out = stdout();
    for symbol in wanted(grammar, &args.symbols)? {
        let name = grammar.symbols().name(symbol);
        let found = grammar.subcategories(symbol, args.most);
        if !args.json {
            writeln!(out, "{name}")?;
        }
        for (number, subcategory) in (1..).zip(&found) {
            match args.json {
                true => writeln!(out, "{}", as_json(name, number, subcategory))?,
                false => writeln!(
                    out,
                    "{number:>4}  {:>5.1}%  {}",
                    100.0 * subcategory.share,
                    in_words(subcategory)
                )?,
            }
        }
    }
    out.flush()?;
    Ok(Outcome::Complete)
}

/// The symbols that are named, or all that are split.
fn wanted(grammar: &GrammarModel, names: &[String]) -> Result<Vec<Symbol>> {
    let symbols = grammar.symbols();
    let split: Vec<Symbol> = symbols.iter().filter(|&it| grammar.finest().grammar.size(it) > 1).collect();
    if split.is_empty() {
        bail!(
            "expected a grammar of `boughs train latent`, conditional or crf, found one whose symbols are not split"
        )
    }
    let mut found = Vec::new();
    for name in names {
        let of_name: Vec<Symbol> = symbols.iter().filter(|&it| symbols.name(it) == name).collect();
        if of_name.is_empty() {
            let known: Vec<&str> = split.iter().map(|&it| symbols.name(it)).collect();
            bail!("there is no symbol `{name}` in the grammar; those that are split: {}", known.join(" "))
        }
        found.extend(of_name);
    }
    Ok(if names.is_empty() { split } else { found })
}

fn in_words(subcategory: &Subcategory) -> String {
    let rules = subcategory
        .rules
        .iter()
        .map(|rule| format!("{} ({:.0}%, {:.0}%)", rule.children, 100.0 * rule.share, 100.0 * rule.mean));
    subcategory.words.iter().cloned().chain(rules).collect::<Vec<_>>().join("  ")
}

fn as_json(symbol: &str, number: usize, subcategory: &Subcategory) -> serde_json::Value {
    let rules = subcategory.rules.iter();
    let rules = rules.map(|it| json!({ "children": it.children, "share": it.share, "mean": it.mean }));
    json!({
        "symbol": symbol,
        "subcategory": number,
        "share": subcategory.share,
        "words": subcategory.words,
        "rules": rules.collect::<Vec<_>>(),
    })
}
