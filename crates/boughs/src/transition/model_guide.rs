//! The model as a guide.
//!
//! The naive form finds the features of each inference and walks through every tree. Three things make it
//! fast, none of which changes a score: features that come with an item in a role are looked up once, as a
//! bundle; 64 rules are scored at once ([`BitForest`](crate::model::BitForest)); and what stands to the left
//! of a place, or to its right, is the same for many places of a sentence, so what it means for all rules is
//! kept ([`Contexts`]).
//!
//! A cascade was three to four times as fast: a gate, and thresholds for the first trees, set most inferences
//! aside. But it changed trees: up to half of them with small models (record/2026-11-16-parsing.md).

use rustc_hash::FxHashMap;

use super::bundle_cache::{BundleCache, Part};
use super::features::PlaceView;
use super::guide::{Guide, Scored, Workspace};
use super::heads::Heads;
use super::item::{ItemId, Items};
use super::model::TransitionModel;
use super::state::{Action, Inference, InferencePlace, ParserState};
use super::symbols::Label;
use crate::model::Ranges;

/// Stands for the variant of a classifier whose action is not legal.
const CLOSED: u8 = u8::MAX;

/// Words of 64 bits that contexts of one side may take.
const MAX_WORDS: usize = 1 << 22;

/// Scores inferences by a model.
#[derive(Debug)]
pub(crate) struct ModelGuide<'m> {
    model: &'m TransitionModel,
    cache: BundleCache<'m>,
    left: Contexts,
    right: Contexts,
    words: RuleWords,
    places: Vec<InferencePlace>,
    /// Per classifier, its score at a place.
    scores: Vec<f64>,
    /// Per classifier, the position of the head that it sees, among those possible; or [`CLOSED`].
    variants: Vec<u8>,
}

/// Bits of rules, of all open classifiers and of those that see the same head.
#[derive(Debug, Default)]
struct RuleWords {
    ranges: Ranges,
    common: Vec<u64>,
    ranges_of_head: Ranges,
    of_head: Vec<u64>,
}

/// What stands on one side of places: items from the edge of the sentence up to the children. A context is
/// numbered by the one without its nearest item, and that item.
#[derive(Debug)]
struct Contexts {
    numbers: FxHashMap<(u32, ItemId), u32>,
    /// Of the current state: the context of no item, of one, and so on.
    of_state: Vec<u32>,
    /// By context, where its words are; none as long as no place has asked.
    starts: Vec<Option<usize>>,
    /// Which rules the context breaks or serves.
    words: Vec<u64>,
}

impl Contexts {
    fn new() -> Self {
        Self {
            numbers: FxHashMap::default(),
            of_state: Vec::new(),
            // That of no item is always there.
            starts: vec![None],
            words: Vec::new(),
        }
    }

    fn clear(&mut self) {
        self.numbers.clear();
        self.words.clear();
        self.starts.clear();
        self.starts.push(None);
    }

    /// A state with these items, the farthest from all places first.
    fn enter(&mut self, items: impl Iterator<Item = ItemId>) {
        if self.words.len() > MAX_WORDS {
            self.clear();
        }
        let mut last = 0;
        self.of_state.clear();
        self.of_state.push(last);
        for item in items {
            let next = self.starts.len() as u32;
            last = *self.numbers.entry((last, item)).or_insert(next);
            if last == next {
                self.starts.push(None);
            }
            self.of_state.push(last);
        }
    }

    /// Where the words of the context of so many items are; `fill` finds them.
    #[inline]
    fn start(&mut self, num_items: usize, fill: impl FnOnce(&mut Vec<u64>)) -> usize {
        let Self { of_state, starts, words, .. } = self;
        *starts[of_state[num_items] as usize].get_or_insert_with(|| {
            let start = words.len();
            fill(words);
            start
        })
    }
}

impl<'m> ModelGuide<'m> {
    /// A guide with its own memory.
    pub(crate) fn new(model: &'m TransitionModel) -> Self {
        Self {
            model,
            cache: BundleCache::new(&model.layout, &model.bits),
            left: Contexts::new(),
            right: Contexts::new(),
            words: RuleWords::default(),
            places: Vec::new(),
            scores: Vec::new(),
            variants: Vec::new(),
        }
    }

