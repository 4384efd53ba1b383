//! Linear models in a model file (kind `linear`): `linear`, the biases and the weights of each feature.

use super::{About, ModelFile, damaged_if};
use crate::error::{Error, ErrorKind, Result};
use crate::model::Linear;

/// The kind of these files, and the name of the weights in them.
const LINEAR: &str = "linear";

impl ModelFile {
    /// A file of a linear model; the kind of `about` is filled in, its labels are those of the classes.
    ///
    /// # Errors
    /// If there are not as many labels as classes.
    pub fn from_linear(about: About, model: &Linear) -> Result<Self> {
        let (expected, found) = (model.num_classes(), about.labels.len());
        if expected != found {
            let message = format!("expected a label for each of {expected} classes, found {found}");
            return Err(Error::new(ErrorKind::Mismatch, message));
        }
        let mut file = Self::new(About { kind: LINEAR.to_owned(), ..about });
        file.insert_state(LINEAR, model)?;
        Ok(file)
    }

    /// The linear model of a file.
    ///
    /// # Errors
    /// If it is of another kind, or its weights are none.
    pub fn linear(&self) -> Result<Linear> {
        self.expect_kind(LINEAR, "train one with `boughs learn train logistic`")?;
        let model: Linear = self.state(LINEAR)?;
        damaged_if(
            model.num_classes() != self.about.labels.len(),
            "its labels are not those of its classes",
        )?;
        Ok(model)
    }
}
