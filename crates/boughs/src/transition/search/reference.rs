//! Every path to its end, and the tests that the searches find the best of them.

use std::cmp::Ordering;
use std::hash::{Hash, Hasher};
use std::thread;
use std::time::{Duration, Instant};

use rustc_hash::{FxHashMap, FxHasher};

use super::{Aggregator, LabelConstraints, Search, Searched, Searcher, Task, TransitionOptions};
use crate::parse::{Limit, Status};
use crate::transition::guide::{Guide, Scored, Workspace, cost};
use crate::transition::item::{ItemId, Items};
use crate::transition::state::{Action, Inference, InferencePlace, ParserState, Scheme};
use crate::transition::strategy::Strategy;
use crate::transition::symbols::{InputTerminal, Label, TOP_NAME, TransitionSymbols};
use crate::tree::transform::TagSet;

/// A guide whose scores are drawn from what the state looks like. Of the legal inferences of a state it knows a few
/// only, or there would be too many paths to follow them all.
#[derive(Clone)]
pub(super) struct Dice {
    pub(super) seed: u64,
    pub(super) scheme: Scheme,
    pub(super) num_labels: u16,
    /// Inferences to know.
    pub(super) num_scored: usize,
}

impl Guide for Dice {
    fn score(&mut self, state: &ParserState, workspace: &mut Workspace, scored: &mut Vec<Scored>) {
        scored.clear();
        let (scheme, items, mut places) = (self.scheme, &workspace.items, Vec::new());
        scheme.places(state, items, &mut places);
        let frontier: Vec<u64> = state.frontier.iter().map(|&id| shape(items, id)).collect();
        let roll =
            |inference: Inference, what: &str| hash(&(self.seed, what, &frontier, state.focus, inference));
        let labels = (0..self.num_labels).map(|label| Action::Build(Label(label)));
        for place in places {
            for action in labels.clone().chain([Action::Shift]) {
                if scheme.is_legal(state, items, place, action) {
                    let inference = Inference { place, action };
                    let score = (roll(inference, "score") % 1000) as f64 / 100.0 - 3.0;
                    scored.push(Scored { inference, score });
                }
            }
        }
        scored.sort_by_key(|scored| roll(scored.inference, "rank"));
        scored.truncate(self.num_scored);
        scored.sort_by_key(|scored| (scored.inference.place, scored.inference.action));
    }
}

fn hash(value: &impl Hash) -> u64 {
    let mut hasher = FxHasher::default();
    value.hash(&mut hasher);
    // The low bits of the hash are weak.
    (hasher.finish() ^ 0x5DEE_CE66).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 20
}

/// The same for the same tree, whatever the numbers of its items.
pub(super) fn shape(items: &Items, root: ItemId) -> u64 {
    let (mut shape, mut stack) = (Vec::new(), vec![root]);
    while let Some(id) = stack.pop() {
        let item = items.get(id);
        shape.push((item.symbol, item.start, item.end));
        stack.extend(items.children(id));
    }
    hash(&shape)
}

/// A sentence to be parsed with dice.
#[derive(Clone)]
pub(super) struct Game {
    pub(super) symbols: TransitionSymbols,
    pub(super) terminals: Vec<InputTerminal>,
    pub(super) constraints: LabelConstraints,
    pub(super) guide: Dice,
}

impl Game {
    pub(super) fn new(seed: u64, strategy: Strategy, tags: &str, num_labels: u16, num_scored: usize) -> Self {
        let names = [TOP_NAME, "A", "B", "C", "D"];
        let symbols = TransitionSymbols::new(
            names.into_iter().take(usize::from(num_labels)).collect(),
            ["", "N", ","].into_iter().collect(),
            [""].into_iter().collect(),
            None,
            TagSet::punctuation(),
        );
        let terminals = tags.split_terminator(' ').map(|tag| symbols.terminal("", tag)).collect();
        let scheme = Scheme { strategy, max_children: 5 };
        let guide = Dice { seed, scheme, num_labels, num_scored };
        Self { symbols, terminals, constraints: LabelConstraints::none(), guide }
    }

