//! The boosters as a student would write them, and tests that the fast ones do the same.
//!
//! The reference tries every feature on every node with plain loops over all rows, breadth first, sums everything
//! anew, and walks rows down trees. It shares with the fast form only what is tested on its own: the loss, the
//! rounding of weights, and the confidence of a leaf.

use std::collections::VecDeque;

use super::fixed::FixedPoint;
use super::leaf::{self, LeafExample};
use super::sums::ClassSums;
use super::{
    BoostStop, Dataset, DatasetBuilder, DatasetView, GainForm, L1Booster, L1Config, LossForm, Lowering,
    Target, ZBooster, ZConfig, score_rows,
};
use crate::model::{Classifier, DecisionTree, Ensemble, Forest, TreeNode, round_confidence};
use crate::rng::Rng;

struct ReferenceBooster<'a> {
    view: DatasetView<'a>,
    target: &'a Target,
    form: LossForm,
    fixed: FixedPoint,
    scores: Vec<f64>,
}

impl<'a> ReferenceBooster<'a> {
    fn new(dataset: &'a Dataset, target: &'a Target, form: LossForm) -> Self {
        let fixed = FixedPoint::for_total(target.total_bias());
        Self {
            view: DatasetView::new(dataset, target).unwrap(),
            target,
            form,
            fixed,
            scores: vec![0.0; dataset.num_rows()],
        }
    }

    fn classes(&self, rows: &[usize]) -> ClassSums {
        ClassSums::over(rows.iter().map(|&row| {
            self.fixed.weight(self.form.signed_weight(self.target.signed_bias(row), self.scores[row]))
        }))
    }

    fn loss(&self, rows: &[usize], theta: f64) -> i64 {
        let row_loss = |&row: &usize| {
            let bias = self.target.signed_bias(row);
            self.fixed.loss(self.form.loss(bias, self.scores[row] + theta))
        };
        rows.iter().map(row_loss).sum()
    }

    fn used(&self) -> Vec<usize> {
        self.target.used_rows().map(|row| row as usize).collect()
    }

    fn sides(&self, rows: &[usize], feature: u32) -> (Vec<usize>, Vec<usize>) {
        rows.iter().partition(|&&row| self.view.is_active(row, feature))
    }

    /// The feature of the largest value, the first among equals.
    fn best<V: PartialOrd + Copy>(
        &self,
        rows: &[usize],
        value: impl Fn(ClassSums, ClassSums) -> V,
    ) -> Option<(u32, V)> {
        let mut best: Option<(u32, V)> = None;
        for feature in 0..self.view.num_features() as u32 {
            let (present, absent) = self.sides(rows, feature);
            let value = value(self.classes(&present), self.classes(&absent));
            if best.is_none_or(|(_, largest)| value > largest) {
                best = Some((feature, value));
            }
        }
        best
    }

    /// Grows a tree breadth first; `split` says by which feature, `rate` what a leaf is worth.
    fn grow(
        &mut self,
        max_depth: u32,
        split: impl Fn(&Self, &[usize], bool) -> Option<u32>,
        rate: impl Fn(&Self, &[usize]) -> f64,
    ) -> DecisionTree {
        let mut nodes = vec![TreeNode::Leaf { confidence: 0.0 }];
        let mut queue = VecDeque::from([(0, 0, self.used())]);
        let mut leaves = Vec::new();
        while let Some((node, depth, rows)) = queue.pop_front() {
            let feature = if depth < max_depth { split(self, &rows, depth == 0) } else { None };
            let Some(feature) = feature else {
                nodes[node] = TreeNode::Leaf { confidence: rate(self, &rows) };
                leaves.push(rows);
                continue;
            };
            let next = nodes.len();
            nodes[node] = TreeNode::Split { feature, present: next as u32, absent: next as u32 + 1 };
            nodes.extend([TreeNode::Leaf { confidence: 0.0 }; 2]);
            let (present, absent) = self.sides(&rows, feature);
            queue.extend([(next, depth + 1, present), (next + 1, depth + 1, absent)]);
        }
        super::grow::prune(&nodes)
    }

    fn add(&mut self, tree: &DecisionTree) {
        for row in self.used() {
            self.scores[row] += tree.score(|feature| self.view.is_active(row, feature));
        }
    }
}

fn gain(form: GainForm, gradient: i64, penalty: i64) -> i64 {
    match form {
        GainForm::Subtract if gradient.abs() > penalty => gradient.abs() - penalty,
        GainForm::Clip if gradient.abs() > penalty => gradient.abs(),
        _ => 0,
    }
}

