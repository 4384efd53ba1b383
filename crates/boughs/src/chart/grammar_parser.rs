//! Parsing a sentence with one grammar: coarse to fine, then the best trees of what is left.

use super::cells::{CellEntry, Chart, spans};
use super::forest::{PackedForest, build};
use super::inside::{Scratch, inside};
use super::kbest::KBest;
use super::mask::Mask;
use super::options::{ChartOptions, Decoder};
use super::output::best_parses;
use super::outside::outside;
use super::prune::refine;
use super::query::Query;
use super::semiring::SumSemiring;
use crate::error::Result;
use crate::model::{Grammar, GrammarModel, Level, Splits, Symbol, Symbols};
use crate::parse::{Limit, Parse, Status};
use crate::span::Span;
use crate::tree::Tokens;

/// By which factor the coarse grammar behind a plain one may find something less likely than the best over its span.
const PROJECTED_BEAM: f32 = 1e-6;

/// The posterior probability by that grammar below which nothing is looked at.
const PROJECTED_POSTERIOR: f32 = 1e-6;

/// The parses of a sentence.
pub(super) struct FoundForest<'f> {
    pub(super) forest: &'f PackedForest,
    /// Where the root is.
    pub(super) root: usize,
    /// Whether they are those of the finest grammar, or else of one that came to an end before.
    pub(super) is_finest: bool,
}

/// Parses with one grammar, in memory of its own: one for each thread.
///
/// How it went is a [`Status`]: pruned as it should be; cut short, with the parses of a coarser grammar, if there was
/// no time for a finer one; a fallback, without any parse, if there was no time at all or the grammar has none.
#[derive(Debug)]
pub(crate) struct GrammarParser<'m> {
    model: &'m GrammarModel,
    options: ChartOptions,
    /// The levels that are worth going through.
    stages: Vec<usize>,
    /// What the coarsest grammar can have over one word, and over several.
    candidates: [Vec<Symbol>; 2],
    /// The parser of the coarse grammar behind a plain one with many symbols.
    projected: Option<Box<Self>>,
    /// What that grammar finds worth a look, a bit for each of its symbols over each span.
    likely: Vec<u64>,
    /// Whether only coarser grammars may leave something out.
    is_loose: bool,
    chart: Chart,
    coarse: Chart,
    scratch: Scratch,
    forest: PackedForest,
    best: KBest,
}

impl<'m> GrammarParser<'m> {
    /// A parser with this grammar.
    pub(crate) fn new(model: &'m GrammarModel, options: ChartOptions) -> Self {
        let coarse = model.projection().filter(|_| options.beam > 0.0);
        let projected = coarse.map(|coarse| {
            // It decides nothing but what is hopeless.
            let (beam, thresholds) = (PROJECTED_BEAM.min(options.beam), vec![PROJECTED_POSTERIOR.ln()]);
            let options = ChartOptions { beam, thresholds, ..options.clone() };
            Box::new(Self::new(&coarse.model, options))
        });
        Self {
            model,
            options,
            projected,
            likely: Vec::new(),
            stages: stages(model),
            candidates: candidates(model),
            is_loose: false,
            chart: Chart::default(),
            coarse: Chart::default(),
            scratch: Scratch::default(),
            forest: PackedForest::default(),
            best: KBest::default(),
        }
    }

