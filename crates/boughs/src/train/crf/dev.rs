//! How well weights parse trees whose forests are known.

use rayon::prelude::*;

use super::examples::PartFeatures;
use super::forests::SentenceForest;
use super::oracle::base_factor;
use crate::chart::{CrfGraph, Decoder, decode};
use crate::learn::run::Scores;
use crate::model::Symbols;
use crate::parser::scores;
use crate::tree::profile::Profile;
use crate::tree::{Tokens, Tree};

/// Trees to measure on, with their forests.
#[derive(Debug)]
pub(super) struct DevSet {
    trees: Vec<Tree>,
    sentences: Vec<(Tokens, Option<(CrfGraph, PartFeatures)>)>,
}

impl DevSet {
    pub(super) fn new(
        trees: Vec<Tree>,
        forests: Vec<SentenceForest>,
        features: impl Fn(&CrfGraph, &crate::chart::Surface) -> PartFeatures,
    ) -> Self {
        let sentence = |SentenceForest { tokens, forest }: SentenceForest| {
            let forest = forest.map(|(graph, surface)| {
                let features = features(&graph, &surface);
                (graph, features)
            });
            (tokens, forest)
        };
        Self { trees, sentences: forests.into_iter().map(sentence).collect() }
    }

    /// Parses with these weights and scores the result; the parser of the same weights gives the same trees.
    pub(super) fn measure(
        &mut self,
        weights: &[f32],
        decoder: Decoder,
        symbols: &Symbols,
        profile: &Profile,
    ) -> Scores {
        let parse = |(tokens, forest): &mut (Tokens, Option<(CrfGraph, PartFeatures)>)| {
            let (graph, features) = forest.as_mut()?;
            let mut scores = Vec::new();
            graph.edge_scores(base_factor(weights), &features.scores(weights), &mut scores);
            let parses = decode(graph, &scores, decoder, 1, symbols, tokens).ok()?;
            parses.into_iter().next().map(|parse| parse.tree)
        };
        let parsed: Vec<Option<Tree>> = self.sentences.par_iter_mut().map(parse).collect();
        let num_failed = parsed.iter().filter(|tree| tree.is_none()).count();
        let or_flat = |(tree, (tokens, _)): (Option<Tree>, &(Tokens, _))| {
            tree.unwrap_or_else(|| Tree::flat(tokens.clone()))
        };
        let trees: Vec<Tree> = parsed.into_iter().zip(&self.sentences).map(or_flat).collect();
        scores(&self.trees, &trees, num_failed, profile)
    }
}