    pub(super) fn task(&self) -> Task<'_> {
        let Self { symbols, terminals, constraints, guide } = self;
        Task { constraints, ..Task::new(guide.scheme, symbols, terminals) }
    }

    pub(super) fn parse(&self, options: TransitionOptions) -> (Searched, Workspace) {
        self.parse_task(options, &self.task())
    }

    fn parse_task(&self, options: TransitionOptions, task: &Task<'_>) -> (Searched, Workspace) {
        let mut workspace = Workspace::default();
        let searched = Searcher::new(options).parse(&mut self.guide.clone(), &mut workspace, task);
        (searched, workspace)
    }

    /// The best path to each complete tree, the best tree first.
    pub(super) fn all_parses(&self, aggregator: Aggregator) -> Vec<(u64, Vec<f64>)> {
        self.parses_that(aggregator, |_, _| true)
    }

    /// The same for the trees that a test lets through.
    pub(super) fn parses_that(
        &self,
        aggregator: Aggregator,
        is_wanted: impl Fn(&Items, ItemId) -> bool,
    ) -> Vec<(u64, Vec<f64>)> {
        let mut best: FxHashMap<u64, Vec<f64>> = FxHashMap::default();
        self.follow_all_paths(|items, root, scores| {
            if !is_wanted(items, root) {
                return;
            }
            let known = best.entry(shape(items, root)).or_insert_with(|| scores.to_vec());
            if compare(aggregator, scores, known).is_lt() {
                *known = scores.to_vec();
            }
        });
        let mut parses: Vec<_> = best.into_iter().collect();
        parses.sort_by(|(_, one), (_, other)| compare(aggregator, one, other));
        parses
    }

    pub(super) fn follow_all_paths(&self, mut found: impl FnMut(&Items, ItemId, &[f64])) {
        let (mut guide, mut workspace) = (self.guide.clone(), Workspace::default());
        workspace.items.start(&self.symbols, &self.terminals);
        let first = ParserState::initial(self.terminals.len(), self.guide.scheme.strategy);
        let mut stack = vec![(first, Vec::new())];
        while let Some((state, scores)) = stack.pop() {
            if state.is_final(&workspace.items) {
                found(&workspace.items, state.frontier[0], &scores);
                continue;
            }
            let mut scored = Vec::new();
            guide.score(&state, &mut workspace, &mut scored);
            for Scored { inference, score } in scored {
                let mut next = state.clone();
                self.guide.scheme.advance(&mut next, inference, &mut workspace, &self.symbols);
                stack.push((next, scores.iter().copied().chain([score]).collect()));
            }
        }
    }
}

/// Less is better.
pub(super) fn compare(aggregator: Aggregator, one: &[f64], other: &[f64]) -> Ordering {
    match aggregator {
        Aggregator::Additive => sum(one).total_cmp(&sum(other)),
        Aggregator::MaxMin => {
            let len = one.len().max(other.len());
            let sorted = |scores: &[f64]| {
                let mut scores = scores.to_vec();
                scores.resize(len, f64::INFINITY);
                scores.sort_by(f64::total_cmp);
                scores
            };
            sorted(other).partial_cmp(&sorted(one)).expect("scores are numbers")
        }
    }
}

fn sum(scores: &[f64]) -> f64 {
    scores.iter().fold(0.0, |sum, &score| sum + cost(score))
}

pub(super) fn scores(searched: &Searched, parse: usize) -> Vec<f64> {
    searched.parses[parse].steps.iter().map(|step| step.scored.score).collect()
}

