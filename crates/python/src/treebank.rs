//! Treebanks: read and cleaned.

use std::path::PathBuf;

use boughs::tree::read::{Encoding, Format, Input, ReadOptions, TreebankReader};
use boughs::tree::transform::{KeepOrDrop, Pipeline, WordCounts};
use boughs::tree::{Tree, write};
use boughs::treebank::sample_inputs;
use pyo3::prelude::*;

use crate::error::{OrRaise, argument, exception};
use crate::tree::PyTree;

/// Trees that are read before Python may do something else.
const BLOCK: usize = 1000;

const FORMATS: [(&str, Format); 8] = [
    ("bracket", Format::Bracket),
    ("export", Format::Export),
    ("tiger", Format::TigerXml),
    ("sinica", Format::Sinica),
    ("floresta", Format::Floresta),
    ("alpino", Format::AlpinoXml),
    ("json", Format::Json),
    ("table", Format::Table),
];

const ENCODINGS: [(&str, Encoding); 2] = [("utf8", Encoding::Utf8), ("latin1", Encoding::Latin1)];

/// What has a name among those that are known.
pub(crate) fn named<T: Copy>(py: Python<'_>, what: &str, name: &str, known: &[(&str, T)]) -> PyResult<T> {
    match known.iter().find(|(other, _)| *other == name) {
        Some(&(_, value)) => Ok(value),
        None => {
            let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
            Err(argument(
                py,
                format!("there is no {what} `{name}`"),
                &format!("there are {}", names.join(", ")),
            ))
        }
    }
}

/// The trees of files; faults go to `on_error`, if there is one, and their trees are left out.
#[pyfunction]
pub(crate) fn read_trees(
    py: Python<'_>,
    paths: Vec<PathBuf>,
    format: Option<&str>,
    encoding: &str,
    attach_discontinuous: bool,
    on_error: Option<Bound<'_, PyAny>>,
) -> PyResult<Vec<PyTree>> {
    let options = ReadOptions {
        format: format.map(|format| named(py, "format", format, &FORMATS)).transpose()?,
        encoding: named(py, "encoding", encoding, &ENCODINGS)?,
        attach_discontinuous,
        ..ReadOptions::default()
    };
    let mut inputs = Vec::new();
    for path in paths {
        let of_sample = path.to_str().map_or(Ok(None), sample_inputs).or_raise(py)?;
        inputs.extend(of_sample.unwrap_or_else(|| vec![Input::Path(path)]));
    }
    let mut reader = TreebankReader::open(inputs, options).or_raise(py)?;
    let mut trees = Vec::new();
    loop {
        let block: Vec<_> = py.detach(|| reader.by_ref().take(BLOCK).collect());
        if block.is_empty() {
            return Ok(trees);
        }
        py.check_signals()?;
        for tree in block {
            match (tree, &on_error) {
                (Ok(tree), _) => trees.push(PyTree::of(tree)),
                (Err(error), None) => return Err(exception(py, &error)),
                (Err(error), Some(on_error)) => {
                    on_error.call1((exception(py, &error).into_value(py),))?;
                }
            }
        }
    }
}

/// Trees after the steps of a pipeline; those that are too long are left out.
#[pyfunction]
pub(crate) fn clean_trees(
    py: Python<'_>,
    trees: Vec<PyRef<'_, PyTree>>,
    steps: &str,
) -> PyResult<Vec<PyTree>> {
    let mut pipeline: Pipeline = steps.parse().or_raise(py)?;
    let trees: Vec<Tree> = trees.iter().map(|tree| tree.0.tree.clone()).collect();
    let cleaned: Vec<Tree> = py.detach(|| {
        if let Some(min_count) = pipeline.min_count() {
            let mut counts = WordCounts::new(pipeline.settings.counting);
            trees.iter().for_each(|tree| pipeline.count_words(tree.clone(), &mut counts));
            pipeline.settings.vocabulary = Some(counts.vocabulary(min_count));
        }
        let clean = |mut tree: Tree| (pipeline.apply(&mut tree) == KeepOrDrop::Keep).then_some(tree);
        trees.into_iter().filter_map(clean).collect()
    });
    Ok(cleaned.into_iter().map(PyTree::of).collect())
}

/// Trees as brackets, a line for each.
#[pyfunction]
pub(crate) fn write_trees(trees: Vec<PyRef<'_, PyTree>>) -> String {
    let mut text = String::new();
    for tree in trees {
        // Strings take all that is written.
        let _ = write::write_line(&tree.0.tree, &mut text);
        text.push('\n');
    }
    text
}
