//! Phrases one by one, each with everything that is known of it: for whoever walks through them, or lists them.

use std::borrow::Cow;
use std::ops::Range;

use super::heads::HeadRules;
use super::{NodeId, Tree};
use crate::span::Span;

/// A phrase of a sentence.
#[derive(Debug, Clone, PartialEq)]
pub struct Phrase<'a> {
    /// Its place in pre-order.
    pub id: NodeId,
    /// Its parent; none for the root.
    pub parent: Option<NodeId>,
    /// Its label.
    pub label: &'a str,
    /// Its tokens.
    pub span: Span,
    /// Its bytes in the original text, if they are known.
    pub bytes: Option<Range<u64>>,
    /// Its characters in the original text (Unicode scalar values, as Python counts), if they are known.
    pub chars: Option<Range<u64>>,
    /// Its text, as it stands in the original if that is known: see [`Tree::text`].
    pub text: Cow<'a, str>,
    /// The token that is its head.
    pub head: usize,
    /// The probability that it is right, as the parser sees it; none where there is no telling.
    pub confidence: Option<f64>,
}

impl Tree {
    /// The phrases in pre-order, with their heads by these rules.
    ///
    /// ```
    /// use boughs::tree::{Tree, heads::HeadRules};
    ///
    /// let tree: Tree = "(S (NP (DT The) (NN bough)) (VP (VBZ bends)))".parse()?;
    /// let np = tree.phrases(&HeadRules::english()).find(|phrase| phrase.label == "NP").unwrap();
    /// assert_eq!((&*np.text, tree.word(np.head)), ("The bough", "bough"));
    /// # Ok::<(), boughs::Error>(())
    /// ```
    pub fn phrases(&self, rules: &HeadRules) -> impl ExactSizeIterator<Item = Phrase<'_>> {
        self.nodes().zip(rules.heads(self)).map(|(node, head)| Phrase {
            id: node.id,
            parent: node.parent,
            label: node.label,
            span: node.span,
            bytes: self.bytes(node.span),
            chars: self.chars(node.span),
            text: self.text(node.span),
            head: head as usize,
            confidence: None,
        })
    }
}
