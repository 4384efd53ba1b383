//! The model as a guide.
//!
//! The naive form finds the features of each inference and walks through every tree. Three things make it fast, none of
//! which changes a score but the last: all labels of a place are scored at once ([`Forest`](crate::model::Forest)); features that come
//! with an item in a role are looked up once, as a bundle; and few inferences are looked at by all trees ([`Cascade`]).

use rustc_hash::FxHashMap;

use super::features::{View, Visitor};
use super::guide::{Guide, Scored, Workspace};
use super::item::{Item, ItemId};
use super::model::{Cascade, Model};
use super::state::{Action, Inference, Place, State};
use super::symbols::Label;
use crate::model::{Bundle, Bundles, Forest, ForestScratch};

/// Tests in bundles to remember from sentence to sentence; each takes 16 bytes.
const MAX_TESTS: usize = 1 << 22;

/// Scores inferences by a model.
#[derive(Debug)]
pub struct ModelGuide<'m> {
    model: &'m Model,
    scratch: ForestScratch,
    kinds: Kinds,
    coarse: Cache,
    fine: Cache,
    places: Vec<Place>,
    /// The scores at a place.
    scores: Vec<f64>,
    common: Vec<Bundle>,
    of_head: Vec<Bundle>,
}

impl<'m> ModelGuide<'m> {
    /// A guide with its own memory.
    pub fn new(model: &'m Model) -> Self {
        Self {
            model,
            scratch: ForestScratch::default(),
            kinds: Kinds::default(),
            coarse: Cache::new(model, &model.cascade.coarse),
            fine: Cache::new(model, &model.cascade.fine),
            places: Vec::new(),
            scores: Vec::new(),
            common: Vec::new(),
            of_head: Vec::new(),
        }
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

    /// Scores a place by the first trees of all classifiers.
    fn score_coarse(&mut self, view: View<'_>, positions: &[u8], variants: &[u8]) {
        let Model { layout, cascade: Cascade { coarse: forest, .. }, .. } = self.model;
        let Self { kinds, coarse: cache, scratch, .. } = self;
        forest.start(scratch);
        let mut all = |bundle, bundles: &Bundles| forest.activate_bundle(bundle, bundles, scratch);
        layout.visit(view, &mut Telling { model: self.model, forest, kinds, cache, tell: &mut all });
        for (variant, &head) in (0..).zip(positions) {
            // Shifts have one child, and so never a choice.
            let is_for =
                |classifier: usize| positions.len() == 1 || variants.get(classifier) == Some(&variant);
            let mut some = |bundle, bundles: &Bundles| {
                forest.activate_bundle_for(bundle, bundles, scratch, is_for);
            };
            let mut telling = Telling { model: self.model, forest, kinds, cache, tell: &mut some };
            layout.visit_head(view, usize::from(head), &mut telling);
        }
        self.scores.clear();
        self.scores.extend_from_slice(forest.finish(scratch));
    }

    /// Adds what the other trees say, for the classifiers that have a chance.
    fn score_fine(&mut self, view: View<'_>, positions: &[u8], variants: &[u8]) {
        let threshold = self.model.cascade.threshold;
        if !self.scores.iter().any(|&score| score >= threshold) {
            return;
        }
        self.find_bundles(view, None);
        for (variant, &head) in (0..).zip(positions) {
            let is_for =
                |classifier: usize| positions.len() == 1 || variants.get(classifier) == Some(&variant);
            let is_chosen = |&(classifier, &score): &(usize, &f64)| score >= threshold && is_for(classifier);
            if self.scores.iter().enumerate().any(|score| is_chosen(&score)) {
                self.find_bundles(view, Some(usize::from(head)));
                self.add_fine_scores(is_for);
            }
        }
    }

    fn find_bundles(&mut self, view: View<'_>, head: Option<usize>) {
        let Model { layout, cascade: Cascade { fine: forest, .. }, .. } = self.model;
        let Self { kinds, fine: cache, common, of_head, .. } = self;
        let found = if head.is_some() { of_head } else { common };
        found.clear();
        let mut tell = |bundle: Bundle, _: &Bundles| {
            if !bundle.is_empty() {
                found.push(bundle);
            }
        };
        let mut telling = Telling { model: self.model, forest, kinds, cache, tell: &mut tell };
        match head {
            Some(head) => layout.visit_head(view, head, &mut telling),
            None => layout.visit(view, &mut telling),
        }
    }

    fn add_fine_scores(&mut self, is_for: impl Fn(usize) -> bool) {
        let Cascade { fine: forest, threshold, .. } = &self.model.cascade;
        for (classifier, score) in self.scores.iter_mut().enumerate() {
            if *score >= *threshold && is_for(classifier) {
                let active = self.common.iter().chain(&self.of_head).copied();
                *score += forest.score_bundles(active, &self.fine.bundles, classifier, &mut self.scratch);
            }
        }
    }

    /// The scores of all classifiers at a place.
    fn score_place(&mut self, state: &State, place: Place, workspace: &mut Workspace) {
        let Model { symbols, .. } = self.model;
        let Workspace { items, heads } = workspace;
        let sequence = heads.sequence(symbols, items, state.items_at(place), state.is_whole(place));
        let heads = heads.heads(sequence, symbols);
        let view = View { items, frontier: &state.frontier, place };
        self.score_coarse(view, heads.positions, heads.variants);
        self.score_fine(view, heads.positions, heads.variants);
    }
}

impl Guide for ModelGuide<'_> {
    fn start(&mut self, _workspace: &Workspace) {
        self.kinds.by_item.clear();
        if self.coarse.bundles.len() + self.fine.bundles.len() > MAX_TESTS {
            self.kinds = Kinds::default();
            self.coarse.clear();
            self.fine.clear();
        }
    }

