//! Training between two rounds, in a file (kind `latent-checkpoint`): the grammar of the last round with all of its numbers, and the best model so far.
//!
//! | array | type | content |
//! |---|---|---|
//! | `sizes` | u16 | for each symbol how many sub-symbols it has |
//! | `values` | f32 | the numbers of all rules, with all rows |
//! | `leaves` | f32 | how often each word has each sub-symbol of its tag |
//! | `weights` | f64 | how often each sub-symbol occurs |
//! | `splits` | u16 | for each split and sub-symbol what it was split from |
//! | `best` | u8 | the best model, as a model file |

use super::state::{State, all_rows};
use super::train::{LatentConfig, Point};
use crate::error::{Error, ErrorKind, Result};
use crate::model::{About, Array, Grammar, GrammarModel, ModelFile, RuleBlock, damaged, read_splits};
use crate::train::checkpoint::{RUN, check_run, fingerprint_of};
use crate::train::grammar::{GrammarTrees, LeafScores, estimate};
use crate::tree::Tree;

const KIND: &str = "latent-checkpoint";
const POINTS: &str = "points";

/// The state of training between two rounds; everything else follows from trees and settings.
#[derive(Debug, Clone)]
pub struct LatentCheckpoint {
    /// The rounds so far.
    pub points: Vec<Point>,
    pub(super) sizes: Vec<u16>,
    pub(super) values: Vec<f32>,
    pub(super) leaves: Vec<f32>,
    pub(super) weights: Vec<f64>,
    pub(super) splits: Vec<u16>,
    pub(super) best: GrammarModel,
}

/// What a run of training depends on, as a short name: trees and settings, but not patience and the number of rounds.
pub fn fingerprint(trees: &[Tree], dev: &[Tree], config: &LatentConfig) -> String {
    let config = LatentConfig { max_rounds: 0, patience: 0, ..config.clone() };
    fingerprint_of(&format!("{config:?}"), trees, dev)
}

impl LatentCheckpoint {
    pub(super) fn new(points: &[Point], state: &State, best: &GrammarModel) -> Self {
        Self {
            points: points.to_vec(),
            sizes: state.grammar.sizes().to_vec(),
            values: state.grammar.values().to_vec(),
            leaves: state.leaf_counts.values.clone(),
            weights: state.weights.clone(),
            splits: state.splits.iter().flatten().flatten().copied().collect(),
            best: best.clone(),
        }
    }

    /// The checkpoint as a file, marked with the [`fingerprint`] of its run.
    ///
    /// # Errors
    /// If it is too large for one.
    pub fn to_file(&self, run: &str) -> Result<ModelFile> {
        let mut about = About::new(KIND);
        about.settings.insert(RUN.to_owned(), run.to_owned());
        let points = serde_json::to_string(&self.points).map_err(|error| unwritable(&error))?;
        about.settings.insert(POINTS.to_owned(), points);
        let mut file = ModelFile::new(about);
        file.insert("sizes", Array::U16(self.sizes.clone()));
        file.insert("values", Array::F32(self.values.clone()));
        file.insert("leaves", Array::F32(self.leaves.clone()));
        file.insert("weights", Array::F64(self.weights.clone()));
        file.insert("splits", Array::U16(self.splits.clone()));
        file.insert("best", Array::U8(self.best.to_file(About::new(""))?.to_bytes()?));
        Ok(file)
    }

    /// The checkpoint of a file, which must be that of the run with this [`fingerprint`].
    ///
    /// # Errors
    /// If it is that of another run, or no checkpoint.
    pub fn from_file(file: &ModelFile, run: &str) -> Result<Self> {
        check_run(file, KIND, run)?;
        let about = file.about();
        let points = about.settings.get(POINTS).and_then(|text| serde_json::from_str(text).ok());
        Ok(Self {
            points: points.ok_or_else(|| damaged("it does not say which rounds are done"))?,
            sizes: file.u16s("sizes")?.to_vec(),
            values: file.f32s("values")?.to_vec(),
            leaves: file.f32s("leaves")?.to_vec(),
            weights: file.f64s("weights")?.to_vec(),
            splits: file.u16s("splits")?.to_vec(),
            best: GrammarModel::from_file(&ModelFile::from_bytes(file.u8s("best")?)?)?,
        })
    }

    /// The grammar of the last round.
    pub(super) fn state(&self, trees: &GrammarTrees, config: &LatentConfig) -> Result<State> {
        let wrong = || damaged("its numbers are not those of a grammar of these trees");
        if self.sizes.len() != trees.symbols.len() || self.sizes.contains(&0) {
            return Err(wrong());
        }
        let size = |symbol: crate::model::Symbol| usize::from(self.sizes[symbol.index()]);
        let mut rest = &self.values[..];
        let mut blocks = Vec::with_capacity(trees.rules.len());
        for &(parent, left, right) in &trees.rules {
            let rows = all_rows(size(left), right.map_or(1, size));
            let (own, others) = rest.split_at_checked(rows.len() * size(parent)).ok_or_else(wrong)?;
            blocks.push(RuleBlock { parent, left, right, rows, values: own.to_vec() });
            rest = others;
        }
        let grammar = Grammar::new(self.sizes.clone(), blocks, trees.max_chain);
        let mut leaf_counts = LeafScores::zeros(trees, &grammar);
        let lengths = [rest.len(), self.leaves.len(), self.weights.len()];
        if lengths != [0, leaf_counts.values.len(), grammar.num_substates()] {
            return Err(wrong());
        }
        leaf_counts.values.clone_from(&self.leaves);
        let words = config.smoothing().map_or(0.0, |smoothing| smoothing.words);
        let (lexicon, leaf_scores) = estimate(trees, &grammar, &leaf_counts, &config.lexicon, words);
        let splits = read_splits(&self.splits, &self.sizes)?;
        Ok(State { grammar, lexicon, leaf_scores, leaf_counts, splits, weights: self.weights.clone() })
    }
}

fn unwritable(error: &serde_json::Error) -> Error {
    Error::new(ErrorKind::Numeric, format!("the rounds cannot be written down: {error}"))
}
