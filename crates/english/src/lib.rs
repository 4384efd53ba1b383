//! The parser for English that ships with boughs, as data: a model file, for `boughs::parser::Parser::english`.
//!
//! What it learned from, how well it parses, its licence and the command that trained it are in README.md.

/// The model file.
pub static MODEL: &[u8] = include_bytes!("../english.model");
