//! Grammars with features in model files (kind `anchored-grammar`):
//!
//! | array | type | content |
//! |---|---|---|
//! | `grammar` | u8 | the grammar that says which parses are worth a look, as a model file |
//! | `features` | u8 | for each feature the gap between its 40 bits and those of the one before, 7 bits in a byte, the lowest first; all bytes but the last of a gap have their highest bit set |
//! | `weights` | u8 | for each feature its weight, in steps of the setting `weight-step`, as 16 bits with a sign: first the lower bytes of all, then the upper ones; deflated |
//! | `frequent` | u8 | frequent words and endings, each behind its length |
//! | `clusters` | u8 | the clusters of words, as text; may be missing |
//! | `flat-features`, `flat-weights` | u8 | the same of the classifier of single spans, if templates ask for one |

use super::{
    CrfModel, CrfTemplates, ForestThresholds, Objective, Property, SpanClassifier, UNSEEN_BITS, Weights,
    WordForms,
};
use crate::error::Result;
use crate::model::grammar::{deflate, inflate};
use crate::model::{About, Array, GrammarModel, ModelFile, damaged};
use crate::model::{read_names, write_names};

/// The kind of these files.
pub const KIND: &str = "anchored-grammar";

const TEMPLATES: &str = "templates";
const OBJECTIVE: &str = "objective";
const PHRASE_LIMIT: &str = "limit-phrases";
const RULE_LIMIT: &str = "limit-rules";
const BASE_WEIGHT: &str = "base-weight";
const STEP: &str = "weight-step";
const FLAT: &str = "flat-";
const FLAT_BIAS: &str = "flat-bias";

impl Weights {
    /// The step in which a file counts weights: one in which the largest fits, and a power of two, so that rounding twice is rounding once.
    /// Not smaller than 1/256: the score of a rule is a sum of about fifty of them.
    pub fn step(weights: impl IntoIterator<Item = f32>) -> f32 {
        let largest = weights.into_iter().map(f32::abs).fold(0.0, f32::max);
        let mut step = 1.0f32 / 256.0;
        while largest / step > f32::from(i16::MAX) && step < f32::MAX / 2.0 {
            step *= 2.0;
        }
        step
    }
}

fn code(weight: f32, step: f32) -> i16 {
    (weight / step).round() as i16
}

impl CrfModel {
    /// The model as a file; kind, labels and what the parser needs are filled in.
    ///
    /// # Errors
    /// If it is too large for one.
    pub fn to_file(&self, about: About) -> Result<ModelFile> {
        let grammar = self.grammar.to_file(About::new(""))?;
        let mut about = About { kind: KIND.to_owned(), labels: grammar.about().labels.clone(), ..about };
        for (name, value) in [
            (TEMPLATES, self.templates.text().to_owned()),
            (OBJECTIVE, objective_name(self.objective).to_owned()),
            (PHRASE_LIMIT, self.limits.phrases.to_string()),
            (RULE_LIMIT, self.limits.rules.to_string()),
            (BASE_WEIGHT, self.base_weight.to_string()),
        ] {
            about.settings.insert(name.to_owned(), value);
        }
        describe_weights(&mut about, "", &self.weights);
        if let Some(flat) = &self.flat {
            describe_weights(&mut about, FLAT, &flat.weights);
            about.settings.insert(format!("{FLAT}{TEMPLATES}"), flat.templates.text().to_owned());
            about.settings.insert(FLAT_BIAS.to_owned(), flat.bias.to_string());
        }
        let mut file = ModelFile::new(about);
        file.insert("grammar", Array::U8(grammar.to_bytes()?));
        insert_weights(&mut file, "", &self.weights)?;
        if let Some(flat) = &self.flat {
            insert_weights(&mut file, FLAT, &flat.weights)?;
        }
        file.insert("frequent", Array::U8(write_names(self.forms.frequent())?));
        if !self.forms.cluster_text().is_empty() {
            file.insert("clusters", Array::U8(self.forms.cluster_text().as_bytes().to_vec()));
        }
        Ok(file)
    }

