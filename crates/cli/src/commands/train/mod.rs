//! `boughs train`: a model from a treebank.

mod boosted;
mod checkpoint;
mod columns;
mod conditional;
mod crf;
mod curves;
mod data;
mod epochs;
mod grammar;
mod monitor;
mod objective;
mod rounds;
mod settings;
mod stages;
mod tagger;
mod tags;
mod ticker;

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use boughs::model::About;
use clap::{Args, ValueEnum};

use crate::Outcome;
use crate::input::ReadArgs;
use crate::number;
use crate::threads::ThreadArgs;
use conditional::ConditionalArgs;
use crf::CrfArgs;
use grammar::GrammarArgs;
use settings::BoostedArgs;
use tagger::TaggerArgs;

/// Learn a parser or a tagger from a treebank
///
/// Every method reads training trees, measures on development trees, and writes one model file. Progress goes to standard error.
///
/// `--method latent` learns a grammar: symbols are split in two, again and again, as far as it pays (Petrov et al. 2006), and the number of rounds
/// that parses the development trees best is kept. It needs no tags to parse, trains in minutes and parses fast. With `--objective conditional` it learns
/// to tell the gold tree from the others, best from such a grammar on: `--start MODEL`. `--method pcfg` reads a plain grammar off the trees.
///
/// `--method crf` learns a grammar with features (Taskar et al. 2004, Hall et al. 2014): a grammar of the kinds above says which parses of a sentence are
/// worth a look, and weights of what is seen at each of their parts choose among them. It is more accurate than the grammar alone, and takes longer to train.
///
/// `--method boosted` learns a parser by classification (Turian & Melamed 2005, 2006): the penalty falls from stage to stage, and after
/// each the development trees are parsed; the stage that parses them best is kept, and training ends once it pays no more. By
/// default the parser learns from the tags of taggers that did not see the sentence, and a tagger is stored in the model, so that the
/// one file parses running text.
///
/// After every stage there is a checkpoint beside the model, MODEL.checkpoint; an interrupted run goes on from there with --resume and
/// ends with the same bytes.
#[derive(Debug, Args)]
pub(crate) struct TrainArgs {
    /// What to learn, and how
    #[arg(long, value_enum)]
    method: Method,

    /// Training trees: treebank files or directories (plain or .gz), `-` for standard input, `@sample` for the built-in treebank
    #[arg(long, value_name = "FILE", num_args = 1.., required = true)]
    train: Vec<PathBuf>,

    /// Development trees, to measure on and to choose the best model by
    #[arg(long, value_name = "FILE", num_args = 1..)]
    dev: Vec<PathBuf>,

    /// Write the model to this file
    #[arg(long, short = 'o', value_name = "MODEL")]
    out: PathBuf,

    /// Leave out sentences of more than N words, punctuation counted, from training and development. (The tagger inside a parser
    /// learns from all.)
    #[arg(long, value_name = "N", value_parser = number::within::<usize>(1..))]
    max_words: Option<usize>,

    /// Seed of everything random
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,

    #[command(flatten)]
    threads: ThreadArgs,

    /// Features. Boosted parsers: kitchen-sink, baseline, tm05, tm05-context-1, tm05-context-0, or a file of templates (docs/features.md) [default:
    /// kitchen-sink]. Max-margin: surface+grammar, surface, lexical+aux, lexical, basic, or a file of templates (docs/crf.md) [default:
    /// surface+grammar]
    #[arg(long, value_name = "NAME|FILE")]
    features: Option<PathBuf>,

    /// End after so many stages (boosted) or rounds (max-margin) without a better F1 [default: 3]
    #[arg(long, value_name = "N", value_parser = number::within::<usize>(1..))]
    patience: Option<usize>,

    /// Write curves into this directory, as SVG and CSV, beside those of other runs that are there. Boosted parsers: F1 against active features, and the
    /// margins of the classifiers. Max-margin, with --objective margin: the objective against CPU seconds
    #[arg(long, value_name = "DIR")]
    curves: Option<PathBuf>,

    /// What to aim at: joint or conditional (latent) [default: joint], margin or likelihood (max-margin) [default: likelihood]
    #[arg(long, value_enum, value_name = "NAME")]
    objective: Option<ObjectiveName>,

    /// Name of the model
    #[arg(long, value_name = "TEXT", help_heading = "Description")]
    name: Option<String>,

    /// Version of the model
    #[arg(long, value_name = "TEXT", help_heading = "Description")]
    model_version: Option<String>,

    /// What the model's users should know: data, licence, attribution
    #[arg(long, value_name = "TEXT", help_heading = "Description")]
    note: Option<String>,

    /// Go on from the checkpoint of an interrupted run, with the same files and options; --final-penalty may differ
    #[arg(long)]
    resume: bool,

    #[command(flatten)]
    boosted: BoostedArgs,

    #[command(flatten)]
    grammar: GrammarArgs,

    #[command(flatten)]
    crf: CrfArgs,

    #[command(flatten)]
    tagger: TaggerArgs,

