//! A forest reduced to what is worth a score, and its parts.

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use super::features::{CrfPart, PartSymbols};
use super::surface::{Surface, probability_step};
use crate::chart::forest::{EdgeKind, ForestEdge, ForestItem, PackedForest};
use crate::model::{Symbol, Symbols};
use crate::span::Span;
use crate::tree::Tokens;

/// An edge has no such part.
pub(crate) const NO_PART: u32 = u32::MAX;

/// A packed forest whose last item is the root, and what its edges are made of.
#[derive(Debug, Clone, Default)]
pub(crate) struct CrfGraph {
    pub(crate) forest: PackedForest,
    pub(crate) parts: Vec<CrfPart>,
    /// For each edge the phrase or word that it makes, and the rule; or [`NO_PART`].
    pub(crate) of_edges: Vec<[u32; 2]>,
    /// For each edge what it is worth before there are features.
    pub(crate) base_scores: Vec<f32>,
}

impl CrfGraph {
    /// Reduces a forest to what can be reached from its root and whose posterior has a logarithm of at least
    /// `threshold`, or is the best way to make an item. Edges get the base scores that
    /// `base_score` says, and as scores the logarithms of their posteriors. Nothing if the root cannot be made.
    pub(crate) fn new(
        forest: &PackedForest,
        root: usize,
        threshold: f32,
        symbols: &PartSymbols,
        base_score: impl Fn(&ForestItem, &ForestEdge) -> f32,
    ) -> Option<Self> {
        let is_alive = alive(forest, root);
        if !is_alive[root] {
            return None;
        }
        let kept = kept_edges(forest, root, threshold, &is_alive);
        let is_reached = reached(forest, root, &kept);
        let mut builder = GraphBuilder {
            symbols,
            graph: Self::default(),
            numbers: HashMap::default(),
            parts: HashMap::default(),
        };
        for item in (0..=root).filter(|&item| is_reached[item]) {
            builder.add(&forest.items[item], item, &kept[item], &base_score);
        }
        Some(builder.graph)
    }

    /// The root.
    pub(crate) fn root(&self) -> usize {
        self.forest.items.len() - 1
    }

    /// Adds up the scores of parts for every edge.
    pub(crate) fn edge_scores(&self, base_weight: f32, parts: &[f32], scores: &mut Vec<f32>) {
        let score = |part: u32| parts.get(part as usize).copied().unwrap_or(0.0);
        scores.clear();
        let edges = self.of_edges.iter().zip(&self.base_scores);
        scores.extend(
            edges.map(|(&[one, other], base_score)| base_weight * base_score + score(one) + score(other)),
        );
    }

    /// The words with the tags that are likeliest to the grammar, or given.
    pub(crate) fn tagged(&self, symbols: &Symbols, tokens: &Tokens) -> Tokens {
        let mut best: Vec<Option<&ForestItem>> = vec![None; tokens.len()];
        for item in self.forest.items.iter().filter(|item| symbols.is_tag(item.symbol)) {
            let known = &mut best[item.span.start as usize];
            if known.is_none_or(|known| item.posterior > known.posterior) {
                *known = Some(item);
            }
        }
        let mut tagged = tokens.clone();
        for (place, item) in best.into_iter().enumerate() {
            if let (true, Some(item)) = (tokens.get(place).tag.is_empty(), item) {
                tagged.set_tag(place, symbols.name(item.symbol));
            }
        }
        tagged
    }

    /// Tells a surface how likely each span is a phrase to the grammar.
    pub(crate) fn tell_grammar(&self, symbols: &Symbols, surface: &mut Surface) {
        for item in self.forest.items.iter().filter(|item| symbols.is_phrase(item.symbol)) {
            let step = probability_step(item.posterior);
            let known = surface.grammar.entry(item.span).or_insert(step);
            *known = (*known).max(step);
        }
    }
}

/// Which items can be made of words.
fn alive(forest: &PackedForest, root: usize) -> Vec<bool> {
    let mut is_alive = vec![false; root + 1];
    for item in 0..=root {
        is_alive[item] =
            forest.edges(item).iter().any(|edge| edge.kind.children().all(|child| is_alive[child]));
    }
    is_alive
}

