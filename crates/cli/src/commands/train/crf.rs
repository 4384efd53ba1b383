//! `boughs train crf`: chart parsers with features.

use std::path::PathBuf;

use anyhow::{Result, bail};
use boughs::chart::Decoder;
use boughs::model::{CRF_TEMPLATE_SETS, CrfObjective};
use boughs::train::{Annotations, BaseGrammar, CrfConfig, LatentConfig, Loss, Optimizer, PcfgConfig};
use boughs::tree::Unaries;
use clap::Args;

use super::common::Common;
use super::grammar::UNARIES;
use crate::chart::DECODERS;
use crate::choice::{Choices, Variants, choice, variant};
use crate::number;
use crate::training::{flags, named_or_read, read_text, set};

/// A parser: a grammar whose rules and phrases have features of the words around them
///
/// A base grammar says which parses of a sentence are worth a look, and weights of features choose among them (Taskar
/// et al. 2004, Hall et al. 2014). It is more accurate than the grammar alone, and takes longer to train. Other
/// settings of the base grammar go into the file of --config, under `[base.latent]` or `[base.pcfg]`.
#[derive(Debug, Args)]
pub(super) struct CrfArgs {
    #[command(flatten)]
    pub(super) common: Common,

    /// Whose settings to start from
    #[arg(long, value_name = "PAPER", value_parser = choice(PRESETS))]
    preset: Option<fn() -> CrfConfig>,

    /// Features: surface+grammar, surface, lexical+aux, lexical, basic, or a file (docs/crf.md)
    #[arg(long, value_name = "NAME|FILE")]
    features: Option<PathBuf>,

    /// What to aim at [default: likelihood]
    #[arg(long, value_name = "NAME", value_parser = variant::<CrfObjective>(OBJECTIVES))]
    objective: Option<CrfObjective>,

    /// How weights are found [default: adagrad; smo for the margin]
    #[arg(long, value_name = "NAME", value_parser = variant::<Optimizer>(OPTIMIZERS))]
    optimizer: Option<Optimizer>,

    /// The base grammar [default: latent]
    #[arg(long, value_name = "NAME", value_parser = choice(BASES))]
    base: Option<fn() -> BaseGrammar>,

    /// Rounds of splitting of a latent base grammar [default: 3]
    #[arg(long, value_name = "N", value_parser = number::within::<usize>(1..))]
    rounds: Option<usize>,

    /// Annotations of the symbols of a plain base grammar, as `klein-manning`; features speak of these
    #[arg(long, value_name = "NAMES", value_parser = |names: &str| names.parse::<Annotations>())]
    annotations: Option<Annotations>,

    /// What becomes of a phrase whose only child is a phrase [default: rules]
    #[arg(long, value_name = "NAME", value_parser = variant::<Unaries>(UNARIES))]
    unaries: Option<Unaries>,

    /// Folds of the treebank, each seen by models of the others; 1 for none [default: 4; pcfg 2 or 1]
    #[arg(long, value_name = "N", value_parser = number::within::<usize>(1..))]
    folds: Option<usize>,

    /// What counts as an error of a parse, for the margin [default: phrases]
    #[arg(long, value_name = "NAME", value_parser = variant::<Loss>(LOSSES), hide_short_help = true)]
    loss: Option<Loss>,

    /// How much an error counts for the margin [default: 1]
    #[arg(long, value_name = "X", hide_short_help = true)]
    loss_weight: Option<f32>,

    /// Look at all parses of the base grammar, in training and parsing: for short sentences
    #[arg(long, conflicts_with_all = ["phrase_threshold", "rule_threshold"], hide_short_help = true)]
    unpruned: bool,

    /// Leave out phrases with a log-posterior below X in the base grammar [default: -6]
    #[arg(long, value_name = "X", hide_short_help = true)]
    phrase_threshold: Option<f32>,

    /// Leave out rules at a place with a log-posterior below X [default: -8]
    #[arg(long, value_name = "X", hide_short_help = true)]
    rule_threshold: Option<f32>,

    /// Words and endings that occur less often are seen by shorter endings [default: 30]
    #[arg(long, value_name = "N", value_parser = number::within::<u32>(1..))]
    min_word_count: Option<u32>,

    /// Leave out features that occur in the forests of fewer sentences [default: 2]
    #[arg(long, value_name = "N", value_parser = number::within::<u32>(1..), hide_short_help = true)]
    min_feature_count: Option<u32>,

    /// Clusters of words: a file with a word, a tab and its cluster in each line
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    clusters: Option<PathBuf>,

    /// The most epochs [default: 20]
    #[arg(long = "epochs", value_name = "N", value_parser = number::within::<usize>(1..))]
    max_epochs: Option<usize>,

    /// End after so many epochs without a better F1 [default: 3]
    #[arg(long, value_name = "N", value_parser = number::within::<usize>(1..))]
    patience: Option<usize>,

    /// How far a step goes (adagrad) [default: 0.1]
    #[arg(long, value_name = "X", hide_short_help = true)]
    rate: Option<f32>,

    /// Added to the squared gradients of a feature (adagrad) [default: 1]
    #[arg(long, value_name = "X", hide_short_help = true)]
    damping: Option<f32>,

