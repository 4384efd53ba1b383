//! A grammar on its way through rounds of splitting, EM, merging and smoothing.

use std::ops::ControlFlow;

use serde::{Deserialize, Serialize};

use super::LatentConfig;
use super::expectation::expect;
use super::merge::{SymbolSplits, gains, losses, merge};
use super::split::split;
use super::state::{GrammarState, Smoothing, all_rows};
use crate::error::Result;
use crate::learn::run::{Figure, Watch};
use crate::model::{Grammar, GrammarModel, Level, ModelFile, RuleBlock, Symbol, damaged, read_splits};
use crate::rng::Rng;
use crate::train::grammar::{GrammarTrees, LeafScores, estimate};

/// Rules below this are left out of the grammar that parses.
const SMALLEST_RULE: f32 = 1e-7;

/// Where a checkpoint has a grammar between two rounds.
pub(crate) const ROUND: &str = "round";

/// What a checkpoint has of a grammar between two rounds; the rest follows from the trees.
#[derive(Serialize, Deserialize)]
struct SavedRound {
    sizes: Vec<u16>,
    /// What each substate was split from, one split after the other.
    splits: Vec<u16>,
    /// The numbers of all rules, with all rows.
    values: Vec<f32>,
    /// How often each word has each substate of its tag.
    leaves: Vec<f32>,
    /// How often each substate occurs.
    weights: Vec<f64>,
    gains: Vec<Vec<SymbolSplits>>,
    log_likelihood: f64,
}

/// A grammar after some rounds, with the trees that it learns from.
#[derive(Debug)]
pub(crate) struct SplitMerge {
    trees: GrammarTrees,
    state: GrammarState,
    /// What each round of splitting brought to each symbol.
    pub(crate) gains: Vec<Vec<SymbolSplits>>,
    log_likelihood: f64,
}

impl SplitMerge {
    /// The grammar before the first round.
    pub(crate) fn new(trees: GrammarTrees, config: &LatentConfig) -> Self {
        let state = GrammarState::new(&trees, &config.lexicon);
        Self { trees, state, gains: Vec::new(), log_likelihood: f64::NAN }
    }

    /// The same trees before the first round.
    pub(crate) fn restart(&mut self, config: &LatentConfig) {
        self.state = GrammarState::new(&self.trees, &config.lexicon);
        self.gains.clear();
    }

    /// How many rounds are done.
    pub(crate) fn num_rounds(&self) -> usize {
        self.gains.len()
    }

    /// What a round has brought.
    pub(crate) fn figures(&self) -> Vec<Figure> {
        vec![
            Figure::count("round", self.num_rounds()),
            Figure::count("substates", self.state.grammar.num_substates()),
            Figure::count("rules", self.state.grammar.without_small(SMALLEST_RULE).num_nonzero()),
            Figure::new("log-lik.", self.log_likelihood, 0),
        ]
    }

    /// Splits, learns, merges and smooths.
    pub(crate) fn round(&mut self, config: &LatentConfig, seed: u64, watch: &Watch<'_>) -> ControlFlow<()> {
        let mut learner = ExpectationMaximization {
            trees: &self.trees,
            config,
            watch,
            round: self.gains.len() + 1,
            iteration: 0,
            log_likelihood: 0.0,
        };
        let mut rng = Rng::stream(seed, learner.round as u64);
        let mut state = split(&self.trees, &self.state, config.noise, &mut rng);
        learner.learn(&mut state, config.split_iterations, None)?;
        let losses = losses(&self.trees, &state, watch);
        let (undone, kept) = losses.split_at((losses.len() as f64 * config.merge_share) as usize);
        let gains = gains(&self.trees, undone, kept);
        let mut state = merge(&self.trees, &state, undone);
        learner.learn(&mut state, config.merge_iterations, None)?;
        learner.learn(&mut state, config.smooth_iterations, config.smoothing())?;
        self.log_likelihood = learner.log_likelihood;
        self.state = state;
        self.gains.push(gains);
        ControlFlow::Continue(())
    }

