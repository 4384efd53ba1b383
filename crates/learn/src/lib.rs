//! Learning from sparse binary features: rows, columns, labels and weights, never words.
//!
//! ```
//! use boughs_learn::loss::sigmoid;
//! use boughs_learn::{DatasetBuilder, L1Booster, L1Config, Target};
//!
//! // A row is the list of its active features. Positive are rows with feature 0 and without feature 1.
//! let rows: [&[u32]; 4] = [&[0, 1], &[0], &[1], &[]];
//! let mut builder = DatasetBuilder::new();
//! for row in rows {
//!     builder.push_row(row)?;
//! }
//! let (dataset, target) = (builder.finish(), Target::from_labels([false, true, false, false]));
//!
//! let config = L1Config { final_penalty: 0.01, ..L1Config::default() };
//! let mut booster = L1Booster::new(&dataset, &target, config)?;
//! while booster.step().is_ok() {}
//! let classifier = booster.into_ensemble();
//!
//! let probability = |row: &[u32]| sigmoid(classifier.score(|feature| row.contains(&feature)));
//! assert_eq!(rows.map(|row| probability(row) > 0.5), [false, true, false, false]);
//! # Ok::<(), boughs_learn::Error>(())
//! ```
//!
//! - **Data.** A [`Dataset`] holds the rows once; a [`Target`] says what one classifier is to learn from them, so that
//!   many classifiers share one dataset. [`svmlight`] reads rows from files.
//! - **Boosting.** [`L1Booster`] and [`ZBooster`] add decision trees to a classifier one by one, along a path of
//!   falling penalties; [`train_many`] learns many classifiers side by side.
//! - **Linear models.** [`logistic`] fits linear classifiers on the same data, with the optimisers of [`optimize`].
//! - **Runs.** [`run`] is the one training loop, over any [`Recipe`](run::Recipe); [`recipes`] are those over labelled
//!   rows, with checkpoints, development rows and settings as TOML.
//! - **Frozen models.** [`model`] has what training leaves behind: forests, linear models, and their files.
//!
//! A boosted tree takes these steps, one file each: `sample` (which rows to look at), `histogram` (sums by feature),
//! `scan` and `gain` (which split pays), `partition` (which rows go where), `grow` (the driver), `leaf`
//! (confidences), `scores` (what they change). Weights are whole numbers (`fixed`), so results do not depend on the
//! number of threads.

mod boost;
mod booster;
mod config;
mod dataset;
mod engine;
pub mod error;
mod fixed;
mod gain;
mod gaps;
mod grow;
mod held_out;
mod histogram;
mod leaf;
pub mod logistic;
pub mod loss;
mod many;
mod matrix;
pub mod model;
pub mod names;
mod numbering;
pub mod optimize;
mod partition;
mod path;
mod postings;
mod predict;
mod progress;
pub mod recipes;
#[cfg(test)]
mod reference;
pub mod rng;
pub mod run;
mod sample;
mod scan;
mod scores;
pub mod shards;
mod sums;
pub mod svmlight;
mod target;
mod view;
pub mod vocab;
mod zboost;

pub use boost::L1Booster;
pub use booster::{Booster, Method};
pub use config::{L1Config, Lowering, MIN_SAMPLE, ZConfig};
pub use dataset::{Dataset, DatasetBuilder};
pub use error::{Error, ErrorKind, Result};
pub use gain::GainForm;
pub use held_out::{HeldOut, best_penalty};
pub use loss::LossForm;
pub use many::{Job, train_many, working_bytes};
pub use path::{BoostingLearner, PathTask};
pub use predict::{mean_log_loss, score_rows};
pub use progress::{BoostProgress, BoostStop, BoosterState};
pub use target::Target;
pub use view::DatasetView;
pub use zboost::ZBooster;
