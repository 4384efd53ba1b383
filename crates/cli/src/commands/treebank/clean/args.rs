//! What `boughs treebank clean` can be told, and the pipeline that this makes.

use std::path::PathBuf;

use anyhow::Result;
use boughs::tree::transform::{Counting, PIPELINES, Pipeline, RootStep, TagSet, TransformStep};
use clap::builder::PossibleValuesParser;
use clap::{Args, ValueEnum};

use crate::input::InputArgs;
use crate::number;

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
    choice: ChoiceArgs,

    #[command(flatten)]
    labels: LabelArgs,

    #[command(flatten)]
    tokens: TokenArgs,

    #[command(flatten)]
    pub(super) words: WordArgs,

    #[command(flatten)]
    pub(super) output: OutputArgs,
}

/// What `--steps` does not go with: `--pipeline`, and the groups of flags that are steps.
const OTHER_CHOICES: [&str; 4] = ["pipeline", "LabelArgs", "TokenFlags", "WordFlags"];

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
    #[arg(long, value_name = "LIST", conflicts_with_all = OTHER_CHOICES)]
    steps: Option<String>,

    /// List the pipelines and all steps, and exit
    #[arg(long)]
    list: bool,
}

#[derive(Args)]
#[command(next_help_heading = "Labels and structure")]
struct LabelArgs {
    /// Strip function tags and indices: NP-SBJ-1 and NP=2 become NP
    #[arg(long)]
    strip_functions: bool,

    /// Keep the first of alternative labels: ADVP|PRT becomes ADVP
    #[arg(long)]
    strip_alternatives: bool,

    /// Rename PRT to ADVP
    #[arg(long)]
    prt_to_advp: bool,

    /// Remove phrases over a phrase with the same label and tokens, such as (NP (NP …))
    #[arg(long)]
    remove_unary_to_self: bool,

    /// Give all trees a root with this label; `none` takes the root off, `keep` leaves it
    #[arg(long, value_name = "LABEL", default_value = "keep", hide_default_value = true)]
    root: String,
}

#[derive(Args)]
#[command(next_help_heading = "Tokens")]
struct TokenArgs {
    #[command(flatten)]
    flags: TokenFlags,

    /// The tags of punctuation, with blanks between them
    #[arg(long, value_name = "TAGS", default_value = ": , . `` ''")]
    punctuation_tags: String,

    /// The tags of quotation marks, with blanks between them
    #[arg(long, value_name = "TAGS", default_value = "`` ''")]
    quote_tags: String,
}

#[derive(Args)]
struct TokenFlags {
    /// Remove traces (tokens tagged -NONE-) and phrases left empty
    #[arg(long)]
    remove_traces: bool,

    /// Remove quotation marks
    #[arg(long)]
    remove_quotes: bool,

    /// Remove punctuation at the beginning and the end of the sentence
    #[arg(long)]
    remove_outer_punctuation: bool,

    /// Move punctuation up from the edges of phrases
    #[arg(long)]
    raise_punctuation: bool,

    /// Drop sentences of more than N tokens; punctuation counts, traces do not
    #[arg(long, value_name = "N", value_parser = number::within::<usize>(0..))]
    max_length: Option<usize>,
}

#[derive(Args)]
#[command(next_help_heading = "Words")]
pub(super) struct WordArgs {
    #[command(flatten)]
    flags: WordFlags,

    /// Replace words that are not in this list, one word a line, instead of counting
    #[arg(long, value_name = "FILE")]
    pub(super) vocabulary: Option<PathBuf>,

    /// Count words in this treebank instead of the input; may be repeated
    #[arg(long, value_name = "FILE", conflicts_with = "vocabulary")]
    pub(super) training: Vec<PathBuf>,

    /// What makes a word frequent
    #[arg(long, value_enum, value_name = "WHAT", default_value_t)]
    count: CountArg,

    /// The word that stands for rare ones
    #[arg(long, value_name = "WORD", default_value = "UNK")]
    unknown_word: String,
}

