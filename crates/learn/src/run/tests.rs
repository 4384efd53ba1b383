use std::sync::Mutex;

use super::*;
use crate::error::{Error, ErrorKind};
use crate::model::Array;

/// Counts up; every number is as good as `worth` says. Phases of `length` steps.
struct Counter {
    worth: Vec<f64>,
    length: usize,
    num_phases: usize,
    role: Role,
    patience: usize,
}

#[derive(Debug, Clone, PartialEq)]
struct Number {
    about: About,
    value: f64,
}

#[derive(Debug, Default)]
struct Count {
    number: usize,
    phase: usize,
    parts: Vec<f64>,
}

impl Model for Number {
    fn to_file(&self) -> Result<ModelFile> {
        let mut file = ModelFile::new(self.about.clone());
        file.insert("value", Array::F64(vec![self.value]));
        Ok(file)
    }

    fn from_file(file: &ModelFile) -> Result<Self> {
        Ok(Self { about: file.about().clone(), value: file.f64s("value")?[0] })
    }

    fn about_mut(&mut self) -> &mut About {
        &mut self.about
    }
}

impl Recipe for Counter {
    type Data = ();
    type State = Count;
    type Model = Number;

    fn name(&self) -> &'static str {
        "counter"
    }

    fn identity(&self, (): &(), _: Option<&()>) -> String {
        fingerprint(&format!("{:?}", self.worth), ["data".to_owned()])
    }

    fn start(&self, (): &(), _: &Watch<'_>) -> Result<Count> {
        Ok(Count::default())
    }

    fn step(&self, (): &(), state: &mut Count, watch: &Watch<'_>) -> Result<Option<Step>> {
        if watch.progress(None, format_args!("{}", state.number)).is_break() {
            return Ok(None);
        }
        state.number += 1;
        let is_product = self.role == Role::Part && state.phase == self.num_phases;
        let role = if is_product { Role::Candidate } else { self.role };
        let is_last = state.number.is_multiple_of(self.length) || is_product;
        let figures = vec![Figure::count("number", state.number)];
        Ok(Some(Step { role, is_last, ..Step::candidate(state.phase, figures) }))
    }

    fn model(&self, state: &Count) -> Result<Number> {
        let value = match self.role == Role::Part && state.phase == self.num_phases {
            true => state.parts.iter().sum(),
            false => self.worth[state.number - 1],
        };
        Ok(Number { about: About::new("number"), value })
    }

    fn evaluate(&self, _: &mut Count, model: &Number, (): &()) -> Result<Scores> {
        Ok(Scores { criterion: model.value, figures: vec![Figure::new("worth", model.value, 1)] })
    }

    fn patience(&self) -> usize {
        self.patience
    }

    fn next_phase(&self, state: &mut Count, best: Option<Number>) -> Result<bool> {
        let last = if self.role == Role::Part { self.num_phases } else { self.num_phases - 1 };
        if state.phase == last {
            return Ok(false);
        }
        state.parts.extend(best.map(|best| best.value));
        state.phase += 1;
        state.number = state.phase * self.length;
        Ok(true)
    }

    fn save(&self, state: &Count, file: &mut ModelFile) -> Result<()> {
        file.insert("count", Array::U64(vec![state.number as u64, state.phase as u64]));
        file.insert("parts", Array::F64(state.parts.clone()));
        Ok(())
    }

    fn restore(&self, state: &mut Count, file: &ModelFile) -> Result<()> {
        let [number, phase] = file.u64s("count")? else {
            return Err(Error::new(ErrorKind::Syntax, "no count"));
        };
        *state =
            Count { number: *number as usize, phase: *phase as usize, parts: file.f64s("parts")?.to_vec() };
        Ok(())
    }
}

fn counter(worth: &[f64]) -> Counter {
    let length = worth.len();
    Counter { worth: worth.to_vec(), length, num_phases: 1, role: Role::Candidate, patience: 2 }
}

