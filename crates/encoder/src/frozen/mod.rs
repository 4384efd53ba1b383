//! Encoders for inference: weights laid out for it once, in f32 or int8.
//!
//! Training changes weights at every step, so its products bring them into the order of their loops anew for
//! every batch: a third of the time of a forward pass, and most of it for a single sentence. Frozen weights
//! lie in that order. The layers themselves are those of training ([`layer`](crate::layer)); only the linear
//! maps differ.
//!
//! **f32** (`packed`) gives what training gives, but for the last bits.
//!
//! **Int8** (`int8`) takes a quarter of the memory. The naive form stores weights as bytes and multiplies
//! them as f32, which saves no time. Here rows become bytes, too, each with a scale of its own, and the
//! products are of bytes, summed up in 32 bits. What that buys depends on the machine's instructions, so
//! there is a kernel for each kind ([`Kernel`]). All give the same whole numbers; and as the operations
//! between the products round alike everywhere, too, so do the vectors. Scales are per row and per output: a
//! row with large numbers does not make others coarse, and what becomes of a sentence does not depend on what
//! else is in the batch. With `a` and `w` the true numbers, `â` and `ŵ` those that the bytes stand for, a sum
//! is off by `Σ a (w - ŵ) + Σ ŵ (a - â)`; no byte is off by more than half its scale, which bounds both sums.
//! The tests hold the kernels to that. On MiniLM and English sentences the vectors of six layers are off by
//! 7% of their length; by 38% with PyTorch's dynamic quantisation, which has one scale for all rows and one
//! for all weights of a map.

mod bytes;
mod encoder;
mod file;
mod int8;
mod kernel;
mod linear;
mod packed;
mod stored;
#[cfg(target_arch = "x86_64")]
mod x86;

pub use encoder::{FrozenEncoder, Worker};
pub use kernel::Kernel;
pub use linear::FrozenLinear;
pub use stored::{Precision, Storage};

/// Rows that go through a linear map at a time: they stay in the second cache while all weights pass by.
const TILE: usize = 96;
