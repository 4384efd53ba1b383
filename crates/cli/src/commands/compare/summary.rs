//! The comparison for people and for programs.

use boughs::eval::Brackets;
use boughs::eval::significance::Measures;
use serde_json::{Value, json};

use super::{Comparison, Findings, Unit};
use crate::output::counted;
use crate::table::{Table, figure, p_value};

/// Differences with a smaller p-value are called significant, as in the papers.
const LEVEL: f64 = 0.05;

const NAMES: [&str; 3] = ["precision", "recall", "F1"];

/// The three measures in the order of [`NAMES`].
fn each<T>(measures: Measures<T>) -> [T; 3] {
    [measures.precision, measures.recall, measures.f1]
}

fn percentages(brackets: Brackets) -> [Option<f64>; 3] {
    [brackets.precision(), brackets.recall(), brackets.f1()]
}

pub(super) fn text(findings: &Findings<'_>) -> String {
    let (a, b) = (findings.args.a.display(), findings.args.b.display());
    let (measures, notes, verdict) = (measures(findings), notes(findings), verdict(&findings.all));
    let labels = match findings.labels.is_empty() {
        true => String::new(),
        false => format!(
            "\nF1 by label; `p all` is corrected for the number of labels (Holm)\n\n{}",
            labels(findings)
        ),
    };
    format!("A  {a}\nB  {b}\n\n{measures}\n{notes}\n{verdict}\n{labels}")
}

fn measures(findings: &Findings<'_>) -> Table {
    let all = &findings.all;
    let interval = format!("{}% interval", findings.args.confidence);
    let mut table = Table::new(&["", "A", "B", "A - B", &interval, "p"]);
    let [a, b] = [all.total.a, all.total.b].map(|brackets| percentages(brackets).map(figure));
    let difference = each(all.total.difference()).map(signed);
    let (low, high) = (each(all.interval.low).map(signed), each(all.interval.high).map(signed));
    let p = each(all.significance.p).map(p_value);
    for (i, name) in NAMES.iter().enumerate() {
        let interval = format!("{} to {}", low[i], high[i]);
        table.row(&[name, &a[i], &b[i], &difference[i], &interval, &p[i]]);
    }
    table
}

fn notes(findings: &Findings<'_>) -> String {
    let (args, scores) = (findings.args, findings.scores);
    let units = match args.by {
        Unit::Sentence => counted(scores.num_sentences, "sentence"),
        Unit::File => {
            let files = counted(scores.pairs.len() as u64, "file");
            format!("{} in {files}", counted(scores.num_sentences, "sentence"))
        }
    };
    let significance = &findings.all.significance;
    let how = match (significance.exact, significance.trials) {
        (true, 1) => "the only way to swap".to_owned(),
        (true, trials) => format!("all {trials} ways to swap"),
        (false, trials) => counted(trials, "random way") + " to swap",
    };
    let samples = counted(args.samples.into(), "sample");
    let mut notes = format!(
        "{units}; settings {}\nstratified shuffling: {how}, two-sided\npaired bootstrap: {samples}; seed {}\n",
        scores.settings, args.seed
    );
    for (name, errors) in ["A", "B"].iter().zip(scores.num_errors).filter(|(_, errors)| *errors > 0) {
        let they = if errors == 1 { "it counts" } else { "they count" };
        let sentences = counted(errors, "sentence");
        notes += &format!("{name} has {sentences} that cannot be compared with gold; {they} as lost\n");
    }
    notes
}

fn verdict(all: &Comparison) -> String {
    let difference = all.total.difference().f1;
    let p = all.significance.p.f1;
    match difference {
        _ if p >= LEVEL => format!("By F1 the difference is not significant (p = {}).", p_value(p)),
        better if better > 0.0 => format!("By F1 A is better than B (p = {}).", p_value(p)),
        _ => format!("By F1 B is better than A (p = {}).", p_value(p)),
    }
}

fn labels(findings: &Findings<'_>) -> Table {
    let mut table = Table::new(&["", "gold", "A", "B", "A - B", "p", "p all"]);
    for (name, Comparison { total, significance, .. }, corrected) in &findings.labels {
        let [a, b] = [total.a, total.b].map(|brackets| figure(brackets.f1()));
        let [p, corrected] = [significance.p.f1, *corrected].map(p_value);
        table.row(&[name, &total.a.gold, &a, &b, &signed(total.difference().f1), &p, &corrected]);
    }
    table
}

/// A difference of shares, in points; what rounds to nothing has no minus.
fn signed(difference: f64) -> String {
    let points = format!("{:+.2}", 100.0 * difference);
    if points == "-0.00" { "+0.00".to_owned() } else { points }
}

pub(super) fn json(findings: &Findings<'_>) -> String {
    let (args, scores) = (findings.args, findings.scores);
    let labels: Vec<Value> = findings
        .labels
        .iter()
        .map(|(name, comparison, corrected)| {
            let mut object = comparison_object(comparison);
            object["label"] = json!(name);
            object["f1"]["p_holm"] = json!(corrected);
            object
        })
        .collect();
    let mut object = comparison_object(&findings.all);
    let context = json!({
        "gold": args.gold, "a": args.a, "b": args.b, "settings": scores.settings,
        "sentences": scores.num_sentences, "units": scores.pairs.len(),
        "errors": { "a": scores.num_errors[0], "b": scores.num_errors[1] },
        "trials": findings.all.significance.trials, "exact": findings.all.significance.exact,
        "samples": args.samples, "confidence": args.confidence, "seed": args.seed,
        "labels": labels,
    });
    if let (Value::Object(object), Value::Object(context)) = (&mut object, context) {
        object.extend(context);
    }
    format!("{object:#}\n")
}

/// Each measure with both figures in percent, difference, interval and p-value.
fn comparison_object(comparison: &Comparison) -> Value {
    let (a, b) = (percentages(comparison.total.a), percentages(comparison.total.b));
    let difference = each(comparison.total.difference());
    let (low, high) = (each(comparison.interval.low), each(comparison.interval.high));
    let p = each(comparison.significance.p);
    let mut object = serde_json::Map::new();
    for (index, name) in NAMES.iter().enumerate() {
        let measure = json!({
            "a": a[index], "b": b[index], "difference": 100.0 * difference[index],
            "low": 100.0 * low[index], "high": 100.0 * high[index], "p": p[index],
        });
        object.insert(name.to_lowercase(), measure);
    }
    object.into()
}

#[cfg(test)]
mod tests {
    use super::signed;

    #[test]
    fn nothing_has_no_minus() {
        assert_eq!(
            [0.0, -0.0, -0.00001, -0.0001, 0.125].map(signed),
            ["+0.00", "+0.00", "+0.00", "-0.01", "+12.50"]
        );
    }
}
