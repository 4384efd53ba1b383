//! Trees of derivations.

use super::forest::{EdgeKind, Forest};
use super::kbest::KBest;
use crate::error::Result;
use crate::model::Symbols;
use crate::tree::{Tree, TreeBuilder, debinarize, labels_of};

/// A tree.
#[derive(Debug, Clone, PartialEq)]
pub struct ChartParse {
    /// The tree, under a root.
    pub tree: Tree,
    /// Smaller is better; what it means depends on the decoder.
    pub cost: f64,
    /// For each phrase in pre-order the probability that it is right.
    pub confidences: Vec<f64>,
}

/// The tree of one of the best derivations of a forest.
///
/// # Errors
/// If it is larger than a tree can be.
pub(super) fn parse_of(
    symbols: &Symbols,
    forest: &Forest,
    best: &KBest,
    root: usize,
    rank: u32,
    tokens: &Tree,
) -> Result<ChartParse> {
    enum Work {
        Item(usize, u32),
        Close,
    }
    let mut builder = TreeBuilder::new();
    let mut confidences = Vec::new();
    let mut work = vec![Work::Item(root, rank)];
    while let Some(next) = work.pop() {
        let Work::Item(id, rank) = next else {
            builder.close();
            continue;
        };
        let (item, derivation) = (forest.items[id], best.of(id)[rank as usize]);
        let [l, r] = derivation.ranks;
        let kind = forest.edges[derivation.edge as usize].kind;
        if !matches!(kind, EdgeKind::Same(_) | EdgeKind::Word) {
            builder.open(symbols.name(item.symbol));
            work.push(Work::Close);
            let num_phrases = labels_of(symbols.name(item.symbol)).count();
            confidences.extend(std::iter::repeat_n(f64::from(item.posterior), num_phrases));
        }
        match kind {
            EdgeKind::Word => {
                let token = tokens.token(item.span.start as usize);
                // A tag that the grammar does not know is left as it is.
                let is_own = token.tag.is_empty() || symbols.tag(token.tag).is_some();
                let tag = if is_own { symbols.name(item.symbol) } else { token.tag };
                builder.token_at(token.word, tag, token.bytes);
            }
            EdgeKind::Same(only) | EdgeKind::Unary(only) => work.push(Work::Item(only as usize, l)),
            EdgeKind::Binary(left, right) => {
                work.extend([Work::Item(right as usize, r), Work::Item(left as usize, l)]);
            }
        }
    }
    let cost = -f64::from(best.of(root)[rank as usize].score);
    Ok(ChartParse { tree: debinarize(&builder.finish()?)?, cost, confidences })
}
