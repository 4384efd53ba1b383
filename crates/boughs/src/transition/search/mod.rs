//! Search: which path of inferences to follow, given a [`Guide`] that scores each.
//!
//! The naive form scores the legal inferences of a state, makes the best and starts again until the parse is complete:
//! that is [`Search::Greedy`]. It never takes a step back, though a doubtful inference may have to be paid for much
//! later. [`Search::Agenda`] (Turian & Melamed 2006) keeps every inference that was not made, with what the path to it
//! costs; from the cheapest it starts again, greedily as before. A path only ever gets worse, so once nothing on the
//! agenda is better than the best complete parse, that parse is the best of all. [`Search::Beam`] (Turian & Melamed
//! 2005) takes one step from the best state at a time and forgets all but the best few.
//!
//! What makes a path good is the [`Aggregator`]'s affair, what is legal the guide's and the [`LabelConstraints`]'.
//!
//! Ties are broken in the same way everywhere. Of inferences with equal scores the lowest label comes first (a shift
//! comes after all labels), then the leftmost place, then the shortest. Of equally good partial parses the one that was
//! found first comes first, and of equally good complete parses the first stays.

mod agenda;
mod beam;
mod constraints;
mod diagnose;
mod explorer;
mod finished;
mod greedy;
mod outcome;
mod problem;
mod queue;
mod settings;
mod states;
mod total;

#[cfg(test)]
mod reference;

use std::time::Instant;

pub use constraints::LabelConstraints;
pub use diagnose::{Diagnosis, ParseFault, diagnose, prefers};
pub use outcome::{End, Outcome, ParsePath, ParseStep};
pub use problem::best;

use super::cascade::Scoring;
use super::guide::{Guide, Workspace};
use super::state::Scheme;
use super::symbols::{InputTerminal, TransitionSymbols};
use constraints::Constrained;
use explorer::Explorer;
use greedy::Greedy;
use problem::Problem;
use total::{AdditiveTotal, MaxMinTotal};

/// How to search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Search {
    /// Always the best inference, and never back.
    Greedy,
    /// The best partial parse, completed greedily, until none can be better than the best complete one.
    Agenda {
        /// Inferences after whose scoring no new greedy completion begins. The first always runs to its end.
        max_inferences: u64,
        /// Partial parses to remember; the worst are forgotten.
        max_agenda: usize,
    },
    /// One step from the best partial parse at a time.
    Beam {
        /// Partial parses to remember; the worst are forgotten. With one this is greedy search.
        width: usize,
        /// Steps after which the best partial parse is completed greedily, unless there is a complete one.
        max_pops: u64,
    },
}

/// What the scores of its inferences make a path worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Aggregator {
    /// The cost is the sum of ln(1 + exp(-score)) (Turian & Melamed 2006).
    #[default]
    Additive,
    /// That path is best whose lowest score is highest; ties are decided by the second lowest, and so on (Turian &
    /// Melamed 2005). A path that has no further score left wins such a tie.
    MaxMin,
}

/// A way to search, the worth of a path, how it is scored, and the number of parses wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SearchConfig {
    /// How to search.
    pub search: Search,
    /// What makes a path good.
    pub aggregator: Aggregator,
    /// Which trees of a model score inferences; for other guides it is of no meaning.
    pub scoring: Scoring,
    /// How many different parses are wanted, the best first; greedy search never finds more than one.
    pub num_best: usize,
}

impl Search {
    /// The search of Turian & Melamed (2006), with their limit.
    pub const AGENDA: Self = Self::Agenda { max_inferences: 100_000, max_agenda: 1_000_000 };
    /// The search of Turian & Melamed (2005), with their limits.
    pub const BEAM: Self = Self::Beam { width: 1_000, max_pops: 10_000 };
}

impl Default for SearchConfig {
    fn default() -> Self {
        Self {
            search: Search::AGENDA,
            aggregator: Aggregator::default(),
            scoring: Scoring::default(),
            num_best: 1,
        }
    }
}

/// A sentence to parse, and the rules to obey.
#[derive(Debug, Clone, Copy)]
pub struct Task<'a> {
    /// Which inferences there are.
    pub scheme: Scheme,
    /// The names.
    pub symbols: &'a TransitionSymbols,
    /// The tokens.
    pub terminals: &'a [InputTerminal],
    /// What every parse must agree with.
    pub constraints: &'a LabelConstraints,
    /// When to give up and return what there is. Results that a deadline has cut short are not reproducible.
    pub deadline: Option<Instant>,
    /// What a parse must cost less than to be of use, if costs are added: the search ends as soon as none can.
    pub rival: Option<f64>,
}

/// A search, with memory that is used again for every sentence.
#[derive(Debug, Clone, Default)]
pub struct Searcher {
    config: SearchConfig,
    greedy: Greedy,
    additive: Explorer<AdditiveTotal>,
    max_min: Explorer<MaxMinTotal>,
}

impl Searcher {
    /// A search.
    pub fn new(config: SearchConfig) -> Self {
        Self { config, ..Self::default() }
    }

    /// Parses a sentence; its items are in the workspace afterwards. There is always a parse, if need be a
    /// [fallback](ParsePath::is_fallback), unless the sentence is empty.
    pub fn parse(
        &mut self,
        guide: &mut dyn Guide,
        workspace: &mut Workspace,
        task: &Task<'_>,
    ) -> Option<Outcome> {
        if task.terminals.is_empty() {
            return None;
        }
        workspace.items.start(task.symbols, task.terminals);
        workspace.heads.trim();
        guide.start(workspace);
        Some(self.search_items(guide, workspace, task))
    }

    /// Searches among the items that are there, and new ones.
    fn search_items(&mut self, guide: &mut dyn Guide, workspace: &mut Workspace, task: &Task<'_>) -> Outcome {
        match task.constraints.is_empty() {
            true => self.search(Problem::new(guide, workspace, task)),
            false => self.search(Problem::new(&mut Constrained::new(guide, task), workspace, task)),
        }
    }

    fn search(&mut self, problem: Problem<'_>) -> Outcome {
        let Self { config, greedy, additive, max_min } = self;
        let num_best = config.num_best;
        match (config.search, config.aggregator) {
            (Search::Greedy, _) => greedy.search(problem),
            (Search::Agenda { max_inferences, max_agenda }, Aggregator::Additive) => {
                agenda::search(additive.start(num_best, max_agenda), problem, max_inferences)
            }
            (Search::Agenda { max_inferences, max_agenda }, Aggregator::MaxMin) => {
                agenda::search(max_min.start(num_best, max_agenda), problem, max_inferences)
            }
            (Search::Beam { width, max_pops }, Aggregator::Additive) => {
                beam::search(additive.start(num_best, width), problem, max_pops)
            }
            (Search::Beam { width, max_pops }, Aggregator::MaxMin) => {
                beam::search(max_min.start(num_best, width), problem, max_pops)
            }
        }
    }
}
