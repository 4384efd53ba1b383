//! Training between two rounds, or between two grammars, in a file (kind `crf-checkpoint`):
//!
//! | array | type | content |
//! |---|---|---|
//! | `grammar0`, … | u8 | the grammars of the parts, and that of all trees at the end, as model files; the first of them if the others are not trained yet, and then there is nothing else |
//! | `weights`, `squares` | f32 | for each feature its weight, and the sum of the squares of its gradients |
//! | `late_changes` | f64 | for each feature what averaging needs |
//! | `best` | f32 | the weights of the best round |
//! | `dual_parses` | u32 | for each sentence the number of parses with mass, and for each of these its number of edges and the edges |
//! | `dual_masses` | f64 | for each of these parses its mass |

use super::config::CrfConfig;
use super::dual::{DualParse, Duals};
use super::state::State;
use super::train::{CrfPoint, Progress};
use crate::error::{Error, ErrorKind, Result};
use crate::model::{About, Array, GrammarModel, ModelFile, damaged};
use crate::train::checkpoint::{RUN, check_run, fingerprint_of};
use crate::tree::Tree;

const KIND: &str = "crf-checkpoint";
const POINTS: &str = "points";
const STEPS: &str = "steps";

/// The state of training between two rounds, or before the first one between two grammars; everything else follows from trees and settings.
#[derive(Debug, Clone)]
pub struct CrfCheckpoint {
    grammars: Vec<GrammarModel>,
    progress: Option<Progress>,
}

/// What a run of training depends on, as a short name: trees and settings, but not patience and the number of rounds.
pub fn fingerprint(trees: &[Tree], dev: &[Tree], config: &CrfConfig) -> String {
    let free = CrfConfig { max_epochs: 0, patience: 0, gap: 0.0, ..config.clone() };
    let config = CrfConfig { measure_objective: false, ..free };
    fingerprint_of(&format!("{config:?}"), trees, dev)
}

impl CrfCheckpoint {
    pub(super) fn new(grammars: &[GrammarModel], progress: Option<&Progress>) -> Self {
        Self { grammars: grammars.to_vec(), progress: progress.cloned() }
    }

    pub(super) fn into_parts(self) -> (Vec<GrammarModel>, Option<Progress>) {
        (self.grammars, self.progress)
    }

    /// The rounds so far.
    pub fn points(&self) -> &[CrfPoint] {
        self.progress.as_ref().map_or(&[], |progress| &progress.points)
    }

    /// The checkpoint as a file, marked with the [`fingerprint`] of its run.
    ///
    /// # Errors
    /// If it is too large for one.
    pub fn to_file(&self, run: &str) -> Result<ModelFile> {
        let mut about = About::new(KIND);
        about.settings.insert(RUN.to_owned(), run.to_owned());
        if let Some(Progress { points, state, .. }) = &self.progress {
            let points = serde_json::to_string(points).map_err(|error| {
                Error::new(ErrorKind::Numeric, format!("the rounds cannot be written down: {error}"))
            })?;
            about.settings.insert(POINTS.to_owned(), points);
            about.settings.insert(STEPS.to_owned(), state.num_steps.to_string());
        }
        let mut file = ModelFile::new(about);
        for (number, grammar) in self.grammars.iter().enumerate() {
            file.insert(&format!("grammar{number}"), Array::U8(grammar.to_file(About::new(""))?.to_bytes()?));
        }
        if let Some(progress) = &self.progress {
            insert_progress(&mut file, progress);
        }
        Ok(file)
    }

    /// The checkpoint of a file, which must be that of the run with this [`fingerprint`].
    ///
    /// # Errors
    /// If it is that of another run, or no checkpoint.
    pub fn from_file(file: &ModelFile, run: &str) -> Result<Self> {
        check_run(file, KIND, run)?;
        let has_progress = file.names().any(|name| name == "weights");
        let progress = has_progress.then(|| read_progress(file)).transpose()?;
        Ok(Self { grammars: read_grammars(file)?, progress })
    }
}

fn insert_progress(file: &mut ModelFile, Progress { state, best, .. }: &Progress) {
    file.insert("weights", Array::F32(state.weights.clone()));
    file.insert("squares", Array::F32(state.squares.clone()));
    file.insert("late_changes", Array::F64(state.late_changes.clone()));
    file.insert("best", Array::F32(best.clone()));
    let parses = || state.duals.sentences.iter().flatten();
    file.insert("dual_parses", Array::U32(dual_numbers(&state.duals)));
    file.insert("dual_masses", Array::F64(parses().map(|parse| parse.mass).collect()));
}

fn read_progress(file: &ModelFile) -> Result<Progress> {
    let settings = &file.about().settings;
    let points = settings.get(POINTS).and_then(|text| serde_json::from_str(text).ok());
    let num_steps = settings.get(STEPS).and_then(|text| text.parse().ok());
    let num_steps = num_steps.ok_or_else(|| damaged("it does not say how many steps are done"))?;
    let state = State {
        weights: file.f32s("weights")?.to_vec(),
        late_changes: file.f64s("late_changes")?.to_vec(),
        squares: file.f32s("squares")?.to_vec(),
        duals: read_duals(file.u32s("dual_parses")?, file.f64s("dual_masses")?)?,
        ..State::after(num_steps)
    };
    let best = file.f32s("best")?.to_vec();
    let lengths = [state.late_changes.len(), state.squares.len(), best.len()];
    if lengths.iter().any(|&length| length != state.weights.len()) || best.is_empty() {
        return Err(damaged("its arrays differ in their number of weights"));
    }
    let points = points.ok_or_else(|| damaged("it does not say which rounds are done"))?;
    Ok(Progress { points, state, best })
}

fn read_grammars(file: &ModelFile) -> Result<Vec<GrammarModel>> {
    let mut grammars = Vec::new();
    loop {
        let name = format!("grammar{}", grammars.len());
        if !file.names().any(|known| known == name) {
            return Ok(grammars);
        }
        grammars.push(GrammarModel::from_file(&ModelFile::from_bytes(file.u8s(&name)?)?)?);
    }
}

fn dual_numbers(duals: &Duals) -> Vec<u32> {
    let mut numbers = Vec::new();
    for parses in &duals.sentences {
        numbers.push(parses.len() as u32);
        for parse in parses {
            numbers.push(parse.edges.len() as u32);
            numbers.extend(&parse.edges);
        }
    }
    numbers
}

fn read_duals(numbers: &[u32], masses: &[f64]) -> Result<Duals> {
    let wrong = || damaged("its dual variables are cut off");
    let (mut numbers, mut masses) = (numbers, masses.iter());
    let mut sentences = Vec::new();
    while let Some((&num_parses, rest)) = numbers.split_first() {
        numbers = rest;
        let mut parses = Vec::new();
        for _ in 0..num_parses {
            let (&length, rest) = numbers.split_first().ok_or_else(wrong)?;
            let (edges, rest) = rest.split_at_checked(length as usize).ok_or_else(wrong)?;
            numbers = rest;
            parses.push(DualParse { edges: edges.to_vec(), mass: *masses.next().ok_or_else(wrong)? });
        }
        sentences.push(parses);
    }
    Ok(Duals { sentences })
}
