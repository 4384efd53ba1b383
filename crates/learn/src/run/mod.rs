//! The one training loop.
//!
//! The naive form is a loop inside every learner: make a step, print something, perhaps save it. Then each learner has
//! its own idea of what is best, of when to stop and of what a saved run is. Here a [`Recipe`] says only how a step is
//! made and what model it gives; [`run`] makes steps until one of the reasons to stop, measures the model after each
//! on development data, keeps the best, and writes checkpoints that a later run goes on from, to the same bytes. A
//! checkpoint after every step would be a tenth of the time where steps are short, so they have a share of it.
//!
//! *Phases.* Some recipes are several trainings in a row: base grammars before weights, one grammar after the other
//! before their product, one regularisation constant after the other. Each is a phase. Patience counts within a phase;
//! what becomes of its best model, the recipe says ([`Recipe::next_phase`]).

mod checkpoint;
mod settings;
mod step;
mod watch;

use std::path::Path;
use std::time::{Duration, Instant};

pub use checkpoint::{CHECKPOINT_KIND, checkpoint_steps, fingerprint, remove_checkpoint};
pub use settings::{from_toml, over_toml, to_toml};
pub use step::{Figure, Role, Scores, Step};
pub use watch::{Event, Observer, Silent, Watch};

use crate::error::Result;
use crate::model::{About, ModelFile};
use crate::shards::{Peers, share};
use checkpoint::Checkpoint;

/// What training makes: it can be written to a file, and says what it is.
pub trait Model: Sized {
    /// The model as a file.
    ///
    /// # Errors
    /// If it is too large for one.
    fn to_file(&self) -> Result<ModelFile>;

    /// The model of a file.
    ///
    /// # Errors
    /// If it is of another kind, or damaged.
    fn from_file(file: &ModelFile) -> Result<Self>;

    /// What is known about it.
    fn about_mut(&mut self) -> &mut About;
}

/// A model file is a model of whatever kind.
impl Model for ModelFile {
    fn to_file(&self) -> Result<ModelFile> {
        Ok(self.clone())
    }

    fn from_file(file: &ModelFile) -> Result<Self> {
        Ok(file.clone())
    }

    fn about_mut(&mut self) -> &mut About {
        self.about_mut()
    }
}

/// How something is learned. All that changes from step to step is in the state.
pub trait Recipe {
    /// What is learned from, and measured on.
    type Data: ?Sized;
    /// Training between two steps, with whatever follows from the data.
    type State;
    /// What is learned.
    type Model: Model;

    /// A word for the recipe, as checkpoints have it.
    fn name(&self) -> &'static str;

    /// A short text that two runs share if and only if they take the same course; see [`fingerprint`]. When to stop is
    /// no part of the course.
    fn identity(&self, train: &Self::Data, dev: Option<&Self::Data>) -> String;

    /// The state before the first step.
    ///
    /// # Errors
    /// If there is nothing to learn from, or a setting is out of its range.
    fn start(&self, train: &Self::Data, watch: &Watch<'_>) -> Result<Self::State>;

    /// Makes a step; nothing if the observer broke it off, and then the state is not used again.
    ///
    /// # Errors
    /// If it cannot be made.
    fn step(&self, train: &Self::Data, state: &mut Self::State, watch: &Watch<'_>) -> Result<Option<Step>>;

    /// The model as it stands.
    ///
    /// # Errors
    /// If there is none yet.
    fn model(&self, state: &Self::State) -> Result<Self::Model>;

    /// How good a model is on development data. It must be what [`Recipe::model`] gave, so that a recipe may keep what
    /// all of its models have in common.
    ///
    /// # Errors
    /// If it cannot be measured.
    fn evaluate(&self, state: &mut Self::State, model: &Self::Model, dev: &Self::Data) -> Result<Scores>;

    /// The model as it stands, and how good it is on development data. A recipe that can tell from them which part of
    /// the model is best gives that part.
    ///
    /// # Errors
    /// As [`model`](Self::model) and [`evaluate`](Self::evaluate).
    fn measure(&self, state: &mut Self::State, dev: &Self::Data) -> Result<(Self::Model, Scores)> {
        let model = self.model(state)?;
        let scores = self.evaluate(state, &model, dev)?;
        Ok((model, scores))
    }

    /// A phase ends after so many steps without a better score.
    fn patience(&self) -> usize;

    /// Goes on to the next phase; false, and nothing changed, if there is none. `best` is the best model of a phase of
    /// [parts](Role::Part).
    ///
    /// # Errors
    /// If the next phase cannot begin.
    fn next_phase(&self, _state: &mut Self::State, _best: Option<Self::Model>) -> Result<bool> {
        Ok(false)
    }

    /// Puts what steps have changed into a checkpoint.
    ///
    /// # Errors
    /// If it does not fit into a file.
    fn save(&self, state: &Self::State, file: &mut ModelFile) -> Result<()>;

    /// Takes it out again, into a state that was just started.
    ///
    /// # Errors
    /// If the file is damaged, or of other data.
    fn restore(&self, state: &mut Self::State, file: &ModelFile) -> Result<()>;

    /// Whether a restored state, whose last step was the last of its phase, is still at the end: a run that has come to
    /// its end may be resumed with a further one.
    fn is_at_end(&self, _state: &Self::State) -> bool {
        true
    }
}

/// Where a run is saved, and who watches it.
#[derive(Clone, Copy)]
pub struct RunOptions<'r> {
    /// The file that is written after the first step, the last one, the one before an interruption, and as many others
    /// as take a fiftieth of the time.
    pub checkpoint: Option<&'r Path>,
    /// Whether to go on from that file, if it is there.
    pub resume: bool,
    /// Who is told what happens, and may break off.
    pub observer: &'r dyn Observer,
}

impl Default for RunOptions<'_> {
    fn default() -> Self {
        Self { checkpoint: None, resume: false, observer: &Silent }
    }
}

