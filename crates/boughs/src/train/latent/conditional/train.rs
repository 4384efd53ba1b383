//! The recipe: prune once, minimise, split, and again.

use std::ops::ControlFlow;

use serde::{Deserialize, Serialize};

use super::super::expectation::log_likelihoods;
use super::super::merge::{SymbolSplits, after_merge, gains, origins_without, ranked};
use super::super::state::Scores;
use super::checkpoint::{ConditionalCheckpoint, Merge};
use super::config::{ConditionalConfig, Start};
use super::loglinear::LogLinear;
use super::objective::{Objective, leaf_scores};
use super::sentences::{Sentence, fits_chart, prune};
use super::words::{lexicon, with_unknown_words};
use crate::error::{Error, ErrorKind, Result};
use crate::learn::optimize::{Settings, State, minimize};
use crate::model::{
    Grammar, GrammarLexicon, GrammarModel, Level, RuleBlock, ScoreTable, Splits, Symbol, damaged, read_splits,
};
use crate::rng::Rng;
use crate::train::grammar::{GrammarScores, GrammarTrees, measure};
use crate::tree::{Binarization, Tree};

/// The grammar after a stage.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ConditionalPoint {
    /// The stage, counted from 1.
    pub stage: usize,
    /// The sub-symbols of all symbols.
    pub num_substates: usize,
    /// The parameters.
    pub num_parameters: usize,
    /// Those that are not zero.
    pub num_nonzero: usize,
    /// Iterations of the stage.
    pub iterations: u64,
    /// What is minimised: minus the logarithm of the likelihood of the training trees given their words, and the penalty.
    pub objective: f64,
    /// The scores on the development trees, if there are any.
    pub scores: Option<GrammarScores>,
    /// What splitting brought to each symbol, if splits that brought little were undone.
    pub splits: Vec<SymbolSplits>,
}

/// What happens while training goes on.
#[derive(Debug)]
pub enum ConditionalEvent<'e> {
    /// A stage begins.
    Pruned {
        /// The stage, counted from 1.
        stage: usize,
        /// The training sentences.
        num_sentences: usize,
        /// How many symbols are left in the cells of all of them.
        num_left: usize,
        /// Parameters.
        num_parameters: usize,
    },
    /// An iteration has ended.
    Iteration {
        /// The stage, counted from 1.
        stage: usize,
        /// The iteration of the stage, counted from 1.
        iteration: u64,
        /// How often the objective was computed in the stage.
        evaluations: u64,
        /// What is minimised.
        objective: f64,
        /// Parameters that are not zero.
        num_nonzero: usize,
    },
    /// A stage has ended.
    Stage {
        /// The grammar as it now stands.
        point: &'e ConditionalPoint,
        /// What it takes to go on from here.
        checkpoint: &'e ConditionalCheckpoint,
    },
}

/// A trained grammar.
#[derive(Debug)]
pub struct TrainedConditional {
    /// The grammar after the best stage.
    pub model: GrammarModel,
    /// All stages.
    pub points: Vec<ConditionalPoint>,
    /// The best one.
    pub best: usize,
}

