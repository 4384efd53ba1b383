//! Search: which path of inferences to follow, given a [`Guide`] that scores each.
//!
//! The naive form scores the legal inferences of a state, makes the best and starts again until the parse is
//! complete: that is [`Search::Greedy`]. It never takes a step back, though a doubtful inference may have to be paid
//! for much later. [`Search::Agenda`] (Turian & Melamed 2006) keeps every inference that was not made, with the cost
//! of the path to it; from the cheapest it starts again, greedily as before. A path only ever gets worse, so once
//! nothing on the agenda is better than the best complete parse, that parse is the best of all. [`Search::Beam`]
//! (Turian & Melamed 2005) takes one step from the best state at a time and forgets all but the best few.
//!
//! The [`Aggregator`] says what makes a path good; the guide and the [`LabelConstraints`] say what is legal.
//!
//! Ties are broken in the same way everywhere. Of inferences with equal scores the lowest label comes first (a shift
//! comes after all labels), then the leftmost place, then the shortest. Of equally good partial parses the one that
//! was found first comes first, and of equally good complete parses the first stays.

mod agenda;
mod beam;
mod constraints;
mod diagnose;
mod explorer;
mod finished;
mod greedy;
mod problem;
mod queue;
mod searched;
mod states;
mod total;

#[cfg(test)]
mod reference;

use std::time::Instant;

pub(crate) use constraints::LabelConstraints;
pub(crate) use diagnose::Judge;
pub use diagnose::ParseFault;
pub(crate) use problem::best;
pub(crate) use searched::{ParsePath, Searched};

use super::guide::{Guide, Workspace};
use super::options::{Aggregator, Search, TransitionOptions};
use super::state::Scheme;
use super::symbols::{InputTerminal, TransitionSymbols};
use constraints::Constrained;
use explorer::Explorer;
use problem::SearchProblem;
use total::{AdditiveTotal, MaxMinTotal, Total};

/// A sentence to parse, and the rules to obey.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Task<'a> {
    /// Which inferences there are.
    pub(crate) scheme: Scheme,
    /// The names.
    pub(crate) symbols: &'a TransitionSymbols,
    /// The tokens.
    pub(crate) terminals: &'a [InputTerminal],
    /// What every parse must agree with.
    pub(crate) constraints: &'a LabelConstraints,
    /// How many different parses are wanted, the best first; greedy search never finds more than one.
    pub(crate) num_best: usize,
    /// When to give up and return what there is. Results that a deadline has cut short are not reproducible.
    pub(crate) deadline: Option<Instant>,
    /// What a parse must cost less than to be of use, if costs are added: the search ends as soon as none can.
    pub(crate) bound: Option<f64>,
}

impl<'a> Task<'a> {
    /// To find the best parse, without constraints and limits.
    pub(crate) fn new(
        scheme: Scheme,
        symbols: &'a TransitionSymbols,
        terminals: &'a [InputTerminal],
    ) -> Self {
        const NONE: &LabelConstraints = &LabelConstraints::none();
        Self { scheme, symbols, terminals, constraints: NONE, num_best: 1, deadline: None, bound: None }
    }
}

/// A search, with memory that is used again for every sentence.
#[derive(Debug, Clone, Default)]
pub(crate) struct Searcher {
    options: TransitionOptions,
    additive: Explorer<AdditiveTotal>,
    max_min: Explorer<MaxMinTotal>,
}

impl Searcher {
    /// A search.
    pub(crate) fn new(options: TransitionOptions) -> Self {
        Self { options, ..Self::default() }
    }

    /// Parses a sentence; its items are in the workspace afterwards. There is always a parse, if need be a fallback,
    /// unless the sentence is empty.
    pub(crate) fn parse(
        &mut self,
        guide: &mut dyn Guide,
        workspace: &mut Workspace,
        task: &Task<'_>,
    ) -> Searched {
        if task.terminals.is_empty() {
            return Searched::TRIVIAL;
        }
        workspace.items.start(task.symbols, task.terminals);
        workspace.heads.trim();
        guide.start();
        self.search_items(guide, workspace, task)
    }

    /// Searches among the items that are there, and new ones.
    fn search_items(
        &mut self,
        guide: &mut dyn Guide,
        workspace: &mut Workspace,
        task: &Task<'_>,
    ) -> Searched {
        match task.constraints.is_empty() {
            true => self.search(SearchProblem::new(guide, workspace, task)),
            false => self.search(SearchProblem::new(&mut Constrained::new(guide, task), workspace, task)),
        }
    }

    fn search(&mut self, problem: SearchProblem<'_>) -> Searched {
        let search = self.options.search;
        match self.options.aggregator {
            Aggregator::Additive => explore(&mut self.additive, problem, search),
            Aggregator::MaxMin => explore(&mut self.max_min, problem, search),
        }
    }
}

fn explore<T: Total>(explorer: &mut Explorer<T>, mut problem: SearchProblem<'_>, search: Search) -> Searched {
    match search {
        Search::Greedy => greedy::search(problem, &mut explorer.scored),
        Search::Beam { width, max_pops } => {
            explorer.start(&problem, width);
            let end = beam::search(explorer, &mut problem, max_pops);
            Searched { greedy_was_best: None, ..explorer.searched(problem, end) }
        }
        Search::Agenda { max_inferences, max_agenda } => {
            explorer.start(&problem, max_agenda);
            let end = agenda::search(explorer, &mut problem, max_inferences);
            explorer.searched(problem, end)
        }
    }
}
