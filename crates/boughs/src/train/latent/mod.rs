//! Grammars with latent subcategories, learned by splitting (Petrov et al. 2006; Petrov & Klein 2007).
//!
//! The naive form gives every symbol `k` substates at once, at random, and lets EM find out what they mean (Matsuzaki
//! et al. 2005). It gets stuck, and spends as much on commas as on verb phrases. Here every symbol is split in two, EM
//! runs, the half of the splits that brought least is undone, and what is left is smoothed; then the next round.
//! Several grammars, each with another seed, parse better together (Petrov 2010): each is a phase of the run, and the
//! last phase is their product.

mod expectation;
mod merge;
mod smooth;
mod split;
mod split_merge;
mod state;

use serde::{Deserialize, Serialize};

pub(super) use expectation::{expect, log_likelihoods};
#[cfg(test)]
pub(super) use merge::MergeLoss;
pub use merge::SymbolSplits;
pub(super) use merge::{add_losses, after_merge, gains, losses_of_trees, origins_without, ranked};
pub(super) use split::{halves_of, split_grammar};
pub(super) use split_merge::{ROUND, SplitMerge};
pub(super) use state::{TreeScores, with_all_rows};

use super::grammar::{BinaryTrees, LexiconConfig};
use super::settings::identity;
use super::tags::{at_most, tagger_for};
use super::{Annotations, chart_parser, insert_grammar, only_grammar, read_grammars, substates_of};
use crate::error::{Result, require};
use crate::learn::run::{Figure, Recipe, Role, Scores, Step, Watch};
use crate::model::{GrammarModel, ModelFile};
use crate::parser::Parser;
use crate::tagger::{Tagger, TaggerConfig};
use crate::train::settings::as_text;
use crate::tree::profile::Profile;
use crate::tree::{Binarization, Tree, Unaries};
use state::Smoothing;

/// The setting of models that tells what each round of splitting brought.
pub const SPLITS_BY_ROUND: &str = "splits-by-round";

/// More grammars than anyone has the time for.
const MAX_GRAMMARS: usize = 16;

/// Settings of training latent-variable grammars.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct LatentConfig {
    /// The conventions of the treebank: a name, or the text of a profile. Default: the Penn Treebank's.
    #[serde(with = "as_text", skip_serializing_if = "Profile::is_default")]
    pub profile: Profile,
    /// The most rounds of splitting. Default: 6.
    pub max_rounds: usize,
    /// Training stops after so many rounds without a better score on the development trees. Default: 1.
    pub patience: usize,
    /// Iterations of EM after splitting. Default: 50.
    pub split_iterations: usize,
    /// Iterations of EM after merging. Default: 20.
    pub merge_iterations: usize,
    /// Iterations of EM with smoothing. Default: 10.
    pub smooth_iterations: usize,
    /// The share of the splits that are undone. Default: 0.5.
    pub merge_share: f64,
    /// How much the halves of a split differ at most. Default: 0.01.
    pub noise: f64,
    /// How far the rules of substates are moved to the mean of those that come from the same half of the first split
    /// of their symbol. Default: 0.01.
    pub smoothing: f32,
    /// How far the words of substates are moved to the mean of their tag. Default: 0.2.
    pub word_smoothing: f32,
    /// What becomes of unary chains. Default: they are rules.
    pub unaries: Unaries,
    /// How words are counted.
    pub lexicon: LexiconConfig,
    /// Decides the noise.
    pub seed: u64,
    /// How many grammars are trained, each with the next seed, that parse together. Default: 1.
    pub grammars: usize,
    /// Longer sentences are left out, but not of the tagger. Default: none.
    pub max_words: Option<usize>,
    /// Whether a tagger comes with the grammars, whose posteriors make them better. Default: no.
    pub with_tagger: bool,
    /// How that tagger is trained.
    pub tagger: TaggerConfig,
}

impl Default for LatentConfig {
    fn default() -> Self {
        Self {
            profile: Profile::default(),
            max_rounds: 6,
            patience: 1,
            split_iterations: 50,
            merge_iterations: 20,
            smooth_iterations: 10,
            merge_share: 0.5,
            noise: 0.01,
            smoothing: 0.01,
            word_smoothing: 0.2,
            unaries: Unaries::default(),
            lexicon: LexiconConfig::default(),
            seed: 0,
            grammars: 1,
            max_words: None,
            with_tagger: false,
            tagger: TaggerConfig::default(),
        }
    }
}

