//! Training examples: every candidate inference of every state on the way to each gold tree.
//!
//! The naive form is one row of features for each state, place and label. But all labels see the same places, and
//! their features differ only by the position of the head. So a row stands for a state and a place; it has a variant
//! for each position of the head, and each label chooses one. That is about 25 times less memory.
//!
//! No parser is needed for this, and no model: the oracle walks through each tree, and what it does is correct.

use super::features::{FeatureLayout, PlaceView};
use super::gold::GoldTree;
use super::guide::Workspace;
use super::heads::HeadTable;
use super::oracle::GoldPath;
use super::state::{Action, Inference, InferencePlace, ParserState, Scheme};
use super::symbols::{Label, TOP, TransitionSymbols};
use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::learn::{Dataset, DatasetBuilder, Target};
use crate::rng::Rng;
use crate::tree::Tree;

/// What examples weigh before training, b(i).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ExampleWeights {
    /// Every state as much as any other, half of it for its correct inferences (Turian & Melamed 2006). Here
    /// each half weighs 1, as in the authors' release, whose scale that of the penalty is.
    #[default]
    PerState,
    /// Every inference as much as any other (Turian & Melamed 2005): 1.
    Uniform,
}

/// The examples of all labels.
#[derive(Debug, Default)]
pub(crate) struct Examples {
    /// The rows.
    pub(crate) dataset: Dataset,
    rows: Vec<ExampleRow>,
    states: Vec<StateValue>,
    /// Rows and labels that may not be inferred there, because they are in the unary chain below; by row.
    excluded: Vec<(u32, Label)>,
    /// Rows and actions that are correct; by row.
    correct: Vec<(u32, Action)>,
    heads: HeadTable,
    /// What was found.
    pub(crate) summary: ExamplesSummary,
}

/// What was found while examples were made.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ExamplesSummary {
    /// Trees walked through.
    pub num_trees: usize,
    /// Trees left out because they have no tokens.
    pub num_empty: usize,
    /// States.
    pub num_states: usize,
    /// Correct inferences that the candidate rules do not allow, such as phrases of too many children.
    pub num_illegal: usize,
    /// Pairs of a row and a label, or shift, that may be inferred there.
    pub num_examples: u64,
}

#[derive(Debug, Clone, Copy)]
struct ExampleRow {
    state: u32,
    /// The sequence of the children in the table of heads.
    sequence: u32,
    kind: Kind,
}

/// Which actions are legal, but for the labels excluded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// All labels but the topmost.
    Inner,
    /// All labels: the children are the whole frontier.
    Whole,
    /// The topmost label only: the whole frontier, with punctuation at its edge.
    TopOnly,
    Shift,
}

/// What one correct and one incorrect inference of a state weigh: each kind sums to 1.
#[derive(Debug, Clone, Copy, Default)]
struct StateValue {
    correct: f32,
    incorrect: f32,
}

/// Makes [`Examples`], one tree at a time.
#[derive(Debug)]
pub(crate) struct ExamplesBuilder<'a> {
    symbols: &'a TransitionSymbols,
    layout: &'a FeatureLayout,
    scheme: Scheme,
    seed: u64,
    dataset: DatasetBuilder,
    examples: Examples,
    workspace: Workspace,
    places: Vec<InferencePlace>,
    features: Vec<u32>,
}

impl<'a> ExamplesBuilder<'a> {
    /// No examples yet. `seed` decides the path through a tree where a strategy leaves a choice.
    ///
    /// # Errors
    /// If there are too many features.
    pub(crate) fn new(
        symbols: &'a TransitionSymbols,
        layout: &'a FeatureLayout,
        scheme: Scheme,
        seed: u64,
    ) -> Result<Self> {
        Ok(Self {
            symbols,
            layout,
            scheme,
            seed,
            dataset: DatasetBuilder::with_num_features(layout.num_features)?,
            examples: Examples::default(),
            workspace: Workspace::default(),
            places: Vec::new(),
            features: Vec::new(),
        })
    }

