//! A way to search, as settings in a model file: a parser is best searched as it was when it was measured.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::str::FromStr;

use super::{Aggregator, Search, SearchConfig};
use crate::error::Result;
use crate::model::damaged;
use crate::transition::cascade::Scoring;

const SEARCH: &str = "search";
const MAX_INFERENCES: &str = "max-inferences";
const BEAM: &str = "beam";
const AGGREGATOR: &str = "aggregator";

const SCORING: &str = "scoring";

const AGENDA: &str = "agenda";
const GREEDY: &str = "greedy";
const ADDITIVE: &str = "additive";
const MAX_MIN: &str = "max-min";
const CASCADE: &str = "cascade";
const FULL: &str = "full";

impl SearchConfig {
    /// Names and values that tell how to search, but for how many parses are wanted; none for the default.
    pub fn settings(&self) -> Vec<(&'static str, String)> {
        if (Self { num_best: 1, ..*self }) == Self::default() {
            return Vec::new();
        }
        let aggregator = match self.aggregator {
            Aggregator::Additive => ADDITIVE,
            Aggregator::MaxMin => MAX_MIN,
        };
        let mut settings = vec![(AGGREGATOR, aggregator.to_owned())];
        if self.scoring == Scoring::Full {
            settings.push((SCORING, FULL.to_owned()));
        }
        match self.search {
            Search::Greedy => settings.push((SEARCH, GREEDY.to_owned())),
            Search::Agenda { max_inferences, .. } => {
                settings.push((SEARCH, AGENDA.to_owned()));
                settings.push((MAX_INFERENCES, max_inferences.to_string()));
            }
            Search::Beam { width, .. } => {
                settings.push((SEARCH, BEAM.to_owned()));
                settings.push((BEAM, width.to_string()));
            }
        }
        settings
    }

    /// The search that settings tell of; the default without them.
    ///
    /// # Errors
    /// If there is no such search.
    pub fn from_settings(settings: &BTreeMap<String, String>) -> Result<Self> {
        let get = |name: &str| settings.get(name).map(String::as_str);
        let mut config = Self::default();
        config.search = match get(SEARCH) {
            None => config.search,
            Some(GREEDY) => Search::Greedy,
            Some(AGENDA) => Search::AGENDA,
            Some(BEAM) => Search::BEAM,
            Some(other) => return Err(unknown(SEARCH, other)),
        };
        match &mut config.search {
            Search::Greedy => {}
            Search::Agenda { max_inferences, .. } => set_number(max_inferences, MAX_INFERENCES, settings)?,
            Search::Beam { width, .. } => set_number(width, BEAM, settings)?,
        }
        config.aggregator = match get(AGGREGATOR) {
            None => config.aggregator,
            Some(ADDITIVE) => Aggregator::Additive,
            Some(MAX_MIN) => Aggregator::MaxMin,
            Some(other) => return Err(unknown(AGGREGATOR, other)),
        };
        config.scoring = match get(SCORING) {
            None | Some(CASCADE) => Scoring::Cascade,
            Some(FULL) => Scoring::Full,
            Some(other) => return Err(unknown(SCORING, other)),
        };
        Ok(config)
    }
}

fn set_number<N: FromStr>(number: &mut N, name: &str, settings: &BTreeMap<String, String>) -> Result<()> {
    if let Some(text) = settings.get(name) {
        *number = text.parse().map_err(|_| unknown(name, text))?;
    }
    Ok(())
}

fn unknown(name: &str, value: impl Display) -> crate::Error {
    damaged(format_args!("its setting `{name}` is `{value}`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn searches_come_back_from_settings() {
        let searches = [
            Search::Greedy,
            Search::AGENDA,
            Search::BEAM,
            Search::Agenda { max_inferences: 7, max_agenda: 1_000_000 },
            Search::Beam { width: 7, max_pops: 10_000 },
        ];
        let aggregators = [Aggregator::Additive, Aggregator::MaxMin];
        let ways = aggregators
            .map(|aggregator| [Scoring::Cascade, Scoring::Full].map(|scoring| (aggregator, scoring)));
        for search in searches {
            for (aggregator, scoring) in ways.into_iter().flatten() {
                let config = SearchConfig { search, aggregator, scoring, num_best: 1 };
                let settings = config.settings().into_iter().map(|(name, value)| (name.to_owned(), value));
                assert_eq!(SearchConfig::from_settings(&settings.collect()).unwrap(), config);
            }
        }
        assert!(SearchConfig { num_best: 9, ..SearchConfig::default() }.settings().is_empty());
    }

    #[test]
    fn settings_of_no_search_are_named() {
        for (name, value) in
            [(SEARCH, "best"), (AGGREGATOR, "most"), (SCORING, "none"), (MAX_INFERENCES, "many")]
        {
            let settings = BTreeMap::from([(name.to_owned(), value.to_owned())]);
            let error = SearchConfig::from_settings(&settings).unwrap_err();
            assert!(error.to_string().contains(&format!("`{name}` is `{value}`")), "{error}");
        }
    }
}
