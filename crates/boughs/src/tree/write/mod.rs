//! Trees out: brackets and the other formats, each a function that writes one tree.

mod bracket;
mod conllu;
mod export;
pub mod json;
mod latex;
mod table;

pub use bracket::{write_line, write_pretty};
pub use conllu::write_conllu;
pub use export::write_export;
pub use json::write_json;
pub(crate) use json::{Place, write_json_with};
pub use latex::{LATEX_END, LATEX_PREAMBLE, write_latex};
pub use table::write_table;

use std::fmt;

use super::{Token, Tree, WalkEvent};

/// A format in which a phrase opens, its children follow, and it closes.
trait Nested {
    fn open_phrase(&mut self, label: &str) -> fmt::Result;
    fn token(&mut self, token: Token<'_>) -> fmt::Result;
    fn close_phrase(&mut self) -> fmt::Result;

    /// Writes everything in a tree.
    fn everything_in(&mut self, tree: &Tree) -> fmt::Result {
        tree.events().try_for_each(|event| match event {
            WalkEvent::Open(id) => self.open_phrase(tree.label(id)),
            WalkEvent::Token(index) => self.token(tree.token(index)),
            WalkEvent::Close(_) => self.close_phrase(),
        })
    }
}
