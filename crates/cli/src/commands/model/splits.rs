//! `boughs model splits`: which symbols of a grammar splitting helped.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use boughs::model::GrammarModel;
use boughs::train::{SPLITS_BY_ROUND, SymbolSplits};
use clap::Args;

use crate::Outcome;
use crate::model::load_parser;
use crate::output::print;
use crate::table::Table;

/// Tell which symbols of a latent grammar were split, into how many substates, and what that brought
///
/// For each round of splitting there is the number of substates after it and, where the training has told, what the
/// log-likelihood of the training trees would lose without the splits that were kept, each undone alone. Symbols that
/// gained most, or have most substates, come first. A model of several grammars tells of each.
#[derive(Debug, Args)]
pub(crate) struct SplitsArgs {
    /// A file written by `boughs train latent`, `conditional` or `crf`
    #[arg(value_name = "MODEL")]
    model: PathBuf,

    /// Print a JSON object for each symbol: grammar, name, kind, substates after each round, and gains
    #[arg(long)]
    json: bool,
}

/// What the rounds brought to a symbol.
#[derive(Debug, PartialEq, serde::Serialize)]
struct SplitSymbol {
    /// The grammar, counted from 1.
    grammar: usize,
    symbol: String,
    kind: &'static str,
    /// After each round.
    substates: Vec<usize>,
    /// Of each round; nothing if the training did not tell.
    gains: Vec<f64>,
}

impl SplitSymbol {
    fn merit(&self) -> (f64, usize) {
        (self.gains.iter().sum(), self.substates.last().copied().unwrap_or(1))
    }
}

pub(super) fn run(args: &SplitsArgs) -> Result<Outcome> {
    let parser = load_parser(&args.model)?;
    let grammars = parser.model().grammars();
    let text = parser.about().settings.get(SPLITS_BY_ROUND).filter(|_| grammars.len() == 1);
    let gains = gains(text.map_or("", String::as_str))
        .with_context(|| format!("{}: splits that cannot be read", args.model.display()))?;
    let symbols: Vec<SplitSymbol> =
        (1..).zip(grammars).flat_map(|(number, grammar)| split_symbols(number, grammar, &gains)).collect();
    if symbols.is_empty() {
        bail!(
            "{}: expected a grammar of `boughs train latent`, conditional or crf, found a model whose symbols are not split",
            args.model.display()
        )
    }
    match args.json {
        true => {
            let lines = symbols.iter().map(|symbol| Ok(serde_json::to_string(symbol)? + "\n"));
            print(lines.collect::<Result<String>>()?)
        }
        false => print(table(&symbols, grammars.len() > 1)),
    }
}

/// The gains of each symbol by its name and whether it is a tag, one for each round.
type Gains = BTreeMap<(String, bool), Vec<f64>>;

fn gains(text: &str) -> Result<Gains> {
    let mut gains = Gains::new();
    for (round, line) in text.lines().enumerate() {
        for SymbolSplits { symbol, is_tag, gain, .. } in serde_json::from_str::<Vec<SymbolSplits>>(line)? {
            let of_symbol = gains.entry((symbol, is_tag)).or_default();
            of_symbol.resize(round, 0.0);
            of_symbol.push(gain);
        }
    }
    Ok(gains)
}

/// The symbols that were ever split, those that gained most first, equal ones by name.
fn split_symbols(grammar: usize, model: &GrammarModel, gains: &Gains) -> Vec<SplitSymbol> {
    let symbols = model.symbols();
    let of_symbol = |symbol| {
        let sizes = model.levels().iter().map(|level| level.grammar.size(symbol));
        let (name, is_tag) = (symbols.name(symbol).to_owned(), symbols.is_tag(symbol));
        SplitSymbol {
            grammar,
            kind: if is_tag { "tag" } else { "phrase" },
            substates: sizes.skip(1).collect(),
            gains: gains.get(&(name.clone(), is_tag)).cloned().unwrap_or_default(),
            symbol: name,
        }
    };
    let mut split: Vec<SplitSymbol> = symbols.iter().map(of_symbol).collect();
    split.retain(|symbol| symbol.substates.iter().any(|&number| number > 1) || !symbol.gains.is_empty());
    split.sort_by(|a, b| {
        let ((gain, number), (other_gain, other)) = (a.merit(), b.merit());
        other_gain.total_cmp(&gain).then(other.cmp(&number)).then_with(|| a.symbol.cmp(&b.symbol))
    });
    split
}

fn table(symbols: &[SplitSymbol], has_several: bool) -> Table {
    let num_rounds = symbols.iter().map(|symbol| symbol.substates.len()).max().unwrap_or(0);
    let has_gains = symbols.iter().any(|symbol| !symbol.gains.is_empty());
    let mut head: Vec<String> = ["symbol", "kind"].map(str::to_owned).to_vec();
    if has_several {
        head.insert(0, "grammar".to_owned());
    }
    for round in 1..=num_rounds {
        head.push(format!("round {round}"));
        head.extend(has_gains.then(|| format!("gain {round}")));
    }
    let mut table = Table::new(&head.iter().map(String::as_str).collect::<Vec<_>>());
    for symbol in symbols {
        let mut row = vec![symbol.symbol.clone(), symbol.kind.to_owned()];
        if has_several {
            row.insert(0, symbol.grammar.to_string());
        }
        for round in 0..num_rounds {
            row.push(symbol.substates.get(round).map_or_else(String::new, usize::to_string));
            if has_gains {
                row.push(symbol.gains.get(round).map_or_else(String::new, |gain| format!("{gain:.1}")));
            }
        }
        table.push(row);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    fn splits(symbol: &str, is_tag: bool, gain: f64) -> SymbolSplits {
        SymbolSplits { symbol: symbol.to_owned(), is_tag, num_split: 1, num_kept: 1, gain }
    }

    #[test]
    fn gains_are_those_of_the_rounds() {
        let rounds =
            [vec![splits("NP", false, 8.5)], vec![splits("DT", true, 1.0), splits("NP", false, 2.0)]];
        let text: String =
            rounds.iter().map(|round| serde_json::to_string(round).expect("JSON") + "\n").collect();
        let gains = gains(&text).expect("gains");
        assert_eq!(gains[&("NP".to_owned(), false)], [8.5, 2.0]);
        assert_eq!(gains[&("DT".to_owned(), true)], [0.0, 1.0]);
        assert!(super::gains("[1]\n").is_err());
    }
}
