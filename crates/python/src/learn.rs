//! Boosted classifiers over rows of sparse binary features, as `boughs.learn` has them.

use std::sync::Arc;

use boughs::model::{ModelFile, Predictor, PredictorScratch};
use boughs_learn::DatasetBuilder;
use boughs_learn::recipes::BoostingConfig;
use boughs_learn::svmlight::LabelledRows;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use rayon::prelude::*;

use crate::background::in_pool;
use crate::error::{OrRaise, argument};
use crate::training::{watched, with_settings};

/// Rows as scipy keeps them: where each row ends, and the columns that are 1.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Rows {
    ends: Vec<usize>,
    columns: Vec<u8>,
}

impl Rows {
    /// The columns of each row.
    fn rows(&self, py: Python<'_>) -> PyResult<Vec<Vec<u32>>> {
        let columns: Vec<u32> = numbers(&self.columns, u32::from_le_bytes);
        let starts = [0].into_iter().chain(self.ends.iter().copied());
        let row = |(start, &end): (usize, &usize)| columns.get(start..end).map(<[u32]>::to_vec);
        let rows: Option<Vec<Vec<u32>>> = starts.zip(&self.ends).map(row).collect();
        rows.ok_or_else(|| {
            argument(py, "expected rows as scipy's CSR has them", "give a matrix of scipy or numpy")
        })
    }
}

fn numbers<const N: usize, T>(bytes: &[u8], read: fn([u8; N]) -> T) -> Vec<T> {
    bytes.as_chunks::<N>().0.iter().map(|chunk| read(*chunk)).collect()
}

/// Rows with the number of the label of each, and its weight.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Labelled {
    rows: Rows,
    classes: Vec<u32>,
    weights: Vec<f64>,
}

impl Labelled {
    fn data(&self, py: Python<'_>, num_features: u32, labels: &[String]) -> PyResult<Arc<LabelledRows>> {
        let mut builder = DatasetBuilder::with_num_features(num_features).or_raise(py)?;
        for row in self.rows.rows(py)? {
            builder.push_row(&row).or_raise(py)?;
        }
        let dataset = py.detach(|| builder.finish_by_frequency());
        let (classes, weights) = (self.classes.clone(), self.weights.clone());
        Ok(Arc::new(LabelledRows { dataset, labels: labels.to_vec(), classes, weights }))
    }
}

#[pyclass(module = "boughs", frozen)]
pub(crate) struct Classifier {
    file: ModelFile,
    predictor: Arc<Predictor>,
}

impl Classifier {
    fn of(file: ModelFile) -> boughs::Result<Self> {
        Ok(Self { predictor: Arc::new(Predictor::from_file(&file)?), file })
    }
}

/// Learns classifiers of so many labels, which are numbers here.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "they are what a fit is about")]
pub(crate) fn fit_classifier(
    py: Python<'_>,
    train: Labelled,
    dev: Option<Labelled>,
    num_features: u32,
    num_labels: usize,
    settings: &Bound<'_, PyAny>,
    threads: Option<usize>,
    on_report: &Bound<'_, PyAny>,
) -> PyResult<Classifier> {
    let recipe: BoostingConfig = with_settings(&BoostingConfig::default(), settings)?;
    let labels: Vec<String> = (0..num_labels).map(|label| label.to_string()).collect();
    let train = train.data(py, num_features, &labels)?;
    let dev = dev.map(|dev| dev.data(py, num_features, &labels)).transpose()?;
    let trained = watched(py, recipe, train, dev, (None, false), threads, None, on_report)?;
    Classifier::of(trained.model).or_raise(py)
}

#[pymethods]
impl Classifier {
    /// The probability of every label for every row, as doubles; or the scores behind them.
    fn predict<'py>(
        &self,
        py: Python<'py>,
        rows: Rows,
        probabilities: bool,
        threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let (rows, predictor) = (rows.rows(py)?, Arc::clone(&self.predictor));
        let predict = move |scratch: &mut PredictorScratch, row: &Vec<u32>| -> Vec<u8> {
            let scores = match probabilities {
                true => predictor.probabilities(row, scratch),
                false => predictor.scores(row, scratch),
            };
            scores.iter().flat_map(|score| score.to_le_bytes()).collect()
        };
        let predicted: Vec<Vec<u8>> = in_pool(py, threads, move || {
            rows.par_iter().map_init(PredictorScratch::default, predict).collect()
        })?;
        Ok(PyBytes::new(py, &predicted.concat()))
    }

    /// Why a label has its score for a row: conditions, each a column and whether it is 1, and how much they add.
    fn explain(&self, row: Vec<u32>, label: usize) -> PyResult<Vec<Reason>> {
        let reasons = self.predictor.explain(&row, label);
        let conditions = |reason: &boughs::model::ScoreReason| {
            reason.conditions.iter().map(|condition| (condition.feature, condition.is_active)).collect()
        };
        Ok(reasons.iter().map(|reason| (conditions(reason), reason.confidence)).collect())
    }

    /// The penalty at which each tree was added, for each classifier.
    fn penalties(&self, py: Python<'_>) -> PyResult<Vec<Vec<f64>>> {
        let classifiers = self.file.classifiers().or_raise(py)?;
        Ok(classifiers.iter().map(|classifier| classifier.ensemble.penalties().to_vec()).collect())
    }

    /// How many leaves of each tree are not zero, for each classifier.
    fn active(&self, py: Python<'_>) -> PyResult<Vec<Vec<usize>>> {
        let classifiers = self.file.classifiers().or_raise(py)?;
        let active = |classifier: &boughs::model::Classifier| {
            classifier.ensemble.trees().iter().map(boughs::model::DecisionTree::num_active).collect()
        };
        Ok(classifiers.iter().map(active).collect())
    }

    /// The same as it stood when the penalty had fallen to `penalty`.
    fn at(&self, py: Python<'_>, penalty: f64) -> PyResult<Self> {
        let mut classifiers = self.file.classifiers().or_raise(py)?;
        for classifier in &mut classifiers {
            let num_trees = classifier.ensemble.num_trees_at(penalty);
            classifier.ensemble = classifier.ensemble.prefix(num_trees);
        }
        let about = self.file.about().clone();
        ModelFile::from_classifiers(about, &classifiers).and_then(Self::of).or_raise(py)
    }

    fn save(&self, py: Python<'_>, path: std::path::PathBuf) -> PyResult<()> {
        self.file.save(&path).or_raise(py)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        let bytes = self.file.to_bytes().or_raise(py)?;
        Ok((py.import("boughs._boughs")?.getattr("_restore_classifier")?, (PyBytes::new(py, &bytes),)))
    }
}

/// Conditions, and what they add to a score.
type Reason = (Vec<(u32, bool)>, f64);

/// What pickle calls.
#[pyfunction]
pub(crate) fn _restore_classifier(py: Python<'_>, bytes: &[u8]) -> PyResult<Classifier> {
    ModelFile::from_bytes(bytes).and_then(Classifier::of).or_raise(py)
}
