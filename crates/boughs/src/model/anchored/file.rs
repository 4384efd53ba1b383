//! Grammars with features in model files (kind `anchored-grammar`):
//!
//! | array | type | content |
//! |---|---|---|
//! | `grammar` | u8 | the grammar that says which parses are worth a look, as a model file |
//! | `features` | u64 | the numbers of features, rising |
//! | `weights` | i16 | for each feature its weight, in steps of the setting `weight-step` |
//! | `frequent` | u8 | frequent words and endings, each behind its length |
//! | `clusters` | u8 | the clusters of words, as text; may be missing |

use super::{AnchoredModel, ForestLimits, Objective, Weights, WordForms};
use crate::error::Result;
use crate::model::file::{read_names, write_names};
use crate::model::{About, Array, GrammarModel, ModelFile, damaged};

/// The kind of these files.
pub const KIND: &str = "anchored-grammar";

const TEMPLATES: &str = "templates";
const OBJECTIVE: &str = "objective";
const PHRASE_LIMIT: &str = "limit-phrases";
const RULE_LIMIT: &str = "limit-rules";
const OFFSET_WEIGHT: &str = "offset-weight";
const STEP: &str = "weight-step";

impl Weights {
    /// The step in which a file counts weights: one in which the largest fits, and a power of two, so that rounding twice is rounding once.
    pub fn step(weights: impl IntoIterator<Item = f32>) -> f32 {
        let largest = weights.into_iter().map(f32::abs).fold(0.0, f32::max);
        let mut step = 1.0f32 / 4096.0;
        while largest / step > f32::from(i16::MAX) && step < f32::MAX / 2.0 {
            step *= 2.0;
        }
        step
    }
}

fn code(weight: f32, step: f32) -> i16 {
    (weight / step).round() as i16
}

impl AnchoredModel {
    /// The model as a file; kind, labels and what the parser needs are filled in.
    ///
    /// # Errors
    /// If it is too large for one.
    pub fn to_file(&self, about: About) -> Result<ModelFile> {
        let grammar = self.grammar.to_file(About::new(""))?;
        let mut about = About { kind: KIND.to_owned(), labels: grammar.about().labels.clone(), ..about };
        let weights = self.weights.sorted();
        let step = Weights::step(weights.iter().map(|(_, weight)| *weight));
        for (name, value) in [
            (TEMPLATES, self.templates.text().to_owned()),
            (OBJECTIVE, objective_name(self.objective).to_owned()),
            (PHRASE_LIMIT, self.limits.phrases.to_string()),
            (RULE_LIMIT, self.limits.rules.to_string()),
            (OFFSET_WEIGHT, self.offset_weight.to_string()),
            (STEP, step.to_string()),
        ] {
            about.settings.insert(name.to_owned(), value);
        }
        let mut file = ModelFile::new(about);
        file.insert("grammar", Array::U8(grammar.to_bytes()?));
        file.insert("features", Array::U64(weights.iter().map(|(feature, _)| *feature).collect()));
        file.insert("weights", Array::I16(weights.iter().map(|(_, weight)| code(*weight, step)).collect()));
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
        file.expect_kind(KIND, "train one with `boughs train --method max-margin`")?;
        Ok(Self {
            grammar: GrammarModel::from_file(&ModelFile::from_bytes(file.u8s("grammar")?)?)?,
            templates: text(file, TEMPLATES)?.parse()?,
            forms: read_forms(file)?,
            limits: ForestLimits { phrases: number(file, PHRASE_LIMIT)?, rules: number(file, RULE_LIMIT)? },
            objective: read_objective(file)?,
            offset_weight: number(file, OFFSET_WEIGHT)?,
            weights: read_weights(file)?,
        })
    }
}

fn read_weights(file: &ModelFile) -> Result<Weights> {
    let (features, codes) = (file.u64s("features")?, file.i16s("weights")?);
    if features.len() != codes.len() || !features.is_sorted_by(|a, b| a < b) {
        return Err(damaged("its features are out of order, or have no weights"));
    }
    let step = number(file, STEP)?;
    Ok(features.iter().zip(codes).map(|(&feature, &code)| (feature, f32::from(code) * step)).collect())
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
