//! The recipe: rounds of splitting, EM, merging and smoothing.

use std::ops::ControlFlow;

use serde::{Deserialize, Serialize};

use super::checkpoint::LatentCheckpoint;
use super::expectation::expect;
use super::merge::{SymbolSplits, gains, losses, merge};
use super::split::split;
use super::state::{Smoothing, State};
use crate::chart::ChartOptions;
use crate::error::Result;
use crate::model::{GrammarModel, Level};
use crate::rng::Rng;
use crate::train::grammar::{GrammarScores, GrammarTrees, LexiconConfig, measure, require};
use crate::tree::{Binarization, Tree, Unaries};

/// Settings of training.
#[derive(Debug, Clone)]
pub struct LatentConfig {
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
    /// How far the rules of sub-symbols are moved to the mean of those that come from the same half of the first split of their
    /// symbol. Default: 0.01.
    pub smoothing: f32,
    /// How far the words of sub-symbols are moved to the mean of their tag. Default: 0.2.
    pub word_smoothing: f32,
    /// What becomes of unary chains. Default: they are rules.
    pub unaries: Unaries,
    /// How words are counted.
    pub lexicon: LexiconConfig,
    /// Decides the noise.
    pub seed: u64,
    /// How the development trees are parsed.
    pub chart: ChartOptions,
}

impl Default for LatentConfig {
    fn default() -> Self {
        Self {
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
            chart: ChartOptions::default(),
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

    fn num_iterations(&self) -> usize {
        self.split_iterations + self.merge_iterations + self.smooth_iterations
    }
}

/// The grammar after a round.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// The round, counted from 1.
    pub round: usize,
    /// The sub-symbols of all symbols.
    pub num_substates: usize,
    /// The rules with sub-symbols that are not zero.
    pub num_rules: usize,
    /// The logarithm of the likelihood of the training trees.
    pub log_likelihood: f64,
    /// The scores on the development trees, if there are any.
    pub scores: Option<GrammarScores>,
    /// What splitting brought to each symbol.
    pub splits: Vec<SymbolSplits>,
}

/// What happens while training goes on.
#[derive(Debug)]
pub enum LatentEvent<'e> {
    /// An iteration of EM has ended.
    Iteration {
        /// The round, counted from 1.
        round: usize,
        /// The iteration of the round, counted from 1.
        iteration: usize,
        /// How many iterations a round has.
        num_iterations: usize,
        /// The logarithm of the likelihood before the iteration.
        log_likelihood: f64,
    },
    /// A round has ended.
    Round {
        /// The grammar as it now stands.
        point: &'e Point,
        /// What it takes to go on from here.
        checkpoint: &'e LatentCheckpoint,
    },
}

/// A trained grammar.
#[derive(Debug)]
pub struct Trained {
    /// The grammar after the best round.
    pub model: GrammarModel,
    /// All rounds.
    pub points: Vec<Point>,
    /// The best one.
    pub best: usize,
}

/// Rules below this are left out of the grammar that parses.
const SMALLEST_RULE: f32 = 1e-7;

/// Trains a grammar. The observer sees what happens and may break off: then the best round so far is taken.
///
/// # Errors
/// If there is nothing to learn from, or a setting is out of its range.
pub fn train(
    trees: &[Tree],
    dev: &[Tree],
    config: &LatentConfig,
    resume: Option<LatentCheckpoint>,
    mut observe: impl FnMut(LatentEvent<'_>) -> ControlFlow<()>,
) -> Result<Trained> {
    config.check()?;
    let how = Binarization { unaries: config.unaries, ..Binarization::x_bar() };
    let trees = GrammarTrees::new(trees, &how, &config.lexicon.classes)?;
    let (mut state, mut points, mut best) = match resume {
        Some(checkpoint) => (checkpoint.state(&trees, config)?, checkpoint.points, checkpoint.best),
        None => {
            let state = State::new(&trees, &config.lexicon);
            let model = state.model(&trees);
            (state, Vec::new(), model)
        }
    };
    while points.len() < config.max_rounds && !is_stale(&points, config.patience) {
        let round = points.len() + 1;
        let mut run =
            Round { trees: &trees, config, round, iteration: 0, log_likelihood: 0.0, splits: Vec::new() };
        let Some(next) = run.run(&state, &mut observe) else { break };
        state = next;
        let model = state.model(&trees);
        let point = Point {
            round,
            num_substates: model.finest().grammar.num_substates(),
            num_rules: model.finest().grammar.num_nonzero(),
            log_likelihood: run.log_likelihood,
            scores: (!dev.is_empty()).then(|| measure(&model, dev, &config.chart)),
            splits: run.splits,
        };
        points.push(point);
        if best_point(&points) == points.len() - 1 {
            best = model;
        }
        let checkpoint = LatentCheckpoint::new(&points, &state, &best);
        let event = LatentEvent::Round { point: &points[points.len() - 1], checkpoint: &checkpoint };
        if observe(event).is_break() {
            break;
        }
    }
    Ok(Trained { model: best, best: best_point(&points), points })
}

/// The round with the best F1, the first among equals; the last if there are no development trees.
fn best_point(points: &[Point]) -> usize {
    let f1 = |point: &Point| point.scores.map_or(0.0, |scores| scores.f1);
    let has_dev = points.iter().any(|point| point.scores.is_some());
    let best = (0..points.len()).rev().max_by(|&a, &b| f1(&points[a]).total_cmp(&f1(&points[b])));
    if has_dev { best.unwrap_or(0) } else { points.len().saturating_sub(1) }
}

fn is_stale(points: &[Point], patience: usize) -> bool {
    !points.is_empty() && points.len() - 1 - best_point(points) >= patience
}

/// A round of training.
struct Round<'r> {
    trees: &'r GrammarTrees,
    config: &'r LatentConfig,
    round: usize,
    iteration: usize,
    log_likelihood: f64,
    splits: Vec<SymbolSplits>,
}

