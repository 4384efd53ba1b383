//! Arrays of numbers in a model file, little-endian.

use std::borrow::Cow;

use safetensors::tensor::{Dtype, TensorView, View};
use xxhash_rust::xxh3::Xxh3;

use super::{ModelFile, damaged};
use crate::error::Result;

/// An array of one kind of number.
#[derive(Debug, Clone, PartialEq)]
pub enum Array {
    /// Bytes.
    U8(Vec<u8>),
    /// Small indices and counts.
    U16(Vec<u16>),
    /// Small numbers with a sign.
    I16(Vec<i16>),
    /// Indices and counts.
    U32(Vec<u32>),
    /// Hashes.
    U64(Vec<u64>),
    /// Numbers of which there are many.
    F32(Vec<f32>),
    /// Numbers that must not be rounded.
    F64(Vec<f64>),
}

impl Array {
    /// The numbers of a tensor; its shape is ignored.
    pub(super) fn from_view(name: &str, view: &TensorView<'_>) -> Result<Self> {
        let bytes = view.data();
        match view.dtype() {
            Dtype::U8 => Ok(Self::U8(bytes.to_vec())),
            Dtype::U16 => Ok(Self::U16(bytes.as_chunks().0.iter().map(|&b| u16::from_le_bytes(b)).collect())),
            Dtype::I16 => Ok(Self::I16(bytes.as_chunks().0.iter().map(|&b| i16::from_le_bytes(b)).collect())),
            Dtype::U32 => Ok(Self::U32(bytes.as_chunks().0.iter().map(|&b| u32::from_le_bytes(b)).collect())),
            Dtype::U64 => Ok(Self::U64(bytes.as_chunks().0.iter().map(|&b| u64::from_le_bytes(b)).collect())),
            Dtype::F32 => Ok(Self::F32(bytes.as_chunks().0.iter().map(|&b| f32::from_le_bytes(b)).collect())),
            Dtype::F64 => Ok(Self::F64(bytes.as_chunks().0.iter().map(|&b| f64::from_le_bytes(b)).collect())),
            other => Err(damaged(format_args!("array `{name}` is of type {other}"))),
        }
    }

    /// Adds the array to a checksum, with its type and length.
    pub(super) fn update(&self, hash: &mut Xxh3) {
        hash.update(self.dtype().to_string().as_bytes());
        hash.update(&(self.len() as u64).to_le_bytes());
        hash.update(&self.bytes());
    }

    /// The number of numbers.
    pub fn len(&self) -> usize {
        match self {
            Self::U8(numbers) => numbers.len(),
            Self::U16(numbers) => numbers.len(),
            Self::I16(numbers) => numbers.len(),
            Self::U32(numbers) => numbers.len(),
            Self::U64(numbers) => numbers.len(),
            Self::F32(numbers) => numbers.len(),
            Self::F64(numbers) => numbers.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn bytes(&self) -> Cow<'_, [u8]> {
        match self {
            Self::U8(numbers) => Cow::Borrowed(numbers),
            Self::U16(numbers) => numbers.iter().flat_map(|number| number.to_le_bytes()).collect(),
            Self::I16(numbers) => numbers.iter().flat_map(|number| number.to_le_bytes()).collect(),
            Self::U32(numbers) => numbers.iter().flat_map(|number| number.to_le_bytes()).collect(),
            Self::U64(numbers) => numbers.iter().flat_map(|number| number.to_le_bytes()).collect(),
            Self::F32(numbers) => numbers.iter().flat_map(|number| number.to_le_bytes()).collect(),
            Self::F64(numbers) => numbers.iter().flat_map(|number| number.to_le_bytes()).collect(),
        }
    }

    fn dtype(&self) -> Dtype {
        match self {
            Self::U8(_) => Dtype::U8,
            Self::U16(_) => Dtype::U16,
            Self::I16(_) => Dtype::I16,
            Self::U32(_) => Dtype::U32,
            Self::U64(_) => Dtype::U64,
            Self::F32(_) => Dtype::F32,
            Self::F64(_) => Dtype::F64,
        }
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
        self.array.bytes()
    }

    fn data_len(&self) -> usize {
        self.array.len() * self.array.dtype().bitsize() / 8
    }
}

/// Arrays by name and type; an error says which was expected.
macro_rules! typed {
    ($function:ident, $variant:ident, $number:ty) => {
        impl ModelFile {
            /// The numbers of the array of a name.
            ///
            /// # Errors
            /// If there is none, or it is of another type.
            pub fn $function(&self, name: &str) -> Result<&[$number]> {
                match self.arrays.get(name) {
                    Some(Array::$variant(numbers)) => Ok(numbers),
                    Some(other) => Err(damaged(format_args!(
                        concat!("array `{}` should be of type ", stringify!($variant), " and is of {}"),
                        name,
                        other.dtype()
                    ))),
                    None => Err(damaged(format_args!("there is no array `{name}`"))),
                }
            }
        }
    };
}

typed!(u8s, U8, u8);
typed!(u16s, U16, u16);
typed!(i16s, I16, i16);
typed!(u32s, U32, u32);
typed!(u64s, U64, u64);
typed!(f32s, F32, f32);
typed!(f64s, F64, f64);

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
