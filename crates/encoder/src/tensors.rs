//! Arrays of f32 out of a safetensors file, of which only the header and what is asked for is read.
//!
//! The naive form reads the file and converts it: twice the memory of the weights, and all layers even if
//! three are wanted. Here each tensor goes from the file to its place. The header is 8 bytes of length and
//! JSON; the file may be anything, so its numbers are checked against its length before anything is allocated
//! by them.

use std::collections::HashMap;
use std::io::{Read, Seek, SeekFrom};

use boughs_learn::{Error, ErrorKind, Result};
use safetensors::Dtype;
use safetensors::tensor::TensorInfo;

use crate::half::from_f16;

/// A header of this length describes a million tensors.
const MAX_HEADER: u64 = 1 << 26;
/// Bytes that are converted at a time; a multiple of 4, so that no number is cut.
const CHUNK: usize = 1 << 16;

/// A safetensors file that is being read.
pub(crate) struct TensorFile<R> {
    source: R,
    /// Where the header ends and offsets start.
    start: u64,
    length: u64,
    infos: HashMap<String, TensorInfo>,
}

impl<R: Read + Seek> TensorFile<R> {
    /// Reads the header.
    pub fn open(mut source: R) -> Result<Self> {
        let length = source.seek(SeekFrom::End(0)).map_err(unreadable)?;
        source.rewind().map_err(unreadable)?;
        let mut bytes = [0; 8];
        source.read_exact(&mut bytes).map_err(|_| damaged(&format!("a header, found {length} bytes")))?;
        let header = u64::from_le_bytes(bytes);
        if header > MAX_HEADER.min(length - 8) {
            return Err(damaged(&format!("a header within {length} bytes, found a header of {header}")));
        }
        let mut json = vec![0; header as usize];
        source.read_exact(&mut json).map_err(unreadable)?;
        let entries: HashMap<String, serde_json::Value> = serde_json::from_slice(&json)
            .map_err(|error| damaged(&format!("a header in JSON, found {error}")))?;
        let infos = entries.into_iter().filter(|(name, _)| name != "__metadata__").map(|(name, entry)| {
            let info = serde_json::from_value(entry)
                .map_err(|error| damaged(&format!("tensor `{name}` with its shape, found {error}")))?;
            Ok((name, info))
        });
        Ok(Self { source, start: 8 + header, length, infos: infos.collect::<Result<_>>()? })
    }

    /// Reads a tensor into `values`. Older files have other names: all with the prefix `bert.`, layer norms
    /// with `gamma` and `beta`.
    pub fn read(&mut self, name: &str, shape: &[usize], values: &mut [f32]) -> Result<()> {
        let names = other_names(name);
        let found = names.iter().find_map(|name| self.infos.get(name));
        let Some(info) = found else {
            return Err(Error::new(
                ErrorKind::Mismatch,
                format!("expected tensor `{name}` or `bert.{name}`, found neither"),
            )
            .hint("the directory must hold a BERT-type encoder, all layers that config.json speaks of"));
        };
        if info.shape != shape {
            let message = format!(
                "expected tensor `{name}` of shape {shape:?} as in config.json, found {:?}",
                info.shape
            );
            return Err(Error::new(ErrorKind::Mismatch, message)
                .hint("config.json and model.safetensors belong to different encoders"));
        }
        let decode = decoder(name, info.dtype)?;
        let width = if info.dtype == Dtype::F32 { 4 } else { 2 };
        let offset = self.offset(name, info, values.len() * width)?;
        self.source.seek(SeekFrom::Start(offset)).map_err(unreadable)?;
        let mut chunk = vec![0; CHUNK.min(values.len() * width)];
        for values in values.chunks_mut(CHUNK / width) {
            let chunk = &mut chunk[..values.len() * width];
            self.source.read_exact(chunk).map_err(unreadable)?;
            for (value, bytes) in values.iter_mut().zip(chunk.chunks_exact(width)) {
                *value = decode(bytes);
            }
            if values.iter().any(|value| !value.is_finite()) {
                return Err(damaged(&format!("finite numbers in tensor `{name}`, found others")));
            }
        }
        Ok(())
    }

    /// The place of a tensor in the file, which must have the length that its shape says and lie within the
    /// file.
    fn offset(&self, name: &str, info: &TensorInfo, bytes: usize) -> Result<u64> {
        let (start, end) = info.data_offsets;
        let is_inside = (end as u64).checked_add(self.start).is_some_and(|end| end <= self.length);
        if end.checked_sub(start) != Some(bytes) || !is_inside {
            let found = format!("bytes {start} to {end} of {}", self.length - self.start);
            return Err(damaged(&format!("tensor `{name}` of {bytes} bytes, found {found}")));
        }
        Ok(self.start + start as u64)
    }
}

