//! Settings of training.

use crate::chart::{ChartOptions, Decoder};
use crate::error::Result;
use crate::model::{BaseScore, CrfObjective, CrfTemplates, ForestThresholds};
use crate::train::grammar::require;
use crate::train::latent::LatentConfig;
use crate::train::pcfg::PcfgConfig;
use crate::tree::Binarization;

/// The grammar that says which parses are worth a look.
#[derive(Debug, Clone)]
pub enum BaseGrammar {
    /// A plain one.
    Plain(PcfgConfig),
    /// One with sub-symbols, after all rounds.
    Latent(LatentConfig),
}

impl BaseGrammar {
    /// How it binarises trees.
    pub fn binarization(&self) -> Binarization {
        match self {
            Self::Plain(config) => config.binarization.clone(),
            Self::Latent(config) => Binarization { unaries: config.unaries, ..Binarization::x_bar() },
        }
    }
}

/// How weights are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Optimizer {
    /// Steps along the gradient, smaller for features that have moved much (Duchi et al. 2011).
    #[default]
    AdaGrad,
    /// Steps along the subgradient that get smaller with time (Shalev-Shwartz et al. 2007); margin only.
    Subgradient,
    /// A step of one from each wrong tree to the right one, averaged (Collins 2002); margin only.
    Perceptron,
    /// The smallest step that fixes the sentence, averaged (Crammer et al. 2006); margin only.
    PassiveAggressive,
    /// Dual mass moved between parses of one sentence at a time, with a bound on what is left to gain (Taskar et al. 2004); margin only.
    Smo,
}

/// What counts as an error of a parse.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Loss {
    /// Phrases, and parts of phrases, that the gold tree does not have.
    #[default]
    Phrases,
    /// Rules that the gold tree does not have at the same place.
    Rules,
}

/// Settings of training.
#[derive(Debug, Clone)]
pub struct CrfConfig {
    /// Which features there are. Default: `surface+grammar`.
    pub templates: CrfTemplates,
    /// What to aim at. Default: likelihood.
    pub objective: CrfObjective,
    /// How weights are found. Default: AdaGrad, which is for the likelihood; see [`CrfConfig::optimizer_for`].
    pub optimizer: Optimizer,
    /// What counts as an error. Default: phrases.
    pub loss: Loss,
    /// How much an error counts for the margin. Default: 1.
    pub loss_weight: f32,
    /// The grammar that says which parses are worth a look. Default: with sub-symbols, three rounds.
    pub base: BaseGrammar,
    /// In how many parts the treebank is cut so that what others think of a sentence comes from those that did not see it; 1 for no cutting. Default: 4.
    pub folds: usize,
    /// What the grammar leaves out.
    pub limits: ForestThresholds,
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
    /// What is added to the squares of a feature's gradients, so that those seen once or twice do not move far (AdaGrad). Default: 1.
    pub damping: f32,
    /// How many sentences make a step of AdaGrad. Default: 8.
    pub batch: usize,
    /// How much errors count against small weights, for the margin (C of the paper). All of these are tried, each from the beginning, and the best on
    /// the development trees is kept. Default: 1.
    pub c: Vec<f64>,
    /// How hard AdaGrad gradients weights to zero, in each step. Default: 1e-5.
    pub penalty: f32,
    /// Whether the objective of the margin is measured after each round, also where the optimizer does not need it. Default: no.
    pub measure_objective: bool,
    /// The duality gap, as a share of the primal objective, at which SMO ends. Default: 0.01.
    pub gap: f64,
    /// Decides the order of sentences.
    pub seed: u64,
    /// How the development trees are parsed.
    pub chart: ChartOptions,
}

impl Default for CrfConfig {
    fn default() -> Self {
        Self {
            templates: CrfTemplates::named("surface+grammar").expect("a set that ships"),
            objective: CrfObjective::default(),
            optimizer: Optimizer::default(),
            loss: Loss::default(),
            loss_weight: 1.0,
            base: BaseGrammar::Latent(LatentConfig { max_rounds: 3, ..LatentConfig::default() }),
            folds: 4,
            limits: ForestThresholds::default(),
            min_word_count: 30,
            min_feature_count: 2,
            clusters: None,
            max_epochs: 20,
            patience: 3,
            rate: 0.1,
            damping: 1.0,
            batch: 8,
            c: vec![1.0],
            penalty: 1e-5,
            measure_objective: false,
            gap: 0.01,
            seed: 0,
            chart: ChartOptions { decoder: Decoder::MaxRule, ..ChartOptions::default() },
        }
    }
}

impl CrfConfig {
    /// The optimizer to take where nobody says which: for the margin SMO, which is the first within 1% of the lowest objective and says so itself
    /// (record/2026-11-16-max-margin-2.md).
    pub fn optimizer_for(objective: CrfObjective) -> Optimizer {
        match objective {
            CrfObjective::Margin => Optimizer::Smo,
            CrfObjective::Likelihood => Optimizer::AdaGrad,
        }
    }

    /// In how many parts a treebank is best cut: in two as in the paper if a plain grammar or the flat classifier is heard; in one if nobody is heard who would have to be kept from seeing it, and nobody prunes who is surer than
    /// with other sentences. A grammar with sub-symbols that saw a sentence leaves hardly a wrong tag of it, and features then do not learn to
    /// avoid those (2 F1 with `surface`, record/2026-11-16-max-margin-2.md).
    pub fn folds_for(templates: &CrfTemplates, base: &BaseGrammar) -> usize {
        match base {
            BaseGrammar::Latent(_) => 4,
            BaseGrammar::Plain(_) if templates.use_posteriors() => 2,
            BaseGrammar::Plain(_) => 1,
        }
    }

    /// How many grammars are trained: one of all trees, and one for each part that did not see it if that is of use.
    pub(super) fn num_grammars(&self) -> usize {
        let is_of_use = self.templates.use_grammar() || self.cuts_forests();
        if self.folds > 1 && is_of_use { self.folds + 1 } else { 1 }
    }

    /// Whether the forest of a sentence comes from a grammar that did not see it. It does if the grammar's opinion of rules counts, and in all cases where
    /// symbols are few. Plain grammars of some of the trees lack many rules, which then get no weights and are free: 3 F1 with rules alone
    /// (record/2026-11-16-max-margin.md).
    pub(super) fn cuts_forests(&self) -> bool {
        self.templates.base_score() == BaseScore::Grammar || matches!(self.base, BaseGrammar::Latent(_))
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
        self.check_c()?;
        require((0.0..1.0).contains(&self.penalty), "a penalty from 0 to 1", self.penalty)?;
        require(self.gap >= 0.0, "a gap of at least 0", self.gap)?;
        require(self.loss_weight >= 0.0, "a weight of errors of at least 0", self.loss_weight)?;
        match &self.base {
            BaseGrammar::Plain(config) => config.lexicon.check(),
            BaseGrammar::Latent(config) => config.check(),
        }
    }

    fn check_c(&self) -> Result<()> {
        require(!self.c.is_empty(), "at least one C", "none")?;
        for (place, &c) in self.c.iter().enumerate() {
            require(c > 0.0 && c.is_finite(), "a C above 0", c)?;
            require(!self.c[..place].contains(&c), "each C once", c)?;
        }
        let is_of_use = self.c.len() == 1 || self.objective == CrfObjective::Margin;
        require(is_of_use, "the objective `margin` for several C", "`likelihood`")
    }
}
