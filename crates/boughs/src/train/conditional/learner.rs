//! A log-linear grammar on its way: prune, minimise, split, and again.

use serde::{Deserialize, Serialize};

use super::super::latent::{
    SymbolSplits, TreeScores, after_merge, gains, log_likelihoods, origins_without, ranked,
};
use super::config::{ConditionalConfig, PenaltyOrigin, Start, TrainingPruning};
use super::loglinear::LogLinear;
use super::objective::{Objective, leaf_scores};
use super::sentences::{PrunedSentence, fits_chart, prune};
use super::words::{lexicon, with_unknown_words};
use crate::error::{Error, ErrorKind, Result};
use crate::learn::optimize::{OptimizerConfig, OptimizerState, minimize};
use crate::learn::run::{Figure, Watch};
use crate::model::{
    Grammar, GrammarLexicon, GrammarModel, Level, ModelFile, RuleBlock, ScoreTable, Splits, Symbol, damaged,
    read_splits,
};
use crate::rng::Rng;
use crate::train::grammar::GrammarTrees;
use crate::train::{insert_grammar, read_grammar};

/// Substates that were put together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Merge {
    /// What became of each substate, one symbol after the other.
    origins: Vec<u16>,
    /// How often each substate occurred.
    weights: Vec<f32>,
}

/// A grammar after some steps, with the trees that it learns from.
#[derive(Debug)]
pub(super) struct LogLinearLearner {
    trees: GrammarTrees,
    base: GrammarModel,
    grammar: LogLinear,
    parameters: Vec<f64>,
    /// The grammars of all steps, each finer than the one before, above those of the base.
    pub(super) model: GrammarModel,
    pub(super) num_steps: usize,
    merges: Vec<Merge>,
    /// What the splits brought to each symbol, for each step that undid some.
    pub(super) gains: Vec<Vec<SymbolSplits>>,
}

/// What a minimisation came to.
struct Learned {
    iterations: u64,
    /// How many parameters are not where the penalty draws them to.
    num_nonzero: usize,
    objective: f64,
    /// What would be lost by putting two substates together, if so wanted.
    losses: Vec<f64>,
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

impl LogLinearLearner {
    /// The grammar before the first step.
    ///
    /// # Errors
    /// If the grammar to start from is of other trees.
    pub(super) fn new(trees: GrammarTrees, base: GrammarModel, config: &ConditionalConfig) -> Result<Self> {
        check_base(&trees, &base)?;
        let grammar = first_grammar(&trees, &base, config);
        let parameters = vec![0.0; grammar.num_parameters()];
        let (model, merges, gains) = (base.clone(), Vec::new(), Vec::new());
        Ok(Self { trees, base, grammar, parameters, model, num_steps: 0, merges, gains })
    }

    /// Splits all symbols but in the first step, minimises, and undoes the splits that bring least; nothing if the
    /// observer broke off.
    pub(super) fn step(
        &mut self,
        config: &ConditionalConfig,
        watch: &Watch<'_>,
    ) -> Result<Option<Vec<Figure>>> {
        let mut splits = match self.num_steps {
            0 => identity(&self.grammar.level),
            _ => self.split(config),
        };
        let has_merge = self.num_steps > 0 && config.merge_share > 0.0;
        let Some(mut learned) = self.learn(config, &splits, 0, has_merge, watch)? else { return Ok(None) };
        if has_merge {
            let gains = self.merge(config, &learned.losses, &mut splits)?;
            self.gains.push(gains);
            let again = self.learn(config, &splits, learned.iterations, false, watch)?;
            let Some(again) = again else { return Ok(None) };
            learned = again;
        }
        self.model = self.model.clone().with_finer(self.exported(config, &splits), splits);
        self.num_steps += 1;
        Ok(Some(vec![
            Figure::count("step", self.num_steps),
            Figure::count("substates", self.model.finest().grammar.num_substates()),
            Figure::count("parameters", self.parameters.len()),
            Figure::count("not zero", learned.num_nonzero),
            Figure::count("iterations", learned.iterations as usize),
            Figure::new("objective", learned.objective, 1),
        ]))
    }

    /// Splits all symbols in two.
    fn split(&mut self, config: &ConditionalConfig) -> Splits {
        let mut rng = Rng::stream(config.seed, self.num_steps as u64);
        let root = self.trees.symbols.root();
        let (grammar, parameters, splits) =
            self.grammar.split(&self.parameters, root, config.noise, &mut rng);
        (self.grammar, self.parameters) = (grammar, parameters);
        splits
    }

