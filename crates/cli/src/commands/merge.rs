//! `boughs merge`: the files of all shards become one.

use std::fs;
use std::io::Write;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use clap::Args;

use crate::Outcome;
use crate::output::stdout;
use crate::shard::ShardRecord;

/// Put the parts of a parsed input together
///
/// Takes the files of all shards of `boughs parse --shard K/N`, in any order, and writes what `boughs parse` would have
/// written without `--shard`, byte for byte. Beside each file its record must lie, FILE.shard. A shard that is
/// missing or
/// there twice, of another input, of another parser or of other options is refused, and so is a file that was changed.
#[derive(Debug, Clone, Args)]
pub(crate) struct MergeArgs {
    /// The files of all shards
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
}

/// The file of a shard.
struct Part {
    path: PathBuf,
    record: ShardRecord,
    bytes: Vec<u8>,
}

impl Part {
    fn read(path: &PathBuf) -> Result<Self> {
        let record = ShardRecord::read(path)?;
        let bytes = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
        record.check(&bytes).with_context(|| path.display().to_string())?;
        Ok(Self { path: path.clone(), record, bytes })
    }
}

pub(crate) fn run(args: &MergeArgs) -> Result<Outcome> {
    // A file may be named by itself and by a pattern that takes its record along.
    let is_record = |path: &&PathBuf| path.extension().is_some_and(|extension| extension == "shard");
    let files = args.files.iter().filter(|path| !is_record(path));
    let mut parts = files.map(Part::read).collect::<Result<Vec<_>>>()?;
    parts.sort_by_key(|part| part.record.place());
    check(&parts)?;
    let mut out = stdout();
    let mut places: Vec<usize> = parts.iter().map(|part| part.record.start as usize).collect();
    out.write_all(&parts[0].bytes[..places[0]])?;
    let longest = parts.iter().map(|part| part.record.blocks.len()).max().unwrap_or(0);
    for block in 0..longest {
        for (part, place) in parts.iter().zip(&mut places) {
            let Some(&length) = part.record.blocks.get(block) else { break };
            let end = *place + length as usize;
            out.write_all(&part.bytes[*place..end])?;
            *place = end;
        }
    }
    out.flush()?;
    Ok(Outcome::Complete)
}

/// Refuses anything but one part for each shard of one run.
fn check(parts: &[Part]) -> Result<()> {
    let Some(first) = parts.first() else { bail!("expected the files of shards, found their records only") };
    if let Some(other) = parts.iter().find(|part| part.record.num_shards() != first.record.num_shards()) {
        bail!(
            "{} is one of {} shards, but {} is one of {}",
            first.path.display(),
            first.record.num_shards(),
            other.path.display(),
            other.record.num_shards()
        );
    }
    for (one, other) in parts.iter().zip(&parts[1..]) {
        if one.record.place() == other.record.place() {
            let number = one.record.place() + 1;
            bail!("{} and {} are both shard {number}", one.path.display(), other.path.display());
        }
    }
    let missing: Vec<String> = (0..first.record.num_shards())
        .filter(|&place| parts.binary_search_by_key(&place, |part| part.record.place()).is_err())
        .map(|place| (place + 1).to_string())
        .take(10)
        .collect();
    if !missing.is_empty() {
        let (found, all) = (parts.len(), first.record.num_shards());
        bail!("expected all {all} shards, found {found}: missing are {}", missing.join(", "));
    }
    for part in parts {
        if let Some(what) = first.record.run.difference(&part.record.run) {
            bail!("{} and {} are of different {what}", first.path.display(), part.path.display());
        }
    }
    Ok(())
}
