//! The forests that training works on, with the posteriors of grammars and span classifiers.
//!
//! A model that has seen a sentence is surer of it than of any other. So that features do not learn to trust it too
//! much, what it says of a sentence comes from the model of the fold that the sentence is not in.

use std::borrow::Borrow;
use std::ops::ControlFlow;

use rayon::prelude::*;

use super::index::{FeatureCounts, FeatureIndex};
use super::settings::CrfConfig;
use super::span_classifier::SpanLearner;
use crate::chart::{CrfGraph, Extractor, Forester, PartSymbols, Query, SpanScorer, Surface};
use crate::error::Result;
use crate::model::{GrammarModel, Property, SpanClassifier, Symbols, WordForms};
use crate::tree::{Tokens, Tree};

/// Sentences that a thread parses at a time.
const CHUNK: usize = 16;

/// Sentences after which it is told how many are done.
const BATCH: usize = 512;

/// A sentence with its forest, and what features see of it.
#[derive(Debug)]
pub(super) struct SentenceForest {
    /// The words, with the tags that are likeliest to the grammar.
    pub(super) tokens: Tokens,
    /// Nothing if the grammar has no parse.
    pub(super) forest: Option<(CrfGraph, Surface)>,
}

/// The grammars of one fold.
#[derive(Clone, Copy)]
pub(super) struct FoldGrammars<'f> {
    /// The grammar that the forests are from.
    pub(super) forests: &'f GrammarModel,
    /// The grammar that tags and the posteriors of spans are from, which did not see the fold, if it is another.
    pub(super) posteriors: Option<&'f GrammarModel>,
}

/// The same, at work.
struct FoldParsers<'f> {
    forests: Forester<'f>,
    posteriors: Option<Forester<'f>>,
}

/// Makes forests.
pub(super) struct TrainingForests<'b> {
    pub(super) config: &'b CrfConfig,
    pub(super) forms: &'b WordForms,
    pub(super) extractor: &'b Extractor,
    pub(super) symbols: &'b Symbols,
    pub(super) parts: &'b PartSymbols,
}

impl TrainingForests<'_> {
    /// The forests of the words of trees.
    pub(super) fn build<T: Borrow<Tree> + Sync>(
        &self,
        trees: &[T],
        grammars: FoldGrammars<'_>,
    ) -> Vec<SentenceForest> {
        let build_chunk = |chunk: &[T]| {
            let mut parsers = self.parsers(grammars);
            chunk.iter().map(|tree| self.build_one(&mut parsers, tree.borrow())).collect::<Vec<_>>()
        };
        trees.par_chunks(CHUNK).flat_map_iter(build_chunk).collect()
    }

    fn parsers<'f>(&self, grammars: FoldGrammars<'f>) -> FoldParsers<'f> {
        let CrfConfig { thresholds, features, options, .. } = self.config;
        let is_annotated = self.config.is_annotated();
        let forester =
            |grammar| Forester::new(grammar, *thresholds, features.base_score(), is_annotated, options);
        FoldParsers { forests: forester(grammars.forests), posteriors: grammars.posteriors.map(forester) }
    }

    fn build_one(&self, parsers: &mut FoldParsers<'_>, tree: &Tree) -> SentenceForest {
        let tokens = tree.surface().without_tags();
        let query = Query::new(&tokens);
        let Some(graph) = parsers.forests.graph(query).0 else {
            return SentenceForest { tokens, forest: None };
        };
        let of_fold = parsers.posteriors.as_mut().map(|posteriors| posteriors.graph(query).0);
        let seen_by = of_fold.as_ref().map_or(Some(&graph), Option::as_ref);
        let tagged = seen_by.unwrap_or(&graph).tagged(self.symbols, &tokens);
        let mut surface = Surface::new(self.forms, self.extractor.forms(), &tagged);
        if let (true, Some(graph)) = (self.config.features.asks_for(Property::Grammar), seen_by) {
            graph.tell_grammar(self.symbols, &mut surface);
        }
        SentenceForest { tokens: tagged, forest: Some((graph, surface)) }
    }

    /// Lets a span classifier say what it thinks of the spans of forests.
    pub(super) fn classify<'f>(
        &self,
        classifier: &SpanClassifier,
        forests: impl Iterator<Item = &'f mut SentenceForest>,
    ) {
        let scorer = SpanScorer::new(classifier, self.parts);
        for SentenceForest { tokens, forest } in forests {
            if let Some((graph, surface)) = forest {
                scorer.tell(graph, self.symbols, self.forms, tokens, surface);
            }
        }
    }

    /// The forests of the training trees, each from the grammar of the fold that it is not in: its posteriors always,
    /// the forest itself if the configuration says so. `tell` gets the number of trees that are done and may break
    /// off; then there is nothing.
    pub(super) fn build_folds(
        &self,
        trees: &[Tree],
        folds: &[usize],
        grammars: &[GrammarModel],
        mut tell: impl FnMut(usize) -> ControlFlow<()>,
    ) -> Option<Vec<SentenceForest>> {
        let mut forests: Vec<Option<SentenceForest>> = trees.iter().map(|_| None).collect();
        let mut num_done = 0;
        for fold in 0..self.config.folds {
            let Some(grammars) = self.fold_grammars(fold, grammars) else { continue };
            let places: Vec<usize> = (0..trees.len()).filter(|place| folds[*place] == fold).collect();
            for places in places.chunks(BATCH) {
                let batch: Vec<&Tree> = places.iter().map(|place| &trees[*place]).collect();
                for (&place, forest) in places.iter().zip(self.build(&batch, grammars)) {
                    forests[place] = Some(forest);
                }
                num_done += places.len();
                if tell(num_done).is_break() {
                    return None;
                }
            }
        }
        Some(forests.into_iter().flatten().collect())
    }

    fn fold_grammars<'f>(&self, fold: usize, grammars: &'f [GrammarModel]) -> Option<FoldGrammars<'f>> {
        let (of_fold, of_all) = (of_fold(grammars, fold)?, grammars.last()?);
        Some(match self.config.cuts_forests() {
            true => FoldGrammars { forests: of_fold, posteriors: None },
            false => {
                let posteriors = (!std::ptr::eq(of_fold, of_all)).then_some(of_fold);
                FoldGrammars { forests: of_all, posteriors }
            }
        })
    }

    /// Numbers the features of all sentences.
    pub(super) fn index(&self, forests: &[SentenceForest]) -> FeatureIndex {
        let mut counts = FeatureCounts::default();
        let forests = forests.iter().filter_map(|it| it.forest.as_ref());
        for (sentence, (graph, surface)) in (0..).zip(forests) {
            for &part in &graph.parts {
                self.extractor.features(surface, part, |_, feature| counts.see(sentence, feature));
            }
        }
        counts.index(self.config.min_feature_count)
    }
}

/// The classifiers of all folds but one, for each fold, and that of all trees at the end.
///
/// # Errors
/// If there are too many spans.
pub(super) fn train_classifiers(
    learner: &SpanLearner,
    folds: &[usize],
    num_folds: usize,
) -> Result<Vec<SpanClassifier>> {
    let num_parts = if num_folds > 1 { num_folds } else { 0 };
    let parts = (0..num_parts).map(|fold| learner.learn(|tree| folds[tree] != fold));
    parts.chain([learner.learn(|_| true)]).collect()
}

/// The model that did not see a fold; that of all trees if there is no other.
pub(super) fn of_fold<T>(all: &[T], fold: usize) -> Option<&T> {
    if all.len() > 1 { all.get(fold) } else { all.last() }
}
