//! A trained parser: what it takes to score inferences.

use super::features::Layout;
use super::state::{Action, Scheme};
use super::symbols::{Label, Symbols};
use crate::error::Result;
use crate::model::{Ensemble, Forest};
use crate::tree::transform::Pipeline;

/// The name of the classifier that decides on shifts.
pub const SHIFT_NAME: &str = "shift";

/// A parser as training leaves it. It is never changed; each thread has its own [`ModelGuide`](super::ModelGuide).
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
    /// How few of their trees decide that an inference is hopeless.
    pub cascade: Cascade,
    /// What is done to a sentence before it is parsed.
    pub pipeline: Pipeline,
}

/// Inferences that the first trees of their classifier think hopeless are not looked at by the others. Nearly all
/// inferences are, so this is most of the speed of a parser.
#[derive(Debug, Clone)]
pub struct Cascade {
    /// The trees learned down to this penalty judge every inference.
    pub penalty: f64,
    /// Where their score is below, it is the score.
    pub threshold: f64,
    pub(super) coarse: Forest,
    pub(super) fine: Forest,
}

impl Cascade {
    /// The first trees of a forest, down to a penalty, judge everything; the others only what gets a score of at least
    /// `threshold` from them.
    ///
    /// # Errors
    /// Never for a finished forest.
    pub fn new(forest: &Forest, penalty: f64, threshold: f64) -> Result<Self> {
        let (coarse, fine) = forest.split_at(penalty)?;
        Ok(Self { penalty, threshold, coarse, fine })
    }

    /// A cascade whose first stage has about a given part of the trees.
    ///
    /// # Errors
    /// Never for a finished forest.
    pub fn with_part(forest: &Forest, part: f64, threshold: f64) -> Result<Self> {
        let ensembles = forest.classifiers().iter().map(|classifier| &classifier.ensemble);
        let mut penalties: Vec<f64> = ensembles.flat_map(Ensemble::penalties).copied().collect();
        penalties.sort_by(|a, b| b.total_cmp(a));
        let place = (penalties.len() as f64 * part) as usize;
        let penalty = penalties.get(place).copied().unwrap_or(0.0);
        Self::new(forest, penalty, threshold)
    }
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
