//! Model files: what the model is, and named arrays of numbers.
//!
//! The container is [safetensors](https://huggingface.co/docs/safetensors), which Python users can open without
//! boughs. Its metadata hold one entry, `boughs`: a JSON object that says what the file is ([`About`]), the version
//! of the format, and a checksum over everything else. What the arrays are called and mean depends on the kind of
//! model: see `boosted.rs` for one.
//!
//! A file is written whole or not at all, under a temporary name that is then changed. The same model gives the same
//! bytes. A file that is damaged, foreign or of a newer format is refused before a number of it is used; the arrays
//! are still range-checked by those who read them, because a checksum proves care, not good faith.

mod array;
mod boosted;
mod linear;
mod names;

use std::collections::{BTreeMap, HashMap};
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

use safetensors::SafeTensors;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::Xxh3;

use crate::error::{Error, ErrorKind, Result};
pub use array::Array;
use array::Tensor;
pub use names::{read_names, write_names};

/// The version of the format that is written, and the only one that is read.
const FORMAT: u64 = 2;

/// The one entry of the metadata.
const ENTRY: &str = "boughs";

/// What a model is, for people and programs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct About {
    /// The kind of model, which says what arrays there are.
    pub kind: String,
    /// The model's name.
    pub name: String,
    /// The model's own version, as its maker counts.
    pub version: String,
    /// The labels that it tells apart.
    pub labels: Vec<String>,
    /// The data that it was trained on, and under which licence it may be used.
    pub data: String,
    /// The seed of training.
    pub seed: u64,
    /// The program that trained it.
    pub tool: String,
    /// Every setting of training, as TOML.
    #[serde(default)]
    pub config: String,
    /// What training came to, and other facts.
    pub settings: BTreeMap<String, String>,
}

impl About {
    /// A model of a kind, trained by this version of boughs; the rest is empty.
    pub fn new(kind: impl Into<String>) -> Self {
        let tool = concat!("boughs ", env!("CARGO_PKG_VERSION")).to_owned();
        Self { kind: kind.into(), tool, ..Self::default() }
    }
}

/// The content of a model file.
///
/// ```
/// use boughs_learn::model::{About, Array, ModelFile};
///
/// let mut file = ModelFile::new(About::new("example"));
/// file.insert("weight", Array::F64(vec![0.5, -1.0]));
/// let bytes = file.to_bytes()?;
/// let read = ModelFile::from_bytes(&bytes)?;
/// assert_eq!(read.f64s("weight")?, [0.5, -1.0]);
/// assert_eq!(read.to_bytes()?, bytes);
/// # Ok::<(), boughs_learn::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct ModelFile {
    about: About,
    arrays: BTreeMap<String, Array>,
}

/// The JSON of the entry. The checksum is over this with an empty checksum, then over the arrays.
#[derive(Serialize, Deserialize)]
struct ModelHeader {
    format: u64,
    about: About,
    checksum: String,
}

/// As much of the JSON as is the same in all versions of the format.
#[derive(Deserialize)]
struct FormatOnly {
    format: u64,
}

impl ModelFile {
    /// A file without arrays.
    pub fn new(about: About) -> Self {
        Self { about, arrays: BTreeMap::new() }
    }

    /// What the model is.
    pub fn about(&self) -> &About {
        &self.about
    }

    /// The same, to be changed.
    pub fn about_mut(&mut self) -> &mut About {
        &mut self.about
    }

    /// Whether the model is of a kind.
    ///
    /// # Errors
    /// [`ErrorKind::Mismatch`] if it is of another, with what to do about it.
    pub fn expect_kind(&self, kind: &str, hint: &str) -> Result<()> {
        let found = &self.about.kind;
        match found == kind {
            true => Ok(()),
            false => Err(Error::new(
                ErrorKind::Mismatch,
                format!("expected a model of kind `{kind}`, found one of kind `{found}`"),
            )
            .hint(hint)),
        }
    }

    /// Adds an array, or replaces that of the same name.
    pub fn insert(&mut self, name: &str, array: Array) {
        self.arrays.insert(name.to_owned(), array);
    }

