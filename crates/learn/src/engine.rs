//! What every method of boosting does the same: prepare a root, grow a tree, rate leaves, move scores.
//!
//! The naive form sums the root's histogram anew for every tree. A tree changes the weights of the rows in its leaves
//! that are not zero, often few, so the histogram is kept and only the changes are added; sums of whole numbers drift
//! no further for it. A sample, if one is asked for, is drawn and summed anew for every tree.

use super::dataset::Dataset;
use super::grow::{Criterion, Grower, Grown, GrownLeaf, OpenNode, percolate};
use super::histogram::Histograms;
use super::loss::LossForm;
use super::partition::{NodeRows, RowSet};
use super::sample::Sampler;
use super::scan::Scan;
use super::scores::{RowScores, ScoreChange};
use super::sums::{ClassSums, WeightSum};
use super::target::Target;
use super::view::DatasetView;
use crate::error::Result;
use crate::model::{DecisionTree, TreeNode};

/// How rows are sampled for the search for splits.
#[derive(Debug, Clone, Copy)]
pub struct Sampling {
    /// How many; 0 for all of them.
    pub(super) size: usize,
    pub(super) seed: u64,
}

/// A classifier in training.
#[derive(Debug)]
pub struct BoostEngine<'a, S> {
    view: DatasetView<'a>,
    pub(super) scores: RowScores<'a>,
    histograms: Histograms<S>,
    sampling: Sampling,
    /// The root's histogram, unless rows are sampled.
    table: Vec<S>,
    sampler: Sampler,
    /// y·w by row of the current sample.
    sample_weights: Vec<i64>,
    /// What no sum of a block of features exceeds in the current tree.
    bounds: Vec<i64>,
}

impl<'a, S: WeightSum> BoostEngine<'a, S> {
    pub(super) fn new(
        dataset: &'a Dataset,
        target: &'a Target,
        form: LossForm,
        sampling: Sampling,
    ) -> Result<Self> {
        let view = DatasetView::new(dataset, target)?;
        let scores = RowScores::new(target, form);
        let histograms = Histograms::new(&view);
        let is_sampled = sampling.size > 0 && scores.used.len() > sampling.size;
        let sampling = Sampling { size: if is_sampled { sampling.size } else { 0 }, ..sampling };
        let sample_weights = vec![0; if is_sampled { dataset.num_rows() } else { 0 }];
        let bounds = histograms.bounds(scores.max_weight());
        let sampler = Sampler::default();
        Ok(Self { view, scores, histograms, sampling, table: Vec::new(), sampler, sample_weights, bounds })
    }

    /// How the histograms of the current tree are searched.
    pub(super) fn scan(&self) -> Scan<'_> {
        Scan { bounds: &self.bounds, numbering: self.view.numbering() }
    }

    /// The root of the next tree; `attempt` numbers the sample.
    pub(super) fn root(&mut self, attempt: u64) -> OpenNode<S> {
        if self.sampling.size > 0 {
            return self.sampled_root(attempt);
        }
        if self.table.is_empty() {
            self.fill_table();
        }
        OpenNode {
            rows: NodeRows::Trunk(self.scores.used.clone()),
            classes: self.scores.classes,
            histogram: self.histograms.copy(&self.table),
        }
    }

    fn fill_table(&mut self) {
        let rows = self.scores.used.to_list();
        let weights: Vec<S> = rows.iter().map(|&row| S::of(self.scores.weights[row as usize])).collect();
        self.table = vec![S::default(); self.view.num_features()];
        self.histograms.add(&self.view, &rows, &weights, &mut self.table);
    }

    fn sampled_root(&mut self, attempt: u64) -> OpenNode<S> {
        let Sampling { size, seed } = self.sampling;
        let sample = self.sampler.draw(&self.scores.weights, size, seed, attempt);
        for (&row, &weight) in sample.rows.iter().zip(&sample.weights) {
            self.sample_weights[row as usize] = weight;
        }
        let max_weight = sample.weights.iter().map(|weight| weight.abs()).max().unwrap_or(0);
        self.bounds = self.histograms.bounds(max_weight);
        let weights: Vec<S> = sample.weights.iter().map(|&weight| S::of(weight)).collect();
        let histogram = self.histograms.build_dense(&self.view, &sample.rows, &weights);
        let rows = RowSet::new(self.view.num_rows(), sample.rows);
        OpenNode { rows: NodeRows::Trunk(rows), classes: ClassSums::over(sample.weights), histogram }
    }

    /// Takes back a root that is not to be grown.
    pub(super) fn discard(&mut self, root: OpenNode<S>) {
        self.histograms.recycle(root.histogram);
    }

    /// Grows a tree from its root; its leaves have all rows that reach them, sampled or not.
    pub(super) fn grow<C: Criterion<Sum = S>>(
        &mut self,
        criterion: &C,
        max_depth: u32,
        root: OpenNode<S>,
    ) -> Grown {
        let is_sampled = self.sampling.size > 0;
        let weights = if is_sampled { &self.sample_weights } else { &self.scores.weights };
        let scan = Scan { bounds: &self.bounds, numbering: self.view.numbering() };
        let histograms = &mut self.histograms;
        let grower = Grower { view: &self.view, histograms, weights, scan, criterion, max_depth };
        let mut grown = grower.grow(root);
        if is_sampled {
            grown.leaves = self.leaves(&grown.nodes);
        }
        grown
    }

    fn leaves(&self, nodes: &[TreeNode]) -> Vec<GrownLeaf> {
        let rows = NodeRows::Trunk(self.scores.used.clone());
        let with_classes = |(node, rows)| {
            let classes = self.classes_of(&rows);
            GrownLeaf { node, rows, classes }
        };
        percolate(&self.view, nodes, rows).into_iter().map(with_classes).collect()
    }

    fn classes_of(&self, rows: &NodeRows) -> ClassSums {
        let weights = &self.scores.weights;
        let mut classes = ClassSums::default();
        rows.for_each(|row| classes += ClassSums::of(weights[row as usize]));
        classes
    }

    /// Makes a change of the scores of some rows.
    pub(super) fn apply(&mut self, rows: &[u32], change: &ScoreChange) {
        let is_kept = !self.table.is_empty();
        let mut differences = Vec::with_capacity(if is_kept { rows.len() } else { 0 });
        self.scores.apply(rows, change, |old, new| {
            if is_kept {
                differences.push(S::of(new) - S::of(old));
            }
        });
        if is_kept {
            self.histograms.add(&self.view, rows, &differences, &mut self.table);
        }
    }

    /// Adds a finished tree to the scores, as if it had been grown here.
    pub(super) fn replay(&mut self, tree: &DecisionTree) {
        let rows = NodeRows::Trunk(self.scores.used.clone());
        for (node, rows) in percolate(&self.view, tree.nodes(), rows) {
            if let TreeNode::Leaf { confidence } = tree.nodes()[node]
                && confidence != 0.0
            {
                let rows = rows.into_list();
                let change = self.scores.change(&self.scores.examples(&rows), confidence);
                self.apply(&rows, &change);
            }
        }
    }
}
