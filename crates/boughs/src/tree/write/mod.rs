//! Trees out: brackets and the other formats, each a function that writes one tree.

mod bracket;
mod export;
mod table;

pub use bracket::{write_line, write_pretty};
pub use export::write_export;
pub use table::write_table;