fn other_names(name: &str) -> [String; 4] {
    let old = name.replace("LayerNorm.weight", "LayerNorm.gamma").replace("LayerNorm.bias", "LayerNorm.beta");
    [name.to_owned(), format!("bert.{name}"), format!("bert.{old}"), old]
}

fn decoder(name: &str, kind: Dtype) -> Result<fn(&[u8]) -> f32> {
    match kind {
        Dtype::F32 => Ok(|bytes| f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])),
        Dtype::F16 => Ok(|bytes| from_f16(u16::from_le_bytes([bytes[0], bytes[1]]))),
        Dtype::BF16 => Ok(|bytes| f32::from_bits(u32::from(u16::from_le_bytes([bytes[0], bytes[1]])) << 16)),
        other => Err(Error::new(
            ErrorKind::Mismatch,
            format!("expected tensor `{name}` in F32, F16 or BF16, found {other}"),
        )
        .hint("convert the encoder to one of these")),
    }
}

fn damaged(expected_and_found: &str) -> Error {
    Error::new(ErrorKind::Syntax, format!("expected {expected_and_found}"))
        .hint("the file is no safetensors file, or damaged: fetch it again")
}

fn unreadable(error: std::io::Error) -> Error {
    Error::io("read the tensors", error)
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use proptest::prelude::*;
    use safetensors::tensor::TensorView;

    use super::*;

    fn file(name: &str, kind: Dtype, shape: &[usize], data: &[u8]) -> Vec<u8> {
        let view = TensorView::new(kind, shape.to_vec(), data).unwrap();
        safetensors::serialize([(name, view)], None).unwrap()
    }

    fn read(bytes: &[u8], name: &str, shape: &[usize]) -> Result<Vec<f32>> {
        let mut values = vec![0.0; shape.iter().product()];
        TensorFile::open(Cursor::new(bytes))?.read(name, shape, &mut values)?;
        Ok(values)
    }

    #[test]
    fn three_kinds_of_numbers() {
        let floats: Vec<u8> = [1.5f32, -0.25].iter().flat_map(|value| value.to_le_bytes()).collect();
        assert_eq!(read(&file("a", Dtype::F32, &[2], &floats), "a", &[2]).unwrap(), [1.5, -0.25]);
        let halves: Vec<u8> =
            [0x3E00u16, 0xB400, 0x0001].iter().flat_map(|value| value.to_le_bytes()).collect();
        let read_halves = read(&file("a", Dtype::F16, &[3], &halves), "a", &[3]).unwrap();
        assert_eq!(read_halves, [1.5, -0.25, 2f32.powi(-24)]);
        let brains: Vec<u8> = [0x3FC0u16, 0xBE80].iter().flat_map(|value| value.to_le_bytes()).collect();
        assert_eq!(read(&file("a", Dtype::BF16, &[2], &brains), "a", &[2]).unwrap(), [1.5, -0.25]);
    }

    #[test]
    fn names_of_older_files() {
        let bytes = file("bert.x.LayerNorm.gamma", Dtype::F32, &[1], &1f32.to_le_bytes());
        assert_eq!(read(&bytes, "x.LayerNorm.weight", &[1]).unwrap(), [1.0]);
    }

    #[test]
    fn refusals() {
        let bytes = file("a", Dtype::F32, &[2], &[0; 8]);
        let message =
            |bytes: &[u8], name: &str, shape: &[usize]| read(bytes, name, shape).unwrap_err().to_string();
        assert!(message(&bytes, "b", &[2]).starts_with("expected tensor `b` or `bert.b`, found neither"));
        assert!(message(&bytes, "a", &[1, 2]).contains("of shape [1, 2] as in config.json, found [2]"));
        assert!(message(&bytes[..bytes.len() - 1], "a", &[2]).contains("found bytes 0 to 8 of 7"));
        assert!(message(&bytes[..4], "a", &[2]).contains("expected a header, found 4 bytes"));
        assert!(message(b"not a tensor file", "a", &[2]).contains("expected a header within 17 bytes"));
        let ints = file("a", Dtype::I64, &[1], &[0; 8]);
        assert!(message(&ints, "a", &[1]).contains("F32, F16 or BF16, found I64"));
        let infinite = file("a", Dtype::F32, &[1], &f32::INFINITY.to_le_bytes());
        assert!(message(&infinite, "a", &[1]).contains("expected finite numbers"));
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(mut bytes in proptest::collection::vec(any::<u8>(), 0..200), cut in any::<usize>()) {
            let _ = read(&bytes, "a", &[2]);
            let mut whole = file("a", Dtype::F32, &[2], &[0; 8]);
            let index = cut % whole.len();
            whole[index] = bytes.pop().unwrap_or(0);
            let _ = read(&whole, "a", &[2]);
        }
    }
}
