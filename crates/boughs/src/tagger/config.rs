//! What the user can set about taggers.

use serde::{Deserialize, Serialize};

use crate::error::{Result, require};
use crate::learn::logistic::{LogisticConfig, WeightPairs};
use crate::learn::optimize::OptimizerConfig;

/// A wider beam than any use has, so that a model file cannot ask for any amount of work.
pub(super) const MAX_BEAM: u32 = 1000;

/// Which features a tagger looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TemplateSet {
    /// Those of Ratnaparkhi (1996): the word, or if it is rare its prefixes, suffixes and kinds of characters; two
    /// words on either side; two tags before.
    Ratnaparkhi,
    /// Many more: affixes and shapes of all words, pairs of words, affixes of neighbours, and the classes of the
    /// words to come.
    #[default]
    Extended,
}

/// How often a word must be seen to be treated as known, for three purposes; all at least 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Thresholds {
    /// A word seen less often is rare; 5 by default.
    pub rare: u32,
    /// A word seen at least so often has no tags but those seen with it; 10 by default.
    pub dictionary: u32,
    /// A word seen at least so often has a class, its set of tags; 3 by default.
    pub class: u32,
}

impl Default for Thresholds {
    fn default() -> Self {
        Self { rare: 5, dictionary: 10, class: 3 }
    }
}

impl Thresholds {
    /// Words seen less often make no difference to any purpose.
    pub(super) fn least(&self) -> u32 {
        self.rare.min(self.dictionary).min(self.class)
    }
}

/// How weights are learned. Both learn a log-linear model; both see the gold tags of the training data only.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TaggerLearner {
    /// Maximum entropy, to the optimum: logistic regression of each tag on its features, those of the two tags before
    /// being the gold ones. Slow and thorough.
    Batch(LogisticConfig),
    /// Stochastic gradient descent, token by token; the two tags before are those that the tagger itself has just
    /// chosen, so that it learns to live with its mistakes. Many times faster.
    Online(OnlineConfig),
}

/// Settings of [`TaggerLearner::Online`]. It minimises
///
/// ```text
/// Σ over tokens  −ln p(tag | features)  +  l1 · Σ |w|
/// ```
///
/// by steps of AdaGrad (Duchi, Hazan and Singer 2011), each token with a part of its features left out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct OnlineConfig {
    /// How often to go through the data; at least 1, 8 by default.
    pub passes: u32,
    /// The length of the first step, above 0; 0.1 by default.
    pub rate: f32,
    /// The weight of the L1 penalty, 0 or more; 0.2 by default. It leaves most weights at 0.
    pub l1: f64,
    /// Which share of the features to leave out at each step, in [0, 1); 0.2 by default.
    pub dropout: f64,
}

impl Default for OnlineConfig {
    fn default() -> Self {
        Self { passes: 8, rate: 0.1, l1: 0.2, dropout: 0.2 }
    }
}

/// Settings of [`train`](super::train). The default is the best tagger known; [`TaggerConfig::ratnaparkhi`] is the
/// classic.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct TaggerConfig {
    /// Which features to look at.
    pub templates: TemplateSet,
    /// How to learn their weights.
    pub learner: TaggerLearner,
    /// When a word counts as known.
    pub thresholds: Thresholds,
    /// Features seen less often are not used; at least 1, 2 by default.
    pub min_feature_count: u32,
    /// How many histories to keep at each token; 1 to 1000, 3 by default.
    pub beam: u32,
    /// Weights nearer to 0 are forgotten; 0 or more, 0.02 by default. A smaller model is the reward.
    pub smallest_weight: f32,
    /// The seed of everything random.
    pub seed: u64,
}

impl Default for TaggerConfig {
    fn default() -> Self {
        Self {
            templates: TemplateSet::Extended,
            learner: TaggerLearner::Online(OnlineConfig::default()),
            thresholds: Thresholds::default(),
            min_feature_count: 2,
            beam: 3,
            smallest_weight: 0.02,
            seed: 0,
        }
    }
}

