//! The arguments by which verbs take a way to search.

use anyhow::{Result, bail};
use boughs::transition::{Aggregator, Search, TransitionOptions};
use clap::Args;

use crate::choice::{Choices, Variants, choice, variant};
use crate::number;

#[derive(Debug, Clone, Default, PartialEq, Args)]
pub(crate) struct SearchArgs {
    /// How to search for the best parse [default: agenda; beam for `--preset tm05` and its parsers]
    #[arg(long, value_name = "NAME", help_heading = "Boosted parsers", value_parser = choice(SEARCHES))]
    search: Option<Search>,

    /// Look no further once so many inferences were scored, and there is a parse [default: 100000]
    #[arg(long, value_name = "N", help_heading = "Boosted parsers", value_parser = number::within::<u64>(0..))]
    max_inferences: Option<u64>,

    /// Partial parses that beam search keeps [default: 1000]
    #[arg(long, value_name = "N", help_heading = "Boosted parsers", value_parser = number::within::<usize>(1..))]
    beam: Option<usize>,

    /// What makes a parse good [default: additive; max-min for `--preset tm05` and its parsers]
    #[arg(long, value_name = "NAME", help_heading = "Boosted parsers", value_parser = variant::<Aggregator>(AGGREGATORS))]
    aggregator: Option<Aggregator>,
}

const SEARCHES: Choices<Search> = &[
    (
        "agenda",
        "Best first with greedy completion, until no parse can be better (Turian & Melamed 2006)",
        Search::AGENDA,
    ),
    ("greedy", "Always the best inference, and never back: fast", Search::Greedy),
    ("beam", "Best first with a limited memory (Turian & Melamed 2005)", Search::BEAM),
];

const AGGREGATORS: Variants = &[
    ("additive", "The least sum of ln(1 + exp(-score)) over its inferences"),
    ("max-min", "The highest lowest score of an inference"),
];

impl SearchArgs {
    /// The search asked for; what is not said is as in `default`. A limit of a search asks for that search.
    pub(crate) fn options(&self, default: TransitionOptions) -> Result<TransitionOptions> {
        let by_limit = match (self.beam, self.max_inferences) {
            (Some(_), _) => Some(Search::BEAM),
            (None, Some(_)) => Some(Search::AGENDA),
            (None, None) => None,
        };
        let mut search = self.search.or(by_limit).unwrap_or(default.search);
        self.set_limits(&mut search)?;
        Ok(TransitionOptions { search, aggregator: self.aggregator.unwrap_or(default.aggregator), ..default })
    }

    /// The flags that were given.
    pub(crate) fn given(&self) -> Vec<&'static str> {
        let flags = [
            ("--search", self.search.is_some()),
            ("--max-inferences", self.max_inferences.is_some()),
            ("--beam", self.beam.is_some()),
            ("--aggregator", self.aggregator.is_some()),
        ];
        flags.into_iter().filter_map(|(flag, is_given)| is_given.then_some(flag)).collect()
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
        for search in [Search::AGENDA, Search::Greedy] {
            let args = SearchArgs { search: Some(search), beam: Some(7), ..SearchArgs::default() };
            assert!(args.options(TransitionOptions::default()).is_err(), "{search:?}");
        }
        for search in [Search::BEAM, Search::Greedy] {
            let args = SearchArgs { search: Some(search), max_inferences: Some(7), ..SearchArgs::default() };
            assert!(args.options(TransitionOptions::default()).is_err(), "{search:?}");
        }
        let args = SearchArgs { max_inferences: Some(7), ..SearchArgs::default() };
        let options = args.options(TransitionOptions::default()).expect("sound");
        assert!(matches!(options.search, Search::Agenda { max_inferences: 7, .. }));
    }
}