    /// Adds the examples of a preprocessed tree, all of whose labels the symbols have.
    ///
    /// # Errors
    /// If there are too many rows.
    pub(crate) fn push(&mut self, tree: &Tree) -> Result<()> {
        let Some(gold) = GoldTree::new(tree, self.symbols).filter(|_| !tree.is_empty()) else {
            self.examples.summary.num_empty += 1;
            return Ok(());
        };
        let mut rng = Rng::stream(self.seed, self.examples.summary.num_trees as u64);
        self.examples.summary.num_trees += 1;
        self.workspace.items.start(self.symbols, &self.symbols.terminals(tree));
        let mut path = GoldPath::new(&gold, self.scheme, &self.workspace.items);
        while !path.correct().is_empty() {
            self.push_state(&path)?;
            path.step(&mut self.workspace, self.symbols, &mut rng);
        }
        Ok(())
    }

    fn push_state(&mut self, path: &GoldPath<'_>) -> Result<()> {
        let first_row = self.examples.rows.len();
        let num_before = self.examples.summary.num_examples;
        let mut places = std::mem::take(&mut self.places);
        self.scheme.places(&path.state, &self.workspace.items, &mut places);
        for &place in &places {
            self.push_place(&path.state, place)?;
        }
        let num_correct = self.note_correct(path, &places, first_row);
        self.places = places;
        let num_incorrect = self.examples.summary.num_examples - num_before - num_correct;
        let share = |number: u64| if number == 0 { 0.0 } else { 1.0 / number as f32 };
        self.examples
            .states
            .push(StateValue { correct: share(num_correct), incorrect: share(num_incorrect) });
        self.examples.summary.num_states += 1;
        Ok(())
    }

    fn push_place(&mut self, state: &ParserState, place: InferencePlace) -> Result<()> {
        let Workspace { items, heads } = &mut self.workspace;
        let is_whole = state.is_whole(place);
        let sequence = heads.sequence(self.symbols, items, state.items_at(place), is_whole);
        let view = PlaceView { items, frontier: &state.frontier, place };
        self.features.clear();
        self.layout.common(view, |feature| self.features.push(feature));
        self.dataset.push_row(&self.features)?;
        for &head in heads.heads(sequence, self.symbols).positions {
            self.features.clear();
            self.layout.of_head(view, usize::from(head), |feature| self.features.push(feature));
            self.dataset.push_variant(&self.features)?;
        }
        let is_legal =
            |label| self.scheme.is_legal(state, &self.workspace.items, place, Action::Build(Label(label)));
        let labels = 0..self.symbols.labels.len() as u16;
        let num_inner = labels.clone().skip(1).filter(|&label| is_legal(label)).count();
        let kind = match (place.is_shift, is_whole, is_legal(TOP.0) && num_inner == 0) {
            (true, _, _) => Kind::Shift,
            (_, _, true) => Kind::TopOnly,
            (_, true, _) => Kind::Whole,
            _ => Kind::Inner,
        };
        let row = self.examples.rows.len() as u32;
        if matches!(kind, Kind::Inner | Kind::Whole) {
            let illegal = labels.skip(1).filter(|&label| !is_legal(label));
            self.examples.excluded.extend(illegal.map(|label| (row, Label(label))));
        }
        let num_other = usize::from(kind != Kind::Inner);
        self.examples.summary.num_examples += (num_inner + num_other) as u64;
        self.examples.rows.push(ExampleRow { state: self.examples.states.len() as u32, sequence, kind });
        Ok(())
    }

    /// Notes which of the rows of a state are correct; their number.
    fn note_correct(&mut self, path: &GoldPath<'_>, places: &[InferencePlace], first_row: usize) -> u64 {
        let mut num_correct = 0;
        for &Inference { place, action } in path.correct() {
            let found = places.iter().position(|&other| other == place);
            let is_legal =
                |_: &usize| self.scheme.is_legal(&path.state, &self.workspace.items, place, action);
            match found.filter(is_legal) {
                Some(index) => {
                    self.examples.correct.push(((first_row + index) as u32, action));
                    num_correct += 1;
                }
                None => self.examples.summary.num_illegal += 1,
            }
        }
        num_correct
    }