fn train(recipe: &Counter, dev: Option<&()>) -> Trained<Number> {
    run(recipe, &(), dev, RunOptions::default()).unwrap().unwrap()
}

#[test]
fn the_first_of_the_best_steps_is_kept() {
    let trained = train(&counter(&[1.0, 3.0, 2.0, 3.0]), Some(&()));
    assert_eq!((trained.model.value, trained.best, trained.steps.len()), (3.0, 1, 4));
    assert_eq!(trained.model.about.settings["dev-worth"], "3.0000");
}

#[test]
fn patience_ends_a_phase() {
    let trained = train(&counter(&[3.0, 1.0, 2.0, 9.0]), Some(&()));
    assert_eq!((trained.model.value, trained.steps.len()), (3.0, 3));
}

#[test]
fn without_development_data_the_last_step_is_kept() {
    let trained = train(&counter(&[3.0, 1.0, 2.0, 0.5]), None);
    assert_eq!((trained.model.value, trained.best, trained.steps.len()), (0.5, 3, 4));
    assert_eq!(trained.model.about.settings.len(), 1, "the method alone");
}

#[test]
fn candidates_compete_across_phases() {
    let recipe = Counter { length: 2, num_phases: 2, ..counter(&[1.0, 4.0, 3.0, 2.0]) };
    let trained = train(&recipe, Some(&()));
    assert_eq!((trained.model.value, trained.best, trained.steps.len()), (4.0, 1, 4));
}

#[test]
fn the_best_of_each_phase_of_parts_is_a_part() {
    let recipe = Counter { length: 2, num_phases: 2, role: Role::Part, ..counter(&[1.0, 4.0, 3.0, 2.0]) };
    let trained = train(&recipe, Some(&()));
    assert_eq!((trained.model.value, trained.best, trained.steps.len()), (7.0, 4, 5));
    let trained = train(&recipe, None);
    assert_eq!((trained.model.value, trained.best), (6.0, 4), "the last of each");
}

/// Breaks off before a step.
struct Impatient {
    num_left: Mutex<usize>,
}

impl Observer for Impatient {
    fn see(&self, event: &Event<'_>) {
        if let Event::Step { .. } = event {
            let mut left = self.num_left.lock().unwrap();
            *left = left.saturating_sub(1);
        }
    }

    fn is_interrupted(&self) -> bool {
        *self.num_left.lock().unwrap() == 0
    }
}

#[test]
fn runs_that_go_on_end_as_if_they_had_not_stopped() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("checkpoint");
    for role in [Role::Part, Role::Candidate] {
        for dev in [None, Some(&())] {
            let recipe =
                Counter { length: 2, num_phases: 3, role, ..counter(&[1.0, 4.0, 3.0, 2.0, 5.0, 6.0]) };
            let whole = train(&recipe, dev);
            for num_steps in 0..whole.steps.len() {
                let observer = Impatient { num_left: Mutex::new(num_steps) };
                let options = RunOptions { checkpoint: Some(&path), resume: true, observer: &observer };
                assert!(run(&recipe, &(), dev, options).unwrap().is_none());
                let options = RunOptions { observer: &Silent, ..options };
                let resumed = run(&recipe, &(), dev, options).unwrap().unwrap();
                assert_eq!((resumed.model, resumed.best), (whole.model.clone(), whole.best), "{num_steps}");
                assert_eq!(resumed.steps, whole.steps);
                remove_checkpoint(&path).unwrap();
            }
        }
    }
    remove_checkpoint(&path).unwrap();
}

#[test]
fn checkpoints_of_other_runs_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("checkpoint");
    let options = RunOptions { checkpoint: Some(&path), resume: true, observer: &Silent };
    run(&counter(&[1.0]), &(), None, options).unwrap();
    let error = run(&counter(&[2.0]), &(), None, options).unwrap_err().to_string();
    assert!(error.contains("other data or settings"), "{error}");
    let file = ModelFile::new(About::new("history"));
    file.save(&path).unwrap();
    assert!(run(&counter(&[1.0]), &(), None, options).is_err(), "no checkpoint at all");
}
