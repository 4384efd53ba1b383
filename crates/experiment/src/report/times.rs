//! How long rows took: apart from the report, which is the same for every run.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{markdown, points};
use crate::clock::RowTimes;
use crate::results::Results;
use crate::schedule::TIMES;
use crate::spec::Experiment;
use crate::store::{Store, row_file};
use boughs_learn::error::Result;

/// The figure that boosters are compared by: how long they take to bring it down.
const LOSS: &str = "log-loss";

/// How long rows took.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) struct Times {
    rows: BTreeMap<String, RowTimes>,
    /// The log-loss that all rows reach that have one, and the CPU seconds that each takes to it.
    #[serde(skip_serializing_if = "Option::is_none")]
    to_equal_loss: Option<EqualLoss>,
}

/// The log-loss that all rows reach, and the CPU seconds to it.
#[derive(Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
struct EqualLoss {
    log_loss: f64,
    cpu_seconds: BTreeMap<String, Option<f64>>,
}

impl Times {
    pub(crate) fn read(experiment: &Experiment, results: &Results, store: &Store) -> Result<Self> {
        let mut rows = BTreeMap::new();
        for row in &experiment.rows {
            let times = store.read::<RowTimes>(&row_file(&row.name, TIMES))?;
            rows.extend(times.map(|times| (row.name.clone(), times)));
        }
        let losses = |(name, times): (&String, &RowTimes)| {
            let points = points(results.get(name)?, LOSS, LOSS);
            let losses: Vec<f64> = points.into_iter().map(|(loss, _)| loss).collect();
            (!losses.is_empty()).then(|| (name.clone(), (losses, times.steps.clone())))
        };
        let losses: BTreeMap<String, (Vec<f64>, Vec<Option<f64>>)> = rows.iter().filter_map(losses).collect();
        Ok(Self { to_equal_loss: equal_loss(&losses), rows })
    }

    pub(crate) fn write(&self, store: &Store) -> Result<()> {
        store.write("times.md", self.markdown().as_bytes())?;
        store.write_json("times.json", self)
    }

    fn markdown(&self) -> String {
        let number =
            |seconds: Option<f64>| seconds.map_or_else(String::new, |seconds| format!("{seconds:.2}"));
        let mut head = vec!["row", "CPU s", "s", "threads"];
        let heading =
            self.to_equal_loss.as_ref().map(|goal| format!("CPU s to log-loss {:.5}", goal.log_loss));
        head.extend(heading.as_deref());
        let row = |(name, times): (&String, &RowTimes)| {
            let cells = [
                name.clone(),
                number(times.cpu_seconds),
                number(Some(times.seconds)),
                times.threads.to_string(),
            ];
            let goal = self.to_equal_loss.as_ref();
            let goal = goal.map(|goal| number(goal.cpu_seconds.get(name).copied().flatten()));
            cells.into_iter().chain(goal).collect::<Vec<String>>()
        };
        let rows: Vec<Vec<String>> = self.rows.iter().map(row).collect();
        let head: Vec<String> = head.into_iter().map(str::to_owned).collect();
        "Time of each row, training and measuring; it differs from run to run.\n\n".to_owned()
            + &markdown::table(&head, &rows)
    }
}

/// The lowest loss that all reach, and when each is there first.
fn equal_loss(rows: &BTreeMap<String, (Vec<f64>, Vec<Option<f64>>)>) -> Option<EqualLoss> {
    let lowest = |losses: &[f64]| losses.iter().copied().fold(f64::INFINITY, f64::min);
    let log_loss = rows.values().map(|(losses, _)| lowest(losses)).reduce(f64::max)?;
    let time = |(losses, seconds): &(Vec<f64>, Vec<Option<f64>>)| {
        let first = losses.iter().position(|loss| *loss <= log_loss)?;
        seconds.get(first).copied().flatten()
    };
    let cpu_seconds = rows.iter().map(|(name, row)| (name.clone(), time(row))).collect();
    Some(EqualLoss { log_loss, cpu_seconds })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_loss_that_all_reach() {
        let row = |losses: &[f64]| (losses.to_vec(), (1..=losses.len()).map(|it| Some(it as f64)).collect());
        let rows = [("a".to_owned(), row(&[0.5, 0.3, 0.1])), ("b".to_owned(), row(&[0.6, 0.4]))].into();
        let found = equal_loss(&rows).unwrap();
        assert_eq!(found.log_loss, 0.4);
        assert_eq!(found.cpu_seconds, [("a".to_owned(), Some(2.0)), ("b".to_owned(), Some(2.0))].into());
        assert_eq!(equal_loss(&BTreeMap::new()), None);
    }
}
