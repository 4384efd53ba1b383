//! Scores of parses, and whether a difference between two parsers means anything.

use boughs::eval::significance::{Measures, ParserPair, bootstrap, shuffle};
use boughs::eval::{Brackets, Figures, Mismatch, Parameters, Scorer, SentenceScore, Totals, Verdict};
use boughs::tree::Tree;
use boughs::{Error, ErrorKind};
use pyo3::prelude::*;
use serde::Serialize;

use crate::background::in_pool;
use crate::error::{OrRaise, argument};
use crate::json::to_python;
use crate::tree::PyTree;

#[derive(Serialize)]
struct LabelScores {
    label: String,
    precision: Option<f64>,
    recall: Option<f64>,
    f1: Option<f64>,
    matched: u64,
    gold: u64,
    test: u64,
}

#[derive(Serialize)]
struct EvaluationFields {
    sentences: u64,
    errors: u64,
    precision: Option<f64>,
    recall: Option<f64>,
    f1: Option<f64>,
    unlabeled_precision: Option<f64>,
    unlabeled_recall: Option<f64>,
    unlabeled_f1: Option<f64>,
    sentence_f1: Option<f64>,
    exact: Option<f64>,
    tagging: Option<f64>,
    crossing: Option<f64>,
    no_crossing: Option<f64>,
    by_label: Vec<LabelScores>,
    /// The number of each sentence that could not be compared, from 1, and why.
    mismatches: Vec<(usize, String)>,
}

/// A treebank, in which trees may be missing.
type Trees<'py> = Vec<Option<PyRef<'py, PyTree>>>;

fn plain(trees: &Trees<'_>) -> Vec<Option<Tree>> {
    trees.iter().map(|tree| tree.as_ref().map(|tree| tree.0.tree.clone())).collect()
}

fn gold_trees(py: Python<'_>, gold: &Trees<'_>) -> PyResult<Vec<Tree>> {
    let trees: Option<Vec<Tree>> = plain(gold).into_iter().collect();
    trees.ok_or_else(|| {
        argument(py, "expected a gold tree for every sentence, found None", "leave it out on both sides")
    })
}

fn same_number(gold: usize, test: usize) -> boughs::Result<()> {
    match gold == test {
        true => Ok(()),
        false => {
            Err(Error::new(ErrorKind::Mismatch, format!("expected {gold} trees as in gold, found {test}"))
                .hint("a sentence without a tree is None in a list"))
        }
    }
}

fn score(scorer: &mut Scorer, gold: &Tree, test: Option<&Tree>) -> SentenceScore {
    match test {
        Some(test) => scorer.score(gold, test),
        None => scorer.score_missing(gold, Mismatch::NoTree),
    }
}

/// The figures of a parser's trees as a dictionary.
#[pyfunction]
pub(crate) fn evaluate_trees<'py>(
    py: Python<'py>,
    gold: Trees<'py>,
    test: Trees<'py>,
    settings: &str,
) -> PyResult<Bound<'py, PyAny>> {
    same_number(gold.len(), test.len()).or_raise(py)?;
    let (gold, test) = (gold_trees(py, &gold)?, plain(&test));
    let mut scorer = Scorer::new(Parameters::load(settings).or_raise(py)?);
    let fields = py.detach(|| {
        let mut totals = Totals::default();
        let mut mismatches = Vec::new();
        for (number, (gold, test)) in (1..).zip(gold.iter().zip(&test)) {
            let score = score(&mut scorer, gold, test.as_ref());
            totals.add(&score);
            if let Verdict::Error(why) = &score.verdict {
                mismatches.push((number, why.to_string()));
            }
        }
        fields(&scorer, &totals, mismatches)
    });
    to_python(py, &fields)
}

