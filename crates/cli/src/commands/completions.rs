//! `boughs completions`: tab completion for a shell.

use anyhow::Result;
use clap::{Args, CommandFactory};
use clap_complete::Shell;

use crate::output::print;
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
    print(String::from_utf8_lossy(&script))
}
