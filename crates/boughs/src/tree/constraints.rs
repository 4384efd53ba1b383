//! [`Constraints`]: what is known of a tree before it is found.
//!
//! The naive form parses freely and looks whether the tree agrees. A parser does better to know the constraints from
//! the beginning, but it sees other tokens than the user, with quotation marks taken away, and other labels. So the
//! constraints go through the same preprocessing as the trees that the parser learned from: [`Constraints::prepare`].
//! Any parser can use what comes out: spans and names of labels.
//!
//! What counts is the words of a phrase. Where its edges are tokens that preprocessing takes away or raises, that is
//! quotation marks and punctuation, a phrase without them meets the constraint.

use super::transform::{Pipeline, Record, TransformStep};
use super::{Tree, from_spans, is_root_label};
use crate::error::{Error, ErrorKind, Result};
use crate::span::Span;

/// What a tree over a sentence must be like.
///
/// ```
/// use boughs::span::Span;
/// use boughs::tree::{Constraints, Tree};
///
/// let partial: Tree = "( (DT The) ( (JJ old) (NN oak)) (VP (VBZ bends)) (. .))".parse()?;
/// let constraints = Constraints::of_tree(&partial);
/// let phrases: Vec<_> = constraints.phrases().collect();
/// assert_eq!(phrases, [(Span::new(1, 3), None), (Span::new(3, 4), Some("VP"))]);
/// # Ok::<(), boughs::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Constraints<L = Box<str>> {
    /// The phrases that must be there, and their labels, if it matters.
    pub phrases: Vec<(Span, Option<L>)>,
    /// The spans that no phrase may cross: overlap with, unless one is within the other.
    pub uncrossed: Vec<Span>,
    /// The label of the only child of the root, beside punctuation.
    pub root: Option<L>,
}

/// A sentence as a parser sees it, with the constraints on its tree.
#[derive(Debug, Clone)]
pub struct Prepared {
    /// The tokens that are left, in a tree without phrases.
    pub tokens: Tree,
    /// How to complete a tree over them.
    pub record: Record,
    /// The constraints, in terms of these tokens.
    pub constraints: Constraints,
}

impl<L> Constraints<L> {
    /// No constraints.
    pub const fn none() -> Self {
        Self { phrases: Vec::new(), uncrossed: Vec::new(), root: None }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.phrases.is_empty() && self.uncrossed.is_empty() && self.root.is_none()
    }
}

impl Constraints {
    /// Requires every phrase of a partial tree; one without a label may get any. A root, as a convention of treebanks
    /// puts it over the sentence, is no constraint.
    pub fn of_tree(tree: &Tree) -> Self {
        let is_root = |span: Span, label| is_root_label(label) && span.len() == tree.num_tokens();
        let phrases = tree.nodes().skip_while(|node| is_root(node.span, node.label));
        let label = |label: &str| (!label.is_empty()).then(|| label.into());
        Self { phrases: phrases.map(|node| (node.span, label(node.label))).collect(), ..Self::default() }
    }

    /// Requires a phrase over a span, with a label if one is given.
    pub fn require(&mut self, span: Span, label: Option<&str>) {
        self.phrases.push((span, label.map(Into::into)));
    }

    /// The phrases that must be there, and their labels, if it matters.
    pub fn phrases(&self) -> impl Iterator<Item = (Span, Option<&str>)> {
        self.phrases.iter().map(|(span, label)| (*span, label.as_deref()))
    }

    /// Prepares a sentence for a parser, and the constraints with it. Phrases of the sentence are not looked at.
    ///
    /// # Errors
    /// [`ErrorKind::Argument`] if no tree over the sentence can meet the constraints: spans that are not there or
    /// cross each other, phrases of which preprocessing leaves nothing.
    pub fn prepare(&self, sentence: &Tree, pipeline: &Pipeline) -> Result<Prepared> {
        let mut tokens = self.phrases_over(sentence)?;
        let record = pipeline.prepare(&mut tokens);
        let mut constraints = Self::of_tree(&tokens);
        tokens.retain_nodes(|_| false);
        let left = |span| words_in(record.left_of(span), &tokens, pipeline);
        if let Some((span, _)) = self.phrases().find(|(span, _)| left(*span).is_empty()) {
            return Err(no_words(sentence, span));
        }
        if tokens.is_empty() && self.root.is_some() {
            return Err(no_words(sentence, whole(sentence)));
        }
        constraints.uncrossed = self.uncrossed.iter().map(|&span| left(span)).collect();
        constraints.uncrossed.retain(|span| !span.is_empty());
        constraints.root.clone_from(&self.root);
        Ok(Prepared { tokens, record, constraints })
    }

    /// The sentence with the phrases that must be there, and a root.
    fn phrases_over(&self, sentence: &Tree) -> Result<Tree> {
        let (whole, crossing) =
            (whole(sentence), |span: Span| self.uncrossed.iter().find(|s| s.crosses(span)));
        if let Some(&span) =
            self.uncrossed.iter().find(|&&span| span.start >= span.end || !whole.contains(span))
        {
            return Err(not_there(span, whole));
        }
        if let Some((span, other)) = self.phrases().find_map(|(span, _)| Some((span, crossing(span)?))) {
            return Err(cross(span, *other));
        }
        if sentence.is_empty() {
            return Ok(Tree::empty());
        }
        let phrases = self.phrases().map(|(span, label)| (span, label.unwrap_or_default()));
        from_spans(sentence.tokens(), std::iter::once((whole, "")).chain(phrases))
            .map_err(|error| error.hint("require spans of the sentence that do not cross each other"))
    }
}