    /// Undoes those of the last splits that bring least, and tells what the others bring.
    fn merge(
        &mut self,
        config: &ConditionalConfig,
        losses: &[f64],
        splits: &mut Splits,
    ) -> Result<Vec<SymbolSplits>> {
        let grammar = &self.grammar.level.grammar;
        let losses = ranked(&self.trees.symbols, grammar, losses);
        let (undone, kept) = losses.split_at((losses.len() as f64 * config.merge_share) as usize);
        let gains = gains(&self.trees, undone, kept);
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

    /// Minimises the objective after some iterations of the stage; nothing if the observer broke off.
    fn learn(
        &mut self,
        config: &ConditionalConfig,
        splits: &Splits,
        num_before: u64,
        wants_losses: bool,
        watch: &Watch<'_>,
    ) -> Result<Option<Learned>> {
        let number = self.num_steps + 1;
        self.grammar.set(&self.parameters);
        let (trees, sentences) = self.prune(config, splits, watch);
        let num_left: usize = sentences.iter().map(|sentence| sentence.mask.num_symbols()).sum();
        let mut flow = watch.progress(
            None,
            format_args!(
                "step {number}: {} sentences with {:.0} symbols each left after pruning, {} parameters",
                sentences.len(),
                num_left as f64 / sentences.len().max(1) as f64,
                self.parameters.len()
            ),
        );
        let mut objective =
            Objective::new(&trees, sentences, self.grammar.clone(), config.l2()).watched(*watch);
        if config.penalty_origin == PenaltyOrigin::Zero {
            objective = objective.around_zero();
        }
        let mut state = OptimizerState::new(objective.to_optimizer(&self.parameters));
        let settings = OptimizerConfig {
            max_iterations: if flow.is_break() { 0 } else { config.max_iterations },
            value_tolerance: config.tolerance,
            history: 6,
            ..OptimizerConfig::default()
        };
        let evaluate = |point: &[f64], gradient: &mut [f64]| {
            if config.pruning == TrainingPruning::EveryIteration {
                objective.sentences = self.prune(config, splits, watch).1;
            }
            objective.evaluate(point, gradient)
        };
        minimize(evaluate, &mut state, &config.l1()?, &settings, |progress| {
            let iteration = num_before + progress.iteration;
            flow = watch.progress(
                Some(iteration as f64 / (config.num_times() * config.max_iterations) as f64),
                format_args!(
                    "step {number} of at most {}, iteration {iteration}, objective {:.1}, {} parameters not zero",
                    config.max_splits + 1,
                    progress.value,
                    progress.num_nonzero
                ),
            );
            flow
        })?;
        if flow.is_break() {
            return Ok(None);
        }
        self.parameters = objective.of_optimizer(&state.point);
        let num_nonzero = state.point.iter().filter(|&&coordinate| coordinate != 0.0).count();
        let losses = if wants_losses { objective.losses(&self.parameters) } else { Vec::new() };
        self.grammar = objective.into_grammar(&self.parameters);
        let iterations = num_before + state.iteration;
        Ok(Some(Learned { iterations, num_nonzero, objective: state.value.unwrap_or(f64::NAN), losses }))
    }

    /// The sentences whose gold tree is among the parses, with what is worth looking at; and their trees.
    fn prune(
        &self,
        config: &ConditionalConfig,
        splits: &Splits,
        watch: &Watch<'_>,
    ) -> (GrammarTrees, Vec<PrunedSentence>) {
        let level = &self.grammar.level;
        let model = with_unknown_words(&self.model, &level.lexicon);
        let pruned = prune(&self.trees, &model, &level.grammar, splits, &config.training_options());
        let leaves = leaf_scores(&self.trees, level);
        let likelihoods =
            log_likelihoods(&self.trees, TreeScores { grammar: &level.grammar, leaves: &leaves }, watch);
        let mut trees = GrammarTrees { trees: Vec::new(), ..self.trees.clone() };
        let mut sentences = Vec::new();
        for ((tree, sentence), likelihood) in self.trees.trees.iter().zip(pruned).zip(likelihoods) {
            let Some(sentence) = sentence else { continue };
            if likelihood.is_finite() && fits_chart(&self.trees, tree) {
                trees.trees.push(tree.clone());
                sentences.push(sentence);
            }
        }
        (trees, sentences)
    }

    /// The grammar as a parser uses it, after these splits.
    fn exported(&self, config: &ConditionalConfig, splits: &Splits) -> Level {
        let level = &self.grammar.level;
        let mut lexicon = match config.start {
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

    /// Puts into a checkpoint the parameters at the end of the last step, the grammars of all steps, and what splits
    /// were undone and brought.
    pub(super) fn save(&self, file: &mut ModelFile) -> Result<()> {
        insert_grammar(file, "model", &self.model)?;
        file.insert_state("parameters", &self.parameters)?;
        file.insert_state("done", &(self.num_steps, &self.merges, &self.gains))
    }

    /// Takes the grammar out of a checkpoint: splits and merges are made again, which takes no time.
    pub(super) fn restore(&mut self, config: &ConditionalConfig, file: &ModelFile) -> Result<()> {
        let (num_steps, merges, gains): (usize, Vec<Merge>, _) = file.state("done")?;
        // Either every step but the first undid splits, or none.
        for step in 1..num_steps {
            self.num_steps = step;
            self.split(config);
            merges.get(step - 1).map_or(Ok(()), |merge| self.put_together(merge))?;
        }
        let parameters: Vec<f64> = file.state("parameters")?;
        if parameters.len() != self.grammar.num_parameters() {
            return Err(damaged("its parameters are not those of a grammar of these trees"));
        }
        (self.parameters, self.model) = (parameters, read_grammar(file, "model")?);
        (self.num_steps, self.merges, self.gains) = (num_steps, merges, gains);
        Ok(())
    }

    /// For each symbol the substates of the grammar to start from that its own come from.
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

/// Divides the scores of each word, and of each class, by the largest, so that a word with a share of its class stays
/// what it was but for a factor: parses given the words stay as likely as they were, and numbers of one size are
/// rounded best.
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
    damaged("its substates are not those of a grammar of these trees")
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

    use super::*;
    use crate::train::pcfg::{PcfgConfig, read_off};
    use crate::treebank::sample;

    #[test]
    fn scaled_words_have_the_same_scores_but_for_a_factor() {
        let base = read_off(&sample("dialogue"), &PcfgConfig::x_bar()).unwrap();
        let mut lexicon = base.finest().lexicon.clone();
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
}
