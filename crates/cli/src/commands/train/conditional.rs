//! `--method latent --objective conditional`: log-linear grammars with sub-symbols.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use boughs::model::{About, GrammarModel, ModelFile};
use boughs::train::latent::{
    ConditionalCheckpoint, ConditionalConfig, ConditionalEvent, Penalty, Start, TrainedConditional,
    conditional_fingerprint, train_conditional,
};
use boughs::train::pcfg::{self, PcfgConfig};
use boughs::train::{GrammarScores, LexiconConfig};
use boughs::tree::Binarization;
use clap::Args;

use super::checkpoint::{self, Keeper};
use super::data::Data;
use super::stages::Stages;
use super::{TrainArgs, grammar};
use crate::Outcome;
use crate::commands::model::splits;
use crate::number;
use crate::output::report;

#[derive(Debug, Clone, Default, PartialEq, Args)]
#[command(next_help_heading = "Grammars, conditional objective")]
pub(super) struct ConditionalArgs {
    /// The grammar to start from: `treebank` for rules as they are frequent, `scratch` for rules all alike, or a model of
    /// `--method latent` from the same trees [default: treebank]
    #[arg(long, value_name = "NAME|MODEL")]
    start: Option<PathBuf>,

    /// How often all symbols are split in two [default: 0 from a model, else 3]
    #[arg(long, value_name = "N", value_parser = number::within::<usize>(0..=6))]
    splits: Option<usize>,

    /// Parameters cost this factor times their sizes, so that most are zero [default: 2]
    #[arg(long, value_name = "X", conflicts_with = "l2")]
    l1: Option<f64>,

    /// Parameters cost this factor times their squares; 0 for nothing
    #[arg(long, value_name = "X")]
    l2: Option<f64>,

    /// The most iterations of L-BFGS or OWL-QN after each split [default: 100]
    #[arg(long, value_name = "N", value_parser = number::within::<u64>(1..))]
    max_iterations: Option<u64>,
}

impl ConditionalArgs {
    fn config(&self, args: &TrainArgs, lexicon: LexiconConfig) -> ConditionalConfig {
        let mut config = ConditionalConfig {
            lexicon,
            unaries: args.grammar.unaries(),
            seed: args.seed,
            ..ConditionalConfig::default()
        };
        config.start = if self.name() == Some("scratch") { Start::Scratch } else { Start::Base };
        let is_named = matches!(self.name(), None | Some("treebank" | "scratch"));
        config.max_splits = self.splits.unwrap_or(if is_named { 3 } else { 0 });
        config.penalty = match (self.l1, self.l2) {
            (_, Some(factor)) => Penalty::L2(factor),
            (Some(factor), None) => Penalty::L1(factor),
            (None, None) => config.penalty,
        };
        config.merge_share = args.grammar.merge.unwrap_or(config.merge_share);
        config.max_iterations = self.max_iterations.unwrap_or(config.max_iterations);
        config
    }

    fn name(&self) -> Option<&str> {
        self.start.as_deref().and_then(Path::to_str)
    }

    /// The grammar to start from.
    fn base(&self, data: &Data, config: &ConditionalConfig) -> Result<GrammarModel> {
        match &self.start {
            Some(path) if !matches!(self.name(), Some("treebank" | "scratch")) => {
                let file = ModelFile::load(path)?;
                GrammarModel::from_file(&file).with_context(|| path.display().to_string())
            }
            _ => {
                let binarization = Binarization { unaries: config.unaries, ..Binarization::x_bar() };
                let lexicon = config.lexicon.clone();
                let config = PcfgConfig { binarization, lexicon, ..PcfgConfig::default() };
                Ok(pcfg::train(&data.train, &config)?)
            }
        }
    }
}

pub(super) fn train(args: &TrainArgs) -> Result<Outcome> {
    let config = args.grammar.conditional.config(args, args.grammar.lexicon()?);
    config.check()?;
    let checkpoint = checkpoint::path(&args.out);
    checkpoint::check(&checkpoint, args.resume)?;
    let mut data = Data::read(args)?;
    data.limit(args.max_words);
    let base = args.grammar.conditional.base(&data, &config)?;
    let Some(trained) = run(&data, &base, &config, &checkpoint, args.resume)? else {
        return Ok(Outcome::Interrupted);
    };
    let mut about = args.about();
    describe(&mut about, &config, &trained);
    let outcome = grammar::save(args, about, &data, vec![trained.model])?;
    checkpoint::remove(&checkpoint)?;
    Ok(outcome)
}

/// Trains to the end; nothing if the user interrupted it.
fn run(
    data: &Data,
    base: &GrammarModel,
    config: &ConditionalConfig,
    checkpoint: &Path,
    is_resumed: bool,
) -> Result<Option<TrainedConditional>> {
    let run = conditional_fingerprint(&data.train, &data.dev, base, config)?;
    let resume =
        checkpoint::load(checkpoint, is_resumed, |file| ConditionalCheckpoint::from_file(file, &run))?;
    let keeper = Keeper::new(checkpoint)?;
    let resumed = resume.as_ref().map_or(&[][..], |resume| &resume.points);
    let num_times = if config.merge_share > 0.0 { 2 } else { 1 };
    let mut stages = Stages::new(config.max_splits + 1, num_times * config.max_iterations, resumed)?;
    let trained = train_conditional(&data.train, &data.dev, base, config, resume, |event| {
        stages.see(&event);
        if let ConditionalEvent::Stage { checkpoint: state, .. } = &event {
            keeper.save(state.to_file(&run));
        }
        keeper.flow()
    });
    stages.finish();
    keeper.finish(trained)
}

fn describe(about: &mut About, config: &ConditionalConfig, trained: &TrainedConditional) {
    let mut set = |name: &str, value: String| _ = about.settings.insert(name.to_owned(), value);
    set("objective", "conditional".to_owned());
    match config.penalty {
        Penalty::None => {}
        Penalty::L1(factor) => set("l1", factor.to_string()),
        Penalty::L2(factor) => set("l2", factor.to_string()),
    }
    if config.merge_share > 0.0 {
        let stages = trained.points.iter().take(trained.best + 1).skip(1);
        set("merge", config.merge_share.to_string());
        set(splits::SETTING, splits::to_setting(stages.map(|point| &point.splits[..])));
    }
    let Some(point) = trained.points.get(trained.best) else { return };
    set("stages", point.stage.to_string());
    set("sub-symbols", point.num_substates.to_string());
    set("parameters", point.num_parameters.to_string());
    set("parameters-not-zero", point.num_nonzero.to_string());
    report(format_args!("the grammar of stage {} is kept", point.stage));
    let scores: Option<GrammarScores> = point.scores;
    if let Some(scores) = scores {
        grammar::describe_scores(about, &scores);
    }
}