/// Sentences of one to six words, with all or a few of their inferences.
pub(super) fn games() -> impl Iterator<Item = Game> {
    let sizes = [
        ("N", 4, usize::MAX, 2),
        ("N N", 3, usize::MAX, 5),
        ("N N N", 2, usize::MAX, 5),
        ("N N N", 4, 3, 15),
        ("N , N N", 4, 3, 10),
        ("N N N N N", 4, 2, 20),
        ("N N , N N N", 4, 2, 20),
    ];
    let seeds = sizes.into_iter().flat_map(|(tags, num_labels, width, num_seeds)| {
        (0..num_seeds).map(move |seed| (seed, tags, num_labels, width))
    });
    seeds.flat_map(|(seed, tags, num_labels, width)| {
        Strategy::ALL.map(|strategy| {
            let is_long = tags.len() > 3 && strategy.has_shift();
            Game::new(seed, strategy, tags, if is_long { 2 } else { num_labels }, width)
        })
    })
}

const AGGREGATORS: [Aggregator; 2] = [Aggregator::Additive, Aggregator::MaxMin];

pub(super) const ENDLESS_AGENDA: Search = Search::Agenda { max_inferences: u64::MAX, max_agenda: usize::MAX };
pub(super) const SEARCHES: [Search; 3] = [Search::Greedy, Search::AGENDA, Search::BEAM];
const ENDLESS_BEAM: Search = Search::Beam { width: usize::MAX, max_pops: u64::MAX };

pub(super) fn config(search: Search, aggregator: Aggregator) -> TransitionOptions {
    TransitionOptions { search, aggregator, ..TransitionOptions::default() }
}

#[test]
fn exhaustive_searches_find_the_best_of_all_parses() {
    let mut num_trees = 0;
    for game in games() {
        for aggregator in AGGREGATORS {
            let all = game.all_parses(aggregator);
            num_trees += all.len();
            for (search, num_best) in
                [(ENDLESS_AGENDA, 1), (ENDLESS_AGENDA, 7), (ENDLESS_BEAM, 1), (ENDLESS_BEAM, 7)]
            {
                let task = Task { num_best, ..game.task() };
                let (searched, workspace) = game.parse_task(config(search, aggregator), &task);
                assert_best(&all, &searched, &workspace, num_best, aggregator);
            }
        }
    }
    assert!(num_trees > 10_000, "{num_trees}");
}

pub(super) fn assert_best(
    all: &[(u64, Vec<f64>)],
    searched: &Searched,
    workspace: &Workspace,
    num_best: usize,
    aggregator: Aggregator,
) {
    if all.is_empty() {
        assert_eq!(searched.status, Status::Fallback(None));
        return;
    }
    assert_eq!(searched.status, Status::Optimal);
    assert_eq!(searched.parses.len(), num_best.min(all.len()));
    for (parse, (_, best)) in all.iter().take(num_best).enumerate() {
        let found = scores(searched, parse);
        assert!(compare(aggregator, &found, best).is_eq(), "{parse}: {found:?} instead of {best:?}");
        assert_eq!(searched.parses[parse].cost, sum(&found));
    }
    // Equally good trees may come in any order, and any of those that share the last rank may have been left out.
    let last = &all[searched.parses.len() - 1].1;
    let certain = all.iter().take_while(|(_, scores)| compare(aggregator, scores, last).is_lt());
    let found: Vec<u64> = searched.parses.iter().map(|parse| shape(&workspace.items, parse.root)).collect();
    assert!(certain.into_iter().all(|(tree, _)| found.contains(tree)));
    assert!((1..found.len()).all(|at| !found[..at].contains(&found[at])), "the same tree twice");
}

#[test]
fn greedy_search_is_the_first_completion_and_a_beam_of_one() {
    for game in games() {
        let (greedy, workspace) = game.parse(config(Search::Greedy, Aggregator::Additive));
        let tree = shape(&workspace.items, greedy.parses[0].root);
        let none = Search::Agenda { max_inferences: 0, max_agenda: 10 };
        let (first, workspace) = game.parse(config(none, Aggregator::Additive));
        assert_eq!(tree, shape(&workspace.items, first.parses[0].root));
        assert_eq!(greedy.parses[0].steps, first.parses[0].steps);
        for aggregator in AGGREGATORS {
            let (beam, _) = game.parse(config(Search::Beam { width: 1, max_pops: 1000 }, aggregator));
            assert!(scores(&beam, 0) == scores(&greedy, 0));
            assert_eq!(beam.greedy_was_best, None, "a beam of one is not told from others");
        }
        let (searched, _) = game.parse(config(ENDLESS_AGENDA, Aggregator::Additive));
        let is_greedy_best = greedy.complete().is_some_and(|greedy| searched.parses[0].cost == greedy.cost);
        assert_eq!(searched.greedy_was_best, Some(is_greedy_best));
    }
}

