//! Two directions of links made one (Och and Ney 2003; Koehn, Och and Marcu 2003).
//!
//! The intersection is precise, the union complete. The growing forms start from the intersection and add links of the
//! union next to those already there (`grow-diag`), then those of words that have none on either side (`final-and`).

use std::str::FromStr;

use super::links::Link;
use boughs::error::{Error, ErrorKind, Result};

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
    /// The name on the command line.
    pub fn name(self) -> &'static str {
        NAMES.iter().find(|(_, other)| *other == self).map_or("", |(name, _)| name)
    }

    /// Unites the links of both directions, each sorted, for sentences of so many words.
    pub fn apply(
        self,
        forward: &[Link],
        backward: &[Link],
        num_source: usize,
        num_target: usize,
    ) -> Vec<Link> {
        match self {
            Self::Forward => forward.to_vec(),
            Self::Backward => backward.to_vec(),
            Self::Intersection => intersection(forward, backward),
            Self::Union => union(forward, backward),
            Self::GrowDiag => Growth::new(forward, backward, num_source, num_target).diag().links(),
            Self::GrowDiagFinalAnd => {
                let growth = Growth::new(forward, backward, num_source, num_target);
                growth.diag().final_and(forward).final_and(backward).links()
            }
        }
    }
}

impl FromStr for Symmetrization {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        NAMES.iter().find(|(other, _)| *other == name).map(|&(_, found)| found).ok_or_else(|| {
            let names = NAMES.map(|(name, _)| name).join(", ");
            Error::new(ErrorKind::Argument, format!("expected one of {names}, found `{name}`"))
        })
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
const NEIGHBOURS: [(i64, i64); 8] = [(-1, 0), (0, -1), (1, 0), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1)];

/// Links that grow.
struct Growth {
    num_source: usize,
    num_target: usize,
    is_linked: Vec<bool>,
    is_in_union: Vec<bool>,
    has_source: Vec<bool>,
    has_target: Vec<bool>,
}

impl Growth {
    fn new(forward: &[Link], backward: &[Link], num_source: usize, num_target: usize) -> Self {
        let mut growth = Self {
            num_source,
            num_target,
            is_linked: vec![false; num_source * num_target],
            is_in_union: vec![false; num_source * num_target],
            has_source: vec![false; num_source],
            has_target: vec![false; num_target],
        };
        for link in union(forward, backward) {
            let cell = growth.cell(link);
            growth.is_in_union[cell] = true;
        }
        intersection(forward, backward).into_iter().for_each(|link| growth.add(link));
        growth
    }

    fn cell(&self, link: Link) -> usize {
        link.source as usize * self.num_target + link.target as usize
    }

    fn add(&mut self, link: Link) {
        let cell = self.cell(link);
        self.is_linked[cell] = true;
        self.has_source[link.source as usize] = true;
        self.has_target[link.target as usize] = true;
    }

    /// Adds neighbours until there are none to add.
    fn diag(mut self) -> Self {
        loop {
            let mut is_grown = false;
            for link in self.all_cells() {
                if self.is_linked[self.cell(link)] {
                    is_grown |= self.add_neighbours(link);
                }
            }
            if !is_grown {
                return self;
            }
        }
    }

    fn all_cells(&self) -> impl Iterator<Item = Link> + use<> {
        let num_target = self.num_target as u32;
        (0..self.num_source as u32)
            .flat_map(move |source| (0..num_target).map(move |target| Link { source, target }))
    }

    fn add_neighbours(&mut self, link: Link) -> bool {
        let mut is_grown = false;
        for (down, right) in NEIGHBOURS {
            let (source, target) = (i64::from(link.source) + down, i64::from(link.target) + right);
            let is_inside = (0..self.num_source as i64).contains(&source)
                && (0..self.num_target as i64).contains(&target);
            if is_inside && self.may_add(source as usize, target as usize) {
                self.add(Link::new(source as u32, target as u32));
                is_grown = true;
            }
        }
        is_grown
    }

    fn may_add(&self, source: usize, target: usize) -> bool {
        let cell = source * self.num_target + target;
        self.is_in_union[cell]
            && !self.is_linked[cell]
            && !(self.has_source[source] && self.has_target[target])
    }

    fn final_and(mut self, links: &[Link]) -> Self {
        for &link in links {
            if !self.has_source[link.source as usize] && !self.has_target[link.target as usize] {
                self.add(link);
            }
        }
        self
    }

    fn links(self) -> Vec<Link> {
        self.all_cells().filter(|&link| self.is_linked[self.cell(link)]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::links::{format_links, parse_links};
    use super::*;

    fn apply(how: Symmetrization, forward: &str, backward: &str) -> String {
        let links = |text| parse_links(text, None).unwrap();
        format_links(&how.apply(&links(forward), &links(backward), 4, 4))
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
    fn names_come_back() {
        for (name, how) in NAMES {
            assert_eq!(name.parse::<Symmetrization>().unwrap(), how);
            assert_eq!(how.name(), name);
        }
        assert!("both".parse::<Symmetrization>().unwrap_err().to_string().contains("grow-diag"));
    }
}
