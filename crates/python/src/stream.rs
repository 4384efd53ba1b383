//! Parsing what an iterator gives: in order, as it is asked for, with a bounded number of sentences on their way.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyIterator, PyString};

use boughs::parser::{Parser, Sentence};
use boughs::text::{Language, Tokenizer};

use crate::error::{exception, text_of};
use crate::sentence::{PyDocument, PySentence, SentenceData, one_sentence, sentences};
use crate::team::Inquiry;
use crate::tree::PyTree;

/// So many sentences may be on their way for each that is parsed at a time.
const WINDOW: usize = 32;

/// What the items of the iterator are.
#[derive(Clone, Copy)]
pub(crate) enum Items {
    /// Sentences: their text in some language, their words, their words with tags, or trees.
    Sentences(Language),
    /// Texts of any number of sentences.
    Documents(Tokenizer),
}

/// An item on its way.
struct Item {
    /// The text of a document.
    text: Option<Py<PyString>>,
    sentences: Vec<Option<Arc<SentenceData>>>,
    num_missing: usize,
    /// Why there is nothing to give.
    error: Option<PyErr>,
}

/// An iterator over sentences or documents.
#[pyclass(module = "boughs")]
pub(crate) struct Stream {
    items: Py<PyIterator>,
    kind: Items,
    inquiry: Inquiry,
    /// Items in order; the first has the number `num_given`.
    on_their_way: VecDeque<Item>,
    num_given: usize,
    /// Of each sentence that is asked about, the number of its item and its place there.
    asked: HashMap<usize, (usize, usize)>,
    num_asked: usize,
    /// How many items are taken at once; it grows, so that the first tree comes soon.
    block: usize,
    is_exhausted: bool,
    /// What the iterator raised; it is raised after everything that came before it.
    failure: Option<PyErr>,
}

impl Stream {
    pub(crate) fn new(items: &Bound<'_, PyAny>, kind: Items, inquiry: Inquiry) -> PyResult<Self> {
        if items.is_instance_of::<PyString>() {
            let message =
                "expected an iterable of strings, found one string; for one text call the parser itself";
            return Err(PyTypeError::new_err(message));
        }
        let block = inquiry.team().max_threads() * inquiry.team().batch_size();
        Ok(Self {
            items: items.try_iter()?.unbind(),
            kind,
            inquiry,
            on_their_way: VecDeque::new(),
            num_given: 0,
            asked: HashMap::new(),
            num_asked: 0,
            block,
            is_exhausted: false,
            failure: None,
        })
    }

    /// Takes items and asks about them, if there is room.
    fn fill(&mut self, py: Python<'_>) -> PyResult<()> {
        let window = WINDOW * self.inquiry.team().max_threads() * self.inquiry.team().batch_size();
        if self.is_exhausted || self.asked.len() > window / 2 || self.on_their_way.len() > window {
            return Ok(());
        }
        let mut requests = Vec::new();
        for _ in 0..self.block {
            match self.items.bind(py).clone().next() {
                Some(Ok(item)) => self.take(&item, &mut requests),
                Some(Err(error)) => {
                    (self.is_exhausted, self.failure) = (true, Some(error));
                    break;
                }
                None => {
                    self.is_exhausted = true;
                    break;
                }
            }
            if requests.len() >= window {
                break;
            }
        }
        self.block = (2 * self.block).min(window / 2);
        self.inquiry.ask(py, requests)
    }

    /// Takes an item; if it is none, that is told in its place.
    fn take(&mut self, item: &Bound<'_, PyAny>, asked: &mut Vec<(usize, Sentence)>) {
        let number = self.num_given + self.on_their_way.len();
        let (text, requests, error) = match requests_of(item, self.kind, self.inquiry.team().parser()) {
            Ok((text, requests)) => (text, requests, None),
            Err(error) => {
                // Counted from 1, as trees of a file; exceptions that are not ours have no such attribute to set.
                let _ = error.value(item.py()).setattr("tree", number + 1);
                (None, Vec::new(), Some(error))
            }
        };
        let num_missing = requests.len();
        let sentences = (0..num_missing).map(|_| None).collect();
        self.on_their_way.push_back(Item { text, sentences, num_missing, error });
        for (place, request) in requests.into_iter().enumerate() {
            self.asked.insert(self.num_asked, (number, place));
            asked.push((self.num_asked, request));
            self.num_asked += 1;
        }
    }