impl Round<'_> {
    /// Splits, learns, merges and smooths; nothing if the observer broke off.
    fn run(
        &mut self,
        state: &State,
        observe: &mut dyn FnMut(LatentEvent<'_>) -> ControlFlow<()>,
    ) -> Option<State> {
        let config = self.config;
        let mut rng = Rng::stream(config.seed, self.round as u64);
        let mut state = split(self.trees, state, config.noise, &mut rng);
        self.learn(&mut state, config.split_iterations, None, observe)?;
        let losses = losses(self.trees, &state);
        let num_undone = (losses.len() as f64 * config.merge_share) as usize;
        let (undone, kept) = losses.split_at(num_undone);
        self.splits = gains(self.trees, undone, kept);
        let mut state = merge(self.trees, &state, undone);
        self.learn(&mut state, config.merge_iterations, None, observe)?;
        self.learn(&mut state, config.smooth_iterations, config.smoothing(), observe)?;
        Some(state)
    }

    fn learn(
        &mut self,
        state: &mut State,
        num_iterations: usize,
        smoothing: Option<Smoothing>,
        observe: &mut dyn FnMut(LatentEvent<'_>) -> ControlFlow<()>,
    ) -> Option<()> {
        for _ in 0..num_iterations {
            let counts = expect(self.trees, state.scores());
            state.maximize(self.trees, &counts, &self.config.lexicon, smoothing);
            self.iteration += 1;
            self.log_likelihood = counts.log_likelihood;
            let event = LatentEvent::Iteration {
                round: self.round,
                iteration: self.iteration,
                num_iterations: self.config.num_iterations(),
                log_likelihood: counts.log_likelihood,
            };
            if observe(event).is_break() {
                return None;
            }
        }
        Some(())
    }
}

impl State {
    /// The grammar as a parser uses it.
    fn model(&self, trees: &GrammarTrees) -> GrammarModel {
        let finest = Level {
            grammar: self.grammar.without_small(SMALLEST_RULE),
            lexicon: self.lexicon.clone(),
            weights: self.weights.iter().map(|&weight| weight as f32).collect(),
        };
        GrammarModel::new(trees.symbols.clone(), finest, self.splits.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{About, ModelFile};
    use crate::train::latent::fingerprint;

    fn trees() -> Vec<Tree> {
        crate::treebank::sample("howto")
    }

    fn config() -> LatentConfig {
        LatentConfig {
            max_rounds: 2,
            split_iterations: 4,
            merge_iterations: 2,
            smooth_iterations: 2,
            ..LatentConfig::default()
        }
    }

    fn bytes(trained: &Trained) -> Vec<u8> {
        trained.model.to_file(About::new("")).unwrap().to_bytes().unwrap()
    }

    #[test]
    fn threads_do_not_change_a_byte() {
        let trees = trees();
        let train = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| train(&trees, &trees[..20], &config(), None, |_| ControlFlow::Continue(())))
                .unwrap()
        };
        assert!(bytes(&train(1)) == bytes(&train(3)));
    }

    #[test]
    fn resumed_training_ends_with_the_same_bytes() {
        let trees = trees();
        let run = fingerprint(&trees, &[], &config());
        let mut first = None;
        let whole = train(&trees, &[], &config(), None, |event| {
            if let LatentEvent::Round { checkpoint, .. } = event {
                first.get_or_insert_with(|| checkpoint.to_file(&run).unwrap().to_bytes().unwrap());
            }
            ControlFlow::Continue(())
        });
        let file = ModelFile::from_bytes(&first.unwrap()).unwrap();
        let checkpoint = LatentCheckpoint::from_file(&file, &run).unwrap();
        assert_eq!(checkpoint.points.len(), 1);
        assert!(LatentCheckpoint::from_file(&file, "other").is_err());
        let resumed = train(&trees, &[], &config(), Some(checkpoint), |_| ControlFlow::Continue(()));
        assert!(bytes(&whole.unwrap()) == bytes(&resumed.unwrap()));
    }

    #[test]
    fn models_come_back() {
        let trees = trees();
        let trained = train(&trees, &trees[..20], &config(), None, |_| ControlFlow::Continue(())).unwrap();
        let read = GrammarModel::from_file(&ModelFile::from_bytes(&bytes(&trained)).unwrap()).unwrap();
        assert!(read == trained.model);
        assert_eq!(read.levels().len(), trained.best + 2);
        assert!(trained.points.iter().all(|point| point.scores.is_some_and(|scores| scores.f1 > 50.0)));
    }

    #[test]
    fn settings_out_of_range_are_refused() {
        for config in [
            LatentConfig { max_rounds: 0, ..config() },
            LatentConfig { merge_share: 1.0, ..config() },
            LatentConfig { smoothing: f32::NAN, ..config() },
        ] {
            assert!(config.check().is_err(), "{config:?}");
        }
        assert!(train(&[], &[], &config(), None, |_| ControlFlow::Continue(())).is_err());
    }
}
