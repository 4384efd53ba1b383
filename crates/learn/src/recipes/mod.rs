//! Recipes over labelled rows: boosted classifiers ([`BoostingConfig`]), and logistic regression
//! ([`LogisticConfig`](crate::logistic::LogisticConfig)).

mod boosted;
mod logistic;
#[cfg(test)]
mod testing;

pub use boosted::{BoostingConfig, BoostingState};
pub use logistic::LogisticState;

use serde::Serialize;

use crate::error::Result;
use crate::model::{About, ModelFile, PredictionTally, Predictor, PredictorScratch};
use crate::run::{Figure, Scores, fingerprint, to_toml};
use crate::svmlight::LabelledRows;

/// The array of a checkpoint that holds the model as it stands, as a file.
const MODEL: &str = "model";

/// The model of a checkpoint, as it stands.
///
/// # Errors
/// If the checkpoint is damaged, or of another recipe.
pub fn model_of_checkpoint(checkpoint: &ModelFile) -> Result<ModelFile> {
    ModelFile::from_bytes(checkpoint.u8s(MODEL)?)
}

/// The description of a model that was trained with some settings.
fn about(settings: &impl Serialize, labels: &[String]) -> Result<About> {
    Ok(About { config: to_toml(settings)?, labels: labels.to_vec(), ..About::new("") })
}

/// What a run depends on, as a short name: settings and rows.
fn identity(settings: &impl Serialize, train: &LabelledRows, dev: Option<&LabelledRows>) -> String {
    fingerprint(
        settings,
        [Some(train), dev].into_iter().flatten().map(|rows| format!("{:016x}", rows.checksum())),
    )
}

/// How good the predictions for labelled rows are, by their log-loss.
fn measure(model: &ModelFile, rows: &LabelledRows) -> Result<Scores> {
    let predictor = Predictor::from_file(model)?;
    let known: Vec<_> = rows.labels.iter().map(|label| predictor.label_number(label)).collect();
    let mut scratch = PredictorScratch::default();
    let mut tally = PredictionTally::default();
    let mut features = Vec::new();
    for (row, (&class, &weight)) in rows.classes.iter().zip(&rows.weights).enumerate() {
        features.clear();
        features.extend(rows.dataset.row(row));
        let probabilities = predictor.probabilities(&features, &mut scratch);
        tally.add(probabilities, known[class as usize], weight);
    }
    let (accuracy, loss) = (100.0 * tally.accuracy(), tally.log_loss());
    let figures = vec![Figure::new("accuracy", accuracy, 2), Figure::new("log-loss", loss, 6)];
    Ok(Scores { criterion: -loss, figures })
}