    /// Adds something as JSON.
    ///
    /// # Errors
    /// If JSON cannot hold it.
    pub fn insert_json(&mut self, name: &str, value: &impl Serialize) -> Result<()> {
        let bytes = serde_json::to_vec(value).map_err(|error| {
            Error::new(ErrorKind::Numeric, format!("`{name}` cannot be written down: {error}"))
        })?;
        self.insert(name, Array::U8(bytes));
        Ok(())
    }

    /// What was added as JSON.
    ///
    /// # Errors
    /// If there is no such array, or it holds something else.
    pub fn json<T: serde::de::DeserializeOwned>(&self, name: &str) -> Result<T> {
        serde_json::from_slice(self.u8s(name)?).map_err(|error| damaged(format_args!("`{name}`: {error}")))
    }

    /// Adds something to the last bit, in a compact form that only this program reads: what a checkpoint is made of.
    ///
    /// # Errors
    /// If it is something that has no such form.
    pub fn insert_state(&mut self, name: &str, value: &impl Serialize) -> Result<()> {
        let bytes = postcard::to_allocvec(value).map_err(|error| {
            Error::new(ErrorKind::Argument, format!("`{name}` cannot be written down: {error}"))
        })?;
        self.insert(name, Array::U8(bytes));
        Ok(())
    }

    /// What was added in that form.
    ///
    /// # Errors
    /// If there is no such array, or it holds something else.
    pub fn state<'f, T: Deserialize<'f>>(&'f self, name: &str) -> Result<T> {
        let read = postcard::take_from_bytes(self.u8s(name)?);
        match read.map_err(|error| damaged(format_args!("`{name}`: {error}")))? {
            (value, []) => Ok(value),
            (_, rest) => Err(damaged(format_args!("`{name}` has {} bytes too many", rest.len()))),
        }
    }

    /// Whether there is an array of this name.
    pub fn has(&self, name: &str) -> bool {
        self.arrays.contains_key(name)
    }

    /// The names of the arrays, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.arrays.keys().map(String::as_str)
    }

    /// The bytes of the file.
    ///
    /// # Errors
    /// If what is said about the model exceeds 100 MB.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let header = ModelHeader { format: FORMAT, about: self.about.clone(), checksum: self.checksum()? };
        // One entry only: safetensors writes entries in the order of a hash map.
        let metadata = HashMap::from([(ENTRY.to_owned(), to_json(&header)?)]);
        let tensors = self.arrays.iter().map(|(name, array)| (name, Tensor::new(array)));
        safetensors::serialize(tensors, Some(metadata)).map_err(|error| {
            Error::new(ErrorKind::TooLarge, format!("the model does not fit into a file: {error}"))
        })
    }

    /// Reads the bytes of a file.
    ///
    /// # Errors
    /// If they are damaged, of another program, or of another version of the format.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        check_ends(bytes)?;
        let (_, metadata) = SafeTensors::read_metadata(bytes).map_err(not_a_model)?;
        let entry = metadata.metadata().as_ref().and_then(|entries| entries.get(ENTRY));
        let header = read_header(entry.ok_or_else(|| {
            Error::new(
                ErrorKind::Syntax,
                "expected a boughs model, found a safetensors file of another program",
            )
            .hint("`boughs train` and `boughs learn train` write models")
        })?)?;
        let tensors = SafeTensors::deserialize(bytes).map_err(not_a_model)?;
        let mut file = Self::new(header.about);
        for (name, view) in tensors.iter() {
            file.insert(name, Array::from_view(name, &view)?);
        }
        // A fuzzer would never find a checksum that fits.
        match cfg!(fuzzing) || file.checksum()? == header.checksum {
            true => Ok(file),
            false => Err(damaged("its checksum does not fit its content")),
        }
    }

    /// Writes the file, whole or not at all.
    ///
    /// # Errors
    /// If the operating system refuses.
    pub fn save(&self, path: &Path) -> Result<()> {
        let bytes = self.to_bytes()?;
        let temporary = temporary_name(path);
        let written = write_synced(&temporary, &bytes).and_then(|()| fs::rename(&temporary, path));
        written.map_err(|error| {
            // The first error is the one to tell; the temporary file may not even exist.
            let _ = fs::remove_file(&temporary);
            Error::io("write the model", error).in_file(path)
        })
    }

    /// Reads a file.
    ///
    /// # Errors
    /// If it cannot be opened, or its content is refused: see [`ModelFile::from_bytes`].
    pub fn load(path: &Path) -> Result<Self> {
        let bytes = fs::read(path).map_err(|error| Error::io("read the model", error).in_file(path))?;
        Self::from_bytes(&bytes).map_err(|error| error.in_file(path))
    }

    /// The checksum over everything in the file.
    ///
    /// # Errors
    /// Never for a file that was read.
    pub fn checksum(&self) -> Result<String> {
        let header = ModelHeader { format: FORMAT, about: self.about.clone(), checksum: String::new() };
        let mut hash = Xxh3::new();
        hash.update(to_json(&header)?.as_bytes());
        for (name, array) in &self.arrays {
            hash.update(name.as_bytes());
            array.update(&mut hash);
        }
        Ok(format!("{:032x}", hash.digest128()))
    }
}

