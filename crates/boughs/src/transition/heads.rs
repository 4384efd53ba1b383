//! Where the head of a phrase would be, for every label at once.
//!
//! The naive form asks the head rules for each label at each place. A parser asks for the same few sequences of
//! children over and over, so the answers for all labels are kept by sequence.

use rustc_hash::FxHashMap;

use super::item::{ItemId, Items};
use super::symbols::{FrontierSymbol, Label, TOP, TransitionSymbols};
use crate::tree::heads::HeadCandidate;

/// Sequences to remember before starting again with none.
const MAX_SEQUENCES: usize = 1 << 17;

/// Stands behind the children where [`TOP`] may be inferred, which has a head only there.
const WHOLE: FrontierSymbol = FrontierSymbol(u16::MAX);

/// Answers of the head rules, by the symbols of the children.
#[derive(Debug, Clone, Default)]
pub(crate) struct HeadTable {
    sequences: FxHashMap<Box<[FrontierSymbol]>, u32>,
    /// Per sequence and label, which of the sequence's variants applies.
    variants: Vec<u8>,
    /// Per sequence, where its head positions start.
    starts: Vec<u32>,
    positions: Vec<u8>,
    key: Vec<FrontierSymbol>,
}

/// The positions of the head that the labels choose among the same children.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Heads<'a> {
    /// The different positions, in increasing order: the variants.
    pub(crate) positions: &'a [u8],
    /// Per label, the number of its variant.
    pub(crate) variants: &'a [u8],
}

impl Heads<'_> {
    /// The position of the head for a label.
    pub(crate) fn position(&self, label: Label) -> usize {
        usize::from(self.positions[usize::from(self.variants[label.index()])])
    }
}

impl HeadTable {
    /// The number of a sequence of children, the same for equal sequences until [`trim`](Self::trim).
    pub(crate) fn sequence(
        &mut self,
        symbols: &TransitionSymbols,
        items: &Items,
        children: &[ItemId],
        is_whole: bool,
    ) -> u32 {
        self.key.clear();
        self.key.extend(children.iter().map(|&child| items.get(child).symbol));
        if is_whole {
            self.key.push(WHOLE);
        }
        match self.sequences.get(&self.key[..]) {
            Some(&sequence) => sequence,
            None => self.add(symbols, is_whole),
        }
    }

    /// The heads of a sequence.
    pub(crate) fn heads(&self, sequence: u32, symbols: &TransitionSymbols) -> Heads<'_> {
        let (sequence, num_labels) = (sequence as usize, symbols.labels.len());
        Heads {
            positions: &self.positions[self.starts[sequence] as usize..self.starts[sequence + 1] as usize],
            variants: &self.variants[sequence * num_labels..(sequence + 1) * num_labels],
        }
    }

    /// Forgets everything if there is too much of it.
    pub(crate) fn trim(&mut self) {
        if self.sequences.len() > MAX_SEQUENCES {
            *self = Self::default();
        }
    }

    fn add(&mut self, symbols: &TransitionSymbols, is_whole: bool) -> u32 {
        let children: Vec<HeadCandidate<'_>> = self
            .key
            .iter()
            .filter(|&&symbol| symbol != WHOLE)
            .map(|&symbol| candidate(symbols, symbol))
            .collect();
        let num_labels = symbols.labels.len() as u16;
        let has_head = |label: &u16| is_whole || *label != TOP.0;
        let by_label: Vec<u8> = (0..num_labels)
            .map(|label| match has_head(&label) {
                true => symbols.language.heads.head_index(symbols.label_name(Label(label)), &children) as u8,
                false => 0,
            })
            .collect();
        let mut positions: Vec<u8> =
            (0..num_labels).filter(has_head).map(|label| by_label[usize::from(label)]).collect();
        positions.sort_unstable();
        positions.dedup();
        if self.starts.is_empty() {
            self.starts.push(0);
        }
        let variant = |position: &u8| positions.binary_search(position).unwrap_or(0) as u8;
        self.variants.extend(by_label.iter().map(variant));
        self.positions.extend(&positions);
        self.starts.push(self.positions.len() as u32);
        let sequence = self.sequences.len() as u32;
        self.sequences.insert(self.key.clone().into(), sequence);
        sequence
    }
}

/// Head rules see only the tags of tokens here: a class of words without letters would need them too.
fn candidate(symbols: &TransitionSymbols, symbol: FrontierSymbol) -> HeadCandidate<'_> {
    match symbols.as_label(symbol) {
        Some(label) => HeadCandidate::phrase(symbols.label_name(label)),
        None => HeadCandidate::token("", symbols.name(symbol)),
    }
}
