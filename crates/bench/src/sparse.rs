//! Synthetic data with the statistics of a parser's: many groups of features, one value of each active at most, values
//! distributed by Zipf's law, the label decided by conjunctions of a few of them.

use boughs_learn::rng::Rng;
use boughs_learn::{Dataset, DatasetBuilder, Target};

use crate::spans::zipf;

/// Groups whose values are words.
const NUM_WORD_GROUPS: usize = 86;
/// Groups whose values are labels, tags or lengths.
const NUM_TAG_GROUPS: usize = 260;
const NUM_TAGS: usize = 60;
/// Groups are views of so many items of a state, so that their values depend on one another.
const NUM_ITEMS: usize = 9;

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
        let num_words = (num_features.saturating_sub(NUM_TAG_GROUPS * NUM_TAGS) / NUM_WORD_GROUPS).max(100);
        let num_values = NUM_WORD_GROUPS * num_words + NUM_TAG_GROUPS * NUM_TAGS;
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
        row.clear();
        let words: [usize; NUM_ITEMS] = std::array::from_fn(|_| self.zipf(self.num_words));
        let tags =
            words.map(|word| (word * 7 + word / 60) % 11 + if self.rng.below(8) == 0 { 11 } else { 0 });
        for group in 0..NUM_WORD_GROUPS {
            if self.rng.below(10) < 8 {
                let noise = self.rng.below(5) == 0;
                let word = if noise { self.zipf(self.num_words) } else { words[group % NUM_ITEMS] };
                row.push(self.number(group * self.num_words + word));
            }
        }
        for group in 0..NUM_TAG_GROUPS {
            if self.rng.below(10) < 9 {
                let noise = self.rng.below(3) == 0;
                let tag = if noise { self.zipf(NUM_TAGS) } else { tags[group % NUM_ITEMS] };
                row.push(self.number(NUM_WORD_GROUPS * self.num_words + group * NUM_TAGS + tag));
            }
        }
        self.label(words, tags)
    }

    fn label(&mut self, words: [usize; NUM_ITEMS], tags: [usize; NUM_ITEMS]) -> bool {
        let mut score = -4.0;
        score += if tags[0] == 2 && tags[1] != 3 { 3.0 } else { 0.0 };
        score += if tags[2] == 5 && words[3] < 20 { 3.5 } else { 0.0 };
        score += if words[4] % 10 == 3 { 1.5 } else { 0.0 };
        score += if words[5] < 5 && tags[6] > 6 { 2.0 } else { -0.5 };
        score += ((words[0] * 31) % 13) as f64 * 0.15 - ((words[1] * 17) % 7) as f64 * 0.2;
        self.rng.unit() < boughs_learn::loss::sigmoid(score)
    }

    fn zipf(&mut self, bound: usize) -> usize {
        zipf(&mut self.rng, bound)
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
