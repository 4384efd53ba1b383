//! Settings of training.

use serde::{Deserialize, Serialize};

use crate::chart::{ChartOptions, Decoder};
use crate::error::{Result, require};
use crate::model::{BaseScore, CrfObjective, CrfTemplates, ForestThresholds};
use crate::tagger::TaggerConfig;
use crate::train::settings::{as_text, preset_note};
use crate::train::{Annotations, LatentConfig, LexiconConfig, PcfgConfig};
use crate::tree::profile::Profile;
use crate::tree::{Binarization, Unaries};

/// The grammar that says which parses are worth a look.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BaseGrammar {
    /// A plain one.
    Pcfg(PcfgConfig),
    /// One with latent subcategories, after all rounds.
    Latent(LatentConfig),
}

impl BaseGrammar {
    /// How it binarises trees.
    pub(super) fn binarization(&self) -> Binarization {
        match self {
            Self::Pcfg(config) => config.binarization(),
            Self::Latent(config) => config.binarization(),
        }
    }

    /// What its symbols are split by before training.
    pub(super) fn annotations(&self) -> &Annotations {
        const NONE: &Annotations = &Annotations::none();
        match self {
            Self::Pcfg(config) => &config.annotations,
            Self::Latent(_) => NONE,
        }
    }

    pub(super) fn lexicon(&self) -> &LexiconConfig {
        match self {
            Self::Pcfg(config) => &config.lexicon,
            Self::Latent(config) => &config.lexicon,
        }
    }
}

/// A paper whose parser a recipe is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CrfPreset {
    /// Taskar et al. (2004).
    Mmp04,
}

/// How weights are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Optimizer {
    /// Steps along the gradient, smaller for features that have moved much (Duchi et al. 2011).
    #[default]
    #[serde(rename = "adagrad")]
    AdaGrad,
    /// Steps along the subgradient that get smaller with time (Shalev-Shwartz et al. 2007); margin only.
    Subgradient,
    /// A step of one from each wrong tree to the gold tree, averaged (Collins 2002); margin only.
    Perceptron,
    /// The smallest step that fixes the sentence, averaged (Crammer et al. 2006); margin only.
    PassiveAggressive,
    /// Dual mass moved between parses of one sentence at a time, with a bound on what is left to gain (Taskar et al.
    /// 2004); margin only.
    Smo,
}

/// What counts as an error of a parse.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Loss {
    /// Phrases, and parts of phrases, that the gold tree does not have.
    #[default]
    Phrases,
    /// Rules that the gold tree does not have at the same place.
    Rules,
}

/// Settings of training a crf.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct CrfConfig {
    /// The conventions of the treebank: a name, or the text of a profile. Default: the Penn Treebank's.
    #[serde(with = "as_text", skip_serializing_if = "Profile::is_default")]
    pub profile: Profile,
    /// The paper whose settings these are, but for what was changed. Default: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preset: Option<CrfPreset>,
    /// Which features there are: the name of a set, or templates as text. Default: `surface+grammar`.
    #[serde(with = "as_text")]
    pub features: CrfTemplates,
    /// What to aim at. Default: likelihood.
    pub objective: CrfObjective,
    /// How weights are found. Default: AdaGrad, which is for the likelihood; see [`CrfConfig::optimizer_for`].
    pub optimizer: Optimizer,
    /// What counts as an error. Default: phrases.
    pub loss: Loss,
    /// How much an error counts for the margin. Default: 1.
    pub loss_weight: f32,
    /// The grammar that says which parses are worth a look. Default: with latent subcategories, three rounds.
    pub base: BaseGrammar,
    /// The number of folds: posteriors of a sentence come from models that were trained on the other folds. 1 for one
    /// model that has seen all sentences. Default: 4.
    pub folds: usize,
    /// What the grammar leaves out.
    pub thresholds: ForestThresholds,
    /// Words and endings that occur less often are not seen by themselves. Default: 30.
    pub min_word_count: u32,
    /// Features that occur in the forests of fewer sentences are left out. Default: 2.
    pub min_feature_count: u32,
    /// Clusters of words, as text: a word, a tab and its cluster in each line. Default: none.
    pub clusters: Option<String>,
    /// The most rounds through the treebank. Default: 20.
    pub max_epochs: usize,
    /// Training stops after so many rounds without a better score on the development trees. Default: 3.
    pub patience: usize,
    /// How far a step of AdaGrad goes. Default: 0.1.
    pub rate: f32,
    /// What is added to the squares of the gradients of a feature, so that those seen once or twice do not move far
    /// (AdaGrad). Default: 1.
    pub damping: f32,
    /// How many sentences make a step of AdaGrad. Default: 8.
    pub batch: usize,
    /// How much the errors of the training trees cost, against the size of weights, for the margin: C of the paper.
    /// All of these are tried, each from the beginning, and the best on the development trees is kept. Default: 1.
    pub error_costs: Vec<f64>,
    /// The L2 penalty of AdaGrad, for each sentence of a step. Default: 1e-5.
    pub penalty: f32,
    /// Whether the objective of the margin is measured after each round, also where the optimizer does not need it.
    /// Default: no.
    pub measure_objective: bool,
    /// The duality gap, as a share of the primal objective, at which SMO ends. Default: 0.01.
    pub gap: f64,
    /// The share of sentences that are learned in lower case, Title Case or CAPITALS. Default: none.
    pub recase: f32,
    /// Decides the order and the case of sentences.
    pub seed: u64,
    /// Longer sentences are left out, but not of the tagger. Default: none.
    pub max_words: Option<usize>,
    /// Whether a tagger comes with the parser, for tagging alone. Default: no.
    pub with_tagger: bool,
    /// How that tagger is trained.
    pub tagger: TaggerConfig,
    /// How sentences are parsed.
    pub options: ChartOptions,
}

