//! Learning from sparse binary features: rows, columns, labels and weights, never words.
//!
//! A [`Dataset`] holds the rows once; a [`Target`] says what one classifier is to learn from them, so that many
//! classifiers share one dataset. [`L1Booster`] and [`ZBooster`] add decision trees to a classifier one by one, along a
//! path of falling penalties.
//!
//! A tree takes these steps, one file each: `sample` (which rows to look at), `histogram` (sums by feature), `scan`
//! and `gain` (which split pays), `partition` (which rows go where), `grow` (the driver), `leaf` (confidences),
//! `scores` (what they change). Weights are whole numbers (`fixed`), so results do not depend on the number of
//! threads.
//!
//! [`logistic`] fits linear classifiers on the same data, with the optimisers of [`optimize`].

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
mod numbering;
pub mod optimize;
mod partition;
mod postings;
mod predict;
mod progress;

#[cfg(test)]
mod reference;
pub mod rng;
mod sample;
mod scan;
mod scores;
mod sums;
pub mod svmlight;
mod target;
mod view;
pub mod vocab;
mod zboost;

pub use boost::L1Booster;
pub use booster::{Booster, Method};
pub use config::{L1Config, MIN_SAMPLE, ZConfig};
pub use dataset::{Dataset, DatasetBuilder};
pub use error::{Error, ErrorKind, Result};
pub use gain::GainForm;
pub use held_out::{HeldOut, best_penalty};
pub use many::{Job, train_many, working_bytes};
pub use predict::{mean_log_loss, score_rows};
pub use progress::{BoostProgress, BoostStop, BoosterState};
pub use target::Target;
pub use view::DatasetView;
pub use zboost::ZBooster;
