//! Disjoint parts of a corpus, drawn at random by a seed, of which no two have a sentence in common.
//!
//! The naive form draws pairs. But captions, subtitles and debates repeat themselves, and what is tested would have
//! been learned by heart. So pairs that share a sentence, on either side, form a group, and groups are drawn, the
//! largest first: each goes to one of the parts that have room for it, in proportion to their room. The many groups of
//! one pair come last and fill the parts exactly.

use rustc_hash::FxHashMap;
use xxhash_rust::xxh3::Xxh3;

use boughs_learn::rng::Rng;

/// Which pairs share sentences: a union-find over pairs, and the first pair of each sentence.
///
/// Sentences are known by a hash of 64 bits. Two that have the same one stay together without need, which does no
/// harm.
#[derive(Debug, Clone, Default)]
pub struct SentenceGroups {
    parents: Vec<usize>,
    first_pairs: [FxHashMap<u64, usize>; 2],
}

impl SentenceGroups {
    /// Adds a pair. Case does not matter; what is empty is no sentence.
    pub fn push<'a>(
        &mut self,
        source: impl IntoIterator<Item = &'a str>,
        target: impl IntoIterator<Item = &'a str>,
    ) {
        let pair = self.parents.len();
        self.parents.push(pair);
        for (side, hash) in [hash(source), hash(target)].into_iter().enumerate() {
            if let Some(hash) = hash {
                let first = *self.first_pairs[side].entry(hash).or_insert(pair);
                self.unite(first, pair);
            }
        }
    }

    /// For each pair the first one of its group.
    pub fn firsts(mut self) -> Vec<usize> {
        (0..self.parents.len()).map(|pair| self.root(pair)).collect()
    }

    /// The earlier root becomes that of both.
    fn unite(&mut self, one: usize, other: usize) {
        let (one, other) = (self.root(one), self.root(other));
        self.parents[one.max(other)] = one.min(other);
    }

    fn root(&mut self, mut pair: usize) -> usize {
        while self.parents[pair] != pair {
            self.parents[pair] = self.parents[self.parents[pair]];
            pair = self.parents[pair];
        }
        pair
    }
}

fn hash<'a>(words: impl IntoIterator<Item = &'a str>) -> Option<u64> {
    let mut words = words.into_iter().peekable();
    words.peek()?;
    let mut hasher = Xxh3::new();
    for word in words {
        hasher.update(word.to_lowercase().as_bytes());
        hasher.update(b" ");
    }
    Some(hasher.digest())
}

/// Says for each pair which part it goes to, if any. `firsts` are those of [`SentenceGroups`]; what no part has room
/// for goes to the part `rest`, or to none. Parts may stay smaller than asked for if groups are large.
///
/// # Panics
/// If there is no such part as `rest`.
pub fn split(firsts: &[usize], sizes: &[usize], rest: Option<usize>, seed: u64) -> Vec<Option<usize>> {
    let mut room = sizes.to_vec();
    let nowhere = sizes.len();
    room.push(firsts.len().saturating_sub(sizes.iter().fold(0, |sum, &size| sum.saturating_add(size))));
    let mut rng = Rng::new(seed);
    let mut part_of = vec![nowhere; firsts.len()];
    for (first, size) in drawn(firsts, &mut rng) {
        let part = draw_part(&room, size, &mut rng).unwrap_or(rest.unwrap_or(nowhere));
        room[part] = room[part].saturating_sub(size);
        part_of[first] = part;
    }
    firsts.iter().map(|&first| Some(part_of[first]).filter(|&part| part < nowhere)).collect()
}

/// The groups, by their first pairs, with their sizes: the largest first, and those of a size in random order.
fn drawn(firsts: &[usize], rng: &mut Rng) -> Vec<(usize, usize)> {
    let mut sizes = vec![0; firsts.len()];
    firsts.iter().for_each(|&first| sizes[first] += 1);
    let mut groups: Vec<(usize, usize)> =
        sizes.into_iter().enumerate().filter(|&(_, size)| size > 0).collect();
    rng.shuffle(&mut groups);
    groups.sort_by_key(|&(_, size)| std::cmp::Reverse(size));
    groups
}

/// A part with room for so many, in proportion to the room.
fn draw_part(room: &[usize], size: usize, rng: &mut Rng) -> Option<usize> {
    let open = |part: usize| if room[part] >= size { room[part] as u64 } else { 0 };
    let total: u64 = (0..room.len()).map(open).fold(0, u64::saturating_add);
    let mut place = if total > 0 { rng.below(total) } else { return None };
    for part in 0..room.len() {
        match place.checked_sub(open(part)) {
            Some(left) => place = left,
            None => return Some(part),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn counts(slots: &[Option<usize>], num_parts: usize) -> Vec<usize> {
        let count = |part| slots.iter().filter(|&&slot| slot == Some(part)).count();
        (0..num_parts).map(count).collect()
    }

    #[test]
    fn without_repetitions_parts_have_the_sizes_asked_for() {
        let alone: Vec<usize> = (0..100).collect();
        let slots = split(&alone, &[40, 10, 20], None, 1);
        assert_eq!(counts(&slots, 3), [40, 10, 20]);
        assert_eq!(split(&alone, &[40, 10, 20], None, 1), slots);
        assert_ne!(split(&alone, &[40, 10, 20], None, 2), slots);
    }

    #[test]
    fn pairs_that_share_a_sentence_on_either_side_are_one_group() {
        let mut groups = SentenceGroups::default();
        for (source, target) in [("a b", "x"), ("c", "y"), ("A  b", "z"), ("d", "Z"), ("", "v"), ("", "w")] {
            groups.push(source.split_whitespace(), target.split_whitespace());
        }
        assert_eq!(groups.firsts(), [0, 1, 0, 0, 4, 5]);
    }

    #[test]
    fn words_are_not_run_together() {
        let mut groups = SentenceGroups::default();
        groups.push(["ab", "c"], ["x"]);
        groups.push(["a", "bc"], ["y"]);
        assert_eq!(groups.firsts(), [0, 1]);
    }

    #[test]
    fn what_fits_nowhere_goes_to_the_rest() {
        let firsts = [0, 0, 0, 0, 0, 0, 0, 0, 8, 9];
        assert_eq!(counts(&split(&firsts, &[5, 5], Some(1), 3), 2), [2, 8]);
        assert_eq!(counts(&split(&firsts, &[1, 1], None, 3), 2), [1, 1]);
        assert_eq!(counts(&split(&[0, 0], &[usize::MAX, usize::MAX], None, 3), 2).iter().sum::<usize>(), 2);
    }

    proptest! {
        #[test]
        fn no_sentence_is_in_two_parts(
            pairs in prop::collection::vec((0u8..12, 0u8..12), 0..40),
            sizes in prop::collection::vec(0usize..20, 1..4),
            seed in any::<u64>(),
        ) {
            let mut groups = SentenceGroups::default();
            for (source, target) in &pairs {
                groups.push([source.to_string().as_str()], [target.to_string().as_str()]);
            }
            let slots = split(&groups.firsts(), &sizes, Some(0), seed);
            for (one, first) in pairs.iter().zip(&slots) {
                for (other, second) in pairs.iter().zip(&slots) {
                    prop_assert!(first == second || one.0 != other.0 && one.1 != other.1);
                }
            }
            for (part, &size) in sizes.iter().enumerate().skip(1) {
                prop_assert!(counts(&slots, sizes.len())[part] <= size);
            }
        }
    }
}
