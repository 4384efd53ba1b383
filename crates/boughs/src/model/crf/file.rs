//! Features in model files:
//!
//! | array | type | content |
//! |---|---|---|
//! | `crf_features` | u8 | for each feature the gap between its 40 bits and those of the one before, 7 bits in a byte, the lowest first; all bytes but the last of a gap have their highest bit set |
//! | `crf_weights` | u8 | for each feature its weight, in steps of `weight-step`, as 16 bits with a sign: first the lower bytes of all, then the upper ones; deflated |
//! | `crf_frequent` | u8 | frequent words and endings, each behind its length |
//! | `crf_clusters` | u8 | the clusters of words, as text |
//! | `span_features`, `span_weights` | u8 | the same of the span classifier, if templates ask for one |

use serde::{Deserialize, Serialize};

use super::{
    CrfFeatures, CrfObjective, FeatureWeights, ForestThresholds, Property, SpanClassifier, UNSEEN_BITS,
    WordForms,
};
use crate::error::Result;
use crate::model::grammar::{deflate, inflate};
use crate::model::{Array, ModelFile, damaged, read_names, write_names};

/// What is to be known of features beside their arrays.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct CrfSettings {
    templates: String,
    objective: CrfObjective,
    thresholds: ForestThresholds,
    #[serde(default)]
    is_annotated: bool,
    base_weight: f32,
    weight_step: f32,
    span_classifier: Option<SpanClassifierSettings>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct SpanClassifierSettings {
    templates: String,
    bias: f32,
    weight_step: f32,
}

impl FeatureWeights {
    /// The step in which a file counts weights: one in which the largest fits, and a power of two, so that rounding
    /// twice is rounding once. Not smaller than 1/256: the score of a rule is a sum of about fifty of them.
    pub fn step(weights: impl IntoIterator<Item = f32>) -> f32 {
        let largest = weights.into_iter().map(f32::abs).fold(0.0, f32::max);
        let mut step = 1.0f32 / 256.0;
        while largest / step > f32::from(i16::MAX) && step < f32::MAX / 2.0 {
            step *= 2.0;
        }
        step
    }

    /// Puts the weights into a file; the step in which they are counted.
    fn write(&self, file: &mut ModelFile, prefix: &str) -> Result<f32> {
        let step = Self::step(self.iter().map(|(_, weight)| weight));
        file.insert(&format!("{prefix}features"), Array::U8(write_gaps(self.iter().map(|(bits, _)| bits))));
        let code = |(_, weight): (u64, f32)| ((weight / step).round() as i16).to_le_bytes();
        let codes: Vec<[u8; 2]> = self.iter().map(code).collect();
        let planes = [0, 1].map(|plane| codes.iter().map(move |bytes| bytes[plane]));
        let planes: Vec<u8> = planes.into_iter().flatten().collect();
        file.insert(&format!("{prefix}weights"), Array::U8(deflate(&planes)?));
        Ok(step)
    }

    fn read(file: &ModelFile, prefix: &str, step: f32) -> Result<Self> {
        let features = read_gaps(file.u8s(&format!("{prefix}features"))?)?;
        let planes = inflate(file.u8s(&format!("{prefix}weights"))?, 2 * features.len())?;
        let (lower, upper) = planes.split_at(features.len());
        let codes = lower.iter().zip(upper).map(|(&lower, &upper)| i16::from_le_bytes([lower, upper]));
        Ok(features.into_iter().zip(codes).map(|(feature, code)| (feature, f32::from(code) * step)).collect())
    }
}

