//! How long rows took: apart from the report, which is the same for every run.

use std::collections::BTreeMap;

use serde::Serialize;

use super::markdown;
use crate::clock::RowTimes;
use crate::method::Slot;
use crate::outcome::figure_of_step;
use crate::results::Results;
use crate::schedule::TIMES;
use crate::spec::Experiment;
use crate::store::{Store, row_file};
use boughs_learn::error::Result;

/// The figure that boosters are compared by: how long they take to bring it down.
const LOSS: &str = "log-loss";

/// The losses of steps, and the CPU seconds up to each.
type LossCurve = Vec<(f64, Option<f64>)>;

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
        let is_of_rows = |name: &String| {
            experiment.row(name).is_some_and(|row| experiment.method(row).slot() == Slot::Rows)
        };
        let curve = |(name, times): (&String, &RowTimes)| {
            let steps = results.get(name)?.steps.iter().zip(&times.steps);
            let curve = steps.filter_map(|(step, seconds)| Some((figure_of_step(step, LOSS)?, *seconds)));
            Some((name.clone(), curve.collect()))
        };
        let curves = rows.iter().filter(|(name, _)| is_of_rows(name)).filter_map(curve);
        let curves: BTreeMap<String, LossCurve> = curves.collect();
        Ok(Self { to_equal_loss: equal_loss(&curves), rows })
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
fn equal_loss(rows: &BTreeMap<String, LossCurve>) -> Option<EqualLoss> {
    let lowest = |curve: &LossCurve| curve.iter().map(|(loss, _)| *loss).fold(f64::INFINITY, f64::min);
    let log_loss = rows.values().map(lowest).reduce(f64::max)?;
    let time = |curve: &LossCurve| curve.iter().find(|(loss, _)| *loss <= log_loss)?.1;
    let cpu_seconds = rows.iter().map(|(name, curve)| (name.clone(), time(curve))).collect();
    Some(EqualLoss { log_loss, cpu_seconds })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_loss_that_all_reach() {
        let row = |losses: &[f64]| (1..).zip(losses).map(|(it, &loss)| (loss, Some(f64::from(it)))).collect();
        let rows = [("a".to_owned(), row(&[0.5, 0.3, 0.1])), ("b".to_owned(), row(&[0.6, 0.4]))].into();
        let found = equal_loss(&rows).unwrap();
        assert_eq!(found.log_loss, 0.4);
        assert_eq!(found.cpu_seconds, [("a".to_owned(), Some(2.0)), ("b".to_owned(), Some(2.0))].into());
        assert_eq!(equal_loss(&BTreeMap::new()), None);
    }
}
