//! Slow, literal versions of the transforms on a recursive tree, as the papers describe them.

use boughs::tree::transform::TagSet;
use boughs::tree::{Child, NodeId, Tree, TreeBuilder, is_root_label};

#[derive(Debug, Clone)]
pub enum Reference {
    Phrase { label: String, children: Vec<Self> },
    Leaf { word: String, tag: String },
}

use Reference::{Leaf, Phrase};

impl Reference {
    /// A copy of a tree that has a phrase at the top.
    pub fn of(tree: &Tree) -> Option<Self> {
        tree.root().map(|root| Self::of_phrase(tree, root.id))
    }

    fn of_phrase(tree: &Tree, id: NodeId) -> Self {
        let children = tree.children(id).map(|child| match child {
            Child::Node(id) => Self::of_phrase(tree, id),
            Child::Token(mut index) => leaf(tree, &mut index),
        });
        Phrase { label: tree.label(id).to_owned(), children: children.collect() }
    }

    pub fn to_tree(&self) -> Tree {
        let mut builder = TreeBuilder::new();
        self.build(&mut builder);
        builder.finish().expect("a small tree")
    }

    fn build(&self, builder: &mut TreeBuilder) {
        match self {
            Leaf { word, tag } => builder.token(word, tag),
            Phrase { label, children } => {
                builder.open(label);
                children.iter().for_each(|child| child.build(builder));
                builder.close();
            }
        }
    }

    fn is_punctuation(&self, punctuation: &TagSet) -> bool {
        matches!(self, Leaf { tag, .. } if punctuation.contains(tag))
    }

    /// Bottom-up: punctuation at the edge of a phrase becomes its sibling. The root keeps its own.
    pub fn raise_punctuation(self, punctuation: &TagSet) -> Self {
        match self {
            Phrase { label, children } => {
                let children = children.into_iter().flat_map(|child| child.raised(punctuation)).collect();
                Phrase { label, children }
            }
            leaf => leaf,
        }
    }

    /// What stands in the place of a child after raising: punctuation, the child, punctuation.
    fn raised(self, punctuation: &TagSet) -> Vec<Self> {
        let (label, mut children) = match self.raise_punctuation(punctuation) {
            Phrase { label, children } => (label, children),
            leaf => return vec![leaf],
        };
        let mut place = Vec::new();
        let mut after = Vec::new();
        while children.first().is_some_and(|child| child.is_punctuation(punctuation)) {
            place.push(children.remove(0));
        }
        while let Some(last) = children.pop_if(|child| child.is_punctuation(punctuation)) {
            after.insert(0, last);
        }
        if !children.is_empty() {
            place.push(Phrase { label, children });
        }
        place.extend(after);
        place
    }

    /// Puts removed tokens back: each beside the next leaf that was left, under the same parent, and those at
    /// the end beside the last leaf. `sentence` is the original one, `is_left` says what was left of it.
    pub fn put_back(self, sentence: &Tree, is_left: &[bool]) -> Self {
        self.put_back_from(&mut 0, sentence, is_left)
    }

    fn put_back_from(self, next: &mut usize, sentence: &Tree, is_left: &[bool]) -> Self {
        let Phrase { label, children } = self else { return self };
        let mut complete = Vec::new();
        for child in children {
            if let Leaf { .. } = child {
                let is_last = |next: usize| !is_left[next..].contains(&true);
                while !is_left[*next] {
                    complete.push(leaf(sentence, next));
                }
                complete.push(leaf(sentence, next));
                while *next < is_left.len() && is_last(*next) {
                    complete.push(leaf(sentence, next));
                }
            } else {
                complete.push(child.put_back_from(next, sentence, is_left));
            }
        }
        Phrase { label, children: complete }
    }

    /// Bottom-up: a phrase with one child goes if its label occurs lower in the same unary chain.
    pub fn remove_unary_to_self(self, is_top: bool) -> Self {
        let Phrase { label, children } = self else { return self };
        let mut children: Vec<Self> =
            children.into_iter().map(|child| child.remove_unary_to_self(false)).collect();
        let is_root = is_top && is_root_label(&label);
        match children.as_slice() {
            [only] if !is_root && only.chain().contains(&label.as_str()) => children.remove(0),
            _ => Phrase { label, children },
        }
    }

    /// The labels of the unary chain from here down.
    fn chain(&self) -> Vec<&str> {
        match self {
            Leaf { .. } => Vec::new(),
            Phrase { label, children } => {
                let mut chain = vec![label.as_str()];
                if let [only] = children.as_slice() {
                    chain.extend(only.chain());
                }
                chain
            }
        }
    }
}

/// The next token of a sentence as a leaf.
fn leaf(sentence: &Tree, next: &mut usize) -> Reference {
    let token = sentence.token(*next);
    *next += 1;
    Leaf { word: token.word.to_owned(), tag: token.tag.to_owned() }
}