/// What came of a run.
#[derive(Debug)]
pub struct Trained<M> {
    /// The best model.
    pub model: M,
    /// All steps.
    pub steps: Vec<Step>,
    /// The step that gave the model.
    pub best: usize,
}

/// Trains. Nothing if the observer broke off; the checkpoint has what was done.
///
/// # Errors
/// If a step cannot be made, or the checkpoint cannot be read or written.
pub fn run<R: Recipe>(
    recipe: &R,
    train: &R::Data,
    dev: Option<&R::Data>,
    options: RunOptions<'_>,
) -> Result<Option<Trained<R::Model>>> {
    let watch = Watch::new(options.observer);
    let identity = recipe.identity(train, dev);
    let resumed = options.checkpoint.filter(|path| options.resume && path.exists());
    let resumed = resumed.map(|path| Checkpoint::load(path, recipe, &identity)).transpose()?;
    let mut state = recipe.start(train, &watch)?;
    let watch = watch.among_peers();
    let mut run = Run { recipe, identity, options, watch, steps: Vec::new(), best: None, saved: None };
    if let Some(checkpoint) = resumed {
        recipe.restore(&mut state, &checkpoint.file)?;
        (run.steps, run.best) = (checkpoint.steps, checkpoint.best);
        if let Some(last) = run.steps.last_mut() {
            last.is_last &= recipe.is_at_end(&state);
        }
        watch.tell(&Event::Resumed { steps: &run.steps });
    }
    loop {
        run.admit(&state)?;
        if run.phase_is_over() {
            run.save(&state)?;
            if !run.next_phase(&mut state)? {
                return run.finish(&state).map(Some);
            }
        }
        if watch.is_interrupted() {
            run.save(&state)?;
            return Ok(None);
        }
        if !run.step(train, dev, &mut state)? {
            return Ok(None);
        }
    }
}

struct Run<'r, R: Recipe> {
    recipe: &'r R,
    identity: String,
    options: RunOptions<'r>,
    watch: Watch<'r>,
    steps: Vec<Step>,
    /// The best model of those that compete with the last step, if they were measured.
    best: Option<R::Model>,
    saved: Option<Saved>,
}

/// The last checkpoint that this run wrote.
struct Saved {
    num_steps: usize,
    at: Instant,
    took: Duration,
}

/// So many times what the last checkpoint took must go by before the next.
const CHECKPOINT_SHARE: u32 = 50;