impl LatentConfig {
    /// Checks every setting.
    ///
    /// # Errors
    /// If one is out of its range.
    pub fn check(&self) -> Result<()> {
        let is_share = |number: f64| (0.0..1.0).contains(&number);
        let grammars = 1..=MAX_GRAMMARS;
        require(grammars.contains(&self.grammars), "1 to 16 grammars", self.grammars)?;
        require((1..=8).contains(&self.max_rounds), "1 to 8 rounds", self.max_rounds)?;
        require(self.patience >= 1, "a patience of at least 1 round", self.patience)?;
        require(self.split_iterations >= 1, "at least 1 iteration after splitting", self.split_iterations)?;
        require(is_share(self.merge_share), "a share of splits from 0 to 1", self.merge_share)?;
        require(is_share(self.noise), "noise from 0 to 1", self.noise)?;
        let smoothing = [self.smoothing, self.word_smoothing];
        let is_sound = smoothing.iter().all(|&number| is_share(f64::from(number)));
        require(is_sound, "smoothing from 0 to 1", format_args!("{smoothing:?}"))?;
        self.lexicon.check()
    }

    /// How the grammar is smoothed at the end of a round.
    pub(super) fn smoothing(&self) -> Option<Smoothing> {
        let smoothing = Smoothing { rules: self.smoothing, words: self.word_smoothing };
        (self.smooth_iterations > 0).then_some(smoothing)
    }

    pub(super) fn num_iterations(&self) -> usize {
        self.split_iterations + self.merge_iterations + self.smooth_iterations
    }
}

/// The grammars of a run: those that are done, and the one that is learned.
#[derive(Debug)]
pub struct LatentState {
    members: Vec<GrammarModel>,
    current: SplitMerge,
    tagger: Option<Tagger>,
}

impl LatentConfig {
    /// How trees are binarised.
    pub(super) fn binarization(&self) -> Binarization {
        Binarization { unaries: self.unaries, ..Binarization::x_bar() }
    }

    /// Whether all grammars are there, and what is left is to put them together.
    fn is_product(&self, state: &LatentState) -> bool {
        self.grammars > 1 && state.members.len() == self.grammars
    }
}

impl Recipe for LatentConfig {
    type Data = [Tree];
    type State = LatentState;
    type Model = Parser;

    fn name(&self) -> &'static str {
        "latent"
    }

    fn identity(&self, train: &[Tree], dev: Option<&[Tree]>) -> String {
        identity(&Self { max_rounds: 0, patience: 0, ..self.clone() }, train, dev)
    }

    fn start(&self, train: &[Tree], watch: &Watch<'_>) -> Result<LatentState> {
        self.check()?;
        let tagger = self.with_tagger.then(|| tagger_for(train, &[], &self.tagger, watch)).transpose()?;
        let trees = at_most(train, self.max_words);
        let trees = BinaryTrees::new(&trees, &self.binarization(), &Annotations::default())?;
        let current = SplitMerge::new(trees.number(&self.lexicon.classes, |_| true), self);
        Ok(LatentState { members: Vec::new(), current, tagger })
    }

    fn step(&self, _: &[Tree], state: &mut LatentState, watch: &Watch<'_>) -> Result<Option<Step>> {
        let phase = state.members.len();
        if self.is_product(state) {
            let substates = state.members.iter().map(|grammar| grammar.finest().grammar.num_substates());
            let figures = vec![
                Figure::count("grammars", state.members.len()),
                Figure::count("substates", substates.sum()),
            ];
            return Ok(Some(Step { is_last: true, ..Step::candidate(phase, figures) }));
        }
        if state.current.round(self, self.seed.wrapping_add(phase as u64), watch).is_break() {
            return Ok(None);
        }
        let rounds_left = self.max_rounds - state.current.num_rounds();
        let later = (self.grammars - phase - 1) * self.max_rounds;
        Ok(Some(Step {
            role: if self.grammars > 1 { Role::Part } else { Role::Candidate },
            is_last: rounds_left == 0,
            num_left: Some(rounds_left + later),
            ..Step::candidate(phase, state.current.figures())
        }))
    }

    fn model(&self, state: &LatentState) -> Result<Parser> {
        let is_product = self.is_product(state);
        let grammars = if is_product { state.members.clone() } else { vec![state.current.model()] };
        let mut parser = chart_parser(grammars, state.tagger.clone(), self)?;
        parser.about_mut().seed = self.seed;
        substates_of(&mut parser);
        if !is_product {
            set_gains(&mut parser, &state.current.gains);
        }
        Ok(parser)
    }

    fn evaluate(&self, _: &mut LatentState, parser: &Parser, dev: &[Tree]) -> Result<Scores> {
        parser.evaluate(&at_most(dev, self.max_words))
    }

    fn patience(&self) -> usize {
        self.patience
    }

    fn next_phase(&self, state: &mut LatentState, best: Option<Parser>) -> Result<bool> {
        let Some(best) = best else { return Ok(false) };
        state.members.push(only_grammar(&best)?);
        state.current.restart(self);
        Ok(true)
    }

    fn save(&self, state: &LatentState, file: &mut ModelFile) -> Result<()> {
        for (number, grammar) in state.members.iter().enumerate() {
            insert_grammar(file, &format!("member{number}"), grammar)?;
        }
        state.current.save(file)
    }

    fn restore(&self, state: &mut LatentState, file: &ModelFile) -> Result<()> {
        state.members = read_grammars(file, "member")?;
        state.current.restore(self, file)
    }
}