    fn put(&mut self, py: Python<'_>, number: usize, answer: boughs::Result<SentenceData>) {
        let Some((item, place)) = self.asked.remove(&number) else { return };
        let of_item = &mut self.on_their_way[item - self.num_given];
        of_item.num_missing -= 1;
        match answer {
            Ok(sentence) => of_item.sentences[place] = Some(Arc::new(sentence)),
            Err(error) => of_item.error = Some(exception(py, &error.in_tree(item as u64 + 1))),
        }
    }

    fn finish(&self, py: Python<'_>, item: Item) -> PyResult<Py<PyAny>> {
        if let Some(error) = item.error {
            return Err(error);
        }
        let mut sentences = item.sentences.into_iter().flatten();
        match item.text {
            Some(text) => {
                let document = PyDocument::new(text.bind(py), sentences.collect());
                Ok(Py::new(py, document)?.into_any())
            }
            None => match sentences.next() {
                Some(sentence) => Ok(Py::new(py, PySentence(sentence))?.into_any()),
                None => Err(PyTypeError::new_err("expected a sentence")),
            },
        }
    }
}

#[pymethods]
impl Stream {
    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__(&mut self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        loop {
            self.fill(py)?;
            match self.on_their_way.front() {
                None => return self.failure.take().map_or(Ok(None), Err),
                Some(item) if item.num_missing == 0 => {
                    self.num_given += 1;
                    let item = self.on_their_way.pop_front();
                    return item.map(|item| self.finish(py, item)).transpose();
                }
                Some(_) => {
                    let (number, answer) = self.inquiry.wait(py)?;
                    self.put(py, number, answer);
                }
            }
        }
    }
}

/// What is to be parsed of an item, and its text if it is a document.
fn requests_of(
    item: &Bound<'_, PyAny>,
    kind: Items,
    parser: &Parser,
) -> PyResult<(Option<Py<PyString>>, Vec<Sentence>)> {
    match (kind, item.cast::<PyString>()) {
        (Items::Documents(tokenizer), Ok(text)) => {
            Ok((Some(text.clone().unbind()), sentences(text_of(text)?, tokenizer)))
        }
        (Items::Documents(_), Err(_)) => {
            Err(PyTypeError::new_err(format!("expected a text, found {}", item.get_type().name()?)))
        }
        (Items::Sentences(language), _) => Ok((None, vec![sentence_of(item, parser, language)?])),
    }
}

/// A sentence: its text, its words, its words with their tags, or a tree, whose words are parsed anew. Tags of a tree
/// are for parsers that cannot tag.
pub(crate) fn sentence_of(
    item: &Bound<'_, PyAny>,
    parser: &Parser,
    language: Language,
) -> PyResult<Sentence> {
    if let Ok(text) = item.cast::<PyString>() {
        return Ok(one_sentence(text_of(text)?, language));
    }
    let Ok(tree) = item.cast::<PyTree>() else { return words_request(item) };
    let sentence = Sentence::from_tree(&tree.get().0.tree);
    Ok(if parser.can_tag() { sentence.without_tags() } else { sentence })
}

/// A sentence of words, or of pairs of a word and its tag.
fn words_request(item: &Bound<'_, PyAny>) -> PyResult<Sentence> {
    let mut tokens: Vec<(String, String)> = Vec::new();
    for token in item.try_iter()? {
        let token = token?;
        match token.cast::<PyString>() {
            Ok(word) => tokens.push((text_of(word)?.to_owned(), String::new())),
            Err(_) => {
                let (word, tag): (Bound<'_, PyString>, Bound<'_, PyString>) =
                    token.extract().map_err(|_| {
                        PyTypeError::new_err(
                            "expected a sentence as a string, as words, or as pairs of word and tag",
                        )
                    })?;
                tokens.push((text_of(&word)?.to_owned(), text_of(&tag)?.to_owned()));
            }
        }
    }
    Ok(Sentence::new(tokens.iter().map(|(word, tag)| (word.as_str(), tag.as_str()))))
}
