//! The command line of boughs: one file per verb under `commands`. The program `boughs` and the command of the Python
//! package are both [`main`].

mod bitext;
mod chart;
mod choice;
mod commands;
mod cpu;
mod format;
mod html;
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
mod profile;
mod reader;
mod search;
mod sentences;
mod shard;
mod sniff;
mod table;
mod text;
mod threads;
mod training;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Arg, ArgAction, ArgMatches, CommandFactory, FromArgMatches, Parser};

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
    with_output(commands::with_short_help(number::allow_negative(Cli::command())))
}

/// The flag of a verb that writes its data into a file.
const OUTPUT: &str = "output-file";

/// Gives `-o FILE` and `--force` to all verbs that write to standard output only.
fn with_output(command: clap::Command) -> clap::Command {
    if command.has_subcommands() {
        return command.mut_subcommands(with_output);
    }
    // What `serve` writes is read while it runs.
    if command.get_name() == "serve" || command.get_arguments().any(|arg| arg.get_short() == Some('o')) {
        return command;
    }
    let has_force = command.get_arguments().any(|arg| arg.get_long() == Some("force"));
    let output = Arg::new(OUTPUT).long("out").short('o').value_name("FILE").help_heading("Output");
    let output =
        output.value_parser(clap::value_parser!(PathBuf)).help("Write into FILE, not to standard output");
    let force = Arg::new("force").long("force").action(ArgAction::SetTrue).help_heading("Output");
    let command = command.arg(output);
    if has_force { command } else { command.arg(force.help("Overwrite an existing FILE").requires(OUTPUT)) }
}

/// Opens the file of `-o`, if there is one.
fn open_output(mut matches: &ArgMatches) -> anyhow::Result<()> {
    while let Some((_, below)) = matches.subcommand() {
        matches = below;
    }
    let flag = |name| matches.try_get_one::<bool>(name).ok().flatten().copied().unwrap_or(false);
    match matches.try_get_one::<PathBuf>(OUTPUT).ok().flatten() {
        Some(path) => output::redirect(path, flag("force")),
        None => Ok(()),
    }
}

/// What the user asked for; a mistake ends the program.
fn parse(args: Vec<OsString>) -> (Cli, ArgMatches) {
    let mut command = program();
    let words: Vec<String> = args.iter().skip(1).map(|arg| arg.to_string_lossy().into_owned()).collect();
    let matches = command.clone().try_get_matches_from(commands::with_method(args));
    let matches = matches.unwrap_or_else(|error| moved::explain(error, &command, words.into_iter()).exit());
    let cli = Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.format(&mut command).exit());
    (cli, matches)
}

fn run(args: Vec<OsString>) -> anyhow::Result<Outcome> {
    let (cli, matches) = parse(args);
    open_output(&matches)?;
    let outcome = cli.command.run().inspect_err(|_| output::discard())?;
    output::complete()?;
    Ok(outcome)
}

/// Runs the program with its arguments, its own name first, and gives its exit code. A mistake in the arguments ends
/// the process.
pub fn main(args: Vec<OsString>) -> u8 {
    match run(args) {
        Ok(Outcome::Complete) => 0,
        Ok(Outcome::Partial) => 1,
        Ok(Outcome::Interrupted) => interrupt::EXIT_CODE,
        Err(error) if output::is_broken_pipe(&error) => 0,
        Err(error) => {
            output::report(format_args!("{error:#}"));
            2
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
