//! The report for programs.

use boughs::eval::json::{brackets, tally};
use serde_json::{Value, json};

use super::text::{labels, length_range};
use super::{Evaluation, calibration};

/// One object, with the scores of single sentences if there are any.
pub(super) fn json(evaluation: &Evaluation, sentences: Option<Vec<Value>>) -> String {
    let mut object = object(evaluation);
    if let Some(calibration) = &evaluation.calibration {
        object["calibration"] = calibration::json(calibration);
    }
    if let Some(sentences) = sentences {
        object["per_sentence"] = sentences.into();
    }
    format!("{object:#}\n")
}

fn object(evaluation: &Evaluation) -> Value {
    let totals = &evaluation.totals;
    let strict = totals.all.strict();
    let up_to = totals.up_to.iter().map(|(length, row)| with("max_length", json!(length), tally(row)));
    let rows = totals.by_length.iter().enumerate();
    let by_length = rows.map(|(row, sums)| with("length", json!(length_range(row)), tally(sums)));
    let by_label =
        labels(evaluation).into_iter().map(|(label, sums)| with("label", json!(label), brackets(&sums)));
    json!({
        "precision": strict.precision(),
        "recall": strict.recall(),
        "f1": strict.f1(),
        "exact": strict.exact_match(),
        "evaluator": concat!("boughs ", env!("CARGO_PKG_VERSION")),
        "settings": evaluation.settings,
        "gold": evaluation.gold,
        "test": evaluation.test,
        "all": tally(&totals.all),
        "up_to": up_to.collect::<Vec<_>>(),
        "by_length": by_length.collect::<Vec<_>>(),
        "by_label": by_label.collect::<Vec<_>>(),
    })
}

/// `object` with another member before its own.
fn with(name: &str, value: Value, object: Value) -> Value {
    let mut whole = serde_json::Map::from_iter([(name.to_owned(), value)]);
    if let Value::Object(members) = object {
        whole.extend(members);
    }
    Value::Object(whole)
}
