//! From a tagged sentence to trees over all of its tokens.

use std::time::{Duration, Instant};

use rustc_hash::FxHashMap;

use super::guide::Workspace;
use super::item::ItemId;
use super::model::TransitionModel;
use super::model_guide::ModelGuide;
use super::output::to_tree;
use super::search::{End, LabelConstraints, Outcome, ParsePath, SearchConfig, Searcher, Task};
use crate::error::{Error, ErrorKind};
use crate::tree::transform::{Record, Restoration};
use crate::tree::{Constraints, Prepared, Tree};

/// Parses with a model, in memory of its own: one for each thread.
#[derive(Debug)]
pub struct Parser<'m> {
    model: &'m TransitionModel,
    guide: ModelGuide<'m>,
    workspace: Workspace,
    searcher: Searcher,
    limits: Limits,
}

/// When a sentence gets a flat tree instead of a parse.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Limits {
    /// The most tokens that are parsed; more are not even tried.
    pub max_length: Option<usize>,
    /// The time after which the best that was found is taken.
    pub timeout: Option<Duration>,
}

impl Limits {
    /// When the time is up for a sentence that is begun now.
    pub fn deadline(&self) -> Option<Instant> {
        self.timeout.and_then(|timeout| Instant::now().checked_add(timeout))
    }
}

/// When the search for a tree ends, whatever the search.
#[derive(Debug, Clone, Copy, Default)]
pub struct Bounds {
    /// When to take the best that was found; without it, the timeout begins with the search.
    pub deadline: Option<Instant>,
    /// What a parse must cost less than.
    pub rival: Option<f64>,
}

/// Trees, and how they were found.
#[derive(Debug, Clone)]
pub struct Parsed {
    /// The best tree over all tokens of the sentence.
    pub tree: Tree,
    /// Further trees, if more than one was asked for, the better ones first.
    pub others: Vec<Tree>,
    /// How the search went; nothing if there was nothing to search for, or the sentence was too long.
    pub outcome: Option<Outcome>,
    /// Whether the sentence was longer than the limit.
    pub is_too_long: bool,
    /// Why the trees do not meet the constraints on them, if they do not.
    pub unmet: Option<Unmet>,
}

/// Why there is no tree that meets the constraints.
#[derive(Debug, Clone)]
pub struct Unmet {
    /// What to tell the user.
    pub why: Error,
    /// How the search for such a tree ended; nothing if there was none, as there can be no such tree.
    pub end: Option<End>,
}

impl From<Error> for Unmet {
    fn from(why: Error) -> Self {
        Self { why, end: None }
    }
}

impl Parsed {
    /// Whether the tree is a fallback.
    pub fn is_fallback(&self) -> bool {
        self.is_too_long || self.outcome.as_ref().is_some_and(|outcome| outcome.best().is_fallback)
    }

    fn flat(record: &Record, is_too_long: bool) -> Self {
        Self { tree: record.flat(), others: Vec::new(), outcome: None, is_too_long, unmet: None }
    }
}

impl<'m> Parser<'m> {
    /// A parser that searches in this way, within these limits.
    pub fn new(model: &'m TransitionModel, search: SearchConfig, limits: Limits) -> Self {
        Self {
            model,
            guide: ModelGuide::new(model, search.scoring),
            workspace: Workspace::default(),
            searcher: Searcher::new(search),
            limits,
        }
    }

    /// Parses the tokens of a tree by their tags; its phrases are not looked at. There is always a tree over all tokens.
    pub fn parse(&mut self, sentence: &Tree) -> Parsed {
        self.parse_with(sentence, &Constraints::default(), Bounds::default())
    }

    /// The same with constraints on the tree. If they cannot be met, or no such tree is found, the sentence is parsed without them.
    /// There may be a rival: then it is a fallback, and soon there, if no parse costs less, unless paths are not judged by
    /// their costs.
    pub fn parse_with(&mut self, sentence: &Tree, constraints: &Constraints, bounds: Bounds) -> Parsed {
        let deadline = bounds.deadline.or_else(|| self.limits.deadline());
        let bounds = Bounds { deadline, ..bounds };
        match constraints.is_empty() || sentence.is_empty() {
            true => self.parse_freely(sentence, bounds),
            false => self
                .parse_as_demanded(sentence, constraints, bounds)
                .unwrap_or_else(|unmet| Parsed { unmet: Some(unmet), ..self.parse_freely(sentence, bounds) }),
        }
    }

