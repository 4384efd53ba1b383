//! Trees out: brackets and the other formats, each a function that writes one tree.

mod bracket;

pub use bracket::{write_line, write_pretty};
