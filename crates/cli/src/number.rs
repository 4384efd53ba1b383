//! Numbers on the command line: parsed so that one out of range is told its range.

use std::ops::RangeBounds;
use std::time::Duration;

use boughs_learn::MIN_SAMPLE;
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

/// A share of something, more than 0 and at most 1.
pub(crate) fn parse_share(text: &str) -> Result<f32, String> {
    let share = text.parse().ok().filter(|&share: &f32| share > 0.0 && share <= 1.0);
    share.ok_or_else(|| format!("expected a number above 0 and up to 1, found `{text}`"))
}

/// The logarithm of a probability.
pub(crate) fn parse_logarithm(text: &str) -> Result<f32, String> {
    let logarithm = text.parse().ok().filter(|logarithm: &f32| *logarithm <= 0.0);
    logarithm.ok_or_else(|| format!("expected the logarithm of a probability, 0 or less, found `{text}`"))
}

/// A factor, 0 or more.
pub(crate) fn parse_weight(text: &str) -> Result<f32, String> {
    let weight = text.parse().ok().filter(|weight: &f32| *weight >= 0.0 && weight.is_finite());
    weight.ok_or_else(|| format!("expected a number of at least 0, found `{text}`"))
}

/// A penalty, above 0.
pub(crate) fn parse_penalty(text: &str) -> Result<f64, String> {
    let penalty = text.parse().ok().filter(|penalty: &f64| *penalty > 0.0 && penalty.is_finite());
    penalty.ok_or_else(|| format!("expected a number above 0, found `{text}`"))
}

/// A factor by which something must grow, 1 or more.
pub(crate) fn parse_gain(text: &str) -> Result<f64, String> {
    let factor = text.parse().ok().filter(|factor: &f64| *factor >= 1.0);
    factor.ok_or_else(|| format!("expected a number of at least 1, found `{text}`"))
}

/// The size of a sample, 0 for everything. Small samples misjudge the whole.
pub(crate) fn parse_sample(text: &str) -> Result<usize, String> {
    let size = text.parse().ok().filter(|&size: &usize| size == 0 || size >= MIN_SAMPLE);
    size.ok_or_else(|| format!("expected 0, for everything, or at least {MIN_SAMPLE}, found `{text}`"))
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
    fn shares_are_not_zero() {
        assert_eq!((parse_share("0.5"), parse_share("1")), (Ok(0.5), Ok(1.0)));
        assert!(["", "0", "-1", "nan", "1.01", "95%"].into_iter().all(|text| parse_share(text).is_err()));
    }

    #[test]
    fn logarithms_of_probabilities_are_not_positive() {
        assert_eq!((parse_logarithm("-9.75"), parse_logarithm("-inf")), (Ok(-9.75), Ok(f32::NEG_INFINITY)));
        assert!(["", "1", "nan"].into_iter().all(|text| parse_logarithm(text).is_err()));
    }

    #[test]
    fn weights_are_not_negative() {
        assert_eq!((parse_weight("0"), parse_weight("2.5")), (Ok(0.0), Ok(2.5)));
        assert!(["", "-1", "nan", "inf"].into_iter().all(|text| parse_weight(text).is_err()));
    }

    #[test]
    fn penalties_gains_and_samples_have_their_ranges() {
        assert_eq!((parse_penalty("0.05"), parse_gain("1"), parse_sample("0")), (Ok(0.05), Ok(1.0), Ok(0)));
        assert!(["", "0", "-1", "nan", "inf"].into_iter().all(|text| parse_penalty(text).is_err()));
        assert!(["", "0.99", "-1", "nan"].into_iter().all(|text| parse_gain(text).is_err()));
        assert!(["", "1", "99", "-1", "1.5"].into_iter().all(|text| parse_sample(text).is_err()));
    }

    #[test]
    fn seconds_are_not_negative() {
        assert_eq!(parse_seconds("1.5"), Ok(Duration::from_millis(1500)));
        assert!(["", "-1", "nan", "1e99"].into_iter().all(|text| parse_seconds(text).is_err()));
    }
}
