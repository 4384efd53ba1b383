//! `boughs model`: what model files are.

use std::fs;
use std::io::Write;
use std::path::PathBuf;

use anyhow::{Context, Result};
use boughs::model::{About, ModelFile};
use clap::{Args, Subcommand};
use serde::Serialize;

use crate::Outcome;
use crate::output::stdout;

/// Look at model files
#[derive(Subcommand)]
pub(crate) enum ModelCommand {
    Info(InfoArgs),
}

impl ModelCommand {
    pub(crate) fn run(self) -> Result<Outcome> {
        match self {
            Self::Info(args) => info(&args),
        }
    }
}

/// Tell what a model is: kind, labels, data and licence, settings and results of training, checksum
///
/// The whole file is read and its checksum compared: a damaged one is refused.
#[derive(Debug, Args)]
pub(crate) struct InfoArgs {
    /// A file written by `boughs train` or `boughs learn train`
    #[arg(value_name = "MODEL")]
    model: PathBuf,

    /// Print one JSON object, with all of what is known
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Info<'a> {
    file: String,
    bytes: u64,
    checksum: String,
    #[serde(flatten)]
    about: &'a About,
    arrays: Vec<&'a str>,
}

fn info(args: &InfoArgs) -> Result<Outcome> {
    let file = ModelFile::load(&args.model)?;
    let name = args.model.display().to_string();
    let bytes = fs::metadata(&args.model).with_context(|| format!("cannot read {name}"))?.len();
    let info = Info {
        file: name,
        bytes,
        checksum: file.checksum()?,
        about: file.about(),
        arrays: file.names().collect(),
    };
    let mut out = stdout();
    match args.json {
        true => writeln!(out, "{}", serde_json::to_string(&info)?)?,
        false => write_text(&info, &mut out)?,
    }
    out.flush()?;
    Ok(Outcome::Complete)
}

fn write_text(info: &Info<'_>, out: &mut impl Write) -> std::io::Result<()> {
    let About { kind, name, version, labels, data, seed, tool, settings } = info.about;
    let mut line = |name: &str, value: &str| match value {
        "" => Ok(()),
        value => writeln!(out, "{name:<20} {value}"),
    };
    line("file", &info.file)?;
    line("kind", kind)?;
    line("name", name)?;
    line("version", version)?;
    line("made by", tool)?;
    line("data", data)?;
    line("labels", &format!("{}: {}", labels.len(), labels.join(" ")))?;
    line("seed", &seed.to_string())?;
    for (name, value) in settings {
        match value.contains('\n') {
            // Templates are texts of their own; --json has them.
            true => line(name, &format!("{} lines", value.lines().count()))?,
            false => line(name, value)?,
        }
    }
    line("arrays", &info.arrays.join(" "))?;
    line("bytes", &info.bytes.to_string())?;
    line("checksum", &info.checksum)
}
