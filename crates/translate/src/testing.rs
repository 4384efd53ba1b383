//! What is tested of every recipe: threads and interruptions change nothing.

use std::sync::atomic::{AtomicUsize, Ordering};

use boughs_learn::run::{Event, Model, Observer, Recipe, RunOptions, Silent, Trained, run};

pub(crate) fn bytes(model: &impl Model) -> Vec<u8> {
    model.to_file().unwrap().to_bytes().unwrap()
}

pub(crate) fn train<R: Recipe>(recipe: &R, data: &R::Data, dev: Option<&R::Data>) -> Trained<R::Model> {
    run(recipe, data, dev, RunOptions::default()).unwrap().unwrap()
}

/// One thread gives what three give.
pub(crate) fn is_the_same_on_threads<R: Recipe + Sync>(recipe: &R, data: &R::Data, dev: Option<&R::Data>)
where
    R::Data: Sync,
{
    let train_on = |num_threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(num_threads).build().unwrap();
        pool.install(|| {
            let trained = train(recipe, data, dev);
            (bytes(&trained.model), trained.steps)
        })
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
pub(crate) fn is_resumed_to_the_same_bytes<R: Recipe>(recipe: &R, data: &R::Data, dev: Option<&R::Data>) {
    let whole = train(recipe, data, dev);
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("checkpoint");
    for _ in 1..whole.steps.len() {
        let observer = After(AtomicUsize::new(1));
        let options = RunOptions { checkpoint: Some(&path), resume: true, observer: &observer };
        assert!(run(recipe, data, dev, options).unwrap().is_none());
    }
    let options = RunOptions { checkpoint: Some(&path), resume: true, observer: &Silent };
    let resumed = run(recipe, data, dev, options).unwrap().unwrap();
    assert_eq!((resumed.steps, resumed.best), (whole.steps, whole.best));
    assert!(bytes(&resumed.model) == bytes(&whole.model));
}
