//! `boughs model subcategories`: what the latent subcategories of a grammar stand for.

use std::path::PathBuf;

use anyhow::{Result, bail};
use boughs::model::{GrammarModel, Subcategory, Symbol};
use clap::Args;
use serde_json::json;

use crate::Outcome;
use crate::model::load_parser;
use crate::number;
use crate::output::print;

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
    let parser = load_parser(&args.model)?;
    let grammars = parser.model().grammars();
    let Some(grammar) = grammars.get(args.grammar - 1) else {
        bail!("{}: expected a grammar {}, found {}", args.model.display(), args.grammar, grammars.len())
    };
    let mut text = String::new();
    for symbol in wanted(grammar, &args.symbols)? {
        let name = grammar.symbols().name(symbol);
        if !args.json {
            text += &format!("{name}\n");
        }
        for (number, subcategory) in (1..).zip(&grammar.subcategories(symbol, args.most)) {
            let (share, words) = (100.0 * subcategory.share, in_words(subcategory));
            text += &match args.json {
                true => format!("{}\n", as_json(name, number, subcategory)),
                false => format!("{number:>4}  {share:>5.1}%  {words}\n"),
            };
        }
    }
    print(text)
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
