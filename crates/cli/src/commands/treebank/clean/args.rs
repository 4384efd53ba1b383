//! What `boughs treebank clean` can be told, and the pipeline that this makes.

use std::path::PathBuf;

use anyhow::Result;
use boughs::tree::profile::Profile;
use boughs::tree::transform::{Counting, PIPELINES, Pipeline, TagSet, TransformStep};
use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};

use crate::choice::{Choices, choice};
use crate::input::InputArgs;
use crate::profile::ProfileArgs;

const EXAMPLES: &str = "\
Examples:
  boughs treebank clean --strip-functions --remove-traces wsj/
  boughs treebank clean --pipeline tm06 --max-length 15 --root TOP train.mrg
  boughs treebank clean --pipeline tm05 --training train.mrg dev.mrg";

/// Clean a treebank: strip labels, remove tokens, raise punctuation, replace words
///
/// Writes one tree a line. Every step is a flag of its own; the flags given are applied in the order in which
/// they fit together, whatever the order on the command line. `--pipeline` names a whole list of steps, to
/// which flags can be added; `--steps` gives a list in an order of your own. `--list` shows them all.
///
/// A tree that has no tokens left is written as `()`, so that lines stay aligned with the input. Only
/// `--max-length` drops trees.
#[derive(Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct CleanArgs {
    #[command(flatten)]
    pub(super) input: InputArgs,

    #[command(flatten)]
    pub(super) profile: ProfileArgs,

    #[command(flatten)]
    choice: ChoiceArgs,

    #[command(flatten)]
    flags: StepFlags,

    #[command(flatten)]
    tokens: TokenArgs,

    #[command(flatten)]
    pub(super) words: WordArgs,

    #[command(flatten)]
    pub(super) output: OutputArgs,
}

fn pipeline_names() -> PossibleValuesParser {
    PossibleValuesParser::new(PIPELINES.map(|(name, _, _)| name))
}

#[derive(Args)]
#[command(next_help_heading = "Pipelines")]
struct ChoiceArgs {
    /// Apply a named list of steps, e.g. the preprocessing of a paper; more flags add to it
    #[arg(long, value_name = "NAME", value_parser = pipeline_names())]
    pipeline: Option<String>,

    /// Apply these steps in this order, e.g. remove-traces,max-length=40,root=TOP
    #[arg(long, value_name = "LIST", conflicts_with = "pipeline")]
    steps: Option<String>,

    /// List the pipelines and all steps, and exit
    #[arg(long)]
    list: bool,
}

/// A flag for each step that there is.
struct StepFlags(Vec<TransformStep>);

impl StepFlags {
    /// The names of steps, the parameters that some have, and what they do.
    fn all() -> impl Iterator<Item = (&'static str, Option<&'static str>, &'static str)> {
        TransformStep::ALL.into_iter().map(|(_, written, description)| match written.split_once('=') {
            Some((name, parameter)) => (name, Some(parameter), description),
            None => (written, None, description),
        })
    }
}

impl Args for StepFlags {
    fn augment_args(command: Command) -> Command {
        let flag = |(name, parameter, description): (&'static str, Option<&'static str>, _)| {
            let arg =
                Arg::new(name).long(name).help(description).help_heading("Steps").conflicts_with("steps");
            let step = move |value: &str| format!("{name}={value}").parse::<TransformStep>();
            match parameter {
                Some(parameter) => arg.value_name(parameter).value_parser(step),
                None => arg.action(ArgAction::SetTrue),
            }
        };
        command.args(Self::all().map(flag))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for StepFlags {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let step = |(name, parameter, _): (&'static str, Option<_>, _)| match parameter {
            Some(_) => matches.get_one::<TransformStep>(name).cloned(),
            None => matches.get_flag(name).then(|| name.parse().ok()).flatten(),
        };
        Ok(Self(Self::all().filter_map(step).collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

#[derive(Args)]
#[command(next_help_heading = "Tokens")]
struct TokenArgs {
    /// The tags of punctuation, with blanks between them [default: those of the profile]
    #[arg(long, value_name = "TAGS")]
    punctuation_tags: Option<String>,

    /// The tags of quotation marks, with blanks between them
    #[arg(long, value_name = "TAGS", default_value = "`` ''")]
    quote_tags: String,
}

#[derive(Args)]
#[command(next_help_heading = "Words")]
pub(super) struct WordArgs {
    /// Replace words that are not in this list, one word a line, instead of counting
    #[arg(long, value_name = "FILE")]
    pub(super) vocabulary: Option<PathBuf>,

    /// Count words in this treebank instead of the input; may be repeated
    #[arg(long, value_name = "FILE", conflicts_with = "vocabulary")]
    pub(super) training: Vec<PathBuf>,

    /// What makes a word frequent
    #[arg(long, value_name = "WHAT", default_value = "tokens", value_parser = choice(COUNTINGS))]
    count: Counting,

    /// The word that stands for rare ones
    #[arg(long, value_name = "WORD", default_value = "UNK")]
    unknown_word: String,
}

#[derive(Args)]
#[command(next_help_heading = "Output")]
pub(super) struct OutputArgs {
    /// Write trees indented, over several lines
    #[arg(long)]
    pub(super) pretty: bool,

    /// Say at the end how many trees were changed, left empty and dropped
    #[arg(long, short)]
    pub(super) verbose: bool,
}

const COUNTINGS: Choices<Counting> = &[
    ("tokens", "All its occurrences", Counting::Tokens),
    ("sentences", "The sentences it occurs in", Counting::Sentences),
];

impl CleanArgs {
    /// Whether only the list of pipelines is wanted.
    pub(super) fn wants_list(&self) -> bool {
        self.choice.list
    }

    /// The pipeline asked for, still without a vocabulary.
    pub(super) fn pipeline(&self, profile: Profile) -> Result<Pipeline> {
        let mut pipeline = self.choice.pipeline()?;
        // `--root keep` leaves the root as it is, in whatever pipeline.
        for step in self.flags.0.iter().filter(|step| step.to_string() != "root=keep") {
            pipeline.insert(step.clone());
        }
        // With a list of words nothing is counted, so any count will do.
        if self.words.vocabulary.is_some() && pipeline.min_count().is_none() {
            pipeline.insert(TransformStep::ReplaceRare(1));
        }
        let tags = self.tokens.punctuation_tags.as_deref();
        pipeline.settings.punctuation = tags.map_or_else(|| profile.punctuation(), TagSet::parse);
        pipeline.settings.profile = profile;
        pipeline.settings.quotes = TagSet::parse(&self.tokens.quote_tags);
        pipeline.settings.unknown.clone_from(&self.words.unknown_word);
        pipeline.settings.counting = self.words.count;
        Ok(pipeline)
    }
}

impl ChoiceArgs {
    fn pipeline(&self) -> Result<Pipeline> {
        let steps = self.pipeline.as_ref().or(self.steps.as_ref());
        Ok(steps.map_or_else(|| Ok(Pipeline::default()), |steps| steps.parse())?)
    }
}