/// An error about a file that started well.
pub fn damaged(found: impl std::fmt::Display) -> Error {
    Error::new(ErrorKind::Syntax, format!("expected a whole boughs model, found a damaged one: {found}"))
        .hint("copy or train it again")
}

/// Refuses a file as [`damaged`] if something is not as it must be.
///
/// # Errors
/// If it is not.
pub fn damaged_if(is_damaged: bool, found: impl std::fmt::Display) -> Result<()> {
    if is_damaged { Err(damaged(found)) } else { Ok(()) }
}

fn not_a_model(found: impl std::fmt::Display) -> Error {
    Error::new(ErrorKind::Syntax, format!("expected a boughs model, found something else: {found}"))
        .hint("name a file written by `boughs train` or `boughs learn train`, or copy it again if it is one")
}

fn to_json(header: &ModelHeader) -> Result<String> {
    serde_json::to_string(header)
        .map_err(|error| Error::new(ErrorKind::Argument, format!("the model cannot be described: {error}")))
}

fn read_header(json: &str) -> Result<ModelHeader> {
    let FormatOnly { format } = serde_json::from_str(json).map_err(damaged)?;
    if format != FORMAT {
        return Err(Error::new(
            ErrorKind::Syntax,
            format!("expected a boughs model of format {FORMAT}, found format {format}"),
        )
        .hint("train it again with this version of boughs, or use the one that wrote it"));
    }
    serde_json::from_str(json).map_err(damaged)
}

/// Refuses arrays that end behind the end of the file. safetensors adds the header's length to the last end
/// without a check, which overflows for a file made to do so.
fn check_ends(bytes: &[u8]) -> Result<()> {
    let Some((length, rest)) = bytes.split_first_chunk::<8>() else {
        return Err(not_a_model(format_args!("{} bytes", bytes.len())));
    };
    let header = usize::try_from(u64::from_le_bytes(*length)).ok().and_then(|length| rest.get(..length));
    let header = header.ok_or_else(|| not_a_model("no header of the length that its first 8 bytes say"))?;
    let entries: serde_json::Map<String, serde_json::Value> =
        serde_json::from_slice(header).map_err(not_a_model)?;
    let mut ends = entries.values().filter_map(|entry| entry.get("data_offsets")?.get(1)?.as_u64());
    match ends.find(|&end| end > bytes.len() as u64) {
        Some(end) => Err(damaged(format_args!("an array ends at byte {end} of {}", bytes.len()))),
        None => Ok(()),
    }
}

/// A name in the same directory, so that renaming does not copy.
fn temporary_name(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.{}.tmp", std::process::id()))
}

