//! A boosted classifier for each label, against all others; of two labels one for the second.
//!
//! The path of penalties is walked in steps. After each, the classifiers are measured tree by tree on the development
//! rows, and the model is cut at the penalty where their losses add up to the least; without such rows it keeps the
//! whole path.

use serde::{Deserialize, Serialize};

use super::{MODEL, about, identity, measure};
use crate::error::{Result, require};
use crate::model::{About, Array, Classifier, DecisionTree, ModelFile};
use crate::run::{Figure, Recipe, Scores, Step, Watch};
use crate::svmlight::LabelledRows;
use crate::{
    BoosterState, BoostingLearner, HeldOut, L1Config, PathTask, Target, ZConfig, best_penalty, working_bytes,
};

/// Settings of boosting over labelled rows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct BoostingConfig {
    /// How the classifiers learn. Default: l1.
    pub learner: BoostingLearner,
    /// By which factor the penalty falls from step to step, between 0 and 1. Default: 0.1. At every step each
    /// classifier scores all rows anew: 0.5 took a third more CPU than one step, 0.1 a twentieth.
    pub step_factor: f64,
    /// Training stops after so many steps without a better score on the development rows. Default: never.
    pub patience: Option<usize>,
    /// The most memory for rows and classifiers, in bytes. Default: enough for a classifier on each thread.
    pub memory: Option<usize>,
    /// Decides the samples. Default: 0.
    pub seed: u64,
}

impl Default for BoostingConfig {
    fn default() -> Self {
        let learner = BoostingLearner::L1(L1Config::default());
        Self { learner, step_factor: 0.1, patience: None, memory: None, seed: 0 }
    }
}

/// What the classifiers learn, and where they stand.
#[derive(Debug)]
pub struct BoostingState {
    /// All labels.
    labels: Vec<String>,
    /// What the classifier of each label learns that has one.
    targets: Vec<(String, Target)>,
    classifiers: Vec<BoosterState>,
    /// The penalty at the end of the last step.
    penalty: f64,
    /// How the classifiers do on the development rows, if they were measured.
    held_out: Vec<HeldOut>,
    /// What the rows leave of the memory.
    memory: usize,
}

impl BoostingConfig {
    fn memory_for_training(&self, rows: &LabelledRows) -> Result<usize> {
        let Some(memory) = self.memory else { return Ok(usize::MAX) };
        let of_rows = rows.dataset.num_bytes();
        let needed = of_rows + working_bytes(&rows.dataset);
        let expected = needed.div_ceil(1 << 20);
        require(
            memory >= needed,
            format_args!("a memory of at least {expected} MB for these rows and one classifier at a time"),
            format_args!("{} MB", memory >> 20),
        )?;
        Ok(memory - of_rows)
    }

    /// The model, cut where the penalty had fallen to `penalty`.
    fn cut(&self, state: &BoostingState, penalty: f64) -> Result<ModelFile> {
        let classifier = |((label, _), state): (&(String, Target), &BoosterState)| {
            let ensemble = state.ensemble.prefix(state.ensemble.num_trees_at(penalty));
            Classifier { label: label.clone(), ensemble }
        };
        let classifiers: Vec<_> = state.targets.iter().zip(&state.classifiers).map(classifier).collect();
        let mut about = About { seed: self.seed, ..about(self, &state.labels)? };
        let num_active = num_active(classifiers.iter().flat_map(|classifier| classifier.ensemble.trees()));
        about.settings.insert("active-features".to_owned(), num_active.to_string());
        about.settings.insert("penalty".to_owned(), penalty.to_string());
        ModelFile::from_classifiers(about, &classifiers)
    }

    /// Whether the path is at its end.
    fn is_over(&self, state: &BoostingState) -> bool {
        let is_full = |classifier: &BoosterState| {
            let trees = classifier.ensemble.trees();
            let (max_trees, max_active) = match self.learner {
                BoostingLearner::L1(config) => (config.max_trees, config.max_active),
                BoostingLearner::Z(config) => (config.max_trees, config.max_active),
            };
            trees.len() >= max_trees || num_active(trees.iter()) >= max_active
        };
        state.penalty <= self.learner.final_penalty() || state.classifiers.iter().all(is_full)
    }
}

/// The leaves that are not zero.
fn num_active<'t>(trees: impl Iterator<Item = &'t DecisionTree>) -> usize {
    trees.map(DecisionTree::num_active).sum()
}

