//! The alignment error rate (Och and Ney 2003): 1 − (|A∩S| + |A∩P|) / (|A| + |S|), where sure links S are possible
//! ones too.

use super::links::{Link, check_link, not_a_link, parse_link};
use boughs::error::Result;

/// The links of a sentence pair that a person made: sure ones, and those that would be no mistake.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GoldLinks {
    sure: Vec<Link>,
    possible: Vec<Link>,
}

impl GoldLinks {
    /// Reads `0-0 1-2 3?1`: a hyphen for sure links; `?` or `p` for possible ones.
    ///
    /// # Errors
    /// If something is not a link, or leads beyond the sentence.
    pub fn parse(line: &str, num_words: Option<(usize, usize)>) -> Result<Self> {
        let mut gold = Self::default();
        for text in line.split_whitespace() {
            let sure = text.split_once('-').and_then(parse_link);
            let link = sure.or_else(|| text.split_once(['?', 'p']).and_then(parse_link));
            let link = link.ok_or_else(|| not_a_link(text))?;
            check_link(link, num_words)?;
            gold.sure.extend(sure);
            gold.possible.push(link);
        }
        gold.sure.sort_unstable();
        gold.sure.dedup();
        gold.possible.sort_unstable();
        gold.possible.dedup();
        Ok(gold)
    }
}

/// Links compared with gold links, over any number of sentence pairs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ErrorRate {
    /// Links that were found.
    pub num_links: u64,
    /// Sure gold links.
    pub num_sure: u64,
    /// Links found that are sure.
    pub found_sure: u64,
    /// Links found that are possible, the sure ones included.
    pub found_possible: u64,
}

impl ErrorRate {
    /// Adds a sentence pair.
    pub fn add(&mut self, links: &[Link], gold: &GoldLinks) {
        let found =
            |list: &[Link]| links.iter().filter(|link| list.binary_search(link).is_ok()).count() as u64;
        self.num_links += links.len() as u64;
        self.num_sure += gold.sure.len() as u64;
        self.found_sure += found(&gold.sure);
        self.found_possible += found(&gold.possible);
    }

    /// Which share of the links found is possible; 1 if there are none.
    pub fn precision(&self) -> f64 {
        share(self.found_possible, self.num_links)
    }

    /// Which share of the sure links was found; 1 if there are none.
    pub fn recall(&self) -> f64 {
        share(self.found_sure, self.num_sure)
    }

    /// The alignment error rate; 0 if there are no links at all.
    pub fn rate(&self) -> f64 {
        1.0 - share(self.found_sure + self.found_possible, self.num_links + self.num_sure)
    }
}

fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 { 1.0 } else { part as f64 / whole as f64 }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::links::parse_links;
    use super::*;

    #[test]
    fn sure_links_count_twice() {
        let gold = GoldLinks::parse("0-0 1-1 2?1 3p3", None).unwrap();
        let mut rate = ErrorRate::default();
        rate.add(&parse_links("0-0 2-1 3-0", None).unwrap(), &gold);
        assert_eq!((rate.found_sure, rate.found_possible), (1, 2));
        assert!((rate.rate() - (1.0 - 3.0 / 5.0)).abs() < 1e-12);
        assert!((rate.precision() - 2.0 / 3.0).abs() < 1e-12);
        assert_eq!(rate.recall(), 0.5);
        assert_eq!(ErrorRate::default().rate(), 0.0);
        assert!(GoldLinks::parse("0=1", None).is_err());
    }

    proptest! {
        #[test]
        fn any_line_is_gold_links_or_refused(line in prop_oneof!["\\PC{0,20}", "[-0-9 \t?p]{0,20}"]) {
            match GoldLinks::parse(&line, Some((4, 4))) {
                Ok(gold) => prop_assert!(gold.sure.iter().all(|link| gold.possible.contains(link))),
                Err(error) => prop_assert!(error.to_string().contains("expected"), "{error}"),
            }
        }
    }
}
