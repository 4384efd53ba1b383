//! Lists of tree numbers such as `3,7..9,20..`.

use std::str::FromStr;

/// Numbers of trees, counted from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Numbers {
    ranges: Vec<Range>,
}

/// Both ends belong to it; without a last number it goes on to the last tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Range {
    first: u64,
    last: Option<u64>,
}

impl Numbers {
    /// Whether a number is in the list.
    pub(crate) fn contains(&self, number: u64) -> bool {
        self.ranges.iter().any(|range| range.first <= number && range.last.is_none_or(|last| number <= last))
    }

    /// The largest number in the list; none if the list has no end.
    pub(crate) fn largest(&self) -> Option<u64> {
        self.ranges.iter().map(|range| range.last).max_by_key(|last| last.unwrap_or(u64::MAX)).flatten()
    }

    /// The smallest number that must exist but is beyond `count`.
    pub(crate) fn beyond(&self, count: u64) -> Option<u64> {
        let missing = |range: &Range| {
            let last = range.last.unwrap_or(range.first);
            (last > count).then(|| range.first.max(count + 1))
        };
        self.ranges.iter().filter_map(missing).min()
    }
}

impl FromStr for Numbers {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let ranges = text.split(',').map(|range| range.trim().parse()).collect::<Result<_, _>>()?;
        Ok(Self { ranges })
    }
}

impl FromStr for Range {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (first, last) = match text.split_once("..") {
            None => (number(text)?, Some(number(text)?)),
            Some((first, "")) => (number(first)?, None),
            Some((first, last)) => (number(first)?, Some(number(last)?)),
        };
        match last.is_some_and(|last| last < first) {
            true => Err(format!("`{text}` ends before it starts")),
            false => Ok(Self { first, last }),
        }
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
