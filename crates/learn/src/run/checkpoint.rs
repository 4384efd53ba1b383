//! A run between two steps, in a file (kind `checkpoint`): the steps as JSON, the best model so far as a model file in
//! the array `best`, and what the recipe puts there.
//!
//! A checkpoint is of use only to the run that it was made by, so it holds the recipe's name and the identity of the
//! run.

use std::path::Path;
use std::{fs, io};

use serde::Serialize;
use xxhash_rust::xxh3::Xxh3;

use super::{Model, Recipe, Step};
use crate::error::{Error, ErrorKind, Result};
use crate::model::{About, Array, ModelFile};

/// The kind of these files.
pub const CHECKPOINT_KIND: &str = "checkpoint";

/// The recipe, the identity of the run and its steps, the same for all recipes.
const RUN: &str = "run";
const BEST: &str = "best";

/// The name of the recipe and the steps of the run of a checkpoint, for whoever watches it.
///
/// # Errors
/// If the file cannot be read, or is no checkpoint.
pub fn checkpoint_steps(path: &Path) -> Result<(String, Vec<Step>)> {
    let file = ModelFile::load(path)?;
    let steps = || {
        file.expect_kind(CHECKPOINT_KIND, "name the checkpoint of a training run")?;
        let (recipe, _, steps): (&str, &str, _) = file.state(RUN)?;
        Ok((recipe.to_owned(), steps))
    };
    steps().map_err(|error: Error| error.in_file(path))
}

/// A checkpoint that was read.
pub(super) struct Checkpoint<M> {
    pub(super) file: ModelFile,
    pub(super) steps: Vec<Step>,
    pub(super) best: Option<M>,
}

impl<M: Model> Checkpoint<M> {
    pub(super) fn write<R: Recipe<Model = M>>(
        recipe: &R,
        identity: &str,
        steps: &[Step],
        best: Option<&M>,
        state: &R::State,
    ) -> Result<ModelFile> {
        let mut file = ModelFile::new(About::new(CHECKPOINT_KIND));
        file.insert_state(RUN, &(recipe.name(), identity, steps))?;
        if let Some(best) = best {
            file.insert(BEST, Array::U8(best.to_file()?.to_bytes()?));
        }
        recipe.save(state, &mut file)?;
        Ok(file)
    }

    pub(super) fn load<R: Recipe<Model = M>>(path: &Path, recipe: &R, identity: &str) -> Result<Self> {
        let file = ModelFile::load(path)?;
        Self::read(file, recipe.name(), identity).map_err(|error| error.in_file(path))
    }

    fn read(file: ModelFile, recipe: &str, identity: &str) -> Result<Self> {
        file.expect_kind(CHECKPOINT_KIND, "name the checkpoint of a training run")?;
        let (its_recipe, its_identity, steps): (&str, &str, _) = file.state(RUN)?;
        if (its_recipe, its_identity) != (recipe, identity) {
            let message = "expected a checkpoint of this run, found one of a run with other data or settings";
            return Err(Error::new(ErrorKind::Mismatch, message).hint(
                "go on with the files and options of that run, or remove the checkpoint to start anew",
            ));
        }
        let best =
            file.has(BEST).then(|| M::from_file(&ModelFile::from_bytes(file.u8s(BEST)?)?)).transpose()?;
        Ok(Self { steps, best, file })
    }
}

/// What a run depends on, as a short name: its settings, and texts that stand for its data.
pub fn fingerprint(settings: &impl Serialize, data: impl IntoIterator<Item = String>) -> String {
    let settings: &dyn erased_serde::Serialize = settings;
    let settings = serde_json::to_string(settings).unwrap_or_default();
    let mut hash = Xxh3::new();
    for text in std::iter::once(settings).chain(data) {
        hash.update(&(text.len() as u64).to_le_bytes());
        hash.update(text.as_bytes());
    }
    format!("{:032x}", hash.digest128())
}

/// Removes the checkpoint of a run that is over, if there is one.
///
/// # Errors
/// If the operating system refuses.
pub fn remove_checkpoint(path: &Path) -> Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(Error::io("remove the checkpoint", error).in_file(path))
        }
        _ => Ok(()),
    }
}
