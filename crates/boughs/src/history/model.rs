//! A trained parser: what it takes to score inferences.

use super::features::{Layout, View, Visitor};
use super::guide::{Guide, Scored, Workspace};
use super::item::{Item, ItemId};
use super::state::{Action, Inference, Place, Scheme, State};
use super::symbols::{Label, Symbols};
use crate::model::{Bundle, Bundles, Forest, ForestScratch};
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
    cache: Cache,
    places: Vec<Place>,
}

impl<'m> ModelGuide<'m> {
    /// A guide with its own memory.
    pub fn new(model: &'m Model) -> Self {
        Self { model, scratch: model.forest.scratch(), cache: Cache::new(model), places: Vec::new() }
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
        let mut active = Activator { model: self.model, cache: &mut self.cache, scratch: &mut self.scratch };
        forest.start(active.scratch);
        layout.visit(view, &mut ForAll(&mut active));
        for (variant, &head) in (0..).zip(heads.positions) {
            let variants = (heads.positions.len() > 1).then_some(heads.variants);
            layout.visit_head(
                view,
                usize::from(head),
                &mut ForVariant { active: &mut active, variant, variants },
            );
        }
        forest.finish(&mut self.scratch)
    }
}

/// For each item of a sentence and each role, the features that hold, as a bundle; and so for each number.
///
/// The same items are looked at from place to place and from state to state, so every bundle is made once a sentence.
#[derive(Debug)]
struct Cache {
    bundles: Bundles,
    by_count: Vec<Bundle>,
    /// How many tests belong to numbers; the others to the sentence.
    num_fixed: usize,
    num_classes: usize,
    /// By item, then by class of role.
    by_role: Vec<Option<Bundle>>,
}

impl Cache {
    fn new(model: &Model) -> Self {
        let mut bundles = Bundles::default();
        let counts = model.layout.counts();
        let bundle = |list: &Vec<u32>| model.forest.bundle(list.iter().copied(), &mut bundles);
        let by_count = counts.iter().map(bundle).collect();
        let num_classes = model.layout.roles().num_classes();
        Self { num_fixed: bundles.len(), bundles, by_count, num_classes, by_role: Vec::new() }
    }

    fn clear(&mut self) {
        self.bundles.truncate(self.num_fixed);
        self.by_role.clear();
    }

    #[inline]
    fn bundle(&mut self, model: &Model, class: u16, id: ItemId, item: &Item) -> Bundle {
        let place = id.index() * self.num_classes + usize::from(class);
        match self.by_role.get(place) {
            Some(Some(bundle)) => *bundle,
            _ => self.add(model, class, id, item),
        }
    }

    #[cold]
    fn add(&mut self, model: &Model, class: u16, id: ItemId, item: &Item) -> Bundle {
        let len = (id.index() + 1) * self.num_classes;
        if self.by_role.len() < len {
            self.by_role.resize(len, None);
        }
        let mut features = Vec::new();
        model.layout.roles().features(class, item, |feature| features.push(feature));
        let bundle = model.forest.bundle(features, &mut self.bundles);
        self.by_role[id.index() * self.num_classes + usize::from(class)] = Some(bundle);
        bundle
    }
}

/// What it takes to make features active.
struct Activator<'a> {
    model: &'a Model,
    cache: &'a mut Cache,
    scratch: &'a mut ForestScratch,
}

/// Makes what it is told active for all classifiers.
struct ForAll<'v, 'a>(&'v mut Activator<'a>);

impl Visitor for ForAll<'_, '_> {
    #[inline]
    fn item(&mut self, class: u16, id: ItemId, item: &Item) {
        let Activator { model, cache, scratch } = &mut *self.0;
        let bundle = cache.bundle(model, class, id, item);
        model.forest.activate_bundle(bundle, &cache.bundles, scratch);
    }

    #[inline]
    fn count(&mut self, list: usize) {
        let Activator { model, cache, scratch } = &mut *self.0;
        model.forest.activate_bundle(cache.by_count[list], &cache.bundles, scratch);
    }
}

/// Makes what it is told active for the classifiers that choose one of several positions of the head.
struct ForVariant<'v, 'a> {
    active: &'v mut Activator<'a>,
    variant: u8,
    /// What each label chooses; nothing if there is no choice. Shifts have one child, and so never one.
    variants: Option<&'v [u8]>,
}

impl ForVariant<'_, '_> {
    #[inline]
    fn activate(&mut self, bundle: Bundle) {
        let Activator { model, cache, scratch } = &mut *self.active;
        match self.variants {
            None => model.forest.activate_bundle(bundle, &cache.bundles, scratch),
            Some(variants) => {
                let is_for = |classifier: usize| variants.get(classifier) == Some(&self.variant);
                model.forest.activate_bundle_for(bundle, &cache.bundles, scratch, is_for);
            }
        }
    }
}

impl Visitor for ForVariant<'_, '_> {
    #[inline]
    fn item(&mut self, class: u16, id: ItemId, item: &Item) {
        let bundle = self.active.cache.bundle(self.active.model, class, id, item);
        self.activate(bundle);
    }

    #[inline]
    fn count(&mut self, list: usize) {
        self.activate(self.active.cache.by_count[list]);
    }
}

impl Guide for ModelGuide<'_> {
    fn start(&mut self, _workspace: &Workspace) {
        self.cache.clear();
    }

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
