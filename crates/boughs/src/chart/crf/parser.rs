//! From a sentence to the graph of what a grammar thinks is worth a look, and to its best trees.

use super::features::Extractor;
use super::graph::Graph;
use super::span_classifier::SpanScorer;
use super::sums::edge_posteriors;
use super::surface::Surface;
use crate::chart::Decoder;
use crate::chart::forest::{Edge, EdgeKind, Item, worth};
use crate::chart::kbest::KBest;
use crate::chart::output::{ChartParse, parse_of};
use crate::chart::worker::{ChartConfig, ChartParser, Ending, Request};
use crate::error::Result;
use crate::model::{BaseScore, CrfModel, ForestThresholds, GrammarModel, Property, Symbol, Symbols};
use crate::tree::Tree;

/// What a grammar finds impossible, and what a word must not have, is worth this much.
const LOWEST_BASE_SCORE: f32 = -16.0;

/// Makes graphs of sentences.
#[derive(Debug)]
pub(crate) struct Forester<'m> {
    chart: ChartParser<'m>,
    /// For sentences of which the limits leave no parse.
    loose: ChartParser<'m>,
    limit: f32,
    base_score: BaseScore,
}

impl<'m> Forester<'m> {
    pub(crate) fn new(
        grammar: &'m GrammarModel,
        limits: ForestThresholds,
        base_score: BaseScore,
        config: &ChartConfig,
    ) -> Self {
        let config = ChartConfig { decoder: Decoder::MaxRule, num_best: 1, ..config.clone() };
        let last = config.thresholds.last().copied().unwrap_or(f32::NEG_INFINITY);
        let num_coarser = grammar.levels().len() - 1;
        let mut thresholds = config.thresholds.clone();
        thresholds.resize(num_coarser, last);
        thresholds.push(limits.phrases);
        let loose = ChartParser::new(grammar, config.clone());
        let chart = ChartParser::new(grammar, ChartConfig { thresholds, ..config });
        Self { chart, loose, limit: limits.rules, base_score }
    }

    /// The graph of a sentence, if there is a parse, and how it went; `rename` gives the grammar's symbols other numbers.
    ///
    /// # Errors
    /// If no tree over the sentence can meet the constraints, or the grammar does not know a label of theirs.
    pub(crate) fn graph(
        &mut self,
        request: Request<'_>,
        rename: impl Fn(Symbol) -> Symbol,
    ) -> Result<(Option<Graph>, Ending)> {
        let words = match self.base_score {
            BaseScore::Words => {
                (0..request.tokens.num_tokens()).map(|it| self.chart.word_scores(request, it)).collect()
            }
            BaseScore::None | BaseScore::Grammar => Vec::new(),
        };
        let Self { chart, loose, limit, base_score } = self;
        let deadline = chart.deadline();
        let worth = |item: &Item, edge: &Edge| match (*base_score, edge.kind) {
            (BaseScore::Grammar, _) => edge.score.max(LOWEST_BASE_SCORE),
            (BaseScore::Words, EdgeKind::Word) => {
                words[item.span.start as usize][item.symbol.index()].max(LOWEST_BASE_SCORE)
            }
            _ => 0.0,
        };
        let try_with = |chart: &mut ChartParser<'_>, limit: f32| {
            let (forest, ending) = chart.forest(request, deadline)?;
            let graph = forest.and_then(|it| Graph::new(it.forest, it.root, limit, &rename, worth));
            Ok((graph, ending))
        };
        let (graph, ending) = try_with(chart, *limit)?;
        match (&graph, ending) {
            (None, Ending::Complete) => try_with(loose, f32::NEG_INFINITY),
            _ => Ok((graph, ending)),
        }
    }

    /// The tokens, those without a tag with the most likely tag of the word by itself.
    fn tagged(&self, tokens: &Tree) -> Tree {
        self.chart.tagged(tokens)
    }
}

/// A graph, its best parses, and what features saw.
type Scored = (Graph, Vec<ChartParse>, Surface);

/// Parses with a grammar with features, in memory of its own: one for each thread.
#[derive(Debug)]
pub struct CrfParser<'m> {
    pub(super) model: &'m CrfModel,
    forester: Forester<'m>,
    pub(super) extractor: Extractor,
    flat: Option<SpanScorer<'m>>,
    config: ChartConfig,
}

