//! The atomic features of the paper: what there is to know about a word or a phrase of a source tree.
//!
//! | group | names | what |
//! |---|---|---|
//! | window | `w-2=`…`w+2=`, `t-2=`…`t+2=` | words and tags around the word, by relative position |
//! | co-occurrence | `has=`, `has-tag=` | all words and tags of the sentence |
//! | dependency | `top=` | the label of the word's maximal projection, its tag if there is none |
//! | | `above=`, `above-head=` | label and head word of the parent of that |
//! | | `dependent=`, `dependent-head=` | labels and head words of all dependents of that |
//! | | `spine=` | the labels of all its head children, down to the tag |
//!
//! A phrase has the features of the head words of its two parts, named `left:` and `right:`, and the labels of itself
//! and its parts (`node=`, `left=`, `right=`, `head=`); without those the pieces of a long phrase would look the same.
//! Words are in lower case.

use crate::align::{BinaryPart, BinaryTree, HEAD_RULES};
use boughs::tree::{Child, NodeId, Tree, base_label};

/// How far a window reaches.
const WINDOW: i64 = 2;

/// A source tree with all that features look at.
#[derive(Debug)]
pub(super) struct Context<'t> {
    /// The tree.
    pub(super) tree: &'t Tree,
    /// Its binary form.
    pub(super) binary: BinaryTree,
    heads: Vec<u32>,
    /// By word: the phrases whose head it is, the largest first.
    spines: Vec<Vec<NodeId>>,
    words: Vec<String>,
    name: String,
}

impl<'t> Context<'t> {
    /// The context of a tree.
    pub(super) fn new(tree: &'t Tree) -> Self {
        let heads = HEAD_RULES.heads(tree);
        let mut spines = vec![Vec::new(); tree.num_tokens()];
        for id in tree.ids() {
            spines[heads[id.index()] as usize].push(id);
        }
        Self {
            tree,
            binary: BinaryTree::new(tree),
            heads,
            spines,
            words: tree.words().map(str::to_lowercase).collect(),
            name: String::new(),
        }
    }

    /// The features of each word, and of each phrase that is wanted, as numbers; names without one are passed over.
    pub(super) fn rows(
        &mut self,
        is_wanted: impl Fn(usize) -> bool,
        mut number: impl FnMut(&str) -> Option<u32>,
    ) -> [Vec<Vec<u32>>; 2] {
        let mut shared = Vec::new();
        self.sentence_features(|name| shared.extend(number(name)));
        let mut rows = [Vec::new(), Vec::new()];
        for word in 0..self.words.len() {
            let mut row = shared.clone();
            self.word_features(word, |name| row.extend(number(name)));
            rows[0].push(row);
        }
        for node in (0..self.binary.nodes.len()).filter(|&node| is_wanted(node)) {
            let mut row = shared.clone();
            self.node_features(node, |name| row.extend(number(name)));
            rows[1].push(row);
        }
        rows
    }

    /// Visits the features that all words and phrases of the sentence share.
    pub(super) fn sentence_features(&mut self, mut visit: impl FnMut(&str)) {
        for index in 0..self.words.len() {
            name(&mut self.name, ["has=", &self.words[index]], &mut visit);
            name(&mut self.name, ["has-tag=", self.tree.token(index).tag], &mut visit);
        }
    }

    /// Visits the other features of a word.
    ///
    /// # Panics
    /// If there is no such word.
    pub(super) fn word_features(&mut self, word: usize, mut visit: impl FnMut(&str)) {
        self.features_of_word("", word, &mut visit);
    }

    /// Visits the other features of a phrase.
    ///
    /// # Panics
    /// If there is no such phrase.
    pub(super) fn node_features(&mut self, node: usize, mut visit: impl FnMut(&str)) {
        let found = self.binary.nodes[node];
        let kind = if found.is_piece { "node=@" } else { "node=" };
        name(&mut self.name, [kind, base_label(self.tree.label(found.phrase))], &mut visit);
        name(&mut self.name, ["head=", if found.is_head_left { "left" } else { "right" }], &mut visit);
        for (prefix, kind, part) in [("left:", "left=", found.left), ("right:", "right=", found.right)] {
            let label = self.part_label(part);
            name(&mut self.name, [kind, &label], &mut visit);
            self.features_of_word(prefix, self.binary.head(part) as usize, &mut visit);
        }
    }

    /// The label of a part: a tag, the label of a phrase, or that with `@` before it for a piece of it.
    pub(super) fn part_label(&self, part: BinaryPart) -> String {
        match part {
            BinaryPart::Word(word) => self.tree.token(word as usize).tag.to_owned(),
            BinaryPart::Node(node) => {
                let node = self.binary.nodes[node as usize];
                let label = base_label(self.tree.label(node.phrase));
                if node.is_piece { format!("@{label}") } else { label.to_owned() }
            }
        }
    }

