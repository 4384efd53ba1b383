//! The directory of a run: what is done is in it, and is never done again.
//!
//! ```text
//! experiment.toml, run.json         what is run, and on which data
//! rows/NAME/settings.toml           all settings of the row
//! rows/NAME/checkpoint              while it runs: where it stands
//! rows/NAME/model                   once it is done
//! rows/NAME/result.json, test.json  what came of it
//! rows/NAME/times.json              how long it took
//! report.md, report.html, results.json, results.csv, times.json, times.md
//! ```
//!
//! Every file is written under another name and then renamed, so that a run that is killed leaves whole files
//! only.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use boughs_learn::error::{Error, ErrorKind, Result};

/// The directory of a run.
#[derive(Debug, Clone)]
pub struct Store {
    directory: PathBuf,
}

/// What a run is of.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct RunIdentity {
    version: String,
    is_quick: bool,
    data: String,
}

impl Store {
    /// Opens the directory of a run, and makes it if it is not there.
    ///
    /// # Errors
    /// If it holds a run and `resume` is not asked for, or a run of something else.
    pub fn open(
        directory: &Path,
        resume: bool,
        experiment: &str,
        is_quick: bool,
        data: String,
    ) -> Result<Self> {
        let store = Self { directory: directory.to_path_buf() };
        let version = env!("CARGO_PKG_VERSION").to_owned();
        let identity = RunIdentity { version, is_quick, data };
        let written = store.directory.join("experiment.toml");
        match (store.read::<RunIdentity>("run.json")?, resume) {
            (None, false) => {}
            (None, true) => return Err(store.refusal("there is no run to resume", "leave out --resume")),
            (Some(_), false) => {
                let message = "expected a directory without a run, found one";
                return Err(store.refusal(message, "go on with --resume, or name another directory"));
            }
            (Some(found), true) => {
                let is_same = fs::read_to_string(&written).is_ok_and(|text| text == experiment);
                if !is_same || found != identity {
                    let message = "expected a run of this experiment, found one of another, of other data, or of \
                                   another version of the program";
                    return Err(store.refusal(message, "name its experiment and data, or another directory"));
                }
                return Ok(store);
            }
        }
        store.write("experiment.toml", experiment.as_bytes())?;
        store.write_json("run.json", &identity)?;
        Ok(store)
    }

    fn refusal(&self, message: &str, hint: &str) -> Error {
        Error::new(ErrorKind::Mismatch, message).hint(hint).in_file(&self.directory)
    }

    /// The place of a file.
    pub fn path(&self, name: &str) -> PathBuf {
        self.directory.join(name)
    }

    /// The place of a file of a row, whose directory is made.
    pub(crate) fn row_path(&self, row: &str, name: &str) -> Result<PathBuf> {
        let path = self.directory.join("rows").join(row);
        fs::create_dir_all(&path).map_err(|error| Error::io("make the directory", error).in_file(&path))?;
        Ok(path.join(name))
    }

    /// Writes a file at once.
    ///
    /// # Errors
    /// If the operating system refuses.
    pub fn write(&self, name: &str, bytes: &[u8]) -> Result<()> {
        let path = self.directory.join(name);
        let temporary = self.directory.join(format!("{name}.new"));
        let parent = path.parent().unwrap_or(&self.directory);
        let write = || -> io::Result<()> {
            fs::create_dir_all(parent)?;
            let mut file = fs::File::create(&temporary)?;
            file.write_all(bytes)?;
            file.sync_all()?;
            fs::rename(&temporary, &path)
        };
        write().map_err(|error| Error::io("write", error).in_file(&path))
    }

    pub(crate) fn write_json(&self, name: &str, value: &impl Serialize) -> Result<()> {
        let text = serde_json::to_string_pretty(value).map_err(|error| {
            Error::new(ErrorKind::Numeric, format!("the results cannot be written: {error}"))
        })?;
        self.write(name, format!("{text}\n").as_bytes())
    }

    /// What a file holds, if it is there.
    pub(crate) fn read<T: DeserializeOwned>(&self, name: &str) -> Result<Option<T>> {
        let path = self.directory.join(name);
        let text = match fs::read_to_string(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            text => text.map_err(|error| Error::io("read", error).in_file(&path))?,
        };
        let damaged = |error: serde_json::Error| {
            let hint = "remove it, and it is made again";
            Error::new(ErrorKind::Syntax, error.to_string()).hint(hint).in_file(&path)
        };
        serde_json::from_str(&text).map(Some).map_err(damaged)
    }
}

/// The name of a file of a row, within the directory of the run.
pub(crate) fn row_file(row: &str, name: &str) -> String {
    format!("rows/{row}/{name}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_told_apart() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("run");
        let open =
            |resume, experiment, data: &str| Store::open(&path, resume, experiment, true, data.to_owned());
        assert!(open(true, "a", "1").unwrap_err().to_string().contains("no run to resume"));
        open(false, "a", "1").unwrap();
        assert!(open(false, "a", "1").unwrap_err().to_string().contains("--resume"));
        open(true, "a", "1").unwrap();
        for (experiment, data) in [("b", "1"), ("a", "2")] {
            let error = open(true, experiment, data).unwrap_err().to_string();
            assert!(error.contains("found one of another"), "{error}");
        }
    }
}
