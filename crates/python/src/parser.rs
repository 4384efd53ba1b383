//! `Parser`.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread::available_parallelism;

use boughs::model::ModelFile;
use boughs::parser::{ParseOptions, Parser, Sentence, built_in, explain};
use boughs::span::Span;
use boughs::text::Language;
use boughs::tree::Constraints;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyString};

use crate::background::in_pool;
use crate::error::{OrRaise, argument, text_of};
use crate::json::{from_python, to_python};
use crate::options::{flat, with_changes};
use crate::sentence::{PyDocument, PySentence, SentenceData, sentences, tokenizer};
use crate::stream::{Items, Stream, sentence_of};
use crate::team::{Inquiry, Team, Teams};

#[pyclass(name = "Parser", module = "boughs", frozen, weakref)]
pub(crate) struct PyParser {
    parser: Arc<Parser>,
    /// The name of a parser inside the package, by which it pickles.
    name: Option<&'static str>,
    /// The language of its texts.
    language: Language,
    teams: Teams,
}

impl PyParser {
    pub(crate) fn new(parser: Parser, name: Option<&'static str>) -> Self {
        let language = parser.text_language();
        Self { parser: Arc::new(parser), name, language, teams: Teams::default() }
    }

    /// The team for a call with these options.
    fn team(&self, py: Python<'_>, n_best: Option<usize>, threads: Option<usize>) -> PyResult<Arc<Team>> {
        let own = self.parser.options();
        let options = ParseOptions {
            num_best: at_least_one(py, "n_best", n_best)?.unwrap_or(own.num_best),
            ..own.clone()
        };
        let threads = at_least_one(py, "threads", threads)?;
        Ok(self.teams.get(py, &self.parser, &options, threads.unwrap_or_else(num_processors)))
    }

    /// Parses sentences and waits for all of them.
    fn parse_all(
        &self,
        py: Python<'_>,
        team: Arc<Team>,
        requests: Vec<Sentence>,
    ) -> PyResult<Vec<Arc<SentenceData>>> {
        let inquiry = Inquiry::new(team);
        let mut parsed: Vec<Option<Arc<SentenceData>>> = requests.iter().map(|_| None).collect();
        inquiry.ask(py, requests.into_iter().enumerate().collect())?;
        for _ in 0..parsed.len() {
            let (number, sentence) = inquiry.wait(py)?;
            let sentence = sentence.map_err(|error| error.in_tree(number as u64 + 1)).or_raise(py)?;
            parsed[number] = Some(Arc::new(sentence));
        }
        Ok(parsed.into_iter().flatten().collect())
    }
}

fn at_least_one(py: Python<'_>, name: &str, number: Option<usize>) -> PyResult<Option<usize>> {
    match number {
        Some(0) => Err(argument(
            py,
            format!("expected {name} of at least 1, found 0"),
            "leave it out for the default",
        )),
        number => Ok(number),
    }
}

/// How many threads work if nobody says otherwise.
pub(crate) fn num_processors() -> usize {
    available_parallelism().map_or(1, NonZeroUsize::get)
}

