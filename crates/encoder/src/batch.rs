//! Sentences that go through an encoder together, their pieces in a row without padding.

use std::ops::Range;

use boughs_learn::error::require;
use boughs_learn::{Error, ErrorKind, Result};

use crate::config::Config;

/// Some sentences.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Batch {
    ids: Vec<u32>,
    /// The type of each piece; none if all are of the first.
    types: Vec<u32>,
    /// Where each sentence ends.
    ends: Vec<usize>,
}

impl Batch {
    /// The sentences of an encoder, given as the ids of their pieces.
    ///
    /// # Errors
    /// If a sentence has no pieces or more than the encoder has positions, or a piece is not in its
    /// vocabulary.
    pub fn new<'a>(sentences: impl IntoIterator<Item = &'a [u32]>, config: &Config) -> Result<Self> {
        let mut batch = Self::default();
        for sentence in sentences {
            if sentence.is_empty() || sentence.len() > config.positions {
                let expected = format!("a sentence of 1 to {} pieces", config.positions);
                let message = format!("expected {expected}, found {}", sentence.len());
                return Err(Error::new(ErrorKind::TooLarge, message).hint("cut it into windows that overlap"));
            }
            let largest = sentence.iter().max().copied().unwrap_or(0) as usize;
            require(largest < config.vocabulary, format!("pieces below {}", config.vocabulary), largest)?;
            batch.ids.extend_from_slice(sentence);
            batch.ends.push(batch.ids.len());
        }
        Ok(batch)
    }

    /// The same with a type for each piece; without, all are of the first.
    ///
    /// # Errors
    /// If there are more types than pieces or fewer, or the encoder does not have one of them.
    pub fn with_types(self, types: Vec<u32>, config: &Config) -> Result<Self> {
        require(
            types.len() == self.ids.len(),
            format!("{} types, one per piece", self.ids.len()),
            types.len(),
        )?;
        let largest = types.iter().max().copied().unwrap_or(0) as usize;
        require(largest < config.types, format!("types below {}", config.types), largest)?;
        Ok(Self { types, ..self })
    }

    /// How many pieces there are.
    pub fn num_rows(&self) -> usize {
        self.ids.len()
    }

    /// How many pairs of pieces of one sentence there are: what attention computes.
    pub fn num_pairs(&self) -> usize {
        self.sentences().map(|rows| rows.len() * rows.len()).sum()
    }

    /// The rows of each sentence.
    pub fn sentences(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        let starts = [0].into_iter().chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, &end)| start..end)
    }

    /// The pieces, each with its position in its sentence and its type.
    pub(crate) fn pieces(&self) -> impl Iterator<Item = (u32, usize, usize)> + '_ {
        let type_of = |row: usize| self.types.get(row).map_or(0, |&it| it as usize);
        let of_sentence = move |rows: Range<usize>| {
            rows.clone().map(move |row| (self.ids[row], row - rows.start, type_of(row)))
        };
        self.sentences().flat_map(of_sentence)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::tiny_config;

    #[test]
    fn rows_and_positions() {
        let batch = Batch::new([&[5u32, 6][..], &[7]], &tiny_config()).unwrap();
        assert_eq!(batch.sentences().collect::<Vec<_>>(), [0..2, 2..3]);
        assert_eq!(batch.pieces().collect::<Vec<_>>(), [(5, 0, 0), (6, 1, 0), (7, 0, 0)]);
        let typed = batch.clone().with_types(vec![0, 1, 1], &tiny_config()).unwrap();
        assert_eq!(typed.pieces().collect::<Vec<_>>(), [(5, 0, 0), (6, 1, 1), (7, 0, 1)]);
        assert!(batch.clone().with_types(vec![0, 1], &tiny_config()).is_err());
        assert!(batch.clone().with_types(vec![0, 1, 2], &tiny_config()).is_err());
        assert_eq!((batch.num_rows(), batch.num_pairs()), (3, 5));
    }

    #[test]
    fn refusals() {
        let message = |ids: &[u32]| Batch::new([ids], &tiny_config()).unwrap_err().to_string();
        assert!(message(&[]).starts_with("expected a sentence of 1 to 16 pieces, found 0"));
        assert!(message(&[0; 17]).contains("found 17 (cut it into windows"));
        assert_eq!(message(&[11]), "expected pieces below 11, found 11");
    }
}
