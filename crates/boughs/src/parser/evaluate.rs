//! How well a parser parses.

use std::cmp::Reverse;

use rayon::prelude::*;

use super::{EngineOptions, Model, ParseOptions, Parsed, Parser, Sentence, Worker};
use crate::error::Result;
use crate::eval::{ConfidenceCurve, Parameters, Scorer, Totals};
use crate::learn::run::{Figure, Scores};
use crate::neural::{NeuralOptions, NeuralParser};
use crate::tree::Tree;
use crate::tree::profile::Profile;

impl Parser {
    /// The same parser with confidences that say how often phrases of development trees are right: those of phrases
    /// with a confidence of 0.8 that are right are four in five. Trees stay the same.
    ///
    /// # Errors
    /// If there are no trees, or a word has no tag and the parser cannot tag.
    pub fn calibrated(self, dev: &[Tree]) -> Result<Self> {
        Ok(self.calibrated_and_scored(dev)?.0)
    }

    /// The same, and how well it parses them.
    ///
    /// # Errors
    /// As [`calibrated`](Self::calibrated).
    pub(crate) fn calibrated_and_scored(self, dev: &[Tree]) -> Result<(Self, Scores)> {
        let parser = self.with_own_temperature(dev)?;
        let posteriors = ParseOptions { confidence_curve: None, ..parser.options.clone() };
        let parser = parser.with_options(posteriors)?;
        let parsed = parser.parse_words_of(dev)?;
        let profile = parser.profile();
        let options =
            ParseOptions { confidence_curve: curve(dev, &parsed, &profile), ..parser.options.clone() };
        Ok((parser.with_options(options)?, scores_of(dev, &parsed, &profile)))
    }

    /// A neural parser with the temperature by which its probabilities fit development trees best; any other as it is.
    ///
    /// # Errors
    /// If there are no trees.
    pub fn with_own_temperature(self, dev: &[Tree]) -> Result<Self> {
        let (Model::Neural(model), EngineOptions::Neural(neural)) = (&self.model, &self.options.engine)
        else {
            return Ok(self);
        };
        let temperature = NeuralParser::new(model, *neural).calibrate(dev)?;
        let engine = EngineOptions::Neural(NeuralOptions { temperature, ..*neural });
        self.with_engine(engine)
    }

    /// Parses the words of trees as any other sentence and scores the result as EVALB does with Collins's settings
    /// (for a treebank of another [profile](Self::profile): without its punctuation), every sentence counted. Tags are
    /// those of the parser if it can tag, else those of the trees.
    ///
    /// # Errors
    /// If a word has no tag and the parser cannot tag.
    pub fn evaluate(&self, gold: &[Tree]) -> Result<Scores> {
        Ok(scores_of(gold, &self.parse_words_of(gold)?, &self.profile()))
    }

    /// Parses the words of trees as any other sentence, in the order of the trees. Tags are those of the parser if it
    /// can tag, else those of the trees.
    ///
    /// # Errors
    /// If a word has no tag and the parser cannot tag.
    pub fn parse_words_of(&self, gold: &[Tree]) -> Result<Vec<Parsed>> {
        let sentence = |tree: &Tree| {
            let sentence = Sentence::from_tree(tree);
            if self.can_tag() { sentence.without_tags() } else { sentence }
        };
        let mut sentences: Vec<(usize, Sentence)> = gold.iter().map(sentence).enumerate().collect();
        // Those of similar length go together, and none that takes long comes last.
        sentences.sort_by_key(|(_, sentence)| Reverse(sentence.tokens().len()));
        let parse = |worker: &mut Worker<'_>, batch: &[(usize, Sentence)]| {
            let parsed =
                worker.parse_batch(&batch.iter().map(|(_, sentence)| sentence).collect::<Vec<_>>())?;
            Ok(batch.iter().map(|(place, _)| *place).zip(parsed).collect::<Vec<_>>())
        };
        let batches = sentences.par_chunks(self.batch_size()).map_init(|| self.worker(), parse);
        let mut parsed = batches.collect::<Result<Vec<_>>>()?.into_iter().flatten().collect::<Vec<_>>();
        parsed.sort_unstable_by_key(|(place, _)| *place);
        Ok(parsed.into_iter().map(|(_, parsed)| parsed).collect())
    }
}

/// How often phrases are right, by their confidence.
fn curve(gold: &[Tree], parsed: &[Parsed], profile: &Profile) -> Option<ConfidenceCurve> {
    let mut scorer = Scorer::new(Parameters::of_profile(profile));
    let mut phrases = Vec::new();
    for (gold, parsed) in gold.iter().zip(parsed) {
        scorer.score(gold, parsed.tree());
        let confidences = &parsed.parses[0].confidences;
        let known = |(phrase, is_right)| Some((confidences.get(phrase).copied().flatten()?, is_right));
        phrases.extend(scorer.phrases().filter_map(known));
    }
    ConfidenceCurve::fit(phrases)
}

fn scores_of(gold: &[Tree], parsed: &[Parsed], profile: &Profile) -> Scores {
    let num_failed = parsed.iter().filter(|parsed| parsed.status.is_fallback()).count();
    scores(gold, parsed.iter().map(Parsed::tree), num_failed, profile)
}

/// The scores of parses; some of them are no more than fallbacks.
pub(crate) fn scores<'t>(
    gold: &[Tree],
    parsed: impl IntoIterator<Item = &'t Tree>,
    num_failed: usize,
    profile: &Profile,
) -> Scores {
    let mut scorer = Scorer::new(Parameters::of_profile(profile));
    let mut totals = Totals::default();
    for (gold, parsed) in gold.iter().zip(parsed) {
        totals.add(&scorer.score(gold, parsed));
    }
    let figures = totals.all.strict();
    let percent = |name, figure: Option<f64>| Figure::new(name, figure.unwrap_or(0.0), 2);
    Scores {
        criterion: figures.f1().unwrap_or(0.0),
        figures: vec![
            percent("P", figures.precision()),
            percent("R", figures.recall()),
            percent("F1", figures.f1()),
            percent("exact", figures.exact_match()),
            percent("tags", figures.tag_accuracy()),
            Figure::count("failed", num_failed),
        ],
    }
}
