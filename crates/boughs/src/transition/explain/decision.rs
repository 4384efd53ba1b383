//! One decision of a parse: the inference that was made, the alternatives, and what made the difference.

use std::collections::BTreeSet;

use super::Explainer;
use crate::model::{Condition, ScoreReason};
use crate::span::Span;
use crate::transition::guide::Scored;
use crate::transition::model::action_name;
use crate::transition::state::{Inference, ParserState};

/// An inference that could be made.
#[derive(Debug, Clone, PartialEq)]
pub struct CandidateInference {
    /// What would be inferred: a label, or a shift.
    pub label: String,
    /// The tokens that it is about, as the parser counts them.
    pub span: Span,
    /// The labels or tags of the children.
    pub children: Vec<String>,
    /// Its score.
    pub score: f64,
    /// Whether it leads on to the gold tree, if there is one.
    pub is_correct: Option<bool>,
}

/// A step of a parse.
#[derive(Debug, Clone, PartialEq)]
pub struct Decision {
    /// The inference that was made.
    pub made: CandidateInference,
    /// The best of the others.
    pub alternatives: Vec<CandidateInference>,
    /// How many there were in all.
    pub num_candidates: usize,
    /// How many of the others have a better score: the search found that they lead nowhere good.
    pub num_better: usize,
    /// What makes up the difference to the score of the first alternative; the most important first.
    pub differences: Vec<Difference>,
}

/// A part of the difference between two scores.
#[derive(Debug, Clone, PartialEq)]
pub struct Difference {
    /// Whose classifier it is.
    pub label: String,
    /// Whether the conditions hold for the alternative, not for the inference that was made.
    pub is_of_alternative: bool,
    /// What it is due to: empty for the sum of the scores by default, where no question is answered with yes.
    pub conditions: Vec<Condition>,
    /// How much it adds to the lead of the inference that was made.
    pub effect: f64,
}

impl Explainer<'_> {
    pub(super) fn decision(
        &mut self,
        state: &ParserState,
        made: Scored,
        scored: &[Scored],
        correct: Option<&[Inference]>,
    ) -> Decision {
        let mut others: Vec<Scored> =
            scored.iter().copied().filter(|other| other.inference != made.inference).collect();
        let rank = |scored: &Scored| (scored.inference.action, scored.inference.place);
        others.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| rank(a).cmp(&rank(b))));
        let num_better = others.iter().filter(|other| other.score > made.score).count();
        let differences = others.first().map(|other| self.differences(state, made, *other));
        let candidate = |scored: &Scored| self.candidate(state, *scored, correct);
        Decision {
            made: candidate(&made),
            alternatives: others.iter().take(self.max_alternatives).map(candidate).collect(),
            num_candidates: scored.len(),
            num_better,
            differences: differences.unwrap_or_default(),
        }
    }

    fn candidate(
        &self,
        state: &ParserState,
        scored: Scored,
        correct: Option<&[Inference]>,
    ) -> CandidateInference {
        let Scored { inference, score } = scored;
        let (symbols, items) = (&self.model.symbols, &self.workspace.items);
        let children = state.items_at(inference.place);
        CandidateInference {
            label: action_name(symbols, inference.action).to_owned(),
            span: state.span_at(inference.place, items),
            children: children.iter().map(|&id| symbols.name(items.get(id).symbol).to_owned()).collect(),
            score,
            is_correct: correct.map(|correct| correct.contains(&inference)),
        }
    }

    /// What made the difference between two inferences.
    fn differences(&mut self, state: &ParserState, made: Scored, other: Scored) -> Vec<Difference> {
        let [mut for_made, mut for_other] = [made, other].map(|scored| self.reasons(state, scored.inference));
        if made.inference.action == other.inference.action {
            // The classifier is the same, so what holds for both adds the same to both.
            (for_made, for_other) = without_common(for_made, for_other);
        }
        let mut differences = Vec::new();
        let sides = [(made, for_made, false), (other, for_other, true)];
        for (scored, reasons, is_of_alternative) in sides {
            let label = action_name(&self.model.symbols, scored.inference.action);
            differences.extend(with_one_default(reasons).into_iter().map(|reason| Difference {
                label: label.to_owned(),
                is_of_alternative,
                conditions: reason.conditions,
                effect: if is_of_alternative { -reason.confidence } else { reason.confidence },
            }));
        }
        // The sort is stable, so among equals those of the inference that was made come first.
        differences.sort_by(|a, b| b.effect.abs().total_cmp(&a.effect.abs()));
        differences
    }

    fn reasons(&mut self, state: &ParserState, inference: Inference) -> Vec<ScoreReason> {
        let features = self.model.features(state, inference, &mut self.workspace);
        self.model.forest.explain(&features, self.model.classifier(inference.action))
    }
}

/// Sums up the conjunctions in which nothing holds: each is the confidence of a tree none of whose questions is
/// answered with yes, and tells people nothing.
fn with_one_default(reasons: Vec<ScoreReason>) -> Vec<ScoreReason> {
    let is_default = |reason: &ScoreReason| !reason.conditions.iter().any(|condition| condition.is_active);
    let (defaults, mut others): (Vec<ScoreReason>, Vec<ScoreReason>) =
        reasons.into_iter().partition(is_default);
    if !defaults.is_empty() {
        let confidence = defaults.iter().map(|reason| reason.confidence).sum();
        others.push(ScoreReason { conditions: Vec::new(), confidence });
    }
    others
}

/// The reasons of each that the other does not have.
fn without_common(one: Vec<ScoreReason>, other: Vec<ScoreReason>) -> (Vec<ScoreReason>, Vec<ScoreReason>) {
    let conditions = |reasons: &[ScoreReason]| -> BTreeSet<Vec<Condition>> {
        reasons.iter().map(|reason| reason.conditions.clone()).collect()
    };
    let (of_one, of_other) = (conditions(&one), conditions(&other));
    let keep = |reasons: Vec<ScoreReason>, known: &BTreeSet<Vec<Condition>>| {
        reasons.into_iter().filter(|reason| !known.contains(&reason.conditions)).collect()
    };
    (keep(one, &of_other), keep(other, &of_one))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reason(feature: u32, confidence: f64) -> ScoreReason {
        ScoreReason { conditions: vec![Condition { feature, is_active: true }], confidence }
    }

    #[test]
    fn what_holds_for_both_makes_no_difference() {
        let (one, other) =
            without_common(vec![reason(1, 0.5), reason(2, 1.0)], vec![reason(2, 1.0), reason(3, 2.0)]);
        assert_eq!((one, other), (vec![reason(1, 0.5)], vec![reason(3, 2.0)]));
    }

    #[test]
    fn what_does_not_hold_is_summed_up() {
        let absent = |feature, confidence| ScoreReason {
            conditions: vec![Condition { feature, is_active: false }],
            confidence,
        };
        let found = with_one_default(vec![absent(1, 0.5), reason(2, 1.0), absent(3, 0.25)]);
        assert_eq!(found, [reason(2, 1.0), ScoreReason { conditions: Vec::new(), confidence: 0.75 }]);
        assert!(with_one_default(Vec::new()).is_empty());
    }
}