#[test]
fn small_limits_cut_short_but_never_fail() {
    let limits = [
        Search::Agenda { max_inferences: 20, max_agenda: 1000 },
        Search::Agenda { max_inferences: 1000, max_agenda: 2 },
        Search::Beam { width: 3, max_pops: 1000 },
        Search::Beam { width: 1000, max_pops: 3 },
    ];
    let mut seen = Vec::new();
    for game in games() {
        let best = game.all_parses(Aggregator::Additive).first().map(|(_, scores)| sum(scores));
        for search in limits {
            let (searched, _) = game.parse(config(search, Aggregator::Additive));
            seen.push(searched.status);
            let (Some(best), Some(found)) = (best, searched.complete()) else { continue };
            assert!(found.cost >= best);
            assert!(searched.status != Status::Optimal || found.cost == best, "{search:?} claims too much");
        }
    }
    for status in [Limit::Inferences, Limit::Steps, Limit::Agenda]
        .map(Status::CutShort)
        .into_iter()
        .chain([Status::Optimal])
    {
        assert!(seen.contains(&status), "{status:?}");
    }
}

#[test]
fn a_state_without_legal_inference_leads_to_a_fallback() {
    for (strategy, search) in
        Strategy::ALL.into_iter().flat_map(|strategy| SEARCHES.map(|search| (strategy, search)))
    {
        let game = Game::new(0, strategy, ", , , , , ,", 4, 99);
        let (searched, workspace) = game.parse(config(search, Aggregator::Additive));
        let parse = &searched.parses[0];
        assert_eq!(searched.status, Status::Fallback(None));
        assert_ne!(searched.greedy_was_best, Some(true));
        assert_eq!(workspace.items.children(parse.root).len(), 6);
        assert!(parse.steps.iter().all(|step| step.item != Some(parse.root)));
    }
}

#[test]
fn a_fallback_may_have_any_number_of_children() {
    let game = Game::new(0, Strategy::RightToLeft, &", ".repeat(70_000), 4, 99);
    let (searched, workspace) = game.parse(TransitionOptions::default());
    assert_eq!(workspace.items.children(searched.parses[0].root).len(), 70_000);
}

#[test]
fn a_deadline_that_has_passed_leads_to_a_fallback() {
    for search in SEARCHES {
        let game = Game::new(0, Strategy::RightToLeft, "N N N", 4, 99);
        let task = Task { deadline: Some(Instant::now()), ..game.task() };
        let (searched, _) = game.parse_task(config(search, Aggregator::Additive), &task);
        assert_eq!(searched.status, Status::Fallback(Some(Limit::Time)));
        assert!(searched.parses[0].steps.is_empty());
    }
}

/// A guide that takes a long time for the second state that it is asked about.
struct Pausing {
    guide: Dice,
    num_asked: usize,
    pause: Duration,
}

impl Guide for Pausing {
    fn score(&mut self, state: &ParserState, workspace: &mut Workspace, scored: &mut Vec<Scored>) {
        self.num_asked += 1;
        if self.num_asked == 2 {
            thread::sleep(self.pause);
        }
        self.guide.score(state, workspace, scored);
    }
}

#[test]
fn a_beam_search_without_time_is_completed_greedily_unless_there_is_a_bound() {
    let game = Game::new(0, Strategy::RightToLeft, "N N N N N N", 4, 99);
    let pause = Duration::from_secs(1);
    for (bound, status) in
        [(None, Status::CutShort(Limit::Time)), (Some(f64::INFINITY), Status::Fallback(Some(Limit::Time)))]
    {
        let mut guide = Pausing { guide: game.guide.clone(), num_asked: 0, pause };
        let task = Task { deadline: Some(Instant::now() + pause), bound, ..game.task() };
        let mut searcher = Searcher::new(config(ENDLESS_BEAM, Aggregator::Additive));
        let searched = searcher.parse(&mut guide, &mut Workspace::default(), &task);
        assert_eq!(searched.status, status);
    }
}

