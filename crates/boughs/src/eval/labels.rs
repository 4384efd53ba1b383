//! Labels as numbers, with what the settings say about each worked out once.
//!
//! The plain form compares strings with every entry of every list, for each bracket of each sentence.
//! A treebank has a few hundred labels and millions of brackets, so each label is looked up in one hash table
//! and all questions about it are answered when it is first seen.

use rustc_hash::FxHashMap;

use super::{Name, Parameters};
use crate::tree::is_root_label;

/// The number of a label in the order of first appearance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LabelId(u32);

impl LabelId {
    /// The number as an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }

    /// All numbers there can be, in order.
    pub(super) fn all() -> impl Iterator<Item = Self> {
        (0..u32::MAX).map(Self)
    }
}

/// Where a label ends and its function tags begin, and whether a root is a bracket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Convention {
    /// Cut at the first `-` or `=`, be it the first character; roots count unless the settings delete them.
    Evalb,
    /// Cut at the first `-` or `=`, but `-LRB-` and `-NONE-` are whole; roots do not count.
    AnyTreebank,
}

/// What is known of a label.
#[derive(Debug, Clone, Copy)]
pub(super) struct Facts {
    /// A word with this tag is left out.
    pub(super) deletes_word: bool,
    /// A word with this tag counts in the length.
    pub(super) counts_in_length: bool,
    /// A quotation mark with this tag may be put back.
    pub(super) is_quote: bool,
    /// The label without function tags.
    pub(super) bare: LabelId,
    /// A bracket with this label is left out.
    pub(super) deletes_bracket: bool,
}

/// All labels seen so far.
#[derive(Debug)]
pub(super) struct LabelTable {
    convention: Convention,
    pub(super) parameters: Parameters,
    ids: FxHashMap<Vec<u8>, LabelId>,
    names: Vec<Vec<u8>>,
    facts: Vec<Facts>,
    /// For each label itself, then those that `EQ_LABEL` pairs it with.
    equals: Vec<Vec<LabelId>>,
}

impl LabelTable {
    pub(super) fn new(parameters: Parameters, convention: Convention) -> Self {
        let mut labels = Self {
            convention,
            parameters,
            ids: FxHashMap::default(),
            names: Vec::new(),
            facts: Vec::new(),
            equals: Vec::new(),
        };
        labels.link_equals();
        labels
    }

    /// Gives the labels of `EQ_LABEL` their numbers before any other label can need them.
    fn link_equals(&mut self) {
        for (one, other) in self.parameters.equal_labels.clone() {
            let (one, other) = (self.id(&one), self.id(&other));
            for (from, to) in [(one, other), (other, one)] {
                let equals = &mut self.equals[from.index()];
                if !equals.contains(&to) {
                    equals.push(to);
                }
            }
        }
    }

    /// The number of a label.
    pub(super) fn id(&mut self, label: &[u8]) -> LabelId {
        match self.ids.get(label) {
            Some(&id) => id,
            None => self.add(label),
        }
    }

    fn add(&mut self, label: &[u8]) -> LabelId {
        let bare_name = &label[..self.bare_length(label)];
        let bare = (bare_name.len() < label.len()).then(|| self.id(bare_name));
        let id = LabelId(self.names.len() as u32);
        self.ids.insert(label.to_vec(), id);
        self.names.push(label.to_vec());
        self.equals.push(vec![id]);
        let parameters = &self.parameters;
        let is_in = |names: &[Vec<u8>], name: &[u8]| names.iter().any(|other| other == name);
        // Outside EVALB's convention a tag has lost its function tags before it is judged.
        let tag = if self.convention == Convention::Evalb { label } else { bare_name };
        self.facts.push(Facts {
            deletes_word: is_in(&parameters.delete_labels, tag),
            counts_in_length: !is_in(&parameters.delete_labels_for_length, tag),
            is_quote: is_in(&parameters.quote_labels, tag),
            bare: bare.unwrap_or(id),
            deletes_bracket: self.deletes_bracket(bare_name),
        });
        id
    }

