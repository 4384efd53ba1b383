//! `boughs model describe`: a name, a version and a note for a model.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;

use crate::Outcome;
use crate::model::load_file;
use crate::output::{ForceArg, report};

/// Give a model a name, a version and a note on its data and licence, as `boughs model info` tells them
///
/// What the model does stays as it is, and so does what is not named here.
#[derive(Debug, Args)]
pub(crate) struct DescribeArgs {
    /// A file written by `boughs train`, by `boughs learn train` or by an experiment
    #[arg(value_name = "MODEL")]
    model: PathBuf,

    /// Name of the model
    #[arg(long, value_name = "TEXT")]
    name: Option<String>,

    /// Version of the model
    #[arg(long, value_name = "TEXT")]
    model_version: Option<String>,

    /// What its users should know: data, licence, attribution
    #[arg(long, value_name = "TEXT")]
    note: Option<String>,

    /// Write the model to this file
    #[arg(long, short, value_name = "MODEL")]
    out: PathBuf,

    #[command(flatten)]
    force: ForceArg,
}

pub(super) fn run(args: &DescribeArgs) -> Result<Outcome> {
    args.force.check(&args.out)?;
    let mut file = load_file(&args.model)?;
    let about = file.about_mut();
    let fields = [
        (&mut about.name, &args.name),
        (&mut about.version, &args.model_version),
        (&mut about.data, &args.note),
    ];
    for (field, given) in fields {
        if let Some(given) = given {
            field.clone_from(given);
        }
    }
    file.save(&args.out)?;
    report(format_args!("{}: written", args.out.display()));
    Ok(Outcome::Complete)
}
