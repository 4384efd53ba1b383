//! One grammar, or several that parse together: a rule at a place is worth the product of what each of them thinks of
//! it (Petrov 2010).
//!
//! Each grammar makes a forest of the sentence, and the scores of the first are averaged with those of the others,
//! edge by edge. What one of the others does not have is, to that one, as unlikely as can be; what the first does not
//! have is in no parse. A grammar without a parse has no say, nor has one that did not come to its finest level
//! unless no other did.
//!
//! Before any splits the grammars of a treebank are the same but for what smoothing and rounding of the finer ones
//! leave of the difference. So the coarsest is asked only once, which is nearly half of the work of a single grammar:
//! two grammars parse 53 sentences of gum a CPU-second, and 39 if each starts from the coarsest
//! (record/2026-11-16-product.md).

use std::iter::Peekable;
use std::slice::Iter;
use std::time::Instant;

use super::cells::Chart;
use super::forest::{EdgeKind, ForestEdge, PackedForest, SMALLEST_POSTERIOR, worth};
use super::grammar_parser::{FoundForest, GrammarParser};
use super::kbest::KBest;
use super::options::{ChartOptions, Decoder};
use super::output::best_parses;
use super::query::Query;
use crate::error::Result;
use crate::model::{GrammarModel, Symbol};
use crate::parse::{Parse, Status};
use crate::span::Span;

/// Parses with one or more grammars, in memory of its own: one for each thread.
#[derive(Debug)]
pub(super) struct ProductParser<'m> {
    parsers: Vec<GrammarParser<'m>>,
    decoder: Decoder,
    coarsest: Chart,
    forest: PackedForest,
    best: KBest,
}

impl<'m> ProductParser<'m> {
    /// A parser with these grammars. Derivations of different grammars have nothing in common, so that in place of the
    /// best of them ([`Decoder::Viterbi`]) several find the tree with the best rules.
    pub(super) fn new(grammars: &'m [GrammarModel], options: &ChartOptions) -> Self {
        let decoder = match options.decoder {
            Decoder::Viterbi if grammars.len() > 1 => Decoder::MaxRule,
            decoder => decoder,
        };
        let parser = |grammar| GrammarParser::new(grammar, ChartOptions { decoder, ..options.clone() });
        Self {
            parsers: grammars.iter().map(parser).collect(),
            decoder,
            coarsest: Chart::default(),
            forest: PackedForest::default(),
            best: KBest::default(),
        }
    }

    /// The best trees of a sentence, the best first, and how it went. There are none if that is a fallback.
    ///
    /// # Errors
    /// If a tree is larger than one can be.
    pub(super) fn parse(&mut self, query: Query<'_>) -> Result<(Vec<Parse>, Status)> {
        if let [only] = &mut self.parsers[..] {
            return only.parse(query);
        }
        let (root, status) = self.average(query);
        let Some(root) = root else { return Ok((Vec::new(), status)) };
        let (symbols, num_best) = (self.first().symbols(), query.num_best);
        let parses = best_parses(num_best, symbols, &self.forest, &mut self.best, root, query.tokens)?;
        match (parses.is_empty(), status.limit()) {
            // What is likely to all may not fit together.
            (true, None) => self.parsers[0].parse(query),
            (true, limit) => Ok((parses, Status::Fallback(limit))),
            (false, _) => Ok((parses, status)),
        }
    }

    /// The parser with the first grammar.
    pub(super) fn first(&self) -> &GrammarParser<'m> {
        &self.parsers[0]
    }

    /// Makes the forest; where its root is, if there is one, and how it went.
    fn average(&mut self, query: Query<'_>) -> (Option<usize>, Status) {
        let Self { parsers, decoder, coarsest, forest, .. } = self;
        let mut no_coarsest = None;
        if let Some(parser) = parsers.iter_mut().find(|parser| parser.has_splits()) {
            no_coarsest = parser.coarsest(query, coarsest);
        }
        let (mut mean, mut coarser, mut limit) = (Mean::default(), None, None);
        let num_parsers = parsers.len();
        for (index, parser) in parsers.iter_mut().enumerate() {
            let deadline = query.deadline.map(|deadline| share_of(deadline, num_parsers - index));
            let query = Query { deadline, ..query };
            let (found, status) = match (parser.has_splits(), no_coarsest) {
                (true, Some(status)) => (None, status),
                (true, None) => parser.forest_from(coarsest, query),
                (false, _) => parser.forest(query),
            };
            // If one was cut short, so were all; one without a parse is no harm if there is another.
            limit = limit.or(status.limit());
            match found {
                Some(found) if found.is_finest => mean.add(*decoder, forest, &found),
                Some(found) => _ = coarser.get_or_insert((index, found.root)),
                None => {}
            }
        }
        if let (0, Some((index, root))) = (mean.num_forests, coarser) {
            let found = FoundForest { forest: parsers[index].last_forest(), root, is_finest: false };
            mean.add(*decoder, forest, &found);
        }
        forest.scale(1.0 / mean.num_forests.max(1) as f32);
        let status = match mean.root {
            Some(_) => limit.map_or(Status::Pruned, Status::CutShort),
            None => Status::Fallback(limit),
        };
        (mean.root, status)
    }
}