/// Says in a model what each round of splitting brought.
pub(super) fn set_gains(parser: &mut Parser, gains: &[Vec<SymbolSplits>]) {
    let line = |splits: &Vec<SymbolSplits>| serde_json::to_string(splits).unwrap_or_default() + "\n";
    let text: String = gains.iter().map(line).collect();
    parser.about_mut().settings.insert(SPLITS_BY_ROUND.to_owned(), text);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::train::testing::{
        bytes, is_resumed_to_the_same_bytes, is_the_same_among_peers, is_the_same_on_threads, train,
    };
    use crate::treebank::sample;

    fn config() -> LatentConfig {
        LatentConfig {
            max_rounds: 2,
            split_iterations: 4,
            merge_iterations: 2,
            smooth_iterations: 2,
            ..LatentConfig::default()
        }
    }

    #[test]
    fn threads_do_not_change_a_byte() {
        is_the_same_on_threads(&config(), &sample("howto"), 20);
    }

    #[test]
    fn resumed_training_ends_with_the_same_bytes() {
        for grammars in [1, 2] {
            let config = LatentConfig { grammars, split_iterations: 2, ..config() };
            is_resumed_to_the_same_bytes(&config, &sample("howto"), 0);
        }
    }

    #[test]
    fn other_processes_do_not_change_a_byte() {
        for grammars in [1, 2] {
            let config = LatentConfig { grammars, split_iterations: 2, ..config() };
            is_the_same_among_peers(&config, &sample("howto"), 20);
        }
    }

    #[test]
    fn models_come_back() {
        let trees = sample("howto");
        let trained = train(&config(), &trees, &trees[..20]);
        let read = Parser::from_file(&trained.model.to_file().unwrap()).unwrap();
        assert!(bytes(&read) == bytes(&trained.model));
        assert_eq!(only_grammar(&read).unwrap().levels().len(), trained.best + 2);
        assert!(trained.steps.iter().all(|step| step.scores.as_ref().unwrap().criterion > 50.0));
    }

    #[test]
    fn the_product_is_measured_and_kept() {
        let trees = sample("howto");
        let trained =
            train(&LatentConfig { grammars: 2, with_tagger: true, ..config() }, &trees, &trees[..20]);
        let last = trained.steps.last().unwrap();
        assert_eq!((trained.best, last.phase, last.role), (trained.steps.len() - 1, 2, Role::Candidate));
        let measured = trained.model.evaluate(&trees[..20]).unwrap();
        assert_eq!(Some(measured), last.scores.clone());
    }

    #[test]
    fn settings_out_of_range_are_refused() {
        for config in [
            LatentConfig { max_rounds: 0, ..config() },
            LatentConfig { merge_share: 1.0, ..config() },
            LatentConfig { smoothing: f32::NAN, ..config() },
            LatentConfig { grammars: 0, ..config() },
        ] {
            assert!(config.check().is_err(), "{config:?}");
        }
        assert!(crate::train::run(&config(), &[], None, Default::default()).is_err());
    }
}
