//! Flags of before: clap refuses them, and the error then says where they went.

use clap::Command;
use clap::error::{ContextKind, ContextValue, Error};

/// A verb (or the beginning of one), a flag that it had, and what to say instead.
const MOVED: &[(&str, &str, &str)] = &[
    ("align", "--draw", "`--to svg --number N`"),
    ("align", "--hmm-passes", "`--hmm-iterations`"),
    ("align", "--model1-passes", "`--model1-iterations`"),
    ("explain", "--rivals", "`--alternatives`"),
    ("learn train", "--checkpoint", "always there: MODEL.checkpoint; --keep-checkpoint keeps it at the end"),
    ("learn train", "--checkpoint-every", "gone: there is a checkpoint after every step"),
    ("learn train", "--depth", "`boughs learn train boosted --max-depth`"),
    ("learn train", "--features", "`boughs learn train boosted --max-active`"),
    ("learn train", "--lambda", "`boughs learn train boosted --final-penalty`, or `logistic --l1`, `--l2`"),
    ("learn train", "--log", "`--curves DIR`"),
    (
        "learn train",
        "--method",
        "a subcommand: `boughs learn train boosted`, with `--learner l1|z`, or `logistic`, with `--l1`, `--l2`",
    ),
    ("learn train", "--trees", "`boughs learn train boosted --max-trees`"),
    ("parse", "--tag-trust", "`--tag-prior`"),
    ("train", "--c", "`boughs train crf --error-cost`"),
    ("train", "--dev-decoder", "`boughs train crf --decoder`"),
    ("train", "--form-weight", "`--class-count`"),
    ("train", "--frequent", "`boughs train crf --min-word-count`"),
    ("train", "--grammar-folds", "`boughs train crf --folds`"),
    ("train", "--limit-phrases", "`boughs train crf --phrase-threshold`"),
    ("train", "--limit-rules", "`boughs train crf --rule-threshold`"),
    ("train", "--method", "a subcommand: `boughs train boosted`, latent, conditional, crf, neural, pcfg or tagger"),
    (
        "train",
        "--objective",
        "`boughs train conditional`, or `boughs train crf --objective likelihood|margin`",
    ),
    ("train", "--stage-factor", "`boughs train boosted --step-factor`"),
    ("translate explain", "--rivals", "`--alternatives`"),
    ("translate explain", "--max-ratio", "`--max-cost-ratio`"),
    ("translate run", "--max-ratio", "`--max-cost-ratio`"),
    ("translate train", "--backoff", "`backoff` in the file of `--config`"),
    ("translate train", "--iterations", "`iterations` in the file of `--config`"),
    ("translate train", "--passes", "`iterations` in the file of `--config`"),
    ("translate words", "--test", "`--test-pairs`"),
    ("translate", "--hmm-passes", "`--hmm-iterations`"),
    ("translate", "--model1-passes", "`--model1-iterations`"),
    ("translate", "--node-penalty", "`--final-order-penalty`"),
    ("translate", "--tune", "`--dev-pairs`"),
    ("translate", "--word-penalty", "`--final-word-penalty`"),
];

/// The error, with the new place of the flag if it is one of before. `args` are those of the program, without its
/// name.
pub(crate) fn explain(mut error: Error, program: &Command, args: impl Iterator<Item = String>) -> Error {
    let verbs: Vec<String> = args.take_while(|arg| !arg.starts_with('-')).take(2).collect();
    let Some(ContextValue::String(flag)) = error.get(ContextKind::InvalidArg) else { return error };
    let name = flag.split(['=', ' ']).next().unwrap_or(flag);
    let is_verb = |verb: &str| verb.split(' ').zip(&verbs).filter(|(one, other)| one == other).count();
    let moved = MOVED.iter().find(|(verb, old, _)| *old == name && is_verb(verb) == verb.split(' ').count());
    let tip = match moved {
        Some((_, old, new)) => Some(format!("`{old}` is now {new}")),
        None => verbs.first().and_then(|verb| below(program.find_subcommand(verb)?, name)),
    };
    if let Some(tip) = tip {
        error.remove(ContextKind::SuggestedArg);
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    }
    error
}

/// The subcommands of a verb that have a flag.
fn below(verb: &Command, flag: &str) -> Option<String> {
    let has =
        |command: &&Command| command.get_arguments().any(|arg| arg.get_long() == flag.strip_prefix("--"));
    let names: Vec<String> = verb
        .get_subcommands()
        .filter(has)
        .map(|it| format!("`{} {}`", verb.get_name(), it.get_name()))
        .collect();
    (!names.is_empty()).then(|| format!("`{flag}` is a flag of {}", names.join(", ")))
}
