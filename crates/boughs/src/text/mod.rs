//! From running text to sentences and tokens as the Penn Treebank has them, each token with its bytes.
//!
//! The naive form is two lines: a sentence ends at `.`, `?` or `!` before a blank, and tokens are what lies between
//! blanks, with punctuation cut off. It fails on `Mr. Smith`, `U.S.`, `3.5`, `don't`, `$5`, `etc.)` and addresses.
//! Ours keeps its shape, one pass over *chunks* (what lies between blanks), and looks closer at each:
//!
//! 1. `scan` finds the chunk and the one after it; a blank line ends a sentence whatever stands before it,
//!    and so does a line break that is meant to (`line_breaks`);
//! 2. `boundary` decides from these two whether the sentence ends between them; abbreviations are the hard part;
//! 3. `lexer` cuts the chunk into tokens from left to right, one shape after the other: words (`word`, then `hyphen`
//!    and `contraction`), numbers, addresses and faces (`shapes`), punctuation.
//!
//! No decision looks further than one chunk ahead, or one block of lines, so a stream of any length is read in bounded
//! memory, and the result does not depend on how the stream is cut into pieces.
//!
//! A token is always a slice of the text: nothing is normalised, and between tokens there is nothing but blanks
//! ([`is_blank`]). What a treebank writes instead, as `` `` `` for an opening quotation mark, is a
//! question for [`penn_form`] when a tree is written or a model is asked.
//!
//! ```
//! use boughs::text;
//!
//! let text = "Mr. Gray can't swim. \"He'll drown,\" she said.";
//! let lines: Vec<String> = text::sentences(text).map(|sentence| sentence.to_string()).collect();
//! assert_eq!(lines, ["Mr. Gray ca n't swim .", "\" He 'll drown , \" she said ."]);
//! ```

mod abbreviation;
mod boundary;
mod chars;
mod contraction;
mod hyphen;
mod language;
mod lexer;
mod line_breaks;
mod penn;
mod reader;
mod record;
mod scan;
mod segment;
mod sentence;
mod shapes;
mod tokenizer;
mod word;

pub use chars::is_blank;
pub use language::Language;
pub use penn::penn_form;
pub use reader::SentenceReader;
pub use record::SentenceRecord;
pub use scan::{MAX_CHUNK_BYTES, MAX_SENTENCE_BYTES};
pub use sentence::{TextSentence, TextToken};
pub use tokenizer::{Style, TextSentences, Tokenizer, Unit, sentences};
