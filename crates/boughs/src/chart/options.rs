//! How to parse with a chart.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};

/// Which tree is the best.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Decoder {
    /// The one whose rules have the highest product of posterior probabilities (Petrov & Klein 2007).
    #[default]
    MaxRule,
    /// The one of the most likely derivation. Several grammars have no derivation in common and take
    /// [`MaxRule`](Self::MaxRule).
    Viterbi,
    /// The one with the highest expected number of correct rules (Petrov & Klein 2008).
    MaxRuleSum,
    /// The one with the highest expected number of correct phrases (Goodman 1996).
    MaxRecall,
}

/// How to parse with a chart: what is pruned, and which tree is taken.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct ChartOptions {
    /// Which tree is the best.
    pub decoder: Decoder,
    /// For each level but the last, the logarithm of the posterior probability below which a substate is not looked at
    /// in the next; the last one stands for all that follow. `-inf`, in JSON a string, keeps everything.
    #[serde(deserialize_with = "thresholds")]
    pub thresholds: Vec<f32>,
    /// In the coarsest grammar, what is less likely than the best over the same span by this factor is not looked at; 0
    /// keeps all.
    pub beam: f32,
    /// How often the tags of the input are right: at 1 they are kept, below they count as much as a tagger that is so
    /// often right.
    pub tag_prior: f32,
    /// The power to which the posteriors of a tagger are raised before they are multiplied with the scores of tags: 0
    /// for no tagger, less than 1 since grammar and tagger have seen the same word. 0.35 gains 0.6 F1, and keeping the
    /// tags of the tagger loses 0.7 (record/2026-11-16-latent.md).
    pub tagger_weight: f32,
}

impl Default for ChartOptions {
    fn default() -> Self {
        Self {
            decoder: Decoder::MaxRule,
            thresholds: vec![-8.0, -9.75, -10.0, -9.6, -9.66, -8.01],
            beam: 1e-4,
            tag_prior: 1.0,
            tagger_weight: 0.35,
        }
    }
}

impl ChartOptions {
    /// Prunes less: 0.1 F1 better on wsj, at 29 sentences a CPU-second in place of 40 (record/2026-11-16-latent.md).
    pub fn accurate() -> Self {
        let thresholds = vec![-8.0, -12.0, -12.0, -11.0, -12.0, -12.0, -14.0];
        Self { thresholds, beam: 1e-6, ..Self::default() }
    }

    /// Looks at everything.
    pub fn exact() -> Self {
        Self { thresholds: vec![f32::NEG_INFINITY], beam: 0.0, ..Self::default() }
    }

    /// The posterior below which the next level does not look at a substate.
    pub(super) fn threshold(&self, level: usize) -> f32 {
        let last = self.thresholds.last().copied().unwrap_or(f32::NEG_INFINITY);
        self.thresholds.get(level).copied().unwrap_or(last).exp()
    }

    /// The posterior that is too small to matter for anything below it. Without this floor every cell of the coarsest
    /// grammar hands something down.
    pub(super) fn floor(&self, level: usize) -> f32 {
        0.03 * self.threshold(level)
    }

    /// By which factor a given tag makes every other one less likely, if those who give tags err towards all others
    /// alike.
    pub(super) fn factor_of_other_tags(&self, num_tags: usize) -> f32 {
        let num_others = num_tags.saturating_sub(1).max(1) as f32;
        ((1.0 - self.tag_prior) / (self.tag_prior * num_others)).clamp(0.0, 1.0)
    }
}

/// JSON has no infinite numbers: no threshold at all is `null` there.
fn thresholds<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<f32>, D::Error> {
    let numbers: Vec<Option<f32>> = Vec::deserialize(deserializer)?;
    let numbers = numbers.into_iter().map(|number| number.unwrap_or(f32::NEG_INFINITY));
    let expected = || D::Error::custom("expected the logarithm of a probability, found no number");
    numbers.map(|number| Some(number).filter(|number| !number.is_nan()).ok_or_else(expected)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_come_back_from_text() {
        for options in [ChartOptions::default(), ChartOptions::accurate(), ChartOptions::exact()] {
            let text = serde_json::to_string(&options).unwrap();
            assert_eq!(serde_json::from_str::<ChartOptions>(&text).unwrap(), options, "{text}");
        }
        let text = serde_json::to_string(&ChartOptions::exact()).unwrap();
        assert!(
            text.contains(r#""thresholds":[null]"#) && text.contains(r#""decoder":"max-rule""#),
            "{text}"
        );
        let text = crate::learn::run::to_toml(&ChartOptions::exact()).unwrap();
        assert!(text.contains("thresholds = [-inf]"), "{text}");
        assert_eq!(crate::learn::run::from_toml::<ChartOptions>(&text).unwrap(), ChartOptions::exact());
        assert!(crate::learn::run::from_toml::<ChartOptions>("thresholds = [nan]").is_err());
    }

    #[test]
    fn what_is_not_said_is_the_default_and_what_is_not_known_is_refused() {
        let read = |text| serde_json::from_str::<ChartOptions>(text);
        let wanted = ChartOptions { thresholds: vec![-8.0, f32::NEG_INFINITY], ..ChartOptions::default() };
        assert_eq!(read(r#"{"thresholds":[-8,null]}"#).unwrap(), wanted);
        for text in [
            r#"{"num-best":2}"#,
            r#"{"thresholds":["all"]}"#,
            r#"{"thresholds":["-inf"]}"#,
            r#"{"decoder":"best"}"#,
        ] {
            assert!(read(text).is_err(), "{text}");
        }
    }
}