    fn bare_length(&self, label: &[u8]) -> usize {
        match label.iter().position(|byte| b"-=".contains(byte)) {
            Some(0) if self.convention == Convention::AnyTreebank => label.len(),
            Some(end) => end,
            None => label.len(),
        }
    }

    fn deletes_bracket(&self, bare: &[u8]) -> bool {
        let is_root =
            || self.convention == Convention::AnyTreebank && str::from_utf8(bare).is_ok_and(is_root_label);
        let Parameters { delete_labels, equal_labels, .. } = &self.parameters;
        is_root() || delete_labels.iter().any(|deleted| are_same(equal_labels, deleted, bare))
    }

    /// The labels seen so far.
    pub(super) fn ids(&self) -> impl Iterator<Item = LabelId> + use<> {
        LabelId::all().take(self.names.len())
    }

    pub(super) fn facts(&self, id: LabelId) -> Facts {
        self.facts[id.index()]
    }

    pub(super) fn name(&self, id: LabelId) -> &[u8] {
        &self.names[id.index()]
    }

    /// The label itself and those that count as the same.
    pub(super) fn equals(&self, id: LabelId) -> &[LabelId] {
        &self.equals[id.index()]
    }

    pub(super) fn same(&self, one: LabelId, other: LabelId) -> bool {
        one == other || self.equals(one).contains(&other)
    }

    pub(super) fn same_word(&self, one: &[u8], other: &[u8]) -> bool {
        are_same(&self.parameters.equal_words, one, other)
    }
}

/// Whether two names are equal, or a pair.
fn are_same(pairs: &[(Name, Name)], one: &[u8], other: &[u8]) -> bool {
    one == other || pairs.iter().any(|(a, b)| (a == one && b == other) || (a == other && b == one))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(text: &str, convention: Convention) -> LabelTable {
        LabelTable::new(Parameters::parse(text.as_bytes()).expect("settings"), convention)
    }

    #[test]
    fn equality_is_symmetric_and_not_transitive() {
        let mut labels = labels("EQ_LABEL A B\nEQ_LABEL B C\n", Convention::Evalb);
        let [a, b, c] = ["A", "B", "C"].map(|name| labels.id(name.as_bytes()));
        assert!(labels.same(a, b) && labels.same(b, a) && labels.same(c, b));
        assert!(!labels.same(a, c));
    }

    #[test]
    fn function_tags_are_cut() {
        for (convention, lrb) in [(Convention::Evalb, ""), (Convention::AnyTreebank, "-LRB-")] {
            let mut labels = labels("", convention);
            let cases = [("NP-SBJ=2", "NP"), ("VP=3-X", "VP"), ("S", "S"), ("", ""), ("-LRB-", lrb)];
            for (label, bare) in cases {
                let id = labels.id(label.as_bytes());
                assert_eq!(labels.name(labels.facts(id).bare), bare.as_bytes());
            }
        }
    }

    #[test]
    fn deletion_follows_equality_for_brackets_only() {
        let mut labels = labels("DELETE_LABEL X\nEQ_LABEL X Y\n", Convention::Evalb);
        let id = labels.id(b"Y-1");
        assert!(labels.facts(id).deletes_bracket);
        assert!(!labels.facts(id).deletes_word);
        let id = labels.id(b"X-1");
        assert!(!labels.facts(id).deletes_word);
    }

    #[test]
    fn roots_count_only_for_evalb() {
        for root in crate::tree::ROOT_LABELS {
            let mut evalb = labels("", Convention::Evalb);
            let id = evalb.id(root.as_bytes());
            assert!(!evalb.facts(id).deletes_bracket);
            let mut any = labels("", Convention::AnyTreebank);
            let id = any.id(root.as_bytes());
            assert!(any.facts(id).deletes_bracket);
        }
    }
}