    /// The grammar as a parser uses it.
    pub(crate) fn model(&self) -> GrammarModel {
        let GrammarState { grammar, lexicon, weights, splits, .. } = &self.state;
        let finest = Level {
            grammar: grammar.without_small(SMALLEST_RULE),
            lexicon: lexicon.clone(),
            weights: weights.iter().map(|&weight| weight as f32).collect(),
        };
        GrammarModel::new(self.trees.symbols.clone(), finest, splits.clone())
    }

    /// Puts the grammar into a checkpoint.
    pub(crate) fn save(&self, file: &mut ModelFile) -> Result<()> {
        let GrammarState { grammar, leaf_counts, splits, weights, .. } = &self.state;
        let round = SavedRound {
            sizes: grammar.sizes().to_vec(),
            splits: splits.iter().flatten().flatten().copied().collect(),
            values: grammar.values().to_vec(),
            leaves: leaf_counts.values.clone(),
            weights: weights.clone(),
            gains: self.gains.clone(),
            log_likelihood: self.log_likelihood,
        };
        file.insert_state(ROUND, &round)
    }

    pub(crate) fn restore(&mut self, config: &LatentConfig, file: &ModelFile) -> Result<()> {
        let trees = &self.trees;
        let wrong = || damaged("its numbers are not those of a grammar of these trees");
        let SavedRound { sizes, splits, values, leaves, weights, gains, log_likelihood } =
            file.state(ROUND)?;
        if sizes.len() != trees.symbols.len() || sizes.contains(&0) {
            return Err(wrong());
        }
        let size = |symbol: Symbol| usize::from(sizes[symbol.index()]);
        let mut rest = &values[..];
        let mut blocks = Vec::with_capacity(trees.rules.len());
        for &(parent, left, right) in &trees.rules {
            let rows = all_rows(size(left), right.map_or(1, size));
            let (own, others) = rest.split_at_checked(rows.len() * size(parent)).ok_or_else(wrong)?;
            blocks.push(RuleBlock { parent, left, right, rows, values: own.to_vec() });
            rest = others;
        }
        let grammar = Grammar::new(sizes.clone(), blocks, trees.max_chain);
        let mut leaf_counts = LeafScores::zeros(trees, &grammar);
        let lengths = [rest.len(), leaves.len(), weights.len()];
        if lengths != [0, leaf_counts.values.len(), grammar.num_substates()] {
            return Err(wrong());
        }
        leaf_counts.values.copy_from_slice(&leaves);
        let words = config.smoothing().map_or(0.0, |smoothing| smoothing.words);
        let (lexicon, leaf_scores) = estimate(trees, &grammar, &leaf_counts, &config.lexicon, words);
        let splits = read_splits(&splits, &sizes)?;
        (self.gains, self.log_likelihood) = (gains, log_likelihood);
        self.state = GrammarState { grammar, lexicon, leaf_scores, leaf_counts, splits, weights };
        Ok(())
    }
}

/// EM within a round.
struct ExpectationMaximization<'l> {
    trees: &'l GrammarTrees,
    config: &'l LatentConfig,
    watch: &'l Watch<'l>,
    round: usize,
    iteration: usize,
    log_likelihood: f64,
}

impl ExpectationMaximization<'_> {
    fn learn(
        &mut self,
        state: &mut GrammarState,
        num_iterations: usize,
        smoothing: Option<Smoothing>,
    ) -> ControlFlow<()> {
        let all = self.config.num_iterations();
        for _ in 0..num_iterations {
            let counts = expect(self.trees, state.scores(), self.watch);
            state.maximize(self.trees, &counts, &self.config.lexicon, smoothing);
            self.iteration += 1;
            self.log_likelihood = counts.log_likelihood;
            self.watch.progress(
                Some(self.iteration as f64 / all as f64),
                format_args!(
                    "round {} of at most {}, iteration {} of {all}, log-likelihood {:.0}",
                    self.round, self.config.max_rounds, self.iteration, self.log_likelihood
                ),
            )?;
        }
        ControlFlow::Continue(())
    }
}
