//! Sentences to parse.

use crate::parse::Request;
use crate::span::Span;
use crate::text::{self, penn_form};
use crate::tree::escape::unescape;
use crate::tree::{Constraints, TRACE_TAG, Token, Tokens, Tree};

/// Tokens to be parsed, and constraints on their tree. Those without a tag are tagged first.
///
/// Treebanks write some tokens in their own way, as `` `` `` for “, and their files write `(` as `-LRB-`. Beside such
/// a token stands what a model that knows nothing else is shown; the tokens themselves are never changed.
///
/// ```
/// use boughs::parser::Sentence;
///
/// let sentence = Sentence::new([("“", ""), ("Go", "VB")]);
/// assert_eq!((sentence.tokens().word(0), sentence.form(0), sentence.form(1)), ("“", "``", "Go"));
/// ```
#[derive(Debug, Clone, Default)]
pub struct Sentence {
    tokens: Tokens,
    /// Places of tokens, in order, and what treebanks write there.
    pub(super) forms: Vec<(usize, Box<str>)>,
    /// What its tree must be like, in terms of its tokens.
    pub constraints: Constraints,
}

impl Sentence {
    /// A sentence of words and tags; an empty tag is none.
    pub fn new<'a>(tokens: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        Self::of(tokens.into_iter().collect())
    }

    /// A sentence of a running text; its tokens know their places in it.
    pub fn from_text(sentence: &text::TextSentence<'_>) -> Self {
        let tokens = sentence.tokens().map(|it| Token { word: it.text, tag: "", place: Some(it.span) });
        let mut tokens: Tokens = tokens.collect();
        tokens.set_source(sentence.text(), sentence.start());
        let forms = (0..).zip(sentence.penn_forms()).filter(|(index, form)| tokens.word(*index) != form);
        let forms = forms.map(|(index, form)| (index, form.into())).collect();
        Self { tokens, forms, constraints: Constraints::default() }
    }

    /// The words of a tree with their tags; phrases and traces are left out.
    pub fn from_tree(tree: &Tree) -> Self {
        Self::of(tree.surface())
    }

    /// The words of a partial tree with their tags, and a constraint for each of its phrases (see
    /// [`Constraints::of_tree`]); traces are left out.
    pub fn from_partial_tree(mut tree: Tree) -> Self {
        tree.retain_tokens(|token| token.tag != TRACE_TAG);
        Self { constraints: Constraints::of_tree(&tree), ..Self::from_tree(&tree) }
    }

    /// The same without tags.
    #[must_use]
    pub fn without_tags(self) -> Self {
        Self { tokens: self.tokens.without_tags(), ..self }
    }

    /// Some of its tokens as a sentence, without constraints.
    pub(super) fn part(&self, span: Span) -> Self {
        let tokens: Tokens = self.tokens.iter().skip(span.range().start).take(span.len()).collect();
        let is_within = |place: &usize| span.range().contains(place);
        let forms = self.forms.iter().filter(|(place, _)| is_within(place));
        let forms = forms.map(|(place, form)| (place - span.range().start, form.clone())).collect();
        Self { tokens, forms, constraints: Constraints::default() }
    }

    /// The same with a word that no model knows in one place.
    pub(super) fn without_word(&self, place: usize) -> Self {
        let mut tokens = self.tokens.clone();
        tokens.set_word(place, "");
        let forms = self.forms.iter().filter(|(other, _)| *other != place).cloned().collect();
        Self { tokens, forms, constraints: self.constraints.clone() }
    }

    /// What a parser is asked.
    pub(super) fn of_request(request: Request<'_>) -> Self {
        Self { constraints: request.constraints.clone(), ..Self::of(request.tokens.clone()) }
    }

    fn of(tokens: Tokens) -> Self {
        let forms = tokens.words().enumerate().filter_map(|(index, word)| {
            let unescaped = unescape(word);
            let form = penn_form(&unescaped);
            (form != word).then(|| (index, form.into()))
        });
        Self { forms: forms.collect(), tokens, constraints: Constraints::default() }
    }

    /// The tokens.
    pub fn tokens(&self) -> &Tokens {
        &self.tokens
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
}

/// A sentence of tokens, which may know their places in a text.
impl From<Tokens> for Sentence {
    fn from(tokens: Tokens) -> Self {
        Self::of(tokens)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::span::TextSpan;

    #[test]
    fn trees_lose_everything_but_words_and_tags() {
        let tree: Tree = "(S (NP (-NONE- *)) (VP (VB Go) (ADVP (RB on))))".parse().unwrap();
        let sentence = Sentence::from_tree(&tree);
        assert_eq!(sentence.tokens(), &[("Go", "VB"), ("on", "RB")].into_iter().collect());
        assert_eq!(sentence.without_tags().tokens().get(1).tag, "");
        assert!(Sentence::from_tree(&Tree::empty()).tokens().is_empty());
    }

    #[test]
    fn partial_trees_demand_their_phrases() {
        let tree: Tree = "(S (NP (-NONE- *)) (VP (VB Go) ( (RB on))))".parse().unwrap();
        let sentence = Sentence::from_partial_tree(tree);
        assert_eq!(sentence.tokens(), &[("Go", "VB"), ("on", "RB")].into_iter().collect());
        let labels: Vec<_> = sentence.constraints.phrases().map(|(_, label)| label).collect();
        assert_eq!(labels, [Some("S"), Some("VP"), None]);
    }

    #[test]
    fn brackets_are_known_by_either_name() {
        let sentence = Sentence::new([("-LRB-", "-LRB-"), ("(", "-LRB-")]);
        assert_eq!((sentence.form(0), sentence.form(1)), ("(", "("));
        assert_eq!(sentence.tokens().word(0), "-LRB-");
    }

    #[test]
    fn quotation_marks_of_a_text_open_and_close() {
        let text = text::sentences("\"Go!\" — he said").next().unwrap();
        let sentence = Sentence::from_text(&text);
        let forms: Vec<&str> = (0..sentence.tokens().len()).map(|index| sentence.form(index)).collect();
        assert_eq!(forms, ["``", "Go", "!", "''", "--", "he", "said"]);
        let place = TextSpan { start: 1, char_start: 1, len: 2, char_len: 2 };
        assert_eq!(sentence.tokens().get(1).place, Some(place));
    }
}
