//! `boughs model convert`: a neural parser with weights of another kind.

use std::path::PathBuf;

use anyhow::{Result, bail};
use boughs::neural::WeightStorage;
use boughs::parser::{Model, Parser};
use clap::Args;

use crate::Outcome;
use crate::choice::variant;
use crate::commands::train::WEIGHTS;
use crate::model::load_parser;
use crate::output::{ForceArg, report};

/// Change what the weights of a neural parser are made of
///
/// With `int8` the file is a quarter as large and parsing is faster, for a little accuracy; what is lost does
/// not come back. Measure it with `boughs parse` and `boughs eval`.
#[derive(Debug, Args)]
pub(crate) struct ConvertArgs {
    /// A file written by `boughs train neural`, or `@english`
    #[arg(value_name = "MODEL")]
    model: PathBuf,

    /// What the weights are to be made of
    #[arg(long, value_name = "NAME", value_parser = variant::<WeightStorage>(WEIGHTS))]
    weights: WeightStorage,

    /// Write the model to this file
    #[arg(long, short, value_name = "MODEL")]
    out: PathBuf,

    #[command(flatten)]
    force: ForceArg,
}

pub(super) fn run(args: &ConvertArgs) -> Result<Outcome> {
    args.force.check(&args.out)?;
    let parser = load_parser(&args.model)?;
    let Model::Neural(model) = parser.model() else {
        bail!("{}: only the weights of neural parsers can be converted", args.model.display())
    };
    let mut about = parser.about().clone();
    // They were measured with other weights.
    about.settings.retain(|name, _| !name.starts_with("dev-"));
    let converted = Parser::new(about, model.with_storage(args.weights), None);
    converted.with_options(parser.options().clone())?.save(&args.out)?;
    report(format_args!("{}: written", args.out.display()));
    Ok(Outcome::Complete)
}
