//! Synthetic data with the shape of a parser's: rows are spans, seen by the classifiers of many labels, each of which
//! takes another child of the span for its head. Features are numbered slot by slot, as a parser numbers them.
//!
//! Sizes are those of 15-word sentences of GUM: 287 features active in a row, 130 more in each of its 2.3 variants;
//! with 5,000 words there are 450,000 features.

use boughs_learn::rng::Rng;
use boughs_learn::{Dataset, DatasetBuilder, Target};

const NUM_TAGS: usize = 60;
/// Groups are views of so many items of a state, so that their values depend on one another.
const NUM_ITEMS: usize = 9;
/// How many further variants a row has: one of these.
const MORE_VARIANTS: [usize; 10] = [0, 0, 0, 1, 1, 1, 2, 2, 3, 3];

/// The slots of a row or of a variant.
#[derive(Clone, Copy)]
struct Slots {
    first_feature: usize,
    num_word_slots: usize,
    num_tag_slots: usize,
}

/// Where the features of a vocabulary of some size are.
struct Layout {
    common: Slots,
    variant: Slots,
}

impl Layout {
    fn new(num_words: usize) -> Self {
        let common = Slots { first_feature: 0, num_word_slots: 60, num_tag_slots: 266 };
        let first_feature = common.num_word_slots * num_words + common.num_tag_slots * NUM_TAGS;
        Self { common, variant: Slots { first_feature, num_word_slots: 26, num_tag_slots: 121 } }
    }
}

/// The words around a span, or in it, and a tag of each.
struct Items {
    words: [usize; NUM_ITEMS],
    tags: [usize; NUM_ITEMS],
}

/// So many rows of a language with so many words, and a target for each of so many labels. Four fifths of the rows are
/// used by each. A row has one to four variants, or none for learners of rows alone.
pub fn spans(
    num_rows: usize,
    num_labels: usize,
    num_words: usize,
    has_variants: bool,
    seed: u64,
) -> (Dataset, Vec<Target>) {
    let layout = Layout::new(num_words);
    let mut rng = Rng::new(seed);
    let mut builder = DatasetBuilder::new();
    let mut targets = vec![Target::unused(num_rows); num_labels];
    let mut features = Vec::new();
    for row in 0..num_rows {
        let items = Items::draw(num_words, &mut rng);
        items.features(layout.common, num_words, &mut rng, &mut features);
        builder.push_row(&features).expect("feature numbers are dense");
        let num_variants = 1 + MORE_VARIANTS[rng.below(10) as usize];
        let heads: Vec<Items> = (0..num_variants).map(|_| Items::draw(num_words, &mut rng)).collect();
        for head in heads.iter().filter(|_| has_variants) {
            head.features(layout.variant, num_words, &mut rng, &mut features);
            builder.push_variant(&features).expect("feature numbers are dense");
        }
        for (label, target) in targets.iter_mut().enumerate() {
            let choice = label % num_variants;
            target.choose(row, if has_variants { choice as u8 } else { 0 });
            if rng.below(5) > 0 {
                let is_positive = is_positive(label, &items, &heads[choice], &mut rng);
                target.set(row, is_positive, 1.0).expect("a bias of 1 is sound");
            }
        }
    }
    (builder.finish(), targets)
}

impl Items {
    fn draw(num_words: usize, rng: &mut Rng) -> Self {
        let words: [usize; NUM_ITEMS] = std::array::from_fn(|_| zipf(rng, num_words));
        let tags = words.map(|word| (word * 7 + word / 60) % 11 + if rng.below(8) == 0 { 11 } else { 0 });
        Self { words, tags }
    }

    /// In each slot at most one feature: mostly that of an item.
    fn features(&self, slots: Slots, num_words: usize, rng: &mut Rng, features: &mut Vec<u32>) {
        features.clear();
        let mut base = slots.first_feature;
        for slot in 0..slots.num_word_slots {
            if rng.below(10) < 8 {
                let is_noise = rng.below(5) == 0;
                let word = if is_noise { zipf(rng, num_words) } else { self.words[slot % NUM_ITEMS] };
                features.push((base + word) as u32);
            }
            base += num_words;
        }
        for slot in 0..slots.num_tag_slots {
            if rng.below(10) < 9 {
                let is_noise = rng.below(3) == 0;
                let tag = if is_noise { zipf(rng, NUM_TAGS) } else { self.tags[slot % NUM_ITEMS] };
                features.push((base + tag) as u32);
            }
            base += NUM_TAGS;
        }
    }
}

/// The first labels are frequent, the last ones rare.
fn is_positive(label: usize, items: &Items, head: &Items, rng: &mut Rng) -> bool {
    let mut score = -3.0 - 0.15 * label as f64;
    score += if items.tags[label % NUM_ITEMS] == label % 11 { 2.0 } else { 0.0 };
    score += if head.tags[0] == label % 7 && items.tags[1] != 3 { 2.5 } else { 0.0 };
    score += if head.words[1] < 20 && items.tags[(label + 4) % NUM_ITEMS] == 5 { 2.5 } else { 0.0 };
    score += ((items.words[2] * 31 + label) % 13) as f64 * 0.1 - ((head.words[3] * 17) % 7) as f64 * 0.1;
    rng.unit() < boughs_learn::loss::sigmoid(score)
}

/// A number below `bound`, r with probability about proportional to 1/(r+1).
fn zipf(rng: &mut Rng, bound: usize) -> usize {
    let drawn = ((bound + 1) as f64).powf(rng.unit());
    (drawn as usize - 1).min(bound - 1)
}
