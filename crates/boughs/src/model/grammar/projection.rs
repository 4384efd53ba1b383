//! The coarse grammar behind a plain one with many symbols: the same without what names remember.
//!
//! `NP^S` and `NP^VP` are `NP` there, `@S|NP>VP` is `@S`. A plain grammar of a treebank with many labels has thousands
//! of symbols, and looks at all of them over every span; the coarse one says which are worth a look. Its rules are as
//! likely as all that they stand for together, by how often their parents occur.

use rustc_hash::FxHashMap;

use super::{Grammar, GrammarModel, Level, RuleBlock, Symbol, Symbols};
use crate::tree::{base_of_name, is_intermediate};
use crate::vocab::Vocab;

/// Grammars of fewer symbols are faster without.
const LEAST_SYMBOLS: usize = 500;

/// A coarse grammar, and what each symbol is in it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Projection {
    pub(crate) model: GrammarModel,
    pub(crate) coarse_of: Vec<Symbol>,
}

impl Projection {
    /// That of a grammar with many symbols and no substates, if it is much smaller.
    pub(super) fn of(symbols: &Symbols, level: &Level) -> Option<Self> {
        if symbols.len() < LEAST_SYMBOLS || !level.grammar.is_plain() {
            return None;
        }
        Self::project(symbols, level)
            .filter(|projection| 2 * projection.model.symbols().len() <= symbols.len())
    }

    pub(super) fn project(symbols: &Symbols, level: &Level) -> Option<Self> {
        let mut phrases = Vocab::new();
        let names = symbols.phrases().iter().map(coarse_name);
        let phrase_of: Vec<u32> = names.map(|name| phrases.intern(&name)).collect();
        let num_tags = symbols.num_tags();
        let phrase = |number: &u32| Symbol((num_tags + *number as usize) as u16);
        let coarse_of: Vec<Symbol> =
            (0..num_tags as u16).map(Symbol).chain(phrase_of.iter().map(phrase)).collect();
        let coarse = Symbols::new(symbols.tags().clone(), phrases).ok()?;
        let mut weights = vec![0.0; coarse.len()];
        for (symbol, &of) in symbols.iter().zip(&coarse_of) {
            weights[of.index()] += level.weights[symbol.index()];
        }
        let grammar = rules(level, &coarse_of, &weights);
        let level = Level { grammar, lexicon: level.lexicon.clone(), weights };
        Some(Self { model: GrammarModel::of_rounded(coarse, level, Vec::new()), coarse_of })
    }
}

fn rules(level: &Level, coarse_of: &[Symbol], weights: &[f32]) -> Grammar {
    let grammar = &level.grammar;
    let mut sums: FxHashMap<(Symbol, Symbol, Option<Symbol>), f32> = FxHashMap::default();
    for (index, rule) in grammar.rules().iter().enumerate() {
        let of = |symbol: Symbol| coarse_of[symbol.index()];
        let key = (of(rule.parent), of(rule.left), rule.right.map(of));
        // A phrase above itself is nothing new to the coarse grammar.
        if key.2.is_some() || key.0 != key.1 {
            *sums.entry(key).or_default() += level.weights[rule.parent.index()] * grammar.only_value(index);
        }
    }
    let mut blocks: Vec<RuleBlock> = sums
        .into_iter()
        .map(|((parent, left, right), sum)| {
            let value = sum / weights[parent.index()].max(f32::MIN_POSITIVE);
            RuleBlock { parent, left, right, rows: vec![[0, 0]], values: vec![value] }
        })
        .collect();
    blocks.sort_by_key(|block| (block.parent, block.left, block.right));
    Grammar::new(vec![1; weights.len()], blocks, grammar.max_chain())
}

fn coarse_name(name: &str) -> String {
    // An intermediate name may begin with an annotation at once, as `@|NP`.
    match is_intermediate(name) {
        true => format!("@{}", base_of_name(&name[1..])),
        false => base_of_name(name).to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lose_what_they_remember() {
        for (name, coarse) in
            [("NP^S^VP", "NP"), ("@S|NP>VP", "@S"), ("S+VP^S", "S+VP"), ("TOP", "TOP"), (r"\@X^Y", r"\@X")]
        {
            assert_eq!(coarse_name(name), coarse);
        }
    }
}