impl<R: Recipe> Run<'_, R> {
    /// Makes a step and measures what it gave; whether it came to its end.
    fn step(&mut self, train: &R::Data, dev: Option<&R::Data>, state: &mut R::State) -> Result<bool> {
        let Some(mut step) = self.recipe.step(train, state, &self.watch)? else { return Ok(false) };
        let measured = match dev {
            Some(dev) if step.role != Role::Preparation => self.measure(&mut step, dev, state)?,
            _ => None,
        };
        self.steps.push(step);
        if best_of(&self.steps) == Some(self.steps.len() - 1) {
            self.best = measured;
        }
        if self.saved.as_ref().is_none_or(|saved| saved.at.elapsed() >= CHECKPOINT_SHARE * saved.took) {
            self.save(state)?;
        }
        self.watch.tell(&Event::Step { steps: &self.steps });
        Ok(true)
    }

    /// Measures what a step gave; other processes are told how good it is, and need the model only if it is a part.
    fn measure(&self, step: &mut Step, dev: &R::Data, state: &mut R::State) -> Result<Option<R::Model>> {
        let mut measured = None;
        let know = || {
            if step.is_last && self.steps.is_empty() {
                let model = || self.recipe.model(state)?.to_file();
                self.options.observer.keep_unmeasured(&model)?;
            }
            self.watch.tell(&Event::Measuring);
            let (model, scores) = self.recipe.measure(state, dev)?;
            let is_wanted = step.role == Role::Part && self.watch.peers().is_some();
            let part = is_wanted.then(|| model.to_file()?.to_bytes()).transpose()?;
            measured = Some(model);
            Ok((scores, part))
        };
        let (scores, part) = share(self.watch.peers(), know)?;
        step.scores = Some(scores);
        match (measured, part) {
            (None, Some(part)) => R::Model::from_file(&ModelFile::from_bytes(&part)?).map(Some),
            (measured, _) => Ok(measured),
        }
    }

    /// Lets processes join that are to follow this one.
    fn admit(&self, state: &R::State) -> Result<()> {
        let Some(Peers::Lead(lead)) = self.watch.peers() else { return Ok(()) };
        lead.admit(&|| {
            // What is before the first step follows from the data.
            if self.steps.is_empty() {
                return Ok(Vec::new());
            }
            let best = self.best.as_ref();
            Checkpoint::write(self.recipe, &self.identity, &self.steps, best, state)?.to_bytes()
        })
    }

    /// Writes a checkpoint, unless there is one of the last step, or another process does.
    fn save(&mut self, state: &R::State) -> Result<()> {
        if matches!(self.watch.peers(), Some(Peers::Follow(_))) {
            return Ok(());
        }
        let num_steps = self.steps.len();
        let num_saved = self.saved.as_ref().map_or(0, |saved| saved.num_steps);
        let Some(path) = self.options.checkpoint.filter(|_| num_steps > num_saved) else { return Ok(()) };
        let start = Instant::now();
        let best = self.best.as_ref();
        Checkpoint::write(self.recipe, &self.identity, &self.steps, best, state)?.save(path)?;
        self.saved = Some(Saved { num_steps, at: Instant::now(), took: start.elapsed() });
        Ok(())
    }

    fn phase_is_over(&self) -> bool {
        let Some(last) = self.steps.last() else { return false };
        let is_stale = last.scores.is_some()
            && best_of_phase(&self.steps)
                .is_some_and(|best| self.steps.len() - 1 - best >= self.recipe.patience());
        last.is_last || is_stale
    }

    fn next_phase(&mut self, state: &mut R::State) -> Result<bool> {
        let is_part = self.steps.last().is_some_and(|step| step.role == Role::Part);
        let best = match (is_part, self.best.take_if(|_| is_part)) {
            (true, None) => Some(self.recipe.model(state)?),
            (_, best) => best,
        };
        self.recipe.next_phase(state, best)
    }

    fn finish(self, state: &R::State) -> Result<Trained<R::Model>> {
        let best = best_of(&self.steps).unwrap_or(0);
        let mut model = match self.best {
            Some(model) => model,
            None => self.recipe.model(state)?,
        };
        model.about_mut().settings.insert("method".to_owned(), self.recipe.name().to_owned());
        if let Some(scores) = self.steps.get(best).and_then(|step| step.scores.as_ref()) {
            scores.describe(model.about_mut());
        }
        Ok(Trained { model, steps: self.steps, best })
    }
}

/// The best of the steps that compete with the last one: of its phase if it gave a part, else of all that gave the
/// whole. The first among equals; the last one if they were not measured.
fn best_of(steps: &[Step]) -> Option<usize> {
    let last = steps.last()?;
    best_where(steps, |step| {
        step.role == last.role && (last.role == Role::Candidate || step.phase == last.phase)
    })
}

/// The best of the steps of the last phase.
fn best_of_phase(steps: &[Step]) -> Option<usize> {
    let last = steps.last()?;
    best_where(steps, |step| step.phase == last.phase && step.role == last.role)
}

fn best_where(steps: &[Step], competes: impl Fn(&Step) -> bool) -> Option<usize> {
    let competing = (0..steps.len()).rev().filter(|&place| competes(&steps[place]));
    let criterion = |place: &usize| steps[*place].scores.as_ref().map(|scores| scores.criterion);
    let mut measured = competing.clone().filter(|place| criterion(place).is_some()).peekable();
    match measured.peek() {
        Some(_) => measured
            .max_by(|a, b| criterion(a).unwrap_or(f64::NAN).total_cmp(&criterion(b).unwrap_or(f64::NAN))),
        None => competing.into_iter().next(),
    }
}

#[cfg(test)]
mod tests;