    /// Scores the legal actions at a place.
    fn score_place(&mut self, state: &ParserState, place: InferencePlace, workspace: &mut Workspace) {
        let model = self.model;
        let Workspace { items, heads } = workspace;
        let view = PlaceView { items, frontier: &state.frontier, place };
        let sequence = heads.sequence(&model.symbols, items, state.items_at(place), state.is_whole(place));
        let heads = heads.heads(sequence, &model.symbols);
        self.open_legal(state, place, items, heads);
        self.find_common(view);
        let Self { cache, words, variants, scores, .. } = self;
        let RuleWords { common, ranges_of_head, of_head, .. } = words;
        for (variant, &head) in (0..).zip(heads.positions) {
            let seeing =
                || open(variants).filter(|&(_, seen)| seen == variant).map(|(classifier, _)| classifier);
            if seeing().next().is_none() {
                continue;
            }
            model.bits.find_ranges(seeing(), ranges_of_head);
            model.bits.start_from([common, &[]], ranges_of_head, of_head);
            cache.activate(view, Part::Head(usize::from(head)), ranges_of_head, of_head);
            for classifier in seeing() {
                scores[classifier] = model.bits.finish(classifier, of_head);
            }
        }
    }

    /// Opens the classifiers of the legal actions.
    fn open_legal(&mut self, state: &ParserState, place: InferencePlace, items: &Items, heads: Heads<'_>) {
        let TransitionModel { scheme, forest, .. } = self.model;
        let num_classifiers = forest.classifiers().len();
        let legal = scheme.legal(state, items, place);
        self.scores.resize(num_classifiers, 0.0);
        self.variants.clear();
        self.variants.extend(
            (0..)
                .map(Label)
                .zip(heads.variants)
                .map(|(label, &variant)| if legal.allows(label, items) { variant } else { CLOSED }),
        );
        // A shift has one child, which is its head.
        let of_shift = if place.is_shift { 0 } else { CLOSED };
        self.variants.resize(num_classifiers, of_shift);
    }

    /// Finds the bits of rules whatever the head.
    fn find_common(&mut self, view: PlaceView<'_>) {
        let Self { model, cache, left, right, words, variants, .. } = self;
        let RuleWords { ranges, common, .. } = words;
        let range = view.place.range();
        let (num_left, num_right) = (range.start, view.frontier.len() - range.end);
        let [left, right] = [(left, num_left, Part::Left), (right, num_right, Part::Right)].map(
            |(contexts, num_items, part)| {
                let start = contexts.start(num_items, |words| {
                    let start = words.len();
                    model.bits.find_ranges(0..variants.len(), ranges);
                    words.extend_from_slice(model.bits.untouched());
                    cache.activate(view, part, ranges, &mut words[start..]);
                });
                &contexts.words[start..]
            },
        );
        model.bits.find_ranges(open(variants).map(|(classifier, _)| classifier), ranges);
        model.bits.start_from([left, right], ranges, common);
        cache.activate(view, Part::Children, ranges, common);
    }
}

/// The classifiers that are asked, and the variants that they see.
fn open(variants: &[u8]) -> impl Iterator<Item = (usize, u8)> {
    variants.iter().copied().enumerate().filter(|&(_, variant)| variant != CLOSED)
}

impl Guide for ModelGuide<'_> {
    fn start(&mut self) {
        self.cache.start();
        self.left.clear();
        self.right.clear();
    }

    fn score(&mut self, state: &ParserState, workspace: &mut Workspace, scored: &mut Vec<Scored>) {
        scored.clear();
        let TransitionModel { symbols, scheme, .. } = self.model;
        let num_labels = symbols.labels.len();
        self.left.enter(state.frontier.iter().copied());
        self.right.enter(state.frontier.iter().rev().copied());
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

#[cfg(test)]
mod tests {
    use super::super::gold::GoldTree;
    use super::super::model::prepare;
    use super::super::oracle::GoldPath;
    use super::super::testing::{sample, trained};
    use super::*;
    use crate::rng::Rng;

    #[test]
    fn scores_are_those_of_the_trees_one_by_one() {
        let model = trained();
        let (mut workspace, mut guide) = (Workspace::default(), ModelGuide::new(model));
        for tree in prepare(&model.pipeline, &sample()).iter().step_by(5).take(12) {
            let gold = GoldTree::new(tree, &model.symbols).expect("known labels");
            workspace.items.start(&model.symbols, &model.symbols.terminals(tree));
            guide.start();
            let (mut path, mut rng) = (GoldPath::new(&gold, model.scheme, &workspace.items), Rng::new(1));
            while !path.correct().is_empty() {
                let mut scored = Vec::new();
                guide.score(&path.state, &mut workspace, &mut scored);
                for Scored { inference, score } in scored {
                    let features = model.features(&path.state, inference, &mut workspace);
                    let ensemble = &model.forest.classifiers()[model.classifier(inference.action)].ensemble;
                    assert_eq!(score, ensemble.score(|feature| features.binary_search(&feature).is_ok()));
                }
                path.step(&mut workspace, &model.symbols, &mut rng);
            }
        }
    }
}
