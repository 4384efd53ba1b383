//! The operations of an encoder, one file each, forward and backward side by side.
//!
//! All work on rows, a row per piece, sentence after sentence without padding. A backward pass takes the
//! gradient of some loss with respect to what the forward pass gave (`d_out`), and gives that with respect to
//! what it was given; gradients of parameters are added to, as those of many rows and sentences make one sum.

pub(crate) mod attention;
pub mod dropout;
pub(crate) mod embedding;
pub(crate) mod gelu;
pub mod linear;
pub mod norm;
pub mod softmax;