    fn parse_freely(&mut self, sentence: &Tree, bounds: Bounds) -> Parsed {
        let mut tokens = sentence.clone();
        tokens.retain_nodes(|_| false);
        let record = self.model.pipeline.prepare(&mut tokens);
        self.parse_prepared(&tokens, &record, &LabelConstraints::none(), bounds)
    }

    fn parse_as_demanded(
        &mut self,
        sentence: &Tree,
        constraints: &Constraints,
        bounds: Bounds,
    ) -> Result<Parsed, Unmet> {
        let Prepared { tokens, record, constraints } = constraints.prepare(sentence, &self.model.pipeline)?;
        let constraints = LabelConstraints::of(&constraints, &self.model.symbols)?;
        constraints.check(&self.model.symbols.terminals(&tokens))?;
        let parsed = self.parse_prepared(&tokens, &record, &constraints, bounds);
        match &parsed.outcome {
            Some(outcome)
                if outcome.best().is_fallback && outcome.end != End::Deadline && bounds.rival.is_none() =>
            {
                Err(Unmet { why: not_found(), end: Some(outcome.end) })
            }
            _ => Ok(parsed),
        }
    }

    fn parse_prepared(
        &mut self,
        tokens: &Tree,
        record: &Record,
        constraints: &LabelConstraints,
        bounds: Bounds,
    ) -> Parsed {
        let is_too_long = self.limits.max_length.is_some_and(|most| tokens.num_tokens() > most);
        if tokens.is_empty() || is_too_long {
            return Parsed::flat(record, is_too_long);
        }
        match self.search(tokens, constraints, bounds) {
            Some(outcome) => self.restore(outcome, record, tokens),
            None => Parsed::flat(record, false),
        }
    }

    /// The confidence in each phrase of the tree of a parse, in pre-order; the parse must be one of the last sentence. There is none
    /// in the root of a fallback.
    ///
    /// # Panics
    /// If the parse is that of another sentence.
    pub fn confidences(&self, parse: &ParsePath) -> Vec<Option<f64>> {
        let by_item: FxHashMap<ItemId, f64> =
            parse.steps.iter().filter_map(|step| Some((step.item?, step.confidence()))).collect();
        let mut confidences = Vec::new();
        let mut stack = vec![parse.root];
        while let Some(id) = stack.pop() {
            if !self.workspace.items.get(id).is_terminal() {
                confidences.push(by_item.get(&id).copied());
                stack.extend(self.workspace.items.children(id).iter().rev());
            }
        }
        confidences
    }

    fn search(&mut self, prepared: &Tree, constraints: &LabelConstraints, bounds: Bounds) -> Option<Outcome> {
        let TransitionModel { symbols, scheme, .. } = self.model;
        let Bounds { deadline, rival } = bounds;
        let terminals = &symbols.terminals(prepared);
        let task = Task { scheme: *scheme, symbols, terminals, constraints, deadline, rival };
        self.searcher.parse(&mut self.guide, &mut self.workspace, &task)
    }

    fn restore(&self, outcome: Outcome, record: &Record, prepared: &Tree) -> Parsed {
        let tree = |root| {
            let tree = to_tree(&self.workspace.items, root, &self.model.symbols, prepared);
            // Full stops belong to the clause, as in the Penn Treebank. The tree has the tokens of `prepared`, so it fits.
            let choices = Restoration { outer_in_clause: true, ..Restoration::default() };
            record.restore_with(&tree, choices).unwrap_or_else(|_| record.flat())
        };
        let mut trees = outcome.parses.iter().map(|parse| tree(parse.root));
        let best = trees.next().unwrap_or_else(|| record.flat());
        let others = trees.collect();
        Parsed { tree: best, others, outcome: Some(outcome), is_too_long: false, unmet: None }
    }
}

fn not_found() -> Error {
    Error::new(ErrorKind::Argument, "no tree was found that meets the constraints")
        .hint("demand less, or search further than greedy search does")
}
