//! `boughs man`: the manual pages.

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use clap::{Args, Command, CommandFactory};
use clap_mangen::Man;

use crate::output::stdout;
use crate::{Cli, Outcome};

/// Print a manual page, or write them all into a directory
///
/// For example: boughs man eval | man -l -
#[derive(Args)]
pub(crate) struct ManArgs {
    /// The verb, e.g. `eval` or `treebank clean`; nothing for boughs itself
    #[arg(conflicts_with = "directory")]
    verb: Vec<String>,

    /// Write the pages of all verbs into this directory
    #[arg(long, value_name = "DIR")]
    directory: Option<PathBuf>,
}

pub(crate) fn run(args: &ManArgs) -> Result<Outcome> {
    let mut cli = Cli::command();
    cli.build();
    match &args.directory {
        Some(directory) => {
            std::fs::create_dir_all(directory)
                .and_then(|()| clap_mangen::generate_to(cli, directory))
                .with_context(|| format!("cannot write into {}", directory.display()))?;
        }
        None => {
            let mut out = stdout();
            Man::new(find(&cli, &args.verb)?.clone()).render(&mut out)?;
            out.flush()?;
        }
    }
    Ok(Outcome::Complete)
}

fn find<'a>(cli: &'a Command, verb: &[String]) -> Result<&'a Command> {
    let mut command = cli;
    for word in verb {
        match command.find_subcommand(word) {
            Some(found) => command = found,
            None => bail!("there is no verb `{}` (see boughs --help)", verb.join(" ")),
        }
    }
    Ok(command)
}
