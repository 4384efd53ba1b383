//! Confidences beside how often phrases are right: a table, an object, a picture.

use boughs::eval::{Calibration, CalibrationBin, NUM_BINS};
use boughs_experiment::plot::{Corner, Line, Plot};
use serde_json::{Value, json};

use crate::table::{Table, figure};

/// The bins with their bounds.
fn bins(calibration: &Calibration) -> impl Iterator<Item = ([f64; 2], &CalibrationBin)> {
    let bound = |number: usize| number as f64 / NUM_BINS as f64;
    calibration.bins().iter().enumerate().map(move |(number, bin)| ([bound(number), bound(number + 1)], bin))
}

/// A row for every bin, and the expected calibration error.
pub(super) fn text(calibration: &Calibration) -> String {
    let mut table = Table::new(&["Confidence", "phrases", "mean %", "right %"]);
    for ([low, high], bin) in bins(calibration) {
        let percent = |share: Option<f64>| figure(share.map(|share| 100.0 * share));
        table.push([
            format!("{low:.1} to {high:.1}"),
            bin.phrases.to_string(),
            percent(bin.confidence()),
            percent(bin.accuracy()),
        ]);
    }
    let error = calibration.expected_error().map_or_else(|| "-".to_owned(), |error| format!("{error:.4}"));
    format!("\n{table}Expected calibration error  {error}\n")
}

pub(super) fn json(calibration: &Calibration) -> Value {
    let bin = |([low, high], bin): ([f64; 2], &CalibrationBin)| {
        json!({
            "from": low,
            "to": high,
            "phrases": bin.phrases,
            "confidence": bin.confidence(),
            "accuracy": bin.accuracy(),
        })
    };
    let bins: Vec<Value> = bins(calibration).map(bin).collect();
    json!({ "expected_error": calibration.expected_error(), "bins": bins })
}

/// The reliability diagram: on the diagonal, confidences are what they say.
pub(super) fn diagram(calibration: &Calibration) -> String {
    let points = calibration.bins().iter().filter_map(|bin| Some((bin.confidence()?, bin.accuracy()?)));
    let plot = Plot {
        title: "Phrases that are right, by confidence",
        x_label: "mean confidence",
        y_label: "share of phrases that are right",
        is_x_log: false,
        is_y_log: false,
        names_at: Corner::UpperLeft,
        lines: vec![
            Line { name: "this parser".to_owned(), points: points.collect() },
            Line { name: "perfectly calibrated".to_owned(), points: vec![(0.0, 0.0), (1.0, 1.0)] },
        ],
    };
    plot.svg()
}