#[derive(Args)]
struct WordFlags {
    /// Write words in lower case
    #[arg(long)]
    lowercase: bool,

    /// Undo the escapes of the Wall Street Journal's files: 1\/2 becomes 1/2, \* becomes *
    #[arg(long)]
    unescape_slashes: bool,

    /// Replace words that occur fewer than N times, after the steps before; reads the files twice
    #[arg(long, value_name = "N", value_parser = number::within::<u64>(0..))]
    replace_rare: Option<u64>,
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

#[derive(Debug, Clone, Copy, Default, ValueEnum)]
enum CountArg {
    /// All its occurrences
    #[default]
    Tokens,
    /// The sentences it occurs in
    Sentences,
}

impl CleanArgs {
    /// Whether only the list of pipelines is wanted.
    pub(super) fn wants_list(&self) -> bool {
        self.choice.list
    }

    /// The pipeline asked for, still without a vocabulary.
    pub(super) fn pipeline(&self) -> Result<Pipeline> {
        let mut pipeline = self.choice.pipeline()?;
        let flags = self.labels.steps().into_iter().chain(self.tokens.flags.steps());
        for step in flags.chain(self.words.steps(&pipeline)) {
            pipeline.insert(step);
        }
        pipeline.settings.punctuation = TagSet::parse(&self.tokens.punctuation_tags);
        pipeline.settings.quotes = TagSet::parse(&self.tokens.quote_tags);
        pipeline.settings.unknown.clone_from(&self.words.unknown_word);
        pipeline.settings.counting = match self.words.count {
            CountArg::Tokens => Counting::Tokens,
            CountArg::Sentences => Counting::Sentences,
        };
        Ok(pipeline)
    }
}

impl ChoiceArgs {
    fn pipeline(&self) -> Result<Pipeline> {
        Ok(match (&self.pipeline, &self.steps) {
            (Some(name), _) => Pipeline::named(name).unwrap_or_default(),
            (None, Some(steps)) => Pipeline::parse(steps)?,
            (None, None) => Pipeline::default(),
        })
    }
}

impl LabelArgs {
    fn steps(&self) -> Vec<TransformStep> {
        let mut steps = chosen([
            (self.strip_functions, TransformStep::StripFunctions),
            (self.strip_alternatives, TransformStep::StripAlternatives),
            (self.prt_to_advp, TransformStep::PrtToAdvp),
            (self.remove_unary_to_self, TransformStep::RemoveUnaryToSelf),
        ]);
        if self.root != "keep" {
            steps.push(TransformStep::Root(RootStep::from(self.root.as_str())));
        }
        steps
    }
}

impl TokenFlags {
    fn steps(&self) -> Vec<TransformStep> {
        let mut steps = chosen([
            (self.remove_traces, TransformStep::RemoveTraces),
            (self.remove_quotes, TransformStep::RemoveQuotes),
            (self.remove_outer_punctuation, TransformStep::RemoveOuterPunctuation),
            (self.raise_punctuation, TransformStep::RaisePunctuation),
        ]);
        steps.extend(self.max_length.map(TransformStep::MaxLength));
        steps
    }
}

impl WordArgs {
    fn steps(&self, pipeline: &Pipeline) -> Vec<TransformStep> {
        let flags = &self.flags;
        let mut steps = chosen([
            (flags.lowercase, TransformStep::Lowercase),
            (flags.unescape_slashes, TransformStep::UnescapeSlashes),
        ]);
        // With a list of words nothing is counted, so any count will do.
        let listed = self.vocabulary.is_some() && pipeline.min_count().is_none();
        steps.extend(flags.replace_rare.or(listed.then_some(1)).map(TransformStep::ReplaceRare));
        steps
    }
}

fn chosen<const N: usize>(flags: [(bool, TransformStep); N]) -> Vec<TransformStep> {
    flags.into_iter().filter_map(|(is_chosen, step)| is_chosen.then_some(step)).collect()
}
