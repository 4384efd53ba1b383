//! The best trees of a forest.

use super::forest::{EdgeKind, PackedForest};
use super::kbest::KBest;
use crate::error::Result;
use crate::model::Symbols;
use crate::parse::Parse;
use crate::tree::{Tokens, Tree, TreeBuilder};

/// How many derivations at most are looked at for each tree that is wanted.
const MOST_DERIVATIONS: usize = 256;

/// The best trees of a forest, the best first. Derivations that differ in substates or in annotations may be the same
/// tree, so more and more of them are looked at.
///
/// # Errors
/// If a tree is larger than one can be.
pub(super) fn best_parses(
    num_best: usize,
    symbols: &Symbols,
    forest: &PackedForest,
    best: &mut KBest,
    root: usize,
    tokens: &Tokens,
) -> Result<Vec<Parse>> {
    let mut num_derivations = num_best;
    loop {
        best.find(forest, num_derivations);
        let num_found = best.of(root).len();
        let mut parses: Vec<Parse> = Vec::new();
        for rank in 0..num_found as u32 {
            if parses.len() == num_best {
                break;
            }
            let parse = parse_of(symbols, forest, best, root, rank, tokens)?;
            if !parses.iter().any(|other| other.tree == parse.tree) {
                parses.push(parse);
            }
        }
        let is_all = num_found < num_derivations;
        if parses.len() >= num_best || is_all || num_derivations >= MOST_DERIVATIONS * num_best {
            return Ok(parses);
        }
        num_derivations *= 4;
    }
}

/// The tree of one of the best derivations of a forest. What a symbol is in a tree its labels say, so nothing is
/// binarised and taken apart again.
fn parse_of(
    symbols: &Symbols,
    forest: &PackedForest,
    best: &KBest,
    root: usize,
    rank: u32,
    tokens: &Tokens,
) -> Result<Parse> {
    let mut builder = TreeBuilder::new();
    let mut confidences = Vec::new();
    // Derivations that are still to be written, the last first, and how many phrases are open around each.
    let mut work = vec![(root, rank, 0)];
    while let Some((id, rank, depth)) = work.pop() {
        while builder.depth() > depth {
            builder.close();
        }
        let (item, derivation) = (forest.items[id], best.of(id)[rank as usize]);
        let kind = forest.edges[derivation.edge as usize].kind;
        if matches!(kind, EdgeKind::Unary(_) | EdgeKind::Binary(..)) {
            for label in symbols.labels(item.symbol) {
                builder.open(label);
                confidences.push(Some(f64::from(item.posterior)));
            }
        }
        if kind == EdgeKind::Word {
            let token = tokens.get(item.span.start as usize);
            // A tag that the grammar does not know is left as it is.
            let is_own = token.tag.is_empty() || symbols.tag(token.tag).is_some();
            builder.token_at(
                token.word,
                if is_own { symbols.name(item.symbol) } else { token.tag },
                token.place,
            );
        }
        let children = kind.children().zip(derivation.ranks);
        let children = children.map(|(child, rank)| (child, rank, builder.depth()));
        let first = work.len();
        work.extend(children);
        work[first..].reverse();
    }
    let cost = -f64::from(best.of(root)[rank as usize].score);
    let tree: Tree = builder.finish()?;
    Ok(Parse { tree, cost: Some(cost), confidences })
}

#[cfg(test)]
mod tests {
    use super::super::forest::{ForestEdge, ForestItem};
    use super::*;
    use crate::model::Symbol;
    use crate::span::Span;
    use crate::tree::heads::HeadRules;
    use crate::tree::{Binarization, Branching, Child, NodeId, Unaries, binarize, debinarize};
    use crate::treebank::{SAMPLE, sample};
    use crate::vocab::Vocab;

    /// A forest that is one binarised tree; items stand behind those that they are made of.
    fn forest_of(binary: &Tree, symbols: &Symbols) -> PackedForest {
        let mut forest = PackedForest::default();
        let mut of_nodes = vec![0; binary.num_nodes()];
        let mut push = |symbol: Symbol, span: Span, kind: EdgeKind| {
            let first_edge = forest.edges.len() as u32;
            forest.items.push(ForestItem { symbol, substate: 0, span, first_edge, posterior: 0.5 });
            forest.edges.push(ForestEdge { score: -1.0, kind });
            first_edge
        };
        for index in (0..binary.num_nodes() as u32).rev() {
            let node = binary.node(NodeId::new(index));
            let mut item = |child: Child| match child {
                Child::Node(id) => of_nodes[id.index()],
                Child::Token(place) => {
                    let tag = symbols.tag(binary.token(place).tag).unwrap();
                    push(tag, Span::new(place as u32, place as u32 + 1), EdgeKind::Word)
                }
            };
            let children: Vec<u32> = binary.children(node.id).map(&mut item).collect();
            let kind = match children[..] {
                [only] => EdgeKind::Unary(only),
                [left, right] => EdgeKind::Binary(left, right),
                _ => panic!("{} children", children.len()),
            };
            of_nodes[index as usize] = push(symbols.phrase(node.label).unwrap(), node.span, kind);
        }
        forest
    }

    #[test]
    fn trees_are_those_that_binarised_trees_stand_for() {
        let settings = [
            Binarization::x_bar(),
            Binarization { vertical: 3, unaries: Unaries::CollapseBelowRoot, ..Binarization::default() },
            Binarization {
                branching: Branching::Head(HeadRules::english()),
                horizontal: Some(2),
                unaries: Unaries::Collapse,
                ..Binarization::default()
            },
        ];
        let mut num_trees = 0;
        for tree in SAMPLE.iter().flat_map(|(kind, _)| sample(kind)).filter(|it| it.num_nodes() > 0) {
            for how in &settings {
                let binary = binarize(&tree, how).unwrap();
                let tags: Vocab = binary.tokens().map(|token| token.tag).collect();
                let symbols = Symbols::new(tags, binary.nodes().map(|node| node.label).collect()).unwrap();
                let forest = forest_of(&binary, &symbols);
                let (root, mut best) = (forest.items.len() - 1, KBest::default());
                let found = best_parses(1, &symbols, &forest, &mut best, root, binary.sentence()).unwrap();
                assert_eq!(found[0].tree, debinarize(&binary).unwrap());
                assert_eq!(found[0].confidences, vec![Some(0.5); tree.num_nodes()]);
                num_trees += 1;
            }
        }
        assert!(num_trees > 1300, "{num_trees}");
    }
}
