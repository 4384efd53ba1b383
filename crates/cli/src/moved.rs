//! Flags of before: clap refuses them, and the error then says where they went.

use clap::error::{ContextKind, ContextValue, Error};

/// A verb (or the beginning of one), a flag that it had, and what to say instead.
const MOVED: &[(&str, &str, &str)] = &[
    ("align", "--draw", "`--to svg --number N`"),
    ("align", "--hmm-passes", "`--hmm-iterations`"),
    ("align", "--model1-passes", "`--model1-iterations`"),
    ("translate explain", "--rivals", "`--alternatives`"),
    ("translate explain", "--max-ratio", "`--max-cost-ratio`"),
    ("translate run", "--max-ratio", "`--max-cost-ratio`"),
    ("translate train", "--passes", "`--iterations`"),
    ("translate words", "--test", "`--test-pairs`"),
    ("translate", "--hmm-passes", "`--hmm-iterations`"),
    ("translate", "--model1-passes", "`--model1-iterations`"),
    ("translate", "--node-penalty", "`--final-order-penalty`"),
    ("translate", "--tune", "`--dev-pairs`"),
    ("translate", "--word-penalty", "`--final-word-penalty`"),
];

/// The error, with the new place of the flag if it is one of before. `args` are those of the program, without its name.
pub(crate) fn explain(mut error: Error, args: impl Iterator<Item = String>) -> Error {
    let verbs: Vec<String> = args.take_while(|arg| !arg.starts_with('-')).take(2).collect();
    let Some(ContextValue::String(flag)) = error.get(ContextKind::InvalidArg) else { return error };
    let name = flag.split(['=', ' ']).next().unwrap_or(flag);
    let is_verb = |verb: &str| verb.split(' ').zip(&verbs).filter(|(one, other)| one == other).count();
    let moved = MOVED.iter().find(|(verb, old, _)| *old == name && is_verb(verb) == verb.split(' ').count());
    if let Some((_, old, new)) = moved {
        error.remove(ContextKind::SuggestedArg);
        let tip = format!("`{old}` is now {new}");
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    }
    error
}
