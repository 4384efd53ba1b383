//! What is seen of sentences: their forests, and what grammars and classifiers think of their spans.

use std::borrow::Borrow;
use std::ops::ControlFlow;

use rayon::prelude::*;

use super::config::CrfConfig;
use super::folds::{folds_of, renaming};
use super::index::{FeatureCounts, FeatureIndex};
use super::span_classifier::SpanLearner;
use crate::chart::{CrfGraph, Extractor, Forester, Query, SpanScorer, Surface};
use crate::error::Result;
use crate::model::{GrammarModel, Property, SpanClassifier, Symbol, Symbols, WordForms};
use crate::train::grammar::untagged;
use crate::tree::{Tokens, Tree};

/// Sentences that a thread parses at a time.
const CHUNK: usize = 16;

/// Sentences after which it is told how many were seen.
const BATCH: usize = 512;

/// A sentence as a grammar and the templates see it.
#[derive(Debug)]
pub(super) struct Seen {
    pub(super) tokens: Tokens,
    /// Nothing if the grammar has no parse.
    pub(super) forest: Option<(CrfGraph, Surface)>,
}

/// What it takes to look at sentences.
pub(super) struct Viewer<'v> {
    pub(super) config: &'v CrfConfig,
    pub(super) forms: &'v WordForms,
    pub(super) extractor: &'v Extractor,
    pub(super) symbols: &'v Symbols,
}

/// Those through whom sentences are seen.
pub(super) struct Eyes<'e> {
    /// Whose forests they are, and the numbers that its symbols get.
    pub(super) grammar: &'e GrammarModel,
    pub(super) names: Vec<Symbol>,
    /// Who says how likely phrases are, if it is another.
    pub(super) judge: Option<&'e GrammarModel>,
    /// Who says what spans are by themselves.
    pub(super) flat: Option<&'e SpanClassifier>,
}

/// The same, at work.
struct Sight<'s> {
    eyes: &'s Eyes<'s>,
    forester: Forester<'s>,
    judge: Option<(Forester<'s>, &'s Symbols)>,
    flat: Option<SpanScorer<'s>>,
}

impl Viewer<'_> {
    /// The eyes for sentences that `judge` and `flat` did not see; `all` saw all.
    fn eyes<'e>(
        &self,
        judge: Option<&'e GrammarModel>,
        all: Option<&'e GrammarModel>,
        flat: Option<&'e SpanClassifier>,
    ) -> Option<Eyes<'e>> {
        let grammar = if self.config.cuts_forests() { judge? } else { all? };
        let names = renaming(grammar.symbols(), self.symbols);
        let judge = judge.filter(|judge| !std::ptr::eq(*judge, grammar));
        Some(Eyes { grammar, names, judge, flat })
    }

    /// Looks at the words of trees.
    pub(super) fn see<T: Borrow<Tree> + Sync>(&self, trees: &[T], eyes: &Eyes<'_>) -> Vec<Seen> {
        let see_chunk = |chunk: &[T]| {
            let mut sight = self.sight(eyes);
            chunk.iter().map(|tree| self.see_one(&mut sight, tree.borrow())).collect::<Vec<_>>()
        };
        trees.par_chunks(CHUNK).flat_map_iter(see_chunk).collect()
    }

    fn sight<'s>(&self, eyes: &'s Eyes<'_>) -> Sight<'s> {
        let CrfConfig { limits, templates, chart, .. } = self.config;
        let forester = |grammar| Forester::new(grammar, *limits, templates.base_score(), chart);
        Sight {
            eyes,
            forester: forester(eyes.grammar),
            judge: eyes.judge.map(|judge| (forester(judge), judge.symbols())),
            flat: eyes.flat.map(|flat| SpanScorer::new(flat, self.symbols)),
        }
    }

    fn see_one(&self, sight: &mut Sight<'_>, tree: &Tree) -> Seen {
        let tokens = untagged(tree).into_sentence();
        let query = Query::new(&tokens);
        let names = &sight.eyes.names;
        let graph = sight.forester.graph(query, |symbol| names[symbol.index()]);
        let forest = graph.0.map(|graph| {
            let surface = self.surface(sight, &graph, query);
            (graph, surface)
        });
        Seen { tokens, forest }
    }

    fn surface(&self, sight: &mut Sight<'_>, graph: &CrfGraph, query: Query<'_>) -> Surface {
        let words: Vec<&str> = query.tokens.words().collect();
        let mut surface = Surface::new(self.forms, self.extractor.forms(), &words);
        if let Some(flat) = &sight.flat {
            flat.tell(graph, self.symbols, self.forms, &words, &mut surface);
        }
        let is_asked = self.config.templates.asks_for(Property::Grammar);
        match &mut sight.judge {
            _ if !is_asked => {}
            None => graph.tell_grammar(self.symbols, &mut surface),
            Some((judge, symbols)) => {
                if let (Some(graph), _) = judge.graph(query, |symbol| symbol) {
                    graph.tell_grammar(symbols, &mut surface);
                }
            }
        }
        surface
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

/// The classifiers of all parts but one, for each part, and that of all trees at the end.
///
/// # Errors
/// If there are too many spans.
pub(super) fn train_classifiers(
    learner: &SpanLearner,
    trees: &[Tree],
    num_folds: usize,
) -> Result<Vec<SpanClassifier>> {
    let folds = folds_of(trees, num_folds);
    let num_parts = if num_folds > 1 { num_folds } else { 0 };
    let parts = (0..num_parts).map(|fold| learner.learn(|tree| folds[tree] != fold));
    parts.chain([learner.learn(|_| true)]).collect()
}

/// Looks at the training trees. What others think of a sentence is what those think who did not see it. Its forest is from such a grammar too, or
/// from that of all trees ([`CrfConfig::cuts_forests`]). `tell` gets the number of trees seen so far and may break off; then there is nothing.
pub(super) fn see_training(
    viewer: &Viewer<'_>,
    trees: &[Tree],
    grammars: &[GrammarModel],
    classifiers: &[SpanClassifier],
    mut tell: impl FnMut(usize) -> ControlFlow<()>,
) -> Option<Vec<Seen>> {
    let num_folds = viewer.config.folds;
    let folds = folds_of(trees, num_folds);
    let mut seen: Vec<Option<Seen>> = trees.iter().map(|_| None).collect();
    let mut num_seen = 0;
    for fold in 0..num_folds {
        let places: Vec<usize> = (0..trees.len()).filter(|place| folds[*place] == fold).collect();
        let eyes = viewer.eyes(of_part(grammars, fold), grammars.last(), of_part(classifiers, fold));
        let Some(eyes) = eyes else { continue };
        for places in places.chunks(BATCH) {
            let batch: Vec<&Tree> = places.iter().map(|place| &trees[*place]).collect();
            for (&place, it) in places.iter().zip(viewer.see(&batch, &eyes)) {
                seen[place] = Some(it);
            }
            num_seen += places.len();
            if tell(num_seen).is_break() {
                return None;
            }
        }
    }
    Some(seen.into_iter().flatten().collect())
}

/// The one that did not see a part; the one of all trees if there is no other.
fn of_part<T>(all: &[T], fold: usize) -> Option<&T> {
    if all.len() > 1 { all.get(fold) } else { all.last() }
}