fn l1_reference(dataset: &Dataset, target: &Target, config: L1Config) -> Ensemble {
    let mut reference = ReferenceBooster::new(dataset, target, LossForm::Logistic);
    let mut ensemble = Ensemble::new();
    let (mut lambda, mut norm) = (f64::INFINITY, 0.0);
    while ensemble.trees().len() < config.max_trees {
        let used = reference.used();
        let own = reference.classes(&used).gradient().abs();
        let steepest = reference
            .best(&used, |present, absent| present.gradient().abs().max(absent.gradient().abs()))
            .map_or(own, |(_, steepest)| steepest.max(own));
        let split_under = |reference: &ReferenceBooster<'_>, rows: &[usize], is_root: bool, lambda: f64| {
            let units = reference.fixed.penalty(lambda);
            let gain = |classes: ClassSums| gain(config.gain, classes.gradient(), units);
            let (feature, value) = reference.best(rows, |present, absent| gain(present) + gain(absent))?;
            let own = gain(reference.classes(rows));
            let factor = if is_root { 1.0 } else { config.min_gain_factor };
            (value > own && (is_root || value as f64 > factor * own as f64)).then_some(feature)
        };
        let steepest_value = reference.fixed.value(steepest);
        let mut next = match config.lowering {
            Lowering::EveryRoot => lambda.min(config.decay * steepest_value),
            Lowering::StuckRoot if lambda.is_finite() => lambda,
            Lowering::StuckRoot => steepest_value,
        };
        if config.lowering == Lowering::StuckRoot {
            while next >= config.final_penalty && split_under(&reference, &used, true, next).is_none() {
                next *= config.decay;
            }
        }
        if steepest == 0 || next < config.final_penalty {
            break;
        }
        lambda = next;
        let units = reference.fixed.penalty(lambda);
        let split = |reference: &ReferenceBooster<'_>, rows: &[usize], is_root: bool| {
            split_under(reference, rows, is_root, lambda)
        };
        let rate = |reference: &ReferenceBooster<'_>, rows: &[usize]| {
            let example = |&row: &usize| LeafExample {
                signed_bias: target.signed_bias(row),
                score: reference.scores[row],
            };
            let examples: Vec<LeafExample> = rows.iter().map(example).collect();
            let theta = leaf::confidence(&examples, units, reference.fixed);
            let change = reference.loss(rows, theta) - reference.loss(rows, 0.0);
            if reference.fixed.loss_value(change) + lambda * theta.abs() < 0.0 { theta } else { 0.0 }
        };
        let objective = |reference: &ReferenceBooster<'_>, norm: f64| {
            reference.fixed.loss_value(reference.loss(&used, 0.0)) + lambda * norm
        };
        let before = objective(&reference, norm);
        let tree = reference.grow(config.max_depth, split, rate);
        if tree.num_active() == 0 {
            lambda *= config.decay.min(0.9);
            continue;
        }
        reference.add(&tree);
        for node in tree.nodes() {
            if let TreeNode::Leaf { confidence } = node {
                norm += confidence.abs();
            }
        }
        ensemble.push(tree, lambda);
        if before - objective(&reference, norm) < 1e-9 * before {
            lambda *= config.decay.min(0.9);
        }
    }
    ensemble
}

fn z_reference(dataset: &Dataset, target: &Target, config: ZConfig) -> Ensemble {
    let mut reference = ReferenceBooster::new(dataset, target, config.loss);
    let mut ensemble = Ensemble::new();
    let mut threshold = f64::INFINITY;
    let z = |classes: ClassSums| 2.0 * ((classes.positive as f64) * (classes.negative as f64)).sqrt();
    let reduction = |reference: &ReferenceBooster<'_>, rows: &[usize]| {
        let (feature, rest) = reference.best(rows, |present, absent| -(z(present) + z(absent)))?;
        Some((feature, reference.fixed.value(1) * (z(reference.classes(rows)) + rest)))
    };
    while ensemble.trees().len() < config.max_trees {
        let best = reduction(&reference, &reference.used()).map_or(0.0, |(_, best)| best);
        let next = threshold.min(config.decay * best);
        if best <= 0.0 || next < config.final_threshold {
            break;
        }
        threshold = next;
        let split = |reference: &ReferenceBooster<'_>, rows: &[usize], _| {
            let (feature, best) = reduction(reference, rows)?;
            (best >= threshold && best > 0.0).then_some(feature)
        };
        let rate = |reference: &ReferenceBooster<'_>, rows: &[usize]| {
            let ClassSums { positive, negative } = reference.classes(rows);
            let smooth = |weight| reference.fixed.value(weight) + config.smoothing;
            round_confidence(0.5 * (smooth(positive) / smooth(negative)).ln())
        };
        let tree = reference.grow(config.max_depth, split, rate);
        reference.add(&tree);
        ensemble.push(tree, threshold);
    }
    ensemble
}

