//! Items: labelled spans over the sentence, each with its children and its head.
//!
//! The items of a sentence live in one arena. The same label over the same children is the same item, whatever the
//! order in which it was inferred, so two states are equal if their frontiers hold the same items.

use std::hash::Hasher;

use hashbrown::HashTable;
use rustc_hash::FxHasher;

use super::symbols::{FrontierSymbol, InputTerminal, Label, TransitionSymbols};
use crate::span::Span;
use crate::tree::{Tree, from_spans};

/// The number of an item in its sentence; terminals come first, in the order of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct ItemId(pub u32);

impl ItemId {
    /// The number as an index.
    #[inline]
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// A terminal, or a phrase with its children.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ParseItem {
    /// The label, or the tag of a terminal.
    pub(crate) symbol: FrontierSymbol,
    /// The tag of the head.
    pub(crate) head_tag: u16,
    /// The class of that tag.
    pub(crate) head_class: u16,
    /// Whether this is a terminal that is punctuation.
    pub(crate) is_punctuation: bool,
    /// The place of the head among the children.
    pub(crate) head_child: u8,
    /// The number of children; 0 for a terminal.
    pub(crate) num_children: u32,
    /// The word of the head.
    pub(crate) head_word: u32,
    /// The terminal that is the head.
    pub(crate) head: u32,
    /// The first terminal.
    pub(crate) start: u32,
    /// One past the last terminal.
    pub(crate) end: u32,
    /// Where the children stand in the list of all children.
    first_child: u32,
}

impl ParseItem {
    /// Whether this is a terminal.
    #[inline]
    pub(crate) fn is_terminal(&self) -> bool {
        self.num_children == 0
    }

    /// Whether this is a phrase with a label.
    pub(crate) fn is_phrase(&self, label: Label) -> bool {
        !self.is_terminal() && self.symbol.0 == label.0
    }

    /// The terminals.
    pub(crate) fn span(&self) -> Span {
        Span::new(self.start, self.end)
    }
}

/// All items of one sentence that were ever made.
#[derive(Debug, Clone, Default)]
pub(crate) struct Items {
    items: Vec<ParseItem>,
    children: Vec<ItemId>,
    index: HashTable<ItemId>,
    /// The number of terminals.
    pub(crate) num_terminals: usize,
}

impl Items {
    /// Starts a sentence; the memory is used again.
    pub(crate) fn start(&mut self, symbols: &TransitionSymbols, terminals: &[InputTerminal]) {
        self.items.clear();
        self.children.clear();
        self.index.clear();
        self.num_terminals = terminals.len();
        for (place, terminal) in (0..).zip(terminals) {
            self.items.push(ParseItem {
                symbol: symbols.symbol_of_tag(terminal.tag),
                head_tag: terminal.tag,
                head_class: terminal.class,
                is_punctuation: terminal.is_punctuation,
                head_child: 0,
                num_children: 0,
                head_word: terminal.word,
                head: place,
                start: place,
                end: place + 1,
                first_child: 0,
            });
        }
    }

    /// The item with a number.
    #[inline]
    pub(crate) fn get(&self, id: ItemId) -> &ParseItem {
        &self.items[id.index()]
    }

    /// The children of an item.
    pub(crate) fn children(&self, id: ItemId) -> &[ItemId] {
        let item = self.get(id);
        &self.children[item.first_child as usize..][..item.num_children as usize]
    }

    /// The phrase with a label over children, `head_child` of which is the head; made if it is new.
    pub(crate) fn phrase(&mut self, label: Label, children: &[ItemId], head_child: usize) -> ItemId {
        let hash = hash(label, children);
        let is_same = |id: &ItemId| self.get(*id).symbol.0 == label.0 && self.children(*id) == children;
        if let Some(&id) = self.index.find(hash, is_same) {
            return id;
        }
        let head = *self.get(children[head_child]);
        let id = ItemId(self.items.len() as u32);
        let item = ParseItem {
            symbol: FrontierSymbol(label.0),
            is_punctuation: false,
            head_child: head_child as u8,
            num_children: children.len() as u32,
            start: self.get(children[0]).start,
            end: self.get(children[children.len() - 1]).end,
            first_child: self.children.len() as u32,
            ..head
        };
        self.items.push(item);
        self.children.extend_from_slice(children);
        let (items, all) = (&self.items, &self.children);
        self.index.insert_unique(hash, id, |id| {
            let item = items[id.index()];
            let children = &all[item.first_child as usize..][..item.num_children as usize];
            self::hash(Label(item.symbol.0), children)
        });
        id
    }

    /// The phrases of the tree below an item, in pre-order; the item is the first, unless it is a terminal.
    pub(crate) fn phrases_below(&self, root: ItemId) -> Vec<ItemId> {
        let (mut phrases, mut stack) = (Vec::new(), vec![root]);
        while let Some(id) = stack.pop() {
            if !self.get(id).is_terminal() {
                phrases.push(id);
                stack.extend(self.children(id).iter().rev());
            }
        }
        phrases
    }

    /// The tree below an item, over the tokens of `sentence`.
    ///
    /// # Panics
    /// If the items are those of another sentence.
    pub(crate) fn to_tree(&self, root: ItemId, symbols: &TransitionSymbols, sentence: &Tree) -> Tree {
        let phrase = |id: ItemId| {
            let item = self.get(id);
            (item.span(), symbols.label_name(Label(item.symbol.0)))
        };
        from_spans(sentence.tokens(), self.phrases_below(root).into_iter().map(phrase))
            .expect("items never cross")
    }

    /// Whether a label occurs in the unary chain that starts at an item and goes down.
    pub(crate) fn has_in_chain(&self, mut id: ItemId, label: Label) -> bool {
        loop {
            let item = self.get(id);
            if item.is_terminal() {
                return false;
            }
            if item.symbol.0 == label.0 {
                return true;
            }
            match self.children(id) {
                [only] => id = *only,
                _ => return false,
            }
        }
    }
}

fn hash(label: Label, children: &[ItemId]) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write_u16(label.0);
    children.iter().for_each(|child| hasher.write_u32(child.0));
    hasher.finish()
}
