//! [`Record`]: what preprocessing did to the tokens of a sentence, and how to undo it in a parser's tree.
//!
//! The naive way, and that of Turian & Melamed's scripts, is to put each removed token back beside a
//! neighbouring leaf, line by line from the original file, and then to raise punctuation again. With spans
//! the two become one rule: a phrase goes from its first to its last word as before. So a token that comes
//! back belongs to the lowest phrase with words on both sides of it, and one at the edge of the sentence to
//! the root.
//!
//! No phrase gains or loses a word by that. So if only punctuation and traces were removed, the brackets of
//! the tree as EVALB counts them, which leaves both out, are those that the parser made.
//!
//! Changes to labels are not undone: a tree keeps the labels that the parser gave it.

use crate::error::{Error, ErrorKind, Result};
use crate::span::{Span, TextSpan};
use crate::tree::{NodeId, Tree, from_spans};

/// The tokens of a sentence before preprocessing, and which of them were left.
#[derive(Debug, Clone)]
pub struct Record {
    /// The original tokens, in a tree without phrases.
    original: Tree,
    /// The original place of each token that was left.
    kept: Vec<u32>,
    root_label: String,
}

impl Record {
    /// Records what `transform` does to the tokens of a tree. It may remove tokens and change words and
    /// tags, but not add tokens, nor change where they stand in the text.
    pub(super) fn around(tree: &mut Tree, transform: impl FnOnce(&mut Tree)) -> Self {
        let root_label = tree.root().filter(|_| tree.has_root()).map_or("", |root| root.label).to_owned();
        let mut original = tree.clone();
        original.retain_nodes(|_| false);
        // No transform looks at the place of a token in the text, so its number travels there.
        for index in 0..tree.num_tokens() {
            tree.set_place(index, Some(TextSpan { start: index as u64, char_start: 0, len: 0, char_len: 0 }));
        }
        transform(tree);
        let kept: Vec<u32> = tree.tokens().filter_map(|token| Some(token.place?.start as u32)).collect();
        for (index, &place) in kept.iter().enumerate() {
            tree.set_place(index, original.token(place as usize).place);
        }
        Self { original, kept, root_label }
    }

    /// The original tokens under one root: the tree of a sentence that could not be parsed. The root is
    /// that of the input if it followed a convention.
    pub fn flat(&self) -> Tree {
        let mut flat = self.original.clone();
        if !self.root_label.is_empty() {
            flat.set_root(&self.root_label);
        }
        flat
    }

    /// Completes a parser's tree over the tokens that were left to a tree over the original ones: all of
    /// them, with traces if the input had any, and with their own words, tags and places in the text.
    ///
    /// # Errors
    /// [`ErrorKind::Mismatch`] if the tree has another number of tokens than were left.
    pub fn restore(&self, parsed: &Tree) -> Result<Tree> {
        self.restore_with(parsed, false)
    }

    /// The same, but tokens at the edges of the sentence may be put into the one phrase below the root, as the Penn
    /// Treebank does with full stops, instead of beside it.
    ///
    /// # Errors
    /// [`ErrorKind::Mismatch`] if the tree has another number of tokens than were left.
    pub fn restore_with(&self, parsed: &Tree, outer_in_clause: bool) -> Result<Tree> {
        if parsed.num_tokens() != self.kept.len() {
            return Err(self.mismatch(parsed));
        }
        if parsed.is_empty() {
            return Ok(self.flat());
        }
        let has_clause = parsed.has_root() && parsed.unary_child(NodeId::new(0)).is_some();
        let num_whole = 1 + u32::from(outer_in_clause && has_clause);
        let spans = parsed.nodes().map(|node| {
            let is_whole = node.id < NodeId::new(num_whole);
            (if is_whole { self.whole() } else { self.original_span(node.span) }, node.label)
        });
        from_spans(self.original.tokens(), spans)
    }

    /// What is left of a span of the original tokens, in terms of those that were left.
    pub(crate) fn left_of(&self, span: Span) -> Span {
        let [start, end] =
            [span.start, span.end].map(|edge| self.kept.partition_point(|&place| place < edge) as u32);
        Span::new(start, end)
    }

