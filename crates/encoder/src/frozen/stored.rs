//! Matrices as model files have them: a row per output, in f32, f16 or int8.
//!
//! Kernels want weights in other orders, each in its own. A file has them in the order in which everybody
//! writes matrices, so that one file serves all machines; laying them out takes a few milliseconds when it is
//! read.

use boughs_learn::Result;
use boughs_learn::error::require;
use boughs_learn::model::{Array, ModelFile, damaged};
use serde::{Deserialize, Serialize};

use super::bytes::to_bytes;
use super::kernel::Kernel;
use crate::half::{from_f16, to_f16};

/// What a frozen encoder's matrices are made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Precision {
    /// Numbers of 32 bits.
    F32,
    /// Numbers of 16 bits in files, and what they become in 32 bits in memory.
    F16,
    /// Bytes, multiplied by a kernel: [`Kernel::best`], as a rule.
    Int8(Kernel),
}

impl Precision {
    /// How files hold such matrices.
    pub fn storage(self) -> Storage {
        match self {
            Self::F32 => Storage::F32,
            Self::F16 => Storage::F16,
            Self::Int8(_) => Storage::Int8,
        }
    }
}

/// The same, as files and settings say it: which kernel multiplies is up to the machine.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Storage {
    /// Numbers of 32 bits.
    #[default]
    F32,
    /// Numbers of 16 bits.
    F16,
    /// Bytes with a scale per row.
    Int8,
}

impl Storage {
    /// The precision that this machine computes such matrices with.
    pub fn precision(self) -> Precision {
        match self {
            Self::F32 => Precision::F32,
            Self::F16 => Precision::F16,
            Self::Int8 => Precision::Int8(Kernel::best()),
        }
    }
}

/// A matrix, row by row.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum StoredMatrix {
    F32(Vec<f32>),
    F16(Vec<u16>),
    /// Bytes from -127 to 127, and what those of each row are to be multiplied by.
    Int8(Vec<i8>, Vec<f32>),
}

impl StoredMatrix {
    /// The nearest to a matrix in f32 with rows of a width.
    pub fn new(values: &[f32], width: usize, precision: Precision) -> Self {
        match precision {
            Precision::F32 => Self::F32(values.to_vec()),
            Precision::F16 => Self::F16(values.iter().map(|&value| to_f16(value)).collect()),
            Precision::Int8(_) => Self::in_bytes(values, width),
        }
    }

    fn in_bytes(values: &[f32], width: usize) -> Self {
        let (mut row_bytes, mut bytes) = (vec![0; width], Vec::with_capacity(values.len()));
        let scale = |row: &[f32]| {
            let scale = to_bytes(row, 0, &mut row_bytes);
            bytes.extend(row_bytes.iter().map(|&byte| byte as i8));
            scale
        };
        let scales = values.chunks_exact(width).map(scale).collect();
        Self::Int8(bytes, scales)
    }

    /// Puts the matrix into a file.
    pub fn write(self, file: &mut ModelFile, name: &str) {
        match self {
            Self::F32(values) => file.insert(name, Array::F32(values)),
            Self::F16(values) => file.insert(name, Array::U16(values)),
            Self::Int8(bytes, scales) => {
                file.insert(name, Array::U8(bytes.into_iter().map(|byte| byte as u8).collect()));
                file.insert(&scales_of(name), Array::F32(scales));
            }
        }
    }

    /// Takes a matrix of a shape out of a file.
    pub fn read(file: &ModelFile, name: &str, rows: usize, width: usize, storage: Storage) -> Result<Self> {
        let is_whole = |len: usize| expect_len(name, rows * width, len);
        match storage {
            Storage::F32 => Ok(Self::F32(floats(file, name, rows * width)?)),
            Storage::F16 => {
                let values = file.u16s(name)?;
                is_whole(values.len())?;
                expect(name, values.iter().all(|bits| bits >> 10 & 0x1F != 0x1F), "finite numbers")?;
                Ok(Self::F16(values.to_vec()))
            }
            Storage::Int8 => {
                let bytes = file.u8s(name)?;
                is_whole(bytes.len())?;
                // The kernels rely on it: the product of two such bytes, doubled, does not fit into 16 bits.
                expect(name, !bytes.contains(&128), "bytes from -127 to 127")?;
                let bytes = bytes.iter().map(|&byte| byte as i8).collect();
                Ok(Self::Int8(bytes, floats(file, &scales_of(name), rows)?))
            }
        }
    }