    pub(super) fn symbols(&self) -> &'m Symbols {
        self.model.symbols()
    }

    /// The best trees of a sentence, the best first, and how it went. There are none if that is a fallback.
    ///
    /// # Errors
    /// If a tree is larger than one can be.
    pub(crate) fn parse(&mut self, query: Query<'_>) -> Result<(Vec<Parse>, Status)> {
        let found = self.parse_at_last(query);
        self.is_loose = false;
        found
    }

    /// Parses with less and less pruning until there is a tree. What is likely one by one may not fit together, or be
    /// above something that is not: then the unlikely is needed, and at last whatever has a derivation. Without this
    /// one sentence of wsj dev in seventy had no parse by an annotated grammar (record/2026-11-16-product.md).
    fn parse_at_last(&mut self, query: Query<'_>) -> Result<(Vec<Parse>, Status)> {
        let decoder = self.options.decoder;
        for (is_loose, decoder) in [(false, decoder), (true, decoder), (true, Decoder::Viterbi)] {
            self.is_loose = is_loose;
            let (level, status) = self.fill(query);
            let Some(level) = level else { return Ok((Vec::new(), status)) };
            let Some(root) = self.build(level, decoder) else { continue };
            let (symbols, num_best) = (self.model.symbols(), query.num_best);
            let parses = best_parses(num_best, symbols, &self.forest, &mut self.best, root, query.tokens)?;
            if !parses.is_empty() {
                return Ok((parses, status));
            }
            if status.limit().is_some() {
                return Ok((parses, Status::Fallback(status.limit())));
            }
        }
        Ok((Vec::new(), Status::Fallback(None)))
    }

    /// Fills the chart with finer and finer grammars; the level of the finest that was done.
    fn fill(&mut self, query: Query<'_>) -> (Option<usize>, Status) {
        match self.fill_coarsest(query) {
            Some(status) => (None, status),
            None => self.fill_finer(1, query),
        }
    }

    /// Fills the chart by the coarsest grammar, without its beam if that leaves no parse; why there is none, if there
    /// is none.
    fn fill_coarsest(&mut self, query: Query<'_>) -> Option<Status> {
        if query.tokens.is_empty() {
            return Some(Status::Fallback(None));
        }
        let beam = if self.is_loose { 0.0 } else { self.options.beam };
        let is_masked = !self.is_loose && self.find_likely(query);
        let has_parse = is_masked && self.fill_within(query, beam, true)
            || !query.is_late() && self.fill_within(query, beam, false)
            || !query.is_late() && beam > 0.0 && self.fill_within(query, 0.0, false);
        (!has_parse).then(|| Status::Fallback(query.is_late().then_some(Limit::Time)))
    }

    /// Which substates of a finer grammar, split from those of the finest one here, are left to look at in a sentence,
    /// and those of `required`; nothing if there is no parse.
    pub(crate) fn survivors(
        &mut self,
        tokens: &Tokens,
        finer: &Grammar,
        splits: &Splits,
        required: &[(Span, Symbol)],
    ) -> Option<Mask> {
        let (level, _) = self.fill(Query::new(tokens));
        let level = level.filter(|level| level + 1 == self.model.levels().len())?;
        let grammar = &self.model.finest().grammar;
        refine(grammar, &self.chart, splits, self.options.threshold(level), &mut self.coarse);
        Some(Mask::new(finer, &self.coarse, required))
    }

    /// Goes on with the grammars from one of the stages on; the level of the finest that was done. A finer grammar that
    /// does not come to its end leaves the parses of the one before.
    fn fill_finer(&mut self, first: usize, query: Query<'_>) -> (Option<usize>, Status) {
        for stage in first..self.stages.len() {
            std::mem::swap(&mut self.chart, &mut self.coarse);
            self.refine(self.stages[stage - 1], None);
            if !self.fill_level(self.stages[stage], query, |_, _| {}) {
                std::mem::swap(&mut self.chart, &mut self.coarse);
                return (Some(self.stages[stage - 1]), unfinished(query));
            }
        }
        (Some(self.model.levels().len() - 1), Status::Pruned)
    }

    /// Notes which symbols of the coarse grammar behind a plain one are in likely parses; whether there are any.
    fn find_likely(&mut self, query: Query<'_>) -> bool {
        let Self { projected: Some(projected), likely, .. } = self else { return false };
        if projected.fill_coarsest(query).is_some() {
            return false;
        }
        let (chart, grammar) = (&projected.chart, &projected.model.levels()[0].grammar);
        let width = grammar.num_symbols().div_ceil(64);
        likely.clear();
        for span in spans(query.tokens.len()) {
            let start = likely.len();
            // A cell with a constraint has no posteriors.
            let is_constrained = chart.constraints.of(span).is_some();
            likely.resize(start + width, if is_constrained { u64::MAX } else { 0 });
            for &entry in chart.entries(chart.cell(span)) {
                let place = chart.range(grammar, entry).start;
                let symbol = entry.symbol.index();
                let is_likely = chart.total[place] * chart.outer_bottom[place] >= PROJECTED_POSTERIOR;
                likely[start + symbol / 64] |= u64::from(is_likely) << (symbol % 64);
            }
        }
        true
    }

    /// Puts into the chart what a coarser level leaves to look at, in its own chart or that of another parser.
    fn refine(&mut self, coarse: usize, of_other: Option<&Chart>) {
        let Self { model, options, chart, .. } = self;
        let (grammar, splits) = (&model.levels()[coarse].grammar, &model.splits()[coarse]);
        refine(grammar, of_other.unwrap_or(&self.coarse), splits, options.threshold(coarse), chart);
    }

    /// Fills the chart by the coarsest grammar, which looks at what is over each span and not much less likely than the
    /// best there.
    fn fill_within(&mut self, query: Query<'_>, beam: f32, is_masked: bool) -> bool {
        let (symbols, level) = (self.model.symbols(), &self.model.levels()[0]);
        let mask = self.model.projection().filter(|_| is_masked);
        let width = mask.map_or(0, |mask| mask.model.symbols().len().div_ceil(64));
        self.chart.clear(query.tokens.len());
        self.chart.constraints.clone_from(query.constraints);
        for (place, span) in spans(query.tokens.len()).enumerate() {
            let is_likely = |symbol: Symbol| {
                mask.is_none_or(|mask| {
                    let coarse = mask.coarse_of[symbol.index()].index();
                    self.likely[place * width + coarse / 64] >> (coarse % 64) & 1 == 1
                })
            };
            let is_allowed =
                |symbol: &Symbol| is_likely(*symbol) && query.allows(symbols, &self.options, span, *symbol);
            let candidates = &self.candidates[usize::from(span.len() > 1)];
            self.chart.fill(span, &level.grammar, candidates.iter().copied().filter(is_allowed));
        }
        let root = symbols.root();
        self.fill_level(0, query, |chart, span| narrow(level, chart, span, root, beam))
    }

    /// Fills the chart by one of the grammars; `narrow` sees each cell once it has its inside values.
    fn fill_level(&mut self, level: usize, query: Query<'_>, narrow: impl FnMut(&mut Chart, Span)) -> bool {
        let (model, floor) = (self.model, if self.is_loose { 0.0 } else { self.options.floor(level) });
        let level = &model.levels()[level];
        let Self { chart, scratch, options, .. } = self;
        let score = |place: usize, sums: &mut [f32]| query.score_word(model, level, options, place, sums);
        inside::<SumSemiring>(&level.grammar, chart, scratch, query.deadline, score, narrow)
            && outside::<SumSemiring>(
                &level.grammar,
                model.symbols().root(),
                chart,
                scratch,
                floor,
                query.deadline,
            )
    }

    /// Builds the forest of a level; where its root is.
    fn build(&mut self, level: usize, decoder: Decoder) -> Option<usize> {
        let grammar = &self.model.levels()[level].grammar;
        if !self.is_loose {
            drop_unlikely(grammar, &mut self.chart, self.options.threshold(level));
        }
        let root = self.model.symbols().root();
        build(decoder, grammar, root, &self.chart, &mut self.scratch, &mut self.forest)
    }

    /// The forest of a sentence, for others to score, if there is a parse; and how it went.
    pub(super) fn forest(&mut self, query: Query<'_>) -> (Option<FoundForest<'_>>, Status) {
        let (level, status) = self.fill(query);
        (level.and_then(|level| self.found(level)), status)
    }

    /// The same from the chart of a coarsest grammar like its own on, if it [has splits](Self::has_splits).
    pub(super) fn forest_from(
        &mut self,
        coarsest: &Chart,
        query: Query<'_>,
    ) -> (Option<FoundForest<'_>>, Status) {
        self.refine(0, Some(coarsest));
        let (level, status) = match self.fill_level(self.stages[1], query, |_, _| {}) {
            true => self.fill_finer(2, query),
            false => {
                self.chart.clone_from(coarsest);
                (Some(0), unfinished(query))
            }
        };
        (level.and_then(|level| self.found(level)), status)
    }

    fn found(&mut self, level: usize) -> Option<FoundForest<'_>> {
        let root = self.build(level, self.options.decoder)?;
        let is_finest = level + 1 == self.model.levels().len();
        Some(FoundForest { forest: &self.forest, root, is_finest })
    }

    /// Puts the chart of the coarsest grammar there; why there is no parse, if there is none.
    pub(super) fn coarsest(&mut self, query: Query<'_>, chart: &mut Chart) -> Option<Status> {
        let status = self.fill_coarsest(query);
        std::mem::swap(&mut self.chart, chart);
        status
    }

    /// The forest that was found last.
    pub(super) fn last_forest(&self) -> &PackedForest {
        &self.forest
    }

    /// Whether there are finer grammars than the coarsest.
    pub(super) fn has_splits(&self) -> bool {
        self.stages.len() > 1
    }

    /// For each tag the logarithm of P(word | tag) at a place, up to a number that is the same for all tags; for each
    /// substate of the tags if these are annotated.
    pub(super) fn word_scores(&self, query: Query<'_>, place: usize, is_annotated: bool) -> Vec<f32> {
        if is_annotated {
            let level = self.model.finest();
            let mut scores = vec![0.0; level.grammar.num_substates()];
            query.score_word(self.model, level, &self.options, place, &mut scores);
            return scores.into_iter().map(f32::ln).collect();
        }
        let scores = query.tag_scores(self.model, &self.options, place);
        scores.map(|(score, total)| (score / total.max(f32::MIN_POSITIVE)).ln()).collect()
    }

    /// The tokens, those without a tag with the most likely tag of the word by itself: for trees without a parse.
    pub(super) fn tagged(&self, tokens: &Tokens) -> Tokens {
        let (symbols, query) = (self.model.symbols(), Query::new(tokens));
        let mut tagged = tokens.clone();
        for place in (0..tokens.len()).filter(|&place| tokens.get(place).tag.is_empty()) {
            let scores = query.tag_scores(self.model, &self.options, place).map(|(score, _)| score);
            let better = |a: (Symbol, f32), b: (Symbol, f32)| if b.1 > a.1 { b } else { a };
            if let Some((best, _)) = symbols.iter().zip(scores).reduce(better) {
                tagged.set_tag(place, symbols.name(best));
            }
        }
        tagged
    }
}

