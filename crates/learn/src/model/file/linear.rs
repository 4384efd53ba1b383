//! Linear models in a model file (kind `linear`):
//!
//! | array | type | an entry for each | content |
//! |---|---|---|---|
//! | `bias` | f64 | label | its bias |
//! | `num_features` | u32 | one | the number of features, whether or not they have weights |
//! | `features` | u32 | weight | its feature; never falls |
//! | `classes` | u32 | weight | the place of its label; rises within a feature |
//! | `weights` | f64 | weight | the weight itself, never 0 |

use super::{About, Array, ModelFile, damaged};
use crate::error::{Error, ErrorKind, Result};
use crate::model::Linear;

const KIND: &str = "linear";

/// Every feature costs four bytes in memory, so a file must not be able to ask for any number of them.
const MAX_FEATURES: u32 = 1 << 28;

impl ModelFile {
    /// A file of a linear model; the kind of `about` is filled in, its labels are those of the classes.
    ///
    /// # Errors
    /// If there are not as many labels as classes, or too many features.
    pub fn from_linear(about: About, model: &Linear) -> Result<Self> {
        if about.labels.len() != model.num_classes() {
            let message = format!(
                "expected a label for each of {} classes, found {}",
                model.num_classes(),
                about.labels.len()
            );
            return Err(Error::new(ErrorKind::Mismatch, message));
        }
        let num_features = u32::try_from(model.num_features()).ok().filter(|&number| number <= MAX_FEATURES);
        let num_features = num_features.ok_or_else(|| {
            Error::new(ErrorKind::TooLarge, format!("a model file holds at most {MAX_FEATURES} features"))
        })?;
        let mut file = Self::new(About { kind: KIND.to_owned(), ..about });
        let entries = || {
            (0..num_features).flat_map(|feature| model.weights(feature).map(move |entry| (feature, entry)))
        };
        file.insert("bias", Array::F64(model.bias().to_vec()));
        file.insert("num_features", Array::U32(vec![num_features]));
        file.insert("features", Array::U32(entries().map(|(feature, _)| feature).collect()));
        file.insert("classes", Array::U32(entries().map(|(_, (class, _))| class).collect()));
        file.insert("weights", Array::F64(entries().map(|(_, (_, weight))| weight).collect()));
        Ok(file)
    }

    /// The linear model of a file.
    ///
    /// # Errors
    /// If it is of another kind, or its arrays do not fit together.
    pub fn linear(&self) -> Result<Linear> {
        self.expect_kind(KIND, "train one with `boughs learn train logistic`")?;
        let (features, classes, weights) =
            (self.u32s("features")?, self.u32s("classes")?, self.f64s("weights")?);
        let &[num_features] = self.u32s("num_features")? else {
            return Err(damaged("array `num_features` is not one number"));
        };
        let bias = self.f64s("bias")?;
        if bias.len() != self.about.labels.len()
            || features.len() != classes.len()
            || features.len() != weights.len()
        {
            return Err(damaged("its arrays differ in length"));
        }
        if num_features > MAX_FEATURES
            || !features.is_sorted()
            || features.last().is_some_and(|&last| last >= num_features)
        {
            return Err(damaged("array `features` is out of order or of range"));
        }
        build(bias, num_features, features, classes, weights).map_err(|error| damaged(error.message()))
    }
}

fn build(
    bias: &[f64],
    num_features: u32,
    features: &[u32],
    classes: &[u32],
    weights: &[f64],
) -> Result<Linear> {
    let mut model = Linear::new(bias.to_vec())?;
    let mut start = 0;
    for same in features.chunk_by(|a, b| a == b) {
        while model.num_features() < same[0] as usize {
            model.push_feature([])?;
        }
        let range = start..start + same.len();
        start = range.end;
        model.push_feature(classes[range.clone()].iter().copied().zip(weights[range].iter().copied()))?;
    }
    while model.num_features() < num_features as usize {
        model.push_feature([])?;
    }
    Ok(model)
}
