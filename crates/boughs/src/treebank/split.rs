//! Dividing a treebank into parts: train, dev and test.

use std::str::FromStr;

use crate::error::{Error, ErrorKind, Result};
use crate::rng::Rng;

/// A part of a treebank to be made.
#[derive(Debug, Clone, PartialEq)]
pub struct SplitPart {
    /// Its name.
    pub name: String,
    /// How much of the treebank it gets.
    pub size: PartSize,
}

/// How much a part gets.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum PartSize {
    /// A number of sentences (or files).
    Count(usize),
    /// A share of the whole, from 0 to 1.
    Share(f64),
    /// Whatever the others leave.
    Rest,
}

/// Reads `NAME=SIZE`: `dev=300`, `dev=10%`, `train=rest`.
impl FromStr for SplitPart {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let bad = |found: &str| {
            Error::new(ErrorKind::Argument, format!("expected NAME=SIZE, found `{found}`"))
                .hint("a size is a number (dev=300), a share (dev=10%) or the rest (train=rest)")
        };
        let (name, size) = text.split_once('=').ok_or_else(|| bad(text))?;
        if name.is_empty() || name.contains(['/', '\\']) {
            return Err(bad(text));
        }
        let size = if size == "rest" {
            PartSize::Rest
        } else if let Some(percent) = size.strip_suffix('%') {
            let percent: f64 = percent.parse().map_err(|_| bad(text))?;
            if !(0.0..=100.0).contains(&percent) {
                return Err(bad(text));
            }
            PartSize::Share(percent / 100.0)
        } else {
            PartSize::Count(size.parse().map_err(|_| bad(text))?)
        };
        Ok(Self { name: name.to_owned(), size })
    }
}

/// Says for each of `num_units` sentences (or files) which part it goes to; none if no part takes it. With a
/// generator the choice is random, without one the parts follow each other in order. Shares are rounded to the
/// nearest number.
///
/// # Errors
/// If the parts need more than there is, whether they name shares or numbers, two have the same name, or more than
/// one takes the rest.
pub fn assign(num_units: usize, parts: &[SplitPart], rng: Option<&mut Rng>) -> Result<Vec<Option<usize>>> {
    let sizes = part_sizes(num_units, parts)?;
    let mut slots: Vec<Option<usize>> = Vec::with_capacity(num_units);
    for (part, &size) in sizes.iter().enumerate() {
        slots.extend(std::iter::repeat_n(Some(part), size));
    }
    slots.resize(num_units, None);
    if let Some(rng) = rng {
        rng.shuffle(&mut slots);
    }
    Ok(slots)
}

/// How many of `num_units` each part gets. Shares are rounded to the nearest number.
///
/// # Errors
/// As of [`assign`].
pub fn part_sizes(num_units: usize, parts: &[SplitPart]) -> Result<Vec<usize>> {
    check_names(parts)?;
    let counted = parts.iter().map(|part| part.size.count()).fold(0, usize::saturating_add);
    let taken = parts.iter().map(|part| part.size.rounded(num_units)).fold(0, usize::saturating_add);
    check_need(num_units, parts, counted, taken)?;
    let mut left_for_shares = num_units.saturating_sub(counted);
    let mut take_share = |wanted: usize| {
        let got = wanted.min(left_for_shares);
        left_for_shares -= got;
        got
    };
    let size = |part: &SplitPart| match part.size {
        PartSize::Count(count) => count,
        PartSize::Share(_) => take_share(part.size.rounded(num_units)),
        PartSize::Rest => num_units.saturating_sub(taken),
    };
    Ok(parts.iter().map(size).collect())
}

fn check_names(parts: &[SplitPart]) -> Result<()> {
    for (index, part) in parts.iter().enumerate() {
        if parts[..index].iter().any(|other| other.name == part.name) {
            return wrong(format!("two parts are called `{}`", part.name));
        }
    }
    if parts.iter().filter(|part| part.size == PartSize::Rest).count() > 1 {
        return wrong("more than one part takes the rest".to_owned());
    }
    Ok(())
}