/// How it went if a finer grammar did not come to its end: without a parse of its own it leaves the one before as it
/// is.
fn unfinished(query: Query<'_>) -> Status {
    if query.is_late() { Status::CutShort(Limit::Time) } else { Status::Pruned }
}

/// What a grammar can have over one word, and over several. A symbol without a rule there would be a zero in
/// every cell: a fifth of the work with the grammar of a fold, which lacks many symbols of the treebank.
fn candidates(model: &GrammarModel) -> [Vec<Symbol>; 2] {
    let (symbols, grammar) = (model.symbols(), &model.levels()[0].grammar);
    let mut has_unary: Vec<bool> = symbols.iter().map(|symbol| symbols.is_tag(symbol)).collect();
    let mut has_rule = vec![false; symbols.len()];
    for rule in grammar.rules() {
        has_rule[rule.parent.index()] = true;
        has_unary[rule.parent.index()] |= rule.right.is_none();
    }
    [has_unary, has_rule].map(|has| symbols.iter().filter(|symbol| has[symbol.index()]).collect())
}

/// The coarsest and the finest level, and all others whose substates are not those of the next: a grammar that is as
/// fine as the one it prunes for costs as much as it saves (record/2026-11-16-conditional.md).
pub(super) fn stages(model: &GrammarModel) -> Vec<usize> {
    let is_split = |level: usize| {
        let mut origins = model.splits()[level].iter().flat_map(|origins| (0..).zip(origins));
        origins.any(|(place, &origin): (u16, &u16)| place != origin)
    };
    let last = model.splits().len();
    (0..=last).filter(|&level| level == 0 || level == last || is_split(level)).collect()
}

