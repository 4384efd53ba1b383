//! How a transition parser searches.

use serde::{Deserialize, Serialize};

/// How to search, and what makes a path good.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct TransitionOptions {
    /// How to search.
    pub search: Search,
    /// What makes a path good.
    pub aggregator: Aggregator,
    /// Among how many of the likeliest ways to tag a sentence the parser chooses, if the sentence has no tags. The cost
    /// of the tags is added to that of the inferences, so this is for the additive aggregator only.
    pub num_taggings: usize,
}

impl TransitionOptions {
    /// On the short sentences of GUM two gave 0.36 F1 over one, four 0.48, and more no more
    /// (record/2026-11-16-parsing.md).
    pub const NUM_TAGGINGS: usize = 4;
}

impl Default for TransitionOptions {
    fn default() -> Self {
        Self { search: Search::AGENDA, aggregator: Aggregator::default(), num_taggings: Self::NUM_TAGGINGS }
    }
}

/// How to search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", rename_all_fields = "kebab-case")]
pub enum Search {
    /// Always the best inference, and never back.
    Greedy,
    /// The best partial parse, completed greedily, until none can be better than the best complete one.
    Agenda {
        /// After so many scored inferences no new greedy completion begins. The first always runs to its end.
        max_inferences: u64,
        /// Partial parses to remember; the worst are forgotten.
        max_agenda: usize,
    },
    /// One step from the best partial parse at a time.
    Beam {
        /// Partial parses to remember; the worst are forgotten. With one this is greedy search.
        width: usize,
        /// Steps after which the best partial parse is completed greedily, unless there is a complete one.
        max_pops: u64,
    },
}

impl Search {
    /// The search of Turian & Melamed (2006), with their limit.
    pub const AGENDA: Self = Self::Agenda { max_inferences: 100_000, max_agenda: 1_000_000 };
    /// The search of Turian & Melamed (2005), with their limits.
    pub const BEAM: Self = Self::Beam { width: 1_000, max_pops: 10_000 };
}

/// What the scores of its inferences make a path worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Aggregator {
    /// The cost is the sum of ln(1 + exp(-score)) (Turian & Melamed 2006).
    #[default]
    Additive,
    /// That path is best whose lowest score is highest; ties are decided by the second lowest, and so on (Turian &
    /// Melamed 2005). A path that has no further score left wins such a tie.
    MaxMin,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_come_back_from_text() {
        let searches = [
            Search::Greedy,
            Search::AGENDA,
            Search::BEAM,
            Search::Agenda { max_inferences: 7, max_agenda: 1_000_000 },
            Search::Beam { width: 7, max_pops: 10_000 },
        ];
        for search in searches {
            for aggregator in [Aggregator::Additive, Aggregator::MaxMin] {
                for num_taggings in [4, 1] {
                    let options = TransitionOptions { search, aggregator, num_taggings };
                    let text = serde_json::to_string(&options).unwrap();
                    assert_eq!(serde_json::from_str::<TransitionOptions>(&text).unwrap(), options, "{text}");
                }
            }
        }
    }

    #[test]
    fn what_is_not_said_is_the_default_and_what_is_unknown_is_named() {
        let read = |text: &str| serde_json::from_str::<TransitionOptions>(text);
        assert_eq!(read("{}").unwrap(), TransitionOptions::default());
        let beam =
            read(r#"{"search": {"beam": {"width": 7, "max-pops": 9}}, "aggregator": "max-min"}"#).unwrap();
        assert_eq!(beam.search, Search::Beam { width: 7, max_pops: 9 });
        assert_eq!(beam.aggregator, Aggregator::MaxMin);
        for (text, named) in [
            (r#"{"search": "best"}"#, "best"),
            (r#"{"aggregator": "most"}"#, "most"),
            (r#"{"scoring": "full"}"#, "scoring"),
            (r#"{"beam": 7}"#, "beam"),
            (r#"{"search": {"agenda": {"max-inferences": 7, "max-agenda": 7, "width": 7}}}"#, "width"),
        ] {
            let error = read(text).unwrap_err().to_string();
            assert!(error.contains(named), "{error}");
        }
    }
}
