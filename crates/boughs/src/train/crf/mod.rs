//! Chart parsers with features, trained to tell the gold tree from all others by likelihood or margin (Taskar et al.
//! 2004; Hall, Durrett & Klein 2014).
//!
//! The naive form lists all parses of every sentence and solves one large quadratic program. Parses share their parts,
//! so what is wanted of all parses of a sentence, the best one with its errors counted in or an expectation over all,
//! comes from a search of a packed forest; an optimizer goes from sentence to sentence and asks for no more
//! (`oracle`). What can be learned depends on the forests:
//!
//! - *Forests* come from a base grammar, once, before training (`forests`), and are kept with their features
//!   (`examples`).
//! - *Posteriors.* What the base grammar says of a span can be a feature, and what a classifier says that sees the
//!   span by itself (`span_classifier`).
//! - *Folds.* Both are surer of sentences that they have learned from. So each fold of the treebank gets its
//!   posteriors from models that learned from the other folds. All folds share one numbering of symbols.
//! - *Targets.* If the gold tree is not in a forest, the one with the fewest errors stands for it.

mod dev;
mod dual;
mod examples;
mod forests;
mod gold;
mod index;
mod online;
mod oracle;
#[cfg(test)]
mod reference;
mod settings;
mod span_classifier;
mod state;

pub use settings::{BaseGrammar, CrfConfig, CrfPreset, Loss, Optimizer};

use super::case::recase;
use super::grammar::{BinaryTrees, GrammarTrees};
use super::latent::{ROUND, SplitMerge};
use super::pcfg::read_off_numbered;
use super::settings::identity;
use super::tags::{at_most, tagger_for};
use super::{about, insert_grammar, read_grammars};
use crate::chart::{CrfGraph, Extractor, PartSymbols, Surface};
use crate::error::{Error, ErrorKind, Result, require};
use crate::learn::run::{Figure, Recipe, Scores, Step, Watch};
use crate::model::{
    About, ChartModel, CrfFeatures, CrfObjective, GrammarModel, ModelFile, Property, SpanClassifier,
    WordForms, damaged_if,
};
use crate::parser::{EngineOptions, Parser};
use crate::rng::Rng;
use crate::tagger::Tagger;
use crate::tree::{TRACE_TAG, Tree};
use crate::treebank::folds_of;
use dev::DevSet;
use examples::{Example, PartFeatures};
use forests::{FoldGrammars, SentenceForest, TrainingForests, of_fold, train_classifiers};
use gold::gold_parts;
use index::{FeatureIndex, rounded};
use oracle::{base_factor, primal};
use span_classifier::SpanLearner;
use state::WeightState;

/// The stream of random numbers that decides the case of sentences; epochs have those below it.
const CASE: u64 = 1 << 32;

/// A run: base grammars, then forests, then weights.
#[derive(Debug)]
pub struct CrfState {
    tagger: Option<Tagger>,
    trees: Vec<Tree>,
    binary: BinaryTrees,
    /// The fold of each tree.
    folds: Vec<usize>,
    /// The grammars of all folds but one, for each fold, and that of all trees at the end.
    grammars: Vec<GrammarModel>,
    /// The grammar that is learned now, if it takes several rounds.
    base: Option<SplitMerge>,
    problem: Option<CrfProblem>,
    dev: Option<DevSet>,
    /// Which of the costs of errors is tried, and how many epochs are done with it.
    cost: usize,
    epoch: usize,
    weights: WeightState,
    /// The weights of the parser as it stands, as a file has them.
    rounded: Vec<f32>,
}

/// What weights are learned from: it follows from trees, grammars and settings.
#[derive(Debug)]
struct CrfProblem {
    forms: WordForms,
    parts: PartSymbols,
    extractor: Extractor,
    index: FeatureIndex,
    classifiers: Vec<SpanClassifier>,
    examples: Vec<Example>,
}

impl CrfProblem {
    fn part_features(&self, graph: &CrfGraph, surface: &Surface) -> PartFeatures {
        PartFeatures::new(&self.extractor, &self.index, graph, surface)
    }
}

impl CrfState {
    fn grammar(&self) -> Result<&GrammarModel> {
        self.grammars.last().ok_or_else(|| Error::new(ErrorKind::Mismatch, "expected a grammar, found none"))
    }

