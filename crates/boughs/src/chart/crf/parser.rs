//! From a sentence to the graph of what a grammar leaves to look at, and to its best trees.

use super::explain::{CrfExplanation, explain};
use super::features::{Extractor, PartSymbols};
use super::graph::CrfGraph;
use super::span_classifier::SpanScorer;
use super::sums::{edge_posteriors, forest_posteriors};
use super::surface::Surface;
use crate::chart::forest::{EdgeKind, ForestEdge, ForestItem, PackedForest, worth};
use crate::chart::grammar_parser::GrammarParser;
use crate::chart::kbest::KBest;
use crate::chart::options::{ChartOptions, Decoder};
use crate::chart::output::best_parses;
use crate::chart::query::Query;
use crate::error::Result;
use crate::model::{BaseScore, CrfFeatures, ForestThresholds, GrammarModel, Property, Symbols};
use crate::parse::{Parse, Status};
use crate::tree::Tokens;

/// What a grammar finds impossible, and what a word must not have, is worth this much.
const LOWEST_BASE_SCORE: f32 = -16.0;

/// Makes graphs of sentences.
#[derive(Debug)]
pub(crate) struct Forester<'m> {
    chart: GrammarParser<'m>,
    /// For sentences of which the thresholds leave no parse.
    loose: GrammarParser<'m>,
    /// The logarithm of the posterior of rules below which they are left out.
    rule_threshold: f32,
    base_score: BaseScore,
    symbols: PartSymbols,
    is_annotated: bool,
}

impl<'m> Forester<'m> {
    pub(crate) fn new(
        grammar: &'m GrammarModel,
        of_forest: ForestThresholds,
        base_score: BaseScore,
        is_annotated: bool,
        options: &ChartOptions,
    ) -> Self {
        // Only the forest of derivations tells substates apart.
        let decoder = if is_annotated { Decoder::Viterbi } else { Decoder::MaxRule };
        let options = ChartOptions { decoder, ..options.clone() };
        let last = options.thresholds.last().copied().unwrap_or(f32::NEG_INFINITY);
        let num_coarser = grammar.levels().len() - 1;
        let mut thresholds = options.thresholds.clone();
        thresholds.resize(num_coarser, last);
        thresholds.push(of_forest.phrases);
        let loose = GrammarParser::new(grammar, options.clone());
        let chart = GrammarParser::new(grammar, ChartOptions { thresholds, ..options });
        let symbols = PartSymbols::of_grammar(grammar, is_annotated);
        Self { chart, loose, rule_threshold: of_forest.rules, base_score, symbols, is_annotated }
    }

    /// The graph of a sentence, if there is a parse, and how it went.
    pub(crate) fn graph(&mut self, query: Query<'_>) -> (Option<CrfGraph>, Status) {
        let words: Vec<Vec<f32>> = match self.base_score {
            BaseScore::Words => (0..query.tokens.len())
                .map(|place| self.chart.word_scores(query, place, self.is_annotated))
                .collect(),
            BaseScore::None | BaseScore::Grammar => Vec::new(),
        };
        let Self { chart, loose, rule_threshold, base_score, symbols, is_annotated } = self;
        let worth = |item: &ForestItem, edge: &ForestEdge| match (*base_score, edge.kind) {
            (BaseScore::Grammar, _) => edge.score.max(LOWEST_BASE_SCORE),
            (BaseScore::Words, EdgeKind::Word) => {
                let symbol = symbols.of(item.symbol, item.substate);
                words[item.span.start as usize][symbol.index()].max(LOWEST_BASE_SCORE)
            }
            _ => 0.0,
        };
        let try_with = |chart: &mut GrammarParser<'_>, threshold: f32| {
            let (found, status) = chart.forest(query);
            let graph = found.and_then(|it| match is_annotated {
                false => CrfGraph::new(it.forest, it.root, threshold, symbols, worth),
                true => {
                    let forest = with_posteriors(it.forest, it.root);
                    CrfGraph::new(&forest, it.root, threshold, symbols, worth)
                }
            });
            (graph, status)
        };
        match try_with(chart, *rule_threshold) {
            (None, Status::Pruned) => try_with(loose, f32::NEG_INFINITY),
            tried => tried,
        }
    }
}

/// The forest of derivations with the logarithms of posteriors in the place of those of probabilities.
fn with_posteriors(forest: &PackedForest, root: usize) -> PackedForest {
    let scores: Vec<f32> = forest.edges.iter().map(|edge| edge.score).collect();
    let (mut posteriors, mut forest) = (Vec::new(), forest.clone());
    forest_posteriors(&forest, root, &scores, &mut posteriors);
    forest.edges.iter_mut().zip(posteriors).for_each(|(edge, posterior)| edge.score = posterior.ln());
    forest
}

/// The graph of a sentence, its best parses, and what features saw.
pub(super) struct ScoredGraph {
    pub(super) graph: CrfGraph,
    pub(super) parses: Vec<Parse>,
    pub(super) surface: Surface,
}

/// Parses with a grammar and features, in memory of its own: one for each thread.
#[derive(Debug)]
pub(crate) struct CrfParser<'m> {
    pub(super) symbols: &'m Symbols,
    pub(super) features: &'m CrfFeatures,
    pub(super) extractor: Extractor,
    forester: Forester<'m>,
    span_scorer: Option<SpanScorer<'m>>,
    decoder: Decoder,
}

