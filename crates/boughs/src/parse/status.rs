//! How a tree came about.

/// How a tree was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Status {
    /// There was nothing to search for.
    Trivial,
    /// It is the best there is.
    Optimal,
    /// It is the best of what pruning left.
    Pruned,
    /// The search was greedy and did not look for a better one.
    Greedy,
    /// A limit ended the search before it was proved that nothing is better.
    CutShort(Limit),
    /// There is no complete parse: the tree is made of what there was. A limit may be the reason.
    Fallback(Option<Limit>),
    /// The sentence was too long to be parsed as one: its parts were, and stand below one root.
    InParts,
    /// The sentence was too long to be parsed, and could not be cut into parts.
    TooLong,
    /// It does not meet the constraints.
    ConstraintsUnmet,
}

/// What ended a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Limit {
    /// The time was up.
    Time,
    /// Enough inferences were scored.
    Inferences,
    /// Enough steps were taken.
    Steps,
    /// The agenda was too small: something better may have been forgotten.
    Agenda,
    /// No parse costs less than the bound.
    Bound,
}

impl Status {
    /// One of each name.
    pub const ALL: [Self; 9] = [
        Self::Trivial,
        Self::Optimal,
        Self::Pruned,
        Self::Greedy,
        Self::CutShort(Limit::Time),
        Self::Fallback(None),
        Self::InParts,
        Self::TooLong,
        Self::ConstraintsUnmet,
    ];

    /// The limit that ended the search, if one did.
    pub fn limit(self) -> Option<Limit> {
        match self {
            Self::CutShort(limit) => Some(limit),
            Self::Fallback(limit) => limit,
            _ => None,
        }
    }

    /// Whether the tree is not a parse by the model.
    pub fn is_fallback(self) -> bool {
        matches!(self, Self::Fallback(_) | Self::InParts | Self::TooLong)
    }

    /// Its name, as JSON has it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Trivial => "trivial",
            Self::Optimal => "optimal",
            Self::Pruned => "pruned",
            Self::Greedy => "greedy",
            Self::CutShort(_) => "cut-short",
            Self::Fallback(_) => "fallback",
            Self::InParts => "in-parts",
            Self::TooLong => "too-long",
            Self::ConstraintsUnmet => "constraints-unmet",
        }
    }
}
