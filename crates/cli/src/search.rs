//! The arguments by which verbs take a way to search.

use anyhow::{Result, bail};
use boughs::transition::{Aggregator, Scoring, Search, TransitionOptions};
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
    /// The search asked for; what is not said is as in `default`. A limit of a search asks for that search.
    pub(crate) fn options(&self, default: TransitionOptions) -> Result<TransitionOptions> {
        let mut options = default;
        let by_limit = match (self.beam, self.max_inferences) {
            (Some(_), _) => Some(SearchName::Beam),
            (None, Some(_)) => Some(SearchName::Agenda),
            (None, None) => None,
        };
        match self.search.or(by_limit) {
            Some(SearchName::Agenda) => options.search = Search::AGENDA,
            Some(SearchName::Greedy) => options.search = Search::Greedy,
            Some(SearchName::Beam) => options.search = Search::BEAM,
            None => {}
        }
        self.set_limits(&mut options.search)?;
        match self.aggregator {
            Some(AggregatorName::Additive) => options.aggregator = Aggregator::Additive,
            Some(AggregatorName::MaxMin) => options.aggregator = Aggregator::MaxMin,
            None => {}
        }
        match self.scoring {
            Some(ScoringName::Cascade) => options.scoring = Scoring::Cascade,
            Some(ScoringName::Full) => options.scoring = Scoring::Full,
            None => {}
        }
        Ok(options)
    }

    fn set_limits(&self, search: &mut Search) -> Result<()> {
        match (self.max_inferences, self.beam, search) {
            (None, None, _) => {}
            (Some(most), None, Search::Agenda { max_inferences, .. }) => *max_inferences = most,
            (None, Some(beam), Search::Beam { width, .. }) => *width = beam,
            (Some(_), ..) => bail!("--max-inferences limits `--search agenda` only: leave one of them out"),
            (None, Some(_), _) => bail!("--beam is for `--search beam` only: leave one of them out"),
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
        let options = args.options(TransitionOptions::default()).expect("sound");
        assert!(matches!(options.search, Search::Beam { width: 7, .. }));
    }

    #[test]
    fn a_limit_of_inferences_means_an_agenda_whatever_the_default() {
        let beam = TransitionOptions { search: Search::BEAM, ..TransitionOptions::default() };
        let args = SearchArgs { max_inferences: Some(7), ..SearchArgs::default() };
        let options = args.options(beam).expect("sound");
        assert!(matches!(options.search, Search::Agenda { max_inferences: 7, .. }));
        assert_eq!(SearchArgs::default().options(beam).expect("sound"), beam);
    }

    #[test]
    fn limits_of_another_search_are_refused() {
        for search in [SearchName::Agenda, SearchName::Greedy] {
            let args = SearchArgs { search: Some(search), beam: Some(7), ..SearchArgs::default() };
            assert!(args.options(TransitionOptions::default()).is_err(), "{search:?}");
        }
        for search in [SearchName::Beam, SearchName::Greedy] {
            let args = SearchArgs { search: Some(search), max_inferences: Some(7), ..SearchArgs::default() };
            assert!(args.options(TransitionOptions::default()).is_err(), "{search:?}");
        }
        let args = SearchArgs { max_inferences: Some(7), ..SearchArgs::default() };
        let options = args.options(TransitionOptions::default()).expect("sound");
        assert!(matches!(options.search, Search::Agenda { max_inferences: 7, .. }));
    }
}
