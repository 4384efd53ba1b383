//! Several grammars parse together: a rule at a place is worth the product of what each of them thinks of it (Petrov 2010).
//!
//! Each grammar makes a forest of the sentence, and the scores of the first are averaged with those of the others, edge by edge. What one
//! of the others does not have is, to that one, as unlikely as can be; what the first does not have is in no parse. A grammar without a parse
//! has no say, nor has one that did not come to its finest level unless no other did.
//!
//! Before any splits the grammars of a treebank are the same but for what smoothing and rounding of the finer ones leave of the difference. So
//! the coarsest is asked only once, which is nearly half of the work of a single grammar.

use std::iter::Peekable;
use std::slice::Iter;
use std::time::Instant;

use super::cells::Chart;
use super::forest::{Decoder, Edge, EdgeKind, Forest, SMALLEST_POSTERIOR, worth};
use super::kbest::KBest;
use super::output::ChartParse;
use super::worker::{ChartConfig, ChartParser, Ending, Found, Request, best_parses};
use crate::error::Result;
use crate::model::{GrammarProduct, Symbol};
use crate::span::Span;
use crate::tree::Tree;

/// Parses with several grammars, in memory of its own: one for each thread.
#[derive(Debug)]
pub struct ProductParser<'m> {
    parsers: Vec<ChartParser<'m>>,
    config: ChartConfig,
    coarsest: Chart,
    forest: Forest,
    best: KBest,
}

impl<'m> ProductParser<'m> {
    /// A parser with these grammars. Derivations of different grammars have nothing in common, so that in place of the best
    /// of them ([`Decoder::Viterbi`]) it finds the tree with the best rules.
    pub fn new(model: &'m GrammarProduct, config: ChartConfig) -> Self {
        let decoder = match config.decoder {
            Decoder::Viterbi => Decoder::MaxRule,
            decoder => decoder,
        };
        let grammars = model.grammars();
        let config = ChartConfig { decoder, ..config };
        Self {
            parsers: grammars.iter().map(|grammar| ChartParser::new(grammar, config.clone())).collect(),
            config,
            coarsest: Chart::default(),
            forest: Forest::default(),
            best: KBest::default(),
        }
    }

    /// Parses a sentence: the best trees, the best first, and how it went. The list is empty if there is no parse.
    ///
    /// # Errors
    /// If no tree over the sentence can meet the constraints, or the grammars do not know a label of theirs.
    pub fn parse(&mut self, request: Request<'_>) -> Result<(Vec<ChartParse>, Ending)> {
        let (root, ending) = self.average(request)?;
        let Some(root) = root else { return Ok((Vec::new(), ending)) };
        let (symbols, num_best) = (self.parsers[0].symbols(), self.config.num_best);
        let parses = best_parses(num_best, symbols, &self.forest, &mut self.best, root, request.tokens)?;
        match (parses.is_empty(), ending) {
            // What is likely to all may not fit together.
            (true, Ending::Complete) => self.parsers[0].parse(request),
            _ => Ok((parses, ending)),
        }
    }

    /// Makes the forest; where its root is, if there is one, and how it went.
    fn average(&mut self, request: Request<'_>) -> Result<(Option<usize>, Ending)> {
        let Self { parsers, config, coarsest, forest, .. } = self;
        let deadline = config.deadline();
        let mut no_coarsest = None;
        if let Some(parser) = parsers.iter_mut().find(|parser| parser.has_splits()) {
            no_coarsest = parser.coarsest(request, deadline, coarsest)?;
        }
        let (mut mean, mut coarser, mut endings) = (Mean::default(), None, Vec::new());
        let num_parsers = parsers.len();
        for (index, parser) in parsers.iter_mut().enumerate() {
            let deadline = deadline.map(|deadline| share_of(deadline, num_parsers - index));
            let (found, ending) = match (parser.has_splits(), no_coarsest) {
                (true, Some(ending)) => (None, ending),
                (true, None) => parser.forest_from(coarsest, request, deadline),
                (false, _) => parser.forest(request, deadline)?,
            };
            endings.push(ending);
            match found {
                Some(found) if found.is_finest => mean.add(config.decoder, forest, &found),
                Some(found) => _ = coarser.get_or_insert((index, found.root)),
                None => {}
            }
        }
        if let (0, Some((index, root))) = (mean.num_forests, coarser) {
            let found = Found { forest: parsers[index].last_forest(), root, is_finest: false };
            mean.add(config.decoder, forest, &found);
        }
        forest.scale(1.0 / mean.num_forests.max(1) as f32);
        Ok((mean.root, ending_of_all(mean.root.is_some(), &endings)))
    }