/// Three shares of a third may round up to one more than there is; that is not the user's mistake, and so what they
/// need is also added up unrounded.
fn check_need(num_units: usize, parts: &[SplitPart], counted: usize, taken: usize) -> Result<()> {
    let shares: f64 = parts.iter().map(|part| part.size.share()).sum();
    if shares > 1.0 + ROUNDING {
        return wrong(format!("the shares add up to {:.1}%, more than the whole", 100.0 * shares));
    }
    let whole = num_units as f64;
    if taken > num_units && counted as f64 + shares * whole > whole * (1.0 + ROUNDING) {
        return wrong(format!("the parts need {taken}, but there are only {num_units}"));
    }
    Ok(())
}

fn wrong(message: String) -> Result<()> {
    Err(Error::new(ErrorKind::Argument, message))
}

/// Shares that are equal may differ by so much in the computer.
const ROUNDING: f64 = 1e-9;

impl PartSize {
    fn share(self) -> f64 {
        if let Self::Share(share) = self { share } else { 0.0 }
    }

    fn count(self) -> usize {
        if let Self::Count(count) = self { count } else { 0 }
    }

    /// How many units that is, the rest left out.
    fn rounded(self, num_units: usize) -> usize {
        self.count().saturating_add((self.share() * num_units as f64).round() as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(texts: &[&str]) -> Vec<SplitPart> {
        texts.iter().map(|text| text.parse().expect("a part")).collect()
    }

    fn counted(slots: &[Option<usize>], part: Option<usize>) -> usize {
        slots.iter().filter(|&&slot| slot == part).count()
    }

    #[test]
    fn counts_shares_and_the_rest() {
        let parts = parts(&["dev=3", "test=10%", "train=rest"]);
        let slots = assign(40, &parts, Some(&mut Rng::new(1))).expect("fits");
        assert_eq!([0, 1, 2].map(|part| counted(&slots, Some(part))), [3, 4, 33]);
        assert_eq!(slots, assign(40, &parts, Some(&mut Rng::new(1))).expect("fits"));
        assert_ne!(slots, assign(40, &parts, Some(&mut Rng::new(2))).expect("fits"));
    }

    #[test]
    fn in_order_without_a_generator() {
        let slots = assign(4, &parts(&["a=1", "b=2"]), None).expect("fits");
        assert_eq!(slots, [Some(0), Some(1), Some(1), None]);
    }

    #[test]
    fn rounding_never_takes_more_than_there_is() {
        let halves = parts(&["a=50%", "b=50%"]);
        for num in 0..20 {
            let slots = assign(num, &halves, None).expect("fits");
            assert_eq!(counted(&slots, None), 0, "{num}");
        }
    }

    #[test]
    fn rounding_takes_from_shares_and_not_from_counts() {
        let slots = assign(5, &parts(&["a=30%", "b=30%", "c=2"]), None).expect("fits");
        assert_eq!([0, 1, 2].map(|part| counted(&slots, Some(part))), [2, 1, 2]);
        let thirds = parts(&["a=33.4%", "b=33.3%", "c=33.3%"]);
        let slots = assign(5, &thirds, None).expect("fits");
        assert_eq!([0, 1, 2].map(|part| counted(&slots, Some(part))), [2, 2, 1]);
    }

    #[test]
    fn what_cannot_be_done_is_refused() {
        assert!(assign(5, &parts(&["a=6"]), None).is_err());
        assert!(assign(5, &parts(&["a=80%", "b=80%"]), None).is_err());
        assert!(assign(2, &parts(&["a=60%", "b=60%"]), None).is_err());
        assert!(assign(2, &parts(&["a=50%", "b=50%", "c=1"]), None).is_err());
        assert!(assign(5, &parts(&["a=1", "a=1"]), None).is_err());
        assert!(assign(5, &parts(&["a=rest", "b=rest"]), None).is_err());
        for text in ["a", "=3", "a=x", "a=200%", "a=-1", "../a=3"] {
            assert!(text.parse::<SplitPart>().is_err(), "{text}");
        }
    }
}