impl<'m> CrfParser<'m> {
    /// A parser with this model.
    pub fn new(model: &'m CrfModel, config: ChartConfig) -> Self {
        Self {
            model,
            forester: Forester::new(&model.grammar, model.limits, model.templates.base_score(), &config),
            extractor: Extractor::new(&model.templates, model.grammar.symbols()),
            flat: model.flat.as_ref().map(|flat| SpanScorer::new(flat, model.grammar.symbols())),
            config,
        }
    }

    /// Parses a sentence: the best trees, the best first, and how it went. The list is empty if there is no parse.
    ///
    /// # Errors
    /// If no tree over the sentence can meet the constraints, or the grammar does not know a label of theirs.
    pub fn parse(&mut self, request: Request<'_>) -> Result<(Vec<ChartParse>, Ending)> {
        let (scored, ending) = self.scored(request)?;
        match (scored, ending) {
            (Some((_, parses, _)), _) => Ok((parses, ending)),
            // What is likely to the grammar does not fit together.
            (None, Ending::Complete) => self.forester.loose.parse(request),
            (None, _) => Ok((Vec::new(), ending)),
        }
    }

    /// The graph of a sentence with its best parses, and what features saw; and how it went.
    pub(super) fn scored(&mut self, request: Request<'_>) -> Result<(Option<Scored>, Ending)> {
        let (graph, ending) = self.forester.graph(request, |symbol| symbol)?;
        let Some(mut graph) = graph else { return Ok((None, ending)) };
        let surface = self.surface(&graph, request.tokens);
        let scores = self.edge_scores(&graph, &surface);
        let (symbols, &ChartConfig { decoder, num_best, .. }) = (self.model.grammar.symbols(), &self.config);
        let parses = decode(&mut graph, &scores, decoder, num_best, symbols, request.tokens)?;
        Ok((Some((graph, parses, surface)), ending))
    }

    fn surface(&self, graph: &Graph, tokens: &Tree) -> Surface {
        let CrfModel { forms, templates, grammar, .. } = self.model;
        let words: Vec<&str> = tokens.words().collect();
        let mut surface = Surface::new(forms, self.extractor.forms(), &words);
        if templates.asks_for(Property::Grammar) {
            graph.tell_grammar(grammar.symbols(), &mut surface);
        }
        if let Some(flat) = &self.flat {
            flat.tell(graph, grammar.symbols(), forms, &words, &mut surface);
        }
        surface
    }

    fn edge_scores(&self, graph: &Graph, surface: &Surface) -> Vec<f32> {
        let mut parts = Vec::with_capacity(graph.parts.len());
        for &part in &graph.parts {
            let mut score = 0.0;
            self.extractor.features(surface, part, |_, feature| score += self.model.weights.get(feature));
            parts.push(score);
        }
        let mut scores = Vec::new();
        graph.edge_scores(self.model.base_weight, &parts, &mut scores);
        scores
    }

    /// The tokens, those without a tag with the most likely tag of the word by itself: for trees without a parse.
    pub fn tagged(&self, tokens: &Tree) -> Tree {
        self.forester.tagged(tokens)
    }
}

/// The best trees of a graph whose edges have these scores, the best first.
///
/// # Errors
/// If a tree is larger than one can be.
pub(crate) fn decode(
    graph: &mut Graph,
    scores: &[f32],
    decoder: Decoder,
    num_best: usize,
    symbols: &Symbols,
    tokens: &Tree,
) -> Result<Vec<ChartParse>> {
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
            (Decoder::MaxRecall, kind) => worth(kind, phrase.copied().unwrap_or(0.0)),
        };
    }
    let mut best = KBest::default();
    // Several derivations may be the same tree if names of symbols say more than labels.
    best.find(&graph.forest, if num_best > 1 { 2 * num_best } else { 1 });
    let mut parses: Vec<ChartParse> = Vec::new();
    for rank in 0..best.of(root).len() {
        let parse = parse_of(symbols, &graph.forest, &best, root, rank as u32, tokens)?;
        if parses.len() < num_best && !parses.iter().any(|other| other.tree == parse.tree) {
            parses.push(parse);
        }
    }
    Ok(parses)
}

/// How likely each part is.
fn part_posteriors(graph: &Graph, edges: &[f32]) -> Vec<f32> {
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
fn set_confidences(graph: &mut Graph, of_parts: &[f32]) {
    for index in 0..graph.forest.items.len() {
        let first = graph.forest.items[index].first_edge as usize;
        let edges = first..first + graph.forest.edges(index).len();
        let phrase = graph.of_edges[edges].iter().find_map(|[phrase, _]| of_parts.get(*phrase as usize));
        graph.forest.items[index].posterior = phrase.map_or(0.0, |posterior| posterior.min(1.0));
    }
}
