//! Logistic regression, all labels at once.

use std::ops::ControlFlow;

use anyhow::Result;
use boughs::learn::logistic::{Labels, Logistic, LogisticConfig};
use boughs::learn::svmlight::LabelledRows;
use boughs::model::{About, ModelFile};

use super::monitor::{Monitor, Step};
use super::{Method, TrainArgs};
use crate::output::report;

pub(super) fn train(
    args: &TrainArgs,
    rows: &LabelledRows,
    about: &mut About,
    monitor: &Monitor,
) -> Result<ModelFile> {
    let penalty = args.lambda.unwrap_or(1.0);
    let (l1, l2) = if args.method == Method::LogisticL1 { (penalty, 0.0) } else { (0.0, penalty) };
    let config = LogisticConfig { l1, l2, ..LogisticConfig::default() };
    let labels =
        Labels::new(rows.classes.clone(), rows.labels.len() as u32)?.with_weights(rows.weights.clone())?;
    let problem = Logistic::new(&rows.dataset, &labels, &config)?;
    let mut state = problem.start();
    let start = monitor.seconds();
    let mut failed = None;
    problem.run(&mut state, |progress| {
        let told = monitor.step(&Step {
            label: "all",
            number: progress.iteration as usize,
            num_active: progress.num_nonzero,
            penalty,
            objective: progress.value,
            dev_loss: None,
            num_rows: rows.dataset.num_rows(),
            start,
            share_done: None,
        });
        match told {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                failed = Some(error);
                ControlFlow::Break(())
            }
        }
    })?;
    if let Some(error) = failed {
        return Err(error);
    }
    let model = problem.freeze(&state)?;
    report(format_args!("{} weights are not zero", model.num_weights()));
    about.settings.insert("penalty".to_owned(), penalty.to_string());
    about.settings.insert("active_features".to_owned(), model.num_weights().to_string());
    Ok(ModelFile::from_linear(about.clone(), &model)?)
}
