//! `--method boosted`: from trees to a parser, with a checkpoint after every stage.

use std::path::Path;

use anyhow::Result;
use boughs::model::About;
use boughs::parser::{Parser, SEARCH_SETTING};
use boughs::train::fingerprint;
use boughs::train::transition::{self, Event, Learner, Trained, TransitionCheckpoint, TransitionConfig};
use boughs::transition::TransitionOptions;

use super::TrainArgs;
use super::checkpoint::{self, Keeper};
use super::curves;
use super::data::Data;
use super::monitor::Monitor;
use crate::Outcome;
use crate::output::report;

pub(super) fn train(args: &TrainArgs) -> Result<Outcome> {
    let config = args.boosted.config(args)?;
    let checkpoint = checkpoint::path(&args.out);
    checkpoint::check(&checkpoint, args.resume)?;
    let mut data = Data::read(args)?;
    let tags = args.boosted.tags.prepare(args, &mut data)?;
    data.limit(args.max_words);
    let trained = match run(&data, &config, &checkpoint, args.resume)? {
        Some(trained) => trained,
        None => return Ok(Outcome::Interrupted),
    };
    let mut about = args.about();
    describe(&mut about, args, &config, &data, &trained);
    about.settings.insert("tags".to_owned(), tags.description);
    // Margins of many examples take long: whoever breaks them off has the model.
    Parser::new(about, trained.model.clone(), tags.tagger).to_file()?.save(&args.out)?;
    checkpoint::remove(&checkpoint)?;
    report(format_args!("{}: written", args.out.display()));
    if let Some(directory) = &args.curves {
        curves::write(directory, &args.out, &data, &trained, &config)?;
    }
    Ok(data.outcome)
}

/// Trains to the end; nothing if the user interrupted it.
fn run(
    data: &Data,
    config: &TransitionConfig,
    checkpoint: &Path,
    is_resumed: bool,
) -> Result<Option<Trained>> {
    let run = fingerprint(&data.train, &data.dev, config);
    let resume =
        checkpoint::load(checkpoint, is_resumed, |file| TransitionCheckpoint::from_file(file, &run))?;
    let keeper = Keeper::new(checkpoint)?;
    let monitor = Monitor::new(config, resume.as_ref().map_or(&[], |resume| &resume.points))?;
    let trained = transition::train(&data.train, &data.dev, config, resume, |event| {
        monitor.see(&event);
        if let Event::Point { checkpoint: state, .. } = &event {
            keeper.save(state.to_file(&run));
        }
        keeper.flow()
    });
    monitor.finish();
    let trained = keeper.finish(trained)?;
    if let Some(trained) = &trained {
        tell_best(trained, &monitor);
    }
    Ok(trained)
}

fn tell_best(trained: &Trained, monitor: &Monitor) {
    let seconds = monitor.seconds();
    match trained.points.get(trained.best) {
        Some(point) if point.scores.is_some() => report(format_args!(
            "best at penalty {:.4}: F1 {:.2}, {} active features; {seconds:.0} s of training",
            point.penalty,
            point.scores.map_or(0.0, |scores| scores.f1),
            point.num_active
        )),
        Some(point) => report(format_args!(
            "no development trees: the last stage is kept, penalty {:.4}; {seconds:.0} s of training",
            point.penalty
        )),
        None => {}
    }
}

fn describe(about: &mut About, args: &TrainArgs, config: &TransitionConfig, data: &Data, trained: &Trained) {
    let mut set = |name: &str, value: String| _ = about.settings.insert(name.to_owned(), value);
    set("feature-set", args.boosted.feature_set(config));
    if let (true, Ok(search)) =
        (config.search != TransitionOptions::default(), serde_json::to_string(&config.search))
    {
        set(SEARCH_SETTING, search);
    }
    set("training-trees", data.train.len().to_string());
    set("examples", trained.summary.num_examples.to_string());
    match config.learner {
        Learner::L1(l1) => {
            set("learner", "l1".to_owned());
            set("decay", l1.decay.to_string());
            set("min-gain", l1.min_gain_factor.to_string());
            set("sample", l1.sample_size.to_string());
        }
        Learner::Z(z) => {
            set("learner", "z".to_owned());
            set("decay", z.decay.to_string());
        }
    }
    if let Some(max_words) = args.max_words {
        set("max-words", max_words.to_string());
    }
    let Some(point) = trained.points.get(trained.best) else { return };
    set("penalty", point.penalty.to_string());
    set("trees", point.num_trees.to_string());
    set("active-features", point.num_active.to_string());
    if let Some(scores) = point.scores {
        set("dev-trees", data.dev.len().to_string());
        set("dev-precision", format!("{:.4}", scores.precision));
        set("dev-recall", format!("{:.4}", scores.recall));
        set("dev-f1", format!("{:.4}", scores.f1));
        set("dev-exact", format!("{:.4}", scores.exact));
    }
}
