//! The parts of the gold trees.

use rustc_hash::FxHashSet;

use crate::chart::{CrfPart, PartSymbols};
use crate::model::Symbol;
use crate::span::Span;
use crate::train::grammar::{GrammarTrees, NodeKind};

/// The parts of a tree.
pub(super) type Gold = FxHashSet<CrfPart>;

/// The parts of the tree with a number, under these symbols.
pub(super) fn gold_parts(trees: &GrammarTrees, tree: usize, symbols: &PartSymbols) -> Gold {
    let range = trees.trees[tree].clone();
    let first = range.start as usize;
    let mut spans: Vec<(Symbol, Span)> = Vec::with_capacity(range.len());
    let mut parts = Gold::default();
    let mut place = 0;
    for node in &trees.nodes[first..range.end as usize] {
        let symbol = symbols.of(node.symbol, node.substate);
        let below = |child: u32| spans[child as usize - first];
        let (span, rule) = match node.kind {
            NodeKind::Leaf { .. } => {
                parts.insert(CrfPart::Word { tag: symbol, place });
                place += 1;
                (Span::new(place - 1, place), None)
            }
            NodeKind::Unary { child, .. } => {
                let (left, span) = below(child);
                (span, Some(CrfPart::Rule { parent: symbol, left, right: None, span, split: span.start }))
            }
            NodeKind::Binary { children, .. } => {
                let [(left, one), (right, other)] = children.map(below);
                let span = Span::new(one.start, other.end);
                (span, Some(CrfPart::Rule { parent: symbol, left, right: Some(right), span, split: one.end }))
            }
        };
        if let Some(rule) = rule {
            parts.extend([CrfPart::Phrase { symbol, span }, rule]);
        }
        spans.push((symbol, span));
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::WordClasses;
    use crate::tree::{Binarization, Tree};

    #[test]
    fn every_node_has_its_parts() {
        let trees: Vec<Tree> = ["( (S (VP (VB go))))", "( (S (NP (DT the) (NN dog)) (VP (VBZ sleeps))))"]
            .map(|text| text.parse().unwrap())
            .to_vec();
        let trees = GrammarTrees::new(&trees, &Binarization::x_bar(), &WordClasses::english()).unwrap();
        let parts = gold_parts(&trees, 1, &PartSymbols::new(&trees.symbols, trees.sizes.clone()));
        let phrase = |name: &str| trees.symbols.phrase(name).unwrap();
        assert!(parts.contains(&CrfPart::Phrase { symbol: phrase("NP"), span: Span::new(0, 2) }));
        assert!(parts.contains(&CrfPart::Rule {
            parent: phrase("S"),
            left: phrase("NP"),
            right: Some(phrase("VP")),
            span: Span::new(0, 3),
            split: 2,
        }));
        let count = |is_wanted: fn(&&CrfPart) -> bool| parts.iter().filter(is_wanted).count();
        assert_eq!(count(|part| matches!(part, CrfPart::Word { .. })), 3);
        assert_eq!(count(|part| matches!(part, CrfPart::Phrase { .. })), 4);
        assert_eq!(parts.len(), 11);
    }
}
