//! Trees out: brackets and the other formats, each a function that writes one tree.

mod bracket;
pub mod json;
mod latex;

pub use bracket::{write_line, write_pretty};
pub use json::write_json;
pub use latex::{LATEX_END, LATEX_PREAMBLE, write_latex};