fn fields(scorer: &Scorer, totals: &Totals, mismatches: Vec<(usize, String)>) -> EvaluationFields {
    let (strict, scored): (Figures, Figures) = (totals.all.strict(), totals.all.scored);
    let of_label = |label: String, brackets: Brackets| LabelScores {
        label,
        precision: brackets.precision(),
        recall: brackets.recall(),
        f1: brackets.f1(),
        matched: brackets.matched,
        gold: brackets.gold,
        test: brackets.test,
    };
    let labels = totals.by_label().map(|(label, brackets)| of_label(scorer.label_name(label), brackets));
    let mut by_label: Vec<LabelScores> = labels.collect();
    by_label.sort_by(|one, other| (other.gold, &one.label).cmp(&(one.gold, &other.label)));
    EvaluationFields {
        sentences: totals.all.num_sentences(),
        errors: totals.all.lost.sentences,
        precision: strict.precision(),
        recall: strict.recall(),
        f1: strict.f1(),
        unlabeled_precision: strict.unlabeled.precision(),
        unlabeled_recall: strict.unlabeled.recall(),
        unlabeled_f1: strict.unlabeled.f1(),
        sentence_f1: strict.mean_f1(),
        exact: strict.exact_match(),
        tagging: strict.tag_accuracy(),
        crossing: scored.mean_crossing(),
        no_crossing: scored.without_crossing(),
        by_label,
        mismatches,
    }
}

/// One measure of two parsers, in percent but for p.
#[derive(Serialize)]
struct MeasureFields {
    measure: &'static str,
    a: Option<f64>,
    b: Option<f64>,
    difference: f64,
    low: f64,
    high: f64,
    p: f64,
}

#[derive(Serialize)]
struct ComparisonFields {
    measures: Vec<MeasureFields>,
    sentences: usize,
    trials: u64,
    is_exact: bool,
}

fn each<T>(measures: Measures<T>) -> [T; 3] {
    [measures.precision, measures.recall, measures.f1]
}

/// Two parsers compared: precision, recall and F1 of each, the difference with its interval, and its p-value.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "they are the named arguments of boughs.compare")]
pub(crate) fn compare_trees<'py>(
    py: Python<'py>,
    gold: Trees<'py>,
    a: Trees<'py>,
    b: Trees<'py>,
    settings: &str,
    trials: u64,
    samples: usize,
    confidence: f64,
    seed: u64,
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyAny>> {
    same_number(gold.len(), a.len()).or_raise(py)?;
    same_number(gold.len(), b.len()).or_raise(py)?;
    if !(0.0 < confidence && confidence < 1.0) || trials == 0 || samples == 0 {
        let message = format!(
            "expected a confidence between 0 and 1, and at least one trial and one sample, \
             found {confidence}, {trials} and {samples}"
        );
        return Err(argument(py, message, "leave them out for 0.95, 1,000,000 and 10,000"));
    }
    let (gold, a, b) = (gold_trees(py, &gold)?, plain(&a), plain(&b));
    let mut scorer = Scorer::new(Parameters::load(settings).or_raise(py)?);
    let fields = in_pool(py, threads, move || {
        let sentences = gold.iter().zip(a.iter().zip(&b));
        let pairs: Vec<ParserPair> = sentences
            .map(|(gold, (a, b))| ParserPair {
                a: score(&mut scorer, gold, a.as_ref()).counts,
                b: score(&mut scorer, gold, b.as_ref()).counts,
            })
            .collect();
        let total = ParserPair::total(&pairs);
        let significance = shuffle(&pairs, trials, seed);
        let interval = bootstrap(&pairs, confidence, samples, seed);
        let percent = |brackets: Brackets| [brackets.precision(), brackets.recall(), brackets.f1()];
        let (of_a, of_b, difference) = (percent(total.a), percent(total.b), each(total.difference()));
        let (low, high, p) = (each(interval.low), each(interval.high), each(significance.p));
        let measure = |(place, measure)| MeasureFields {
            measure,
            a: of_a[place],
            b: of_b[place],
            difference: 100.0 * difference[place],
            low: 100.0 * low[place],
            high: 100.0 * high[place],
            p: p[place],
        };
        ComparisonFields {
            measures: ["precision", "recall", "f1"].into_iter().enumerate().map(measure).collect(),
            sentences: pairs.len(),
            trials: significance.trials,
            is_exact: significance.exact,
        }
    })?;
    to_python(py, &fields)
}
