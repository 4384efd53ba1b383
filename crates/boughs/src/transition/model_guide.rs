//! The model as a guide.
//!
//! The naive form finds the features of each inference and walks through every tree. Three things make it fast, none
//! of which changes a score but the last: features that come with an item in a role are looked up once, as a bundle;
//! 64 rules are scored at once ([`BitForest`]); and few inferences are looked at by all trees
//! ([`Cascade`](super::cascade::Cascade)).

use super::bundle_cache::{BundleCache, Key};
use super::cascade::{GATE, HOPELESS, Scoring, Stage};
use super::features::PlaceView;
use super::guide::{Guide, Scored, Workspace};
use super::heads::Heads;
use super::item::Items;
use super::model::TransitionModel;
use super::state::{Action, Inference, InferencePlace, ParserState};
use super::symbols::Label;
use crate::model::{BitForest, Ranges};

/// Stands for the variant of a classifier that is not asked any more.
const CLOSED: u8 = u8::MAX;

/// Scores inferences by a model.
#[derive(Debug)]
pub(crate) struct ModelGuide<'m> {
    model: &'m TransitionModel,
    scoring: Scoring,
    cache: BundleCache<'m>,
    words: RuleWords,
    places: Vec<InferencePlace>,
    /// Per classifier, its score at a place.
    scores: Vec<f64>,
    /// Per classifier, the position of the head that it sees, among those possible; or [`CLOSED`].
    variants: Vec<u8>,
    /// What brings features at the place, whatever the head.
    common: Vec<Key>,
    /// The same for each position of the head; empty as long as it was not asked for.
    of_heads: Vec<Vec<Key>>,
}

/// Bits of rules, of all open classifiers and of those that see the same head.
#[derive(Debug, Default)]
struct RuleWords {
    ranges: Ranges,
    common: Vec<u64>,
    ranges_of_head: Ranges,
    of_head: Vec<u64>,
}

impl<'m> ModelGuide<'m> {
    /// A guide with its own memory.
    pub(crate) fn new(model: &'m TransitionModel, scoring: Scoring) -> Self {
        Self {
            model,
            scoring,
            cache: BundleCache::new(&model.layout, &model.cascade),
            words: RuleWords::default(),
            places: Vec::new(),
            scores: Vec::new(),
            variants: Vec::new(),
            common: Vec::new(),
            of_heads: Vec::new(),
        }
    }

    /// Scores the legal actions at a place, stage by stage.
    fn score_place(&mut self, state: &ParserState, place: InferencePlace, workspace: &mut Workspace) {
        let model = self.model;
        let Workspace { items, heads } = workspace;
        let view = PlaceView { items, frontier: &state.frontier, place };
        self.cache.find_keys(view, None, &mut self.common);
        let is_gated = self.scoring == Scoring::Cascade && !place.is_shift;
        if is_gated && self.is_shut() {
            return;
        }
        let sequence = heads.sequence(&model.symbols, items, state.items_at(place), state.is_whole(place));
        let heads = heads.heads(sequence, &model.symbols);
        self.open_legal(state, place, items, heads);
        self.of_heads.resize(self.of_heads.len().max(heads.positions.len()), Vec::new());
        self.of_heads.iter_mut().for_each(Vec::clear);
        let cascade = &model.cascade;
        for (number, forest) in cascade.forests.iter().enumerate().skip(GATE + 1) {
            self.add_stage(number, forest, view, heads.positions);
            let stage = cascade.stages.get(number - GATE - 1).filter(|_| self.scoring == Scoring::Cascade);
            if stage.is_some_and(|stage| self.close_hopeless(stage) == 0) {
                break;
            }
        }
    }

    /// Whether the place is hopeless by the score of the gate; then all labels get that score.
    fn is_shut(&mut self) -> bool {
        let Self { model, cache, words, common, scores, .. } = self;
        let gate = &model.cascade.forests[GATE];
        gate.find_ranges(0..1, &mut words.ranges);
        gate.start(&words.ranges, &mut words.common);
        activate(gate, GATE, cache, common, &words.ranges, &mut words.common);
        let score = gate.finish(0, &mut words.common);
        scores.clear();
        scores.resize(model.forest.classifiers().len(), score - HOPELESS);
        score < model.cascade.gate.threshold
    }

