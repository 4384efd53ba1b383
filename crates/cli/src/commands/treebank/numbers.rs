//! Lists of tree numbers such as `3,7..9,20..`.

use std::ops::RangeInclusive;
use std::str::FromStr;

/// Numbers of trees, counted from 1. A range without a last number ends at the largest there is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Numbers {
    ranges: Vec<RangeInclusive<u64>>,
}

const NO_END: u64 = u64::MAX;

impl Numbers {
    /// Whether a number is in the list.
    pub(crate) fn contains(&self, number: u64) -> bool {
        self.ranges.iter().any(|range| range.contains(&number))
    }

    /// The largest number in the list; none if the list has no end.
    pub(crate) fn largest(&self) -> Option<u64> {
        self.ranges.iter().map(|range| *range.end()).max().filter(|&last| last != NO_END)
    }

    /// The smallest number that must exist but is beyond `count`.
    pub(crate) fn beyond(&self, count: u64) -> Option<u64> {
        let missing = |range: &RangeInclusive<u64>| {
            let last = if *range.end() == NO_END { range.start() } else { range.end() };
            (*last > count).then(|| *range.start().max(&(count + 1)))
        };
        self.ranges.iter().filter_map(missing).min()
    }
}

impl FromStr for Numbers {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let ranges = text.split(',').map(|range| parse_range(range.trim())).collect::<Result<_, _>>()?;
        Ok(Self { ranges })
    }
}

fn parse_range(text: &str) -> Result<RangeInclusive<u64>, String> {
    let range = match text.split_once("..") {
        None => number(text)?..=number(text)?,
        Some((first, "")) => number(first)?..=NO_END,
        Some((first, last)) => number(first)?..=number(last)?,
    };
    match range.is_empty() {
        true => Err(format!("`{text}` ends before it starts")),
        false => Ok(range),
    }
}

fn number(text: &str) -> Result<u64, String> {
    match text.trim().parse() {
        Ok(0) => Err("trees are counted from 1".to_owned()),
        Ok(number) => Ok(number),
        Err(_) => Err(format!("expected numbers as in `3,7..9`, found `{text}`")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(text: &str) -> Numbers {
        text.parse().expect("numbers")
    }

    #[test]
    fn both_ends_are_included() {
        let list = numbers("3, 7..9");
        let contained: Vec<u64> = (1..12).filter(|&number| list.contains(number)).collect();
        assert_eq!(contained, [3, 7, 8, 9]);
        assert_eq!(list.largest(), Some(9));
        assert_eq!(list.beyond(9), None);
        assert_eq!(list.beyond(2), Some(3));
        assert_eq!(list.beyond(7), Some(8));
    }

    #[test]
    fn a_list_may_have_no_end() {
        let list = numbers("20..,3");
        assert!(list.contains(1_000_000) && !list.contains(19));
        assert_eq!(list.largest(), None);
        assert_eq!(list.beyond(10), Some(20));
    }

    #[test]
    fn what_is_no_number() {
        for text in ["", "x", "0", "3..2", "..4", "1,,2", "-1"] {
            assert!(text.parse::<Numbers>().is_err(), "{text}");
        }
    }
}
