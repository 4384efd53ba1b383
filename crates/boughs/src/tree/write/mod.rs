//! Trees out: brackets and the other formats, each a function that writes one tree.

mod bracket;
mod export;
pub mod json;
mod latex;
mod table;

pub use bracket::{write_line, write_pretty};
pub use export::write_export;
pub use json::{write_json, write_json_with};
pub use latex::{LATEX_END, LATEX_PREAMBLE, write_latex};
pub use table::write_table;