impl Default for CrfConfig {
    fn default() -> Self {
        Self {
            profile: Profile::default(),
            preset: None,
            features: "surface+grammar".parse::<CrfTemplates>().expect("a set that ships"),
            objective: CrfObjective::default(),
            optimizer: Optimizer::default(),
            loss: Loss::default(),
            loss_weight: 1.0,
            base: BaseGrammar::Latent(LatentConfig { max_rounds: 3, ..LatentConfig::default() }),
            folds: 4,
            thresholds: ForestThresholds::default(),
            min_word_count: 30,
            min_feature_count: 2,
            clusters: None,
            max_epochs: 20,
            patience: 3,
            rate: 0.1,
            damping: 1.0,
            batch: 8,
            error_costs: vec![1.0],
            penalty: 1e-5,
            measure_objective: false,
            gap: 0.01,
            recase: 0.0,
            seed: 0,
            max_words: None,
            with_tagger: false,
            tagger: TaggerConfig::default(),
            options: ChartOptions { decoder: Decoder::MaxRule, ..ChartOptions::default() },
        }
    }
}

impl CrfConfig {
    /// As printed by Taskar et al. (2004): weights by structured SMO of the margin over the annotated symbols of Klein
    /// & Manning's grammar, unary chains as compound symbols, words with the grammar's scores, lexical features of
    /// spans and two auxiliary predictions from models of the other of two folds, the Viterbi tree. No feature is left
    /// out for being rare. The paper parses without pruning and does not print C; here phrases below e⁻¹² (rules e⁻¹⁴)
    /// in the base grammar are left out ([`unpruned`](Self::unpruned) keeps them), and the best of three costs is
    /// taken.
    pub fn mmp04() -> Self {
        let base = PcfgConfig {
            annotations: Annotations::klein_manning(),
            unaries: Unaries::CollapseBelowRoot,
            ..PcfgConfig::default()
        };
        Self {
            preset: Some(CrfPreset::Mmp04),
            features: "lexical+aux".parse::<CrfTemplates>().expect("a set that ships"),
            objective: CrfObjective::Margin,
            optimizer: Optimizer::Smo,
            base: BaseGrammar::Pcfg(base),
            folds: 2,
            min_feature_count: 1,
            max_epochs: 40,
            patience: 40,
            error_costs: vec![0.01, 0.1, 1.0],
            thresholds: ForestThresholds { phrases: -12.0, rules: -14.0 },
            options: ChartOptions {
                decoder: Decoder::Viterbi,
                thresholds: vec![-14.0],
                beam: 1e-9,
                ..ChartOptions::default()
            },
            ..Self::default()
        }
    }

    /// The paper whose settings these are, and the names of those that are others.
    pub(super) fn preset_note(&self) -> Result<Option<String>> {
        let Some(preset) = self.preset else { return Ok(None) };
        let paper = Self::mmp04();
        let Self { seed, max_words, .. } = paper;
        preset_note(&preset, &Self { seed, max_words, ..self.clone() }, &paper).map(Some)
    }

    /// The same without any pruning: every parse of the base grammar is looked at. For short sentences.
    pub fn unpruned(self) -> Self {
        let ChartOptions { thresholds, beam, .. } = ChartOptions::exact();
        let none = ForestThresholds { phrases: f32::NEG_INFINITY, rules: f32::NEG_INFINITY };
        let options = ChartOptions { thresholds, beam, ..self.options };
        Self { thresholds: none, options, ..self }
    }

