//! Making trees: from left to right, or from labelled spans.

use super::{NO_PARENT, NodeData, Token, Tokens, Tree, push_text};
use crate::error::{Error, ErrorKind, Result};
use crate::span::{Span, TextSpan};

/// Builds a [`Tree`] from left to right.
///
/// ```
/// use boughs::tree::TreeBuilder;
///
/// let mut builder = TreeBuilder::new();
/// builder.open("NP");
/// builder.token("the", "DT");
/// builder.token("bough", "NN");
/// builder.close();
/// assert_eq!(builder.finish()?.to_string(), "(NP (DT the) (NN bough))");
/// # Ok::<(), boughs::Error>(())
/// ```
#[derive(Debug, Default)]
pub struct TreeBuilder {
    tree: Tree,
    open: Vec<u32>,
    num_top: usize,
}

impl TreeBuilder {
    /// A builder of an empty tree.
    pub fn new() -> Self {
        Self::default()
    }

    /// Opens a phrase; what follows is inside it until [`close`](Self::close).
    pub fn open(&mut self, label: &str) {
        self.num_top += usize::from(self.open.is_empty());
        let label = push_text(&mut self.tree.text, label);
        let start = self.tree.tokens.len() as u32;
        let parent = self.open.last().copied().unwrap_or(NO_PARENT);
        self.open.push(self.tree.nodes.len() as u32);
        let span = Span { start, end: start };
        self.tree.nodes.push(NodeData { parent, ..NodeData::unlinked(label, span) });
    }

    /// Closes the phrase opened last. A phrase without tokens vanishes, and `false` is returned.
    ///
    /// # Panics
    /// If no phrase is open.
    pub fn close(&mut self) -> bool {
        let index = self.open.pop().expect("close() without open()") as usize;
        let next = self.tree.nodes.len() as u32;
        let end = self.tree.tokens.len() as u32;
        let node = &mut self.tree.nodes[index];
        node.span.end = end;
        node.next = next;
        let is_empty = node.span.is_empty();
        if is_empty {
            // Every phrase below is empty too, and already gone.
            self.tree.nodes.truncate(index);
            self.num_top -= usize::from(self.open.is_empty());
        }
        !is_empty
    }

    /// Adds a token to the phrase opened last.
    pub fn token(&mut self, word: &str, tag: &str) {
        self.token_at(word, tag, None);
    }

    /// Adds a token that stands at a known place of a text.
    pub fn token_at(&mut self, word: &str, tag: &str, place: Option<TextSpan>) {
        self.num_top += usize::from(self.open.is_empty());
        self.tree.tokens.push(Token { word, tag, place });
    }

    /// The number of phrases open.
    pub fn depth(&self) -> usize {
        self.open.len()
    }

    /// The number of tokens so far.
    pub fn num_tokens(&self) -> usize {
        self.tree.tokens.len()
    }

    /// Forgets everything, keeping the memory.
    pub fn clear(&mut self) {
        self.tree.text.clear();
        self.tree.tokens.clear();
        self.tree.nodes.clear();
        self.open.clear();
        self.num_top = 0;
    }

    /// Closes what is open and returns the tree, leaving the builder ready for the next. Several phrases
    /// or tokens at the top are put under a root with an empty label.
    ///
    /// # Errors
    /// [`ErrorKind::TooLarge`] if the tree has four billion tokens, nodes or bytes of text.
    pub fn finish(&mut self) -> Result<Tree> {
        while self.depth() > 0 {
            self.close();
        }
        let num_top = std::mem::take(&mut self.num_top);
        let like_this = Tree {
            tokens: Tokens::with_capacity_of(&self.tree.tokens),
            text: String::with_capacity(self.tree.text.len()),
            nodes: Vec::with_capacity(self.tree.nodes.len()),
        };
        let mut tree = std::mem::replace(&mut self.tree, like_this);
        check_size(&tree)?;
        if num_top > 1 {
            tree.add_root("");
        }
        Ok(tree)
    }
}

/// Makes a tree from tokens and labelled spans in any order.
///
/// Among equal spans the first given is the upper one.
///
/// # Errors
/// [`ErrorKind::Argument`] if two spans cross, or one is empty or beyond the sentence.
pub fn from_spans<'a, 'l>(
    tokens: impl IntoIterator<Item = Token<'a>>,
    spans: impl IntoIterator<Item = (Span, &'l str)>,
) -> Result<Tree> {
    let mut tree = Tree { tokens: tokens.into_iter().collect(), ..Tree::default() };
    let num_tokens = tree.tokens.len() as u32;
    let mut spans: Vec<_> = spans.into_iter().collect();
    spans.sort_by_key(|(span, _)| (span.start, std::cmp::Reverse(span.end)));
    let mut open: Vec<Span> = Vec::new();
    for &(span, label) in &spans {
        if span.start >= span.end || span.end > num_tokens {
            let message = format!("span {}..{} in {num_tokens} tokens", span.start, span.end);
            return Err(Error::new(ErrorKind::Argument, message));
        }
        while open.last().is_some_and(|top| top.end <= span.start) {
            open.pop();
        }
        if let Some(top) = open.last().filter(|top| !top.contains(span)) {
            let message =
                format!("span {}..{} crosses span {}..{}", span.start, span.end, top.start, top.end);
            return Err(Error::new(ErrorKind::Argument, message));
        }
        open.push(span);
        let label = push_text(&mut tree.text, label);
        tree.nodes.push(NodeData::unlinked(label, span));
    }
    check_size(&tree)?;
    tree.relink();
    tree.ensure_root();
    Ok(tree)
}

fn check_size(tree: &Tree) -> Result<()> {
    let limit = u32::MAX as usize;
    let sizes = [tree.text.len(), tree.tokens.text.len(), tree.tokens.len(), tree.nodes.len()];
    if sizes.iter().any(|&size| size >= limit) {
        return Err(Error::new(ErrorKind::TooLarge, "a tree of over 4 GiB")
            .hint("split the sentence; is a bracket missing?"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(text: &str) -> Tree {
        text.parse().expect("a tree")
    }

    #[test]
    fn builder_roots_a_forest() {
        let mut builder = TreeBuilder::new();
        builder.token("a", "X");
        builder.open("Y");
        assert!(!builder.close());
        builder.token("b", "X");
        assert_eq!(builder.finish().expect("fits").to_string(), "( (X a) (X b))");
        assert_eq!(builder.finish().expect("fits"), Tree::empty());
    }

    #[test]
    fn spans_in_any_order() {
        let original = tree("(TOP (S (NP (DT the) (NN cat)) (VP (VBD sat))))");
        let mut spans: Vec<_> = original.nodes().map(|node| (node.span, node.label)).collect();
        spans.reverse();
        spans.swap(2, 3); // among equals the first given is the upper one
        assert_eq!(from_spans(original.tokens(), spans).expect("nested"), original);
    }

    #[test]
    fn crossing_spans_are_refused() {
        let tree = tree("(X (A a) (A b) (A c))");
        let spans = [(Span::new(0, 2), "P"), (Span::new(1, 3), "Q")];
        let error = from_spans(tree.tokens(), spans).expect_err("they cross");
        assert_eq!(error.kind(), ErrorKind::Argument);
    }

    #[test]
    fn inverted_spans_are_refused() {
        let tree = tree("(X (A a) (A b) (A c) (A d))");
        let spans = [(Span { start: 3, end: 1 }, "P")];
        assert_eq!(from_spans(tree.tokens(), spans).expect_err("inverted").kind(), ErrorKind::Argument);
    }
}