    /// The tokens, those without a tag with the most likely tag of the word by itself: for trees without a parse.
    pub fn tagged(&self, tokens: &Tree) -> Tree {
        self.parsers[0].tagged(tokens)
    }
}

/// When the first of several that share the time until a deadline evenly has to be done.
fn share_of(deadline: Instant, num_sharing: usize) -> Instant {
    let now = Instant::now();
    now + deadline.saturating_duration_since(now) / num_sharing as u32
}

/// How it went with all: if one was cut short, so were they; one without a parse is no harm if there is another.
fn ending_of_all(has_parse: bool, endings: &[Ending]) -> Ending {
    let late = endings.iter().find(|ending| **ending == Ending::Deadline);
    match (late, has_parse) {
        (Some(late), _) => *late,
        (None, true) => Ending::Complete,
        (None, false) => endings.first().copied().unwrap_or(Ending::NoParse),
    }
}

/// Which forests were added up.
#[derive(Default)]
struct Mean {
    root: Option<usize>,
    num_forests: usize,
}

impl Mean {
    fn add(&mut self, decoder: Decoder, forest: &mut Forest, found: &Found<'_>) {
        match self.root {
            Some(_) => add(decoder, forest, found.forest),
            None => forest.copy_from(found.forest),
        }
        self.root = self.root.or(Some(found.root));
        self.num_forests += 1;
    }
}

/// Adds the scores and posteriors of another forest.
fn add(decoder: Decoder, forest: &mut Forest, other: &Forest) {
    let same = same_items(forest, other);
    for (item, &counterpart) in same.iter().enumerate() {
        let posterior = counterpart.map_or(0.0, |it| other.items[it as usize].posterior);
        forest.items[item].posterior += posterior;
        let mut theirs = counterpart.map_or(&[][..], |it| other.edges(it as usize)).iter().peekable();
        for edge in forest.edges_mut(item) {
            edge.score += match (decoder, edge.kind) {
                (_, EdgeKind::Same(_)) => 0.0,
                (Decoder::MaxRecall, kind) => worth(kind, posterior),
                (_, kind) => score_in(&mut theirs, kind, &same).unwrap_or(SMALLEST_POSTERIOR.ln()),
            };
        }
    }
}

/// The score of an edge in another forest, if it is there. Both have the edges of an item in the order of their [`children_of`].
fn score_in(theirs: &mut Peekable<Iter<'_, Edge>>, kind: EdgeKind, same: &[Option<u32>]) -> Option<f32> {
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

/// For each item of a forest the same one of another: of the same symbol, over the same span, with as many unary rules at most.
fn same_items(forest: &Forest, other: &Forest) -> Vec<Option<u32>> {
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

/// The items over a span with the number of their layer and their symbol, which rise: a layer has its symbols in order, and those with
/// fewer unary rules come first.
fn in_layers(forest: &Forest, span: Span) -> impl Iterator<Item = ((usize, Symbol), usize)> {
    let (mut layer, mut last) = (0, None);
    forest.cell(span).map(move |place| {
        let symbol = forest.items[place].symbol;
        layer += usize::from(last.is_some_and(|last| symbol <= last));
        last = Some(symbol);
        ((layer, symbol), place)
    })
}