    /// The trees of all folds but one as numbers; all trees for the last grammar.
    fn fold_trees(&self, config: &CrfConfig, number: usize) -> GrammarTrees {
        let is_of_all = number + 1 == config.num_grammars();
        let is_kept = |place: usize| is_of_all || self.folds[place] != number;
        self.binary.number(&config.base.lexicon().classes, is_kept)
    }
}

/// The trees that have words, all of them with tags.
fn usable(trees: &[Tree]) -> Vec<Tree> {
    let is_usable = |tree: &&Tree| {
        let mut words = tree.tokens().filter(|token| token.tag != TRACE_TAG).peekable();
        words.peek().is_some() && words.all(|token| !token.tag.is_empty())
    };
    trees.iter().filter(is_usable).cloned().collect()
}

impl CrfConfig {
    /// Trains a base grammar, or a round of one; nothing if the observer broke off.
    fn grammar_step(&self, state: &mut CrfState, watch: &Watch<'_>) -> Result<Option<Step>> {
        let (number, num_grammars) = (state.grammars.len(), self.num_grammars());
        let mut figures = vec![Figure::count("grammar", number + 1)];
        match &self.base {
            BaseGrammar::Pcfg(config) => {
                let trees = state.fold_trees(self, number);
                state.grammars.push(read_off_numbered(trees, config));
            }
            BaseGrammar::Latent(config) => {
                let mut base = match state.base.take() {
                    Some(base) => base,
                    None => SplitMerge::new(state.fold_trees(self, number), config),
                };
                if base.round(config, config.seed, watch).is_break() {
                    return Ok(None);
                }
                figures.extend(base.figures());
                match base.num_rounds() < config.max_rounds {
                    true => state.base = Some(base),
                    false => state.grammars.push(base.model()),
                }
            }
        }
        let num_left = num_grammars - state.grammars.len() + self.max_epochs * self.error_costs.len();
        Ok(Some(Step { num_left: Some(num_left), ..Step::preparation(0, figures) }))
    }

    /// Makes forests and features; nothing if the observer broke off.
    fn problem(&self, state: &CrfState, watch: &Watch<'_>) -> Result<Option<CrfProblem>> {
        let (grammar, trees) = (state.grammar()?, &state.trees);
        let numbered = state.fold_trees(self, self.num_grammars() - 1);
        let counted = numbered.words.iter().zip(numbered.word_counts.iter().copied());
        let forms = WordForms::new(counted, self.min_word_count);
        let forms = match &self.clusters {
            Some(text) => forms.with_clusters(text)?,
            None => forms,
        };
        let parts = PartSymbols::of_grammar(grammar, self.is_annotated());
        let extractor = Extractor::new(&self.features, &parts);
        let symbols = grammar.symbols();
        let builder =
            TrainingForests { config: self, forms: &forms, extractor: &extractor, symbols, parts: &parts };
        let tell = |num_done: usize| {
            let share = num_done as f64 / trees.len() as f64;
            watch.progress(Some(share), format_args!("{num_done} of {} forests", trees.len()))
        };
        let forests = builder.build_folds(trees, &state.folds, &state.grammars, tell);
        let Some(mut forests) = forests else { return Ok(None) };
        let mut classifiers = Vec::new();
        if self.features.asks_for(Property::SpanClassifier) {
            let tagged = forests.iter().map(|forest| &forest.tokens);
            let learner = SpanLearner::new(tagged, &numbered, &forms, &parts);
            classifiers = train_classifiers(&learner, &state.folds, self.folds)?;
            let found = learner.measure(&classifiers, &state.folds, &parts);
            let [precision, recall, f1] =
                [found.precision(), found.recall(), found.f1()].map(|it| it.unwrap_or(0.0));
            watch.note(format_args!(
                "span classifier: precision {precision:.2}, recall {recall:.2}, F1 {f1:.2} on other folds"
            ));
            for fold in 0..self.folds {
                let Some(classifier) = of_fold(&classifiers, fold) else { continue };
                let of_fold = forests.iter_mut().zip(&state.folds).filter(|(_, it)| **it == fold);
                builder.classify(classifier, of_fold.map(|(forest, _)| forest));
            }
        }
        let index = builder.index(&forests);
        let mut problem = CrfProblem { forms, parts, extractor, index, classifiers, examples: Vec::new() };
        let mut num_reachable = 0;
        for (tree, SentenceForest { forest, .. }) in forests.into_iter().enumerate() {
            let Some((graph, surface)) = forest else { continue };
            let features = problem.part_features(&graph, &surface);
            let gold = gold_parts(&numbered, tree, &problem.parts);
            let example = Example::new(graph, features, &gold, &problem.parts, self);
            num_reachable += usize::from(example.is_reachable(&gold));
            problem.examples.push(example);
        }
        watch.note(format_args!(
            "{} forests ({} sentences without one), {num_reachable} with the gold tree, {} parts, {} features",
            problem.examples.len(),
            trees.len() - problem.examples.len(),
            problem.examples.iter().map(|example| example.graph.parts.len()).sum::<usize>(),
            problem.index.features.len()
        ));
        Ok(Some(problem))
    }

