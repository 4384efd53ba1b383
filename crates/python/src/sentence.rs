//! `Document` and `Sentence`.

use std::sync::Arc;

use boughs::parser::{Parsed, Sentence, Status};
use boughs::text::{self, Language, Tokenizer, Unit};
use boughs::tree::Tree;
use boughs::tree::heads::HeadRules;
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::{PyIterator, PyList, PyString};

use crate::error::text_of;
use crate::tree::{PyTree, TreeData};
use crate::treebank::named;

/// A sentence and its parses.
#[derive(Debug)]
pub(crate) struct SentenceData {
    /// The parses, the best first; always at least one.
    parses: Vec<(Arc<TreeData>, Option<f64>)>,
    status: &'static str,
    is_fallback: bool,
    /// Why constraints are not met, if they are not.
    unmet: Option<String>,
}

impl SentenceData {
    pub(crate) fn new(parsed: Parsed, heads: &Arc<HeadRules>) -> Self {
        let Parsed { parses, status, unmet, .. } = parsed;
        let data = |parse: boughs::parser::Parse| {
            // Larger is better in Python, as everywhere where something is called a score.
            let score = parse.cost.map(|cost| -cost);
            (TreeData::new(parse.tree, Some(Arc::clone(heads)), parse.confidences), score)
        };
        Self {
            parses: parses.into_iter().map(data).collect(),
            status: status.name(),
            is_fallback: status.is_fallback(),
            unmet: unmet.map(|error| error.to_string()),
        }
    }
}

/// The sentences of a text, which know their places in it.
pub(crate) fn sentences(text: &str, tokenizer: Tokenizer) -> Vec<Sentence> {
    tokenizer.sentences(text).map(|sentence| Sentence::from_text(&sentence)).collect()
}

const UNITS: [(&str, Unit); 4] = [
    ("text", Unit::Text),
    ("wrapped", Unit::Wrapped),
    ("paragraphs", Unit::Paragraph),
    ("lines", Unit::Line),
];

/// What takes a text apart where what line breaks mean has a name.
pub(crate) fn tokenizer(py: Python<'_>, unit: &str, language: Language) -> PyResult<Tokenizer> {
    Ok(Tokenizer { unit: named(py, "unit", unit, &UNITS)?, language, ..Tokenizer::default() })
}

/// Where the sentences of a text begin and end, in characters.
#[pyfunction]
pub(crate) fn split(text: &Bound<'_, PyString>) -> PyResult<Vec<(u64, u64)>> {
    let sentences = text::sentences(text_of(text)?);
    Ok(sentences.map(|sentence| (sentence.char_start(), sentence.char_end())).collect())
}

/// A text that is one sentence, whatever is in it.
pub(crate) fn one_sentence(text: &str, language: Language) -> Sentence {
    Sentence::from_text(&Tokenizer { language, ..Tokenizer::default() }.tokenize(text))
}

#[pyclass(name = "Sentence", module = "boughs", frozen)]
pub(crate) struct PySentence(pub(crate) Arc<SentenceData>);

impl PySentence {
    fn tree_data(&self) -> &Tree {
        &self.0.parses[0].0.tree
    }

    fn best(&self) -> PyTree {
        PyTree(Arc::clone(&self.0.parses[0].0))
    }
}

#[pymethods]
impl PySentence {
    #[getter]
    fn text(&self) -> String {
        self.tree_data().text(self.tree_data().whole()).into_owned()
    }

    #[getter]
    fn tree(&self) -> PyTree {
        self.best()
    }

    #[getter]
    fn trees(&self) -> Vec<PyTree> {
        self.0.parses.iter().map(|(tree, _)| PyTree(Arc::clone(tree))).collect()
    }

    #[getter]
    fn score(&self) -> Option<f64> {
        self.0.parses[0].1
    }

    #[getter]
    fn scores(&self) -> Vec<Option<f64>> {
        self.0.parses.iter().map(|(_, score)| *score).collect()
    }

