//! Inference with int8: a quarter of the memory, and sums of whole numbers, which are the same on every machine.
//!
//! The naive form stores weights as bytes and multiplies them as f32: it saves memory and no time. Here rows become
//! bytes, too, each with a scale of its own, and the products are of bytes, summed up in 32 bits. What that buys
//! depends on the machine's instructions, so there is a kernel for each kind ([`Kernel`]). All give the same whole
//! numbers; and as the operations between the products round alike everywhere, too, so do the vectors.
//!
//! Scales are per row and per output: a row with large numbers does not make others coarse, and what becomes of a
//! sentence does not depend on what else is in the batch. With `a` and `w` the true numbers, `â` and `ŵ` those that the
//! bytes stand for, a sum is off by `Σ a (w - ŵ) + Σ ŵ (a - â)`; no byte is off by more than half its scale, which
//! bounds both sums. The tests hold the kernels to that.

mod bytes;
mod encoder;
mod kernel;
mod linear;
#[cfg(target_arch = "x86_64")]
mod x86;

pub use encoder::Int8Encoder;
pub use kernel::Kernel;
