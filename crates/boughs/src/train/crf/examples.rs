//! Sentences to learn from: their forests, the features of every part, and what is right.

use super::gold::Gold;
use super::index::FeatureIndex;
use super::oracle::Scaled;
use super::settings::Loss;
use crate::chart::{CrfGraph, CrfPart, Extractor, NO_PART, Surface, best_derivation};

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
}

impl Example {
    pub(super) fn new(graph: CrfGraph, features: PartFeatures, gold: &Gold, loss: Loss) -> Self {
        let target = best_derivation(&graph, &agreement(&graph, gold)).1;
        let losses = losses(&graph, gold, loss);
        Self { graph, features, target, losses }
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

fn losses(graph: &CrfGraph, gold: &Gold, loss: Loss) -> Vec<f32> {
    let of_edge = |&[one, other]: &[u32; 2]| {
        let part = match loss {
            Loss::Phrases => one,
            Loss::Rules => other,
        };
        match graph.parts.get(part as usize) {
            None | Some(CrfPart::Word { .. }) => 0.0,
            Some(part) => f32::from(u8::from(!gold.contains(part))),
        }
    };
    graph.of_edges.iter().map(of_edge).collect()
}
