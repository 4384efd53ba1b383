//! Two directions of links made one (Och and Ney 2003; Koehn, Och and Marcu 2003).
//!
//! The intersection is precise, the union complete. The growing forms start from the intersection. They add links of the
//! union next to those already there (`grow-diag`), then those of words that have none on either side (`final-and`).

use std::str::FromStr;

use super::find_name;
use super::links::Link;
use boughs::error::{Error, Result};

/// How the links of both directions become one set.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Symmetrization {
    /// As found from source to target: each target word has one link at most.
    Forward,
    /// As found from target to source: each source word has one link at most.
    Backward,
    /// Links of both directions.
    Intersection,
    /// Links of either direction.
    Union,
    /// The intersection, grown by neighbouring links of the union whose source or target word has no link yet.
    GrowDiag,
    /// `GrowDiag`, then links of either direction between two words without a link.
    #[default]
    GrowDiagFinalAnd,
}

/// The names on the command line.
const NAMES: [(&str, Symmetrization); 6] = [
    ("forward", Symmetrization::Forward),
    ("backward", Symmetrization::Backward),
    ("intersection", Symmetrization::Intersection),
    ("union", Symmetrization::Union),
    ("grow-diag", Symmetrization::GrowDiag),
    ("grow-diag-final-and", Symmetrization::GrowDiagFinalAnd),
];

impl Symmetrization {
    /// Unites the links of both directions, each sorted.
    pub fn apply(self, forward: &[Link], backward: &[Link]) -> Vec<Link> {
        match self {
            Self::Forward => forward.to_vec(),
            Self::Backward => backward.to_vec(),
            Self::Intersection => intersection(forward, backward),
            Self::Union => union(forward, backward),
            Self::GrowDiag => Growth::new(forward, backward).diag().links(),
            Self::GrowDiagFinalAnd => {
                Growth::new(forward, backward).diag().final_and(forward).final_and(backward).links()
            }
        }
    }
}

impl FromStr for Symmetrization {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        find_name(&NAMES, name)
    }
}

fn intersection(forward: &[Link], backward: &[Link]) -> Vec<Link> {
    forward.iter().copied().filter(|link| backward.binary_search(link).is_ok()).collect()
}

fn union(forward: &[Link], backward: &[Link]) -> Vec<Link> {
    let mut links = [forward, backward].concat();
    links.sort_unstable();
    links.dedup();
    links
}

/// The neighbours of a link, in the order of the original program.
const NEIGHBOURS: [(i32, i32); 8] = [(-1, 0), (0, -1), (1, 0), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1)];

/// Links that grow.
struct Growth {
    union: Vec<Link>,
    /// By link of the union: whether it is taken.
    is_taken: Vec<bool>,
    /// By word: whether it has a link that is taken.
    has_source: Vec<bool>,
    has_target: Vec<bool>,
}

impl Growth {
    fn new(forward: &[Link], backward: &[Link]) -> Self {
        let union = union(forward, backward);
        let num_words =
            |word: fn(&Link) -> u32| union.iter().map(word).max().map_or(0, |most| most as usize + 1);
        let mut growth = Self {
            is_taken: vec![false; union.len()],
            has_source: vec![false; num_words(|link| link.source)],
            has_target: vec![false; num_words(|link| link.target)],
            union,
        };
        intersection(forward, backward).into_iter().for_each(|link| _ = growth.take(link, |_, _| true));
        growth
    }

    /// Takes a link of the union, if it is one, is not taken yet, and its words may have it. Says whether it did.
    fn take(&mut self, link: Link, may_take: fn(bool, bool) -> bool) -> bool {
        let Ok(index) = self.union.binary_search(&link) else { return false };
        let (source, target) = (link.source as usize, link.target as usize);
        let is_new = !self.is_taken[index] && may_take(self.has_source[source], self.has_target[target]);
        if is_new {
            (self.is_taken[index], self.has_source[source], self.has_target[target]) = (true, true, true);
        }
        is_new
    }

    /// Adds neighbours until there are none to add.
    fn diag(mut self) -> Self {
        let mut is_grown = true;
        while is_grown {
            is_grown = false;
            for index in 0..self.union.len() {
                if self.is_taken[index] {
                    is_grown |= self.take_neighbours(self.union[index]);
                }
            }
        }
        self
    }

    fn take_neighbours(&mut self, link: Link) -> bool {
        let mut is_grown = false;
        for (down, right) in NEIGHBOURS {
            let neighbour = (link.source.checked_add_signed(down), link.target.checked_add_signed(right));
            if let (Some(source), Some(target)) = neighbour {
                is_grown |=
                    self.take(Link { source, target }, |has_source, has_target| !has_source || !has_target);
            }
        }
        is_grown
    }

    fn final_and(mut self, links: &[Link]) -> Self {
        for &link in links {
            self.take(link, |has_source, has_target| !has_source && !has_target);
        }
        self
    }

    fn links(self) -> Vec<Link> {
        self.union
            .into_iter()
            .zip(self.is_taken)
            .filter(|&(_, is_taken)| is_taken)
            .map(|(link, _)| link)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::links::{format_links, parse_links};
    use super::*;

    fn apply(how: Symmetrization, forward: &str, backward: &str) -> String {
        let links = |text| parse_links(text, None).unwrap();
        format_links(&how.apply(&links(forward), &links(backward)))
    }

    #[test]
    fn each_form_is_between_intersection_and_union() {
        let (forward, backward) = ("0-0 1-1 2-2 3-3", "0-0 1-1 1-2 3-0");
        assert_eq!(apply(Symmetrization::Forward, forward, backward), forward);
        assert_eq!(apply(Symmetrization::Intersection, forward, backward), "0-0 1-1");
        assert_eq!(apply(Symmetrization::Union, forward, backward), "0-0 1-1 1-2 2-2 3-0 3-3");
        assert_eq!(apply(Symmetrization::GrowDiag, forward, backward), "0-0 1-1 1-2 2-2 3-3");
        assert_eq!(apply(Symmetrization::GrowDiag, "0-0 3-3", "0-0 1-1"), "0-0 1-1");
        assert_eq!(apply(Symmetrization::GrowDiagFinalAnd, "0-0 3-3", "0-0 1-3"), "0-0 3-3");
    }

    #[test]
    fn words_beyond_the_diagonal_grow_too() {
        assert_eq!(apply(Symmetrization::GrowDiag, "0-0 0-1 0-2 5-9", "0-0"), "0-0 0-1 0-2");
        assert_eq!(apply(Symmetrization::GrowDiag, "", ""), "");
    }

    #[test]
    fn names_come_back() {
        for (name, how) in NAMES {
            assert_eq!(name.parse::<Symmetrization>().unwrap(), how);
        }
        assert!("both".parse::<Symmetrization>().unwrap_err().to_string().contains("grow-diag"));
    }
}