    fn score(&mut self, state: &State, workspace: &mut Workspace, scored: &mut Vec<Scored>) {
        scored.clear();
        let Model { symbols, scheme, .. } = self.model;
        let num_labels = symbols.labels().len();
        let mut places = std::mem::take(&mut self.places);
        scheme.places(state, &workspace.items, &mut places);
        for &place in &places {
            self.score_place(state, place, workspace);
            let mut push =
                |action, score| scored.push(Scored { inference: Inference { place, action }, score });
            if place.is_shift {
                push(Action::Shift, self.scores[num_labels]);
                continue;
            }
            let legal = scheme.legal(state, &workspace.items, place);
            for (label, &score) in (0..).map(Label).zip(&self.scores[..num_labels]) {
                if legal.allows(label, &workspace.items) {
                    push(Action::Build(label), score);
                }
            }
        }
        self.places = places;
    }
}

/// Items of which the same features hold in the same role are of the same kind.
#[derive(Debug, Default)]
struct Kinds {
    by_values: FxHashMap<(u16, u16, u16, u32), u32>,
    /// The kind of each item of the sentence, or [`UNKNOWN`].
    by_item: Vec<u32>,
}

const UNKNOWN: u32 = u32::MAX;

impl Kinds {
    #[inline]
    fn kind(&mut self, id: ItemId, item: &Item) -> usize {
        match self.by_item.get(id.index()) {
            Some(&kind) if kind != UNKNOWN => kind as usize,
            _ => self.add(id, item),
        }
    }

    #[cold]
    fn add(&mut self, id: ItemId, item: &Item) -> usize {
        let next = self.by_values.len() as u32;
        let values = (item.symbol.0, item.head_tag, item.head_class, item.head_word);
        let kind = *self.by_values.entry(values).or_insert(next);
        if self.by_item.len() <= id.index() {
            self.by_item.resize(id.index() + 1, UNKNOWN);
        }
        self.by_item[id.index()] = kind;
        kind as usize
    }
}

/// For each kind of item and each class of role the features that hold, as a bundle of one forest; and so for each number.
#[derive(Debug)]
struct Cache {
    bundles: Bundles,
    by_count: Vec<Bundle>,
    /// How many tests belong to numbers.
    num_fixed: usize,
    num_classes: usize,
    /// By kind, then by class of role.
    by_role: Vec<Option<Bundle>>,
}

impl Cache {
    fn new(model: &Model, forest: &Forest) -> Self {
        let mut bundles = Bundles::default();
        let counts = model.layout.counts();
        let by_count = counts.iter().map(|list| forest.bundle(list.iter().copied(), &mut bundles)).collect();
        let num_classes = model.layout.roles().num_classes();
        Self { num_fixed: bundles.len(), bundles, by_count, num_classes, by_role: Vec::new() }
    }

    fn clear(&mut self) {
        self.bundles.truncate(self.num_fixed);
        self.by_role.clear();
    }

    #[inline]
    fn bundle(&mut self, model: &Model, forest: &Forest, class: u16, kind: usize, item: &Item) -> Bundle {
        match self.by_role.get(kind * self.num_classes + usize::from(class)) {
            Some(Some(bundle)) => *bundle,
            _ => self.add(model, forest, class, kind, item),
        }
    }

    #[cold]
    fn add(&mut self, model: &Model, forest: &Forest, class: u16, kind: usize, item: &Item) -> Bundle {
        let len = (kind + 1) * self.num_classes;
        if self.by_role.len() < len {
            self.by_role.resize(len, None);
        }
        let mut features = Vec::new();
        model.layout.roles().features(class, item, |feature| features.push(feature));
        let bundle = forest.bundle(features, &mut self.bundles);
        self.by_role[kind * self.num_classes + usize::from(class)] = Some(bundle);
        bundle
    }
}

/// Tells bundles of features.
struct Telling<'v, T> {
    model: &'v Model,
    forest: &'v Forest,
    kinds: &'v mut Kinds,
    cache: &'v mut Cache,
    tell: &'v mut T,
}

impl<T: FnMut(Bundle, &Bundles)> Visitor for Telling<'_, T> {
    #[inline]
    fn item(&mut self, class: u16, id: ItemId, item: &Item) {
        let kind = self.kinds.kind(id, item);
        let bundle = self.cache.bundle(self.model, self.forest, class, kind, item);
        (self.tell)(bundle, &self.cache.bundles);
    }

    #[inline]
    fn count(&mut self, list: usize) {
        (self.tell)(self.cache.by_count[list], &self.cache.bundles);
    }
}
