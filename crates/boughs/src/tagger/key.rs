//! Names of features: 64-bit hashes of a template and of what fills it.
//!
//! The naive form is a string such as `suffix=ing`, built for every template of every token and looked up in a hash
//! map. Here the parts of a word are hashed once, and a feature's name is the hash of its template's number and of
//! one to three such hashes: no text is built or compared. Two features of one name would share their weights; among
//! 10⁶ features the odds of that are 1 to 40 million.
//!
//! Names stand in model files, so the functions here are part of their format.

use xxhash_rust::xxh3::xxh3_64;

const LEFT: u64 = 0x9E37_79B9_7F4A_7C15;
const RIGHT: u64 = 0xD6E8_FEB8_6659_FD93;

/// The hash of a text.
pub(super) fn hash_text(text: &str) -> u64 {
    xxh3_64(text.as_bytes())
}

/// The hash of an ordered pair: both halves of a product of 128 bits.
#[inline]
pub(super) fn join(left: u64, right: u64) -> u64 {
    let product = u128::from(left ^ LEFT) * u128::from(right ^ RIGHT);
    (product as u64) ^ ((product >> 64) as u64)
}

/// Collects the names of the features of one place. Templates are numbered in the order in which they are asked, so
/// each must be asked at every place, also where it gives nothing.
pub(super) struct Keys<'a> {
    keys: &'a mut Vec<u64>,
    template: u64,
}

impl<'a> Keys<'a> {
    /// Collects into a list, numbering templates from `first`.
    pub(super) fn new(keys: &'a mut Vec<u64>, first: u64) -> Self {
        Self { keys, template: first }
    }

    /// The feature that is always there.
    #[inline]
    pub(super) fn always(&mut self) {
        self.one(0);
    }

    /// A feature of one value.
    #[inline]
    pub(super) fn one(&mut self, value: u64) {
        self.template += 1;
        self.keys.push(join(self.template, value));
    }

    /// A feature of one value that there may not be.
    #[inline]
    pub(super) fn one_if(&mut self, is_there: bool, value: u64) {
        match is_there {
            true => self.one(value),
            false => self.template += 1,
        }
    }

    /// A feature of two values.
    #[inline]
    pub(super) fn two(&mut self, first: u64, second: u64) {
        self.one(join(first, second));
    }

    /// A feature of three values.
    #[inline]
    pub(super) fn three(&mut self, first: u64, second: u64, third: u64) {
        self.one(join(join(first, second), third));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_and_template_matter() {
        let mut keys = Vec::new();
        let mut collector = Keys::new(&mut keys, 0);
        collector.two(1, 2);
        collector.two(2, 1);
        collector.two(1, 2);
        collector.one_if(false, 9);
        collector.one(1);
        assert_eq!(keys.len(), 4);
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), 4);
    }

    /// Model files depend on it.
    #[test]
    fn names_do_not_change() {
        assert_eq!(join(1, 2), 0xBD60_66E6_B2AE_EA0C);
        assert_eq!(hash_text("bough"), xxh3_64(b"bough"));
    }
}
