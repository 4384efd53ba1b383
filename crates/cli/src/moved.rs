//! Flags of before: clap refuses them, and the error then says where they went.

use clap::Command;
use clap::error::{ContextKind, ContextValue, Error};

/// A line for each flag: the verb that had it (or its beginning), the flag, and what to say instead, behind tabs.
const MOVED: &str = include_str!("../data/moved.tsv");

/// Flags of other programs, and the names of those that are meant.
const ELSEWHERE: &[(&str, &[&str])] = &[
    ("--format", &["to", "from"]),
    ("--output-format", &["to"]),
    ("--input-format", &["from"]),
    ("--output", &["out"]),
];

/// The error, with the new place of the flag if it is one of before. `args` are those of the program, without its
/// name.
pub(crate) fn explain(mut error: Error, program: &Command, args: impl Iterator<Item = String>) -> Error {
    let verbs: Vec<String> = args.take_while(|arg| !arg.starts_with('-')).take(2).collect();
    if let Some(ContextValue::String(verb)) = error.get(ContextKind::InvalidSubcommand) {
        if let Some(tip) = meant(program, verb) {
            error.remove(ContextKind::SuggestedSubcommand);
            error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
        }
        return error;
    }
    let Some(ContextValue::String(flag)) = error.get(ContextKind::InvalidArg) else { return error };
    let name = flag.split(['=', ' ']).next().unwrap_or(flag);
    let is_verb = |verb: &str| verb.split(' ').zip(&verbs).filter(|(one, other)| one == other).count();
    let moved = MOVED.lines().find_map(|line| {
        let mut fields = line.split('\t');
        let (verb, old, new) = (fields.next()?, fields.next()?, fields.next()?);
        (old == name && is_verb(verb) == verb.split(' ').count()).then(|| format!("`{old}` is now {new}"))
    });
    let command = verbs.iter().try_fold(program, |command, verb| command.find_subcommand(verb));
    let tip = moved
        .or_else(|| here(command.or_else(|| program.find_subcommand(verbs.first()?))?, name))
        .or_else(|| below(program.find_subcommand(verbs.first()?)?, name));
    if let Some(tip) = tip {
        error.remove(ContextKind::SuggestedArg);
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    }
    error
}

/// The verb that is meant by one that does not exist: one of another level, or one that is written almost so.
fn meant(program: &Command, verb: &str) -> Option<String> {
    let exists = |command: &Command| command.get_subcommands().any(|it| it.get_name() == verb);
    let above: Vec<&str> = program.get_subcommands().filter(|it| exists(it)).map(Command::get_name).collect();
    if !above.is_empty() {
        let names: Vec<String> = above.iter().map(|name| format!("`boughs {name} {verb}`")).collect();
        return Some(format!("there is {}", names.join(", ")));
    }
    let near = program.get_subcommands().map(|it| (edits(it.get_name(), verb), it.get_name()));
    let (distance, name) = near.min()?;
    (distance <= 2).then(|| format!("did you mean `{name}`?"))
}

/// How many letters must be put in, left out or changed to make one word of another.
fn edits(one: &str, other: &str) -> usize {
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (i, a) in one.bytes().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, b) in other.bytes().enumerate() {
            let change = diagonal + usize::from(a != b);
            diagonal = row[j + 1];
            row[j + 1] = change.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[other.len()]
}

/// The flags of a verb that do what other programs have this flag for.
fn here(verb: &Command, flag: &str) -> Option<String> {
    let (_, names) = ELSEWHERE.iter().find(|(other, _)| *other == flag)?;
    let flags = verb.get_arguments().filter(|arg| arg.get_long().is_some_and(|it| names.contains(&it)));
    let named = flags.map(|arg| {
        let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
        format!(
            "`--{}` ({})",
            arg.get_long().unwrap_or_default(),
            help.split([';', '.']).next().unwrap_or_default()
        )
    });
    let named: Vec<String> = named.collect();
    (!named.is_empty()).then(|| format!("there is {}", named.join(", ")))
}

/// The subcommands of a verb that have a flag.
fn below(verb: &Command, flag: &str) -> Option<String> {
    let long = flag.strip_prefix("--")?;
    let has = |command: &&Command| command.get_arguments().any(|arg| arg.get_long() == Some(long));
    let names: Vec<String> = verb
        .get_subcommands()
        .filter(has)
        .map(|it| format!("`{} {}`", verb.get_name(), it.get_name()))
        .collect();
    (!names.is_empty()).then(|| format!("`{flag}` is a flag of {}", names.join(", ")))
}
