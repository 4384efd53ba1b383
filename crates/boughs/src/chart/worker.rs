//! Parsing a sentence: coarse to fine, then the best trees of what is left.

use std::time::{Duration, Instant};

use super::cells::{Chart, Entry, spans};
use super::constraints::CellConstraints;
use super::forest::{Decoder, Forest, build};
use super::inside::{Scratch, inside};
use super::kbest::KBest;
use super::mask::Mask;
use super::output::{ChartParse, parse_of};
use super::outside::outside;
use super::prune::refine;
use super::semiring::{Semiring, Sum};
use crate::error::Result;
use crate::model::{Grammar, GrammarModel, Level, Splits, Symbol, Symbols};
use crate::span::Span;
use crate::tree::{Constraints, Tree};

/// How to parse.
#[derive(Debug, Clone, PartialEq)]
pub struct ChartConfig {
    /// Which tree is the best.
    pub decoder: Decoder,
    /// How many trees are wanted.
    pub num_best: usize,
    /// For each level but the last, the logarithm of the posterior probability below which a sub-symbol is not looked at in the next; the last
    /// one stands for all that follow.
    pub thresholds: Vec<f32>,
    /// How sure it is that the tags of the input are right: what is given is kept at 1; below, it counts as much as a tagger that is so often right.
    pub tag_prior: f32,
    /// How much [hints](Request::hints) count; 0 for not at all.
    pub tagger_weight: f32,
    /// In the coarsest grammar, what is less likely than the best over the same span by this factor is not looked at; 0 keeps all.
    pub beam: f32,
    /// More words are not even tried.
    pub max_length: Option<usize>,
    /// The time after which the best that was found is taken.
    pub timeout: Option<Duration>,
}

impl Default for ChartConfig {
    fn default() -> Self {
        Self {
            decoder: Decoder::MaxRule,
            num_best: 1,
            thresholds: vec![-8.0, -9.75, -10.0, -9.6, -9.66, -8.01],
            tag_prior: 1.0,
            tagger_weight: 0.35,
            beam: 1e-4,
            max_length: None,
            timeout: None,
        }
    }
}

impl ChartConfig {
    /// Prunes less.
    pub fn accurate() -> Self {
        let thresholds = vec![-8.0, -12.0, -12.0, -11.0, -12.0, -12.0, -14.0];
        Self { thresholds, beam: 1e-6, ..Self::default() }
    }

    /// Looks at everything.
    pub fn exact() -> Self {
        Self { thresholds: vec![f32::NEG_INFINITY], beam: 0.0, ..Self::default() }
    }

    /// When the time for a sentence that begins now is up.
    pub(super) fn deadline(&self) -> Option<Instant> {
        self.timeout.and_then(|timeout| Instant::now().checked_add(timeout))
    }

    /// The posterior that is too small to matter for anything below.
    fn floor(&self, level: usize) -> f32 {
        0.03 * self.threshold(level)
    }

    /// By which factor a given tag makes every other one less likely, if those who give tags err towards all others alike.
    fn doubt(&self, model: &GrammarModel) -> f32 {
        let num_others = model.symbols().num_tags().saturating_sub(1).max(1) as f32;
        ((1.0 - self.tag_prior) / (self.tag_prior * num_others)).clamp(0.0, 1.0)
    }

    fn threshold(&self, level: usize) -> f32 {
        let last = self.thresholds.last().copied().unwrap_or(f32::NEG_INFINITY);
        self.thresholds.get(level).copied().unwrap_or(last).exp()
    }
}

/// A sentence to parse.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    /// Words as the grammar knows them, with tags that must be, or may be (see [`ChartConfig::tag_prior`]); where the tag is empty, the grammar tags
    /// for itself.
    pub tokens: &'a Tree,
    /// Constraints on the tree.
    pub constraints: &'a Constraints,
    /// For each word what a tagger thinks of it; nothing if none was asked. Words that have a tag need none.
    pub hints: &'a [TagPosteriors],
}

impl<'a> Request<'a> {
    fn words(&self) -> Words<'a> {
        Words { tokens: self.tokens, hints: self.hints }
    }
}

/// The likeliest tags of a word by the opinion of a tagger, and how likely they are.
pub type TagPosteriors = Vec<(Symbol, f32)>;

/// What a tagger does not think of is no less likely than this.
const SMALLEST_POSTERIOR_OF_TAG: f32 = 0.01;

/// What is known of the words of a sentence.
#[derive(Debug, Clone, Copy)]
struct Words<'a> {
    tokens: &'a Tree,
    hints: &'a [TagPosteriors],
}

