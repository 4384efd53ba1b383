//! What could not be read, by what it costs.

use std::fmt;

use boughs::{Error, ErrorKind};

use crate::Outcome;

/// What an error of a reader costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Loss {
    /// The tree of one sentence.
    Tree,
    /// Nothing: what cannot be read stands between trees, and no sentence is missing.
    Stray,
    /// All trees of the file from here on.
    RestOfFile,
}

impl Loss {
    pub(crate) fn of(error: &Error) -> Self {
        match (error.kind(), error.place().tree) {
            (ErrorKind::Io, _) => Self::RestOfFile,
            (_, None) => Self::Stray,
            (_, Some(_)) => Self::Tree,
        }
    }
}

/// How much was lost so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Losses {
    /// Trees that cannot be read.
    pub(crate) trees: u64,
    /// Errors between trees.
    pub(crate) strays: u64,
    /// Files that could not be read to their end.
    pub(crate) files: u64,
}

impl Losses {
    pub(crate) fn add(&mut self, loss: Loss) {
        match loss {
            Loss::Tree => self.trees += 1,
            Loss::Stray => self.strays += 1,
            Loss::RestOfFile => self.files += 1,
        }
    }

    pub(crate) fn outcome(self) -> Outcome {
        if self == Self::default() { Outcome::Complete } else { Outcome::Partial }
    }
}

impl fmt::Display for Losses {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [
            (self.trees, "tree was skipped", "trees were skipped"),
            (self.strays, "error between trees was passed over", "errors between trees were passed over"),
            (self.files, "file was not read to its end", "files were not read to their end"),
        ];
        let mut separator = "";
        for (number, one, many) in parts.into_iter().filter(|(number, ..)| *number > 0) {
            write!(f, "{separator}{number} {}", if number == 1 { one } else { many })?;
            separator = ", ";
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_by_what_they_cost() {
        let syntax = || Error::new(ErrorKind::Syntax, "m");
        assert_eq!(Loss::of(&syntax()), Loss::Stray);
        assert_eq!(Loss::of(&syntax().in_tree(3)), Loss::Tree);
        assert_eq!(Loss::of(&Error::new(ErrorKind::Io, "m").in_tree(3)), Loss::RestOfFile);
    }

    #[test]
    fn one_line_for_all() {
        let losses = Losses { trees: 2, strays: 0, files: 1 };
        assert_eq!(losses.to_string(), "2 trees were skipped, 1 file was not read to its end");
        assert_eq!((losses.outcome(), Losses::default().outcome()), (Outcome::Partial, Outcome::Complete));
    }
}
