//! Several grammars parse together: a rule at a place is worth the product of what each of them thinks of it (Petrov 2010).
//!
//! Each grammar makes a forest of the sentence, and the scores of the first are averaged with those of the others, edge by edge. What one
//! of the others does not have is, to that one, as unlikely as can be; what the first does not have is in no parse. Before any splits the
//! grammars of a treebank are the same, so the coarsest is asked only once, which is nearly half of the work of a single grammar.

use std::time::Instant;

use super::cells::Chart;
use super::forest::{Decoder, EdgeKind, Forest, SMALLEST_POSTERIOR};
use super::kbest::KBest;
use super::output::ChartParse;
use super::worker::{ChartConfig, ChartParser, Ending, Request, best_parses};
use crate::error::Result;
use crate::model::GrammarProduct;
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
    /// If no tree over the sentence can meet the demands, or the grammars do not know a label of theirs.
    pub fn parse(&mut self, request: Request<'_>) -> Result<(Vec<ChartParse>, Ending)> {
        let deadline = self.config.deadline();
        if let Some(ending) = self.parsers[0].fill_coarsest_for(request, deadline)? {
            return Ok((Vec::new(), ending));
        }
        self.coarsest.clone_from(self.parsers[0].chart());
        let (root, ending) = self.average(request, deadline)?;
        let Some(root) = root else { return Ok((Vec::new(), ending)) };
        let symbols = self.parsers[0].symbols();
        let parses = best_parses(&self.config, symbols, &self.forest, &mut self.best, root, request.tokens)?;
        Ok((parses, ending))
    }

    /// Makes the forest, from the chart of the coarsest grammar on; where its root is, if there is one, and how it went.
    fn average(
        &mut self,
        request: Request<'_>,
        deadline: Option<Instant>,
    ) -> Result<(Option<usize>, Ending)> {
        let missing = match self.config.decoder {
            Decoder::MaxRecall => 0.0,
            _ => SMALLEST_POSTERIOR.ln(),
        };
        let (mut root, mut num_forests, mut is_late) = (None, 0, false);
        let num_parsers = self.parsers.len();
        for (index, parser) in self.parsers.iter_mut().enumerate() {
            let deadline = deadline.map(|deadline| share_of(deadline, num_parsers - index));
            let (found, ending) = match parser.has_splits() {
                true => parser.forest_from(&self.coarsest, request, deadline),
                false => parser.forest(request)?,
            };
            is_late |= ending == Ending::Deadline;
            let Some((forest, its_root)) = found else { continue };
            num_forests += 1;
            match root {
                Some(_) => add(&mut self.forest, forest, missing),
                None => self.forest.clone_from(forest),
            }
            root = root.or(Some(its_root));
        }
        self.forest.scale(1.0 / num_forests.max(1) as f32);
        let ending = match (root, is_late) {
            (_, true) => Ending::Deadline,
            (None, false) => Ending::NoParse,
            (Some(_), false) => Ending::Complete,
        };
        Ok((root, ending))
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

/// Adds the scores and posteriors of another forest. An edge that it does not have is worth `missing`.
fn add(forest: &mut Forest, other: &Forest, missing: f32) {
    let same = same_items(forest, other);
    let place_of = |item: u32| same[item as usize];
    for (item, their_item) in same.iter().enumerate() {
        let theirs = their_item.map_or(&[][..], |it| other.edges(it as usize));
        forest.items[item].posterior += their_item.map_or(0.0, |it| other.items[it as usize].posterior);
        // Both have their edges in the same order, so the next is most likely behind the last.
        let mut next = 0;
        for edge in forest.edges_mut(item) {
            let wanted = match edge.kind {
                EdgeKind::Same(_) => continue,
                EdgeKind::Word => Some(EdgeKind::Word),
                EdgeKind::Unary(child) => place_of(child).map(EdgeKind::Unary),
                EdgeKind::Binary(left, right) => {
                    place_of(left).zip(place_of(right)).map(|(left, right)| EdgeKind::Binary(left, right))
                }
            };
            let (before, behind) = theirs.split_at(next);
            let mut places = (next..).zip(behind).chain((0..).zip(before));
            let found = wanted.and_then(|wanted| places.find(|(_, edge)| edge.kind == wanted));
            next = found.map_or(next, |(place, _)| place + 1);
            edge.score += found.map_or(missing, |(_, edge)| edge.score);
        }
    }
}

/// For each item of a forest the same one of another: of the same symbol, over the same span, with as many unary rules at most.
fn same_items(forest: &Forest, other: &Forest) -> Vec<Option<u32>> {
    let mut same = Vec::with_capacity(forest.items.len());
    for (index, item) in forest.items.iter().enumerate() {
        let is_same = |place: &usize, items: &Forest| items.items[*place].symbol == item.symbol;
        // Those with fewer unary rules come first.
        let num_before =
            forest.cell(item.span).take_while(|it| *it < index).filter(|it| is_same(it, forest)).count();
        let found = other.cell(item.span).filter(|it| is_same(it, other)).nth(num_before);
        same.push(found.map(|place| place as u32));
    }
    same
}
