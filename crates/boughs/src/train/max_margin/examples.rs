//! Sentences with their forests, the features of every part, and what is right.

use std::borrow::Borrow;

use rayon::prelude::*;

use super::config::{Loss, MaxMarginConfig};
use super::gold::Gold;
use super::index::{FeatureCounts, FeatureIndex};
use crate::chart::{Extractor, Forester, Graph, NO_PART, Part, Request, Surface, best_derivation};
use crate::model::{GrammarModel, Property, Symbol, Symbols, WordForms};
use crate::train::grammar::untagged;
use crate::tree::{Demands, Tree};

/// Sentences that a thread parses at a time.
const CHUNK: usize = 16;

/// A sentence as a grammar and the templates see it.
#[derive(Debug)]
pub(super) struct Seen {
    pub(super) tokens: Tree,
    /// Nothing if the grammar has no parse.
    pub(super) forest: Option<(Graph, Surface)>,
}

/// What it takes to look at sentences.
pub(super) struct Viewer<'v> {
    pub(super) config: &'v MaxMarginConfig,
    pub(super) forms: &'v WordForms,
    pub(super) extractor: &'v Extractor,
    pub(super) symbols: &'v Symbols,
}

impl Viewer<'_> {
    /// Looks at the words of trees through a grammar whose symbols get other numbers.
    pub(super) fn see<T>(&self, trees: &[T], grammar: &GrammarModel, names: &[Symbol]) -> Vec<Seen>
    where
        T: Borrow<Tree> + Sync,
    {
        let see_chunk = |chunk: &[T]| {
            let MaxMarginConfig { limits, templates, chart, .. } = self.config;
            let mut forester = Forester::new(grammar, *limits, templates.offset(), chart);
            chunk.iter().map(|tree| self.see_one(&mut forester, tree.borrow(), names)).collect::<Vec<_>>()
        };
        trees.par_chunks(CHUNK).flat_map_iter(see_chunk).collect()
    }

    fn see_one(&self, forester: &mut Forester<'_>, tree: &Tree, names: &[Symbol]) -> Seen {
        let tokens = untagged(tree);
        let request = Request { tokens: &tokens, demands: &Demands::default() };
        let graph = forester.graph(request, |symbol| names[symbol.index()]);
        let graph = graph.ok().and_then(|(graph, _)| graph);
        let forest = graph.map(|graph| {
            let words: Vec<&str> = tokens.words().collect();
            let mut surface = Surface::new(self.forms, self.extractor.forms(), &words);
            if self.config.templates.asks_for(Property::Grammar) {
                graph.tell_grammar(self.symbols, &mut surface);
            }
            (graph, surface)
        });
        Seen { tokens, forest }
    }

    /// Numbers the features of all sentences.
    pub(super) fn index(&self, seen: &[Seen]) -> FeatureIndex {
        let mut counts = FeatureCounts::default();
        for (sentence, (graph, surface)) in (0..).zip(seen.iter().filter_map(|seen| seen.forest.as_ref())) {
            for &part in &graph.parts {
                self.extractor.features(surface, part, |_, feature| counts.see(sentence, feature));
            }
        }
        counts.index(self.config.min_feature_count)
    }
}

/// For each part of a graph the places of its features.
#[derive(Debug, Clone, Default)]
pub(super) struct PartFeatures {
    ends: Vec<u32>,
    places: Vec<u32>,
}

impl PartFeatures {
    pub(super) fn new(extractor: &Extractor, index: &FeatureIndex, graph: &Graph, surface: &Surface) -> Self {
        let mut features = Self::default();
        for &part in &graph.parts {
            extractor.features(surface, part, |_, feature| features.places.extend(index.get(feature)));
            features.ends.push(features.places.len() as u32);
        }
        features.places.shrink_to_fit();
        features
    }

    pub(super) fn of(&self, part: usize) -> &[u32] {
        let start = if part == 0 { 0 } else { self.ends[part - 1] as usize };
        &self.places[start..self.ends[part] as usize]
    }

    /// The sum of the weights of each part's features.
    pub(super) fn scores(&self, weights: &[f32]) -> Vec<f32> {
        (0..self.ends.len())
            .map(|part| self.of(part).iter().map(|&place| weights[place as usize]).sum())
            .collect()
    }
}

/// A sentence to learn from.
#[derive(Debug)]
pub(super) struct Example {
    pub(super) graph: Graph,
    pub(super) features: PartFeatures,
    /// The edges of the right tree, or of the one in the forest with the fewest errors.
    pub(super) target: Vec<u32>,
    /// For each edge the errors that it makes.
    pub(super) losses: Vec<f32>,
}

impl Example {
    pub(super) fn new(graph: Graph, features: PartFeatures, gold: &Gold, loss: Loss) -> Self {
        let target = best_derivation(&graph, &agreement(&graph, gold)).1;
        let losses = losses(&graph, gold, loss);
        Self { graph, features, target, losses }
    }

    /// Whether the right tree is in the forest.
    pub(super) fn is_reachable(&self, gold: &Gold) -> bool {
        let parts = self.target.iter().flat_map(|&edge| self.graph.of_edges[edge as usize]);
        parts.filter(|&part| part != NO_PART).all(|part| gold.contains(&self.graph.parts[part as usize]))
    }
}

/// How much each edge speaks for being in the right tree: phrases decide, then rules and tags.
fn agreement(graph: &Graph, gold: &Gold) -> Vec<f32> {
    let of_part = |part: u32| {
        let Some(part) = graph.parts.get(part as usize) else { return 0.0 };
        let worth = if matches!(part, Part::Phrase { .. }) { 1.0 } else { 0.25 };
        if gold.contains(part) { worth } else { -worth }
    };
    graph.of_edges.iter().map(|&[one, other]| of_part(one) + of_part(other)).collect()
}

fn losses(graph: &Graph, gold: &Gold, loss: Loss) -> Vec<f32> {
    let of_edge = |&[one, other]: &[u32; 2]| {
        let part = match loss {
            Loss::Phrases => one,
            Loss::Rules => other,
        };
        match graph.parts.get(part as usize) {
            None | Some(Part::Word { .. }) => 0.0,
            Some(part) => f32::from(u8::from(!gold.contains(part))),
        }
    };
    graph.of_edges.iter().map(of_edge).collect()
}