impl<'m> CrfParser<'m> {
    pub(crate) fn new(grammar: &'m GrammarModel, features: &'m CrfFeatures, options: &ChartOptions) -> Self {
        let (is_annotated, templates) = (features.is_annotated, &features.templates);
        let (base_score, classifier) = (templates.base_score(), features.span_classifier.as_ref());
        let forester = Forester::new(grammar, features.thresholds, base_score, is_annotated, options);
        Self {
            symbols: grammar.symbols(),
            features,
            extractor: Extractor::new(templates, &forester.symbols),
            span_scorer: classifier.map(|classifier| SpanScorer::new(classifier, &forester.symbols)),
            forester,
            decoder: options.decoder,
        }
    }

    /// The best trees of a sentence, the best first, and how it went. There are none if that is a fallback.
    ///
    /// # Errors
    /// If a tree is larger than one can be.
    pub(crate) fn parse(&mut self, query: Query<'_>) -> Result<(Vec<Parse>, Status)> {
        match self.scored(query)? {
            (Some(scored), status) => Ok((scored.parses, status)),
            // What is likely to the grammar does not fit together.
            (None, Status::Pruned) => self.forester.loose.parse(query),
            (None, status) => Ok((Vec::new(), Status::Fallback(status.limit()))),
        }
    }

    /// Parses a sentence and tells what speaks for each part of the best tree; nothing if there is no parse.
    ///
    /// # Errors
    /// If a tree is larger than one can be.
    pub(crate) fn explain(&mut self, query: Query<'_>) -> Result<Option<CrfExplanation>> {
        let (scored, _) = self.scored(query)?;
        Ok(scored.and_then(|scored| explain(self, scored, query.tokens)))
    }

    /// The parser that the grammar alone would be.
    pub(crate) fn grammar(&self) -> &GrammarParser<'m> {
        &self.forester.loose
    }

    fn scored(&mut self, query: Query<'_>) -> Result<(Option<ScoredGraph>, Status)> {
        let (graph, status) = self.forester.graph(query);
        let Some(mut graph) = graph else { return Ok((None, status)) };
        let surface = self.surface(&graph, query.tokens);
        let scores = self.edge_scores(&graph, &surface);
        let parses = decode(&mut graph, &scores, self.decoder, query.num_best, self.symbols, query.tokens)?;
        Ok((Some(ScoredGraph { graph, parses, surface }), status))
    }

    /// What the symbols of parts are in the grammar.
    pub(super) fn part_symbols(&self) -> &PartSymbols {
        &self.forester.symbols
    }

    fn surface(&self, graph: &CrfGraph, tokens: &Tokens) -> Surface {
        let CrfFeatures { forms, templates, .. } = self.features;
        let tokens = &graph.tagged(self.symbols, tokens);
        let mut surface = Surface::new(forms, self.extractor.forms(), tokens);
        if templates.asks_for(Property::Grammar) {
            graph.tell_grammar(self.symbols, &mut surface);
        }
        if let Some(scorer) = &self.span_scorer {
            scorer.tell(graph, self.symbols, forms, tokens, &mut surface);
        }
        surface
    }

    fn edge_scores(&self, graph: &CrfGraph, surface: &Surface) -> Vec<f32> {
        let mut parts = Vec::with_capacity(graph.parts.len());
        for &part in &graph.parts {
            let mut score = 0.0;
            self.extractor.features(surface, part, |_, feature| score += self.features.weights.get(feature));
            parts.push(score);
        }
        let mut scores = Vec::new();
        graph.edge_scores(self.features.base_weight, &parts, &mut scores);
        scores
    }
}

/// The best trees of a graph whose edges have these scores, the best first.
///
/// # Errors
/// If a tree is larger than one can be.
pub(crate) fn decode(
    graph: &mut CrfGraph,
    scores: &[f32],
    decoder: Decoder,
    num_best: usize,
    symbols: &Symbols,
    tokens: &Tokens,
) -> Result<Vec<Parse>> {
    let mut posteriors = Vec::new();
    edge_posteriors(graph, scores, &mut posteriors);
    let of_parts = part_posteriors(graph, &posteriors);
    set_confidences(graph, &of_parts);
    let root = graph.root();
    for (index, edge) in graph.forest.edges.iter_mut().enumerate() {
        let phrase = of_parts.get(graph.of_edges[index][0] as usize);
        edge.score = match (decoder, edge.kind) {
            (Decoder::Viterbi, _) => scores[index],
            (_, EdgeKind::Same(_)) => 0.0,
            (Decoder::MaxRule, _) => posteriors[index].max(f32::MIN_POSITIVE).ln(),
            (Decoder::MaxRuleSum, kind) => worth(kind, posteriors[index]),
            (Decoder::MaxRecall, kind) => worth(kind, phrase.copied().unwrap_or(0.0)),
        };
    }
    best_parses(num_best, symbols, &graph.forest, &mut KBest::default(), root, tokens)
}

/// How likely each part is.
fn part_posteriors(graph: &CrfGraph, edges: &[f32]) -> Vec<f32> {
    let mut parts = vec![0.0f32; graph.parts.len()];
    for (of_edge, posterior) in graph.of_edges.iter().zip(edges) {
        for part in of_edge {
            if let Some(sum) = parts.get_mut(*part as usize) {
                *sum += posterior;
            }
        }
    }
    parts
}

/// The confidence in a phrase is how likely it is, whatever is above and below it.
fn set_confidences(graph: &mut CrfGraph, of_parts: &[f32]) {
    for index in 0..graph.forest.items.len() {
        let first = graph.forest.items[index].first_edge as usize;
        let edges = first..first + graph.forest.edges(index).len();
        let phrase = graph.of_edges[edges].iter().find_map(|[phrase, _]| of_parts.get(*phrase as usize));
        graph.forest.items[index].posterior = phrase.map_or(0.0, |posterior| posterior.min(1.0));
    }
}