    /// Opens the classifiers of the legal actions.
    fn open_legal(&mut self, state: &ParserState, place: InferencePlace, items: &Items, heads: Heads<'_>) {
        let TransitionModel { scheme, forest, .. } = self.model;
        let num_classifiers = forest.classifiers().len();
        let legal = scheme.legal(state, items, place);
        self.scores.clear();
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

    /// Adds the scores by the trees of a stage to those of the open classifiers.
    fn add_stage(&mut self, stage: usize, forest: &BitForest, view: PlaceView<'_>, positions: &[u8]) {
        let Self { cache, words, variants, common, of_heads, scores, .. } = self;
        let RuleWords { ranges, common: words, ranges_of_head, of_head } = words;
        forest.find_ranges(open(variants).map(|(classifier, _)| classifier), ranges);
        forest.start(ranges, words);
        activate(forest, stage, cache, common, ranges, words);
        for (variant, &head) in (0..).zip(positions) {
            let seeing =
                || open(variants).filter(|&(_, seen)| seen == variant).map(|(classifier, _)| classifier);
            if seeing().next().is_none() {
                continue;
            }
            let keys = &mut of_heads[usize::from(variant)];
            if keys.is_empty() {
                cache.find_keys(view, Some(usize::from(head)), keys);
            }
            forest.find_ranges(seeing(), ranges_of_head);
            forest.start_from(words, ranges_of_head, of_head);
            activate(forest, stage, cache, keys, ranges_of_head, of_head);
            for classifier in seeing() {
                scores[classifier] += forest.finish(classifier, of_head);
            }
        }
    }

    /// Closes the classifiers whose inference is hopeless; how many are left.
    fn close_hopeless(&mut self, stage: &Stage) -> usize {
        let mut num_open = 0;
        for ((variant, score), threshold) in
            self.variants.iter_mut().zip(&mut self.scores).zip(&stage.thresholds)
        {
            if *variant != CLOSED && *score < *threshold {
                *variant = CLOSED;
                *score -= HOPELESS;
            }
            num_open += usize::from(*variant != CLOSED);
        }
        num_open
    }
}

/// The classifiers that are still asked, and the variants that they see.
fn open(variants: &[u8]) -> impl Iterator<Item = (usize, u8)> {
    variants.iter().copied().enumerate().filter(|&(_, variant)| variant != CLOSED)
}

/// Makes the features of keys active.
#[inline]
fn activate(
    forest: &BitForest,
    stage: usize,
    cache: &mut BundleCache<'_>,
    keys: &[Key],
    ranges: &Ranges,
    words: &mut [u64],
) {
    for &key in keys {
        let bundle = cache.bundle(key, stage);
        forest.activate(bundle, cache.bundles(stage), ranges, words);
    }
}

impl Guide for ModelGuide<'_> {
    fn start(&mut self) {
        self.cache.start();
    }

    fn score(&mut self, state: &ParserState, workspace: &mut Workspace, scored: &mut Vec<Scored>) {
        scored.clear();
        let TransitionModel { symbols, scheme, .. } = self.model;
        let num_labels = symbols.labels.len();
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
    use super::super::cascade::Cascade;
    use super::super::gold::GoldTree;
    use super::super::model::prepare;
    use super::super::oracle::GoldPath;
    use super::super::testing::{sample, trained};
    use super::*;
    use crate::rng::Rng;

    /// Calls `check` with the scores of every state on the way to some gold trees, and with the features that hold.
    fn at_gold_states(model: &TransitionModel, scoring: Scoring, mut check: impl FnMut(&Scored, Vec<u32>)) {
        let (mut workspace, mut guide) = (Workspace::default(), ModelGuide::new(model, scoring));
        for tree in prepare(&model.pipeline, &sample()).iter().step_by(5).take(12) {
            let gold = GoldTree::new(tree, &model.symbols).expect("known labels");
            workspace.items.start(&model.symbols, &model.symbols.terminals(tree));
            guide.start();
            let (mut path, mut rng) = (GoldPath::new(&gold, model.scheme, &workspace.items), Rng::new(1));
            while !path.correct().is_empty() {
                let mut scored = Vec::new();
                guide.score(&path.state, &mut workspace, &mut scored);
                for scored in &scored {
                    check(scored, model.features(&path.state, scored.inference, &mut workspace));
                }
                path.step(&mut workspace, &model.symbols, &mut rng);
            }
        }
    }

    #[test]
    fn scores_are_those_of_the_trees_one_by_one() {
        let gated = trained();
        let whole =
            TransitionModel { cascade: Cascade::whole(&gated.forest).expect("a cascade"), ..gated.clone() };
        for (model, scoring) in [(&whole, Scoring::Cascade), (&whole, Scoring::Full), (gated, Scoring::Full)]
        {
            at_gold_states(model, scoring, |scored, features| {
                let classifier = model.classifier(scored.inference.action);
                let ensemble = &model.forest.classifiers()[classifier].ensemble;
                let naive = ensemble.score(|feature| features.binary_search(&feature).is_ok());
                assert_eq!(scored.score, naive);
            });
        }
    }

    #[test]
    fn a_cascade_changes_only_what_is_hopeless() {
        let model = trained();
        let Cascade { gate, stages, .. } = &model.cascade;
        let (mut num_shut, mut num_hopeless) = (0, 0);
        at_gold_states(model, Scoring::Cascade, |scored, features| {
            let classifier = model.classifier(scored.inference.action);
            let ensemble = &model.forest.classifiers()[classifier].ensemble;
            let is_active = |feature| features.binary_search(&feature).is_ok();
            let at_gate = gate.ensemble.score(is_active);
            if at_gate < gate.threshold {
                num_shut += 1;
                assert_eq!(scored.score, at_gate - HOPELESS);
                return;
            }
            let score_at = |penalty| ensemble.prefix(ensemble.num_trees_at(penalty)).score(is_active);
            let mut scores =
                stages.iter().map(|stage| (score_at(stage.penalty), stage.thresholds[classifier]));
            let hopeless = scores.find(|(score, threshold)| score < threshold);
            num_hopeless += usize::from(hopeless.is_some());
            let expected = hopeless.map_or_else(|| ensemble.score(is_active), |(score, _)| score - HOPELESS);
            assert_eq!(scored.score, expected);
        });
        assert!(num_shut > 0 && num_hopeless > 0, "the cascade does nothing");
    }
}