    fn whole(&self) -> Span {
        Span::new(0, self.original.num_tokens() as u32)
    }

    /// From the first to the last of the tokens, with what was removed between them.
    fn original_span(&self, span: Span) -> Span {
        let last = self.kept[span.end as usize - 1];
        Span::new(self.kept[span.start as usize], last + 1)
    }

    fn mismatch(&self, parsed: &Tree) -> Error {
        let (expected, found) = (self.kept.len(), parsed.num_tokens());
        let message = format!("expected a tree over {expected} tokens, found one over {found}");
        Error::new(ErrorKind::Mismatch, message)
            .hint("restore the tree of the same sentence, with all tokens that preprocessing left")
    }
}

#[cfg(test)]
mod tests {
    use super::super::Pipeline;
    use super::*;

    fn tree(text: &str) -> Tree {
        text.parse().expect("a tree")
    }

    fn prepared(text: &str) -> (Tree, Record) {
        let mut tree = tree(text);
        let record = "tm06".parse::<Pipeline>().expect("a name").prepare(&mut tree);
        (tree, record)
    }

    #[test]
    fn tokens_come_back_where_raised_punctuation_would_be() {
        let (_, record) =
            prepared("( (`` ``) (DT The) ('' '') (NN Cat) (, ,) ('' '') (VBD sat) (. .) ('' ''))");
        let restored =
            record.restore(&tree("(TOP (S (NP (DT a) (NN b)) (, c) (VP (VBD d))))")).expect("fits");
        assert_eq!(
            restored.to_string(),
            "(TOP (`` ``) (S (NP (DT The) ('' '') (NN Cat)) (, ,) ('' '') (VP (VBD sat))) (. .) ('' ''))"
        );
    }

    #[test]
    fn full_stops_in_the_clause() {
        for (parsed, expected) in [
            ("(TOP (S (VP (VB go))))", "(TOP (S (: -) (VP (VB Go)) (. .)))"),
            ("(S (VP (VB go)))", "(S (: -) (VP (VB Go)) (. .))"),
            ("(TOP (VB go))", "(TOP (: -) (VB Go) (. .))"),
            ("(VB go)", "( (: -) (VB Go) (. .))"),
        ] {
            let (_, record) = prepared("( (: -) (VB Go) (. .))");
            let restored = record.restore_with(&tree(parsed), true).expect("fits");
            assert_eq!(restored.to_string(), expected);
        }
    }

    #[test]
    fn places_in_the_text_come_back() {
        let mut sentence = Tree::flat([("``", "``"), ("Go", "VB")].into_iter().collect());
        sentence.set_place(1, Some(TextSpan { start: 1, char_start: 1, len: 2, char_len: 2 }));
        let original = sentence.clone();
        let record = "tm06".parse::<Pipeline>().expect("a name").prepare(&mut sentence);
        assert_eq!(sentence.token(0).place, original.token(1).place);
        let restored = record.restore(&sentence).expect("fits");
        assert!(restored.tokens().eq(original.tokens()));
    }

    #[test]
    fn nothing_left_nothing_there_nothing_parsed() {
        let (left, record) = prepared("(TOP (. .) ('' ''))");
        assert!(left.is_empty());
        assert_eq!(record.restore(&left).expect("fits").to_string(), "(TOP (. .) ('' ''))");

        let (left, record) = prepared("()");
        assert_eq!(record.restore(&left).expect("fits"), Tree::empty());

        let (_, record) = prepared("(ROOT (S (VB Go) (. .)))");
        assert_eq!(record.flat().to_string(), "(ROOT (VB Go) (. .))");
    }

    #[test]
    fn trees_of_other_sentences_are_refused() {
        let (_, record) = prepared("(S (VB Go) (RP on) (. .))");
        for other in ["(VB go)", "()"] {
            let error = record.restore(&tree(other)).expect_err("another sentence");
            assert_eq!(error.kind(), ErrorKind::Mismatch);
        }
    }
}