    #[getter]
    fn status(&self) -> &'static str {
        self.0.status
    }

    #[getter]
    fn is_fallback(&self) -> bool {
        self.0.is_fallback
    }

    #[getter]
    fn unmet(&self) -> Option<&str> {
        self.0.unmet.as_deref()
    }

    #[getter]
    fn words(&self) -> Vec<String> {
        self.tree_data().words().map(str::to_owned).collect()
    }

    #[getter]
    fn tags(&self) -> Vec<String> {
        self.tree_data().tokens().map(|token| token.tag.to_owned()).collect()
    }

    #[getter]
    fn start_byte(&self) -> Option<u64> {
        self.tree_data().bytes(self.tree_data().whole()).map(|place| place.start)
    }

    #[getter]
    fn end_byte(&self) -> Option<u64> {
        self.tree_data().bytes(self.tree_data().whole()).map(|place| place.end)
    }

    #[getter]
    fn start_char(&self) -> Option<u64> {
        self.tree_data().chars(self.tree_data().whole()).map(|place| place.start)
    }

    #[getter]
    fn end_char(&self) -> Option<u64> {
        self.tree_data().chars(self.tree_data().whole()).map(|place| place.end)
    }

    fn _repr_svg_(&self) -> String {
        self.best().svg()
    }

    fn __len__(&self) -> usize {
        self.tree_data().num_tokens()
    }

    fn __str__(&self) -> String {
        self.text()
    }

    fn __repr__(&self) -> String {
        format!("<Sentence {:?}>", self.text())
    }

    fn __eq__(&self, other: &Self) -> bool {
        let trees = |sentence: &Self| -> Vec<_> {
            sentence.0.parses.iter().map(|(tree, score)| (tree.tree.clone(), *score)).collect()
        };
        self.0.status == other.0.status && self.text() == other.text() && trees(self) == trees(other)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, SentenceState)> {
        let state = (self.trees(), self.scores(), self.0.status.to_owned(), self.0.unmet.clone());
        Ok((py.import("boughs._boughs")?.getattr("_restore_sentence")?, state))
    }
}

type SentenceState = (Vec<PyTree>, Vec<Option<f64>>, String, Option<String>);

/// What pickle calls.
#[pyfunction]
pub(crate) fn _restore_sentence(
    trees: Vec<PyRef<'_, PyTree>>,
    scores: Vec<Option<f64>>,
    status: &str,
    unmet: Option<String>,
) -> PyResult<PySentence> {
    let known = Status::ALL.iter().find(|known| known.name() == status);
    let (Some(known), false) = (known, trees.is_empty()) else {
        return Err(PyIndexError::new_err("expected a sentence as pickle has it"));
    };
    Ok(PySentence(Arc::new(SentenceData {
        parses: trees.iter().map(|tree| Arc::clone(&tree.0)).zip(scores).collect(),
        status: known.name(),
        is_fallback: known.is_fallback(),
        unmet,
    })))
}

#[pyclass(name = "Document", module = "boughs", frozen, sequence)]
pub(crate) struct PyDocument {
    text: Py<PyString>,
    sentences: Vec<Arc<SentenceData>>,
}

impl PyDocument {
    pub(crate) fn new(text: &Bound<'_, PyString>, sentences: Vec<Arc<SentenceData>>) -> Self {
        Self { text: text.clone().unbind(), sentences }
    }
}

#[pymethods]
impl PyDocument {
    #[getter]
    fn text<'py>(&self, py: Python<'py>) -> Bound<'py, PyString> {
        self.text.bind(py).clone()
    }

    #[getter]
    fn sentences(&self) -> Vec<PySentence> {
        self.sentences.iter().map(|sentence| PySentence(Arc::clone(sentence))).collect()
    }

    #[pyo3(signature = (backend="pandas"))]
    fn to_frame<'py>(slf: &Bound<'py, Self>, backend: &str) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("boughs.frames")?.call_method1("phrases", (slf, backend))
    }

    fn _repr_html_<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("boughs.html")?.call_method1("document", (slf,))
    }

    fn __len__(&self) -> usize {
        self.sentences.len()
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        PyList::new(py, self.sentences())?.try_iter()
    }

    fn __getitem__(&self, index: isize) -> PyResult<PySentence> {
        let place = if index < 0 { index + self.sentences.len() as isize } else { index };
        let sentence = usize::try_from(place).ok().and_then(|place| self.sentences.get(place));
        match sentence {
            Some(sentence) => Ok(PySentence(Arc::clone(sentence))),
            None => Err(PyIndexError::new_err(format!(
                "expected a sentence of a document of {}, found {index}",
                self.sentences.len()
            ))),
        }
    }

    fn __str__<'py>(&self, py: Python<'py>) -> Bound<'py, PyString> {
        self.text(py)
    }

    fn __repr__(&self) -> String {
        format!("<Document of {} sentences>", self.sentences.len())
    }

    fn __eq__(&self, py: Python<'_>, other: &Self) -> PyResult<bool> {
        let same = self.sentences().iter().zip(other.sentences()).all(|(one, other)| one.__eq__(&other));
        Ok(same
            && self.sentences.len() == other.sentences.len()
            && self.text(py).as_any().eq(other.text(py))?)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, DocumentState<'py>)> {
        let restore = py.import("boughs._boughs")?.getattr("_restore_document")?;
        Ok((restore, (self.text(py), self.sentences())))
    }
}

type DocumentState<'py> = (Bound<'py, PyString>, Vec<PySentence>);

/// What pickle calls.
#[pyfunction]
pub(crate) fn _restore_document(
    text: &Bound<'_, PyString>,
    sentences: Vec<PyRef<'_, PySentence>>,
) -> PyDocument {
    PyDocument::new(text, sentences.iter().map(|sentence| Arc::clone(&sentence.0)).collect())
}