/// A parser inside the package, or of a model file, with other options than its own.
#[pyfunction]
#[pyo3(signature = (model=None, **options))]
pub(crate) fn load(
    py: Python<'_>,
    model: Option<PathBuf>,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<PyParser> {
    let built_in = match &model {
        None => Some(built_in::DEFAULT),
        Some(path) => built_in::NAMES.into_iter().find(|name| path.as_os_str() == *name),
    };
    let parser = py.detach(|| match (built_in, &model) {
        (None, Some(path)) => Parser::load(path),
        (name, _) => Parser::built_in(name.unwrap_or(built_in::DEFAULT)),
    });
    let parser = PyParser::new(parser.or_raise(py)?, built_in);
    match options {
        Some(options) if !options.is_empty() => parser.with_options(py, Some(options)),
        _ => Ok(parser),
    }
}

#[pymethods]
impl PyParser {
    #[pyo3(signature = (text, *, unit="text", n_best=None, threads=None))]
    fn __call__(
        &self,
        text: &Bound<'_, PyString>,
        unit: &str,
        n_best: Option<usize>,
        threads: Option<usize>,
    ) -> PyResult<PyDocument> {
        let py = text.py();
        let team = self.team(py, n_best, threads)?;
        let (content, tokenizer) = (text_of(text)?, tokenizer(py, unit, self.language)?);
        let requests = py.detach(|| sentences(content, tokenizer));
        Ok(PyDocument::new(text, self.parse_all(py, team, requests)?))
    }

    #[pyo3(signature = (words, tags=None, *, n_best=None, phrases=None, root=None))]
    fn parse_tokens(
        &self,
        words: &Bound<'_, PyAny>,
        tags: Option<&Bound<'_, PyAny>>,
        n_best: Option<usize>,
        phrases: Option<Vec<(Option<String>, u32, u32)>>,
        root: Option<String>,
    ) -> PyResult<PySentence> {
        let py = words.py();
        let words = strings(words, "words")?;
        let tags = tags.map_or_else(|| Ok(vec![String::new(); words.len()]), |tags| strings(tags, "tags"))?;
        if words.len() != tags.len() {
            let found = format!("expected a tag for each of {} words, found {}", words.len(), tags.len());
            return Err(argument(py, found, "an empty tag is for the parser to find"));
        }
        let pairs = words.iter().zip(&tags).map(|(word, tag)| (word.as_str(), tag.as_str()));
        let mut sentence = Sentence::new(pairs);
        sentence.constraints = self.constraints(py, words.len(), phrases.unwrap_or_default(), root)?;
        let team = self.team(py, n_best, None)?;
        let mut parsed = self.parse_all(py, team, vec![sentence])?;
        Ok(PySentence(parsed.swap_remove(0)))
    }

    #[pyo3(signature = (lines, *, n_best=None, threads=None))]
    fn stream(
        &self,
        lines: &Bound<'_, PyAny>,
        n_best: Option<usize>,
        threads: Option<usize>,
    ) -> PyResult<Stream> {
        let team = self.team(lines.py(), n_best, threads)?;
        Stream::new(lines, Items::Sentences(self.language), Inquiry::new(team))
    }

    #[pyo3(signature = (texts, *, unit="text", n_best=None, threads=None))]
    fn pipe(
        &self,
        texts: &Bound<'_, PyAny>,
        unit: &str,
        n_best: Option<usize>,
        threads: Option<usize>,
    ) -> PyResult<Stream> {
        let team = self.team(texts.py(), n_best, threads)?;
        let tokenizer = tokenizer(texts.py(), unit, self.language)?;
        Stream::new(texts, Items::Documents(tokenizer), Inquiry::new(team))
    }

    #[pyo3(signature = (sentence, *, alternatives=2))]
    fn _explain<'py>(
        &self,
        py: Python<'py>,
        sentence: &Bound<'py, PyAny>,
        alternatives: usize,
    ) -> PyResult<Bound<'py, PyAny>> {
        let sentence = sentence_of(sentence, &self.parser, self.language)?;
        let parser = Arc::clone(&self.parser);
        let steps = in_pool(py, Some(1), move || explain(&parser, &sentence, alternatives))?;
        to_python(py, &steps.or_raise(py)?)
    }

    #[pyo3(signature = (sentence, *, alternatives=2))]
    fn explain<'py>(
        slf: &Bound<'py, Self>,
        sentence: &Bound<'py, PyAny>,
        alternatives: usize,
    ) -> PyResult<Bound<'py, PyAny>> {
        let module = slf.py().import("boughs.explanations")?;
        module.call_method1("explain", (slf, sentence, alternatives))
    }

    #[pyo3(signature = (**changes))]
    fn with_options(&self, py: Python<'_>, changes: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        let changes =
            changes.map_or_else(|| Ok(Default::default()), |changes| from_python(changes.as_any()))?;
        let options = with_changes(self.parser.options(), changes).or_raise(py)?;
        let parser = (*self.parser).clone().with_options(options).or_raise(py)?;
        Ok(Self::new(parser, self.name))
    }

    #[getter]
    fn options<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &flat(self.parser.options()).or_raise(py)?)
    }

    #[getter]
    fn about<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, self.parser.about())
    }

    #[getter]
    fn tags(&self) -> Vec<&str> {
        self.parser.tags()
    }

    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        py.detach(|| self.parser.save(&path)).or_raise(py)
    }

    fn __repr__(&self) -> String {
        let about = self.parser.about();
        let name = self.name.unwrap_or(&about.name);
        format!("<Parser {}>", if name.is_empty() { &about.kind } else { name })
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, ParserState<'py>)> {
        let options = serde_json::to_string(self.parser.options());
        let options = options.map_err(|error| argument(py, error.to_string(), "report this"))?;
        let bytes = match self.name {
            Some(_) => None,
            None => {
                let bytes =
                    py.detach(|| self.parser.to_file().and_then(|file| file.to_bytes())).or_raise(py)?;
                Some(PyBytes::new(py, &bytes))
            }
        };
        Ok((py.import("boughs._boughs")?.getattr("_restore_parser")?, (self.name, bytes, options)))
    }
}

