//! Vocabularies in model files: the array `vocabulary` (JSON).

use boughs_learn::Result;
use boughs_learn::model::{ModelFile, damaged};
use serde::{Deserialize, Serialize};

use super::{CONTINUATION, Normalization, WordPiece};

const VOCABULARY: &str = "vocabulary";

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct VocabularyFile {
    pieces: Vec<String>,
    normalization: Normalization,
    max_chars: usize,
}

impl WordPiece {
    /// The pieces in order of their ids. A piece that stands twice in the list that the vocabulary was made
    /// of has the last of its ids; at the others stands nothing.
    pub fn pieces(&self) -> Vec<String> {
        let mut pieces = vec![String::new(); self.len];
        for (tables, prefix) in [(&self.starts, ""), (&self.continuations, CONTINUATION)] {
            #[expect(clippy::iter_over_hash_type, reason = "each piece has its own place")]
            for (text, &id) in tables {
                pieces[id as usize] = format!("{prefix}{text}");
            }
        }
        pieces
    }

    /// How words are normalised, and how many characters the longest run has that is cut.
    pub(crate) fn settings(&self) -> (Normalization, usize) {
        (self.normalization, self.max_chars)
    }

    /// Puts the vocabulary into a file.
    ///
    /// # Errors
    /// Never, as JSON can hold any text.
    pub fn write(&self, file: &mut ModelFile) -> Result<()> {
        let (normalization, max_chars) = self.settings();
        file.insert_json(VOCABULARY, &VocabularyFile { pieces: self.pieces(), normalization, max_chars })
    }

    /// Takes a vocabulary out of a file.
    ///
    /// # Errors
    /// If it is not there, or damaged.
    pub fn read(file: &ModelFile) -> Result<Self> {
        let VocabularyFile { pieces, normalization, max_chars } = file.json(VOCABULARY)?;
        Self::new(pieces.iter().map(String::as_str), normalization, max_chars).map_err(damaged)
    }
}

#[cfg(test)]
mod tests {
    use boughs_learn::model::About;

    use super::*;

    #[test]
    fn vocabularies_come_back() {
        let vocabulary = WordPiece::from_vocab_txt("[UNK]\n[CLS]\n[SEP]\na\n##\n##b\na\n", None).unwrap();
        assert_eq!(vocabulary.pieces(), ["[UNK]", "[CLS]", "[SEP]", "", "##", "##b", "a"]);
        let mut file = ModelFile::new(About::new("example"));
        vocabulary.write(&mut file).unwrap();
        let read = WordPiece::read(&file).unwrap();
        assert_eq!((read.pieces(), read.settings()), (vocabulary.pieces(), vocabulary.settings()));
        assert_eq!(read.sentence(&["ab", "##"]), vocabulary.sentence(&["ab", "##"]));
    }
}