/// Trains a grammar, beginning with one that was learned from the same trees, which is also used to prune. The observer sees what
/// happens and may break off: then the best stage so far is taken.
///
/// # Errors
/// If the grammar to start from is of other trees, a setting is out of its range, or no step makes the objective better.
pub fn train(
    trees: &[Tree],
    dev: &[Tree],
    base: &GrammarModel,
    config: &ConditionalConfig,
    resume: Option<ConditionalCheckpoint>,
    mut observe: impl FnMut(ConditionalEvent<'_>) -> ControlFlow<()>,
) -> Result<TrainedConditional> {
    config.check()?;
    let how = Binarization { unaries: config.unaries, ..Binarization::x_bar() };
    let trees = GrammarTrees::new(trees, &how, &config.lexicon.classes)?;
    check_base(&trees, base)?;
    let mut run = Run::new(&trees, base, config, resume)?;
    while run.points.len() <= config.max_splits && !is_stale(&run.points, config.patience) {
        if run.stage(dev, &mut observe)?.is_break() {
            break;
        }
    }
    Ok(TrainedConditional { best: best_point(&run.points), model: run.best, points: run.points })
}

fn check_base(trees: &GrammarTrees, base: &GrammarModel) -> Result<()> {
    let lexicon = &base.finest().lexicon;
    let is_same =
        (&trees.symbols, &trees.words, &trees.classes) == (base.symbols(), &*lexicon.words, &lexicon.classes);
    match is_same {
        true => Ok(()),
        false => {
            let message = "expected a grammar to start from that was learned from the same trees, found one with other symbols or words";
            Err(Error::new(ErrorKind::Mismatch, message)
                .hint("give the training trees and the options for words and unary chains of that grammar"))
        }
    }
}

/// The stage with the best F1, the first among equals; the last if there are no development trees.
fn best_point(points: &[ConditionalPoint]) -> usize {
    let f1 = |point: &ConditionalPoint| point.scores.map_or(0.0, |scores| scores.f1);
    let has_dev = points.iter().any(|point| point.scores.is_some());
    let best = (0..points.len()).rev().max_by(|&a, &b| f1(&points[a]).total_cmp(&f1(&points[b])));
    if has_dev { best.unwrap_or(0) } else { points.len().saturating_sub(1) }
}

fn is_stale(points: &[ConditionalPoint], patience: usize) -> bool {
    !points.is_empty() && points.len() - 1 - best_point(points) >= patience
}

/// Training between two stages.
struct Run<'r> {
    trees: &'r GrammarTrees,
    base: &'r GrammarModel,
    config: &'r ConditionalConfig,
    grammar: LogLinear,
    parameters: Vec<f64>,
    model: GrammarModel,
    best: GrammarModel,
    points: Vec<ConditionalPoint>,
    merges: Vec<Merge>,
}

/// What a minimisation came to.
struct Learned {
    iterations: u64,
    objective: f64,
    /// What would be lost by putting two sub-symbols together, if so wanted.
    losses: Vec<f64>,
}

impl<'r> Run<'r> {
    fn new(
        trees: &'r GrammarTrees,
        base: &'r GrammarModel,
        config: &'r ConditionalConfig,
        resume: Option<ConditionalCheckpoint>,
    ) -> Result<Self> {
        let grammar = first_grammar(trees, base, config);
        let parameters = vec![0.0; grammar.num_parameters()];
        let (model, best) = (base.clone(), base.clone());
        let (points, merges) = (Vec::new(), Vec::new());
        let mut run = Self { trees, base, config, grammar, parameters, model, best, points, merges };
        let Some(checkpoint) = resume else { return Ok(run) };
        for stage in 1..checkpoint.points.len() {
            run.split();
            if let Some(merge) = checkpoint.merges.get(stage - 1) {
                run.put_together(merge)?;
            }
        }
        checkpoint.check(run.grammar.num_parameters())?;
        let ConditionalCheckpoint { points, merges, parameters, model, best } = checkpoint;
        Ok(Self { points, merges, parameters, model, best, ..run })
    }

    /// Splits all symbols in two.
    fn split(&mut self) -> Splits {
        let mut rng = Rng::stream(self.config.seed, self.points.len() as u64);
        let root = self.trees.symbols.root();
        let (grammar, parameters, splits) =
            self.grammar.split(&self.parameters, root, self.config.noise, &mut rng);
        (self.grammar, self.parameters) = (grammar, parameters);
        splits
    }

    /// Undoes those of the last splits that bring least, and tells what the others bring.
    fn merge(&mut self, losses: &[f64], splits: &mut Splits) -> Result<Vec<SymbolSplits>> {
        let grammar = &self.grammar.level.grammar;
        let losses = ranked(&self.trees.symbols, grammar, losses);
        let (undone, kept) = losses.split_at((losses.len() as f64 * self.config.merge_share) as usize);
        let gains = gains(self.trees, undone, kept);
        let origins = origins_without(grammar, undone);
        after_merge(splits, &origins);
        let merge = Merge { origins: origins.concat(), weights: self.grammar.level.weights.clone() };
        self.put_together(&merge)?;
        self.merges.push(merge);
        Ok(gains)
    }

    fn put_together(&mut self, merge: &Merge) -> Result<()> {
        let splits = read_splits(&merge.origins, self.grammar.level.grammar.sizes())?;
        let [origins] = &splits[..] else { return Err(unfitting()) };
        if merge.weights.len() != self.grammar.level.grammar.num_substates() {
            return Err(unfitting());
        }
        (self.grammar, self.parameters) = self.grammar.merged(&self.parameters, origins, &merge.weights);
        Ok(())
    }

