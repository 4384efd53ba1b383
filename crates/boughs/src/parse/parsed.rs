//! What comes of parsing a sentence, whatever the parser.

use super::{Limit, Status};
use crate::error::Error;
use crate::tree::{NodeId, Tree};

/// The root of every parse.
const ROOT: &str = "TOP";

/// Trees, and how they were found.
#[derive(Debug)]
pub struct Parsed {
    /// The trees over all tokens of the sentence, the best first; always at least one.
    pub parses: Vec<Parse>,
    /// How they were found.
    pub status: Status,
    /// What ended a search for something better, if one did. It is told apart from the status because constraints may
    /// be unmet besides.
    pub(crate) limit: Option<Limit>,
    /// Why the trees do not meet the constraints, if they do not.
    pub unmet: Option<Error>,
}

/// A tree with what the parser thinks of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Parse {
    /// The tree.
    pub tree: Tree,
    /// How bad it is, in the parser's own measure; none if it is a fallback or there was nothing to decide.
    pub cost: Option<f64>,
    /// For each phrase in pre-order its posterior probability; none where there is no telling. Phrases beyond the end
    /// have none.
    pub confidences: Vec<Option<f64>>,
}

impl Parse {
    /// The probability that a phrase is right, as the parser sees it; none where there is no telling.
    pub fn confidence(&self, phrase: NodeId) -> Option<f64> {
        self.confidences.get(phrase.index()).copied().flatten()
    }
}

impl Parsed {
    /// Parses that were found in this way.
    pub(crate) fn new(parses: Vec<Parse>, status: Status) -> Self {
        Self { parses, status, limit: status.limit(), unmet: None }
    }

    /// A tree that is not a parse by the model: a root over what there is.
    pub(crate) fn fallback(mut tree: Tree, status: Status) -> Self {
        if !tree.is_empty() {
            tree.set_root(ROOT);
        }
        Self::new(vec![Parse { tree, cost: None, confidences: Vec::new() }], status)
    }

    /// The best tree.
    ///
    /// # Panics
    /// If `parses` was emptied.
    pub fn tree(&self) -> &Tree {
        &self.parses[0].tree
    }

    /// The same, found without keeping to constraints.
    pub(crate) fn against(self, unmet: Error) -> Self {
        Self { status: Status::ConstraintsUnmet, unmet: Some(unmet), ..self }
    }

    /// What another parse must cost less than to be among the best so many.
    pub(crate) fn bound(&self, num_best: usize) -> Option<f64> {
        self.parses.get(num_best - 1).and_then(|parse| parse.cost).filter(|_| self.is_sound())
    }

    fn is_sound(&self) -> bool {
        self.unmet.is_none() && !self.status.is_fallback()
    }

    /// The better of two, or the best parses of both if neither is a fallback. Where one was cut short, something may
    /// be better.
    pub(crate) fn or_better(mut self, mut other: Self, num_best: usize) -> Self {
        let limit = self.limit.or(other.limit);
        match (self.is_sound(), other.is_sound()) {
            (false, true) => return other.cut_short(limit),
            (_, false) => return self.cut_short(limit),
            (true, true) => {}
        }
        let status = if other.parses[0].cost < self.parses[0].cost { other.status } else { self.status };
        self.parses.append(&mut other.parses);
        self.parses.sort_by(|a, b| a.cost.unwrap_or(0.0).total_cmp(&b.cost.unwrap_or(0.0)));
        self.parses.truncate(num_best);
        Self { status, ..self }.cut_short(limit)
    }

    /// The same if something that might be better was not searched to its end.
    pub(crate) fn cut_short(self, limit: Option<Limit>) -> Self {
        let limit = self.limit.or(limit).filter(|limit| *limit != Limit::Bound);
        let status = match (self.status, limit) {
            (Status::Optimal | Status::Greedy, Some(limit)) => Status::CutShort(limit),
            (Status::Fallback(_), Some(Limit::Time)) => Status::Fallback(limit),
            (status, _) => status,
        };
        Self { status, limit, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;

    fn found(cost: f64, status: Status) -> Parsed {
        let parses = vec![Parse { tree: Tree::empty(), cost: Some(cost), confidences: Vec::new() }];
        Parsed::new(parses, status)
    }

    fn fallback(limit: Option<Limit>) -> Parsed {
        Parsed::fallback(Tree::empty(), Status::Fallback(limit))
    }

    const CUT: Status = Status::CutShort(Limit::Inferences);

    #[test]
    fn what_was_cut_short_might_have_won() {
        let optimal = || found(2.0, Status::Optimal);
        let late = Some(Limit::Time);
        for (one, other, status) in [
            (optimal(), found(3.0, Status::Optimal), Status::Optimal),
            (optimal(), found(3.0, CUT), CUT),
            (optimal(), found(1.0, CUT), CUT),
            (found(3.0, CUT), optimal(), CUT),
            (found(1.0, CUT), optimal(), CUT),
            (optimal(), fallback(None), Status::Optimal),
            (optimal(), fallback(late), Status::CutShort(Limit::Time)),
            (fallback(None), optimal(), Status::Optimal),
            (fallback(Some(Limit::Inferences)), optimal(), CUT),
            (fallback(None), fallback(late), Status::Fallback(late)),
            (found(2.0, Status::Greedy), fallback(None), Status::Greedy),
        ] {
            let told = format!("{one:?}\n{other:?}");
            assert_eq!(one.or_better(other, 1).status, status, "{told}");
        }
        let unmet = found(1.0, CUT).against(Error::new(ErrorKind::Argument, "no such tree"));
        assert_eq!(unmet.or_better(optimal(), 1).status, CUT);
    }

    #[test]
    fn whatever_is_cut_short_once_stays_so() {
        let parsed = found(2.0, Status::Optimal).or_better(fallback(Some(Limit::Inferences)), 1);
        assert_eq!(parsed.or_better(found(1.0, Status::Optimal), 1).status, CUT);
    }

    #[test]
    fn a_fallback_beats_nothing() {
        let cheap = Parsed { status: Status::Fallback(None), ..found(0.1, Status::Optimal) };
        assert_eq!(cheap.bound(1), None);
        let parsed = cheap.or_better(found(5.0, Status::Optimal), 1);
        assert_eq!((parsed.bound(1), parsed.bound(2)), (Some(5.0), None));
    }
}