/// How parsing went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// As it should.
    Complete,
    /// The time was up: the trees are those of a coarser grammar, or flat.
    Deadline,
    /// The grammar has no parse; the tree is flat.
    NoParse,
    /// The sentence is too long; the tree is flat.
    TooLong,
}

/// The parses of a sentence.
pub(super) struct Found<'f> {
    pub(super) forest: &'f Forest,
    /// Where the root is.
    pub(super) root: usize,
    /// Whether they are those of the finest grammar, or else of one that came to an end before.
    pub(super) is_finest: bool,
}

/// Parses with a grammar, in memory of its own: one for each thread.
#[derive(Debug)]
pub struct ChartParser<'m> {
    model: &'m GrammarModel,
    config: ChartConfig,
    /// The levels that are worth going through.
    stages: Vec<usize>,
    /// Whether only coarser grammars may leave something out.
    is_loose: bool,
    chart: Chart,
    coarse: Chart,
    scratch: Scratch,
    forest: Forest,
    best: KBest,
}

impl<'m> ChartParser<'m> {
    /// A parser with this grammar.
    pub fn new(model: &'m GrammarModel, config: ChartConfig) -> Self {
        Self {
            model,
            config,
            stages: stages(model),
            is_loose: false,
            chart: Chart::default(),
            coarse: Chart::default(),
            scratch: Scratch::default(),
            forest: Forest::default(),
            best: KBest::default(),
        }
    }

    /// Parses a sentence: the best trees, the best first, and how it went. The list is empty if there is no parse.
    ///
    /// # Errors
    /// If no tree over the sentence can meet the constraints, or the grammar does not know a label of theirs.
    pub fn parse(&mut self, request: Request<'_>) -> Result<(Vec<ChartParse>, Ending)> {
        let found = self.parse_at_last(request);
        self.is_loose = false;
        found
    }

    /// Parses with less and less pruning until there is a tree. What is likely one by one may not fit together, or be above something that is not:
    /// then the unlikely is needed, and at last whatever has a derivation.
    fn parse_at_last(&mut self, request: Request<'_>) -> Result<(Vec<ChartParse>, Ending)> {
        let (deadline, decoder) = (self.config.deadline(), self.config.decoder);
        for (is_loose, decoder) in [(false, decoder), (true, decoder), (true, Decoder::Viterbi)] {
            self.is_loose = is_loose;
            let (level, ending) = self.fill(request, deadline)?;
            let Some(level) = level else { return Ok((Vec::new(), ending)) };
            let parses = self.decode(level, decoder, request.tokens)?;
            if !parses.is_empty() || ending == Ending::Deadline {
                return Ok((parses, ending));
            }
        }
        Ok((Vec::new(), Ending::NoParse))
    }

    /// Fills the chart with finer and finer grammars; the level of the finest that was done.
    fn fill(&mut self, request: Request<'_>, deadline: Option<Instant>) -> Result<(Option<usize>, Ending)> {
        match self.fill_coarsest(request, deadline)? {
            Some(ending) => Ok((None, ending)),
            None => Ok(self.fill_finer(1, request.words(), deadline)),
        }
    }

    /// Fills the chart by the coarsest grammar, without its beam if that leaves no parse; why there is none, if there is none.
    fn fill_coarsest(&mut self, request: Request<'_>, deadline: Option<Instant>) -> Result<Option<Ending>> {
        let num_words = request.tokens.num_tokens();
        if self.config.max_length.is_some_and(|most| num_words > most) {
            return Ok(Some(Ending::TooLong));
        }
        if num_words == 0 {
            return Ok(Some(Ending::NoParse));
        }
        let constraints = CellConstraints::new(self.model, request.tokens, request.constraints)?;
        let (words, beam) = (request.words(), if self.is_loose { 0.0 } else { self.config.beam });
        let has_parse = self.fill_within(words, &constraints, beam, deadline)
            || (!is_over(deadline) && beam > 0.0 && self.fill_within(words, &constraints, 0.0, deadline));
        Ok((!has_parse).then(|| if is_over(deadline) { Ending::Deadline } else { Ending::NoParse }))
    }

    /// Which sub-symbols of a finer grammar, split from those of the finest one here, are left to look at in a sentence, and those of `required`;
    /// nothing if there is no parse.
    pub fn survivors(
        &mut self,
        tokens: &Tree,
        finer: &Grammar,
        splits: &Splits,
        required: &[(Span, Symbol)],
    ) -> Option<Mask> {
        let request = Request { tokens, constraints: &Constraints::default(), hints: &[] };
        let (level, _) = self.fill(request, None).ok()?;
        let level = level.filter(|level| level + 1 == self.model.levels().len())?;
        let grammar = &self.model.finest().grammar;
        refine(grammar, &self.chart, splits, self.config.threshold(level), &mut self.coarse);
        Some(Mask::new(finer, &self.coarse, required))
    }

