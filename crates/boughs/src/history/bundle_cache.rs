//! Features that come together, looked up once.
//!
//! An item in a role brings the same features each time it is met, in sentence after sentence; so does a number, such as
//! that of the children. What a forest makes of them is kept as a [`Bundle`].

use rustc_hash::FxHashMap;

use super::cascade::Cascade;
use super::features::{Layout, View, Visitor};
use super::item::{Item, ItemId};
use crate::model::{Bundle, Bundles, Forest, ForestScratch};

/// Tests in bundles to remember from sentence to sentence; each takes 16 bytes.
const MAX_TESTS: usize = 1 << 22;

/// What brings features: an item in a role, or a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Key(u32);

/// The bundles of all keys met so far, for all stages of a cascade.
#[derive(Debug)]
pub(super) struct BundleCache<'m> {
    layout: &'m Layout,
    forests: &'m [Forest],
    kinds: Kinds,
    /// Per stage.
    bundles: Vec<Bundles>,
    /// By key, then by stage; numbers come first, then kinds of items by class of role.
    by_key: Vec<Option<Bundle>>,
    scratch: ForestScratch,
}

impl<'m> BundleCache<'m> {
    pub(super) fn new(layout: &'m Layout, cascade: &'m Cascade) -> Self {
        let forests = cascade.forests();
        let bundles = vec![Bundles::default(); forests.len()];
        Self {
            layout,
            forests,
            kinds: Kinds::default(),
            bundles,
            by_key: Vec::new(),
            scratch: ForestScratch::default(),
        }
    }

    /// A sentence begins: items have other numbers, and what is too much is forgotten.
    pub(super) fn start(&mut self) {
        self.kinds.by_item.clear();
        if self.bundles.iter().map(Bundles::len).sum::<usize>() + self.by_key.len() > MAX_TESTS {
            self.kinds = Kinds::default();
            self.bundles.iter_mut().for_each(|bundles| bundles.truncate(0));
            self.by_key.clear();
        }
    }

    /// Finds what brings features at a place, whatever the head; or only if the head is the child at `head`.
    #[inline]
    pub(super) fn find_keys(&mut self, view: View<'_>, head: Option<usize>, keys: &mut Vec<Key>) {
        keys.clear();
        let (num_counts, num_classes) = (self.num_counts(), self.num_classes());
        let mut finder = KeyFinder { kinds: &mut self.kinds, num_counts, num_classes, keys };
        match head {
            Some(head) => self.layout.visit_head(view, head, &mut finder),
            None => self.layout.visit(view, &mut finder),
        }
    }

    /// What a key brings to a stage.
    #[inline]
    pub(super) fn bundle(&mut self, key: Key, stage: usize) -> Bundle {
        match self.by_key.get(key.0 as usize * self.forests.len() + stage) {
            Some(Some(bundle)) => *bundle,
            _ => self.add(key, stage),
        }
    }

    /// The bundles of a stage.
    #[inline]
    pub(super) fn bundles(&self, stage: usize) -> &Bundles {
        &self.bundles[stage]
    }

    #[cold]
    fn add(&mut self, key: Key, stage: usize) -> Bundle {
        let place = key.0 as usize * self.forests.len() + stage;
        if self.by_key.len() <= place {
            let num_kinds = self.kinds.samples.len();
            let num_keys = self.num_counts() + num_kinds * self.num_classes();
            self.by_key.resize(num_keys * self.forests.len(), None);
        }
        let bundle =
            self.forests[stage].bundle(self.features(key), &mut self.bundles[stage], &mut self.scratch);
        self.by_key[place] = Some(bundle);
        bundle
    }

    fn features(&self, Key(key): Key) -> Vec<u32> {
        let key = key as usize;
        match self.layout.counts().get(key) {
            Some(features) => features.clone(),
            None => {
                let (kind, class) = self.kind_and_class(key - self.num_counts());
                let mut features = Vec::new();
                let item = &self.kinds.samples[kind];
                self.layout.roles().features(class, item, |feature| features.push(feature));
                features
            }
        }
    }

    fn kind_and_class(&self, number: usize) -> (usize, u16) {
        (number / self.num_classes(), (number % self.num_classes()) as u16)
    }

    fn num_counts(&self) -> usize {
        self.layout.counts().len()
    }

    fn num_classes(&self) -> usize {
        self.layout.roles().num_classes()
    }
}

/// Items of which the same features hold in the same role are of the same kind.
#[derive(Debug, Default)]
struct Kinds {
    by_values: FxHashMap<(u16, u16, u16, u32), u32>,
    /// One item of each kind.
    samples: Vec<Item>,
    /// The kind of each item of the sentence, or [`UNKNOWN`].
    by_item: Vec<u32>,
}

const UNKNOWN: u32 = u32::MAX;

impl Kinds {
    #[inline]
    fn kind(&mut self, id: ItemId, item: &Item) -> usize {
        match self.by_item.get(id.index()) {
            Some(&kind) if kind != UNKNOWN => kind as usize,
            _ => self.add(id, item),
        }
    }

    #[cold]
    fn add(&mut self, id: ItemId, item: &Item) -> usize {
        let next = self.samples.len() as u32;
        let values = (item.symbol.0, item.head_tag, item.head_class, item.head_word);
        let kind = *self.by_values.entry(values).or_insert(next);
        if kind == next {
            self.samples.push(*item);
        }
        if self.by_item.len() <= id.index() {
            self.by_item.resize(id.index() + 1, UNKNOWN);
        }
        self.by_item[id.index()] = kind;
        kind as usize
    }
}

/// Notes the keys at a place.
struct KeyFinder<'v> {
    kinds: &'v mut Kinds,
    num_counts: usize,
    num_classes: usize,
    keys: &'v mut Vec<Key>,
}

impl Visitor for KeyFinder<'_> {
    #[inline]
    fn item(&mut self, class: u16, id: ItemId, item: &Item) {
        let kind = self.kinds.kind(id, item);
        self.keys.push(Key((self.num_counts + kind * self.num_classes + usize::from(class)) as u32));
    }

    #[inline]
    fn count(&mut self, list: usize) {
        self.keys.push(Key(list as u32));
    }
}