/// When the first of several that share the time until a deadline evenly has to be done.
fn share_of(deadline: Instant, num_sharing: usize) -> Instant {
    let now = Instant::now();
    now + deadline.saturating_duration_since(now) / num_sharing as u32
}

/// Which forests were added up.
#[derive(Default)]
struct Mean {
    root: Option<usize>,
    num_forests: usize,
}

impl Mean {
    fn add(&mut self, decoder: Decoder, forest: &mut PackedForest, found: &FoundForest<'_>) {
        match self.root {
            Some(_) => add(decoder, forest, found.forest),
            None => forest.copy_from(found.forest),
        }
        self.root = self.root.or(Some(found.root));
        self.num_forests += 1;
    }
}

/// Adds the scores and posteriors of another forest.
fn add(decoder: Decoder, forest: &mut PackedForest, other: &PackedForest) {
    let same = same_items(forest, other);
    for (item, &counterpart) in same.iter().enumerate() {
        let posterior = counterpart.map_or(0.0, |it| other.items[it as usize].posterior);
        forest.items[item].posterior += posterior;
        let mut theirs = counterpart.map_or(&[][..], |it| other.edges(it as usize)).iter().peekable();
        for edge in forest.edges_mut(item) {
            edge.score += match (decoder, edge.kind) {
                (_, EdgeKind::Same(_)) => 0.0,
                (Decoder::MaxRecall, kind) => worth(kind, posterior),
                (Decoder::MaxRuleSum, kind) => {
                    score_in(&mut theirs, kind, &same).unwrap_or_else(|| worth(kind, 0.0))
                }
                (_, kind) => score_in(&mut theirs, kind, &same).unwrap_or(SMALLEST_POSTERIOR.ln()),
            };
        }
    }
}

/// The score of an edge in another forest, if it is there. Both have the edges of an item in the order of their
/// [`children_of`].
fn score_in(
    theirs: &mut Peekable<Iter<'_, ForestEdge>>,
    kind: EdgeKind,
    same: &[Option<u32>],
) -> Option<f32> {
    let counterpart = |child: u32| same[child as usize];
    let wanted = match children_of(kind) {
        [Some(left), Some(right)] => [Some(counterpart(left)?), Some(counterpart(right)?)],
        [Some(only), None] => [Some(counterpart(only)?), None],
        none => none,
    };
    while theirs.next_if(|edge| children_of(edge.kind) < wanted).is_some() {}
    theirs.peek().filter(|edge| children_of(edge.kind) == wanted).map(|edge| edge.score)
}

fn children_of(kind: EdgeKind) -> [Option<u32>; 2] {
    match kind {
        // Comes first, and has no counterpart.
        EdgeKind::Word | EdgeKind::Same(_) => [None, None],
        EdgeKind::Unary(child) => [Some(child), None],
        EdgeKind::Binary(left, right) => [Some(left), Some(right)],
    }
}

/// For each item of a forest the same one of another: of the same symbol, over the same span, with as many unary rules
/// at most.
fn same_items(forest: &PackedForest, other: &PackedForest) -> Vec<Option<u32>> {
    let mut same = Vec::with_capacity(forest.items.len());
    while let Some(item) = forest.items.get(same.len()) {
        let mut theirs = in_layers(other, item.span).peekable();
        for (wanted, _) in in_layers(forest, item.span) {
            while theirs.next_if(|(their, _)| *their < wanted).is_some() {}
            same.push(theirs.next_if(|(their, _)| *their == wanted).map(|(_, place)| place as u32));
        }
    }
    same
}

/// The items over a span with the number of their layer and their symbol, which rise: a layer has its symbols in
/// order, and those with fewer unary rules come first.
fn in_layers(forest: &PackedForest, span: Span) -> impl Iterator<Item = ((usize, Symbol), usize)> {
    let (mut layer, mut last) = (0, None);
    forest.cell(span).map(move |place| {
        let symbol = forest.items[place].symbol;
        layer += usize::from(last.is_some_and(|last| symbol <= last));
        last = Some(symbol);
        ((layer, symbol), place)
    })
}
