//! Which brackets of two trees are the same, and which cross: the two loops of PARSEVAL, without the loops.
//!
//! As EVALB writes them: for each gold bracket go through the test brackets and take the first unused one
//! with the same span and an equal label; for each test bracket go through the gold brackets until one
//! crosses it. That is quadratic in the brackets of a sentence, of which there may be any number. Here the
//! test brackets are sorted, so that those of one span and label form a run from which the first unused one
//! is at hand; and a test bracket asks two tables of range minima whether some gold bracket has exactly one
//! end inside it. The tests below compare both with the loops.

use super::labels::{LabelId, LabelTable};

/// A bracket over the words that count. `end` is -1 where EVALB found no closing bracket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Bracket {
    pub(super) start: i32,
    pub(super) end: i32,
    pub(super) label: LabelId,
}

impl Bracket {
    fn key(&self) -> Key {
        (self.start, self.end, self.label)
    }
}

type Key = (i32, i32, LabelId);

/// Pairs equal brackets; the memory is used again for the next sentence.
#[derive(Debug, Default)]
pub(super) struct Matcher {
    /// The test brackets by span, label and place.
    sorted: Vec<(Key, u32)>,
    /// At the start of each run of one span and label: how many of it are used.
    used: Vec<u32>,
}

impl Matcher {
    /// Pairs each gold bracket, in order, with the first unused test bracket of the same span and an equal
    /// label; calls `found` with the places of the two.
    pub(super) fn pair(
        &mut self,
        gold: &[Bracket],
        test: &[Bracket],
        labels: &LabelTable,
        mut found: impl FnMut(usize, usize),
    ) {
        self.sort(test);
        for (place, bracket) in gold.iter().enumerate() {
            let runs = labels.equals(bracket.label).iter();
            let first = runs
                .filter_map(|&label| self.first_unused((bracket.start, bracket.end, label)))
                .min_by_key(|&(_, test)| test);
            if let Some((run, test)) = first {
                self.used[run] += 1;
                found(place, test as usize);
            }
        }
    }

    fn sort(&mut self, test: &[Bracket]) {
        self.sorted.clear();
        self.sorted.extend(test.iter().zip(0..).map(|(bracket, place)| (bracket.key(), place)));
        self.sorted.sort_unstable();
        self.used.clear();
        self.used.resize(test.len(), 0);
    }

    /// Where the run of a span and label starts, and the place of its first unused bracket.
    fn first_unused(&self, key: Key) -> Option<(usize, u32)> {
        let run = self.sorted.partition_point(|&(other, _)| other < key);
        let next = run + *self.used.get(run)? as usize;
        let &(other, place) = self.sorted.get(next)?;
        (other == key).then_some((run, place))
    }
}

/// How many brackets of one list have, under any label, a partner of the same span in the other.
///
/// Both lists are sorted here.
pub(super) fn num_same_spans(gold: &mut [(i32, i32)], test: &mut [(i32, i32)]) -> u64 {
    gold.sort_unstable();
    test.sort_unstable();
    let (mut same, mut at) = (0, 0);
    for span in gold {
        while test.get(at).is_some_and(|other| other < span) {
            at += 1;
        }
        if test.get(at) == Some(span) {
            same += 1;
            at += 1;
        }
    }
    same
}

/// Counts crossing brackets; the memory is used again for the next sentence.
#[derive(Debug, Default)]
pub(super) struct Crossing {
    /// By end: the smallest start of the gold brackets that end there.
    starts: RangeMin,
    /// By start: the largest end of the gold brackets that start there, negated.
    ends: RangeMin,
}

impl Crossing {
    /// The number of test brackets that cross at least one gold bracket.
    pub(super) fn count(&mut self, gold: &[Bracket], test: &[Bracket]) -> u64 {
        // An unclosed bracket ends before it starts, and such a one crosses nothing.
        let closed = || gold.iter().filter(|bracket| bracket.start < bracket.end);
        let num_positions = closed().map(|bracket| bracket.end as usize + 1).max().unwrap_or(0);
        self.starts.fill(num_positions, closed().map(|bracket| (bracket.end, bracket.start)));
        self.ends.fill(num_positions, closed().map(|bracket| (bracket.start, -bracket.end)));
        test.iter().filter(|bracket| self.crosses(bracket)).count() as u64
    }

    /// Whether a gold bracket starts before `test` and ends within, or starts within and ends after.
    fn crosses(&self, test: &Bracket) -> bool {
        let within = (test.start + 1, test.end);
        self.starts.min(within) < test.start || self.ends.min(within) < -test.end
    }
}

