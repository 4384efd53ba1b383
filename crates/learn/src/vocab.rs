//! [`Vocab`]: names as small numbers, in the order in which they were first seen.

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

/// A set of names, numbered from 0.
///
/// ```
/// use boughs_learn::vocab::Vocab;
///
/// let mut vocab = Vocab::new();
/// assert_eq!((vocab.intern("NP"), vocab.intern("VP"), vocab.intern("NP")), (0, 1, 0));
/// assert_eq!(vocab.name(1), "VP");
/// assert_eq!(vocab.get("PP"), None);
/// ```
#[derive(Debug, Clone, Default)]
pub struct Vocab {
    names: IndexSet<Box<str>, FxBuildHasher>,
}

impl Vocab {
    /// No names.
    pub fn new() -> Self {
        Self::default()
    }

    /// The number of a name, which is added if it is new.
    pub fn intern(&mut self, name: &str) -> u32 {
        match self.names.get_index_of(name) {
            Some(index) => index as u32,
            None => self.names.insert_full(name.into()).0 as u32,
        }
    }

    /// The number of a name.
    pub fn get(&self, name: &str) -> Option<u32> {
        self.names.get_index_of(name).map(|index| index as u32)
    }

    /// The name with a number.
    ///
    /// # Panics
    /// If there is none.
    pub fn name(&self, number: u32) -> &str {
        &self.names[number as usize]
    }

    /// The number of names.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether there are no names.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// The names in the order of their numbers.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> {
        self.names.iter().map(AsRef::as_ref)
    }
}

impl PartialEq for Vocab {
    /// Equal if the same names have the same numbers.
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl<'a> FromIterator<&'a str> for Vocab {
    fn from_iter<I: IntoIterator<Item = &'a str>>(names: I) -> Self {
        let mut vocab = Self::new();
        for name in names {
            vocab.intern(name);
        }
        vocab
    }
}
