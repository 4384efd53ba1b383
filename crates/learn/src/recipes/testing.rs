//! What is tested of every recipe over rows: threads and interruptions change nothing.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::DatasetBuilder;
use crate::model::ModelFile;
use crate::rng::Rng;
use crate::run::{Event, Observer, Recipe, RunOptions, Silent, Trained, run};
use crate::svmlight::LabelledRows;

/// Three labels that depend on eight of 40 features, with noise.
pub(super) fn rows(num_rows: usize, seed: u64) -> LabelledRows {
    let mut rng = Rng::new(seed);
    let mut builder = DatasetBuilder::new();
    let mut classes = Vec::new();
    for _ in 0..num_rows {
        let active: Vec<u32> = (0..40).filter(|_| rng.below(4) == 0).collect();
        let hidden = active.iter().filter(|&&feature| feature < 8).sum::<u32>() % 3;
        classes.push(if rng.below(6) == 0 { rng.below(3) as u32 } else { hidden });
        builder.push_row(&active).unwrap();
    }
    let labels = ["NP", "PP", "VP"].map(str::to_owned).to_vec();
    LabelledRows { dataset: builder.finish(), labels, classes, weights: vec![1.0; num_rows] }
}

pub(super) fn train<R: Recipe<Data = LabelledRows, Model = ModelFile>>(
    recipe: &R,
    rows: &LabelledRows,
    dev: Option<&LabelledRows>,
) -> Trained<ModelFile> {
    run(recipe, rows, dev, RunOptions::default()).unwrap().unwrap()
}

/// One thread gives what three give.
pub(super) fn is_the_same_on_threads<R>(recipe: &R)
where
    R: Recipe<Data = LabelledRows, Model = ModelFile> + Sync,
{
    let train_on = |num_threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(num_threads).build().unwrap();
        pool.install(|| train(recipe, &rows(300, 1), Some(&rows(100, 2))).model.to_bytes().unwrap())
    };
    assert!(train_on(1) == train_on(3));
}

/// Breaks off after some steps.
struct After(AtomicUsize);

impl Observer for After {
    fn see(&self, event: &Event<'_>) {
        if let Event::Step { .. } = event {
            self.0.fetch_sub(1, Ordering::Relaxed);
        }
    }

    fn is_interrupted(&self) -> bool {
        self.0.load(Ordering::Relaxed) == 0
    }
}

/// A run that is broken off after each of its steps ends with the bytes of one that is not.
pub(super) fn is_resumed_to_the_same_bytes<R: Recipe<Data = LabelledRows, Model = ModelFile>>(recipe: &R) {
    let (rows, dev) = (rows(300, 1), rows(100, 2));
    for dev in [None, Some(&dev)] {
        let whole = train(recipe, &rows, dev);
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("checkpoint");
        for _ in 1..whole.steps.len() {
            let observer = After(AtomicUsize::new(1));
            let options = RunOptions { checkpoint: Some(&path), resume: true, observer: &observer };
            assert!(run(recipe, &rows, dev, options).unwrap().is_none());
        }
        let options = RunOptions { checkpoint: Some(&path), resume: true, observer: &Silent };
        let resumed = run(recipe, &rows, dev, options).unwrap().unwrap();
        assert!(whole.steps.len() > 2, "several steps");
        assert_eq!((resumed.steps, resumed.best), (whole.steps, whole.best));
        assert!(resumed.model.to_bytes().unwrap() == whole.model.to_bytes().unwrap());
    }
}
