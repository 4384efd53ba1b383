//! The checkpoint file of a run: enough to go on as if it had never stopped, and a model that can be used meanwhile.
//!
//! It is a model file with a few arrays more, so it is written whole or not at all. What decides the course of a run,
//! the rows and the settings, is in it too, and a run that differs is refused. Where a run ends is no part of that:
//! resuming with a smaller penalty or more trees goes further down the same path.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use boughs::model::{About, Array, Classifier, Ensemble, Linear, ModelFile};
use boughs_learn::optimize::OptimizerState;
use boughs_learn::svmlight::LabelledRows;
use boughs_learn::{Booster, BoosterState, Method as Boosting};

use super::TrainArgs;
use crate::output::report;

/// The penalty in force and the trees tried, of each classifier. Whole numbers of this size are exact in an f64.
const PENALTIES: &str = "checkpoint.penalties";
const ATTEMPTS: &str = "checkpoint.attempts";
/// The state of the optimiser.
const STATE: &str = "checkpoint.state";

/// Where a run is saved, and what it is.
pub(super) struct CheckpointFile {
    path: PathBuf,
    every: Duration,
    is_resumed: bool,
    identity: BTreeMap<String, String>,
}

impl CheckpointFile {
    /// The file that the user asked for, if any.
    pub(super) fn new(args: &TrainArgs, rows: &LabelledRows) -> Result<Option<Self>> {
        let Some(path) = args.checkpoint.clone() else { return Ok(None) };
        let is_there = path.exists();
        if is_there && !args.resume {
            bail!(
                "{}: there is a checkpoint already; give --resume to go on from it, or remove it",
                path.display()
            );
        }
        if args.resume && !is_there {
            report(format_args!("{}: no checkpoint yet, starting anew", path.display()));
        }
        let every = args.checkpoint_every;
        Ok(Some(Self { path, every, is_resumed: is_there, identity: identity(args, rows) }))
    }

    /// Where every classifier of a boosted model stood, if there is something to go on from.
    pub(super) fn load_boosted(&self) -> Result<Option<Vec<BoosterState>>> {
        let Some(file) = self.load()? else { return Ok(None) };
        let classifiers = file.classifiers()?;
        let (penalties, attempts) = (file.f64s(PENALTIES)?, file.f64s(ATTEMPTS)?);
        if penalties.len() != classifiers.len() || attempts.len() != classifiers.len() {
            bail!("{}: the checkpoint is damaged: remove it and start anew", self.path.display());
        }
        let checkpoints = classifiers.into_iter().zip(penalties).zip(attempts);
        Ok(Some(
            checkpoints
                .map(|((classifier, &penalty), &attempts)| BoosterState {
                    ensemble: classifier.ensemble,
                    penalty,
                    num_attempts: attempts as u64,
                })
                .collect(),
        ))
    }

    /// Where the optimiser of a linear model stood, if there is something to go on from.
    pub(super) fn load_state(&self) -> Result<Option<OptimizerState>> {
        let Some(file) = self.load()? else { return Ok(None) };
        let state = postcard::from_bytes(file.u8s(STATE)?);
        Ok(Some(state.with_context(|| format!("{}: the checkpoint is damaged", self.path.display()))?))
    }

    fn load(&self) -> Result<Option<ModelFile>> {
        if !self.is_resumed {
            return Ok(None);
        }
        let file = ModelFile::load(&self.path)?;
        for (name, value) in &self.identity {
            let found = file.about().settings.get(name).map_or("none", String::as_str);
            if found != value {
                bail!(
                    "{}: expected the checkpoint of a run with {name} {value}, found {found}; resume with the same rows and settings",
                    self.path.display()
                );
            }
        }
        Ok(Some(file))
    }

    fn save(&self, mut about: About, make: impl FnOnce(About) -> Result<ModelFile>) -> Result<()> {
        about.settings.extend(self.identity.clone());
        Ok(make(about)?.save(&self.path)?)
    }

