//! `Tree`, and its parts: `Phrase` and `Token`.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;
use std::sync::{Arc, LazyLock, OnceLock};

use boughs::span::Span;
use boughs::tree::draw::{TextOptions, write_svg, write_text};
use boughs::tree::heads::HeadRules;
use boughs::tree::read::{Format, TreeReader};
use boughs::tree::search::{Hit, TreePattern};
use boughs::tree::write::{write_json, write_latex, write_line, write_pretty};
use boughs::tree::{Child, NodeId, Tree, TreeBuilder, WalkEvent, base_label};
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::{PyString, PyType};

use crate::error::{OrRaise, argument, text_of};

/// The rules that find heads.
static HEAD_RULES: LazyLock<HeadRules> = LazyLock::new(HeadRules::english);

/// A tree with what is known about it.
#[derive(Debug)]
pub(crate) struct TreeData {
    pub(crate) tree: Tree,
    /// The rules for its heads, if they are not those for English.
    rules: Option<Arc<HeadRules>>,
    /// For each phrase in pre-order, as far as they are known.
    pub(crate) confidences: Vec<Option<f64>>,
    heads: OnceLock<Vec<u32>>,
    depths: OnceLock<Vec<u32>>,
}

impl TreeData {
    pub(crate) fn new(tree: Tree, rules: Option<Arc<HeadRules>>, confidences: Vec<Option<f64>>) -> Arc<Self> {
        Arc::new(Self { tree, rules, confidences, heads: OnceLock::new(), depths: OnceLock::new() })
    }

    fn bytes(&self, span: Span) -> Option<Range<u64>> {
        self.tree.bytes(span)
    }

    fn chars(&self, span: Span) -> Option<Range<u64>> {
        self.tree.chars(span)
    }

    fn text(&self, span: Span) -> String {
        self.tree.text(span).into_owned()
    }

    fn heads(&self) -> &[u32] {
        self.heads.get_or_init(|| self.rules.as_deref().unwrap_or(&HEAD_RULES).heads(&self.tree))
    }

    fn head(&self, id: NodeId) -> usize {
        self.heads()[id.index()] as usize
    }

    fn depth(&self, id: NodeId) -> u32 {
        self.depths.get_or_init(|| self.tree.depths())[id.index()]
    }

    /// The part of a tree below a phrase, itself included.
    fn subtree(&self, id: NodeId) -> boughs::Result<Tree> {
        let (tree, end) = (&self.tree, id.index() + 1 + self.tree.descendants(id).len());
        let is_inside = |node: NodeId| (id.index()..end).contains(&node.index());
        let span = tree.span(id).range();
        let mut builder = TreeBuilder::new();
        for event in tree.events() {
            match event {
                WalkEvent::Open(node) if is_inside(node) => builder.open(tree.label(node)),
                WalkEvent::Close(node) if is_inside(node) => _ = builder.close(),
                WalkEvent::Token(index) if span.contains(&index) => {
                    let token = tree.token(index);
                    builder.token_at(token.word, token.tag, token.place);
                }
                _ => {}
            }
        }
        let mut subtree = builder.finish()?;
        if let Some(bytes) = tree.bytes(tree.span(id)) {
            subtree.set_source(&tree.text(tree.span(id)), bytes.start);
        }
        Ok(subtree)
    }
}

/// What writes a tree.
type Writer = fn(&Tree, &mut String) -> std::fmt::Result;

fn written(tree: &Tree, write: impl FnOnce(&Tree, &mut String) -> std::fmt::Result) -> String {
    let mut out = String::new();
    // Strings take all that is written.
    let _ = write(tree, &mut out);
    out
}

/// What a pattern was found at; a tag and a word are their token.
#[derive(IntoPyObject)]
enum FoundNode {
    Phrase(PyPhrase),
    Token(PyToken),
}

#[pyclass(name = "Tree", module = "boughs", frozen, weakref)]
pub(crate) struct PyTree(pub(crate) Arc<TreeData>);

impl PyTree {
    pub(crate) fn of(tree: Tree) -> Self {
        Self(TreeData::new(tree, None, Vec::new()))
    }

    fn tree(&self) -> &Tree {
        &self.0.tree
    }

    fn phrase(&self, id: NodeId) -> PyPhrase {
        PyPhrase { of: Arc::clone(&self.0), id }
    }

