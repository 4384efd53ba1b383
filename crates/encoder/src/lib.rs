//! BERT-type encoders on the CPU: vectors of words in their context, for inference and for training.
//!
//! ```no_run
//! use std::path::Path;
//! use boughs_encoder::{Batch, Kernel, Precision, Worker};
//!
//! let (encoder, vocabulary) = boughs_encoder::read(Path::new("minilm"), None)?;
//! let encoder = encoder.freeze(Precision::Int8(Kernel::best()));
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
//! - **Training.** [`Encoder::forward`] and [`Encoder::backward`]; the caller computes a loss on the rows between them.
//!   Sentences lie one after the other without padding ([`Batch`]). A [`Gradient`] per shard of a batch, added up in
//!   the order of shards, is the same on any number of threads; [`AdamW`] makes a step of it.
//! - **Inference.** [`Encoder::freeze`] lays weights out for it, in f32 or int8: [`FrozenEncoder::encode`].
//!
//! A pass is made of the operations in `ops`, one file each, on the matrix products of `matrix` and loops that `simd`
//! has compiled for the machine.

mod adamw;
mod batch;
mod config;
mod directory;
mod encoder;
mod frozen;
mod gradient;
mod half;
mod layer;
mod layout;
mod math;
mod matrix;
pub mod ops;
mod simd;
mod tensors;
#[cfg(test)]
mod testing;
pub mod wordpiece;

pub use adamw::{AdamW, EncoderMoments, Moments, Schedule, Step, clip};
pub use batch::Batch;
pub use boughs_learn::{Error, ErrorKind, Result};
pub use config::{Activation, Config};
pub use directory::{read, read_vocabulary, write};
pub use encoder::{Encoder, Trace};
pub use frozen::{FrozenEncoder, FrozenLinear, Kernel, Precision, Storage, Worker};
pub use gradient::Gradient;
pub use layout::{EncoderPart, Tensor};
pub use math::log_sum_exp;
pub use ops::dropout::Dropout;
pub use simd::instruction_set;
pub use wordpiece::{Piece, Sentence, Windows, WordPiece};
