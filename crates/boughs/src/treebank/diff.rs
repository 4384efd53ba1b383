//! Where two trees of a sentence differ.

use crate::span::Span;
use crate::tree::{Tree, is_root_label};

/// The differences of two trees of one sentence.
///
/// ```
/// use boughs::tree::Tree;
/// use boughs::treebank::TreeDiff;
///
/// let one: Tree = "(S (NP (PRP We)) (VP (VBP see) (NP (NNS boughs))))".parse()?;
/// let other: Tree = "(S (NP (PRP We)) (VP (VBP see) (NP (VBZ boughs))))".parse()?;
/// let diff = TreeDiff::of(&one, &other).unwrap();
/// assert!(diff.only_first.is_empty() && diff.only_second.is_empty());
/// assert_eq!(diff.tags, [(2, "NNS".to_owned(), "VBZ".to_owned())]);
/// # Ok::<(), boughs::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TreeDiff {
    /// Phrases that only the first has, in pre-order: where, and their labels. Roots do not count.
    pub only_first: Vec<(Span, String)>,
    /// Phrases that only the second has.
    pub only_second: Vec<(Span, String)>,
    /// Tokens with different tags, and both tags.
    pub tags: Vec<(usize, String, String)>,
}

impl TreeDiff {
    /// The differences; none if the trees are not of the same words.
    pub fn of(first: &Tree, second: &Tree) -> Option<Self> {
        if !first.words().eq(second.words()) {
            return None;
        }
        let tokens = first.tokens().zip(second.tokens()).enumerate();
        let tags = tokens.filter(|(_, (one, other))| one.tag != other.tag);
        let tags = tags.map(|(index, (one, other))| (index, one.tag.to_owned(), other.tag.to_owned()));
        Some(Self {
            only_first: without(first, second),
            only_second: without(second, first),
            tags: tags.collect(),
        })
    }

    /// Whether the trees are the same.
    pub fn is_empty(&self) -> bool {
        self.only_first.is_empty() && self.only_second.is_empty() && self.tags.is_empty()
    }
}

fn phrases(tree: &Tree) -> Vec<(Span, String)> {
    let phrases = tree.nodes().filter(|node| !is_root_label(node.label));
    phrases.map(|node| (node.span, node.label.to_owned())).collect()
}

/// The phrases of a tree that another does not have; one that is there twice must be there twice.
fn without(tree: &Tree, other: &Tree) -> Vec<(Span, String)> {
    let mut others = phrases(other);
    others.sort_unstable();
    let mut is_used = vec![false; others.len()];
    let mut left = phrases(tree);
    left.retain(|phrase| {
        let first = others.partition_point(|other| other < phrase);
        let same = others[first..].iter().take_while(|other| *other == phrase).count();
        match (first..first + same).find(|&place| !is_used[place]) {
            Some(place) => {
                is_used[place] = true;
                false
            }
            None => true,
        }
    });
    left
}

#[cfg(test)]
mod tests {
    use super::*;

    fn diff(first: &str, second: &str) -> Option<TreeDiff> {
        TreeDiff::of(&first.parse().expect("a tree"), &second.parse().expect("a tree"))
    }

    #[test]
    fn phrases_of_one_side_are_found() {
        let found = diff("(S (NP (A a) (B b)) (VP (C c)))", "(TOP (S (NP (A a)) (VP (B b) (C c))))")
            .expect("the same words");
        assert_eq!(
            found.only_first,
            [(Span::new(0, 2), "NP".to_owned()), (Span::new(2, 3), "VP".to_owned())]
        );
        assert_eq!(
            found.only_second,
            [(Span::new(0, 1), "NP".to_owned()), (Span::new(1, 3), "VP".to_owned())]
        );
    }

    #[test]
    fn doubled_phrases_are_counted() {
        let found = diff("(NP (NP (NP (A a))))", "(NP (NP (A a)))").expect("the same words");
        assert_eq!((found.only_first.len(), found.only_second.len()), (1, 0));
        assert!(diff("(NP (NP (A a)))", "(NP (NP (A a)))").expect("the same words").is_empty());
    }

    #[test]
    fn other_words_are_no_difference_of_trees() {
        assert_eq!(diff("(NP (A a))", "(NP (A b))"), None);
        assert_eq!(diff("(NP (A a))", "()"), None);
    }
}