/// Rows whose label depends on a few conjunctions, with noise; some features repeat others, so that ties are met.
fn problem(seed: u64, num_rows: usize, num_features: u64) -> (Dataset, Target) {
    let mut rng = Rng::new(seed);
    let mut builder = DatasetBuilder::with_num_features(num_features as u32).unwrap();
    let mut target = Target::unused(num_rows);
    let same_bias = seed.is_multiple_of(2);
    for row in 0..num_rows {
        let mut features: Vec<u32> = Vec::new();
        for feature in 0..num_features - 2 {
            if rng.below(feature + 2) < 1 {
                features.push(feature as u32);
            }
        }
        let has = |feature| features.contains(&feature);
        let label = (has(0) && !has(2)) || (has(1) && has(3)) || rng.below(9) == 0;
        if has(1) {
            features.push(num_features as u32 - 1);
        }
        builder.push_row(&features).unwrap();
        if rng.below(10) > 0 {
            target.set(row, label, if same_bias { 1.0 } else { 0.1 + rng.unit() }).unwrap();
        }
    }
    (builder.finish(), target)
}

/// The same rows with every third feature moved into variants, besides other variants that the target does not choose;
/// and some rows without any.
fn with_variants(dataset: &Dataset, target: &Target, seed: u64) -> (Dataset, Target) {
    let mut rng = Rng::new(seed);
    let mut builder = DatasetBuilder::with_num_features(dataset.num_features() as u32).unwrap();
    let mut target = target.clone();
    for row in 0..dataset.num_rows() {
        let (chosen, common): (Vec<u32>, Vec<u32>) = dataset.row(row).partition(|feature| feature % 3 == 0);
        builder.push_row(&common).unwrap();
        let num_variants = if chosen.is_empty() { rng.below(2) } else { 1 + rng.below(4) };
        let choice = rng.below(num_variants.max(1));
        for variant in 0..num_variants {
            let others: Vec<u32> = (0..dataset.num_features() as u32 / 3).map(|number| 3 * number).collect();
            let others: Vec<u32> = others.into_iter().filter(|_| rng.below(4) == 0).collect();
            builder.push_variant(if variant == choice { &chosen } else { &others }).unwrap();
        }
        target.choose(row, choice as u8);
    }
    (builder.finish(), target)
}

fn l1(dataset: &Dataset, target: &Target, config: L1Config) -> Ensemble {
    let mut booster = L1Booster::new(dataset, target, config).unwrap();
    while booster.step().is_ok() {}
    booster.into_ensemble()
}

fn z(dataset: &Dataset, target: &Target, config: ZConfig) -> Ensemble {
    let mut booster = ZBooster::new(dataset, target, config).unwrap();
    while booster.step().is_ok() {}
    booster.into_ensemble()
}

fn l1_configs() -> Vec<L1Config> {
    let base = L1Config { final_penalty: 0.05, max_trees: 25, ..L1Config::default() };
    vec![
        base,
        L1Config { gain: GainForm::Subtract, ..base },
        L1Config { gain: GainForm::Subtract, decay: 0.9, ..base },
        L1Config { min_gain_factor: 1.0, ..base },
        L1Config { max_depth: 1, ..base },
        L1Config { max_depth: 3, decay: 0.9, ..base },
        L1Config {
            gain: GainForm::Subtract,
            min_gain_factor: 1.0,
            lowering: Lowering::StuckRoot,
            decay: 0.9,
            ..base
        },
    ]
}

#[test]
fn l1_boosting_is_the_reference() {
    for seed in 0..6 {
        let (dataset, target) = problem(seed, 120 + 40 * seed as usize, 12 + 5 * seed);
        for config in l1_configs() {
            let fast = l1(&dataset, &target, config);
            assert!(!fast.trees().is_empty());
            assert_eq!(fast, l1_reference(&dataset, &target, config), "seed {seed}, {config:?}");
        }
    }
}

#[test]
fn z_boosting_is_the_reference() {
    for seed in 0..6 {
        let (dataset, target) = problem(seed, 120 + 40 * seed as usize, 12 + 5 * seed);
        let exponential = LossForm::Exponential;
        for (decay, max_depth, loss) in
            [(1.0, u32::MAX, LossForm::Logistic), (0.7, 2, LossForm::Logistic), (1.0, u32::MAX, exponential)]
        {
            let config = ZConfig { loss, decay, max_depth, max_trees: 12, ..ZConfig::default() };
            let fast = z(&dataset, &target, config);
            assert!(!fast.trees().is_empty());
            assert_eq!(fast, z_reference(&dataset, &target, config), "seed {seed}, {config:?}");
        }
    }
}

