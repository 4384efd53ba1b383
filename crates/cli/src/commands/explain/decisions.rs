//! The decisions of one sentence.

use std::io::{self, Write};

use boughs::parse::Status;
use boughs::transition::explain::{
    CandidateInference, Decision, Diagnosis, Difference, Explained, Explainer, ParseFault,
};
use boughs::tree::Tokens;

use super::{ExplainArgs, write_head};
use crate::sentences::Item;

pub(super) fn write(
    args: &ExplainArgs,
    explainer: &Explainer<'_>,
    item: &Item,
    explained: &Explained,
    out: &mut impl Write,
) -> io::Result<()> {
    write_head(item, explained.sentence.words(), out)?;
    for (number, decision) in (1..).zip(&explained.decisions) {
        let is_wrong = decision.made.is_correct == Some(false) || decision.num_better > 0;
        if is_wrong || !args.wrong {
            writeln!(out, "{number:>4}  {}", show(&decision.made, &explained.sentence))?;
            write_decision(args, explainer, decision, &explained.sentence, out)?;
        }
    }
    write_end(explained, out)?;
    writeln!(out)
}

/// Writes what else could have been inferred, and why it was not.
fn write_decision(
    args: &ExplainArgs,
    explainer: &Explainer<'_>,
    decision: &Decision,
    sentence: &Tokens,
    out: &mut impl Write,
) -> io::Result<()> {
    if decision.num_better > 0 {
        writeln!(out, "        the search preferred it to {} with a better score", decision.num_better)?;
    }
    for alternative in &decision.alternatives {
        writeln!(out, "      not {}", show(alternative, sentence))?;
    }
    let in_words = |difference: &Difference| {
        let of = if difference.is_of_alternative { "alternative " } else { "" };
        format!("{of}{}: {}", difference.label, explainer.in_words(&difference.conditions, args.absent))
    };
    args.write_reasons(&decision.differences, |difference| difference.effect, in_words, out)
}

fn show(candidate: &CandidateInference, sentence: &Tokens) -> String {
    let words: Vec<&str> = candidate.span.range().map(|index| sentence.word(index)).collect();
    let mark = match candidate.is_correct {
        Some(true) => "  right",
        Some(false) => "  wrong",
        None => "",
    };
    let CandidateInference { label, children, score, .. } = candidate;
    format!("{label} → {}  “{}”  {score:+.3}{mark}", children.join(" "), words.join(" "))
}

fn write_end(explained: &Explained, out: &mut impl Write) -> io::Result<()> {
    let end = match (explained.status, explained.greedy_was_best) {
        (Status::Trivial, _) => return writeln!(out, "  there is nothing to parse"),
        (Status::Fallback(_), _) => "no complete parse",
        (Status::Optimal, Some(true)) => "the best parse there is, and the greedy one",
        (Status::Optimal, Some(false)) => "the best parse there is, not the greedy one",
        (Status::Optimal, None) => "the best parse there is",
        (Status::Greedy, _) => "the greedy parse",
        _ => "the best parse found; the search was cut short",
    };
    writeln!(out, "  cost {:.4}: {end}; {} inferences scored", explained.cost, explained.num_inferences)?;
    let Some(Diagnosis { fault, gold_cost }) = explained.diagnosis else { return Ok(()) };
    let cost = gold_cost.unwrap_or(f64::NAN);
    match fault {
        ParseFault::None => writeln!(out, "  it is the gold tree"),
        ParseFault::Search => {
            writeln!(out, "  search error: the gold tree is better, cost {cost:.4}, but was not found")
        }
        ParseFault::Model => writeln!(out, "  model error: the gold tree is not better, cost {cost:.4}"),
        ParseFault::Rules => {
            writeln!(out, "  the gold tree breaks the rules of the parser and cannot be found")
        }
    }
}
