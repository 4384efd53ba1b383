//! Sentences to parse.

use crate::error::Result;
use crate::text::{self, penn_form};
use crate::tree::escape::unescape;
use crate::tree::{Constraints, TRACE_TAG, Tree, TreeBuilder};

/// Tokens to be parsed, and what is demanded of their tree. Those without a tag are tagged first.
///
/// Treebanks write some tokens in their own way, as `` `` `` for “, and their files write `(` as `-LRB-`. Beside such a token stands
/// what a model that knows nothing else is shown; the tokens themselves are never changed.
///
/// ```
/// use boughs::parser::Sentence;
///
/// let sentence = Sentence::new([("“", ""), ("Go", "VB")])?;
/// assert_eq!((sentence.tokens().word(0), sentence.form(0), sentence.form(1)), ("“", "``", "Go"));
/// # Ok::<(), boughs::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Sentence {
    /// The tokens, in a tree without phrases.
    tokens: Tree,
    /// Places of tokens, in order, and what treebanks write there.
    forms: Vec<(usize, Box<str>)>,
    constraints: Constraints,
}

impl Sentence {
    /// A sentence of words and tags; an empty tag is none.
    ///
    /// # Errors
    /// If it has four billion tokens.
    pub fn new<'a>(tokens: impl IntoIterator<Item = (&'a str, &'a str)>) -> Result<Self> {
        let mut builder = TreeBuilder::new();
        tokens.into_iter().for_each(|(word, tag)| builder.token(word, tag));
        Ok(Self::of(builder.finish()?))
    }

    /// A sentence of a running text; its tokens know their bytes.
    ///
    /// # Errors
    /// If it has four billion tokens.
    pub fn from_text(sentence: &text::TextSentence<'_>) -> Result<Self> {
        let mut builder = TreeBuilder::new();
        sentence.tokens().for_each(|token| builder.token_at(token.text, "", Some(token.span)));
        let tokens = builder.finish()?;
        let forms = (0..).zip(sentence.penn_forms()).filter(|(index, form)| tokens.word(*index) != form);
        let forms = forms.map(|(index, form)| (index, form.into())).collect();
        Ok(Self { tokens, forms, constraints: Constraints::default() })
    }

    /// The words of a tree with their tags; phrases and traces are left out.
    pub fn from_tree(mut tree: Tree) -> Self {
        tree.retain_tokens(|token| token.tag != TRACE_TAG);
        tree.retain_nodes(|_| false);
        Self::of(tree)
    }

    /// The words of a partial tree with their tags, and a demand for each of its phrases (see [`Constraints::of_tree`]); traces are left
    /// out.
    pub fn from_partial_tree(mut tree: Tree) -> Self {
        tree.retain_tokens(|token| token.tag != TRACE_TAG);
        let constraints = Constraints::of_tree(&tree);
        Self::from_tree(tree).with_constraints(constraints)
    }

    /// The same with other constraints on its tree.
    #[must_use]
    pub fn with_constraints(self, constraints: Constraints) -> Self {
        Self { constraints, ..self }
    }

    /// The same without tags.
    #[must_use]
    pub fn without_tags(mut self) -> Self {
        (0..self.tokens.num_tokens()).for_each(|index| self.tokens.set_tag(index, ""));
        self
    }

    fn of(tokens: Tree) -> Self {
        let forms = tokens.words().enumerate().filter_map(|(index, word)| {
            let unescaped = unescape(word);
            let form = penn_form(&unescaped);
            (form != word).then(|| (index, form.into()))
        });
        Self { forms: forms.collect(), tokens, constraints: Constraints::default() }
    }

    /// The tokens, in a tree without phrases.
    pub fn tokens(&self) -> &Tree {
        &self.tokens
    }

    /// What its tree must be like, in terms of its tokens.
    pub fn constraints(&self) -> &Constraints {
        &self.constraints
    }

    /// The same, to demand more.
    pub fn constraints_mut(&mut self) -> &mut Constraints {
        &mut self.constraints
    }

    /// How treebanks write a token.
    ///
    /// # Panics
    /// If there is no such token.
    pub fn form(&self, index: usize) -> &str {
        match self.forms.binary_search_by_key(&index, |(place, _)| *place) {
            Ok(found) => &self.forms[found].1,
            Err(_) => self.tokens.word(index),
        }
    }

    /// The places where treebanks write something else, and what.
    pub(super) fn other_forms(&self) -> &[(usize, Box<str>)] {
        &self.forms
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::span::ByteSpan;

    #[test]
    fn trees_lose_everything_but_words_and_tags() {
        let tree: Tree = "(S (NP (-NONE- *)) (VP (VB Go) (ADVP (RB on))))".parse().unwrap();
        let sentence = Sentence::from_tree(tree);
        assert_eq!(sentence.tokens().to_string(), "( (VB Go) (RB on))");
        assert_eq!(sentence.without_tags().tokens().token(1).tag, "");
        assert!(Sentence::from_tree(Tree::empty()).tokens().is_empty());
    }

    #[test]
    fn partial_trees_demand_their_phrases() {
        let tree: Tree = "(S (NP (-NONE- *)) (VP (VB Go) ( (RB on))))".parse().unwrap();
        let sentence = Sentence::from_partial_tree(tree);
        assert_eq!(sentence.tokens().to_string(), "( (VB Go) (RB on))");
        let labels: Vec<_> = sentence.constraints().phrases().map(|(_, label)| label).collect();
        assert_eq!(labels, [Some("S"), Some("VP"), None]);
    }

    #[test]
    fn brackets_are_known_by_either_name() {
        let sentence = Sentence::new([("-LRB-", "-LRB-"), ("(", "-LRB-")]).unwrap();
        assert_eq!((sentence.form(0), sentence.form(1)), ("(", "("));
        assert_eq!(sentence.tokens().word(0), "-LRB-");
    }

    #[test]
    fn quotation_marks_of_a_text_open_and_close() {
        let text = text::sentences("\"Go!\" — he said").next().unwrap();
        let sentence = Sentence::from_text(&text).unwrap();
        let forms: Vec<&str> =
            (0..sentence.tokens().num_tokens()).map(|index| sentence.form(index)).collect();
        assert_eq!(forms, ["``", "Go", "!", "''", "--", "he", "said"]);
        assert_eq!(sentence.tokens().token(1).bytes, Some(ByteSpan { start: 1, len: 2 }));
    }
}