impl CrfFeatures {
    /// Puts the arrays of the features into a file.
    pub(crate) fn write(&self, file: &mut ModelFile) -> Result<CrfSettings> {
        let span_classifier = self.span_classifier.as_ref().map(|classifier| {
            let SpanClassifier { templates, bias, weights } = classifier;
            let (templates, weight_step) = (templates.text().to_owned(), weights.write(file, "span_")?);
            Ok(SpanClassifierSettings { templates, bias: *bias, weight_step })
        });
        let settings = CrfSettings {
            templates: self.templates.text().to_owned(),
            objective: self.objective,
            thresholds: self.thresholds,
            is_annotated: self.is_annotated,
            base_weight: self.base_weight,
            weight_step: self.weights.write(file, "crf_")?,
            span_classifier: span_classifier.transpose()?,
        };
        file.insert("crf_frequent", Array::U8(write_names(self.forms.frequent())?));
        file.insert("crf_clusters", Array::U8(self.forms.cluster_text().as_bytes().to_vec()));
        Ok(settings)
    }

    /// The features of a file.
    ///
    /// # Errors
    /// If its parts do not fit together.
    pub(crate) fn read(file: &ModelFile, settings: &CrfSettings) -> Result<Self> {
        let CrfSettings { objective, thresholds, is_annotated, base_weight, weight_step, .. } = *settings;
        let span_classifier = settings.span_classifier.as_ref().map(|settings| {
            let &SpanClassifierSettings { ref templates, bias, weight_step } = settings;
            let weights = FeatureWeights::read(file, "span_", weight_step)?;
            Ok(SpanClassifier { templates: templates.parse()?, bias, weights })
        });
        let clusters = std::str::from_utf8(file.u8s("crf_clusters")?);
        let forms = WordForms::of_frequent(read_names(file.u8s("crf_frequent")?)?);
        let features = Self {
            templates: settings.templates.parse()?,
            forms: forms.with_clusters(clusters.map_err(|_| damaged("its clusters are no text"))?)?,
            thresholds,
            objective,
            is_annotated,
            base_weight,
            weights: FeatureWeights::read(file, "crf_", weight_step)?,
            span_classifier: span_classifier.transpose()?,
        };
        match features.templates.asks_for(Property::SpanClassifier) == features.span_classifier.is_some() {
            true => Ok(features),
            false => Err(damaged("its templates and its span classifier do not fit together")),
        }
    }
}

/// The gaps between rising numbers.
fn write_gaps(numbers: impl Iterator<Item = u64>) -> Vec<u8> {
    let (mut bytes, mut last) = (Vec::new(), 0);
    for number in numbers {
        let mut gap = number - last;
        last = number;
        while gap >= 0x80 {
            bytes.push(gap as u8 | 0x80);
            gap >>= 7;
        }
        bytes.push(gap as u8);
    }
    bytes
}

/// The features whose upper bits have these gaps.
fn read_gaps(bytes: &[u8]) -> Result<Vec<u64>> {
    let (mut features, mut last, mut gap, mut shift) = (Vec::new(), 0u64, 0u64, 0);
    for &byte in bytes {
        gap |= u64::from(byte & 0x7F) << shift;
        shift += 7;
        if byte & 0x80 == 0 {
            last += gap;
            features.push(last << UNSEEN_BITS);
            (gap, shift) = (0, 0);
        }
        if shift > 35 || last >> (u64::BITS - UNSEEN_BITS) > 0 {
            return Err(damaged("its features are no numbers of 40 bits"));
        }
    }
    match shift {
        0 => Ok(features),
        _ => Err(damaged("its features are cut off")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_come_back() {
        let numbers = [0, 1, 127, 128, 300, 1 << 20, (1 << 40) - 1];
        let features: Vec<u64> = numbers.iter().map(|number| number << UNSEEN_BITS).collect();
        let bytes = write_gaps(numbers.into_iter());
        assert_eq!(read_gaps(&bytes).unwrap(), features);
        assert!(read_gaps(&bytes[..bytes.len() - 1]).is_err(), "cut off");
        assert!(read_gaps(&[0xFF; 9]).is_err(), "too large a gap");
        assert!(read_gaps(&[0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x1F, 1]).is_err(), "too large a sum");
    }
}
