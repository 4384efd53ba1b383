//! The curve of a run for the margin: its objective against the CPU seconds that the optimizer took.
//!
//! Grammars, forests and measuring are the same for all optimizers and are not counted. Runs that write into the same directory are drawn into one picture.

use std::fmt::Write;
use std::path::Path;

use anyhow::Result;
use boughs::train::crf::{CrfEvent, CrfPoint};

use super::curves::{column_pairs, lines, name_of, put};
use crate::cpu;
use crate::output::report;
use crate::plot::{Corner, Plot};

const ENDING: &str = ".objective.csv";

/// Counts the seconds of rounds.
#[derive(Debug, Default)]
pub(super) struct Stopwatch {
    /// When the round began.
    start: Option<f64>,
    total: f64,
    /// For each round that was seen its number, and the seconds of all rounds up to it.
    seconds: Vec<(usize, f64)>,
}

impl Stopwatch {
    pub(super) fn see(&mut self, event: &CrfEvent<'_>) {
        match event {
            CrfEvent::Forests { .. } => self.start = cpu::seconds(),
            CrfEvent::Pass => {
                let (Some(start), Some(now)) = (self.start, cpu::seconds()) else { return };
                self.total += now - start;
            }
            CrfEvent::Epoch { point, .. } => {
                self.seconds.push((point.epoch, self.total));
                self.start = cpu::seconds();
            }
            CrfEvent::Grammar { .. } | CrfEvent::GrammarDone { .. } | CrfEvent::Seen { .. } => {}
        }
    }

    fn until(&self, epoch: usize) -> Option<f64> {
        self.seconds.iter().find(|(it, _)| *it == epoch).map(|(_, seconds)| *seconds)
    }
}

pub(super) fn write(directory: &Path, model: &Path, points: &[CrfPoint], watch: &Stopwatch) -> Result<()> {
    put(directory, &format!("{}{ENDING}", name_of(model)), &table(points, watch))?;
    let plot = Plot {
        title: "Objective on the training trees",
        x_label: "CPU seconds of the optimizer",
        y_label: "½|w|² + C Σ h",
        is_x_log: true,
        is_y_log: true,
        names_at: Corner::UpperRight,
        lines: lines(directory, ENDING, |table| column_pairs(table, 1, 2))?,
    };
    put(directory, "objective.svg", &plot.svg())?;
    report(format_args!("curves are in {}", directory.display()));
    Ok(())
}

/// Rounds before an interruption have no seconds.
fn table(points: &[CrfPoint], watch: &Stopwatch) -> String {
    let mut table = "round,seconds,primal,gap,f1\n".to_owned();
    for point in points {
        let cells = [watch.until(point.epoch), point.primal, point.gap, point.scores.map(|scores| scores.f1)];
        let cells = cells.map(|cell| cell.map_or_else(String::new, |number| number.to_string()));
        // Writing to a string does not fail.
        let _ = writeln!(table, "{},{}", point.epoch, cells.join(","));
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_that_were_not_seen_have_no_seconds() {
        let point = |epoch| CrfPoint { c: 1.0, epoch, loss: 1.0, gap: None, primal: Some(7.5), scores: None };
        let watch = Stopwatch { seconds: vec![(2, 0.25)], ..Stopwatch::default() };
        let table = table(&[point(1), point(2)], &watch);
        assert_eq!(table, "round,seconds,primal,gap,f1\n1,,7.5,,\n2,0.25,7.5,,\n");
        assert_eq!(column_pairs(&table, 1, 2), [(0.25, 7.5)]);
    }
}
