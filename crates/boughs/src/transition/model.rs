//! A trained parser: what it takes to score inferences.

use super::cascade::Cascade;
use super::features::{FeatureLayout, PlaceView};
use super::guide::Workspace;
use super::state::{Action, Inference, ParserState, Scheme};
use super::symbols::{Label, TransitionSymbols};
use crate::model::Forest;
use crate::tree::transform::Pipeline;

/// The name of the classifier that decides on shifts.
pub const SHIFT_NAME: &str = "shift";

/// A parser as training leaves it. It is never changed; each thread has its own [`ModelGuide`](super::ModelGuide).
#[derive(Debug, Clone)]
pub struct TransitionModel {
    /// The names it knows.
    pub symbols: TransitionSymbols,
    /// How it makes inferences.
    pub scheme: Scheme,
    /// The features it asks for.
    pub layout: FeatureLayout,
    /// One classifier for each label, in their order, and one for shifts if there are any.
    pub forest: Forest,
    /// How few of their trees decide that an inference is hopeless.
    pub cascade: Cascade,
    /// What is done to a sentence before it is parsed.
    pub pipeline: Pipeline,
}

impl TransitionModel {
    /// The features of an inference that hold, in increasing order.
    pub fn features(&self, state: &ParserState, inference: Inference, workspace: &mut Workspace) -> Vec<u32> {
        let Workspace { items, heads } = workspace;
        let place = inference.place;
        let sequence = heads.sequence(&self.symbols, items, state.items_at(place), state.is_whole(place));
        let head = match inference.action {
            Action::Build(label) => heads.heads(sequence, &self.symbols).position(label),
            Action::Shift => 0,
        };
        let view = PlaceView { items, frontier: &state.frontier, place };
        let mut features = Vec::new();
        self.layout.common(view, |feature| features.push(feature));
        self.layout.of_head(view, head, |feature| features.push(feature));
        features.sort_unstable();
        features.dedup();
        features
    }

    /// The number of the classifier of an action.
    pub fn classifier(&self, action: Action) -> usize {
        match action {
            Action::Build(label) => label.index(),
            Action::Shift => self.symbols.labels().len(),
        }
    }
}

/// All actions that a parser has classifiers for, in their order.
pub fn actions(symbols: &TransitionSymbols, scheme: Scheme) -> Vec<Action> {
    let labels = (0..symbols.labels().len() as u16).map(|label| Action::Build(Label(label)));
    labels.chain(scheme.strategy.has_shift().then_some(Action::Shift)).collect()
}

/// The name of an action's classifier.
pub fn action_name(symbols: &TransitionSymbols, action: Action) -> &str {
    match action {
        Action::Build(label) => symbols.label_name(label),
        Action::Shift => SHIFT_NAME,
    }
}
