//! Numbers on the command line: parsed so that one out of range is told its range.

use std::ops::RangeBounds;

use clap::builder::RangedI64ValueParser;
use clap::{Arg, Command};

/// A parser of numbers that are not negative, and in a range.
pub(crate) fn within<T>(range: impl RangeBounds<i64>) -> RangedI64ValueParser<T>
where
    T: TryFrom<i64> + Clone + Send + Sync + 'static,
    <T as TryFrom<i64>>::Error: std::error::Error + Send + Sync + 'static,
{
    RangedI64ValueParser::new().range(range)
}

/// Lets options have values such as `-1`, which otherwise would be taken for options that do not exist.
pub(crate) fn allow_negative(command: Command) -> Command {
    let is_option = |arg: &Arg| !arg.is_positional() && arg.get_action().takes_values();
    command
        .mut_args(|arg| if is_option(&arg) { arg.allow_negative_numbers(true) } else { arg })
        .mut_subcommands(allow_negative)
}
