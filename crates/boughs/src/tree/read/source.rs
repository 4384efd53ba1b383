//! Where treebanks come from: files, directories and standard input, plain or compressed, in any encoding.

use std::fs::{self, File};
use std::io::{self, BufReader, Cursor, Read};
use std::path::{Path, PathBuf};

use encoding_rs_io::DecodeReaderBytesBuilder;
use flate2::read::MultiGzDecoder;

use super::format::{TREEBANK_EXTENSIONS, has_treebank_ending};
use crate::error::{Error, ErrorKind, Result};

/// How the bytes of a file stand for characters.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Encoding {
    /// UTF-8, or UTF-16 if the file starts with its mark.
    #[default]
    Utf8,
    /// ISO 8859-1, as the older German treebanks (read as Windows-1252, which contains it).
    Latin1,
}

/// One thing to read trees from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input {
    /// Standard input.
    Stdin,
    /// A file, or a directory to be searched for treebank files.
    Path(PathBuf),
    /// Text that is already in memory, with the name to use in messages.
    Text {
        /// The name for messages.
        name: String,
        /// The text.
        text: &'static str,
    },
}

impl Input {
    /// The name for messages.
    pub fn name(&self) -> String {
        match self {
            Self::Stdin => "<stdin>".to_owned(),
            Self::Path(path) => path.display().to_string(),
            Self::Text { name, .. } => name.clone(),
        }
    }

    /// Replaces a directory by its treebank files, sorted; leaves everything else.
    ///
    /// # Errors
    /// If the path does not exist, the directory cannot be read, or has no such files.
    pub fn expand(self) -> Result<Vec<Self>> {
        let path = match self {
            Self::Path(path) => path,
            other => return Ok(vec![other]),
        };
        let metadata = fs::metadata(&path).map_err(|error| Error::io("open", error).in_file(&path))?;
        if !metadata.is_dir() {
            return Ok(vec![Self::Path(path)]);
        }
        let mut files = Vec::new();
        collect_files(&path, &mut files)?;
        if files.is_empty() {
            return Err(Error::new(ErrorKind::Io, "no treebank files in this directory")
                .hint(format!(
                    "looked for *.{} and the same with .gz; name files of other endings one by one",
                    TREEBANK_EXTENSIONS.join(", *.")
                ))
                .in_file(&path));
        }
        files.sort();
        Ok(files.into_iter().map(Self::Path).collect())
    }

    /// Opens it for reading as UTF-8; `.gz` is known by its first bytes.
    ///
    /// # Errors
    /// If it cannot be opened or its first bytes cannot be read.
    pub fn open(&self, encoding: Encoding) -> Result<Box<dyn Read + Send>> {
        self.decoded(encoding, true)
    }

    /// The same, but a byte-order mark is left where it is, so that offsets into a file of UTF-8 are those of the file.
    ///
    /// # Errors
    /// If it cannot be opened or its first bytes cannot be read.
    pub fn open_with_mark(&self, encoding: Encoding) -> Result<Box<dyn Read + Send>> {
        self.decoded(encoding, false)
    }

    fn decoded(&self, encoding: Encoding, strips_mark: bool) -> Result<Box<dyn Read + Send>> {
        let raw: Box<dyn Read + Send> = match self {
            Self::Stdin => Box::new(io::stdin()),
            Self::Path(path) => {
                Box::new(File::open(path).map_err(|error| Error::io("open", error).in_file(path))?)
            }
            Self::Text { text, .. } => Box::new(text.as_bytes()),
        };
        let plain = decompress(raw).map_err(|error| Error::io("read", error).in_file(self.name()))?;
        let encoding = match encoding {
            Encoding::Utf8 => None,
            Encoding::Latin1 => Some(encoding_rs::WINDOWS_1252),
        };
        let decoder = DecodeReaderBytesBuilder::new()
            .encoding(encoding)
            .utf8_passthru(true)
            .strip_bom(strips_mark)
            .build(plain);
        Ok(Box::new(decoder))
    }
}

/// Goes through a directory and those below it; hidden ones are left out.
fn collect_files(directory: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    let cannot_list = |error| Error::io("list", error).in_file(directory);
    for entry in fs::read_dir(directory).map_err(cannot_list)? {
        let entry = entry.map_err(cannot_list)?;
        let path = entry.path();
        if entry.file_name().to_string_lossy().starts_with('.') {
            continue;
        }
        // `metadata` of the path follows links; that of the entry does not, so links to directories,
        // which could form a circle, are not entered.
        if entry.file_type().map_err(cannot_list)?.is_dir() {
            collect_files(&path, files)?;
        } else if has_treebank_ending(&path) && !is_special(&path) {
            files.push(path);
        }
    }
    Ok(())
}

/// Whether a path leads to a directory, a device and the like. One that leads nowhere does not: reading it tells.
fn is_special(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|metadata| !metadata.is_file())
}

fn decompress(mut raw: Box<dyn Read + Send>) -> io::Result<Box<dyn Read + Send>> {
    let mut magic = Vec::with_capacity(2);
    raw.by_ref().take(2).read_to_end(&mut magic)?;
    let is_gzip = magic == [0x1F, 0x8B];
    let whole = Cursor::new(magic).chain(raw);
    Ok(if is_gzip {
        Box::new(MultiGzDecoder::new(BufReader::with_capacity(1 << 16, whole)))
    } else {
        Box::new(whole)
    })
}
