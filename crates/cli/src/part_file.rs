//! Files that exist only once they are complete.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::output::keep_existing;

/// A file being written, under a temporary name until it is complete. If it never is, nothing is left of it.
pub(crate) struct PartFile {
    pub(crate) out: BufWriter<File>,
    temporary: PathBuf,
    path: PathBuf,
    is_complete: bool,
}

impl PartFile {
    pub(crate) fn create(path: &Path) -> Result<Self> {
        let mut temporary = path.to_path_buf().into_os_string();
        temporary.push(".tmp");
        let temporary = PathBuf::from(temporary);
        let file =
            File::create(&temporary).with_context(|| format!("cannot write {}", temporary.display()))?;
        Ok(Self { out: BufWriter::new(file), temporary, path: path.to_path_buf(), is_complete: false })
    }

    pub(crate) fn finish(mut self) -> Result<()> {
        self.complete()
    }

    /// Gives the file its name, once.
    pub(crate) fn complete(&mut self) -> Result<()> {
        if !self.is_complete {
            self.out.flush()?;
            fs::rename(&self.temporary, &self.path)
                .with_context(|| format!("cannot write {}", self.path.display()))?;
        }
        self.is_complete = true;
        Ok(())
    }

    /// The name that it has once it is complete.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

impl PartFile {
    /// Removes what was written. What is complete has its own name by now, and there is nothing to remove.
    pub(crate) fn discard(&self) {
        let _ = fs::remove_file(&self.temporary);
    }
}

impl Drop for PartFile {
    fn drop(&mut self) {
        self.discard();
    }
}

/// Refuses to write over what exists, unless told to, and over what is being read, always.
pub(crate) fn check_paths(paths: &[PathBuf], inputs: &[PathBuf], is_forced: bool) -> Result<()> {
    paths.iter().try_for_each(|path| keep_existing(path, is_forced))?;
    let is_input = |path: &Path| fs::canonicalize(path).is_ok_and(|path| inputs.contains(&path));
    match paths.iter().find(|path| is_input(path)) {
        None => Ok(()),
        Some(path) => {
            bail!("{} is one of the files to be split (give another --out-dir or --part)", path.display())
        }
    }
}