/// The smallest value in any range of places, after Bender and Farach-Colton (2000): row `k` of the table
/// holds the minima of the `2^k` places from each place on, and two overlapping rows cover any range.
#[derive(Debug, Default)]
struct RangeMin {
    len: usize,
    rows: Vec<i32>,
}

impl RangeMin {
    /// Takes `(place, value)` pairs; places without a value hold the largest number.
    fn fill(&mut self, len: usize, values: impl Iterator<Item = (i32, i32)>) {
        self.len = len;
        self.rows.clear();
        self.rows.resize(len, i32::MAX);
        for (place, value) in values {
            let least = &mut self.rows[place as usize];
            *least = value.min(*least);
        }
        let mut width = 1;
        while 2 * width <= len {
            let row = self.rows.len() - len;
            for place in row..row + len {
                let other = self.rows.get(place + width).filter(|_| place + width < row + len);
                let least = self.rows[place].min(other.copied().unwrap_or(i32::MAX));
                self.rows.push(least);
            }
            width *= 2;
        }
    }

    /// The smallest value in `start..end`; the largest number if there is none.
    fn min(&self, (start, end): (i32, i32)) -> i32 {
        let end = end.min(self.len as i32);
        if start >= end {
            return i32::MAX;
        }
        let row = (end - start).ilog2();
        let minima = &self.rows[row as usize * self.len..];
        minima[start as usize].min(minima[end as usize - (1 << row)])
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::eval::Parameters;
    use crate::eval::labels::Convention;

    /// EVALB's loops.
    fn slow_pairs(gold: &[Bracket], test: &[Bracket], labels: &LabelTable) -> Vec<(usize, usize)> {
        let mut pairs: Vec<(usize, usize)> = Vec::new();
        for (i, one) in gold.iter().enumerate() {
            let equal = test.iter().enumerate().find(|&(j, other)| {
                let unused = pairs.iter().all(|&(_, used)| used != j);
                unused
                    && (one.start, one.end) == (other.start, other.end)
                    && labels.same(one.label, other.label)
            });
            pairs.extend(equal.map(|(j, _)| (i, j)));
        }
        pairs
    }

    fn slow_crossing(gold: &[Bracket], test: &[Bracket]) -> u64 {
        let cross = |one: &Bracket, other: &Bracket| {
            (one.start < other.start && one.end > other.start && one.end < other.end)
                || (one.start > other.start && one.start < other.end && one.end > other.end)
        };
        test.iter().filter(|other| gold.iter().any(|one| cross(one, other))).count() as u64
    }

    fn brackets() -> impl Strategy<Value = Vec<(i32, i32, usize)>> {
        let unclosed = (0..12i32, -1..3i32, 0..4usize)
            .prop_map(|(start, end, label)| (start, end.min(start - 1), label));
        let closed =
            (0..12i32, 1..6i32, 0..4usize).prop_map(|(start, len, label)| (start, start + len, label));
        prop::collection::vec(prop_oneof![1 => unclosed, 15 => closed], 0..40)
    }

    proptest! {
        #[test]
        fn as_the_loops(gold in brackets(), test in brackets()) {
            let parameters = Parameters::parse(b"EQ_LABEL A B\nEQ_LABEL B C\n").expect("settings");
            let mut labels = LabelTable::new(parameters, Convention::Evalb);
            let ids = [b"A", b"B", b"C", b"D"].map(|name| labels.id(name));
            let make = |list: &[(i32, i32, usize)]| -> Vec<Bracket> {
                list.iter().map(|&(start, end, label)| Bracket { start, end, label: ids[label] }).collect()
            };
            let (gold, test) = (make(&gold), make(&test));
            let mut pairs = Vec::new();
            Matcher::default().pair(&gold, &test, &labels, |i, j| pairs.push((i, j)));
            prop_assert_eq!(pairs, slow_pairs(&gold, &test, &labels));
            prop_assert_eq!(Crossing::default().count(&gold, &test), slow_crossing(&gold, &test));
        }

        #[test]
        fn spans_as_a_multiset(gold in brackets(), test in brackets()) {
            let spans = |list: &[(i32, i32, usize)]| -> Vec<_> { list.iter().map(|b| (b.0, b.1)).collect() };
            let (mut gold, mut test) = (spans(&gold), spans(&test));
            let mut rest = test.clone();
            let same = gold.iter().filter(|span| {
                rest.iter().position(|other| other == *span).map(|at| rest.remove(at)).is_some()
            }).count();
            prop_assert_eq!(num_same_spans(&mut gold, &mut test) as usize, same);
        }
    }
}
