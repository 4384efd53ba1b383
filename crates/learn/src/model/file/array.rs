//! Arrays of numbers in a model file, little-endian.

use std::borrow::Cow;

use safetensors::tensor::{Dtype, TensorView, View};
use xxhash_rust::xxh3::Xxh3;

use super::{ModelFile, damaged};
use crate::error::Result;

/// Numbers that are turned into bytes at a time.
const BLOCK: usize = 4096;

/// Defines [`Array`] and how a file gives one out, for each kind of number.
macro_rules! arrays {
    ($($(#[$doc:meta])* $kind:ident, $number:ty, $function:ident;)*) => {
        /// An array of one kind of number.
        #[derive(Debug, Clone, PartialEq)]
        pub enum Array {
            $($(#[$doc])* $kind(Vec<$number>),)*
        }

        impl Array {
            /// The numbers of a tensor; its shape is ignored.
            pub(super) fn from_view(name: &str, view: &TensorView<'_>) -> Result<Self> {
                let bytes = view.data();
                match view.dtype() {
                    $(Dtype::$kind => {
                        let numbers = bytes.as_chunks().0.iter().map(|&bytes| <$number>::from_le_bytes(bytes));
                        Ok(Self::$kind(numbers.collect()))
                    })*
                    other => Err(damaged(format_args!("array `{name}` is of type {other}"))),
                }
            }

            /// The number of numbers.
            pub fn len(&self) -> usize {
                match self {
                    $(Self::$kind(numbers) => numbers.len(),)*
                }
            }

            /// The bytes, some numbers at a time: those of a large array at once would be a second one.
            fn each_block(&self, mut see: impl FnMut(&[u8])) {
                let mut block = Vec::with_capacity(BLOCK * size_of::<u64>());
                match self {
                    $(Self::$kind(numbers) => for numbers in numbers.chunks(BLOCK) {
                        block.clear();
                        numbers.iter().for_each(|number| block.extend_from_slice(&number.to_le_bytes()));
                        see(&block);
                    })*
                }
            }

            fn dtype(&self) -> Dtype {
                match self {
                    $(Self::$kind(_) => Dtype::$kind,)*
                }
            }
        }

        impl ModelFile {
            $(/// The numbers of the array of a name.
            ///
            /// # Errors
            /// If there is none, or it is of another type.
            pub fn $function(&self, name: &str) -> Result<&[$number]> {
                match self.arrays.get(name) {
                    Some(Array::$kind(numbers)) => Ok(numbers),
                    Some(other) => {
                        let (expected, found) = (Dtype::$kind, other.dtype());
                        Err(damaged(format_args!("array `{name}` should be of type {expected} and is of {found}")))
                    }
                    None => Err(damaged(format_args!("there is no array `{name}`"))),
                }
            })*
        }
    };
}

arrays! {
    /// Bytes.
    U8, u8, u8s;
    /// Small indices and counts.
    U16, u16, u16s;
    /// Small numbers with a sign.
    I16, i16, i16s;
    /// Indices and counts.
    U32, u32, u32s;
    /// Hashes.
    U64, u64, u64s;
    /// Numbers of which there are many.
    F32, f32, f32s;
    /// Numbers that must not be rounded.
    F64, f64, f64s;
}

impl Array {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Adds the array to a checksum, with its type and length.
    pub(super) fn update(&self, hash: &mut Xxh3) {
        hash.update(self.dtype().to_string().as_bytes());
        hash.update(&(self.len() as u64).to_le_bytes());
        self.each_block(|block| hash.update(block));
    }
}

/// How safetensors sees an array, with its shape.
pub(super) struct Tensor<'a> {
    array: &'a Array,
    shape: [usize; 1],
}

impl<'a> Tensor<'a> {
    pub(super) fn new(array: &'a Array) -> Self {
        Self { array, shape: [array.len()] }
    }
}

impl View for Tensor<'_> {
    fn dtype(&self) -> Dtype {
        self.array.dtype()
    }

    fn shape(&self) -> &[usize] {
        &self.shape
    }

    fn data(&self) -> Cow<'_, [u8]> {
        if let Array::U8(bytes) = self.array {
            return Cow::Borrowed(bytes);
        }
        let mut bytes = Vec::with_capacity(self.data_len());
        self.array.each_block(|block| bytes.extend_from_slice(block));
        Cow::Owned(bytes)
    }

    fn data_len(&self) -> usize {
        self.array.len() * self.array.dtype().bitsize() / 8
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::About;

    #[test]
    fn arrays_are_found_by_name_and_type() {
        let mut file = ModelFile::new(About::new("example"));
        file.insert("counts", Array::U32(vec![1]));
        assert_eq!(file.u32s("counts").unwrap(), [1]);
        let message = file.f64s("counts").unwrap_err().to_string();
        assert!(message.contains("array `counts` should be of type F64 and is of U32"), "{message}");
        assert!(file.u8s("none").unwrap_err().to_string().contains("there is no array `none`"));
    }
}