/// For each item the edges that are kept, in order.
fn kept_edges(forest: &PackedForest, root: usize, threshold: f32, is_alive: &[bool]) -> Vec<Vec<ForestEdge>> {
    let mut kept = Vec::with_capacity(root + 1);
    for item in 0..=root {
        let sound =
            forest.edges(item).iter().filter(|edge| edge.kind.children().all(|child| is_alive[child]));
        let sound: Vec<ForestEdge> = sound.copied().collect();
        let best = sound.iter().map(|edge| edge.score).fold(f32::NEG_INFINITY, f32::max);
        kept.push(sound.into_iter().filter(|edge| edge.score >= threshold.min(best)).collect());
    }
    kept
}

fn reached(forest: &PackedForest, root: usize, kept: &[Vec<ForestEdge>]) -> Vec<bool> {
    let mut is_reached = vec![false; forest.items.len()];
    is_reached[root] = true;
    for item in (0..=root).rev().filter(|&item| kept.len() > item) {
        if is_reached[item] {
            kept[item]
                .iter()
                .flat_map(|edge| edge.kind.children())
                .for_each(|child| is_reached[child] = true);
        }
    }
    is_reached
}

struct GraphBuilder<'s> {
    symbols: &'s PartSymbols,
    graph: CrfGraph,
    /// The new number of each old item.
    numbers: HashMap<u32, u32, FxBuildHasher>,
    parts: HashMap<CrfPart, u32, FxBuildHasher>,
}

impl GraphBuilder<'_> {
    fn add(
        &mut self,
        item: &ForestItem,
        old: usize,
        edges: &[ForestEdge],
        base_score: impl Fn(&ForestItem, &ForestEdge) -> f32,
    ) {
        // An item that is only another without a unary rule above it is that other.
        if let [ForestEdge { kind: EdgeKind::Same(only), .. }] = edges {
            self.numbers.insert(old as u32, self.numbers[only]);
            return;
        }
        self.numbers.insert(old as u32, self.graph.forest.items.len() as u32);
        let first_edge = self.graph.forest.edges.len() as u32;
        self.graph.forest.items.push(ForestItem { first_edge, ..*item });
        for edge in edges {
            self.add_edge(self.symbols.of(item.symbol, item.substate), item.span, edge);
            self.graph.base_scores.push(base_score(item, edge));
        }
    }

    fn add_edge(&mut self, symbol: Symbol, span: Span, edge: &ForestEdge) {
        let number = |old: u32| self.numbers[&old];
        let kind = match edge.kind {
            EdgeKind::Word => EdgeKind::Word,
            EdgeKind::Same(only) => EdgeKind::Same(number(only)),
            EdgeKind::Unary(only) => EdgeKind::Unary(number(only)),
            EdgeKind::Binary(left, right) => EdgeKind::Binary(number(left), number(right)),
        };
        let parts =
            self.parts_of(symbol, span, kind).map(|part| part.map_or(NO_PART, |part| self.part(part)));
        self.graph.forest.edges.push(ForestEdge { score: edge.score, kind });
        self.graph.of_edges.push(parts);
    }

    fn parts_of(&self, symbol: Symbol, span: Span, kind: EdgeKind) -> [Option<CrfPart>; 2] {
        let item = |child: u32| &self.graph.forest.items[child as usize];
        let symbol_of = |child: u32| self.symbols.of(item(child).symbol, item(child).substate);
        let rule = |left: u32, right: Option<u32>| CrfPart::Rule {
            parent: symbol,
            left: symbol_of(left),
            right: right.map(symbol_of),
            span,
            split: if right.is_some() { item(left).span.end } else { span.start },
        };
        let phrase = CrfPart::Phrase { symbol, span };
        match kind {
            EdgeKind::Word => [Some(CrfPart::Word { tag: symbol, place: span.start }), None],
            EdgeKind::Same(_) => [None, None],
            EdgeKind::Unary(only) => [Some(phrase), Some(rule(only, None))],
            EdgeKind::Binary(left, right) => [Some(phrase), Some(rule(left, Some(right)))],
        }
    }

    fn part(&mut self, part: CrfPart) -> u32 {
        let next = self.graph.parts.len() as u32;
        *self.parts.entry(part).or_insert_with(|| {
            self.graph.parts.push(part);
            next
        })
    }
}