    /// The model of a file.
    ///
    /// # Errors
    /// If it is of another kind, or its parts do not fit together.
    pub fn from_file(file: &ModelFile) -> Result<Self> {
        file.expect_kind(KIND, "train one with `boughs train --method crf`")?;
        Ok(Self {
            grammar: GrammarModel::from_file(&ModelFile::from_bytes(file.u8s("grammar")?)?)?,
            templates: text(file, TEMPLATES)?.parse()?,
            forms: read_forms(file)?,
            limits: ForestThresholds {
                phrases: number(file, PHRASE_LIMIT)?,
                rules: number(file, RULE_LIMIT)?,
            },
            objective: read_objective(file)?,
            base_weight: number(file, BASE_WEIGHT)?,
            weights: read_weights(file, "")?,
            flat: read_flat(file)?,
        })
    }
}

fn weight_step(weights: &Weights) -> f32 {
    Weights::step(weights.iter().map(|(_, weight)| weight))
}

fn describe_weights(about: &mut About, whose: &str, weights: &Weights) {
    about.settings.insert(format!("{whose}{STEP}"), weight_step(weights).to_string());
}

fn insert_weights(file: &mut ModelFile, whose: &str, weights: &Weights) -> Result<()> {
    let step = weight_step(weights);
    let weights: Vec<(u64, f32)> = weights.iter().collect();
    file.insert(&format!("{whose}features"), Array::U8(write_gaps(weights.iter().map(|(bits, _)| *bits))));
    let codes: Vec<[u8; 2]> = weights.iter().map(|(_, weight)| code(*weight, step).to_le_bytes()).collect();
    let planes = [0, 1].map(|plane| codes.iter().map(move |bytes| bytes[plane]));
    let planes: Vec<u8> = planes.into_iter().flatten().collect();
    file.insert(&format!("{whose}weights"), Array::U8(deflate(&planes)?));
    Ok(())
}

fn read_flat(file: &ModelFile) -> Result<Option<SpanClassifier>> {
    if !text(file, TEMPLATES)?.parse::<CrfTemplates>()?.asks_for(Property::Flat) {
        return Ok(None);
    }
    Ok(Some(SpanClassifier {
        templates: text(file, &format!("{FLAT}{TEMPLATES}"))?.parse()?,
        bias: number(file, FLAT_BIAS)?,
        weights: read_weights(file, FLAT)?,
    }))
}

fn read_weights(file: &ModelFile, whose: &str) -> Result<Weights> {
    let features = read_gaps(file.u8s(&format!("{whose}features"))?)?;
    let planes = inflate(file.u8s(&format!("{whose}weights"))?, 2 * features.len())?;
    let (lower, upper) = planes.split_at(features.len());
    let codes = lower.iter().zip(upper).map(|(&lower, &upper)| i16::from_le_bytes([lower, upper]));
    let step = number(file, &format!("{whose}{STEP}"))?;
    Ok(features.into_iter().zip(codes).map(|(feature, code)| (feature, f32::from(code) * step)).collect())
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

fn read_forms(file: &ModelFile) -> Result<WordForms> {
    let forms = WordForms::of_frequent(read_names(file.u8s("frequent")?)?);
    match file.names().any(|name| name == "clusters") {
        false => Ok(forms),
        true => {
            let text = std::str::from_utf8(file.u8s("clusters")?);
            forms.with_clusters(text.map_err(|_| damaged("its clusters are no text"))?)
        }
    }
}

fn objective_name(objective: Objective) -> &'static str {
    match objective {
        Objective::Margin => "margin",
        Objective::Likelihood => "likelihood",
    }
}

fn read_objective(file: &ModelFile) -> Result<Objective> {
    let objectives = [Objective::Margin, Objective::Likelihood];
    let name = text(file, OBJECTIVE)?;
    let found = objectives.into_iter().find(|it| objective_name(*it) == name);
    found.ok_or_else(|| damaged(format_args!("it was trained for `{name}`, which there is not")))
}

fn text<'f>(file: &'f ModelFile, name: &str) -> Result<&'f str> {
    let found = file.about().settings.get(name);
    found.map(String::as_str).ok_or_else(|| damaged(format_args!("there is no setting `{name}`")))
}

fn number(file: &ModelFile, name: &str) -> Result<f32> {
    let found = text(file, name)?.parse().ok().filter(|number: &f32| number.is_finite());
    found.ok_or_else(|| damaged(format_args!("there is no sound setting `{name}`")))
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
