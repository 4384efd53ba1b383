//! Numbers on the command line: parsed so that one out of range is told its range.

use std::ops::RangeBounds;
use std::str::FromStr;
use std::time::Duration;

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

/// A number of bytes, at least one, as `500M` or `2G`; a unit is a power of 1024.
pub(crate) fn parse_bytes(text: &str) -> Result<usize, String> {
    let (number, unit) = match text.char_indices().find(|(_, character)| character.is_alphabetic()) {
        Some((place, _)) => text.split_at(place),
        None => (text, ""),
    };
    let power = match unit {
        "" => 0,
        "K" | "KiB" => 1,
        "M" | "MiB" => 2,
        "G" | "GiB" => 3,
        _ => return Err(format!("expected a number with K, M or G, found `{text}`")),
    };
    let bytes = number.trim().parse::<usize>().ok().and_then(|number| number.checked_mul(1 << (10 * power)));
    let bytes = bytes.filter(|&bytes| bytes > 0);
    bytes.ok_or_else(|| format!("expected a number of bytes such as 500M or 2G, found `{text}`"))
}

/// A number of seconds, 0 or more.
pub(crate) fn parse_seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    seconds.ok_or_else(|| format!("expected a number of seconds, found `{text}`"))
}

/// A parser of numbers that meet a condition.
pub(crate) fn sound<T>(
    expected: &'static str,
    is_sound: fn(&T) -> bool,
) -> impl Fn(&str) -> Result<T, String> + Clone + Send + Sync + 'static
where
    T: FromStr + Send + Sync + 'static,
{
    move |text| {
        let number = text.parse().ok().filter(is_sound);
        number.ok_or_else(|| format!("expected {expected}, found `{text}`"))
    }
}

/// Lets options have values such as `-1`, which otherwise would be taken for options that do not exist.
pub(crate) fn allow_negative(command: Command) -> Command {
    let is_option = |arg: &Arg| !arg.is_positional() && arg.get_action().takes_values();
    command
        .mut_args(|arg| if is_option(&arg) { arg.allow_negative_numbers(true) } else { arg })
        .mut_subcommands(allow_negative)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_have_units() {
        assert_eq!(parse_bytes("12"), Ok(12));
        assert_eq!(parse_bytes("3K"), Ok(3072));
        assert_eq!(parse_bytes("2GiB"), Ok(2 << 30));
        for text in ["", "0", "0G", "G", "2T", "-1", "1.5G", "99999999999999999999G"] {
            assert!(parse_bytes(text).is_err(), "{text}");
        }
    }

    #[test]
    fn numbers_meet_their_condition() {
        let parse = sound("a number above 0 and up to 1", |share: &f32| *share > 0.0 && *share <= 1.0);
        assert_eq!((parse("0.5"), parse("1")), (Ok(0.5), Ok(1.0)));
        assert!(["", "0", "-1", "nan", "1.01", "95%"].into_iter().all(|text| parse(text).is_err()));
        assert_eq!(parse("2"), Err("expected a number above 0 and up to 1, found `2`".to_owned()));
    }

    /// The ranges of options, told by the program itself.
    #[test]
    fn options_have_their_ranges() {
        let takes = |verb: &str, flag: &str, value: &str| {
            let args = format!("boughs {verb}");
            let args = args.split(' ').map(str::to_owned).chain([format!("{flag}={value}")]);
            crate::program().try_get_matches_from(args).is_ok()
        };
        let (parse, train) = ("parse", "train boosted --train x -o y");
        for (verb, flag, good, bad) in [
            (parse, "--tag-prior", ["0.5", "1"], ["", "0", "-1", "nan", "1.01", "95%"]),
            (parse, "--thresholds", ["-9.75", "-inf"], ["1", "nan", "0.1", "x", "-1,2", "-"]),
            (parse, "--tagger-weight", ["0", "2.5"], ["", "-1", "nan", "inf", "x", "-0.1"]),
            (train, "--final-penalty", ["0.05", "7"], ["", "0", "-1", "nan", "inf", "x"]),
            (train, "--first-penalty", ["0.05", "7"], ["", "0", "-1", "nan", "inf", "x"]),
            (train, "--min-gain", ["1", "1.1"], ["", "0.99", "-1", "nan", "x", "0"]),
            (train, "--sample", ["0", "100"], ["", "1", "99", "-1", "1.5", "x"]),
        ] {
            assert!(good.iter().all(|value| takes(verb, flag, value)), "{flag}");
            assert!(!bad.iter().any(|value| takes(verb, flag, value)), "{flag}");
        }
    }

    #[test]
    fn seconds_are_not_negative() {
        assert_eq!(parse_seconds("1.5"), Ok(Duration::from_millis(1500)));
        assert!(["", "-1", "nan", "1e99"].into_iter().all(|text| parse_seconds(text).is_err()));
    }
}