    /// Goes through the sentences once.
    fn epoch(&self, state: &mut CrfState, watch: &Watch<'_>) -> Result<Vec<Figure>> {
        let CrfState { problem: Some(problem), weights: state_of_weights, .. } = state else {
            return Err(Error::new(ErrorKind::Mismatch, "expected forests, found none"));
        };
        let (examples, num_weights) = (&problem.examples, problem.index.num_weights());
        if state_of_weights.weights.is_empty() {
            *state_of_weights = WeightState::new(num_weights);
        } else if state_of_weights.weights.len() != num_weights {
            let message = "expected a weight for each feature of these trees, found others";
            return Err(Error::new(ErrorKind::Mismatch, message).hint("remove the checkpoint to start anew"));
        }
        let cost = self.error_costs[state.cost];
        state.epoch += 1;
        let mut order: Vec<usize> = (0..examples.len()).collect();
        Rng::stream(self.seed, state.epoch as u64).shuffle(&mut order);
        let (loss, gap, weights) = match self.optimizer {
            Optimizer::Smo => {
                dual::epoch(state_of_weights, examples, &order, cost, self.loss_weight);
                let gap = dual::measure(state_of_weights, examples, cost, self.loss_weight, watch);
                (gap.hinge, Some(gap), state_of_weights.weights.clone())
            }
            _ => {
                let number = state.epoch;
                let loss = online::epoch(state_of_weights, examples, &order, self, cost, number, watch);
                (loss, None, state_of_weights.average())
            }
        };
        let primal = || primal(&weights, examples, cost, self.loss_weight, watch);
        let primal = || self.measure_objective.then(primal);
        let mut figures = vec![
            Figure::count("epoch", state.epoch),
            Figure::new("loss", loss / examples.len().max(1) as f64, 4),
        ];
        if self.error_costs.len() > 1 {
            figures.insert(0, Figure::new("error cost", cost, 4));
        }
        if let Some(gap) = gap {
            figures.push(Figure::new("gap %", 100.0 * gap.gap / gap.primal.max(f64::MIN_POSITIVE), 2));
        }
        if let Some(primal) = gap.map(|gap| gap.primal).or_else(primal) {
            figures.push(Figure::new("objective", primal, 1));
        }
        state.rounded = rounded(&weights);
        Ok(figures)
    }
}

impl Recipe for CrfConfig {
    type Data = [Tree];
    type State = CrfState;
    type Model = Parser;

