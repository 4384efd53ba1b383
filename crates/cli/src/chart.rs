//! The arguments by which verbs take a way to parse with a grammar.

use boughs::chart::{ChartOptions, Decoder};
use clap::{Args, ValueEnum};

use crate::choice::{Variants, variant};
use crate::number;

#[derive(Debug, Clone, Default, PartialEq, Args)]
pub(crate) struct ChartArgs {
    /// Which tree is the best [default: max-rule]
    #[arg(long, help_heading = "Grammars", value_name = "NAME", value_parser = variant::<Decoder>(DECODERS))]
    decoder: Option<Decoder>,

    /// What is not looked at, since a coarser grammar finds it unlikely [default: fast]
    #[arg(long, help_heading = "Grammars", value_enum, value_name = "NAME")]
    pruning: Option<Pruning>,

    /// The same by numbers: at each level the logarithm of the probability, given the sentence, below which a substate
    /// is not looked at in the next; the last one stands for all that follow [default: -8,-9.75,-10,-9.6,-9.66,-8.01]
    #[arg(long, help_heading = "Grammars", value_name = "X,X,...", value_delimiter = ',', allow_hyphen_values = true, value_parser = number::sound("the logarithm of a probability, 0 or less", |it: &f32| *it <= 0.0))]
    thresholds: Option<Vec<f32>>,

    /// How often the tags of the input are right: at 1 they are kept, below the grammar may choose others (`--retag`
    /// forgets them) [default: 1]
    #[arg(long, help_heading = "Grammars", value_name = "SHARE", value_parser = number::sound("a number above 0 and up to 1", |it: &f32| *it > 0.0 && *it <= 1.0))]
    tag_prior: Option<f32>,

    /// The power of a tagger's posteriors, if there is one (in the model, or `--tagger`); 0 for none [default: 0.35]
    #[arg(long, help_heading = "Grammars", value_name = "X", value_parser = number::sound("a number of at least 0", |it: &f32| *it >= 0.0 && it.is_finite()))]
    tagger_weight: Option<f32>,
}

pub(crate) const DECODERS: Variants = &[
    ("max-rule", "The tree whose rules have the highest product of probabilities, given the sentence"),
    ("viterbi", "The tree of the most likely derivation"),
    ("max-rule-sum", "The tree with the highest expected number of correct rules"),
    ("max-recall", "The tree with the highest expected number of correct phrases"),
];

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Pruning {
    /// As much as costs next to nothing
    Fast,
    /// Less
    Accurate,
    /// Nothing at all: slow
    None,
}

impl ChartArgs {
    /// The flags that were given.
    pub(crate) fn given(&self) -> Vec<&'static str> {
        let flags = [
            ("--decoder", self.decoder.is_some()),
            ("--pruning", self.pruning.is_some()),
            ("--thresholds", self.thresholds.is_some()),
            ("--tag-prior", self.tag_prior.is_some()),
            ("--tagger-weight", self.tagger_weight.is_some()),
        ];
        flags.into_iter().filter_map(|(flag, is_given)| is_given.then_some(flag)).collect()
    }

    /// The options asked for; what is not said is as in `default`.
    pub(crate) fn options(&self, default: ChartOptions) -> ChartOptions {
        let mut options = default;
        if let Some(pruning) = self.pruning {
            let ChartOptions { thresholds, beam, .. } = match pruning {
                Pruning::Fast => ChartOptions::default(),
                Pruning::Accurate => ChartOptions::accurate(),
                Pruning::None => ChartOptions::exact(),
            };
            options = ChartOptions { thresholds, beam, ..options };
        }
        ChartOptions {
            decoder: self.decoder.unwrap_or(options.decoder),
            tag_prior: self.tag_prior.unwrap_or(options.tag_prior),
            tagger_weight: self.tagger_weight.unwrap_or(options.tagger_weight),
            thresholds: self.thresholds.clone().unwrap_or(options.thresholds),
            ..options
        }
    }
}
