//! Explanations.

use super::common::boughs;
use super::{DEV, model};

#[test]
fn decisions_have_rivals_and_reasons() {
    let text = boughs(&["explain", "-m", &model(), "--reasons", "3"], "He sleeps.").ok();
    assert!(text.starts_with("<stdin> sentence 1: he sleeps\n   1  "), "{text}");
    for part in ["      not ", "  cost ", "greedy parse was the best", "TOP → S"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let reasons = text.lines().filter(|line| line.starts_with("        +") || line.starts_with("        -"));
    assert!(reasons.clone().count() >= 3, "{text}");
    assert!(reasons.clone().any(|line| line.contains("child")), "{text}");
}

/// Differences that are shown add up to the difference between the two scores.
#[test]
fn reasons_make_the_whole_difference() {
    let text = boughs(&["explain", "-m", &model(), "--reasons", "1000", "--rivals", "1"], "He sleeps.").ok();
    let score = |line: &str| line.split("”  ").nth(1)?.trim().parse::<f64>().ok();
    let lines: Vec<&str> = text.lines().collect();
    let made = lines.iter().position(|line| line.starts_with("   1  ")).expect("a first step");
    let (made_score, rival_score) = (score(lines[made]).unwrap(), score(lines[made + 1]).unwrap());
    let reasons = lines[made + 2..].iter().take_while(|line| line.starts_with("        "));
    let sum: f64 = reasons.map(|line| line.split_whitespace().next().unwrap().parse::<f64>().unwrap()).sum();
    assert!((made_score - rival_score - sum).abs() < 0.05, "{made_score} {rival_score} {sum}\n{text}");
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