    /// Goes on with the grammars from one of the stages on; the level of the finest that was done.
    fn fill_finer(
        &mut self,
        first: usize,
        words: Words<'_>,
        deadline: Option<Instant>,
    ) -> (Option<usize>, Ending) {
        for stage in first..self.stages.len() {
            std::mem::swap(&mut self.chart, &mut self.coarse);
            self.refine(self.stages[stage - 1], None);
            if !self.fill_level(self.stages[stage], words, deadline, |_, _| {}) {
                std::mem::swap(&mut self.chart, &mut self.coarse);
                return (Some(self.stages[stage - 1]), ending_of(deadline));
            }
        }
        (Some(self.model.levels().len() - 1), Ending::Complete)
    }

    /// Puts into the chart what a coarser level leaves to look at, in its own chart or that of another parser.
    fn refine(&mut self, coarse: usize, of_other: Option<&Chart>) {
        let Self { model, config, chart, .. } = self;
        let (grammar, splits) = (&model.levels()[coarse].grammar, &model.splits()[coarse]);
        refine(grammar, of_other.unwrap_or(&self.coarse), splits, config.threshold(coarse), chart);
    }

    /// Fills the chart by the coarsest grammar, which looks at what is over each span and not much less likely than the best there.
    fn fill_within(
        &mut self,
        words: Words<'_>,
        constraints: &CellConstraints,
        beam: f32,
        deadline: Option<Instant>,
    ) -> bool {
        let (model, level) = (self.model, &self.model.levels()[0]);
        let tokens = words.tokens;
        let (num_words, are_tags_sure) = (tokens.num_tokens(), self.config.doubt(model) == 0.0);
        self.chart.clear(num_words);
        self.chart.constraints.clone_from(constraints);
        for span in spans(num_words) {
            let is_allowed = |symbol: &Symbol| {
                is_allowed(model, tokens, are_tags_sure, span, *symbol)
                    && constraints.allows(model, span, *symbol)
            };
            self.chart.fill(span, &level.grammar, model.symbols().iter().filter(is_allowed));
        }
        let root = model.symbols().root();
        self.fill_level(0, words, deadline, |chart, span| narrow(level, chart, span, root, beam))
    }

    /// Fills the chart by one of the grammars; `narrow` sees each cell once it has its inside values.
    fn fill_level(
        &mut self,
        level: usize,
        words: Words<'_>,
        deadline: Option<Instant>,
        narrow: impl FnMut(&mut Chart, Span),
    ) -> bool {
        let (model, floor) = (self.model, if self.is_loose { 0.0 } else { self.config.floor(level) });
        let level = &model.levels()[level];
        let Self { chart, scratch, config, .. } = self;
        let score = |place: usize, sums: &mut [f32]| score_word(model, level, config, words, place, sums);
        inside::<Sum>(&level.grammar, chart, scratch, deadline, score, narrow)
            && outside::<Sum>(&level.grammar, model.symbols().root(), chart, scratch, floor, deadline)
    }

    fn decode(&mut self, level: usize, decoder: Decoder, tokens: &Tree) -> Result<Vec<ChartParse>> {
        let Some(root) = self.build(level, decoder) else { return Ok(Vec::new()) };
        let num_best = self.config.num_best;
        best_parses(num_best, self.model.symbols(), &self.forest, &mut self.best, root, tokens)
    }

    /// When the time for a sentence that begins now is up.
    pub(super) fn deadline(&self) -> Option<Instant> {
        self.config.deadline()
    }

