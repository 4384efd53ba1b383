//! Two directions of links made one (Och and Ney 2003; Koehn, Och and Marcu 2003).
//!
//! The intersection is precise, the union complete. The growing forms start from the intersection. They add links of
//! the union next to those already there (`grow-diag`), then those of words that have none on either side
//! (`final-and`).

use serde::{Deserialize, Serialize};

use super::links::Link;

/// How the links of both directions become one set.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
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

impl Symmetrization {
    /// Unites the links of both directions, each sorted.
    pub fn apply(self, forward: &[Link], backward: &[Link]) -> Vec<Link> {
        match self {
            Self::Forward => forward.to_vec(),
            Self::Backward => backward.to_vec(),
            Self::Intersection => intersection(forward, backward),
            Self::Union => union(forward, backward),
            Self::GrowDiag => grow(forward, backward, false),
            Self::GrowDiagFinalAnd => grow(forward, backward, true),
        }
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

/// Adds links of the union next to the intersection until there are none to add, each with a word that has no link
/// yet; then, with `is_final`, links of either direction between two words without a link.
fn grow(forward: &[Link], backward: &[Link], is_final: bool) -> Vec<Link> {
    let union = union(forward, backward);
    let mut kept = intersection(forward, backward);
    let mut is_grown = true;
    while is_grown {
        is_grown = false;
        for &link in &union {
            if !kept.contains(&link) {
                continue;
            }
            for (down, right) in NEIGHBOURS {
                let place = link.source.checked_add_signed(down).zip(link.target.checked_add_signed(right));
                let neighbour = place.map(|(source, target)| Link { source, target });
                let in_union = neighbour.filter(|neighbour| union.binary_search(neighbour).is_ok());
                is_grown |= in_union.is_some_and(|link| add(&mut kept, link, |has| has != [true, true]));
            }
        }
    }
    for &link in [forward, backward].into_iter().flatten().filter(|_| is_final) {
        add(&mut kept, link, |has| has == [false, false]);
    }
    kept.sort_unstable();
    kept
}

/// Adds a link if the words that have one already, source and target, are as wanted. Says whether it did.
fn add(kept: &mut Vec<Link>, link: Link, is_wanted: fn([bool; 2]) -> bool) -> bool {
    let has_source = kept.iter().any(|other| other.source == link.source);
    let has_target = kept.iter().any(|other| other.target == link.target);
    let is_added = is_wanted([has_source, has_target]);
    kept.extend(is_added.then_some(link));
    is_added
}

#[cfg(test)]
mod tests {
    use boughs_learn::names::named;

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
        for (name, how) in [
            ("forward", Symmetrization::Forward),
            ("backward", Symmetrization::Backward),
            ("intersection", Symmetrization::Intersection),
            ("union", Symmetrization::Union),
            ("grow-diag", Symmetrization::GrowDiag),
            ("grow-diag-final-and", Symmetrization::GrowDiagFinalAnd),
        ] {
            assert_eq!(named::<Symmetrization>("a way", name).unwrap(), how);
        }
        assert!(named::<Symmetrization>("a way", "both").unwrap_err().to_string().contains("grow-diag"));
    }
}