#[test]
fn the_chosen_variants_are_all_that_is_seen() {
    for seed in 0..6 {
        let (plain, plain_target) = problem(seed, 120 + 40 * seed as usize, 12 + 5 * seed);
        let (dataset, target) = with_variants(&plain, &plain_target, seed);
        assert!(dataset.num_variants() > dataset.num_rows());
        for config in l1_configs() {
            let fast = l1(&dataset, &target, config);
            assert_eq!(fast, l1(&plain, &plain_target, config), "seed {seed}, {config:?}");
            assert_eq!(fast, l1_reference(&dataset, &target, config), "seed {seed}, {config:?}");
        }
        let config = ZConfig { max_trees: 6, ..ZConfig::default() };
        assert_eq!(z(&dataset, &target, config), z(&plain, &plain_target, config));
        let config = L1Config { sample_size: 100, max_trees: 20, ..L1Config::default() };
        let sampled = l1(&dataset, &target, config);
        assert_eq!(sampled, l1(&plain, &plain_target, config));
        let scored = |dataset, target| score_rows(&DatasetView::new(dataset, target).unwrap(), &sampled);
        assert_eq!(scored(&dataset, &target), scored(&plain, &plain_target));
    }
}

#[test]
fn wide_and_sparse_data_take_the_other_histograms() {
    let mut rng = Rng::new(11);
    let mut builder = DatasetBuilder::with_num_features(3000).unwrap();
    let labels: Vec<bool> = (0..150)
        .map(|_| {
            let row: Vec<u32> = (0..12).map(|_| (rng.unit().powi(4) * 3000.0) as u32).collect();
            builder.push_row(&row).unwrap();
            row.contains(&0) != row.contains(&3) || rng.below(5) == 0
        })
        .collect();
    let (dataset, target) = (builder.finish(), Target::from_labels(labels));
    let config = L1Config { final_penalty: 0.3, max_trees: 8, min_gain_factor: 1.0, ..L1Config::default() };
    assert_eq!(l1(&dataset, &target, config), l1_reference(&dataset, &target, config));
}

#[test]
fn scores_are_those_of_the_ensemble() {
    let (dataset, target) = problem(3, 300, 20);
    let mut booster = L1Booster::new(&dataset, &target, L1Config::default()).unwrap();
    while booster.step().is_ok() {}
    let view = DatasetView::new(&dataset, &target).unwrap();
    for (row, &score) in booster.scores().iter().enumerate() {
        let expected = match target.label(row) {
            Some(_) => booster.ensemble().score(|feature| view.is_active(row, feature)),
            None => 0.0,
        };
        assert_eq!(score, expected);
    }
}

#[test]
fn a_forest_scores_as_the_booster_does_bit_for_bit() {
    let (dataset, target) = problem(7, 400, 30);
    let mut booster =
        L1Booster::new(&dataset, &target, L1Config { max_trees: 80, ..L1Config::default() }).unwrap();
    while booster.step().is_ok() {}
    let classifier = |ensemble: &Ensemble| Classifier { label: String::new(), ensemble: ensemble.clone() };
    let boosted_by_z = z(&dataset, &target, ZConfig { max_trees: 20, ..ZConfig::default() });
    let forest = Forest::new(vec![classifier(booster.ensemble()), classifier(&boosted_by_z)]).unwrap();
    let mut scratch = forest.scratch();
    for row in target.used_rows().map(|row| row as usize) {
        let active: Vec<u32> = dataset.row(row).collect();
        let by_z = boosted_by_z.score(|feature| active.contains(&feature));
        assert_eq!(forest.score(&active, &mut scratch), [booster.scores()[row], by_z]);
    }
}

#[test]
fn objective_and_penalty_never_rise() {
    let (dataset, target) = problem(8, 500, 25);
    for config in
        [l1_configs(), vec![L1Config { sample_size: 100, max_trees: 60, ..L1Config::default() }]].concat()
    {
        let mut booster = L1Booster::new(&dataset, &target, config).unwrap();
        let mut last = booster.progress();
        while let Ok(progress) = booster.step() {
            assert!(progress.objective <= last.objective && progress.loss < last.loss);
            assert!(progress.penalty <= last.penalty && progress.num_active > last.num_active);
            last = progress;
        }
        assert!(last.num_trees > 3);
    }
}

