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
use crate::chart::{CrfGraph, Extractor, Forester, Query, SpanScorer, Surface};
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
    pub(super) tokens: Tokens,
    /// Nothing if the grammar has no parse.
    pub(super) forest: Option<(CrfGraph, Surface)>,
}

/// The models of one fold, which did not see its sentences.
#[derive(Clone, Copy)]
pub(super) struct FoldModels<'f> {
    /// The grammar that the forests are from.
    pub(super) grammar: &'f GrammarModel,
    /// The grammar that the posteriors of spans are from, if it is another.
    pub(super) posteriors: Option<&'f GrammarModel>,
    /// The classifier of spans by themselves, if features ask for it.
    pub(super) span_classifier: Option<&'f SpanClassifier>,
}

/// The same, at work.
struct FoldParsers<'f> {
    forests: Forester<'f>,
    posteriors: Option<Forester<'f>>,
    span_classifier: Option<SpanScorer<'f>>,
}

/// Makes forests.
pub(super) struct TrainingForests<'b> {
    pub(super) config: &'b CrfConfig,
    pub(super) forms: &'b WordForms,
    pub(super) extractor: &'b Extractor,
    pub(super) symbols: &'b Symbols,
}

impl TrainingForests<'_> {
    /// The forests of the words of trees.
    pub(super) fn build<T: Borrow<Tree> + Sync>(
        &self,
        trees: &[T],
        models: FoldModels<'_>,
    ) -> Vec<SentenceForest> {
        let build_chunk = |chunk: &[T]| {
            let mut parsers = self.parsers(models);
            chunk.iter().map(|tree| self.build_one(&mut parsers, tree.borrow())).collect::<Vec<_>>()
        };
        trees.par_chunks(CHUNK).flat_map_iter(build_chunk).collect()
    }

    fn parsers<'f>(&self, models: FoldModels<'f>) -> FoldParsers<'f> {
        let CrfConfig { thresholds, features, options, .. } = self.config;
        let forester = |grammar| Forester::new(grammar, *thresholds, features.base_score(), options);
        FoldParsers {
            forests: forester(models.grammar),
            posteriors: models.posteriors.map(forester),
            span_classifier: models.span_classifier.map(|it| SpanScorer::new(it, self.symbols)),
        }
    }

    fn build_one(&self, parsers: &mut FoldParsers<'_>, tree: &Tree) -> SentenceForest {
        let tokens = tree.surface().without_tags();
        let query = Query::new(&tokens);
        let forest = parsers.forests.graph(query).0.map(|graph| {
            let surface = self.surface(parsers, &graph, query);
            (graph, surface)
        });
        SentenceForest { tokens, forest }
    }

    fn surface(&self, parsers: &mut FoldParsers<'_>, graph: &CrfGraph, query: Query<'_>) -> Surface {
        let words: Vec<&str> = query.tokens.words().collect();
        let mut surface = Surface::new(self.forms, self.extractor.forms(), &words);
        if let Some(classifier) = &parsers.span_classifier {
            classifier.tell(graph, self.symbols, self.forms, &words, &mut surface);
        }
        let is_asked = self.config.features.asks_for(Property::Grammar);
        match &mut parsers.posteriors {
            _ if !is_asked => {}
            None => graph.tell_grammar(self.symbols, &mut surface),
            Some(posteriors) => {
                if let (Some(graph), _) = posteriors.graph(query) {
                    graph.tell_grammar(self.symbols, &mut surface);
                }
            }
        }
        surface
    }

    /// The forests of the training trees, each from the models of the fold that it is not in: its posteriors always,
    /// the forest itself if the configuration says so. `tell` gets the number of trees that are done and may break
    /// off; then there is nothing.
    pub(super) fn build_folds(
        &self,
        trees: &[Tree],
        folds: &[usize],
        grammars: &[GrammarModel],
        classifiers: &[SpanClassifier],
        mut tell: impl FnMut(usize) -> ControlFlow<()>,
    ) -> Option<Vec<SentenceForest>> {
        let mut forests: Vec<Option<SentenceForest>> = trees.iter().map(|_| None).collect();
        let mut num_done = 0;
        for fold in 0..self.config.folds {
            let Some(models) = self.fold_models(fold, grammars, classifiers) else { continue };
            let places: Vec<usize> = (0..trees.len()).filter(|place| folds[*place] == fold).collect();
            for places in places.chunks(BATCH) {
                let batch: Vec<&Tree> = places.iter().map(|place| &trees[*place]).collect();
                for (&place, forest) in places.iter().zip(self.build(&batch, models)) {
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

    fn fold_models<'f>(
        &self,
        fold: usize,
        grammars: &'f [GrammarModel],
        classifiers: &'f [SpanClassifier],
    ) -> Option<FoldModels<'f>> {
        let (of_fold, of_all) = (of_fold(grammars, fold)?, grammars.last()?);
        let span_classifier = self::of_fold(classifiers, fold);
        Some(match self.config.cuts_forests() {
            true => FoldModels { grammar: of_fold, posteriors: None, span_classifier },
            false => {
                let posteriors = (!std::ptr::eq(of_fold, of_all)).then_some(of_fold);
                FoldModels { grammar: of_all, posteriors, span_classifier }
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
fn of_fold<T>(all: &[T], fold: usize) -> Option<&T> {
    if all.len() > 1 { all.get(fold) } else { all.last() }
}