    /// The numbers that it stands for.
    pub fn to_floats(&self) -> Vec<f32> {
        match self {
            Self::F32(values) => values.clone(),
            Self::F16(values) => values.iter().map(|&bits| from_f16(bits)).collect(),
            Self::Int8(bytes, scales) => {
                let width = bytes.len() / scales.len().max(1);
                let rows = bytes.chunks(width.max(1)).zip(scales);
                rows.flat_map(|(row, &scale)| row.iter().map(move |&byte| f32::from(byte) * scale)).collect()
            }
        }
    }
}

/// Positions are few, and added to every word: in files of bytes they have 16 bits.
pub(super) fn positions_as(values: &[f32], precision: Precision) -> StoredMatrix {
    match precision {
        Precision::F32 => StoredMatrix::new(values, 1, precision),
        Precision::F16 | Precision::Int8(_) => StoredMatrix::new(values, 1, Precision::F16),
    }
}

/// An array of finite numbers of a file.
pub(super) fn floats(file: &ModelFile, name: &str, len: usize) -> Result<Vec<f32>> {
    let values = file.f32s(name)?;
    expect_len(name, len, values.len())?;
    expect(name, values.iter().all(|value| value.is_finite()), "finite numbers")?;
    Ok(values.to_vec())
}

fn scales_of(name: &str) -> String {
    format!("{name}.scales")
}

fn expect_len(name: &str, expected: usize, found: usize) -> Result<()> {
    require(expected == found, format!("{expected} numbers in `{name}`"), found).map_err(damaged)
}

fn expect(name: &str, is_met: bool, expected: &str) -> Result<()> {
    require(is_met, format!("{expected} in `{name}`"), "others").map_err(damaged)
}

#[cfg(test)]
mod tests {
    use boughs_learn::model::About;

    use super::*;
    use crate::testing::random_values;

    #[test]
    fn matrices_come_back() {
        let values = random_values(1, 35);
        for storage in [Storage::F32, Storage::F16, Storage::Int8] {
            let mut file = ModelFile::new(About::new("example"));
            let matrix = StoredMatrix::new(&values, 7, storage.precision());
            matrix.clone().write(&mut file, "a");
            let read = StoredMatrix::read(&file, "a", 5, 7, storage).unwrap();
            assert_eq!(read, matrix);
            let error = |(a, b): (&f32, &f32)| (a - b).abs();
            let worst = values.iter().zip(&read.to_floats()).map(error).fold(0.0, f32::max);
            assert!(worst <= 1.0 / 254.0, "{storage:?}: {worst}");
            assert!(StoredMatrix::read(&file, "a", 7, 7, storage).is_err());
        }
    }

    #[test]
    fn what_kernels_cannot_take_is_refused() {
        let message = |array: Array, storage: Storage| {
            let mut file = ModelFile::new(About::new("example"));
            file.insert("a", array);
            file.insert("a.scales", Array::F32(vec![1.0]));
            StoredMatrix::read(&file, "a", 1, 2, storage).unwrap_err().to_string()
        };
        assert!(message(Array::U8(vec![0, 128]), Storage::Int8).contains("bytes from -127 to 127 in `a`"));
        assert!(message(Array::F32(vec![0.0, f32::NAN]), Storage::F32).contains("finite numbers in `a`"));
        assert!(message(Array::U16(vec![0, 0x7C00]), Storage::F16).contains("finite numbers in `a`"));
        assert!(message(Array::U8(vec![0, 0]), Storage::F32).contains("should be of type F32"));
    }
}