    pub(super) fn symbols(&self) -> &'m Symbols {
        self.model.symbols()
    }

    /// Builds the forest of a level; where its root is.
    fn build(&mut self, level: usize, decoder: Decoder) -> Option<usize> {
        let grammar = &self.model.levels()[level].grammar;
        if !self.is_loose {
            drop_unlikely(grammar, &mut self.chart, self.config.threshold(level));
        }
        let root = self.model.symbols().root();
        build(decoder, grammar, root, &self.chart, &mut self.scratch, &mut self.forest)
    }

    /// The forest of a sentence, for others to score, if there is a parse; and how it went.
    ///
    /// # Errors
    /// As [`parse`](Self::parse).
    pub(super) fn forest(
        &mut self,
        request: Request<'_>,
        deadline: Option<Instant>,
    ) -> Result<(Option<Found<'_>>, Ending)> {
        let (level, ending) = self.fill(request, deadline)?;
        Ok((level.and_then(|level| self.found(level)), ending))
    }

    /// The same from the chart of a coarsest grammar like its own on, if it [has splits](Self::has_splits).
    pub(super) fn forest_from(
        &mut self,
        coarsest: &Chart,
        request: Request<'_>,
        deadline: Option<Instant>,
    ) -> (Option<Found<'_>>, Ending) {
        self.refine(0, Some(coarsest));
        let (level, ending) = match self.fill_level(self.stages[1], request.words(), deadline, |_, _| {}) {
            true => self.fill_finer(2, request.words(), deadline),
            false => {
                self.chart.clone_from(coarsest);
                (Some(0), ending_of(deadline))
            }
        };
        (level.and_then(|level| self.found(level)), ending)
    }

    fn found(&mut self, level: usize) -> Option<Found<'_>> {
        let root = self.build(level, self.config.decoder)?;
        let is_finest = level + 1 == self.model.levels().len();
        Some(Found { forest: &self.forest, root, is_finest })
    }

    /// Puts the chart of the coarsest grammar there; why there is no parse, if there is none.
    ///
    /// # Errors
    /// As [`parse`](Self::parse).
    pub(super) fn coarsest(
        &mut self,
        request: Request<'_>,
        deadline: Option<Instant>,
        chart: &mut Chart,
    ) -> Result<Option<Ending>> {
        let ending = self.fill_coarsest(request, deadline)?;
        std::mem::swap(&mut self.chart, chart);
        Ok(ending)
    }

    /// The forest that was found last.
    pub(super) fn last_forest(&self) -> &Forest {
        &self.forest
    }

    /// Whether there are finer grammars than the coarsest.
    pub(super) fn has_splits(&self) -> bool {
        self.stages.len() > 1
    }

    /// For each tag the logarithm of P(word | tag) at a place, up to a number that is the same for all tags.
    pub(super) fn word_scores(&self, request: Request<'_>, place: usize) -> Vec<f32> {
        let level = self.model.finest();
        let mut sums = vec![0.0; level.grammar.num_substates()];
        score_word(self.model, level, &self.config, request.words(), place, &mut sums);
        let score = |tag: u16| {
            let range = level.grammar.substates(Symbol(tag));
            let total: f32 = level.weights[range.clone()].iter().sum();
            (Sum::dot(&sums[range.clone()], &level.weights[range]) / total.max(f32::MIN_POSITIVE)).ln()
        };
        (0..self.model.symbols().num_tags() as u16).map(score).collect()
    }

    /// The tokens, those without a tag with the most likely tag of the word by itself: for trees without a parse.
    pub fn tagged(&self, tokens: &Tree) -> Tree {
        let (level, symbols) = (self.model.finest(), self.model.symbols());
        let mut tagged = tokens.clone();
        let mut sums = vec![0.0; level.grammar.num_substates()];
        for place in (0..tokens.num_tokens()).filter(|&place| tokens.token(place).tag.is_empty()) {
            sums.fill(0.0);
            score_word(self.model, level, &self.config, Words { tokens, hints: &[] }, place, &mut sums);
            let likelihood = |tag: Symbol| {
                let range = level.grammar.substates(tag);
                Sum::dot(&sums[range.clone()], &level.weights[range])
            };
            let better = |a: Symbol, b: Symbol| if likelihood(b) > likelihood(a) { b } else { a };
            let best = (0..symbols.num_tags() as u16).map(Symbol).reduce(better).unwrap_or(Symbol(0));
            tagged.set_tag(place, symbols.name(best));
        }
        tagged
    }
}

/// How many derivations at most are looked at for each tree that is wanted.
const MOST_DERIVATIONS: usize = 256;

/// The best trees of a forest, the best first. Several derivations with sub-symbols may be the same tree, so more and more of them are looked at.
pub(super) fn best_parses(
    num_best: usize,
    symbols: &Symbols,
    forest: &Forest,
    best: &mut KBest,
    root: usize,
    tokens: &Tree,
) -> Result<Vec<ChartParse>> {
    let mut num_derivations = num_best;
    loop {
        best.find(forest, num_derivations);
        let parses = different_parses(num_best, symbols, forest, best, root, tokens)?;
        let is_all = best.of(root).len() < num_derivations;
        if parses.len() >= num_best || is_all || num_derivations >= MOST_DERIVATIONS * num_best {
            return Ok(parses);
        }
        num_derivations *= 4;
    }
}

