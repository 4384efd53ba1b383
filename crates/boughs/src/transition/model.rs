//! A trained parser: what it takes to score inferences.

use rayon::prelude::*;

use super::features::{FeatureLayout, PlaceView};
use super::guide::Workspace;
use super::state::{Action, Inference, ParserState, Scheme};
use super::symbols::{Label, TOP_NAME, TransitionSymbols};
use crate::error::{Error, ErrorKind, Result};
use crate::model::{BitForest, Forest};
use crate::tree::Tree;
use crate::tree::transform::{KeepOrDrop, Pipeline};
use crate::vocab::Vocab;

/// The name of the classifier that decides on shifts.
pub(crate) const SHIFT_NAME: &str = "shift";

/// A parser as training leaves it; each thread has its own [`TransitionParser`](super::TransitionParser).
#[derive(Debug, Clone)]
pub struct TransitionModel {
    /// The names it knows.
    pub(crate) symbols: TransitionSymbols,
    /// How it makes inferences.
    pub(crate) scheme: Scheme,
    /// The features it asks for.
    pub(crate) layout: FeatureLayout,
    /// One classifier for each label, in their order, and one for shifts if there are any.
    pub(crate) forest: Forest,
    /// The same, for scoring.
    pub(crate) bits: BitForest,
    /// What is done to a sentence before it is parsed.
    pub(crate) pipeline: Pipeline,
}

impl TransitionModel {
    /// The labels of phrases; the first is that of the root.
    pub fn labels(&self) -> impl Iterator<Item = &str> {
        self.symbols.labels.iter()
    }

    /// The leaves of all trees that are not zero.
    pub fn num_active(&self) -> usize {
        self.forest.num_active()
    }

    /// The model with the trees that were learned down to a penalty.
    ///
    /// # Errors
    /// Never for a model that training has left.
    pub fn at(&self, penalty: f64) -> Result<Self> {
        let forest = self.forest.at(penalty)?;
        Ok(Self { bits: BitForest::new(&forest)?, forest, ..self.clone() })
    }

    /// The model whose scores are the means of those of several that were trained on the same trees.
    ///
    /// # Errors
    /// If there is none, or they differ in more than their classifiers.
    pub fn mean(models: &[&Self]) -> Result<Self> {
        let forest = Forest::mean(&models.iter().map(|model| &model.forest).collect::<Vec<_>>())?;
        let of = |model: &Self| {
            let TransitionModel { symbols, scheme, layout, pipeline, .. } = model;
            let names = |names: &Vocab| names.iter().map(str::to_owned).collect::<Vec<_>>();
            let text = format!("{scheme:?} {pipeline} {}", layout.templates.text());
            (names(&symbols.tags), names(&symbols.words), text)
        };
        if models.iter().any(|model| of(model) != of(models[0])) {
            return Err(Error::new(
                ErrorKind::Mismatch,
                "expected parsers of the same trees and features, found others",
            ));
        }
        Ok(Self { bits: BitForest::new(&forest)?, forest, ..models[0].clone() })
    }

    /// The features of an inference that hold, in increasing order.
    pub(crate) fn features(
        &self,
        state: &ParserState,
        inference: Inference,
        workspace: &mut Workspace,
    ) -> Vec<u32> {
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
    pub(crate) fn classifier(&self, action: Action) -> usize {
        match action {
            Action::Build(label) => label.index(),
            Action::Shift => self.symbols.labels.len(),
        }
    }
}

/// All actions that a parser has classifiers for, in their order.
pub(crate) fn actions(symbols: &TransitionSymbols, scheme: Scheme) -> Vec<Action> {
    let labels = (0..symbols.labels.len() as u16).map(|label| Action::Build(Label(label)));
    labels.chain(scheme.strategy.has_shift().then_some(Action::Shift)).collect()
}

/// The name of an action's classifier.
pub(crate) fn action_name(symbols: &TransitionSymbols, action: Action) -> &str {
    match action {
        Action::Build(label) => symbols.label_name(label),
        Action::Shift => SHIFT_NAME,
    }
}

/// Training trees as the parser sees them; those that are too long or empty are left out.
pub(crate) fn prepare(pipeline: &Pipeline, trees: &[Tree]) -> Vec<Tree> {
    trees.par_iter().filter_map(|tree| prepare_one(pipeline, tree.clone())).collect()
}

/// A gold tree as the parser sees it; none if it is too long or nothing is left.
pub(super) fn prepare_one(pipeline: &Pipeline, mut tree: Tree) -> Option<Tree> {
    let is_kept = pipeline.apply(&mut tree) == KeepOrDrop::Keep && !tree.is_empty();
    tree.set_root(TOP_NAME);
    is_kept.then_some(tree)
}