    fn features_of_word(&mut self, prefix: &str, word: usize, visit: &mut impl FnMut(&str)) {
        self.window(prefix, word, visit);
        let mut text = std::mem::take(&mut self.name);
        let mut tell = |kind: &str, value: &str| name(&mut text, [prefix, kind, value], visit);
        let tag = self.tree.token(word).tag;
        let label = |id: NodeId| base_label(self.tree.label(id));
        let spine = &self.spines[word];
        tell("top=", spine.first().map_or(tag, |&top| label(top)));
        if let Some(parent) = self.parent(word) {
            tell("above=", label(parent));
            tell("above-head=", &self.words[self.heads[parent.index()] as usize]);
        }
        for (index, &id) in spine.iter().enumerate() {
            if index > 0 {
                tell("spine=", label(id));
            }
            for child in self.tree.children(id) {
                self.dependent(child, word, &mut tell);
            }
        }
        if !spine.is_empty() {
            tell("spine=", tag);
        }
        self.name = text;
    }

    fn window(&mut self, prefix: &str, word: usize, visit: &mut impl FnMut(&str)) {
        const PLACES: [[&str; 2]; 5] =
            [["w-2=", "t-2="], ["w-1=", "t-1="], ["w+0=", "t+0="], ["w+1=", "t+1="], ["w+2=", "t+2="]];
        for (offset, [word_kind, tag_kind]) in (-WINDOW..).zip(PLACES) {
            let place = usize::try_from(word as i64 + offset).ok().filter(|&place| place < self.words.len());
            let (word, tag) =
                place.map_or(("", ""), |place| (self.words[place].as_str(), self.tree.token(place).tag));
            name(&mut self.name, [prefix, word_kind, word], visit);
            name(&mut self.name, [prefix, tag_kind, tag], visit);
        }
    }

    /// The parent of the maximal projection of a word.
    fn parent(&self, word: usize) -> Option<NodeId> {
        match self.spines[word].first() {
            Some(&top) => self.tree.node(top).parent,
            None => {
                let has_word = |id: &NodeId| self.tree.children(*id).any(|child| child == Child::Token(word));
                self.tree.ids().find(has_word)
            }
        }
    }

    fn dependent(&self, child: Child, head: usize, tell: &mut impl FnMut(&str, &str)) {
        let (label, word) = match child {
            Child::Node(id) => (base_label(self.tree.label(id)), self.heads[id.index()] as usize),
            Child::Token(index) => (self.tree.token(index).tag, index),
        };
        if word != head {
            tell("dependent=", label);
            tell("dependent-head=", &self.words[word]);
        }
    }
}

/// Visits the name that some pieces make.
fn name<const N: usize>(text: &mut String, pieces: [&str; N], visit: &mut impl FnMut(&str)) {
    text.clear();
    pieces.iter().for_each(|piece| text.push_str(piece));
    visit(text);
}

#[cfg(test)]
mod tests {
    use super::*;

    const TREE: &str = "(TOP (S (NP (DT The) (NN dog)) (VP (VBZ eats) (NP (JJ old) (NNS bones)))))";

    fn word(index: usize) -> Vec<String> {
        let tree: Tree = TREE.parse().unwrap();
        let mut names = Vec::new();
        Context::new(&tree).word_features(index, |name| names.push(name.to_owned()));
        names
    }

    #[test]
    fn words_have_window_and_dependencies() {
        assert_eq!(
            word(4).join(" "),
            "w-2=eats t-2=VBZ w-1=old t-1=JJ w+0=bones t+0=NNS w+1= t+1= w+2= t+2= \
             top=NP above=VP above-head=eats dependent=JJ dependent-head=old spine=NNS"
        );
        assert!(word(3).join(" ").ends_with("top=JJ above=NP above-head=bones"));
        let verb = word(2).join(" ");
        assert!(verb.contains(" top=TOP spine=S dependent=NP dependent-head=dog spine=VP "), "{verb}");
    }

    #[test]
    fn phrases_have_those_of_both_heads() {
        let tree: Tree = TREE.parse().unwrap();
        let mut context = Context::new(&tree);
        let mut names = Vec::new();
        context.node_features(0, |name| names.push(name.to_owned()));
        assert_eq!(names[..3], ["node=NP", "head=right", "left=JJ"]);
        assert!(names.contains(&"left:w+0=old".to_owned()) && names.contains(&"right:above=VP".to_owned()));
    }

    #[test]
    fn the_sentence_has_all_words_and_tags() {
        let tree: Tree = TREE.parse().unwrap();
        let mut names = Vec::new();
        Context::new(&tree).sentence_features(|name| names.push(name.to_owned()));
        assert_eq!(names.len(), 10);
        assert_eq!(names[..4], ["has=the", "has-tag=DT", "has=dog", "has-tag=NN"]);
    }
}
