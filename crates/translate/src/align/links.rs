//! Links between words, and the Pharaoh format: `0-0 1-2`, source before target, counted from 0.

use std::fmt::Write;

use boughs::error::{Error, ErrorKind, Result};
use serde::{Deserialize, Serialize};

/// A word of the source and a word of the target that translates it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Link {
    /// The index of the source word.
    pub source: u32,
    /// The index of the target word.
    pub target: u32,
}

impl Link {
    /// A link.
    pub fn new(source: u32, target: u32) -> Self {
        Self { source, target }
    }

    /// The same with the sides swapped.
    #[must_use]
    pub fn swapped(self) -> Self {
        Self { source: self.target, target: self.source }
    }
}

/// Reads the links of a sentence pair, `0-0 1-2`, sorted and each once. Where the numbers of words are given, links
/// must stay within.
///
/// # Errors
/// If a link is not two numbers with a hyphen between them, or leads beyond the sentence.
pub fn parse_links(line: &str, num_words: Option<(usize, usize)>) -> Result<Vec<Link>> {
    let mut links = Vec::new();
    for text in line.split_whitespace() {
        let link = text.split_once('-').and_then(parse_link).ok_or_else(|| not_a_link(text))?;
        check_link(link, num_words)?;
        links.push(link);
    }
    links.sort_unstable();
    links.dedup();
    Ok(links)
}

pub(super) fn parse_link((source, target): (&str, &str)) -> Option<Link> {
    Some(Link::new(parse_number(source)?, parse_number(target)?))
}

/// A number of digits alone; the standard library also takes `+1`.
fn parse_number(text: &str) -> Option<u32> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok())?
}

pub(super) fn not_a_link(text: &str) -> Error {
    Error::new(ErrorKind::Syntax, format!("expected a link such as `0-1`, found `{text}`"))
        .hint("links are source-target, counted from 0, separated by blanks")
}

pub(super) fn check_link(link: Link, num_words: Option<(usize, usize)>) -> Result<()> {
    match num_words {
        Some((source, target)) if link.source as usize >= source || link.target as usize >= target => {
            let message = format!(
                "expected links within {source} source and {target} target words, found {}-{}",
                link.source, link.target
            );
            Err(Error::new(ErrorKind::Mismatch, message)
                .hint("are the sentences those that were aligned, with the same tokens?"))
        }
        _ => Ok(()),
    }
}

/// Writes links as [`parse_links`] reads them, without a line end.
pub fn format_links(links: &[Link]) -> String {
    let mut text = String::new();
    for (index, link) in links.iter().enumerate() {
        let blank = if index > 0 { " " } else { "" };
        // Writing to a string does not fail.
        let _ = write!(text, "{blank}{}-{}", link.source, link.target);
    }
    text
}

/// Links of which no two share a word. Those of `strong` come first, then those of `weak` whose words have no other
/// link, then the others; of each kind those nearest to the diagonal first, and of equals the one that comes first.
///
/// # Panics
/// If a link leads beyond the numbers of words.
pub(crate) fn one_to_one(strong: &[Link], weak: &[Link], num_source: usize, num_target: usize) -> Vec<Link> {
    let off_diagonal = |link: &Link| {
        let source = (2 * u64::from(link.source) + 1) * num_target as u64;
        source.abs_diff((2 * u64::from(link.target) + 1) * num_source as u64)
    };
    let (mut is_source_taken, mut is_target_taken) = (vec![false; num_source], vec![false; num_target]);
    let mut kept = Vec::new();
    for mut list in [strong.to_vec(), unambiguous(weak), weak.to_vec()] {
        list.sort_by_key(|link| (off_diagonal(link), *link));
        for link in list {
            let taken =
                (&mut is_source_taken[link.source as usize], &mut is_target_taken[link.target as usize]);
            if let (source @ false, target @ false) = taken {
                (*source, *target) = (true, true);
                kept.push(link);
            }
        }
    }
    kept.sort_unstable();
    kept
}

/// The links whose words have no other link.
fn unambiguous(links: &[Link]) -> Vec<Link> {
    let is_other =
        |one: &Link, other: &Link| one != other && (one.source == other.source || one.target == other.target);
    links.iter().copied().filter(|one| !links.iter().any(|other| is_other(one, other))).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn links_come_back_sorted() {
        let links = parse_links(" 3-1 0-0  3-1 1-12\n", None).unwrap();
        assert_eq!(format_links(&links), "0-0 1-12 3-1");
        assert_eq!(parse_links("", None).unwrap(), []);
    }

    #[test]
    fn what_is_not_a_link_is_refused() {
        for text in ["0", "a-1", "+0-1", "0-", "-1", "0-1-2", "99999999999-1"] {
            assert_eq!(parse_links(text, None).unwrap_err().kind(), ErrorKind::Syntax, "{text}");
        }
        let error = parse_links("0-0 2-1", Some((2, 2))).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Mismatch);
    }

    #[test]
    fn strong_links_go_first_and_near_ones_before_far_ones() {
        let links = |text| parse_links(text, None).unwrap();
        assert_eq!(format_links(&one_to_one(&links("0-2"), &links("0-0 1-1 1-2 2-1"), 3, 3)), "0-2 1-1");
        assert_eq!(format_links(&one_to_one(&[], &links("0-3 1-0 1-1 2-1"), 4, 4)), "0-3 1-1");
    }

    fn arbitrary_links() -> impl Strategy<Value = Vec<Link>> {
        prop::collection::btree_set(any::<(u32, u32)>(), 0..20)
            .prop_map(|links| links.into_iter().map(|(source, target)| Link::new(source, target)).collect())
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(links in arbitrary_links()) {
            prop_assert_eq!(parse_links(&format_links(&links), None).unwrap(), links);
        }

        #[test]
        fn any_line_is_links_or_refused(line in prop_oneof!["\\PC{0,20}", "[-0-9 \t+?p]{0,20}"]) {
            match parse_links(&line, Some((4, 4))) {
                Ok(links) => {
                    prop_assert!(links.is_sorted());
                    prop_assert_eq!(parse_links(&format_links(&links), Some((4, 4))).unwrap(), links);
                }
                Err(error) => prop_assert!(error.to_string().contains("expected"), "{error}"),
            }
        }

        #[test]
        fn no_word_is_linked_twice(links in prop::collection::vec((0u32..6, 0u32..5), 0..20)) {
            let links: Vec<Link> = links.into_iter().map(|(source, target)| Link::new(source, target)).collect();
            let kept = one_to_one(&[], &links, 6, 5);
            for (index, one) in kept.iter().enumerate() {
                prop_assert!(links.contains(one));
                prop_assert!(kept[index + 1..].iter().all(|other| other.source != one.source && other.target != one.target));
            }
        }
    }
}