    fn stage(
        &mut self,
        dev: &[Tree],
        observe: &mut dyn FnMut(ConditionalEvent<'_>) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>> {
        let mut splits = match self.points.is_empty() {
            true => identity(&self.grammar.level),
            false => self.split(),
        };
        let has_merge = !self.points.is_empty() && self.config.merge_share > 0.0;
        let Some(mut learned) = self.learn(&splits, 0, has_merge, observe)? else {
            return Ok(ControlFlow::Break(()));
        };
        let mut gains = Vec::new();
        if has_merge {
            gains = self.merge(&learned.losses, &mut splits)?;
            let Some(again) = self.learn(&splits, learned.iterations, false, observe)? else {
                return Ok(ControlFlow::Break(()));
            };
            learned = again;
        }
        self.finish(&learned, splits, gains, dev, observe)
    }

    /// Minimises the objective after some iterations of the stage; nothing if the observer broke off.
    fn learn(
        &mut self,
        splits: &Splits,
        num_before: u64,
        wants_losses: bool,
        observe: &mut dyn FnMut(ConditionalEvent<'_>) -> ControlFlow<()>,
    ) -> Result<Option<Learned>> {
        let stage = self.points.len() + 1;
        self.grammar.set(&self.parameters);
        let (trees, sentences) = self.prune(splits)?;
        let mut flow = observe(ConditionalEvent::Pruned {
            stage,
            num_sentences: sentences.len(),
            num_left: sentences.iter().map(|sentence| sentence.mask.num_symbols()).sum(),
            num_parameters: self.parameters.len(),
        });
        let mut objective = Objective::new(&trees, &sentences, self.grammar.clone(), self.config.l2());
        let mut state = State::new(std::mem::take(&mut self.parameters));
        let settings = Settings {
            max_iterations: if flow.is_break() { 0 } else { self.config.max_iterations },
            value_tolerance: self.config.tolerance,
            history: 6,
            ..Settings::default()
        };
        let evaluate = |point: &[f64], gradient: &mut [f64]| objective.evaluate(point, gradient);
        minimize(evaluate, &mut state, &self.config.l1()?, &settings, |progress| {
            flow = observe(ConditionalEvent::Iteration {
                stage,
                iteration: num_before + progress.iteration,
                evaluations: progress.evaluations,
                objective: progress.value,
                num_nonzero: progress.num_nonzero,
            });
            flow
        })?;
        if flow.is_break() {
            return Ok(None);
        }
        self.parameters = state.point().to_vec();
        let losses = if wants_losses { objective.losses(&self.parameters) } else { Vec::new() };
        self.grammar = objective.into_grammar(&self.parameters);
        let iterations = num_before + state.iteration();
        Ok(Some(Learned { iterations, objective: state.value().unwrap_or(f64::NAN), losses }))
    }

    /// Keeps what a stage has brought.
    fn finish(
        &mut self,
        learned: &Learned,
        splits: Splits,
        gains: Vec<SymbolSplits>,
        dev: &[Tree],
        observe: &mut dyn FnMut(ConditionalEvent<'_>) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>> {
        self.model = self.model.clone().with_finer(self.exported(&splits), splits);
        let model = &self.model;
        self.points.push(ConditionalPoint {
            stage: self.points.len() + 1,
            num_substates: model.finest().grammar.num_substates(),
            num_parameters: self.parameters.len(),
            num_nonzero: self.parameters.iter().filter(|&&parameter| parameter != 0.0).count(),
            iterations: learned.iterations,
            objective: learned.objective,
            scores: (!dev.is_empty()).then(|| measure(model, dev, &self.config.chart)),
            splits: gains,
        });
        if best_point(&self.points) == self.points.len() - 1 {
            self.best = self.model.clone();
        }
        let checkpoint = ConditionalCheckpoint {
            points: self.points.clone(),
            merges: self.merges.clone(),
            parameters: self.parameters.clone(),
            model: self.model.clone(),
            best: self.best.clone(),
        };
        let point = &self.points[self.points.len() - 1];
        Ok(observe(ConditionalEvent::Stage { point, checkpoint: &checkpoint }))
    }

    /// The sentences whose gold tree is among the parses, with what is worth looking at; and their trees.
    fn prune(&self, splits: &Splits) -> Result<(GrammarTrees, Vec<Sentence>)> {
        let level = &self.grammar.level;
        let model = with_unknown_words(&self.model, &level.lexicon);
        let pruned = prune(self.trees, &model, &level.grammar, splits, &self.config.chart);
        let leaves = leaf_scores(self.trees, level);
        let likelihoods = log_likelihoods(self.trees, Scores { grammar: &level.grammar, leaves: &leaves });
        let mut trees = GrammarTrees { trees: Vec::new(), ..self.trees.clone() };
        let mut sentences = Vec::new();
        for ((tree, sentence), likelihood) in self.trees.trees.iter().zip(pruned).zip(likelihoods) {
            let Some(sentence) = sentence else { continue };
            if likelihood.is_finite() && fits_chart(self.trees, tree) {
                trees.trees.push(tree.clone());
                sentences.push(sentence);
            }
        }
        Ok((trees, sentences))
    }

    /// The grammar as a parser uses it, after these splits.
    fn exported(&self, splits: &Splits) -> Level {
        let level = &self.grammar.level;
        let mut lexicon = match self.config.start {
            Start::Base => self.with_rare_words(&level.lexicon, splits),
            Start::Scratch => level.lexicon.clone(),
        };
        scale(&mut lexicon);
        let grammar = level.grammar.without_small(f32::MIN_POSITIVE);
        Level { grammar, lexicon, weights: level.weights.clone() }
    }

    /// Words that stood for unknown ones have their own tags back, with what was learned of their class.
    fn with_rare_words(&self, learned: &GrammarLexicon, splits: &Splits) -> GrammarLexicon {
        let (base, origins) = (&self.base.finest().lexicon, self.origins(splits));
        let factors = self.grammar.class_factors(&self.parameters);
        let mut classes = vec![0; learned.words.len()];
        self.trees.leaves.iter().for_each(|leaf| classes[leaf.word as usize] = leaf.class as usize);
        let (mut of_words, mut class_share) = (ScoreTable::new(), Vec::with_capacity(classes.len()));
        for (word, &class) in classes.iter().enumerate() {
            if learned.class_share[word] == 0.0 {
                of_words.push(learned.of_words.get(word));
                class_share.push(0.0);
                continue;
            }
            for (tag, scores) in base.of_words.get(word) {
                let places = learned.of_classes.places(class).find(|(other, _)| *other == tag);
                let Some((_, places)) = places else { continue };
                let of_sub = |(&origin, factor): (&u16, &f32)| scores[usize::from(origin)] * factor;
                let scores: Vec<f32> =
                    origins[tag.index()].iter().zip(&factors[places]).map(of_sub).collect();
                of_words.push_tag(tag, &scores);
            }
            of_words.end_word();
            class_share.push(base.class_share[word]);
        }
        GrammarLexicon { of_words, class_share, ..learned.clone() }
    }

    /// For each symbol the sub-symbols of the grammar to start from that its own come from.
    fn origins(&self, splits: &Splits) -> Splits {
        let mut origins = identity(self.base.finest());
        let before = &self.model.splits()[self.base.splits().len()..];
        for split in before.iter().chain([splits]) {
            for (origins, split) in origins.iter_mut().zip(split) {
                *origins = split.iter().map(|&from| origins[usize::from(from)]).collect();
            }
        }
        origins
    }
}

/// Divides the scores of each word, and of each class, by the largest, so that a word with a share of its class stays what it was but for a factor: parses
/// given the words stay as likely as they were, and numbers of one size are rounded best.
fn scale(lexicon: &mut GrammarLexicon) {
    let largest = |table: &ScoreTable, row: usize| {
        table.get(row).flat_map(|(_, values)| values).copied().fold(0.0, f32::max)
    };
    let of_classes: Vec<f32> =
        (0..lexicon.of_classes.len()).map(|class| largest(&lexicon.of_classes, class)).collect();
    let mut of_words = ScoreTable::new();
    for word in 0..lexicon.of_words.len() {
        let class = lexicon.class(lexicon.words.name(word as u32), false);
        let of_class = lexicon.class_share[word] * of_classes.get(class).copied().unwrap_or(0.0);
        let factor = 1.0 / largest(&lexicon.of_words, word).max(of_class).max(f32::MIN_POSITIVE);
        for (tag, values) in lexicon.of_words.get(word) {
            of_words.push_tag(tag, &values.iter().map(|value| value * factor).collect::<Vec<f32>>());
        }
        of_words.end_word();
        lexicon.class_share[word] = (of_class * factor).min(1.0);
    }
    lexicon.of_words = of_words;
    lexicon.of_classes.scale_words();
}

fn unfitting() -> Error {
    damaged("its sub-symbols are not those of a grammar of these trees")
}

/// The grammar to begin with: all rules of the trees, with the numbers of the grammar to start from.
fn first_grammar(trees: &GrammarTrees, base: &GrammarModel, config: &ConditionalConfig) -> LogLinear {
    let finest = base.finest();
    let lexicon = lexicon(trees, base, config.start, config.lexicon.rare);
    let mut blocks: Vec<RuleBlock> = finest.grammar.blocks().collect();
    let is_missing = |&&(parent, left, right): &&Key| finest.grammar.find(parent, left, right).is_none();
    blocks.extend(trees.rules.iter().filter(is_missing).map(|&(parent, left, right)| RuleBlock {
        parent,
        left,
        right,
        rows: Vec::new(),
        values: Vec::new(),
    }));
    let grammar = Grammar::new(finest.grammar.sizes().to_vec(), blocks, finest.grammar.max_chain());
    let grammar = LogLinear::new(Level { grammar, lexicon, weights: finest.weights.clone() });
    match config.start {
        Start::Base => grammar,
        Start::Scratch => grammar.around_zero(),
    }
}

/// Parent and children of a rule.
type Key = (Symbol, Symbol, Option<Symbol>);

/// Nothing is split.
fn identity(level: &Level) -> Splits {
    level.grammar.sizes().iter().map(|&size| (0..size).collect()).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::super::super::{self as latent, LatentConfig, conditional_fingerprint};
    use super::super::config::Penalty;
    use super::*;
    use crate::chart::ChartOptions;
    use crate::model::{About, ModelFile};
    use crate::train::LexiconConfig;
    use crate::train::pcfg::{self, PcfgConfig};

    fn trees() -> Vec<Tree> {
        crate::treebank::sample("dialogue").into_iter().filter(|tree| tree.num_tokens() <= 9).collect()
    }

    fn base(trees: &[Tree]) -> GrammarModel {
        let config = PcfgConfig { binarization: Binarization::x_bar(), ..PcfgConfig::default() };
        pcfg::train(trees, &config).unwrap()
    }

    fn config() -> ConditionalConfig {
        ConditionalConfig { max_splits: 1, max_iterations: 4, patience: 9, ..ConditionalConfig::default() }
    }

    fn bytes(trained: &TrainedConditional) -> Vec<u8> {
        trained.model.to_file(About::new("")).unwrap().to_bytes().unwrap()
    }

    #[test]
    fn threads_do_not_change_a_byte() {
        let trees = trees();
        let base = base(&trees);
        let train = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let go_on = |_: ConditionalEvent<'_>| ControlFlow::Continue(());
            pool.install(|| train(&trees, &trees[..10], &base, &config(), None, go_on)).unwrap()
        };
        assert!(bytes(&train(1)) == bytes(&train(3)));
    }

    #[test]
    fn resumed_training_ends_with_the_same_bytes() {
        let trees = trees();
        let base = base(&trees);
        let config = ConditionalConfig { max_splits: 2, merge_share: 0.5, ..config() };
        let run = conditional_fingerprint(&trees, &[], &base, &config).unwrap();
        let mut files = Vec::new();
        let whole = train(&trees, &[], &base, &config, None, |event| {
            if let ConditionalEvent::Stage { checkpoint, .. } = event {
                files.push(checkpoint.to_file(&run).unwrap().to_bytes().unwrap());
            }
            ControlFlow::Continue(())
        });
        let whole = bytes(&whole.unwrap());
        for (index, bytes_of_file) in files.iter().enumerate() {
            let file = ModelFile::from_bytes(bytes_of_file).unwrap();
            let checkpoint = ConditionalCheckpoint::from_file(&file, &run).unwrap();
            assert_eq!((checkpoint.points.len(), checkpoint.merges.len()), (index + 1, index));
            assert!(ConditionalCheckpoint::from_file(&file, "other").is_err());
            let resume = |from| train(&trees, &[], &base, &config, Some(from), |_| ControlFlow::Continue(()));
            let mut forged = checkpoint.clone();
            if let Some(merge) = forged.merges.first_mut() {
                merge.origins[0] = u16::MAX;
                assert!(resume(forged).is_err());
            }
            assert!(whole == bytes(&resume(checkpoint).unwrap()), "after stage {}", index + 1);
        }
    }

    #[test]
    fn splits_that_bring_little_are_undone() {
        let trees = trees();
        let base = base(&trees);
        let penalty = Penalty::L1(0.1);
        let config = ConditionalConfig { merge_share: 0.75, max_iterations: 20, penalty, ..config() };
        let trained = train(&trees, &trees, &base, &config, None, |_| ControlFlow::Continue(())).unwrap();
        let [whole, merged] = &trained.points[..] else { panic!("two stages: {:?}", trained.points) };
        let (num_split, num_kept) =
            merged.splits.iter().fold((0, 0), |(split, kept), it| (split + it.num_split, kept + it.num_kept));
        assert_eq!(num_split, whole.num_substates - 1, "all but the root");
        assert_eq!(num_kept, num_split - num_split * 3 / 4);
        assert_eq!(merged.num_substates, whole.num_substates + num_kept);
        assert!(merged.objective < whole.objective, "{} {}", merged.objective, whole.objective);
        assert!(whole.splits.is_empty());
    }

    #[test]
    fn every_start_and_penalty_learns_its_trees() {
        let trees = trees();
        let base = base(&trees);
        for start in [Start::Base, Start::Scratch] {
            let mut num_free = 0;
            for penalty in [Penalty::None, Penalty::L1(0.1), Penalty::L2(0.01)] {
                let lexicon = LexiconConfig { rare: 1, ..LexiconConfig::default() };
                let config = ConditionalConfig { start, penalty, lexicon, max_iterations: 20, ..config() };
                let mut objectives = Vec::new();
                let trained = train(&trees, &trees, &base, &config, None, |event| {
                    if let ConditionalEvent::Iteration { stage: 1, objective, .. } = event {
                        objectives.push(objective);
                    }
                    ControlFlow::Continue(())
                });
                let trained = trained.unwrap();
                assert!(objectives.is_sorted_by(|a, b| a >= b), "{objectives:?}");
                let point = &trained.points[trained.best];
                assert!(point.scores.unwrap().f1 > 85.0, "{start:?} {penalty:?} {point:?}");
                match penalty {
                    Penalty::None => num_free = point.num_nonzero,
                    Penalty::L1(_) => assert!(point.num_nonzero < num_free, "{point:?} {num_free}"),
                    Penalty::L2(_) => {}
                }
                let read = GrammarModel::from_file(&ModelFile::from_bytes(&bytes(&trained)).unwrap());
                assert!(read.unwrap() == trained.model);
            }
        }
    }

    #[test]
    fn grammars_with_sub_symbols_are_split_and_merged_further() {
        let trees = trees();
        let joint = LatentConfig { max_rounds: 1, split_iterations: 3, ..LatentConfig::default() };
        let joint = latent::train(&trees, &[], &joint, None, |_| ControlFlow::Continue(())).unwrap().model;
        let config = ConditionalConfig { max_splits: 2, merge_share: 0.6, ..config() };
        let trained = train(&trees, &[], &joint, &config, None, |_| ControlFlow::Continue(())).unwrap();
        assert_eq!(trained.points.len(), 3);
        let read = GrammarModel::from_file(&ModelFile::from_bytes(&bytes(&trained)).unwrap()).unwrap();
        assert!(read == trained.model);
        assert!(measure(&read, &trees, &ChartOptions::default()).f1 > 85.0);
    }

    #[test]
    fn scaled_words_have_the_same_scores_but_for_a_factor() {
        let trees = trees();
        let mut lexicon = base(&trees).finest().lexicon.clone();
        let scores = |lexicon: &GrammarLexicon, word: &str| {
            let mut scores = BTreeMap::new();
            lexicon.score(word, false, |tag, values, factor| {
                *scores.entry(tag).or_insert(0.0) += values[0] * factor;
            });
            scores.into_values().collect::<Vec<f32>>()
        };
        let words: Vec<String> = lexicon.words.iter().map(str::to_owned).collect();
        let before: Vec<Vec<f32>> = words.iter().map(|word| scores(&lexicon, word)).collect();
        scale(&mut lexicon);
        for (word, before) in words.iter().zip(before) {
            let after = scores(&lexicon, word);
            let factor = after[0] / before[0];
            let is_same = |(a, b): (&f32, &f32)| (a - b * factor).abs() <= 1e-5 * a;
            assert!(after.len() == before.len() && after.iter().zip(&before).all(is_same), "{word}");
        }
    }

    #[test]
    fn grammars_of_other_trees_are_refused() {
        let trees = trees();
        let base = base(&trees[1..]);
        let error = train(&trees, &[], &base, &config(), None, |_| ControlFlow::Continue(())).unwrap_err();
        assert!(error.to_string().contains("was learned from the same trees"), "{error}");
    }
}