    fn write(&self, writer: Writer) -> String {
        written(self.tree(), writer)
    }
}

#[pymethods]
impl PyTree {
    #[new]
    fn new(brackets: &Bound<'_, PyString>) -> PyResult<Self> {
        let tree = text_of(brackets)?.parse::<Tree>().or_raise(brackets.py())?;
        Ok(Self::of(tree))
    }

    #[classmethod]
    fn from_json(_class: &Bound<'_, PyType>, line: &Bound<'_, PyString>) -> PyResult<Self> {
        tree_of_json(line).map(Self::of)
    }

    #[classmethod]
    fn from_dict(_class: &Bound<'_, PyType>, tree: &Bound<'_, PyAny>) -> PyResult<Self> {
        let line = tree.py().import("json")?.call_method1("dumps", (tree,))?;
        tree_of_json(line.cast()?).map(Self::of)
    }

    #[classmethod]
    fn from_nltk<'py>(class: &Bound<'py, PyType>, tree: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        class.py().import("boughs.nltk")?.call_method1("from_nltk", (tree,))
    }

    fn to_nltk<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("boughs.nltk")?.call_method1("to_nltk", (slf,))
    }

    #[getter]
    fn words(&self) -> Vec<&str> {
        self.tree().words().collect()
    }

    #[getter]
    fn tags(&self) -> Vec<&str> {
        self.tree().tokens().map(|token| token.tag).collect()
    }

    #[getter]
    fn tokens(&self) -> Vec<PyToken> {
        (0..self.tree().num_tokens()).map(|index| PyToken { of: Arc::clone(&self.0), index }).collect()
    }

    #[getter]
    fn phrases(&self) -> Vec<PyPhrase> {
        self.tree().ids().map(|id| self.phrase(id)).collect()
    }

    #[getter]
    fn root(&self) -> Option<PyPhrase> {
        self.tree().root().map(|root| self.phrase(root.id))
    }

    #[getter]
    fn label(&self) -> Option<&str> {
        self.tree().root().map(|root| root.label)
    }

    #[getter]
    fn text(&self) -> String {
        self.0.text(self.tree().whole())
    }

    fn find(&self, label: &Bound<'_, PyString>) -> PyResult<Vec<PyPhrase>> {
        let label = text_of(label)?;
        Ok(self
            .tree()
            .nodes()
            .filter(|node| is_label(node.label, label))
            .map(|it| self.phrase(it.id))
            .collect())
    }

    fn search(&self, pattern: &Bound<'_, PyString>) -> PyResult<Vec<FoundNode>> {
        let pattern = text_of(pattern)?.parse::<TreePattern>().or_raise(pattern.py())?;
        let node = |hit| match hit {
            Hit::Phrase(id) => FoundNode::Phrase(self.phrase(id)),
            Hit::Tag(index) | Hit::Word(index) => {
                FoundNode::Token(PyToken { of: Arc::clone(&self.0), index })
            }
        };
        Ok(pattern.matches(self.tree()).map(node).collect())
    }

    fn pretty(&self) -> String {
        self.write(write_pretty)
    }

    #[pyo3(signature = (max_width=100, *, ascii=false))]
    fn draw(&self, max_width: usize, ascii: bool) -> String {
        written(self.tree(), |tree, out| write_text(tree, &TextOptions { max_width, ascii }, out))
    }

    pub(crate) fn svg(&self) -> String {
        self.write(write_svg)
    }

    fn _repr_svg_(&self) -> String {
        self.svg()
    }

    fn latex(&self) -> String {
        self.write(write_latex)
    }

    fn to_json(&self) -> String {
        self.write(write_json)
    }

    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        py.import("json")?.call_method1("loads", (self.to_json(),))
    }

    fn __str__(&self) -> String {
        self.write(write_line)
    }

    fn __repr__(&self) -> String {
        format!("Tree({:?})", self.__str__())
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.tree() == other.tree()
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.__str__().hash(&mut hasher);
        hasher.finish()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, TreeState)> {
        Ok((py.import("boughs._boughs")?.getattr("_restore_tree")?, self.state()))
    }
}

/// JSON, and what that does not hold: the text with its blanks, confidences, and heads by rules of the parser's own.
type TreeState = (String, Option<String>, Vec<Option<f64>>, Option<Vec<u32>>);

