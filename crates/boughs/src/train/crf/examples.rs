//! Sentences to learn from: their forests, the features of every part, and what is right.

use rustc_hash::FxHashSet;

use super::gold::Gold;
use super::index::FeatureIndex;
use super::oracle::Scaled;
use super::settings::{CrfConfig, Loss};
use crate::chart::{CrfGraph, CrfPart, Extractor, NO_PART, PartSymbols, Surface, best_derivation};
use crate::model::BaseScore;

/// For each part of a graph the places of its features.
#[derive(Debug, Clone, Default)]
pub(super) struct PartFeatures {
    ends: Vec<u32>,
    places: Vec<u32>,
}

impl PartFeatures {
    pub(super) fn new(
        extractor: &Extractor,
        index: &FeatureIndex,
        graph: &CrfGraph,
        surface: &Surface,
    ) -> Self {
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
    pub(super) fn scores<'w>(&self, weights: impl Into<Scaled<'w>>) -> Vec<f32> {
        let Scaled { weights, scale } = weights.into();
        let sum = |part| self.of(part).iter().map(|&place| weights[place as usize]).sum::<f32>();
        (0..self.ends.len()).map(|part| scale * sum(part)).collect()
    }
}

/// A sentence to learn from.
#[derive(Debug)]
pub(super) struct Example {
    pub(super) graph: CrfGraph,
    pub(super) features: PartFeatures,
    /// The edges of the gold tree, or of the one in the forest with the fewest errors.
    pub(super) target: Vec<u32>,
    /// For each edge the errors that it makes.
    pub(super) losses: Vec<f32>,
    /// Whether the base score has a weight to be learned.
    pub(super) is_base_learned: bool,
}

impl Example {
    pub(super) fn new(
        graph: CrfGraph,
        features: PartFeatures,
        gold: &Gold,
        symbols: &PartSymbols,
        config: &CrfConfig,
    ) -> Self {
        let target = best_derivation(&graph, &agreement(&graph, gold)).1;
        let losses = losses(&graph, gold, symbols, config.loss);
        // The scores of words stay those of the grammar (Taskar et al. 2004, section 6).
        let is_base_learned = config.features.base_score() == BaseScore::Grammar;
        Self { graph, features, target, losses, is_base_learned }
    }

    /// Whether the gold tree is in the forest.
    pub(super) fn is_reachable(&self, gold: &Gold) -> bool {
        let parts = self.target.iter().flat_map(|&edge| self.graph.of_edges[edge as usize]);
        parts.filter(|&part| part != NO_PART).all(|part| gold.contains(&self.graph.parts[part as usize]))
    }
}

/// How much each edge speaks for being in the gold tree: phrases decide, then rules and tags.
fn agreement(graph: &CrfGraph, gold: &Gold) -> Vec<f32> {
    let of_part = |part: u32| {
        let Some(part) = graph.parts.get(part as usize) else { return 0.0 };
        let worth = if matches!(part, CrfPart::Phrase { .. }) { 1.0 } else { 0.25 };
        if gold.contains(part) { worth } else { -worth }
    };
    graph.of_edges.iter().map(|&[one, other]| of_part(one) + of_part(other)).collect()
}

/// A phrase is right if the gold tree has it, whatever its annotations.
pub(super) fn losses(graph: &CrfGraph, gold: &Gold, symbols: &PartSymbols, loss: Loss) -> Vec<f32> {
    let phrase = |part: CrfPart| match part {
        CrfPart::Phrase { symbol, span } => Some((symbols.in_grammar(symbol).0, span)),
        _ => None,
    };
    let phrases: FxHashSet<_> = gold.iter().filter_map(|&part| phrase(part)).collect();
    let is_wrong = |&[one, other]: &[u32; 2]| match loss {
        Loss::Phrases => {
            let found = graph.parts.get(one as usize).and_then(|&part| phrase(part));
            found.is_some_and(|found| !phrases.contains(&found))
        }
        Loss::Rules => graph.parts.get(other as usize).is_some_and(|part| !gold.contains(part)),
    };
    graph.of_edges.iter().map(|edge| f32::from(u8::from(is_wrong(edge)))).collect()
}
