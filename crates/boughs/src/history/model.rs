//! A trained parser: what it takes to score inferences.

use super::features::{Layout, View};
use super::guide::{Guide, Scored, Workspace};
use super::state::{Action, Inference, Place, Scheme, State};
use super::symbols::{Label, Symbols};
use crate::model::{Forest, ForestScratch};
use crate::tree::transform::Pipeline;

/// The name of the classifier that decides on shifts.
pub const SHIFT_NAME: &str = "shift";

/// A parser as training leaves it. It is never changed; each thread has its own [`ModelGuide`].
#[derive(Debug, Clone)]
pub struct Model {
    /// The names it knows.
    pub symbols: Symbols,
    /// How it makes inferences.
    pub scheme: Scheme,
    /// The features it asks for.
    pub layout: Layout,
    /// One classifier for each label, in their order, and one for shifts if there are any.
    pub forest: Forest,
    /// What is done to a sentence before it is parsed.
    pub pipeline: Pipeline,
}

/// All actions that a parser has classifiers for, in their order.
pub fn actions(symbols: &Symbols, scheme: Scheme) -> Vec<Action> {
    let labels = (0..symbols.labels().len() as u16).map(|label| Action::Build(Label(label)));
    labels.chain(scheme.strategy.has_shift().then_some(Action::Shift)).collect()
}

/// The name of an action's classifier.
pub fn action_name(symbols: &Symbols, action: Action) -> &str {
    match action {
        Action::Build(label) => symbols.label_name(label),
        Action::Shift => SHIFT_NAME,
    }
}

/// Scores inferences by a model.
#[derive(Debug)]
pub struct ModelGuide<'m> {
    model: &'m Model,
    scratch: ForestScratch,
    places: Vec<Place>,
}

impl<'m> ModelGuide<'m> {
    /// A guide with its own memory.
    pub fn new(model: &'m Model) -> Self {
        Self { model, scratch: model.forest.scratch(), places: Vec::new() }
    }

    /// The features of an inference that hold, in increasing order.
    pub fn features(&self, state: &State, inference: Inference, workspace: &mut Workspace) -> Vec<u32> {
        let Model { symbols, layout, .. } = self.model;
        let Workspace { items, heads } = workspace;
        let place = inference.place;
        let sequence = heads.sequence(symbols, items, state.items_at(place), state.is_whole(place));
        let head = match inference.action {
            Action::Build(label) => heads.heads(sequence, symbols).position(label),
            Action::Shift => 0,
        };
        let view = View { items, frontier: &state.frontier, place };
        let mut features = Vec::new();
        layout.common(view, |feature| features.push(feature));
        layout.of_head(view, head, |feature| features.push(feature));
        features.sort_unstable();
        features.dedup();
        features
    }

    /// The scores of all classifiers at a place.
    fn score_place(&mut self, state: &State, place: Place, workspace: &mut Workspace) -> &[f64] {
        let Model { symbols, layout, forest, .. } = self.model;
        let Workspace { items, heads } = workspace;
        let sequence = heads.sequence(symbols, items, state.items_at(place), state.is_whole(place));
        let heads = heads.heads(sequence, symbols);
        let view = View { items, frontier: &state.frontier, place };
        let scratch = &mut self.scratch;
        forest.start(scratch);
        layout.common(view, |feature| forest.activate(feature, scratch));
        match heads.positions {
            [only] => layout.of_head(view, usize::from(*only), |feature| forest.activate(feature, scratch)),
            positions => {
                for (variant, &head) in (0..).zip(positions) {
                    // Shifts have one child, so a place with several variants is none.
                    let is_for = |classifier: usize| heads.variants.get(classifier) == Some(&variant);
                    layout.of_head(view, usize::from(head), |feature| {
                        forest.activate_for(feature, scratch, is_for);
                    });
                }
            }
        }
        forest.finish(scratch)
    }
}

impl Guide for ModelGuide<'_> {
    fn score(&mut self, state: &State, workspace: &mut Workspace, scored: &mut Vec<Scored>) {
        scored.clear();
        let Model { symbols, scheme, .. } = self.model;
        let num_labels = symbols.labels().len();
        let mut places = std::mem::take(&mut self.places);
        scheme.places(state, &workspace.items, &mut places);
        for &place in &places {
            let scores = self.score_place(state, place, workspace);
            let mut push =
                |action, score| scored.push(Scored { inference: Inference { place, action }, score });
            if place.is_shift {
                push(Action::Shift, scores[num_labels]);
                continue;
            }
            let legal = scheme.legal(state, &workspace.items, place);
            for (label, &score) in (0..).map(Label).zip(&scores[..num_labels]) {
                if legal.allows(label, &workspace.items) {
                    push(Action::Build(label), score);
                }
            }
        }
        self.places = places;
    }
}