fn different_parses(
    num_best: usize,
    symbols: &Symbols,
    forest: &Forest,
    best: &KBest,
    root: usize,
    tokens: &Tree,
) -> Result<Vec<ChartParse>> {
    let mut parses: Vec<ChartParse> = Vec::new();
    for rank in 0..best.of(root).len() {
        if parses.len() == num_best {
            break;
        }
        let parse = parse_of(symbols, forest, best, root, rank as u32, tokens)?;
        if !parses.iter().any(|other| other.tree == parse.tree) {
            parses.push(parse);
        }
    }
    Ok(parses)
}

fn is_over(deadline: Option<Instant>) -> bool {
    deadline.is_some_and(|deadline| Instant::now() >= deadline)
}

/// How it went if a finer grammar did not come to its end: without a parse of its own it leaves the one before as it is.
fn ending_of(deadline: Option<Instant>) -> Ending {
    if is_over(deadline) { Ending::Deadline } else { Ending::Complete }
}

/// The coarsest and the finest level, and all others whose sub-symbols are not those of the next: a grammar that is as fine as the one it prunes for
/// costs as much as it saves (record/2026-11-16-conditional.md).
pub(super) fn stages(model: &GrammarModel) -> Vec<usize> {
    let is_split = |level: usize| {
        let mut origins = model.splits()[level].iter().flat_map(|origins| (0..).zip(origins));
        origins.any(|(place, &origin): (u16, &u16)| place != origin)
    };
    let last = model.splits().len();
    (0..=last).filter(|&level| level == 0 || level == last || is_split(level)).collect()
}

/// Whether a symbol can be over a span at all.
fn is_allowed(model: &GrammarModel, tokens: &Tree, are_tags_sure: bool, span: Span, symbol: Symbol) -> bool {
    let symbols = model.symbols();
    match symbols.is_tag(symbol) {
        true if span.len() == 1 && !are_tags_sure => true,
        // A tag that the grammar does not know is no tag to it.
        true if span.len() == 1 => {
            symbols.tag(tokens.token(span.start as usize).tag).is_none_or(|given| given == symbol)
        }
        true => false,
        false => symbol != symbols.root() || span.len() == tokens.num_tokens(),
    }
}

/// Puts the scores of a word into those of the sub-symbols of tags; tags that are not the given one, or less likely to a tagger, count less.
fn score_word(
    model: &GrammarModel,
    level: &Level,
    config: &ChartConfig,
    words: Words<'_>,
    place: usize,
    sums: &mut [f32],
) {
    let token = words.tokens.token(place);
    level.lexicon.score(token.word, place == 0, |tag, values, factor| {
        for (sum, value) in sums[level.grammar.substates(tag)].iter_mut().zip(values) {
            *sum += factor * value;
        }
    });
    let num_tags = model.symbols().num_tags();
    let tags = num_tags.checked_sub(1).map_or(0, |last| level.grammar.substates(Symbol(last as u16)).end);
    let given = model.symbols().tag(token.tag).map_or(0..tags, |given| level.grammar.substates(given));
    // A word that never had the tag it is given, or of which nothing is known, may be anything.
    if sums[given.clone()].iter().all(|&sum| sum == 0.0) {
        let least = sums[..tags].iter().copied().filter(|&sum| sum > 0.0).reduce(f32::min);
        sums[given.clone()].fill(least.unwrap_or(1.0));
    }
    let doubt = config.doubt(model);
    sums[..given.start].iter_mut().for_each(|sum| *sum *= doubt);
    sums[given.end..tags].iter_mut().for_each(|sum| *sum *= doubt);
    if let (true, Some(hints)) = (token.tag.is_empty(), words.hints.get(place)) {
        (0..num_tags as u16).map(Symbol).for_each(|tag| {
            let factor = hint(hints, tag).powf(config.tagger_weight);
            sums[level.grammar.substates(tag)].iter_mut().for_each(|sum| *sum *= factor);
        });
    }
}

/// How likely a tag is to a tagger.
fn hint(hints: &TagPosteriors, tag: Symbol) -> f32 {
    let found = hints.iter().find(|(other, _)| *other == tag);
    found.map_or(SMALLEST_POSTERIOR_OF_TAG, |(_, probability)| probability.max(SMALLEST_POSTERIOR_OF_TAG))
}

/// Drops the symbols of a cell that are unlikely compared to the best there, by how often they occur and what is below them.
fn narrow(level: &Level, chart: &mut Chart, span: Span, root: Symbol, beam: f32) {
    if chart.constraints.of(span).is_some() {
        return;
    }
    let merit = |chart: &Chart, entry: Entry| {
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
