//! The command line of boughs: one file per verb under `commands`.

mod bitext;
mod chart;
mod choice;
mod commands;
mod cpu;
mod format;
mod input;
mod interrupt;
mod lines;
mod losses;
mod model;
mod moved;
mod number;
mod output;
mod pairs;
mod part_file;
mod reader;
mod sample;
mod search;
mod sentences;
mod table;
mod text;
mod threads;
mod training;

use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches, Parser};

use commands::Command;

/// Constituency parsing that learns from your treebank.
///
/// Train a parser on a treebank and parse with it, handle treebanks, score parses exactly as EVALB does, and find out
/// whether one parser is better than another.
///
/// Data goes to standard output, everything else to standard error. Exit codes: 0 all done, 1 done in part
/// (some trees were skipped, or a check found something), 2 not done, 130 interrupted.
#[derive(Parser)]
#[command(name = "boughs", version, max_term_width = 100, arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

/// How far a verb got; the worst comes last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Outcome {
    /// Everything asked for was done.
    Complete,
    /// Something was skipped or found wanting; it was reported.
    Partial,
    /// The user interrupted it.
    Interrupted,
}

/// All verbs.
fn program() -> clap::Command {
    commands::with_short_help(number::allow_negative(Cli::command()))
}

/// What the user asked for; a mistake ends the program.
fn parse() -> Cli {
    let mut command = program();
    let matches = command.clone().try_get_matches_from(commands::with_method(std::env::args_os().collect()));
    let matches =
        matches.unwrap_or_else(|error| moved::explain(error, &command, std::env::args().skip(1)).exit());
    Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.format(&mut command).exit())
}

fn main() -> ExitCode {
    match parse().command.run() {
        Ok(Outcome::Complete) => ExitCode::SUCCESS,
        Ok(Outcome::Partial) => ExitCode::from(1),
        Ok(Outcome::Interrupted) => ExitCode::from(interrupt::EXIT_CODE),
        Err(error) if output::is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            output::report(format_args!("{error:#}"));
            ExitCode::from(2)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn definitions_are_sound() {
        program().debug_assert();
    }
}
