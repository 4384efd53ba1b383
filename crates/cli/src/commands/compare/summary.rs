//! The comparison for people and for programs.

use std::io::{self, Write};

use boughs::eval::Brackets;
use boughs::eval::significance::Measures;
use serde_json::{Value, json};

use super::{Comparison, Findings, Unit};
use crate::output::counted;
use crate::table::{Table, figure};

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

pub(super) fn write_text(out: &mut impl Write, findings: &Findings<'_>) -> io::Result<()> {
    let args = findings.args;
    writeln!(out, "A  {}\nB  {}\n", args.a.display(), args.b.display())?;
    write_measures(out, findings)?;
    write_notes(out, findings)?;
    writeln!(out, "\n{}", verdict(&findings.all))?;
    if !findings.labels.is_empty() {
        writeln!(out, "\nF1 by label; `p all` is corrected for the number of labels (Holm)\n")?;
        write_labels(out, findings)?;
    }
    Ok(())
}

fn write_measures(out: &mut impl Write, findings: &Findings<'_>) -> io::Result<()> {
    let all = &findings.all;
    let interval = format!("{}% interval", findings.args.confidence);
    let mut table = Table::new(&["", "A", "B", "A - B", &interval, "p"]);
    let (a, b) = (percentages(all.total.a), percentages(all.total.b));
    let difference = each(all.total.difference());
    let (low, high) = (each(all.interval.low), each(all.interval.high));
    let p = each(all.significance.p);
    for index in 0..NAMES.len() {
        table.row(vec![
            NAMES[index].to_owned(),
            figure(a[index]),
            figure(b[index]),
            signed(difference[index]),
            format!("{} to {}", signed(low[index]), signed(high[index])),
            p_value(p[index]),
        ]);
    }
    table.write(out)
}

fn write_notes(out: &mut impl Write, findings: &Findings<'_>) -> io::Result<()> {
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
    writeln!(out, "\n{units}; settings {}", args.settings)?;
    writeln!(out, "stratified shuffling: {how}, two-sided")?;
    writeln!(out, "paired bootstrap: {}; seed {}", counted(args.samples.into(), "sample"), args.seed)?;
    for (name, errors) in ["A", "B"].iter().zip(scores.num_errors).filter(|(_, errors)| *errors > 0) {
        let they = if errors == 1 { "it counts" } else { "they count" };
        let sentences = counted(errors, "sentence");
        writeln!(out, "{name} has {sentences} that cannot be compared with gold; {they} as lost")?;
    }
    Ok(())
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

fn write_labels(out: &mut impl Write, findings: &Findings<'_>) -> io::Result<()> {
    let mut table = Table::new(&["", "gold", "A", "B", "A - B", "p", "p all"]);
    for (name, comparison, corrected) in &findings.labels {
        let total = comparison.total;
        table.row(vec![
            name.clone(),
            total.a.gold.to_string(),
            figure(total.a.f1()),
            figure(total.b.f1()),
            signed(total.difference().f1),
            p_value(comparison.significance.p.f1),
            p_value(*corrected),
        ]);
    }
    table.write(out)
}

/// A difference of shares, in points; what rounds to nothing has no minus.
fn signed(difference: f64) -> String {
    let points = format!("{:+.2}", 100.0 * difference);
    if points == "-0.00" { "+0.00".to_owned() } else { points }
}

fn p_value(p: f64) -> String {
    if p < 0.0001 { format!("{p:.1e}") } else { format!("{p:.4}") }
}

pub(super) fn write_json(out: &mut impl Write, findings: &Findings<'_>) -> io::Result<()> {
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
        "gold": args.gold, "a": args.a, "b": args.b, "settings": args.settings,
        "sentences": scores.num_sentences, "units": scores.pairs.len(),
        "errors": { "a": scores.num_errors[0], "b": scores.num_errors[1] },
        "trials": findings.all.significance.trials, "exact": findings.all.significance.exact,
        "samples": args.samples, "confidence": args.confidence, "seed": args.seed,
        "labels": labels,
    });
    if let (Value::Object(object), Value::Object(context)) = (&mut object, context) {
        object.extend(context);
    }
    serde_json::to_writer_pretty(&mut *out, &object)?;
    writeln!(out)
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