    fn name(&self) -> &'static str {
        "crf"
    }

    fn identity(&self, train: &[Tree], dev: Option<&[Tree]>) -> String {
        let free = Self { max_epochs: 0, patience: 0, gap: 0.0, measure_objective: false, ..self.clone() };
        identity(&free, train, dev)
    }

    fn start(&self, train: &[Tree], watch: &Watch<'_>) -> Result<CrfState> {
        self.check()?;
        let mut train = train.to_vec();
        // Copies of a sentence stay in one fold, whatever their case.
        let folds = folds_of(&usable(&at_most(&train, self.max_words)), self.folds);
        recase(&mut train, &mut Rng::stream(self.seed, CASE), self.recase);
        let tagger = self.with_tagger.then(|| tagger_for(&train, &[], &self.tagger, watch)).transpose()?;
        let trees = usable(&at_most(&train, self.max_words));
        let binary = BinaryTrees::new(&trees, &self.base.binarization(), self.base.annotations())?;
        let num_symbols: usize = binary.sizes.iter().copied().map(usize::from).sum();
        require(num_symbols <= usize::from(u16::MAX), "at most 65535 annotated symbols", num_symbols)?;
        Ok(CrfState {
            tagger,
            folds,
            trees,
            binary,
            grammars: Vec::new(),
            base: None,
            problem: None,
            dev: None,
            cost: 0,
            epoch: 0,
            weights: WeightState::new(0),
            rounded: Vec::new(),
        })
    }

    fn step(&self, _: &[Tree], state: &mut CrfState, watch: &Watch<'_>) -> Result<Option<Step>> {
        if state.grammars.len() < self.num_grammars() {
            return self.grammar_step(state, watch);
        }
        if state.problem.is_none() {
            state.problem = self.problem(state, watch)?;
        }
        if state.problem.is_none() {
            return Ok(None);
        }
        let figures = self.epoch(state, watch)?;
        let gap = figures.iter().find(|figure| figure.name == "gap %").map(|figure| figure.value);
        let is_solved = gap.is_some_and(|gap| gap <= 100.0 * self.gap);
        let costs_left = self.error_costs.len() - state.cost - 1;
        let num_left = self.max_epochs.saturating_sub(state.epoch);
        Ok(Some(Step {
            is_last: is_solved || num_left == 0,
            num_left: Some(num_left + costs_left * self.max_epochs),
            ..Step::candidate(state.cost, figures)
        }))
    }

    fn model(&self, state: &CrfState) -> Result<Parser> {
        let Some(problem) = state.problem.as_ref().filter(|_| !state.rounded.is_empty()) else {
            return Err(Error::new(ErrorKind::Mismatch, "expected weights, found none"));
        };
        let features = problem.index.features.iter().copied();
        let weights = features.zip(state.rounded[1..].iter().copied());
        let features = CrfFeatures {
            templates: self.features.clone(),
            forms: problem.forms.clone(),
            thresholds: self.thresholds,
            objective: self.objective,
            is_annotated: self.is_annotated(),
            base_weight: base_factor(&state.rounded),
            weights: weights.filter(|(_, weight)| *weight != 0.0).collect(),
            span_classifier: problem.classifiers.last().cloned(),
        };
        let model = ChartModel::new(vec![state.grammar()?.clone()], Some(features))?;
        let mut about = About { seed: self.seed, ..about(self)? };
        if let Some(note) = self.preset_note()? {
            about.settings.insert("preset".to_owned(), note);
        }
        if self.objective == CrfObjective::Margin {
            about.settings.insert("error-cost".to_owned(), self.error_costs[state.cost].to_string());
        }
        Parser::new(about, model, state.tagger.clone())
            .with_engine(EngineOptions::Chart(self.options.clone()))
    }

    /// Forests do not change with the weights, so those of the development trees are made once and kept. A test holds
    /// that this gives what the parser gives.
    fn evaluate(&self, state: &mut CrfState, _: &Parser, dev: &[Tree]) -> Result<Scores> {
        if state.dev.is_none() {
            let Some(problem) = &state.problem else {
                return Err(Error::new(ErrorKind::Mismatch, "expected forests, found none"));
            };
            let grammar = state.grammar()?;
            let CrfProblem { forms, parts, extractor, .. } = problem;
            let symbols = grammar.symbols();
            let builder = TrainingForests { config: self, forms, extractor, symbols, parts };
            let dev = at_most(dev, self.max_words);
            let mut forests = builder.build(&dev, FoldGrammars { forests: grammar, posteriors: None });
            if let Some(classifier) = problem.classifiers.last() {
                builder.classify(classifier, forests.iter_mut());
            }
            let features = |graph: &CrfGraph, surface: &Surface| problem.part_features(graph, surface);
            state.dev = Some(DevSet::new(dev, forests, features));
        }
        let CrfState { dev: Some(dev), binary, rounded, .. } = state else {
            return Err(Error::new(ErrorKind::Mismatch, "expected forests, found none"));
        };
        Ok(dev.measure(rounded, self.options.decoder, &binary.symbols, &self.profile))
    }

    fn patience(&self) -> usize {
        self.patience
    }

    /// Each cost of errors is tried from the beginning.
    fn next_phase(&self, state: &mut CrfState, _: Option<Parser>) -> Result<bool> {
        if state.cost + 1 == self.error_costs.len() {
            return Ok(false);
        }
        state.cost += 1;
        state.epoch = 0;
        state.weights = WeightState::new(0);
        Ok(true)
    }

    /// Puts into a checkpoint the grammars (`grammar0` …), the one that is learned, the weights with what the optimizer
    /// remembers, and which epoch it is.
    fn save(&self, state: &CrfState, file: &mut ModelFile) -> Result<()> {
        for (number, grammar) in state.grammars.iter().enumerate() {
            insert_grammar(file, &format!("grammar{number}"), grammar)?;
        }
        if let Some(base) = &state.base {
            base.save(file)?;
        }
        file.insert_state("weights", &state.weights)?;
        file.insert_state("place", &(state.cost, state.epoch, &state.rounded))
    }

    fn restore(&self, state: &mut CrfState, file: &ModelFile) -> Result<()> {
        state.grammars = read_grammars(file, "grammar")?;
        if let (BaseGrammar::Latent(config), true) = (&self.base, file.has(ROUND)) {
            let mut base = SplitMerge::new(state.fold_trees(self, state.grammars.len()), config);
            base.restore(config, file)?;
            state.base = Some(base);
        }
        (state.cost, state.epoch, state.rounded) = file.state("place")?;
        state.weights = WeightState::restore(file)?;
        damaged_if(state.cost >= self.error_costs.len(), "it tries a cost of errors that there is not")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::Decoder;
    use crate::learn::run::Silent;
    use crate::model::{Array, CrfTemplates};
    use crate::parser::Model;
    use crate::train::testing::{
        bytes, is_resumed_to_the_same_bytes, is_the_same_among_peers, is_the_same_on_threads, train,
    };
    use crate::train::{Annotations, LatentConfig, PcfgConfig, RunOptions, run};
    use crate::tree::Unaries;
    use crate::treebank::sample;

    fn trees() -> Vec<Tree> {
        sample("howto").into_iter().take(60).collect()
    }

    fn config(optimizer: Optimizer) -> CrfConfig {
        let objective =
            if optimizer == Optimizer::AdaGrad { CrfObjective::Likelihood } else { CrfObjective::Margin };
        let base = BaseGrammar::Pcfg(PcfgConfig::default());
        CrfConfig { optimizer, objective, base, folds: 2, max_epochs: 2, ..CrfConfig::default() }
    }

    #[test]
    fn threads_do_not_change_a_byte() {
        is_the_same_on_threads(&config(Optimizer::AdaGrad), &trees(), 20);
    }

    #[test]
    fn other_processes_do_not_change_a_byte() {
        for optimizer in [Optimizer::AdaGrad, Optimizer::Smo] {
            is_the_same_among_peers(&config(optimizer), &trees(), 20);
        }
    }

    #[test]
    fn resumed_training_ends_with_the_same_bytes() {
        for optimizer in [Optimizer::AdaGrad, Optimizer::Smo, Optimizer::Perceptron, Optimizer::Subgradient] {
            is_resumed_to_the_same_bytes(&config(optimizer), &trees(), 0);
        }
    }

    #[test]
    fn a_run_goes_on_between_two_rounds_of_a_grammar() {
        let latent = LatentConfig { max_rounds: 2, split_iterations: 3, ..LatentConfig::default() };
        let base = BaseGrammar::Latent(latent);
        let config = CrfConfig { base, max_epochs: 1, ..config(Optimizer::AdaGrad) };
        is_resumed_to_the_same_bytes(&config, &trees(), 0);
    }

    #[test]
    fn the_best_cost_of_errors_is_kept_also_by_a_run_that_goes_on() {
        let trees = trees();
        let config = |costs: &[f64]| CrfConfig { error_costs: costs.to_vec(), ..config(Optimizer::Smo) };
        let dev = &trees[..20];
        let f1s = |config: &CrfConfig| -> Vec<f64> {
            let steps = train(config, &trees, dev).steps;
            steps.iter().filter_map(|step| step.scores.as_ref()).map(|scores| scores.criterion).collect()
        };
        let both = config(&[0.001, 1.0]);
        let alone = [f1s(&config(&[0.001])), f1s(&config(&[1.0]))].concat();
        assert_eq!(f1s(&both), alone, "each begins anew");
        let trained = train(&both, &trees, dev);
        let best = trained.steps[trained.best].scores.as_ref().unwrap().criterion;
        assert_eq!(best, alone.iter().copied().fold(0.0, f64::max));
        is_resumed_to_the_same_bytes(&both, &trees, 20);
    }

    #[test]
    fn kept_forests_give_the_scores_of_the_parser() {
        let trees = trees();
        for features in ["surface+grammar", "lexical+aux"] {
            let features = features.parse::<CrfTemplates>().unwrap();
            let config = CrfConfig { features, ..config(Optimizer::AdaGrad) };
            let trained = train(&config, &trees, &trees[..20]);
            let scores = trained.steps[trained.best].scores.clone();
            assert_eq!(Some(trained.model.evaluate(&trees[..20]).unwrap()), scores);
        }
    }

    #[test]
    fn models_come_back() {
        let trees = trees();
        let features = "lexical+aux".parse::<CrfTemplates>().unwrap();
        let trained = train(&CrfConfig { features, ..config(Optimizer::AdaGrad) }, &trees, &trees[..20]);
        let file = trained.model.to_file().unwrap();
        let read = Parser::from_file(&file).unwrap();
        assert!(bytes(&read) == bytes(&trained.model));
        let Model::Chart(model) = read.model() else { panic!("a chart parser") };
        let features = model.features().unwrap();
        assert!(features.span_classifier.as_ref().is_some_and(|classifier| !classifier.weights.is_empty()));
        for damage in ["crf_features", "crf_weights", "span_weights"] {
            let mut file = file.clone();
            file.insert(damage, Array::U8(Vec::new()));
            assert!(Parser::from_file(&file).is_err(), "{damage}");
        }
    }

    #[test]
    fn the_preset_is_the_paper() {
        let preset = CrfConfig::mmp04();
        let BaseGrammar::Pcfg(base) = &preset.base else { panic!("a grammar read off trees") };
        assert_eq!(base.annotations.to_string(), Annotations::klein_manning().to_string(), "section 6");
        assert_eq!(base.unaries, Unaries::CollapseBelowRoot, "unary chains are symbols");
        assert_eq!((preset.objective, preset.optimizer), (CrfObjective::Margin, Optimizer::Smo), "section 4");
        assert_eq!((preset.loss, preset.folds), (Loss::Phrases, 2));
        assert_eq!(preset.options.decoder, Decoder::Viterbi);
        assert_eq!(preset.features.to_string(), "lexical+aux");
        assert!(CrfConfig::mmp04().min_feature_count == 1, "every feature of the training trees");
    }

    #[test]
    fn the_preset_is_told_and_what_it_was_changed_in() {
        let features = "basic".parse::<CrfTemplates>().unwrap();
        let preset = CrfConfig { seed: 3, max_epochs: 1, error_costs: vec![0.1], ..CrfConfig::mmp04() };
        let trained = train(&CrfConfig { features, ..preset }, &trees(), &[]);
        let told = &trained.model.about().settings["preset"];
        assert_eq!(told, "mmp04 as printed but for error-costs, features, max-epochs");
        let Model::Chart(model) = trained.model.model() else { panic!("a chart parser") };
        assert!(model.features().unwrap().is_annotated);
        assert_eq!(CrfConfig::default().preset_note().unwrap(), None);
    }

    #[test]
    fn every_parse_is_looked_at_without_pruning() {
        let trees = trees();
        let few = config(Optimizer::AdaGrad);
        let num_parts = |config: &CrfConfig| {
            let watch = Watch::new(&Silent);
            let mut state = config.start(&trees, &watch).unwrap();
            while state.problem.is_none() {
                config.step(&trees, &mut state, &watch).unwrap();
            }
            let examples = &state.problem.as_ref().unwrap().examples;
            examples.iter().map(|example| example.graph.parts.len()).sum::<usize>()
        };
        let (pruned, all) = (num_parts(&few), num_parts(&few.clone().unpruned()));
        assert!(all > pruned, "{all} {pruned}");
    }

    #[test]
    fn settings_out_of_range_are_refused() {
        let with_costs =
            |optimizer, costs: &[f64]| CrfConfig { error_costs: costs.to_vec(), ..config(optimizer) };
        for wrong in [
            CrfConfig { folds: 0, ..config(Optimizer::AdaGrad) },
            CrfConfig { rate: f32::NAN, ..config(Optimizer::AdaGrad) },
            CrfConfig { objective: CrfObjective::Likelihood, ..config(Optimizer::Smo) },
            with_costs(Optimizer::Smo, &[1.0, 1.0]),
            with_costs(Optimizer::AdaGrad, &[0.1, 1.0]),
            with_costs(Optimizer::Smo, &[]),
        ] {
            assert!(wrong.check().is_err(), "{wrong:?}");
        }
        assert!(run(&config(Optimizer::AdaGrad), &[], None, RunOptions::default()).is_err());
    }
}