    /// Saves the optimiser of a linear model.
    pub(super) fn save_state(&self, about: &About, model: &Linear, state: &OptimizerState) -> Result<()> {
        self.save(about.clone(), |about| {
            let mut file = ModelFile::from_linear(about, model)?;
            file.insert(STATE, Array::U8(postcard::to_allocvec(state).context("cannot save the optimiser")?));
            Ok(file)
        })
    }

    pub(super) fn every(&self) -> Duration {
        self.every
    }
}

/// What a run must share with the one that it goes on from.
fn identity(args: &TrainArgs, rows: &LabelledRows) -> BTreeMap<String, String> {
    let or_default = |setting: Option<String>| setting.unwrap_or_else(|| "default".to_owned());
    let mut identity = BTreeMap::from([
        // Another version may have other defaults.
        ("version", env!("CARGO_PKG_VERSION").to_owned()),
        ("method", args.method.name()),
        ("rows_checksum", format!("{:016x}", rows.checksum())),
        ("decay", or_default(args.decay.map(|decay| decay.to_string()))),
        ("gain", or_default(args.gain.map(|gain| format!("{gain:?}")))),
        ("min_gain", or_default(args.min_gain.map(|factor| factor.to_string()))),
        ("depth", or_default(args.depth.map(|depth| depth.to_string()))),
        ("sample", or_default(args.sample.map(|size| size.to_string()))),
        ("seed", args.seed.to_string()),
    ]);
    if !args.method.is_boosting() {
        identity.insert("lambda", or_default(args.lambda.map(|lambda| lambda.to_string())));
    }
    identity.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

/// Saves classifiers that are boosted side by side.
pub(super) struct Saver<'a> {
    file: &'a CheckpointFile,
    about: About,
    slots: Mutex<Vec<Slot>>,
}

/// One classifier, as it was last saved.
struct Slot {
    label: String,
    saved: BoosterState,
    when: Instant,
}

impl<'a> Saver<'a> {
    pub(super) fn new(
        file: &'a CheckpointFile,
        about: About,
        labels: &[String],
        checkpoints: &[Option<BoosterState>],
    ) -> Self {
        let slot = |(label, checkpoint): (&String, &Option<BoosterState>)| {
            let blank =
                || BoosterState { ensemble: Ensemble::new(), penalty: f64::INFINITY, num_attempts: 0 };
            let saved = checkpoint.clone().unwrap_or_else(blank);
            Slot { label: label.clone(), saved, when: Instant::now() }
        };
        let slots = labels.iter().zip(checkpoints).map(slot).collect();
        Self { file, about, slots: Mutex::new(slots) }
    }

    /// Saves after a tree if it is time.
    pub(super) fn tree<M: Boosting>(&self, job: usize, booster: &Booster<'_, M>) -> Result<()> {
        let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        let slot = &mut slots[job];
        if slot.when.elapsed() < self.file.every() {
            return Ok(());
        }
        slot.saved = booster.checkpoint();
        slot.when = Instant::now();
        self.save(&slots)
    }

    /// Saves the classifiers where they stand at the end, so that a later run can go further.
    pub(super) fn finish(&self, finished: &[BoosterState]) -> Result<()> {
        let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        for (slot, checkpoint) in slots.iter_mut().zip(finished) {
            slot.saved = checkpoint.clone();
        }
        self.save(&slots)
    }

    fn save(&self, slots: &[Slot]) -> Result<()> {
        let classifier =
            |slot: &Slot| Classifier { label: slot.label.clone(), ensemble: slot.saved.ensemble.clone() };
        let classifiers: Vec<Classifier> = slots.iter().map(classifier).collect();
        self.file.save(self.about.clone(), |about| {
            let mut file = ModelFile::from_classifiers(about, &classifiers)?;
            file.insert(PENALTIES, Array::F64(slots.iter().map(|slot| slot.saved.penalty).collect()));
            let attempts = slots.iter().map(|slot| slot.saved.num_attempts as f64).collect();
            file.insert(ATTEMPTS, Array::F64(attempts));
            Ok(file)
        })
    }
}
