//! `boughs model splits`: which symbols of a grammar splitting helped.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use boughs::parser::{Parser, ParserModel};
use boughs::train::SymbolSplits;
use clap::Args;

use crate::Outcome;
use crate::model::load_file;
use crate::output::stdout;
use crate::table::Table;

/// Where models have it: a line of JSON for each round.
pub(crate) const SETTING: &str = "splits-by-round";

/// Tell which symbols of a latent grammar were split, into how many sub-symbols, and what that brought
///
/// For each round there is what the logarithm of the likelihood of the training trees would lose without the splits that were kept, each undone alone. Symbols that gained most come first.
#[derive(Debug, Args)]
pub(crate) struct SplitsArgs {
    /// A file written by `boughs train --method latent`
    #[arg(value_name = "MODEL")]
    model: PathBuf,

    /// Print a JSON object for each symbol: name, kind, sub-symbols, and gain in each round
    #[arg(long)]
    json: bool,
}

/// What the rounds brought to a symbol.
#[derive(Debug, Default, PartialEq, serde::Serialize)]
struct Symbol {
    symbol: String,
    kind: &'static str,
    sub_symbols: usize,
    gains: Vec<f64>,
}

impl Symbol {
    fn total(&self) -> f64 {
        self.gains.iter().fold(0.0, |sum, gain| sum + gain)
    }
}

/// The rounds as text.
pub(crate) fn to_setting<'s>(rounds: impl Iterator<Item = &'s [SymbolSplits]>) -> String {
    let line = |splits: &[SymbolSplits]| serde_json::to_string(splits).unwrap_or_default() + "\n";
    rounds.map(line).collect()
}

fn of_setting(text: &str) -> Result<Vec<Vec<SymbolSplits>>> {
    text.lines().map(|line| Ok(serde_json::from_str(line)?)).collect()
}

pub(super) fn run(args: &SplitsArgs) -> Result<Outcome> {
    let file = load_file(&args.model)?;
    let parser = Parser::from_file(&file).ok();
    if let Some(ParserModel::Chart(model)) = parser.as_ref().map(Parser::model)
        && model.grammars().len() > 1
    {
        bail!(
            "{}: expected one grammar, found several in one model: ask for those that it was made of",
            args.model.display()
        )
    }
    let text = file.about().settings.get(SETTING).with_context(|| {
        let name = args.model.display();
        format!("{name}: expected a grammar of `boughs train --method latent`, found a model that says nothing of splits: train it anew")
    })?;
    let rounds =
        of_setting(text).with_context(|| format!("{}: splits that cannot be read", args.model.display()))?;
    let symbols = by_symbol(&rounds);
    let mut out = stdout();
    match args.json {
        true => symbols.iter().try_for_each(|symbol| {
            writeln!(out, "{}", serde_json::to_string(symbol)?).map_err(anyhow::Error::from)
        })?,
        false => table(&symbols, rounds.len()).write(&mut out)?,
    }
    out.flush()?;
    Ok(Outcome::Complete)
}

/// Those that gained most first, equal ones by name.
fn by_symbol(rounds: &[Vec<SymbolSplits>]) -> Vec<Symbol> {
    let mut symbols: BTreeMap<(&str, bool), Symbol> = BTreeMap::new();
    for (round, splits) in rounds.iter().enumerate() {
        for SymbolSplits { symbol: name, is_tag, num_split, num_kept, gain } in splits {
            let symbol = symbols.entry((name, *is_tag)).or_default();
            symbol.symbol.clone_from(name);
            symbol.kind = if *is_tag { "tag" } else { "phrase" };
            symbol.sub_symbols = num_split + num_kept;
            symbol.gains.resize(round, 0.0);
            symbol.gains.push(*gain);
        }
    }
    let mut symbols: Vec<Symbol> = symbols.into_values().collect();
    // Equal ones stay in the order of names.
    symbols.sort_by(|a, b| b.total().total_cmp(&a.total()));
    symbols
}

fn table(symbols: &[Symbol], num_rounds: usize) -> Table {
    let rounds: Vec<String> = (1..=num_rounds).map(|round| format!("round {round}")).collect();
    let head = ["symbol", "kind", "sub-symbols"].into_iter().chain(rounds.iter().map(String::as_str));
    let mut table = Table::new(&head.collect::<Vec<_>>());
    for symbol in symbols {
        let gains = symbol.gains.iter().map(|gain| format!("{gain:.1}"));
        table.row(
            [symbol.symbol.clone(), symbol.kind.to_owned(), symbol.sub_symbols.to_string()]
                .into_iter()
                .chain(gains)
                .collect(),
        );
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    fn splits(symbol: &str, is_tag: bool, num_split: usize, num_kept: usize, gain: f64) -> SymbolSplits {
        SymbolSplits { symbol: symbol.to_owned(), is_tag, num_split, num_kept, gain }
    }

    #[test]
    fn rounds_come_back_and_the_last_one_says_how_many_sub_symbols_there_are() {
        let rounds = [
            vec![splits("DT", true, 1, 0, 0.0), splits("NP", false, 1, 1, 8.5)],
            vec![splits("DT", true, 1, 1, 1.0), splits("NP", false, 2, 1, 2.0)],
        ];
        let text = to_setting(rounds.iter().map(|round| &round[..]));
        let read = of_setting(&text).unwrap();
        assert_eq!(read, rounds);
        let symbol = |name: &str, kind, sub_symbols, gains: [f64; 2]| Symbol {
            symbol: name.to_owned(),
            kind,
            sub_symbols,
            gains: gains.to_vec(),
        };
        assert_eq!(
            by_symbol(&read),
            [symbol("NP", "phrase", 3, [8.5, 2.0]), symbol("DT", "tag", 2, [0.0, 1.0])]
        );
        let mut text = Vec::new();
        table(&by_symbol(&read), 2).write(&mut text).unwrap();
        assert!(
            String::from_utf8(text)
                .unwrap()
                .starts_with("symbol    kind  sub-symbols  round 1  round 2\nNP ")
        );
    }

    #[test]
    fn text_that_is_something_else_is_refused() {
        assert!(of_setting("[1]\n").is_err());
    }
}