fn whole(sentence: &Tree) -> Span {
    Span::new(0, sentence.num_tokens() as u32)
}

/// A span without the punctuation at its edges, if preprocessing raises that.
fn words_in(span: Span, tokens: &Tree, pipeline: &Pipeline) -> Span {
    let raises = pipeline.steps().contains(&TransformStep::RaisePunctuation);
    let is_word =
        |index: u32| !raises || !pipeline.settings.punctuation.contains(tokens.token(index as usize).tag);
    let start = (span.start..span.end).find(|&index| is_word(index)).unwrap_or(span.end);
    let last = (start..span.end).rfind(|&index| is_word(index));
    Span::new(start, last.map_or(start, |last| last + 1))
}

fn not_there(span: Span, whole: Span) -> Error {
    let message = format!("expected a span of the {} tokens, found {}..{}", whole.end, span.start, span.end);
    Error::new(ErrorKind::Argument, message)
        .hint("tokens are counted from 0, and the end is one past the last")
}

fn cross(span: Span, other: Span) -> Error {
    let (Span { start, end }, Span { start: from, end: to }) = (span, other);
    let message = format!("no tree has a phrase over {start}..{end} when {from}..{to} must not be crossed");
    Error::new(ErrorKind::Argument, message).hint("require one of the two")
}

fn no_words(sentence: &Tree, span: Span) -> Error {
    let words: Vec<&str> = sentence.words().skip(span.start as usize).take(span.len()).collect();
    let message = format!("no phrase can be over `{}`: there is no word in it", words.join(" "));
    Error::new(ErrorKind::Argument, message)
        .hint("quotation marks and punctuation alone are not parsed: leave such phrases out")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(text: &str) -> Tree {
        text.parse().expect("a tree")
    }

    fn prepare(sentence: &str, constraints: &Constraints) -> Result<Prepared> {
        constraints.prepare(&tree(sentence), &"tm06".parse::<Pipeline>().expect("a name"))
    }

    const SENTENCE: &str = "( (`` ``) (DT The) (NN Cat) ('' '') (, ,) (VBD sat) (RP up) (. .))";

    #[test]
    fn roots_are_no_constraints() {
        for text in ["( (NN a) (NN b))", "(TOP (NN a) (NN b))", "(S1 (TOP ( (NN a) (NN b))))", "(NN a)", "()"]
        {
            assert!(Constraints::of_tree(&tree(text)).is_empty(), "{text}");
        }
        let whole = Constraints::of_tree(&tree("(TOP (S (NN a) (NN b)))"));
        assert_eq!(whole.phrases().collect::<Vec<_>>(), [(Span::new(0, 2), Some("S"))]);
    }

    #[test]
    fn constraints_are_prepared_as_training_trees_are() {
        let partial =
            "( (S (NP-SBJ (`` ``) ( (DT The) (NN Cat)) ('' '') (, ,)) (VP (VBD sat) (PRT (RP up)))) (. .))";
        let prepared = prepare(partial, &Constraints::of_tree(&tree(partial))).expect("sound");
        assert_eq!(prepared.tokens.to_string(), "( (DT the) (NN cat) (, ,) (VBD sat) (RP up))");
        let expected = [
            ((0, 5), Some("S")),
            ((0, 2), Some("NP")),
            ((0, 2), None),
            ((3, 5), Some("VP")),
            ((4, 5), Some("ADVP")),
        ];
        let expected = expected.map(|((start, end), label)| (Span::new(start, end), label));
        assert_eq!(prepared.constraints.phrases().collect::<Vec<_>>(), expected);
    }

    #[test]
    fn spans_that_must_not_be_crossed_lose_their_edges_too() {
        let mut constraints = Constraints::default();
        for (start, end) in [(0, 5), (3, 5), (4, 8), (5, 6)] {
            constraints.uncrossed.push(Span::new(start, end));
        }
        constraints.root = Some("S".into());
        let prepared = prepare(SENTENCE, &constraints).expect("sound").constraints;
        assert_eq!(prepared.uncrossed, [Span::new(0, 2), Span::new(3, 5), Span::new(3, 4)]);
        assert_eq!(prepared.root.as_deref(), Some("S"));
    }

    #[test]
    fn what_no_tree_can_meet_is_told() {
        let required = |spans: &[(u32, u32)], uncrossed: Option<(u32, u32)>| {
            let mut constraints = Constraints::default();
            spans.iter().for_each(|&(start, end)| constraints.require(Span::new(start, end), None));
            uncrossed.into_iter().for_each(|(start, end)| constraints.uncrossed.push(Span::new(start, end)));
            constraints
        };
        for (constraints, part) in [
            (required(&[(0, 3), (2, 6)], None), "span 2..6 crosses span 0..3"),
            (required(&[(7, 9)], None), "span 7..9 in 8 tokens"),
            (
                required(&[(0, 3)], Some((2, 6))),
                "no tree has a phrase over 0..3 when 2..6 must not be crossed",
            ),
            (required(&[], Some((2, 2))), "expected a span of the 8 tokens, found 2..2"),
            (required(&[(3, 5)], None), "no phrase can be over `'' ,`: there is no word in it"),
        ] {
            let error = prepare(SENTENCE, &constraints).expect_err("impossible").to_string();
            assert!(error.contains(part), "{error}");
        }
        let root = Constraints { root: Some("S".into()), ..Constraints::default() };
        assert!(prepare("( (. .) (. .))", &root).is_err());
        assert!(prepare("()", &Constraints::default()).expect("nothing").tokens.is_empty());
    }
}
