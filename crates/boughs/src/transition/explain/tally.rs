//! How often the best inference is right in the states of gold trees, by label and number of children.

use std::collections::BTreeMap;

use super::Explainer;
use crate::rng::Rng;
use crate::transition::guide::{Guide, Scored};
use crate::transition::model::{TransitionModel, action_name};
use crate::transition::oracle::GoldPath;
use crate::transition::search::best;
use crate::transition::state::{Action, Inference};
use crate::tree::{Tokens, Tree};

/// How many of some cases are right.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DecisionAccuracy {
    /// The cases.
    pub num_all: u64,
    /// Those that are right.
    pub num_right: u64,
}

/// Decisions in the states of gold trees.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GoldTally {
    /// All of them.
    pub all: DecisionAccuracy,
    /// By the label, or shift, that would have been right.
    pub by_label: BTreeMap<String, DecisionAccuracy>,
    /// By the number of children that would have been right; shifts are left out.
    pub by_children: BTreeMap<usize, DecisionAccuracy>,
    /// How often what would have been right, the first, was mistaken for something else, the second.
    pub confusions: BTreeMap<(String, String), u64>,
}

impl DecisionAccuracy {
    /// Counts a case.
    pub fn add(&mut self, is_right: bool) {
        self.num_all += 1;
        self.num_right += u64::from(is_right);
    }

    /// The cases that are wrong.
    pub fn num_wrong(self) -> u64 {
        self.num_all - self.num_right
    }

    /// The share that is right, in percent; none if there are no cases.
    pub fn percent(self) -> Option<f64> {
        (self.num_all > 0).then(|| 100.0 * self.num_right as f64 / self.num_all as f64)
    }
}

impl GoldTally {
    fn add(&mut self, model: &TransitionModel, right: Inference, made: Option<Inference>, is_right: bool) {
        let name = |inference: Inference| action_name(&model.symbols, inference.action).to_owned();
        self.all.add(is_right);
        self.by_label.entry(name(right)).or_default().add(is_right);
        if right.action != Action::Shift {
            self.by_children.entry(right.place.len as usize).or_default().add(is_right);
        }
        if let (false, Some(made)) = (is_right, made) {
            *self.confusions.entry((name(right), name(made))).or_default() += 1;
        }
    }
}

impl Explainer<'_> {
    /// Counts the decisions in the states on the way to a gold tree over these tokens. Where the strategy leaves a
    /// choice of paths, `rng` takes one. Returns whether there is such a way.
    pub fn tally(&mut self, tokens: &Tokens, gold: &Tree, rng: &mut Rng, tally: &mut GoldTally) -> bool {
        let sentence = self.prepare(tokens);
        let Some(gold) = self.gold(tokens, gold, &sentence) else { return false };
        let TransitionModel { symbols, scheme, .. } = self.model;
        let terminals = symbols.terminals(&sentence);
        self.workspace.items.start(symbols, &terminals);
        self.guide.start();
        let mut path = GoldPath::new(&gold, *scheme, &self.workspace.items);
        let mut scored: Vec<Scored> = Vec::new();
        while !path.correct().is_empty() {
            self.guide.score(&path.state, &mut self.workspace, &mut scored);
            let made = best(&scored).map(|(_, best)| best.inference);
            let correct = path.correct();
            if let Some(right) = best_of(&scored, correct) {
                let is_right = made.is_some_and(|made| correct.contains(&made));
                tally.add(self.model, right, made, is_right);
            }
            path.step(&mut self.workspace, symbols, rng);
        }
        true
    }
}

/// Of several correct inferences the one with the best score; the first if none was scored.
fn best_of(scored: &[Scored], correct: &[Inference]) -> Option<Inference> {
    let legal: Vec<Scored> =
        scored.iter().copied().filter(|scored| correct.contains(&scored.inference)).collect();
    best(&legal).map(|(_, best)| best.inference).or_else(|| correct.first().copied())
}
