//! Punctuation: taken out where it says nothing, raised where it stays.
//!
//! The naive form of raising goes bottom-up and moves each punctuation child at the edge of a phrase to just
//! before (or after) the phrase, again and again until it is inside something or at the root. On spans the
//! result can be said at once: every phrase but the root starts at its first token that is not punctuation,
//! and ends after its last.

use super::TagSet;
use crate::span::Span;
use crate::tree::Tree;

/// Removes quotation marks, wherever they are, and phrases that hold nothing else.
pub fn remove_quotes(tree: &mut Tree, quotes: &TagSet) {
    tree.retain_tokens(|token| !quotes.contains(token.tag));
}

/// Removes punctuation at the beginning and the end of the sentence, and phrases that hold nothing else.
/// Nothing is left of a sentence of only punctuation.
pub fn remove_outer_punctuation(tree: &mut Tree, punctuation: &TagSet) {
    let inner = inner_span(tree, punctuation).range();
    let mut index = 0..;
    tree.retain_tokens(|_| index.next().is_some_and(|index| inner.contains(&index)));
}

/// Raises punctuation: afterwards it is not at the edge of any phrase but the root. A phrase of only
/// punctuation vanishes.
pub fn raise_punctuation(tree: &mut Tree, punctuation: &TagSet) {
    let edges = Edges::new(tree, punctuation);
    tree.narrow_spans(|_, node| edges.narrow(node.span));
}

/// The sentence without punctuation at its edges.
fn inner_span(tree: &Tree, punctuation: &TagSet) -> Span {
    Edges::new(tree, punctuation).narrow(Span::new(0, tree.num_tokens() as u32))
}

/// For every position, the nearest words; looked up rather than searched, since many phrases may share an
/// edge with much punctuation.
struct Edges {
    /// The first word at or after a position.
    next_word: Vec<u32>,
    /// One past the last word before a position.
    end_of_word: Vec<u32>,
}

impl Edges {
    fn new(tree: &Tree, punctuation: &TagSet) -> Self {
        let is_word: Vec<bool> = tree.tokens().map(|token| !punctuation.contains(token.tag)).collect();
        let end = is_word.len() as u32;
        let mut next_word = vec![end; is_word.len() + 1];
        let mut end_of_word = vec![0; is_word.len() + 1];
        for (index, &is_word) in is_word.iter().enumerate() {
            end_of_word[index + 1] = if is_word { index as u32 + 1 } else { end_of_word[index] };
        }
        for (index, &is_word) in is_word.iter().enumerate().rev() {
            next_word[index] = if is_word { index as u32 } else { next_word[index + 1] };
        }
        Self { next_word, end_of_word }
    }

    fn narrow(&self, span: Span) -> Span {
        let start = self.next_word[span.start as usize].min(span.end);
        let end = self.end_of_word[span.end as usize];
        Span::new(start, end.max(start))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn applied(transform: fn(&mut Tree, &TagSet), text: &str) -> String {
        let mut tree: Tree = text.parse().expect("a tree");
        transform(&mut tree, &TagSet::punctuation());
        tree.to_string()
    }

    #[test]
    fn raising_stops_inside_a_phrase_and_at_the_root() {
        let raised = applied(
            raise_punctuation,
            "(TOP (S (NP (NP (NN a)) (, ,) (NP (NN b) (, ,))) (VP (VB c) (PRN (: --) (: --))) (. .)))",
        );
        assert_eq!(
            raised,
            "(TOP (S (NP (NP (NN a)) (, ,) (NP (NN b))) (, ,) (VP (VB c))) (: --) (: --) (. .))"
        );
    }

    #[test]
    fn a_root_without_convention_keeps_its_punctuation() {
        assert_eq!(applied(raise_punctuation, "(S (VP (VB go) (. .)))"), "(S (VP (VB go)) (. .))");
        assert_eq!(applied(raise_punctuation, "(S (. .) (: -))"), "(S (. .) (: -))");
        assert_eq!(applied(raise_punctuation, "(. .)"), "(. .)");
    }

    #[test]
    fn outer_punctuation_goes_inner_stays() {
        assert_eq!(
            applied(remove_outer_punctuation, "(S (: -) (NP (`` ``) (NN a)) (, ,) (NP (NN b) (. .)))"),
            "(S (NP (NN a)) (, ,) (NP (NN b)))"
        );
        assert_eq!(applied(remove_outer_punctuation, "(S (NP (. .)) (: -))"), "()");
        assert_eq!(applied(remove_outer_punctuation, "()"), "()");
    }

    #[test]
    fn quotes_go_everywhere() {
        let mut tree: Tree = "(S (`` ``) (NP (`` `) (NN a) ('' ')) (PRN ('' '')) (, ,))".parse().expect("ok");
        remove_quotes(&mut tree, &TagSet::quotes());
        assert_eq!(tree.to_string(), "(S (NP (NN a)) (, ,))");
    }
}
