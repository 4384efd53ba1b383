//! BERT-type encoders on the CPU: vectors of words in their context, for inference and for training.
//!
//! ```no_run
//! use std::path::Path;
//! use boughs_encoder::{Batch, Worker};
//!
//! let (encoder, vocabulary) = boughs_encoder::read(Path::new("minilm"), None)?;
//! let sentence = vocabulary.sentence(&["The", "dog", "barks", "."]);
//! let batch = Batch::new([sentence.ids.as_slice()], encoder.config())?;
//! let mut worker = Worker::default();
//! let rows = encoder.encode(&batch, &mut worker);
//! assert_eq!(rows.len(), batch.num_rows() * encoder.config().hidden);
//! # Ok::<(), boughs_encoder::Error>(())
//! ```
//!
//! - **Files.** [`read`] reads the directory that everybody has: `config.json`, `vocab.txt` or `tokenizer.json`,
//!   `model.safetensors`.
//! - **Pieces.** [`WordPiece`] cuts words into pieces and says which bytes they are.
//! - **Passes.** [`Encoder::encode`] is inference. [`Encoder::forward`] and [`Encoder::backward`] are training: the
//!   caller computes a loss on the rows between them. Sentences lie one after the other without padding ([`Batch`]).
//! - **Training.** A [`Gradient`] per shard of a batch, added up in the order of shards, is the same on any number of
//!   threads; [`AdamW`] makes a step of it.
//! - **Int8.** [`Int8Encoder`] infers with matrices of bytes: smaller, faster, the same on every machine.
//!
//! A pass is made of the operations in `ops`, one file each, on the matrix products of `matrix` and loops that `simd`
//! has compiled for the machine.

mod adamw;
mod batch;
mod config;
mod directory;
mod encoder;
mod gradient;
mod int8;
mod layer;
mod layout;
mod math;
mod matrix;
mod ops;
mod simd;
mod tensors;
#[cfg(test)]
mod testing;
pub mod wordpiece;

pub use adamw::{AdamW, EncoderMoments, Moments, Schedule, Step, clip};
pub use batch::Batch;
pub use boughs_learn::{Error, ErrorKind, Result};
pub use config::{Activation, Config};
pub use directory::{read, read_vocabulary};
pub use encoder::{Encoder, Trace, Worker};
pub use gradient::Gradient;
pub use int8::{Int8Encoder, Kernel};
pub use layout::Tensor;
pub use ops::dropout::Dropout;
pub use wordpiece::{Piece, Sentence, WordPiece};