    #[command(flatten)]
    read: ReadArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Method {
    /// A parser: boosted decision trees, a classifier for each label
    Boosted,
    /// A parser: a grammar whose symbols are split into sub-symbols by EM
    Latent,
    /// A parser: a grammar whose rules and phrases have features of the words around them
    Crf,
    /// A parser: a plain grammar, as rules are frequent in the trees
    Pcfg,
    /// A part-of-speech tagger
    Tagger,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ObjectiveName {
    /// Trees with their words are likely: EM
    Joint,
    /// Trees given their words are likely: a log-linear grammar
    Conditional,
    /// The gold tree is better than every other by a margin that grows with the errors of the other
    Margin,
    /// The gold tree is likely given its words
    Likelihood,
}

impl ObjectiveName {
    /// Whether a method can aim at it.
    fn is_of(self, method: Method) -> bool {
        match self {
            Self::Joint | Self::Conditional => method == Method::Latent,
            Self::Margin | Self::Likelihood => method == Method::Crf,
        }
    }
}

impl TrainArgs {
    fn is_conditional(&self) -> bool {
        self.objective == Some(ObjectiveName::Conditional)
    }

    /// What is known about the model before it is trained.
    fn about(&self) -> About {
        let mut about = About::new("");
        about.name = self.name.clone().unwrap_or_default();
        about.version = self.model_version.clone().unwrap_or_default();
        about.data = self.note.clone().unwrap_or_default();
        about.seed = self.seed;
        let method = self.method.to_possible_value().map_or_else(String::new, |it| it.get_name().to_owned());
        about.settings.insert("method".to_owned(), method);
        about
    }

    /// Refuses options of other methods.
    fn check_method(&self) -> Result<()> {
        let is_grammar = matches!(self.method, Method::Latent | Method::Crf | Method::Pcfg);
        let has_features = matches!(self.method, Method::Boosted | Method::Crf);
        if self.method != Method::Boosted && self.boosted != BoostedArgs::default() {
            bail!("there are options of a boosted parser, but another method was asked for: leave them out")
        }
        if self.resume && !matches!(self.method, Method::Boosted | Method::Latent | Method::Crf) {
            bail!("this method has no checkpoints to resume from: leave out --resume")
        }
        if !is_grammar && self.grammar != GrammarArgs::default() {
            bail!("there are options of a grammar, but another method was asked for: leave them out")
        }
        if !has_features && (self.features.is_some() || self.patience.is_some() || self.curves.is_some()) {
            bail!(
                "--features, --patience and --curves are for boosted and max-margin parsers: leave them out"
            )
        }
        if self.method != Method::Crf && self.crf != CrfArgs::default() {
            bail!(
                "there are options of a max-margin parser, but another method was asked for: leave them out"
            )
        }
        if self.objective.is_some_and(|objective| !objective.is_of(self.method)) {
            bail!(
                "expected an objective of the method: joint or conditional for latent, margin or likelihood for max-margin"
            )
        }
        if self.grammar.grammars.is_some() && (self.method != Method::Latent || self.is_conditional()) {
            bail!(
                "--grammars is for latent grammars with the joint objective: train others one by one, and put them together with `boughs model combine`"
            )
        }
        self.check_grammar_options()?;
        if !self.is_conditional() && self.grammar.conditional != ConditionalArgs::default() {
            bail!(
                "there are options of the conditional objective, but another was asked for: add --objective conditional"
            )
        }
        Ok(())
    }

    /// Options of grammars that the method would not look at.
    fn check_grammar_options(&self) -> Result<()> {
        let is_plain = match self.method {
            Method::Crf => self.crf.has_plain_base(),
            method => method == Method::Pcfg,
        };
        let unused = match (is_plain, self.is_conditional()) {
            (true, _) => self.grammar.option_of_em().or(self.grammar.option_of_splits()),
            (false, true) => self.grammar.option_of_plain().or(self.grammar.option_of_em()),
            (false, false) => self.grammar.option_of_plain(),
        };
        match unused {
            Some(option) => bail!("{option} is not for grammars of this kind (docs/train.md): leave it out"),
            None => Ok(()),
        }
    }
}

/// Hours of work must not be lost by a slip of the pen.
fn check_out(model: &Path) -> Result<()> {
    if model.is_dir() {
        bail!("--out {}: expected a file to write, found a directory: name a file in it", model.display())
    }
    // The directory of a mere name is the current one.
    match model.parent().filter(|directory| !directory.as_os_str().is_empty()) {
        Some(directory) if !directory.is_dir() => {
            bail!("--out {}: there is no directory {}: make it first", model.display(), directory.display())
        }
        _ => Ok(()),
    }
}

/// The directory is made when it is needed, unless a file is in the way.
fn check_curves(directory: &Path) -> Result<()> {
    match directory.ancestors().find(|path| path.exists()) {
        Some(path) if !path.is_dir() => {
            bail!("--curves {}: {} is a file: name a directory", directory.display(), path.display())
        }
        _ => Ok(()),
    }
}

pub(crate) fn run(args: &TrainArgs) -> Result<Outcome> {
    let pool = args.threads.pool()?;
    args.check_method()?;
    check_out(&args.out)?;
    args.curves.as_deref().map_or(Ok(()), check_curves)?;
    match args.method {
        Method::Boosted => pool.install(|| boosted::train(args)),
        Method::Latent if args.is_conditional() => pool.install(|| conditional::train(args)),
        Method::Latent => pool.install(|| grammar::train_latent(args)),
        Method::Crf => pool.install(|| crf::train(args)),
        Method::Pcfg => pool.install(|| grammar::train_pcfg(args)),
        Method::Tagger => pool.install(|| tagger::train(args)),
    }
}