    /// The examples.
    pub(crate) fn finish(self) -> Examples {
        Examples { dataset: self.dataset.finish(), heads: self.workspace.heads, ..self.examples }
    }
}

impl Examples {
    /// What the classifier of an action is to learn.
    ///
    /// # Errors
    /// Never for examples made by their builder.
    pub(crate) fn target(
        &self,
        action: Action,
        weights: ExampleWeights,
        symbols: &TransitionSymbols,
    ) -> Result<Target> {
        let weight = |value: f32| match weights {
            ExampleWeights::PerState => f64::from(value),
            ExampleWeights::Uniform => 1.0,
        };
        let mut target = Target::unused(self.rows.len());
        for (index, row) in self.rows.iter().enumerate() {
            if row.kind.allows(action) {
                let value = self.states[row.state as usize].incorrect;
                // A state without incorrect inferences has no share for them.
                if value > 0.0 {
                    target.set(index, false, weight(value))?;
                }
                if let Action::Build(label) = action {
                    let heads = self.heads.heads(row.sequence, symbols);
                    target.choose(index, heads.variants[label.index()]);
                }
            }
        }
        for &(row, _) in self.excluded.iter().filter(|(_, label)| Action::Build(*label) == action) {
            target.skip(row as usize);
        }
        for &(row, _) in self.correct.iter().filter(|(_, correct)| *correct == action) {
            let value = self.states[self.rows[row as usize].state as usize].correct;
            target.set(row as usize, true, weight(value))?;
        }
        Ok(target)
    }
}

impl Kind {
    fn allows(self, action: Action) -> bool {
        match action {
            Action::Shift => self == Self::Shift,
            Action::Build(TOP) => matches!(self, Self::Whole | Self::TopOnly),
            Action::Build(_) => matches!(self, Self::Inner | Self::Whole),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::features::Templates;
    use super::super::strategy::Strategy;
    use super::super::symbols::TOP_NAME;
    use super::*;
    use crate::tree::transform::TagSet;

    /// Turian & Melamed (2005), section 3.4: before the first inference over "The man left" there are six
    /// candidates for an NP, and only "The man" is correct.
    #[test]
    fn candidates_for_an_np() {
        let mut tree: Tree = "(S (NP (DT The) (NN man)) (VP (VBD left)))".parse().unwrap();
        tree.set_root(TOP_NAME);
        let symbols = TransitionSymbols::collect([&tree], None, TagSet::punctuation());
        let layout = FeatureLayout::new("tm05".parse::<Templates>().unwrap(), &symbols).unwrap();
        let scheme = Scheme { strategy: Strategy::RightToLeft, max_children: 5 };
        let mut builder = ExamplesBuilder::new(&symbols, &layout, scheme, 0).unwrap();
        builder.push(&tree).unwrap();
        let examples = builder.finish();
        let weights = |weights| {
            let action = Action::Build(symbols.label("NP").unwrap());
            let target = examples.target(action, weights, &symbols).unwrap();
            (0..target.num_rows()).map(|row| target.signed_bias(row)).collect::<Vec<f64>>()
        };
        // Right to left, the first inference is the VP: no NP is correct yet. The labels are TOP, S, NP and
        // VP, and TOP is one of the 19 candidates, over the whole.
        let uniform = weights(ExampleWeights::Uniform);
        assert_eq!(uniform[..6], [-1.0; 6]);
        let per_state = weights(ExampleWeights::PerState);
        assert!(per_state[..6].iter().all(|&weight| weight == -f64::from(1.0f32 / 18.0)), "{per_state:?}");
        // Then "The man" is, among the places that contain the VP or end before it: The, The man, The man
        // left, man, man left, left.
        let correct: Vec<usize> = (0..uniform.len()).filter(|&row| uniform[row] > 0.0).collect();
        assert_eq!(correct, [7], "one NP, in the second state");
        assert_eq!((uniform[7], per_state[7]), (1.0, 1.0));
    }
}
