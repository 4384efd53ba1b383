//! `boughs man`: the manual pages.

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use clap::{Args, Command, CommandFactory};
use clap_mangen::Man;

use crate::output::{ForceArg, counted, report, stdout};
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

    #[command(flatten)]
    force: ForceArg,
}

pub(crate) fn run(args: &ManArgs) -> Result<Outcome> {
    let mut cli = without_help(Cli::command());
    cli.build();
    match &args.directory {
        Some(directory) => {
            let num_pages = num_pages(&cli);
            args.force.check(&directory.join("boughs.1"))?;
            std::fs::create_dir_all(directory)
                .and_then(|()| clap_mangen::generate_to(cli, directory))
                .with_context(|| format!("cannot write into {}", directory.display()))?;
            report(format_args!("{} written into {}", counted(num_pages, "page"), directory.display()));
        }
        None => {
            let mut out = stdout();
            Man::new(find(&cli, &args.verb)?.clone()).render(&mut out)?;
            out.flush()?;
        }
    }
    Ok(Outcome::Complete)
}

/// Leaves out the verb `help`, which needs no page.
fn without_help(command: Command) -> Command {
    command.disable_help_subcommand(true).mut_subcommands(without_help)
}

fn num_pages(command: &Command) -> u64 {
    1 + command.get_subcommands().map(num_pages).sum::<u64>()
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