#[test]
fn a_resumed_run_is_the_uninterrupted_run() {
    let (dataset, target) = problem(5, 400, 20);
    for sample_size in [0, 100] {
        let config = L1Config { sample_size, max_trees: 30, ..L1Config::default() };
        let whole = l1(&dataset, &target, config);
        for interrupted_at in [0, 1, 7, whole.trees().len()] {
            let mut first = L1Booster::new(&dataset, &target, config).unwrap();
            for _ in 0..interrupted_at {
                first.step().unwrap();
            }
            let mut second = L1Booster::resume(&dataset, &target, config, &first.checkpoint()).unwrap();
            assert_eq!(second.progress(), first.progress());
            while second.step().is_ok() {}
            assert_eq!(second.into_ensemble(), whole);
        }
    }
    let config = ZConfig { max_trees: 9, ..ZConfig::default() };
    let mut first = ZBooster::new(&dataset, &target, config).unwrap();
    first.step().unwrap();
    let mut second = ZBooster::resume(&dataset, &target, config, &first.checkpoint()).unwrap();
    while second.step().is_ok() {}
    assert_eq!(second.into_ensemble(), z(&dataset, &target, config));
}

#[test]
fn any_number_of_threads_learns_the_same() {
    let (dataset, target) = problem(2, 20_000, 40);
    for sample_size in [0, 5000] {
        let config = L1Config { sample_size, max_trees: 10, ..L1Config::default() };
        let runs = [1, 2, 3].map(|num_threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(num_threads).build().unwrap();
            pool.install(|| l1(&dataset, &target, config))
        });
        assert!(runs[0] == runs[1] && runs[1] == runs[2]);
    }
}

#[test]
fn a_sample_learns_much_the_same() {
    let (dataset, target) = problem(4, 5000, 20);
    let loss = |sample_size| {
        let config = L1Config { sample_size, final_penalty: 5.0, ..L1Config::default() };
        let mut booster = L1Booster::new(&dataset, &target, config).unwrap();
        while booster.step().is_ok() {}
        booster.progress().loss
    };
    let (exact, sampled) = (loss(0), loss(500));
    assert!((sampled / exact - 1.0).abs() < 0.05, "{exact} {sampled}");
}

#[test]
fn one_class_alone_is_a_constant() {
    let (dataset, _) = problem(1, 50, 12);
    let target = Target::from_labels(vec![false; 50]);
    let ensemble = l1(&dataset, &target, L1Config { final_penalty: 0.5, ..L1Config::default() });
    assert!(ensemble.trees().iter().all(|tree| tree.nodes().len() == 1));
    assert!(ensemble.score(|_| false) < -3.0);
    assert!(z(&dataset, &target, ZConfig::default()).trees().is_empty());
}

#[test]
fn nothing_to_learn_from_is_no_trees() {
    let empty = DatasetBuilder::new().finish();
    let target = Target::unused(0);
    let mut booster = L1Booster::new(&empty, &target, L1Config::default()).unwrap();
    assert_eq!(booster.step(), Err(BoostStop::Exhausted));
    let (dataset, _) = problem(1, 50, 12);
    let target = Target::unused(50);
    assert_eq!(
        L1Booster::new(&dataset, &target, L1Config::default()).unwrap().step(),
        Err(BoostStop::Exhausted)
    );
    assert_eq!(
        ZBooster::new(&dataset, &target, ZConfig::default()).unwrap().step(),
        Err(BoostStop::Exhausted)
    );
}

#[test]
fn limits_are_kept() {
    let (dataset, target) = problem(6, 200, 15);
    let run = |config| {
        let mut booster = L1Booster::new(&dataset, &target, config).unwrap();
        let stop = booster.run(|_, _| std::ops::ControlFlow::Continue(()));
        (stop, booster.progress())
    };
    let (stop, progress) = run(L1Config { max_active: 9, final_penalty: 1e-3, ..L1Config::default() });
    assert!(stop == BoostStop::Active && progress.num_active >= 9);
    let (stop, progress) = run(L1Config { max_trees: 4, ..L1Config::default() });
    assert!(stop == BoostStop::Trees && progress.num_trees == 4);
    let (stop, progress) = run(L1Config { final_penalty: 2.0, ..L1Config::default() });
    assert!(stop == BoostStop::Penalty && progress.penalty >= 2.0);
}

#[test]
fn a_target_of_another_size_is_refused() {
    let (dataset, _) = problem(1, 50, 12);
    let target = Target::unused(49);
    assert!(L1Booster::new(&dataset, &target, L1Config::default()).is_err());
}