/// The name of a parser inside the package, or the bytes of a model file; and the options.
type ParserState<'py> = (Option<&'static str>, Option<Bound<'py, PyBytes>>, String);

/// What pickle calls.
#[pyfunction]
pub(crate) fn _restore_parser(
    py: Python<'_>,
    name: Option<PathBuf>,
    bytes: Option<&[u8]>,
    options: &str,
) -> PyResult<PyParser> {
    let restored = match bytes {
        None => load(py, name, None)?,
        Some(bytes) => {
            let parser = ModelFile::from_bytes(bytes).and_then(|file| Parser::from_file(&file));
            PyParser::new(parser.or_raise(py)?, None)
        }
    };
    let options: ParseOptions =
        serde_json::from_str(options).map_err(|error| argument(py, error.to_string(), "report this"))?;
    if options == *restored.parser.options() {
        return Ok(restored);
    }
    let name = restored.name;
    let parser = (*restored.parser).clone().with_options(options);
    Ok(PyParser::new(parser.or_raise(py)?, name))
}

impl PyParser {
    /// What the tree of a sentence of so many words must be like.
    fn constraints(
        &self,
        py: Python<'_>,
        num_words: usize,
        phrases: Vec<(Option<String>, u32, u32)>,
        root: Option<String>,
    ) -> PyResult<Constraints> {
        let mut constraints = Constraints::default();
        for (label, start, end) in phrases {
            if start >= end || end as usize > num_words {
                let message = format!("expected a phrase of words 0 to {num_words}, found {start} to {end}");
                return Err(argument(py, message, "give (label, start, end), the end not included"));
            }
            if let Some(label) = &label {
                self.parser.check_label(label).or_raise(py)?;
            }
            constraints.require(Span::new(start, end), label.as_deref());
        }
        if let Some(label) = root {
            self.parser.check_label(&label).or_raise(py)?;
            constraints.root = Some(label.into());
        }
        Ok(constraints)
    }
}

/// Strings of an iterable that is no string itself.
fn strings(items: &Bound<'_, PyAny>, what: &str) -> PyResult<Vec<String>> {
    let py = items.py();
    if items.is_instance_of::<PyString>() {
        let message = format!("expected a list of {what}, found one string");
        return Err(argument(py, message, "for running text call the parser itself"));
    }
    let mut strings = Vec::new();
    for item in items.try_iter()? {
        strings.push(text_of(item?.cast::<PyString>()?)?.to_owned());
    }
    Ok(strings)
}
