//! Explanations.

use super::common::boughs;
use super::{DEV, model, shift_reduce_model};

#[test]
fn decisions_have_alternatives_and_reasons() {
    let text = boughs(&["explain", "-m", &model(), "--reasons", "3"], "He sleeps.").ok();
    assert!(text.starts_with("<stdin> sentence 1: he sleeps\n   1  "), "{text}");
    for part in ["      not ", "  cost ", "greedy parse was the best", "TOP → S"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let reasons = text.lines().filter(|line| line.starts_with("        +") || line.starts_with("        -"));
    assert!(reasons.clone().count() >= 3, "{text}");
    assert!(reasons.clone().any(|line| line.contains("child")), "{text}");
}

/// A step as it is printed: the score of what was made, that of the alternative if there is one, and the effects of
/// the reasons.
struct Step {
    made: f64,
    alternative: Option<f64>,
    effects: Vec<f64>,
}

impl Step {
    fn number(text: &str) -> Option<f64> {
        text.split_whitespace().next()?.parse().ok()
    }

    /// The steps of explanations; a step is a numbered line, and what is indented below it.
    fn all(text: &str) -> Vec<Self> {
        let mut steps: Vec<Self> = Vec::new();
        for line in text.lines() {
            let score = || line.rsplit("”  ").next().and_then(Self::number);
            let is_numbered =
                line.starts_with("  ") && line.trim_start().starts_with(|c: char| c.is_ascii_digit());
            match (is_numbered, steps.last_mut()) {
                (true, _) => {
                    steps.push(Self {
                        made: score().expect("a score"),
                        alternative: None,
                        effects: Vec::new(),
                    });
                }
                (_, Some(step)) if line.starts_with("      not ") => step.alternative = score(),
                (_, Some(step)) if line.starts_with("        ") => step.effects.extend(Self::number(line)),
                _ => {}
            }
        }
        steps
    }
}

/// Differences that are shown add up to the difference between the two scores, whatever the strategy.
#[test]
fn reasons_make_the_whole_difference() {
    for model in [model(), shift_reduce_model()] {
        let args = ["explain", "-m", &model, "--reasons", "1000", "--alternatives", "1", "--trees", DEV];
        let steps: Vec<Step> = Step::all(&boughs(&args, "").ok());
        assert!(steps.len() > 500, "{}", steps.len());
        for Step { made, alternative, effects } in steps {
            let Some(alternative) = alternative else { continue };
            let (difference, sum) = (made - alternative, effects.iter().sum::<f64>());
            let rounding = 0.0005 * (effects.len() + 2) as f64 + 1e-6;
            assert!((difference - sum).abs() <= rounding, "{made} {alternative} {sum}");
        }
    }
}

#[test]
fn gold_trees_show_whose_fault_it_is() {
    let text = boughs(&["explain", "-m", &model(), "--trees", "--retag", DEV, "--summary"], "").ok();
    for part in [
        "search                     sentences       %",
        "greedy parse was the best",
        "model error",
        "At the states of the gold trees:",
        "label    decisions  % right  % of errors",
        "children  decisions  % right  % of errors",
        "right  taken for",
    ] {
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words(&text).contains(&words(part)), "{part}: {text}");
    }
    let one = boughs(&["explain", "-m", &model(), "--trees", DEV, "--sentence", "2", "--wrong"], "").ok();
    assert_eq!(one.lines().filter(|line| line.contains(" sentence ")).count(), 1, "{one}");
}

#[test]
fn beam_search_does_not_know_the_greedy_parse() {
    let text =
        boughs(&["explain", "-m", &model(), "--trees", DEV, "--search", "beam", "--sentence", "2"], "").ok();
    assert!(text.contains("no complete parse"), "{text}");
    assert!(!text.contains("greedy"), "{text}");
}

#[test]
fn sentences_that_there_are_not() {
    for model in [model().as_str(), "@english"] {
        let explain = |number| boughs(&["explain", "-m", model, "--sentence", number], "Go on. He sleeps.");
        assert_eq!(explain("2").code, Some(0));
        let fault = explain("3").fault();
        assert!(fault.contains("--sentence 3: there are 2 sentences"), "{fault}");
        assert!(explain("0").fault().contains("'0' for '--sentence <N>'"));
    }
}