impl BoostingState {
    fn num_trees(&self) -> usize {
        self.classifiers.iter().map(|classifier| classifier.ensemble.trees().len()).sum()
    }

    fn figures(&self) -> Vec<Figure> {
        let trees = self.classifiers.iter().flat_map(|classifier| classifier.ensemble.trees());
        vec![
            Figure::new("penalty", self.penalty, 4),
            Figure::count("trees", self.num_trees()),
            Figure::count("active", num_active(trees)),
            Figure::new("objective", self.classifiers.iter().map(|it| it.objective).sum(), 4),
        ]
    }
}

impl Recipe for BoostingConfig {
    type Data = LabelledRows;
    type State = BoostingState;
    type Model = ModelFile;

    fn name(&self) -> &'static str {
        "boosted"
    }

    /// Where the path ends is no part of its course.
    fn identity(&self, train: &LabelledRows, dev: Option<&LabelledRows>) -> String {
        let (max_trees, max_active) = (usize::MAX, usize::MAX);
        let learner = match self.learner.with_final_penalty(0.0) {
            BoostingLearner::L1(config) => BoostingLearner::L1(L1Config { max_trees, max_active, ..config }),
            BoostingLearner::Z(config) => BoostingLearner::Z(ZConfig { max_trees, max_active, ..config }),
        };
        identity(&Self { learner, patience: None, memory: None, ..self.clone() }, train, dev)
    }

    fn start(&self, train: &LabelledRows, _: &Watch<'_>) -> Result<BoostingState> {
        self.learner.check()?;
        let factor = self.step_factor;
        require(factor > 0.0 && factor < 1.0, "a step factor between 0 and 1", factor)?;
        require(train.labels.len() >= 2, "two labels or more", train.labels.len())?;
        let labels = train.labels.clone();
        let target = |label: &String| Ok((label.clone(), train.target(label)?));
        // The classifier of the second of two labels also decides about the first.
        let targets = labels[usize::from(labels.len() == 2)..].iter().map(target).collect::<Result<_>>()?;
        Ok(BoostingState {
            labels,
            targets,
            classifiers: Vec::new(),
            // No penalty that is higher leaves anything to learn.
            penalty: train.weights.iter().sum(),
            held_out: Vec::new(),
            memory: self.memory_for_training(train)?,
        })
    }

    fn step(
        &self,
        train: &LabelledRows,
        state: &mut BoostingState,
        watch: &Watch<'_>,
    ) -> Result<Option<Step>> {
        let targets = state.targets.iter();
        let tasks: Vec<PathTask<'_>> = targets.map(|(label, target)| PathTask { label, target }).collect();
        let (end, num_before) = (self.learner.final_penalty(), state.num_trees());
        // Where nothing pays yet there is nothing to measure.
        loop {
            let before = state.penalty;
            state.penalty = (before * self.step_factor).max(end);
            let learner = self.learner.with_final_penalty(state.penalty).with_seed(self.seed);
            let (classifiers, flow) =
                learner.boost(&train.dataset, &tasks, &state.classifiers, state.memory, watch)?;
            state.classifiers = classifiers;
            // What is done of a step is saved; the next run makes the rest of it.
            if flow.is_break() {
                state.penalty = before;
                return Ok(Some(Step::preparation(0, state.figures())));
            }
            if state.num_trees() > num_before || state.penalty <= end {
                break;
            }
        }
        let num_left = (end / state.penalty).log(self.step_factor).ceil() as usize;
        let is_last = self.is_over(state);
        Ok(Some(Step { is_last, num_left: Some(num_left), ..Step::candidate(0, state.figures()) }))
    }

    fn model(&self, state: &BoostingState) -> Result<ModelFile> {
        self.cut(state, state.penalty)
    }

    fn evaluate(&self, _: &mut BoostingState, model: &ModelFile, dev: &LabelledRows) -> Result<Scores> {
        measure(model, dev)
    }

    fn measure(&self, state: &mut BoostingState, dev: &LabelledRows) -> Result<(ModelFile, Scores)> {
        let classifiers = state.targets.iter().zip(&state.classifiers);
        for (place, ((label, _), classifier)) in classifiers.enumerate() {
            let target = dev.target(label)?;
            if state.held_out.len() == place {
                state.held_out.push(HeldOut::new(&target));
            }
            state.held_out[place].extend(&dev.dataset, &target, &classifier.ensemble)?;
        }
        let (penalty, loss) = best_penalty(&state.held_out);
        let model = self.cut(state, penalty)?;
        let Scores { mut figures, .. } = measure(&model, dev)?;
        figures.push(Figure::new("loss of all", loss, 6));
        Ok((model, Scores { criterion: -loss, figures }))
    }

    fn patience(&self) -> usize {
        self.patience.unwrap_or(usize::MAX)
    }

    fn save(&self, state: &BoostingState, file: &mut ModelFile) -> Result<()> {
        file.insert(MODEL, Array::U8(self.model(state)?.to_bytes()?));
        file.insert_state("path", &(state.penalty, &state.classifiers))
    }

    fn restore(&self, state: &mut BoostingState, file: &ModelFile) -> Result<()> {
        (state.penalty, state.classifiers) = file.state("path")?;
        Ok(())
    }

    fn is_at_end(&self, state: &BoostingState) -> bool {
        self.is_over(state)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{is_resumed_to_the_same_bytes, is_the_same_on_threads, rows, train};
    use super::*;
    use crate::run::{Event, Observer, RunOptions, Silent, run};
    use std::sync::atomic::{AtomicUsize, Ordering};

    fn config(final_penalty: f64) -> [BoostingConfig; 2] {
        let z = BoostingLearner::Z(ZConfig { sample_size: 0, ..ZConfig::default() });
        let l1 = BoostingLearner::L1(L1Config { sample_size: 100, ..L1Config::default() });
        [l1, z].map(|learner| BoostingConfig {
            learner: learner.with_final_penalty(final_penalty),
            step_factor: 0.5,
            ..BoostingConfig::default()
        })
    }

    #[test]
    fn threads_change_nothing() {
        config(0.5).iter().for_each(is_the_same_on_threads);
    }

    #[test]
    fn interruptions_change_nothing() {
        config(0.5).iter().for_each(is_resumed_to_the_same_bytes);
    }

    #[test]
    fn steps_change_nothing() {
        let [config, _] = config(0.5);
        let trees = |step_factor: f64| {
            let config = BoostingConfig { step_factor, ..config.clone() };
            let trained = train(&config, &rows(300, 1), Some(&rows(200, 2)));
            (trained.model.classifiers().unwrap(), trained.model.about().settings["penalty"].clone())
        };
        assert_eq!(trees(1e-6), trees(0.7), "not even where the path is cut");
    }

    #[test]
    fn what_is_done_of_a_step_is_saved() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("checkpoint");
        let (rows, dev, [config, _]) = (rows(300, 1), rows(100, 2), config(0.5));
        let config = BoostingConfig { step_factor: 1e-6, ..config };
        let mut num_runs = 1;
        let resumed = loop {
            let observer = AfterTrees(AtomicUsize::new(7));
            let options = RunOptions { checkpoint: Some(&path), resume: true, observer: &observer };
            match run(&config, &rows, Some(&dev), options).unwrap() {
                Some(trained) => break trained,
                None => num_runs += 1,
            }
        };
        assert!(num_runs > 3, "{num_runs}");
        assert!(resumed.model == train(&config, &rows, Some(&dev)).model);
    }

    /// Breaks off after some trees.
    struct AfterTrees(AtomicUsize);

    impl Observer for AfterTrees {
        fn see(&self, event: &Event<'_>) {
            if let Event::Progress { .. } = event {
                _ = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1));
            }
        }

        fn is_interrupted(&self) -> bool {
            self.0.load(Ordering::Relaxed) == 0
        }
    }

    #[test]
    fn a_run_goes_further_than_its_end() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("checkpoint");
        let rows = rows(200, 1);
        let options = RunOptions { checkpoint: Some(&path), resume: true, observer: &Silent };
        let ([near, _], [far, _]) = (config(5.0), config(0.5));
        run(&near, &rows, None, options).unwrap().unwrap();
        let further = run(&far, &rows, None, options).unwrap().unwrap().model;
        assert!(further == train(&far, &rows, None).model);
        let elsewhere = BoostingConfig { step_factor: 0.3, ..far };
        assert!(run(&elsewhere, &rows, None, options).is_err());
    }

    #[test]
    fn settings_survive_toml() {
        for config in config(0.5) {
            let text = crate::run::to_toml(&config).unwrap();
            assert_eq!(crate::run::from_toml::<BoostingConfig>(&text).unwrap(), config, "{text}");
        }
    }
}
