//! What a paper says, and whether it is so here.

use serde::Serialize;

use super::p_text;
use crate::compare::{Difference, LEVEL};
use crate::results::Results;
use crate::spec::{Claim, Experiment, On, Relation};
use boughs_learn::run::Figure;

/// A claim, and what was found.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct ClaimReport {
    /// The claim, in our words.
    pub text: String,
    /// Which data it was looked at on.
    pub on: On,
    /// What it is about.
    pub figure: String,
    /// Whether it is so.
    pub verdict: Verdict,
    /// What was found, in words.
    pub found: String,
    /// The probability of such a difference if there were none, where there is a test.
    pub p: Option<f64>,
}

/// Whether a claim is so.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// It is.
    Holds,
    /// It is not.
    DoesNotHold,
    /// A row was not measured.
    NotMeasured,
}

impl Verdict {
    /// In words.
    pub fn text(self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::DoesNotHold => "does not hold",
            Self::NotMeasured => "not measured",
        }
    }
}

pub(super) fn all(experiment: &Experiment, results: &Results) -> Vec<ClaimReport> {
    experiment.claims.iter().map(|claim| one(claim, results)).collect()
}

fn one(claim: &Claim, results: &Results) -> ClaimReport {
    let judged = judge(claim, results);
    let verdict = judged.as_ref().map_or(Verdict::NotMeasured, |(is_so, ..)| match is_so {
        true => Verdict::Holds,
        false => Verdict::DoesNotHold,
    });
    let (found, p) = judged.map_or((String::new(), None), |(_, found, p)| (found, p));
    let Claim { text, on, figure, .. } = claim.clone();
    ClaimReport { text, on, figure, verdict, found, p }
}

/// Whether a claim is so, what was found, and the p-value; nothing if something was not measured.
fn judge(claim: &Claim, results: &Results) -> Option<(bool, String, Option<f64>)> {
    let figure = |name: &str| results.figure(name, claim.on, &claim.figure);
    match &claim.relation {
        Relation::Within { row, low, high } => {
            let found = figure(row)?;
            Some(((*low..=*high).contains(&found.value), found.text(), None))
        }
        Relation::Level { row, other } => {
            let (found, difference) =
                (beside(&figure(row)?, &figure(other)?), difference(claim, results, row, other)?);
            let is_level = difference.p.map_or(difference.value == 0.0, |p| p >= LEVEL);
            Some((is_level, found, difference.p))
        }
        Relation::Above { row, other, significant, factor } => {
            let (one, two) = (figure(row)?, figure(other)?);
            let difference = difference(claim, results, row, other)?;
            let is_above = difference.value > 0.0 && one.value >= factor.unwrap_or(1.0) * two.value;
            let is_so = is_above && (!significant || difference.is_significant());
            Some((is_so, beside(&one, &two), difference.p))
        }
    }
}

fn difference(claim: &Claim, results: &Results, one: &str, other: &str) -> Option<Difference> {
    results.difference(one, other, claim.on, &claim.figure)
}

fn beside(one: &Figure, other: &Figure) -> String {
    format!("{} against {}", one.text(), other.text())
}

impl ClaimReport {
    /// The verdict, and the p-value if there is one.
    pub fn verdict_text(&self) -> String {
        let p = self.p.map_or_else(String::new, |p| format!(" (p = {})", p_text(p)));
        format!("{}{p}", self.verdict.text())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcome::{Measurement, RowResult, Units};

    fn row(name: &str, matched: u64, num_sentences: usize) -> RowResult {
        let figures = vec![
            Figure::new("F1", 10.0 * matched as f64, 2),
            Figure::count("active", 100 * matched as usize),
        ];
        let units = Units::Brackets(vec![[matched, 10, 10]; num_sentences]);
        let dev = Measurement { figures, units };
        RowResult {
            name: name.to_owned(),
            steps: Vec::new(),
            kept: None,
            made_by: None,
            margins: Vec::new(),
            dev,
            test: None,
        }
    }

    fn verdict(relation: &str, figure: &str, num_sentences: usize) -> String {
        let text = format!(
            "title = \"x\"\nbase = {{ method = \"pcfg\" }}\nrows = [{{ name = \"a\" }}, {{ name = \"b\" }}]\n\
             [[claims]]\ntext = \"c\"\nfigure = \"{figure}\"\nrelation = {relation}"
        );
        let experiment = Experiment::parse(&text).unwrap();
        let results = Results::new(&experiment, vec![row("a", 9, num_sentences), row("b", 8, num_sentences)]);
        all(&experiment, &results)[0].verdict_text()
    }

    #[test]
    fn differences_are_judged() {
        let above = |row: &str, other: &str, rest: &str| {
            format!("{{ above = {{ row = \"{row}\", other = \"{other}\"{rest} }} }}")
        };
        assert_eq!(verdict(&above("a", "b", ""), "F1", 3), "holds (p = 0.2500)");
        assert_eq!(verdict(&above("a", "b", ", significant = true"), "F1", 3), "does not hold (p = 0.2500)");
        assert_eq!(verdict(&above("a", "b", ", significant = true"), "F1", 10), "holds (p = 0.0020)");
        assert_eq!(verdict(&above("b", "a", ""), "F1", 3), "does not hold (p = 0.2500)");
        assert_eq!(verdict(&above("a", "b", ", factor = 2.0"), "active", 3), "does not hold");
        assert_eq!(verdict(&above("a", "b", ""), "active", 3), "holds");
    }

    #[test]
    fn equality_is_the_lack_of_a_significant_difference() {
        let level = "{ level = { row = \"a\", other = \"b\" } }";
        assert_eq!(verdict(level, "F1", 3), "holds (p = 0.2500)");
        assert_eq!(verdict(level, "F1", 10), "does not hold (p = 0.0020)");
    }

    #[test]
    fn ranges_and_what_was_not_measured() {
        assert_eq!(verdict("{ within = { row = \"a\", low = 80.0, high = 95.0 } }", "F1", 3), "holds");
        assert_eq!(
            verdict("{ within = { row = \"b\", low = 85.0, high = 95.0 } }", "F1", 3),
            "does not hold"
        );
        assert_eq!(
            verdict("{ within = { row = \"b\", low = 0.0, high = 1.0 } }", "greedy", 3),
            "not measured"
        );
    }
}
