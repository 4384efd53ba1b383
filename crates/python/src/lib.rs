//! The extension module `boughs._boughs`: what the library has, for Python. It decides nothing by itself; what Python
//! users see is described in `_boughs.pyi`.

mod background;
mod error;
mod json;
mod learn;
mod options;
mod parser;
mod peers;
mod scores;
mod sentence;
mod stream;
mod team;
mod training;
mod tree;
mod treebank;

use std::ffi::OsString;
use std::time::Duration;

use pyo3::prelude::*;

/// How long Ctrl-C waits at most while Python waits for threads.
const TICK: Duration = Duration::from_millis(50);

/// Runs the program `boughs` and gives its exit code.
#[pyfunction]
fn main(py: Python<'_>, args: Vec<OsString>) -> u8 {
    py.detach(|| boughs_cli::main(args))
}

#[pymodule]
mod _boughs {
    #[pymodule_export]
    use super::learn::{_restore_classifier, Classifier, fit_classifier};
    #[pymodule_export]
    use super::main;
    #[pymodule_export]
    use super::parser::{_restore_parser, PyParser, load};
    #[pymodule_export]
    use super::scores::{compare_trees, evaluate_trees};
    #[pymodule_export]
    use super::sentence::{_restore_document, _restore_sentence, PyDocument, PySentence, split};
    #[pymodule_export]
    use super::stream::Stream;
    #[pymodule_export]
    use super::training::{PyFollower, train_parser};
    #[pymodule_export]
    use super::tree::{_restore_phrase, _restore_token, _restore_tree, PyPhrase, PyToken, PyTree};
    #[pymodule_export]
    use super::treebank::{clean_trees, read_trees, write_trees};
}
