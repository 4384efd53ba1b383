//! Synthetic data with the statistics of a parser's: many groups of features, one value of each active at most, values
//! distributed by Zipf's law, the label decided by conjunctions of a few of them.

use boughs_learn::rng::Rng;
use boughs_learn::{Dataset, DatasetBuilder, Target};

use crate::spans::{Items, NUM_TAGS, Slots};

/// Groups whose values are words, and those whose values are labels, tags or lengths.
const GROUPS: Slots = Slots { first_feature: 0, num_word_slots: 86, num_tag_slots: 260 };

/// Rows, labels, and as much again for testing.
pub struct Problem {
    /// The rows to learn from.
    pub train: (Dataset, Target),
    /// The rows to test on, a tenth of the others.
    pub test: (Dataset, Target),
}

/// About 300 of `num_features` features active in each of `num_rows` rows.
pub fn parser_like(num_rows: usize, num_features: usize, seed: u64) -> Problem {
    let mut source = Source::new(num_features, seed);
    Problem { train: source.draw(num_rows), test: source.draw(num_rows / 10) }
}

struct Source {
    rng: Rng,
    num_words: usize,
    /// Numbers of features in the order in which they are first seen, as a parser's vocabulary would have it.
    numbers: Vec<u32>,
    num_seen: u32,
}

impl Source {
    fn new(num_features: usize, seed: u64) -> Self {
        let num_tag_values = GROUPS.num_tag_slots * NUM_TAGS;
        let num_words = (num_features.saturating_sub(num_tag_values) / GROUPS.num_word_slots).max(100);
        let num_values = GROUPS.num_word_slots * num_words + num_tag_values;
        Self { rng: Rng::new(seed), num_words, numbers: vec![u32::MAX; num_values], num_seen: 0 }
    }

    fn draw(&mut self, num_rows: usize) -> (Dataset, Target) {
        let mut builder = DatasetBuilder::new();
        let mut labels = Vec::with_capacity(num_rows);
        let mut row = Vec::new();
        for _ in 0..num_rows {
            labels.push(self.draw_row(&mut row));
            builder.push_row(&row).expect("feature numbers are dense");
        }
        (builder.finish(), Target::from_labels(labels))
    }

    fn draw_row(&mut self, row: &mut Vec<u32>) -> bool {
        let items = Items::draw(self.num_words, &mut self.rng);
        items.features(GROUPS, self.num_words, &mut self.rng, row);
        row.iter_mut().for_each(|feature| *feature = self.number(*feature as usize));
        self.label(&items)
    }

    fn label(&mut self, Items { words, tags }: &Items) -> bool {
        let mut score = -4.0;
        score += if tags[0] == 2 && tags[1] != 3 { 3.0 } else { 0.0 };
        score += if tags[2] == 5 && words[3] < 20 { 3.5 } else { 0.0 };
        score += if words[4] % 10 == 3 { 1.5 } else { 0.0 };
        score += if words[5] < 5 && tags[6] > 6 { 2.0 } else { -0.5 };
        score += ((words[0] * 31) % 13) as f64 * 0.15 - ((words[1] * 17) % 7) as f64 * 0.2;
        self.rng.unit() < boughs_learn::loss::sigmoid(score)
    }

    fn number(&mut self, value: usize) -> u32 {
        let number = &mut self.numbers[value];
        if *number == u32::MAX {
            *number = self.num_seen;
            self.num_seen += 1;
        }
        *number
    }
}