impl PyTree {
    fn state(&self) -> TreeState {
        let whole = self.tree().whole();
        let text = self.tree().bytes(whole).map(|_| self.0.text(whole));
        let heads = self.0.rules.is_some().then(|| self.0.heads().to_vec());
        (self.to_json(), text, self.0.confidences.clone(), heads)
    }
}

/// What pickle calls.
#[pyfunction]
pub(crate) fn _restore_tree(
    json: &Bound<'_, PyString>,
    text: Option<&str>,
    confidences: Vec<Option<f64>>,
    heads: Option<Vec<u32>>,
) -> PyResult<PyTree> {
    let mut tree = tree_of_json(json)?;
    if let (Some(text), Some(bytes)) = (text, tree.bytes(tree.whole())) {
        tree.set_source(text, bytes.start);
    }
    let num_tokens = tree.num_tokens();
    let heads = heads.filter(|heads| {
        heads.len() == tree.num_nodes() && heads.iter().all(|&head| (head as usize) < num_tokens)
    });
    let heads = heads.map_or_else(OnceLock::new, OnceLock::from);
    Ok(PyTree(Arc::new(TreeData { tree, rules: None, confidences, heads, depths: OnceLock::new() })))
}

fn tree_of_json(line: &Bound<'_, PyString>) -> PyResult<Tree> {
    let py = line.py();
    let mut trees = TreeReader::new(text_of(line)?.as_bytes(), Format::Json);
    match (trees.next(), trees.next()) {
        (Some(tree), None) => tree.or_raise(py),
        _ => {
            Err(argument(py, "expected one tree as JSON", "give what `Tree.to_json` or `Tree.to_dict` gave"))
        }
    }
}

/// Whether a label is the one wanted, with or without its functions.
fn is_label(label: &str, wanted: &str) -> bool {
    label == wanted || base_label(label) == wanted
}

#[pyclass(name = "Phrase", module = "boughs", frozen)]
pub(crate) struct PyPhrase {
    of: Arc<TreeData>,
    id: NodeId,
}

impl PyPhrase {
    fn tree(&self) -> &Tree {
        &self.of.tree
    }

    fn span(&self) -> Span {
        self.tree().span(self.id)
    }

    fn with(&self, id: NodeId) -> Self {
        Self { of: Arc::clone(&self.of), id }
    }

    fn token(&self, index: usize) -> PyToken {
        PyToken { of: Arc::clone(&self.of), index }
    }
}

/// A child of a phrase.
#[derive(IntoPyObject)]
enum PyChild {
    Phrase(PyPhrase),
    Token(PyToken),
}

#[pymethods]
impl PyPhrase {
    #[getter]
    fn label(&self) -> &str {
        self.tree().label(self.id)
    }

    #[getter]
    fn start(&self) -> u32 {
        self.span().start
    }

    #[getter]
    fn end(&self) -> u32 {
        self.span().end
    }

    #[getter]
    fn start_byte(&self) -> Option<u64> {
        self.of.bytes(self.span()).map(|bytes| bytes.start)
    }

    #[getter]
    fn end_byte(&self) -> Option<u64> {
        self.of.bytes(self.span()).map(|bytes| bytes.end)
    }

    #[getter]
    fn start_char(&self) -> Option<u64> {
        self.of.chars(self.span()).map(|chars| chars.start)
    }

    #[getter]
    fn end_char(&self) -> Option<u64> {
        self.of.chars(self.span()).map(|chars| chars.end)
    }

    #[getter]
    fn text(&self) -> String {
        self.of.text(self.span())
    }

    #[getter]
    fn words(&self) -> Vec<&str> {
        self.span().range().map(|index| self.tree().word(index)).collect()
    }

    #[getter]
    fn tags(&self) -> Vec<&str> {
        self.span().range().map(|index| self.tree().token(index).tag).collect()
    }

    #[getter]
    fn confidence(&self) -> Option<f64> {
        self.of.confidences.get(self.id.index()).copied().flatten()
    }

    #[getter]
    fn head(&self) -> PyToken {
        self.token(self.of.head(self.id))
    }

    #[getter]
    fn depth(&self) -> u32 {
        self.of.depth(self.id)
    }

    #[getter]
    fn parent(&self) -> Option<Self> {
        self.tree().node(self.id).parent.map(|parent| self.with(parent))
    }

