//! Learning from rows of sparse binary features. It sees rows, columns, labels and weights, never words.

pub mod optimize;