    /// The optimizer to take where nobody says which: for the margin SMO, which is the first within 1% of the lowest
    /// objective and says so itself (record/2026-11-16-max-margin-2.md).
    pub fn optimizer_for(objective: CrfObjective) -> Optimizer {
        match objective {
            CrfObjective::Margin => Optimizer::Smo,
            CrfObjective::Likelihood => Optimizer::AdaGrad,
        }
    }

    /// The number of folds that is best: two, as in the paper, if the posteriors of a plain grammar or of the span
    /// classifier are features; one if there are no such features and the base grammar is plain. A grammar with latent
    /// subcategories that saw a sentence leaves hardly a wrong tag of it, and features then do not learn to avoid
    /// those (2 F1 with `surface`, record/2026-11-16-max-margin-2.md).
    pub fn folds_for(templates: &CrfTemplates, base: &BaseGrammar) -> usize {
        match base {
            BaseGrammar::Latent(_) => 4,
            BaseGrammar::Pcfg(_) if templates.use_posteriors() => 2,
            BaseGrammar::Pcfg(_) => 1,
        }
    }

    /// Whether features speak of annotated symbols: those of a plain grammar with annotations.
    pub(super) fn is_annotated(&self) -> bool {
        !self.base.annotations().is_empty()
    }

    /// How many grammars are trained: one of all trees, and one for each part that did not see it if that is of use.
    pub(super) fn num_grammars(&self) -> usize {
        let is_of_use = self.features.use_posteriors() || self.cuts_forests();
        if self.folds > 1 && is_of_use { self.folds + 1 } else { 1 }
    }

    /// Whether the forest of a sentence comes from a grammar that did not see it. It does if the grammar's scores of
    /// rules are features, and in all cases where symbols are few. Plain grammars of some of the trees lack many rules,
    /// which then get no weights and are free: 3 F1 with rules alone (record/2026-11-16-max-margin.md). The rules of
    /// all trees with the words of the other folds were tried: 82.8 F1 where it is 82.5 with the words of all (`mmp04`,
    /// gum, at most 15 words), too little for a setting of its own.
    pub(super) fn cuts_forests(&self) -> bool {
        self.features.base_score() == BaseScore::Grammar || matches!(self.base, BaseGrammar::Latent(_))
    }

    /// Checks every setting.
    ///
    /// # Errors
    /// If one is out of its range, or two do not go together.
    pub fn check(&self) -> Result<()> {
        let is_margin = self.optimizer == Optimizer::AdaGrad || self.objective == CrfObjective::Margin;
        require(is_margin, "the objective `margin` for this optimizer", "`likelihood`")?;
        require((1..=100).contains(&self.folds), "1 to 100 folds", self.folds)?;
        require(self.max_epochs >= 1, "at least 1 epoch", self.max_epochs)?;
        require(self.patience >= 1, "a patience of at least 1 epoch", self.patience)?;
        require(self.batch >= 1, "at least 1 sentence in a step", self.batch)?;
        require(self.rate > 0.0 && self.rate.is_finite(), "a rate above 0", self.rate)?;
        require(self.damping > 0.0 && self.damping.is_finite(), "a damping above 0", self.damping)?;
        self.check_costs()?;
        require((0.0..1.0).contains(&self.penalty), "a penalty from 0 to 1", self.penalty)?;
        require((0.0..=1.0).contains(&self.recase), "a share of other cases from 0 to 1", self.recase)?;
        require(self.gap >= 0.0, "a gap of at least 0", self.gap)?;
        require(self.loss_weight >= 0.0, "a weight of errors of at least 0", self.loss_weight)?;
        match &self.base {
            BaseGrammar::Pcfg(config) => config.lexicon.check(),
            BaseGrammar::Latent(config) => config.check(),
        }
    }

    fn check_costs(&self) -> Result<()> {
        require(!self.error_costs.is_empty(), "at least one cost of errors", "none")?;
        for (place, &cost) in self.error_costs.iter().enumerate() {
            require(cost > 0.0 && cost.is_finite(), "a cost of errors above 0", cost)?;
            require(!self.error_costs[..place].contains(&cost), "each cost of errors once", cost)?;
        }
        let is_of_use = self.error_costs.len() == 1 || self.objective == CrfObjective::Margin;
        require(is_of_use, "the objective `margin` for several costs of errors", "`likelihood`")
    }
}