impl TaggerConfig {
    /// The tagger of Ratnaparkhi (1996), with a Gaussian prior and L-BFGS in the place of iterative scaling.
    pub fn ratnaparkhi() -> Self {
        let optimizer =
            OptimizerConfig { value_tolerance: 1e-4, max_iterations: 200, ..OptimizerConfig::default() };
        let logistic = LogisticConfig {
            bias: false,
            pairs: WeightPairs::Observed,
            optimizer,
            ..LogisticConfig::default()
        };
        Self {
            templates: TemplateSet::Ratnaparkhi,
            learner: TaggerLearner::Batch(logistic),
            thresholds: Thresholds { dictionary: 1, ..Thresholds::default() },
            beam: 5,
            ..Self::default()
        }
    }

    /// Says which setting is out of its range, if one is.
    ///
    /// # Errors
    /// If one is.
    pub fn check(&self) -> Result<()> {
        let Thresholds { rare, dictionary, class } = self.thresholds;
        let counts = [
            ("rare", rare),
            ("dictionary", dictionary),
            ("class", class),
            ("min_feature_count", self.min_feature_count),
            ("beam", self.beam),
        ];
        for (name, found) in counts {
            require(found >= 1, format_args!("`{name}` to be at least 1"), found)?;
        }
        require(self.beam <= MAX_BEAM, "`beam` to be at most 1000", self.beam)?;
        let smallest = self.smallest_weight;
        require(smallest.is_finite() && smallest >= 0.0, "`smallest_weight` to be 0 or more", smallest)?;
        match &self.learner {
            TaggerLearner::Batch(logistic) => logistic.check(),
            TaggerLearner::Online(online) => online.check(),
        }
    }
}

impl OnlineConfig {
    fn check(&self) -> Result<()> {
        let Self { passes, rate, l1, dropout } = *self;
        require(passes >= 1, "`passes` to be at least 1", passes)?;
        require(rate.is_finite() && rate > 0.0, "`rate` to be above 0", rate)?;
        require(l1.is_finite() && l1 >= 0.0, "`l1` to be 0 or more", l1)?;
        require((0.0..1.0).contains(&dropout), "`dropout` to be 0 or more and below 1", dropout)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learn::names::{name_of, named};

    #[test]
    fn defaults_are_in_range() {
        TaggerConfig::default().check().unwrap();
        TaggerConfig::ratnaparkhi().check().unwrap();
    }

    #[test]
    fn the_setting_out_of_range_is_named() {
        let config = TaggerConfig { beam: 0, ..TaggerConfig::default() };
        assert_eq!(config.check().unwrap_err().to_string(), "expected `beam` to be at least 1, found 0");
        let online = OnlineConfig { dropout: 1.0, ..OnlineConfig::default() };
        let config = TaggerConfig { learner: TaggerLearner::Online(online), ..TaggerConfig::default() };
        assert!(config.check().unwrap_err().message().starts_with("expected `dropout` to be"));
    }

    #[test]
    fn settings_can_be_written_down() {
        for config in [TaggerConfig::default(), TaggerConfig::ratnaparkhi()] {
            let text = serde_json::to_string(&config).unwrap();
            assert_eq!(serde_json::from_str::<TaggerConfig>(&text).unwrap(), config);
        }
        let text = r#"{"templates":"ratnaparkhi","learner":{"online":{"passes":3}},"min-feature-count":4}"#;
        let config: TaggerConfig = serde_json::from_str(text).unwrap();
        let online = OnlineConfig { passes: 3, ..OnlineConfig::default() };
        assert_eq!(config.learner, TaggerLearner::Online(online));
        assert_eq!((config.templates, config.min_feature_count), (TemplateSet::Ratnaparkhi, 4));
        assert_eq!(config.beam, TaggerConfig::default().beam);
        serde_json::from_str::<TaggerConfig>(r#"{"beams":3}"#).unwrap_err();
    }

    #[test]
    fn template_sets_have_names() {
        for set in [TemplateSet::Ratnaparkhi, TemplateSet::Extended] {
            assert_eq!(named::<TemplateSet>("templates", &name_of(&set)).unwrap(), set);
        }
        let message = named::<TemplateSet>("templates", "best").unwrap_err().to_string();
        assert_eq!(message, "expected templates (ratnaparkhi, extended), found `best`");
    }
}
