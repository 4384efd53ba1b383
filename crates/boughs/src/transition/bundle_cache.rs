//! Features that come together, looked up once.
//!
//! An item in a role brings the same features each time it is met, in sentence after sentence; so does a number, such
//! as that of the children. What a forest makes of them is kept as a [`Bundle`].
//!
//! Items bring features of two subjects: of their label, part of speech and class, of which there are some hundreds,
//! and of their word, of which there are thousands that few rules ask for.

use rustc_hash::FxHashMap;

use super::features::{FeatureLayout, PlaceView, Visitor};
use super::item::{ItemId, ParseItem};
use crate::model::{BitForest, Bundle, Bundles, Ranges};

/// Words of 64 bits that bundles may take from sentence to sentence.
const MAX_WORDS: usize = 1 << 23;

/// What brings features: a subject in a role, or a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Key(u32);

/// What looks for keys at a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// What is to the left of the children.
    Left,
    /// What is to their right.
    Right,
    /// The children, whatever the head.
    Children,
    /// The children if the head is the child at this position.
    Head(usize),
}

/// The bundles of all keys met so far.
#[derive(Debug)]
pub(super) struct BundleCache<'m> {
    layout: &'m FeatureLayout,
    forest: &'m BitForest,
    subjects: Subjects<'m>,
    bundles: Bundles,
    /// By key; numbers come first, then subjects by class of role.
    by_key: Vec<Option<Bundle>>,
    seen: SeenKeys,
    keys: Vec<Key>,
}

impl<'m> BundleCache<'m> {
    pub(super) fn new(layout: &'m FeatureLayout, forest: &'m BitForest) -> Self {
        Self {
            layout,
            forest,
            subjects: Subjects::new(layout, forest),
            bundles: Bundles::default(),
            by_key: Vec::new(),
            seen: SeenKeys::default(),
            keys: Vec::new(),
        }
    }

    /// A sentence begins: items have other numbers, and what is too much is forgotten.
    pub(super) fn start(&mut self) {
        self.subjects.by_item.clear();
        if self.bundles.num_words() + 2 * self.by_key.len() > MAX_WORDS {
            self.subjects = Subjects::new(self.layout, self.forest);
            self.bundles.clear();
            self.by_key.clear();
        }
    }

    /// Makes the features that a part of a place brings active.
    #[inline]
    pub(super) fn activate(&mut self, view: PlaceView<'_>, part: Part, ranges: &Ranges, words: &mut [u64]) {
        self.find_keys(view, part);
        for place in 0..self.keys.len() {
            let bundle = self.bundle(self.keys[place]);
            self.forest.activate(bundle, &self.bundles, ranges, words);
        }
    }

    #[inline]
    fn find_keys(&mut self, view: PlaceView<'_>, part: Part) {
        self.keys.clear();
        self.seen.start();
        let Self { layout, subjects, seen, keys, .. } = self;
        let (num_counts, num_classes) = (layout.counts.len(), layout.roles.num_classes());
        let mut finder = KeyFinder { subjects, seen, num_counts, num_classes, keys };
        match part {
            Part::Left => layout.visit_left(view, &mut finder),
            Part::Right => layout.visit_right(view, &mut finder),
            Part::Children => layout.visit_children(view, &mut finder),
            Part::Head(head) => layout.visit_head(view, head, &mut finder),
        }
    }

    #[inline]
    fn bundle(&mut self, key: Key) -> Bundle {
        match self.by_key.get(key.0 as usize) {
            Some(Some(bundle)) => *bundle,
            _ => self.add(key),
        }
    }

    #[cold]
    fn add(&mut self, key: Key) -> Bundle {
        let place = key.0 as usize;
        if self.by_key.len() <= place {
            let num_classes = self.layout.roles.num_classes();
            let num_keys = self.layout.counts.len() + self.subjects.samples.len() * num_classes;
            self.by_key.resize(num_keys, None);
        }
        let bundle = self.forest.bundle(self.features(key), &mut self.bundles);
        self.by_key[place] = Some(bundle);
        bundle
    }

    fn features(&self, Key(key): Key) -> Vec<u32> {
        let (key, counts) = (key as usize, &self.layout.counts);
        match counts.get(key) {
            Some(features) => features.clone(),
            None => {
                let num_classes = self.layout.roles.num_classes();
                let (subject, class) =
                    ((key - counts.len()) / num_classes, (key - counts.len()) % num_classes);
                let mut features = Vec::new();
                self.subjects.samples[subject]
                    .features(self.layout, class as u16, |feature| features.push(feature));
                features
            }
        }
    }
}

/// What an item brings to a place.
#[derive(Debug, Clone, Copy)]
enum Subject {
    /// Its label, part of speech and class, as in this item.
    Kind(ParseItem),
    Word(u32),
}

