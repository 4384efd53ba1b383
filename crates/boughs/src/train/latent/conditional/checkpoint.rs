//! Training between two stages, in a file (kind `conditional-checkpoint`): parameters, the grammars so far, and the best of them.
//!
//! | array | type | content |
//! |---|---|---|
//! | `parameters` | f64 | the parameters at the end of the last stage |
//! | `model` | u8 | the grammars of all stages, as a model file |
//! | `best` | u8 | the best model, as a model file |
//! | `merge2` … | u16 | of each stage that undid splits, what became of each sub-symbol |
//! | `merge2_weights` … | f32 | how often each sub-symbol occurred then |

use super::config::ConditionalConfig;
use super::train::ConditionalPoint;
use crate::error::{Error, ErrorKind, Result};
use crate::model::{About, Array, GrammarModel, ModelFile, damaged};
use crate::train::checkpoint::{RUN, check_run, fingerprint_of};
use crate::tree::Tree;

const KIND: &str = "conditional-checkpoint";
const POINTS: &str = "points";

/// The state of training between two stages; everything else follows from trees, settings and the grammar to start from.
#[derive(Debug, Clone)]
pub struct ConditionalCheckpoint {
    /// The stages so far.
    pub points: Vec<ConditionalPoint>,
    /// What each stage after the first put together again, if it did.
    pub(super) merges: Vec<Merge>,
    pub(super) parameters: Vec<f64>,
    pub(super) model: GrammarModel,
    pub(super) best: GrammarModel,
}

/// Sub-symbols that were put together.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Merge {
    /// What became of each sub-symbol, one symbol after the other.
    pub(super) origins: Vec<u16>,
    /// How often each sub-symbol occurred.
    pub(super) weights: Vec<f32>,
}

/// What a run of training depends on, as a short name: trees, settings and the grammar to start from, but not patience and the number of stages.
///
/// # Errors
/// If the grammar is too large for a file.
pub fn conditional_fingerprint(
    trees: &[Tree],
    dev: &[Tree],
    base: &GrammarModel,
    config: &ConditionalConfig,
) -> Result<String> {
    let config = ConditionalConfig { max_splits: 0, patience: 0, ..config.clone() };
    let base = base.to_file(About::new(""))?.to_bytes()?;
    let base = xxhash_rust::xxh3::xxh3_64(&base);
    Ok(fingerprint_of(&format!("{config:?} {base:x}"), trees, dev))
}

impl ConditionalCheckpoint {
    /// The checkpoint as a file, marked with the [`conditional_fingerprint`] of its run.
    ///
    /// # Errors
    /// If it is too large for one.
    pub fn to_file(&self, run: &str) -> Result<ModelFile> {
        let mut about = About::new(KIND);
        about.settings.insert(RUN.to_owned(), run.to_owned());
        let points = serde_json::to_string(&self.points).map_err(|error| unwritable(&error))?;
        about.settings.insert(POINTS.to_owned(), points);
        let mut file = ModelFile::new(about);
        file.insert("parameters", Array::F64(self.parameters.clone()));
        for (name, model) in [("model", &self.model), ("best", &self.best)] {
            file.insert(name, Array::U8(model.to_file(About::new(""))?.to_bytes()?));
        }
        for (stage, merge) in (2..).zip(&self.merges) {
            file.insert(&format!("merge{stage}"), Array::U16(merge.origins.clone()));
            file.insert(&format!("merge{stage}_weights"), Array::F32(merge.weights.clone()));
        }
        Ok(file)
    }

    /// The checkpoint of a file, which must be that of the run with this [`conditional_fingerprint`].
    ///
    /// # Errors
    /// If it is that of another run, or no checkpoint.
    pub fn from_file(file: &ModelFile, run: &str) -> Result<Self> {
        check_run(file, KIND, run)?;
        let points = file.about().settings.get(POINTS).and_then(|text| serde_json::from_str(text).ok());
        let model = |name: &str| GrammarModel::from_file(&ModelFile::from_bytes(file.u8s(name)?)?);
        let merge = |stage: usize| {
            let origins = file.u16s(&format!("merge{stage}"))?.to_vec();
            Ok(Merge { origins, weights: file.f32s(&format!("merge{stage}_weights"))?.to_vec() })
        };
        let has_merge = |stage: &usize| file.names().any(|name| name == format!("merge{stage}"));
        Ok(Self {
            merges: (2..).take_while(has_merge).map(merge).collect::<Result<_>>()?,
            points: points.ok_or_else(|| damaged("it does not say which stages are done"))?,
            parameters: file.f64s("parameters")?.to_vec(),
            model: model("model")?,
            best: model("best")?,
        })
    }

    pub(super) fn check(&self, num_parameters: usize) -> Result<()> {
        match self.parameters.len() == num_parameters {
            true => Ok(()),
            false => Err(damaged("its parameters are not those of a grammar of these trees")),
        }
    }
}

fn unwritable(error: &serde_json::Error) -> Error {
    Error::new(ErrorKind::Numeric, format!("the stages cannot be written down: {error}"))
}