#[test]
fn a_search_ends_at_its_bound() {
    for game in games() {
        for search in [Search::Greedy, ENDLESS_AGENDA, ENDLESS_BEAM] {
            let config = config(search, Aggregator::Additive);
            let (free, items) = game.parse(config);
            let cost = free.parses[0].cost;
            for (bound, is_below) in [(cost + 1e-9, true), (f64::INFINITY, true), (cost, false), (0.0, false)]
            {
                let task = Task { bound: Some(bound), ..game.task() };
                let (searched, workspace) = game.parse_task(config, &task);
                assert!(searched.num_inferences <= free.num_inferences);
                if is_below && free.complete().is_some() {
                    let tree = |workspace: &Workspace, searched: &Searched| {
                        shape(&workspace.items, searched.parses[0].root)
                    };
                    assert_eq!((searched.status, scores(&searched, 0)), (free.status, scores(&free, 0)));
                    assert_eq!(tree(&workspace, &searched), tree(&items, &free));
                } else {
                    let reasons = [Some(Limit::Bound), None].map(Status::Fallback);
                    assert!(reasons[..1 + usize::from(free.complete().is_none())].contains(&searched.status));
                }
            }
        }
    }
}

#[test]
fn an_empty_sentence_has_no_parse() {
    let (searched, _) = Game::new(0, Strategy::RightToLeft, "", 4, 99).parse(TransitionOptions::default());
    assert_eq!(searched, Searched::TRIVIAL);
}

#[test]
fn a_searcher_remembers_nothing_of_other_sentences() {
    for search in SEARCHES {
        let mut searcher = Searcher::new(config(search, Aggregator::Additive));
        let mut workspace = Workspace::default();
        for game in games().filter(|game| game.guide.num_labels == 4).step_by(7) {
            let again = searcher.parse(&mut game.guide.clone(), &mut workspace, &game.task());
            assert_eq!(again, game.parse(config(search, Aggregator::Additive)).0);
        }
    }
}

#[test]
fn confidence_is_that_of_the_step_that_built_the_phrase() {
    let game = Game::new(3, Strategy::ShiftReduce, "N N N", 4, 99);
    let (searched, workspace) = game.parse(TransitionOptions::default());
    let parse = &searched.parses[0];
    for step in &parse.steps {
        match (step.scored.inference.action, step.item) {
            (Action::Build(label), Some(item)) => {
                assert_eq!(workspace.items.get(item).symbol.0, label.0);
                assert!((step.confidence().ln() + step.scored.cost()).abs() < 1e-9);
            }
            (Action::Shift, None) => {}
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(parse.steps.last().and_then(|step| step.item), Some(parse.root));
}

#[test]
fn ties_go_to_the_lowest_label_then_the_leftmost_then_the_shortest_place() {
    let scored = |action, start, len, score| {
        let place = if action == Action::Shift {
            InferencePlace::shift(start)
        } else {
            InferencePlace::build(start, len)
        };
        Scored { inference: Inference { place, action }, score }
    };
    let build = |label| Action::Build(Label(label));
    let candidates = [
        scored(build(2), 0, 1, 1.0),
        scored(build(1), 1, 2, 1.0),
        scored(build(1), 1, 1, 1.0),
        scored(build(1), 2, 1, 1.0),
        scored(Action::Shift, 0, 1, 1.0),
        scored(build(0), 0, 3, 0.5),
    ];
    let best = |candidates: &[Scored]| super::problem::best(candidates).map(|(index, _)| index);
    assert_eq!(best(&candidates), Some(2));
    assert_eq!(best(&candidates[3..]), Some(0));
    assert_eq!(best(&candidates[4..]), Some(0));
    assert_eq!(best(&[]), None);
}
