//! `boughs completions`: tab completion for a shell.

use std::io::Write;

use anyhow::Result;
use clap::{Args, CommandFactory};
use clap_complete::Shell;

use crate::output::stdout;
use crate::{Cli, Outcome};

/// Print tab completions for a shell
///
/// For example, in ~/.bashrc: source <(boughs completions bash)
#[derive(Args)]
pub(crate) struct CompletionsArgs {
    /// The shell
    shell: Shell,
}

pub(crate) fn run(args: &CompletionsArgs) -> Result<Outcome> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "boughs", &mut script);
    let mut out = stdout();
    out.write_all(&script)?;
    out.flush()?;
    Ok(Outcome::Complete)
}