/// Drops the symbols of a cell that are unlikely compared to the best there, by how often they occur and what is below
/// them.
fn narrow(level: &Level, chart: &mut Chart, span: Span, root: Symbol, beam: f32) {
    if chart.constraints.of(span).is_some() {
        return;
    }
    let merit = |chart: &Chart, entry: CellEntry| {
        let weights = &level.weights[level.grammar.substates(entry.symbol)];
        chart.total[chart.range(&level.grammar, entry)].iter().zip(weights).map(|(a, b)| a * b).sum::<f32>()
    };
    let entries = chart.entries(chart.cell(span));
    let best = entries.iter().map(|&entry| merit(chart, entry)).fold(0.0, f32::max);
    chart.retain(span, |chart, entry| entry.symbol == root || merit(chart, entry) >= beam * best);
}

/// Drops symbols that are hardly in any parse.
fn drop_unlikely(grammar: &Grammar, chart: &mut Chart, threshold: f32) {
    for span in chart.spans().filter(|&span| chart.constraints.of(span).is_none()).collect::<Vec<_>>() {
        chart.retain(span, |chart, entry| {
            let range = chart.range(grammar, entry);
            let inside = chart.total[range.clone()].iter().zip(&chart.outer_bottom[range]);
            inside.map(|(inside, outside)| inside * outside).sum::<f32>() >= threshold
        });
    }
}
