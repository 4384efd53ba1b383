//! The decisions of one sentence.

use std::io::{self, Write};

use boughs::transition::explain::{CandidateInference, Decision, Explained, Explainer};
use boughs::transition::search::{Diagnosis, End, Outcome, ParseFault};
use boughs::tree::Tree;

use super::ExplainArgs;
use crate::sentences::Item;

pub(super) fn write(
    args: &ExplainArgs,
    explainer: &Explainer<'_>,
    item: &Item,
    explained: &Explained,
    out: &mut impl Write,
) -> io::Result<()> {
    let words: Vec<&str> = explained.sentence.words().collect();
    writeln!(out, "{} sentence {}: {}", item.document, item.number, words.join(" "))?;
    for (index, decision) in explained.decisions.iter().enumerate() {
        let is_wrong = decision.made.is_correct == Some(false) || decision.num_better > 0;
        if is_wrong || !args.wrong {
            write_decision(args, explainer, index + 1, decision, &explained.sentence, out)?;
        }
    }
    match &explained.outcome {
        Some(outcome) => write_outcome(outcome, explained.diagnosis.as_ref(), out)?,
        None => writeln!(out, "  there is nothing to parse")?,
    }
    writeln!(out)
}

fn write_decision(
    args: &ExplainArgs,
    explainer: &Explainer<'_>,
    number: usize,
    decision: &Decision,
    sentence: &Tree,
    out: &mut impl Write,
) -> io::Result<()> {
    writeln!(out, "{number:>4}  {}", show(&decision.made, sentence))?;
    if decision.num_better > 0 {
        writeln!(out, "        the search preferred it to {} with a better score", decision.num_better)?;
    }
    for rival in &decision.rivals {
        writeln!(out, "      not {}", show(rival, sentence))?;
    }
    let (shown, rest) = decision.differences.split_at(args.reasons.min(decision.differences.len()));
    for difference in shown {
        let of = if difference.is_of_rival { "rival " } else { "" };
        let words = explainer.in_words(&difference.ground, args.absent);
        writeln!(out, "        {:+.3}  {of}{}: {words}", difference.effect, difference.label)?;
    }
    if !rest.is_empty() {
        let sum: f64 = rest.iter().map(|difference| difference.effect).sum();
        writeln!(out, "        {sum:+.3}  {} more", rest.len())?;
    }
    Ok(())
}

fn show(candidate: &CandidateInference, sentence: &Tree) -> String {
    let words: Vec<&str> = sentence.words().collect();
    let words = words.get(candidate.span.range()).unwrap_or_default().join(" ");
    let mark = match candidate.is_correct {
        Some(true) => "  right",
        Some(false) => "  wrong",
        None => "",
    };
    let CandidateInference { label, children, score, .. } = candidate;
    format!("{label} → {}  “{words}”  {score:+.3}{mark}", children.join(" "))
}

fn write_outcome(outcome: &Outcome, diagnosis: Option<&Diagnosis>, out: &mut impl Write) -> io::Result<()> {
    let best = outcome.best();
    let end = match outcome.end {
        _ if best.is_fallback => "no complete parse",
        End::Optimal => match outcome.greedy_was_best {
            Some(true) => "the best parse there is, and the greedy one",
            Some(false) => "the best parse there is, not the greedy one",
            None => "the best parse there is",
        },
        End::Greedy => "the greedy parse",
        _ => "the best parse found; the search was cut short",
    };
    writeln!(out, "  cost {:.4}: {end}; {} inferences scored", best.cost, outcome.num_inferences)?;
    let Some(Diagnosis { fault, gold }) = diagnosis else { return Ok(()) };
    let cost = gold.as_ref().map_or(f64::NAN, |gold| gold.cost);
    match fault {
        ParseFault::None => writeln!(out, "  it is the gold tree"),
        ParseFault::Search => {
            writeln!(out, "  search error: the gold tree is better, cost {cost:.4}, but was not found")
        }
        ParseFault::Model => writeln!(out, "  model error: the gold tree is not better, cost {cost:.4}"),
        ParseFault::Cascade => writeln!(
            out,
            "  cascade error: the gold tree is not better, cost {cost:.4}, but it is by `--scoring full`"
        ),
        ParseFault::Rules => {
            writeln!(out, "  the gold tree breaks the rules of the parser and cannot be found")
        }
    }
}
