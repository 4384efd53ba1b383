//! Lists of names as bytes: each name behind its length, as four bytes, the lowest first.

use super::damaged;
use crate::error::{Error, ErrorKind, Result};
use crate::vocab::Vocab;

/// The bytes of a list of names.
///
/// # Errors
/// If a name has 4 GiB.
pub fn write_names(names: &Vocab) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    for name in names.iter() {
        let length = u32::try_from(name.len())
            .map_err(|_| Error::new(ErrorKind::TooLarge, "a word of 4 GiB does not fit into a model"))?;
        bytes.extend(length.to_le_bytes());
        bytes.extend(name.as_bytes());
    }
    Ok(bytes)
}

/// The names of a list.
///
/// # Errors
/// If the list is cut off, or has a name twice.
pub fn read_names(mut bytes: &[u8]) -> Result<Vocab> {
    let mut names = Vocab::new();
    let mut num_names = 0;
    while let Some((length, rest)) = bytes.split_first_chunk::<4>() {
        let length = u32::from_le_bytes(*length) as usize;
        let name = rest.get(..length).and_then(|name| std::str::from_utf8(name).ok());
        names.intern(name.ok_or_else(|| damaged("a list of names that is none"))?);
        num_names += 1;
        bytes = &rest[length..];
    }
    match bytes.is_empty() && names.len() == num_names {
        true => Ok(names),
        false => Err(damaged("a list of names that is cut off, or has one twice")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_back() {
        let names: Vocab = ["", "NP", "ü"].into_iter().collect();
        let bytes = write_names(&names).unwrap();
        assert_eq!(read_names(&bytes).unwrap(), names);
        assert!(read_names(&bytes[..bytes.len() - 1]).is_err());
        assert!(read_names(&[&bytes[..], &bytes[..]].concat()).is_err());
    }
}