    #[getter]
    fn children(&self) -> Vec<PyChild> {
        let child = |child| match child {
            Child::Node(id) => PyChild::Phrase(self.with(id)),
            Child::Token(index) => PyChild::Token(self.token(index)),
        };
        self.tree().children(self.id).map(child).collect()
    }

    #[getter]
    fn tokens(&self) -> Vec<PyToken> {
        self.span().range().map(|index| self.token(index)).collect()
    }

    fn find(&self, label: &Bound<'_, PyString>) -> PyResult<Vec<Self>> {
        let label = text_of(label)?;
        let inside = self.tree().descendants(self.id).filter(|&id| is_label(self.tree().label(id), label));
        Ok(inside.map(|id| self.with(id)).collect())
    }

    fn subtree(&self, py: Python<'_>) -> PyResult<PyTree> {
        let end = self.id.index() + 1 + self.tree().descendants(self.id).len();
        let confidences = self.of.confidences.get(self.id.index()..end).unwrap_or_default().to_vec();
        let tree = self.of.subtree(self.id).or_raise(py)?;
        Ok(PyTree(TreeData::new(tree, self.of.rules.clone(), confidences)))
    }

    fn __len__(&self) -> usize {
        self.span().len()
    }

    fn __str__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(self.subtree(py)?.__str__())
    }

    fn __repr__(&self) -> String {
        format!("<Phrase {} {:?}>", self.label(), self.text())
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.id == other.id && (Arc::ptr_eq(&self.of, &other.of) || self.tree() == other.tree())
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        (self.id.index(), self.span(), self.label()).hash(&mut hasher);
        hasher.finish()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (PyTree, usize))> {
        let restore = py.import("boughs._boughs")?.getattr("_restore_phrase")?;
        Ok((restore, (PyTree(Arc::clone(&self.of)), self.id.index())))
    }
}

/// What pickle calls.
#[pyfunction]
pub(crate) fn _restore_phrase(tree: &PyTree, index: usize) -> PyResult<PyPhrase> {
    match tree.tree().ids().nth(index) {
        Some(id) => Ok(tree.phrase(id)),
        None => Err(PyIndexError::new_err("there is no such phrase in the tree")),
    }
}

#[pyclass(name = "Token", module = "boughs", frozen)]
pub(crate) struct PyToken {
    of: Arc<TreeData>,
    #[pyo3(get)]
    index: usize,
}

impl PyToken {
    fn span(&self) -> Span {
        Span::new(self.index as u32, self.index as u32 + 1)
    }
}

#[pymethods]
impl PyToken {
    #[getter]
    fn word(&self) -> &str {
        self.of.tree.word(self.index)
    }

    #[getter]
    fn tag(&self) -> &str {
        self.of.tree.token(self.index).tag
    }

    #[getter]
    fn start_byte(&self) -> Option<u64> {
        self.of.bytes(self.span()).map(|bytes| bytes.start)
    }

    #[getter]
    fn end_byte(&self) -> Option<u64> {
        self.of.bytes(self.span()).map(|bytes| bytes.end)
    }

    #[getter]
    fn start_char(&self) -> Option<u64> {
        self.of.chars(self.span()).map(|chars| chars.start)
    }

    #[getter]
    fn end_char(&self) -> Option<u64> {
        self.of.chars(self.span()).map(|chars| chars.end)
    }

    fn __str__(&self) -> &str {
        self.word()
    }

    fn __repr__(&self) -> String {
        format!("<Token {} {:?}>", self.tag(), self.word())
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.index == other.index && (Arc::ptr_eq(&self.of, &other.of) || self.of.tree == other.of.tree)
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        (self.index, self.word()).hash(&mut hasher);
        hasher.finish()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (PyTree, usize))> {
        let restore = py.import("boughs._boughs")?.getattr("_restore_token")?;
        Ok((restore, (PyTree(Arc::clone(&self.of)), self.index)))
    }
}

/// What pickle calls.
#[pyfunction]
pub(crate) fn _restore_token(tree: &PyTree, index: usize) -> PyResult<PyToken> {
    match index < tree.tree().num_tokens() {
        true => Ok(PyToken { of: Arc::clone(&tree.0), index }),
        false => Err(PyIndexError::new_err("there is no such token in the tree")),
    }
}