impl Subject {
    /// Finds the features that hold in roles of a class.
    fn features(&self, layout: &FeatureLayout, class: u16, emit: impl FnMut(u32)) {
        match self {
            Self::Kind(item) => layout.roles.features_of_kind(class, item, emit),
            Self::Word(word) => layout.roles.features_of_word(class, *word, emit),
        }
    }
}

/// The subjects met so far.
#[derive(Debug)]
struct Subjects<'m> {
    layout: &'m FeatureLayout,
    forest: &'m BitForest,
    kinds: FxHashMap<(u16, u16, u16), u32>,
    words: FxHashMap<u32, u32>,
    samples: Vec<Subject>,
    /// Per subject, a bit for each class of roles: whether a rule asks for a feature that it brings.
    asked: Vec<u64>,
    /// The kind and the word of each item of the sentence, or [`UNKNOWN`].
    by_item: Vec<[u32; 2]>,
}

const UNKNOWN: u32 = u32::MAX;

impl<'m> Subjects<'m> {
    fn new(layout: &'m FeatureLayout, forest: &'m BitForest) -> Self {
        Self {
            layout,
            forest,
            kinds: FxHashMap::default(),
            words: FxHashMap::default(),
            samples: Vec::new(),
            asked: Vec::new(),
            by_item: Vec::new(),
        }
    }

    /// The kind and the word of an item.
    #[inline]
    fn of_item(&mut self, id: ItemId, item: &ParseItem) -> [u32; 2] {
        match self.by_item.get(id.index()) {
            Some(&subjects) if subjects[0] != UNKNOWN => subjects,
            _ => self.add_item(id, item),
        }
    }

    #[inline]
    fn is_asked(&self, subject: u32, class: u16) -> bool {
        let word = subject as usize * self.words_a_subject() + usize::from(class / 64);
        self.asked[word] >> (class % 64) & 1 != 0
    }

    #[cold]
    fn add_item(&mut self, id: ItemId, item: &ParseItem) -> [u32; 2] {
        let values = (item.symbol.0, item.head_tag, item.head_class);
        let kind = self.kinds.get(&values).copied().unwrap_or_else(|| self.add(Subject::Kind(*item)));
        self.kinds.insert(values, kind);
        let word = self.words.get(&item.head_word).copied();
        let word = word.unwrap_or_else(|| self.add(Subject::Word(item.head_word)));
        self.words.insert(item.head_word, word);
        if self.by_item.len() <= id.index() {
            self.by_item.resize(id.index() + 1, [UNKNOWN; 2]);
        }
        self.by_item[id.index()] = [kind, word];
        [kind, word]
    }

    fn add(&mut self, subject: Subject) -> u32 {
        let start = self.asked.len();
        self.asked.resize(start + self.words_a_subject(), 0);
        for class in 0..self.layout.roles.num_classes() {
            let mut is_asked = false;
            subject.features(self.layout, class as u16, |feature| {
                is_asked = is_asked || self.forest.asks_for(feature);
            });
            self.asked[start + class / 64] |= u64::from(is_asked) << (class % 64);
        }
        self.samples.push(subject);
        self.samples.len() as u32 - 1
    }

    #[inline]
    fn words_a_subject(&self) -> usize {
        self.layout.roles.num_classes().div_ceil(64)
    }
}

/// Which keys were found already: a comma far to the left is like any other.
#[derive(Debug, Default)]
struct SeenKeys {
    round: u32,
    /// By key, the last round in which it was found.
    rounds: Vec<u32>,
}

impl SeenKeys {
    fn start(&mut self) {
        self.round = self.round.wrapping_add(1);
        if self.round == 0 {
            self.rounds.fill(0);
            self.round = 1;
        }
    }

    /// Whether a key is found for the first time in this round.
    #[inline]
    fn is_new(&mut self, key: usize) -> bool {
        if self.rounds.len() <= key {
            self.rounds.resize(key + 1, 0);
        }
        std::mem::replace(&mut self.rounds[key], self.round) != self.round
    }
}

/// Notes the keys at a place.
struct KeyFinder<'v, 'm> {
    subjects: &'v mut Subjects<'m>,
    seen: &'v mut SeenKeys,
    num_counts: usize,
    num_classes: usize,
    keys: &'v mut Vec<Key>,
}

impl Visitor for KeyFinder<'_, '_> {
    #[inline]
    fn item(&mut self, class: u16, id: ItemId, item: &ParseItem) {
        for subject in self.subjects.of_item(id, item) {
            if self.subjects.is_asked(subject, class) {
                let key = self.num_counts + subject as usize * self.num_classes + usize::from(class);
                if self.seen.is_new(key) {
                    self.keys.push(Key(key as u32));
                }
            }
        }
    }

    #[inline]
    fn count(&mut self, list: usize) {
        self.keys.push(Key(list as u32));
    }
}
