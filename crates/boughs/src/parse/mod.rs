//! What every parser is asked, and what it answers.
//!
//! Chart parsers and transition parsers have nothing in common but this: a [`Request`] goes in, [`Parsed`] comes out.
//! There is always a tree; its [`Status`] says how it came about.

mod parsed;
mod phrases;
mod record;
mod status;

use std::time::{Duration, Instant};

pub use parsed::{Parse, Parsed};
pub use phrases::PHRASE_COLUMNS;
pub use record::ParseRecord;
pub use status::{Limit, Status};

use crate::tree::{Constraints, Tokens};

/// A sentence to parse.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    /// The words as the model knows them. A tag that is empty is for the parser to find.
    pub tokens: &'a Tokens,
    /// What the tree must be like.
    pub constraints: &'a Constraints,
    /// How many different parses are wanted.
    pub num_best: usize,
    /// When to take the best that was found.
    pub deadline: Option<Instant>,
    /// What a parse must cost less than to be of use: a search may end as soon as none can.
    pub bound: Option<f64>,
}

impl<'a> Request<'a> {
    /// A sentence of which the best parse is wanted, without constraints and limits.
    pub fn new(tokens: &'a Tokens) -> Self {
        const NONE: &Constraints = &Constraints::none();
        Self { tokens, constraints: NONE, num_best: 1, deadline: None, bound: None }
    }

    /// The same without constraints.
    #[must_use]
    pub fn unconstrained(self) -> Self {
        Self { constraints: Self::new(self.tokens).constraints, ..self }
    }
}

/// When a sentence that is begun now must be done.
pub fn deadline(timeout: Option<Duration>) -> Option<Instant> {
    timeout.and_then(|timeout| Instant::now().checked_add(timeout))
}