fn write_synced(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let mut file = File::create(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example() -> ModelFile {
        let mut about = About::new("example");
        about.labels = vec!["NP".to_owned(), "VP".to_owned()];
        about.settings.insert("lambda".to_owned(), "0.5".to_owned());
        let mut file = ModelFile::new(about);
        file.insert("bytes", Array::U8(vec![1, 2, 3]));
        file.insert("counts", Array::U32(vec![4, 5]));
        file.insert("weights", Array::F64(vec![0.5]));
        file.insert("small", Array::F32(vec![]));
        file
    }

    fn message(bytes: &[u8]) -> String {
        ModelFile::from_bytes(bytes).unwrap_err().to_string()
    }

    #[test]
    fn files_come_back_and_give_the_same_bytes() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("model");
        example().save(&path).unwrap();
        let read = ModelFile::load(&path).unwrap();
        assert_eq!(read, example());
        assert_eq!(read.to_bytes().unwrap(), fs::read(&path).unwrap());
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_file_that_cannot_be_written_leaves_nothing() {
        let directory = tempfile::tempdir().unwrap();
        let error = example().save(&directory.path().join("none/model")).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Io);
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0);
    }

    #[test]
    fn every_changed_byte_is_noticed() {
        let bytes = example().to_bytes().unwrap();
        for place in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[place] ^= 0x10;
            match ModelFile::from_bytes(&changed) {
                Err(_) => {}
                Ok(read) => assert_eq!(read, example(), "byte {place}"),
            }
        }
        assert!((0..bytes.len()).all(|length| ModelFile::from_bytes(&bytes[..length]).is_err()));
    }

    #[test]
    fn refusals_say_what_was_found() {
        assert!(message(b"").contains("expected a boughs model, found something else: 0 bytes"));
        assert!(message(b"(S (NP me))").contains("found something else"));
        let foreign = safetensors::serialize(Vec::<(String, Tensor<'_>)>::new(), None).unwrap();
        assert!(message(&foreign).contains("of another program"));
        let entry = HashMap::from([(ENTRY.to_owned(), r#"{"format":1,"whatever":0}"#.to_owned())]);
        let newer = safetensors::serialize(Vec::<(String, Tensor<'_>)>::new(), Some(entry)).unwrap();
        assert!(message(&newer).contains("expected a boughs model of format 2, found format 1 (train"));
        let mut torn = example().to_bytes().unwrap();
        *torn.last_mut().unwrap() ^= 1;
        assert!(message(&torn).contains("checksum does not fit"));
    }

    #[test]
    fn states_come_back_whole_or_not_at_all() {
        let mut file = example();
        let state = (vec![0.1f32, f32::INFINITY], vec![(1u32, "x".to_owned())], f64::MIN_POSITIVE);
        file.insert_state("state", &state).unwrap();
        assert_eq!(file.state::<(Vec<f32>, Vec<(u32, String)>, f64)>("state").unwrap(), state);
        let bytes = file.u8s("state").unwrap().to_vec();
        for wrong in [&bytes[..bytes.len() - 1], &[&bytes[..], &[0]].concat()] {
            file.insert("state", Array::U8(wrong.to_vec()));
            assert!(file.state::<(Vec<f32>, Vec<(u32, String)>, f64)>("state").is_err());
        }
    }

    #[test]
    fn offsets_that_overflow_are_refused() {
        let shape = (1u64 << 61) - 1;
        let mut entries = Vec::new();
        let mut start = 0u64;
        for name in 0..8 {
            entries.push(format!(
                r#""{name}":{{"dtype":"U8","shape":[{shape}],"data_offsets":[{start},{}]}}"#,
                start + shape
            ));
            start += shape;
        }
        let rest = u64::MAX - start;
        entries
            .push(format!(r#""9":{{"dtype":"U8","shape":[{rest}],"data_offsets":[{start},{}]}}"#, u64::MAX));
        let header = format!("{{{}}}", entries.join(","));
        let bytes = [&(header.len() as u64).to_le_bytes(), header.as_bytes()].concat();
        assert!(message(&bytes).contains("an array ends at byte"));
    }
}
