//! The arguments by which verbs take a way to search.

use anyhow::{Result, bail};
use boughs::transition::Scoring;
use boughs::transition::search::{Aggregator, Search, SearchConfig};
use clap::{Args, ValueEnum};

use crate::number;

#[derive(Debug, Clone, Default, PartialEq, Args)]
pub(crate) struct SearchArgs {
    /// How to search for the best parse [default: agenda; beam for `--preset tm05` and its parsers]
    #[arg(long, value_enum, value_name = "NAME", help_heading = "Search")]
    search: Option<SearchName>,

    /// Look no further once so many inferences were scored, and there is a parse [default: 100000]
    #[arg(long, value_name = "N", help_heading = "Search", value_parser = number::within::<u64>(0..))]
    max_inferences: Option<u64>,

    /// Partial parses that beam search keeps [default: 1000]
    #[arg(long, value_name = "N", help_heading = "Search", value_parser = number::within::<usize>(1..))]
    beam: Option<usize>,

    /// What makes a parse good [default: additive; max-min for `--preset tm05` and its parsers]
    #[arg(long, value_enum, value_name = "NAME", help_heading = "Search")]
    aggregator: Option<AggregatorName>,

    /// Which trees score an inference [default: cascade]
    #[arg(long, value_enum, value_name = "NAME", help_heading = "Search")]
    scoring: Option<ScoringName>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum SearchName {
    /// Best first with greedy completion, until no parse can be better (Turian & Melamed 2006)
    Agenda,
    /// Always the best inference, and never back: fast
    Greedy,
    /// Best first with a limited memory (Turian & Melamed 2005)
    Beam,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum AggregatorName {
    /// The least sum of ln(1 + exp(-score)) over its inferences
    Additive,
    /// The highest lowest score of an inference
    MaxMin,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ScoringName {
    /// A few at first, which set most inferences aside, then all: fast
    Cascade,
    /// Every tree scores every inference, as in the papers: slower
    Full,
}

impl SearchArgs {
    /// The search asked for; what is not said is as in `default`.
    pub(crate) fn config(&self, default: SearchConfig) -> Result<SearchConfig> {
        let mut config = default;
        match (self.search, self.beam) {
            (Some(SearchName::Agenda), _) => config.search = Search::AGENDA,
            (Some(SearchName::Greedy), _) => config.search = Search::Greedy,
            (Some(SearchName::Beam), _) | (None, Some(_)) => config.search = Search::BEAM,
            (None, None) => {}
        }
        if (self.search, self.beam) == (None, None) && self.max_inferences.is_some() {
            config.search = Search::AGENDA;
        }
        self.limit(&mut config.search)?;
        match self.aggregator {
            Some(AggregatorName::Additive) => config.aggregator = Aggregator::Additive,
            Some(AggregatorName::MaxMin) => config.aggregator = Aggregator::MaxMin,
            None => {}
        }
        match self.scoring {
            Some(ScoringName::Cascade) => config.scoring = Scoring::Cascade,
            Some(ScoringName::Full) => config.scoring = Scoring::Full,
            None => {}
        }
        Ok(config)
    }

    fn limit(&self, search: &mut Search) -> Result<()> {
        match (self.max_inferences, search) {
            (None, Search::Agenda { .. }) if self.beam.is_none() => {}
            (Some(most), Search::Agenda { max_inferences, .. }) if self.beam.is_none() => {
                *max_inferences = most;
            }
            (None, Search::Beam { width, .. }) => *width = self.beam.unwrap_or(*width),
            (None, Search::Greedy) if self.beam.is_none() => {}
            (Some(_), _) => bail!("--max-inferences limits `--search agenda` only: leave one of them out"),
            (None, _) => bail!("--beam is for `--search beam` only: leave one of them out"),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_width_means_beam_search() {
        let args = SearchArgs { beam: Some(7), ..SearchArgs::default() };
        let config = args.config(SearchConfig::default()).expect("sound");
        assert!(matches!(config.search, Search::Beam { width: 7, .. }));
    }

    #[test]
    fn a_limit_of_inferences_means_an_agenda_whatever_the_model_says() {
        let beam = SearchConfig { search: Search::BEAM, ..SearchConfig::default() };
        let args = SearchArgs { max_inferences: Some(7), ..SearchArgs::default() };
        let config = args.config(beam).expect("sound");
        assert!(matches!(config.search, Search::Agenda { max_inferences: 7, .. }));
        assert_eq!(SearchArgs::default().config(beam).expect("sound"), beam);
    }

    #[test]
    fn limits_of_another_search_are_refused() {
        for search in [SearchName::Agenda, SearchName::Greedy] {
            let args = SearchArgs { search: Some(search), beam: Some(7), ..SearchArgs::default() };
            assert!(args.config(SearchConfig::default()).is_err(), "{search:?}");
        }
        for search in [SearchName::Beam, SearchName::Greedy] {
            let args = SearchArgs { search: Some(search), max_inferences: Some(7), ..SearchArgs::default() };
            assert!(args.config(SearchConfig::default()).is_err(), "{search:?}");
        }
        let args = SearchArgs { max_inferences: Some(7), ..SearchArgs::default() };
        let config = args.config(SearchConfig::default()).expect("sound");
        assert!(matches!(config.search, Search::Agenda { max_inferences: 7, .. }));
    }
}
