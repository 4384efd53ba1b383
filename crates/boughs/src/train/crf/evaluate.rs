//! How well weights parse trees whose forests are known.

use rayon::prelude::*;

use super::examples::PartFeatures;
use super::oracle::base_factor;
use super::view::Seen;
use crate::chart::{CrfGraph, Decoder, decode};
use crate::model::Symbols;
use crate::train::grammar::{GrammarScores, compare};
use crate::tree::{Tokens, Tree};

/// Trees to measure on, with their forests.
#[derive(Debug)]
pub(super) struct DevSet<'d> {
    trees: &'d [Tree],
    sentences: Vec<(Tokens, Option<(CrfGraph, PartFeatures)>)>,
}

impl<'d> DevSet<'d> {
    pub(super) fn new(
        trees: &'d [Tree],
        seen: Vec<Seen>,
        features: impl Fn(&CrfGraph, &crate::chart::Surface) -> PartFeatures,
    ) -> Self {
        let sentence = |Seen { tokens, forest }: Seen| {
            let forest = forest.map(|(graph, surface)| {
                let features = features(&graph, &surface);
                (graph, features)
            });
            (tokens, forest)
        };
        Self { trees, sentences: seen.into_iter().map(sentence).collect() }
    }

    /// Parses with these weights and compares; nothing if there are no trees.
    pub(super) fn measure(
        &mut self,
        weights: &[f32],
        decoder: Decoder,
        symbols: &Symbols,
    ) -> Option<GrammarScores> {
        let parse = |(tokens, forest): &mut (Tokens, Option<(CrfGraph, PartFeatures)>)| {
            let (graph, features) = forest.as_mut()?;
            let mut scores = Vec::new();
            graph.edge_scores(base_factor(weights), &features.scores(weights), &mut scores);
            let parses = decode(graph, &scores, decoder, 1, symbols, tokens).ok()?;
            parses.into_iter().next().map(|parse| parse.tree)
        };
        let parsed: Vec<Option<Tree>> = self.sentences.par_iter_mut().map(parse).collect();
        (!self.trees.is_empty()).then(|| compare(self.trees, &parsed))
    }
}