    /// How many sentences make a step (adagrad, subgradient) [default: 8]
    #[arg(long, value_name = "N", value_parser = number::within::<usize>(1..), hide_short_help = true)]
    batch: Option<usize>,

    /// How hard weights are pulled to zero (adagrad) [default: 1e-5]
    #[arg(long, value_name = "X", hide_short_help = true)]
    penalty: Option<f32>,

    /// What errors cost against large weights (C); of several, the best is kept [default: 1]
    #[arg(long = "error-cost", value_name = "X,…", value_delimiter = ',')]
    error_costs: Option<Vec<f64>>,

    /// The duality gap, as a share of the objective, at which smo ends [default: 0.01]
    #[arg(long, value_name = "X", hide_short_help = true)]
    gap: Option<f64>,

    /// The share of sentences that are learned in lower case, in Title Case or in CAPITALS [default: 0]
    #[arg(long, value_name = "X")]
    recase: Option<f32>,

    /// Which tree of a forest is the best [default: max-rule]
    #[arg(long, value_name = "NAME", value_parser = variant::<Decoder>(DECODERS))]
    decoder: Option<Decoder>,

    /// Learn a tagger too, and store it in the model, for `boughs tag`
    #[arg(long)]
    with_tagger: bool,
}

const PRESETS: Choices<fn() -> CrfConfig> =
    &[("mmp04", "Taskar et al. 2004: structured SMO of the margin, annotated symbols", CrfConfig::mmp04)];

const OBJECTIVES: Variants = &[
    ("likelihood", "The gold tree is likely given its words"),
    (
        "margin",
        "The gold tree is better than every other by a margin that grows with the errors of the other",
    ),
];

const OPTIMIZERS: Variants = &[
    ("adagrad", "Steps along the gradient, smaller for features that have moved much"),
    ("subgradient", "Steps along the subgradient that get smaller with time; for the margin"),
    ("perceptron", "A step of one for each wrong tree, averaged; for the margin"),
    ("passive-aggressive", "The smallest step that corrects the sentence, averaged; for the margin"),
    (
        "smo",
        "Dual mass moved between the parses of one sentence at a time, with the duality gap; for the margin",
    ),
];

const BASES: Choices<fn() -> BaseGrammar> = &[
    ("pcfg", "Plain", || BaseGrammar::Pcfg(PcfgConfig::default())),
    ("latent", "With latent subcategories", || CrfConfig::default().base),
];

const LOSSES: Variants = &[
    ("phrases", "Phrases that the gold tree does not have"),
    ("rules", "Rules that the gold tree does not have at the same place"),
];

impl CrfArgs {
    pub(super) fn recipe(&self) -> Result<CrfConfig> {
        let mut config = self.preset.map_or_else(CrfConfig::default, |preset| preset());
        set(&mut config.base, self.base.map(|base| base()));
        let mut config = self.common.settings(config, flags!(self; loss, loss_weight, min_word_count, min_feature_count, max_epochs, patience, rate, damping, batch, penalty, error_costs, gap, recase))?;
        self.change_base(&mut config.base)?;
        set(&mut config.features, named_or_read(self.features.as_deref(), &CRF_TEMPLATE_SETS)?);
        if let Some(objective) = self.objective {
            config.objective = objective;
            config.optimizer = CrfConfig::optimizer_for(objective);
        }
        set(&mut config.optimizer, self.optimizer);
        // The best number of folds depends on features and base grammar, unless somebody says how many.
        if self.common.run.config.is_none() && self.preset.is_none() {
            config.folds = CrfConfig::folds_for(&config.features, &config.base);
        }
        set(&mut config.folds, self.folds);
        set(&mut config.thresholds.phrases, self.phrase_threshold);
        set(&mut config.thresholds.rules, self.rule_threshold);
        set(&mut config.options.decoder, self.decoder);
        if self.unpruned {
            config = config.unpruned();
        }
        set(&mut config.seed, self.common.run.seed);
        set(&mut config.tagger.seed, self.common.run.seed);
        set(&mut config.clusters, self.clusters.as_deref().map(read_text).transpose()?.map(Some));
        config.with_tagger |= self.with_tagger;
        config.measure_objective |=
            self.common.run.curves.is_some() && config.objective == CrfObjective::Margin;
        Ok(config)
    }

    fn change_base(&self, base: &mut BaseGrammar) -> Result<()> {
        match base {
            BaseGrammar::Pcfg(_) if self.rounds.is_some() => {
                bail!("--rounds is for a latent base grammar: leave it out")
            }
            BaseGrammar::Pcfg(PcfgConfig { unaries, annotations, .. }) => {
                set(unaries, self.unaries);
                set(annotations, self.annotations.clone());
            }
            BaseGrammar::Latent(_) if self.annotations.is_some() => {
                bail!("--annotations is for a plain base grammar: add --base pcfg")
            }
            BaseGrammar::Latent(LatentConfig { unaries: old, max_rounds, seed, .. }) => {
                set(old, self.unaries);
                set(max_rounds, self.rounds);
                set(seed, self.common.run.seed);
            }
        }
        Ok(())
    }
}
