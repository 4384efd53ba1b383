//! The recipe: grammars, forests, features, then rounds through the sentences.

use std::ops::ControlFlow;

use serde::{Deserialize, Serialize};

use super::checkpoint::CrfCheckpoint;
use super::config::{CrfConfig, Optimizer};
use super::evaluate::DevSet;
use super::examples::{Example, PartFeatures};
use super::folds::{train_grammar, trees_without};
use super::gold::gold_parts;
use super::index::{FeatureIndex, rounded};
use super::oracle::{base_factor, primal};
use super::span_classifier::SpanLearner;
use super::state::State;
use super::view::{Eyes, Seen, Viewer, see_training, train_classifiers};
use super::{dual, online};
use crate::chart::{CrfGraph, Extractor, Surface};
use crate::error::{Error, ErrorKind, Result};
use crate::model::{ChartModel, CrfFeatures, GrammarModel, Property, SpanClassifier, WordForms};
use crate::rng::Rng;
use crate::train::grammar::{GrammarScores, GrammarTrees};
use crate::tree::{TRACE_TAG, Tree};

/// The weights after a round through the sentences.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CrfPoint {
    /// How much errors counted.
    pub c: f64,
    /// The round with this C, counted from 1.
    pub epoch: usize,
    /// How far sentences were from what is wanted, on average, each when it was visited.
    pub loss: f64,
    /// The duality gap as a share of the primal objective (SMO).
    pub gap: Option<f64>,
    /// The primal objective of the margin, ½|w|² + C Σ h, if it was measured.
    pub primal: Option<f64>,
    /// The scores on the development trees, if there are any.
    pub scores: Option<GrammarScores>,
}

/// What happens while training goes on.
#[derive(Debug)]
pub enum CrfEvent<'e> {
    /// A grammar is being trained: which of how many.
    Grammar {
        /// Counted from 1; the last is that of all trees.
        number: usize,
        /// How many there are.
        num_grammars: usize,
    },
    /// Some forests are there.
    Seen {
        /// Of so many sentences.
        num_seen: usize,
        /// How many there will be.
        num_sentences: usize,
    },
    /// The forests are there, and the rounds begin.
    Forests {
        /// Sentences to learn from.
        num_sentences: usize,
        /// Sentences of which the grammar has no parse; they are left out.
        num_failed: usize,
        /// Sentences whose gold tree is in the forest.
        num_reachable: usize,
        /// Parts of all forests.
        num_parts: usize,
        /// Features.
        num_features: usize,
    },
    /// A grammar is there.
    GrammarDone {
        /// What it takes to go on from here.
        checkpoint: &'e CrfCheckpoint,
    },
    /// A round through the sentences is over, and what it brought is going to be measured.
    Pass,
    /// A round has ended.
    Epoch {
        /// The weights as they now stand.
        point: &'e CrfPoint,
        /// What it takes to go on from here.
        checkpoint: &'e CrfCheckpoint,
    },
}

/// A trained grammar with features.
#[derive(Debug)]
pub struct TrainedCrf {
    /// The model after the best round.
    pub model: ChartModel,
    /// All rounds.
    pub points: Vec<CrfPoint>,
    /// The best one.
    pub best: usize,
}

type Observer<'o> = &'o mut dyn FnMut(CrfEvent<'_>) -> ControlFlow<()>;

/// Trains a grammar with features. The observer sees what happens and may break off: then the best round so far is taken, and nothing if there was none.
///
/// # Errors
/// If there is nothing to learn from or to choose by, or a setting is out of its range.
pub fn train(
    trees: &[Tree],
    dev: &[Tree],
    config: &CrfConfig,
    resume: Option<CrfCheckpoint>,
    mut observe: impl FnMut(CrfEvent<'_>) -> ControlFlow<()>,
) -> Result<Option<TrainedCrf>> {
    config.check()?;
    if config.c.len() > 1 && dev.is_empty() {
        let message = "expected development trees to choose C by, found none";
        return Err(Error::new(ErrorKind::Argument, message).hint("give a development set, or one C"));
    }
    let trees = usable(trees);
    let (grammars, progress) = resume.map(CrfCheckpoint::into_parts).unwrap_or_default();
    let Some(grammars) = train_grammars(&trees, config, grammars, &mut observe)? else { return Ok(None) };
    match Run::new(&trees, dev, config, grammars, &mut observe)? {
        Some(run) => run.epochs(progress, &mut observe),
        None => Ok(None),
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

/// The grammars of all parts but one, for each part, and that of all trees at the end, the first of which may be there already; nothing if the
/// observer broke off.
fn train_grammars(
    trees: &[Tree],
    config: &CrfConfig,
    mut grammars: Vec<GrammarModel>,
    observe: Observer<'_>,
) -> Result<Option<Vec<GrammarModel>>> {
    let num_grammars = config.num_grammars();
    for number in grammars.len() + 1..=num_grammars {
        let mut event = || observe(CrfEvent::Grammar { number, num_grammars });
        let grammar = match number == num_grammars {
            true => train_grammar(trees, &config.base, &mut event)?,
            false => {
                train_grammar(&trees_without(trees, number - 1, config.folds), &config.base, &mut event)?
            }
        };
        let Some(grammar) = grammar else { return Ok(None) };
        grammars.push(grammar);
        let checkpoint = CrfCheckpoint::new(&grammars, None);
        if observe(CrfEvent::GrammarDone { checkpoint: &checkpoint }).is_break() {
            return Ok(None);
        }
    }
    Ok(Some(grammars))
}

/// What was reached before.
#[derive(Debug, Clone)]
pub(super) struct Progress {
    pub(super) points: Vec<CrfPoint>,
    pub(super) state: State,
    pub(super) best: Vec<f32>,
}

impl Progress {
    fn new(num_weights: usize) -> Self {
        Self { points: Vec::new(), state: State::new(num_weights), best: Vec::new() }
    }

    /// The rounds with a C, after which there were none with another.
    fn rounds_of(&self, c: f64) -> &[CrfPoint] {
        let first = self.points.iter().position(|point| point.c == c);
        &self.points[first.unwrap_or(self.points.len())..]
    }
}

/// Everything that stays the same from round to round.
struct Run<'r> {
    config: &'r CrfConfig,
    grammars: Vec<GrammarModel>,
    forms: WordForms,
    index: FeatureIndex,
    classifiers: Vec<SpanClassifier>,
    examples: Vec<Example>,
    dev: DevSet<'r>,
}

impl<'r> Run<'r> {
    /// Nothing if the observer broke off.
    fn new(
        trees: &[Tree],
        dev: &'r [Tree],
        config: &'r CrfConfig,
        grammars: Vec<GrammarModel>,
        observe: Observer<'_>,
    ) -> Result<Option<Self>> {
        let grammar = last(&grammars)?;
        let classes = &grammar.finest().lexicon.classifier;
        let numbered = GrammarTrees::new(trees, &config.base.binarization(), classes)?;
        let counted = numbered.words.iter().zip(numbered.word_counts.iter().copied());
        let forms = WordForms::new(counted, config.min_word_count);
        let forms = match &config.clusters {
            Some(text) => forms.with_clusters(text)?,
            None => forms,
        };
        let extractor = Extractor::new(&config.templates, grammar.symbols());
        let viewer = Viewer { config, forms: &forms, extractor: &extractor, symbols: grammar.symbols() };
        let classifiers = match config.templates.asks_for(Property::SpanClassifier) {
            true => {
                let learner = SpanLearner::new(trees, &numbered, &forms, grammar.symbols());
                train_classifiers(&learner, trees, config.folds)?
            }
            false => Vec::new(),
        };
        let tell = |num_seen| observe(CrfEvent::Seen { num_seen, num_sentences: trees.len() });
        let Some(seen) = see_training(&viewer, trees, &grammars, &classifiers, tell) else { return Ok(None) };
        let index = viewer.index(&seen);
        let features =
            |graph: &CrfGraph, surface: &Surface| PartFeatures::new(&extractor, &index, graph, surface);
        let mut num_reachable = 0;
        let mut examples = Vec::with_capacity(seen.len());
        for (tree, Seen { forest, .. }) in seen.into_iter().enumerate() {
            let Some((graph, surface)) = forest else { continue };
            let part_features = features(&graph, &surface);
            let gold = gold_parts(&numbered, tree);
            let example = Example::new(graph, part_features, &gold, config.loss);
            num_reachable += usize::from(example.is_reachable(&gold));
            examples.push(example);
        }
        let names = grammar.symbols().iter().collect();
        let eyes = Eyes { grammar, names, judge: None, flat: classifiers.last() };
        let dev = DevSet::new(dev, viewer.see(dev, &eyes), features);
        let _ = observe(CrfEvent::Forests {
            num_sentences: examples.len(),
            num_failed: trees.len() - examples.len(),
            num_reachable,
            num_parts: examples.iter().map(|example| example.graph.parts.len()).sum(),
            num_features: index.features().len(),
        });
        Ok(Some(Self { config, grammars, forms, index, classifiers, examples, dev }))
    }

    /// Rounds with each C in turn.
    fn epochs(mut self, progress: Option<Progress>, observe: Observer<'_>) -> Result<Option<TrainedCrf>> {
        let num_weights = self.index.num_weights();
        let mut progress = progress.unwrap_or_else(|| Progress::new(num_weights));
        if progress.state.weights.len() != num_weights {
            return Err(Error::new(
                ErrorKind::Mismatch,
                "expected a weight for each feature of these trees, found others",
            )
            .hint("remove the checkpoint to start anew"));
        }
        let all = &self.config.c;
        let reached =
            progress.points.last().and_then(|point| all.iter().position(|c| *c == point.c)).unwrap_or(0);
        for (place, &c) in all.iter().enumerate().skip(reached) {
            if place > reached {
                progress.state = State::new(num_weights);
            }
            if self.rounds(c, &mut progress, observe)?.is_break() {
                break;
            }
        }
        let best = best_point(&progress.points);
        Ok(Some(TrainedCrf { model: self.model(&progress.best)?, points: progress.points, best }))
    }

    /// Rounds until the development trees gain no more.
    fn rounds(&mut self, c: f64, progress: &mut Progress, observe: Observer<'_>) -> Result<ControlFlow<()>> {
        while progress.rounds_of(c).len() < self.config.max_epochs && !self.is_done(progress.rounds_of(c)) {
            let point = self.epoch(c, progress, observe)?;
            progress.points.push(point);
            let checkpoint = CrfCheckpoint::new(&self.grammars, Some(progress));
            let point = &progress.points[progress.points.len() - 1];
            if observe(CrfEvent::Epoch { point, checkpoint: &checkpoint }).is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    fn is_done(&self, points: &[CrfPoint]) -> bool {
        let is_stale = !points.is_empty() && points.len() - 1 - best_point(points) >= self.config.patience;
        let is_solved = points.last().and_then(|point| point.gap).is_some_and(|gap| gap <= self.config.gap);
        is_stale || is_solved
    }

    fn epoch(&mut self, c: f64, progress: &mut Progress, observe: Observer<'_>) -> Result<CrfPoint> {
        let Self { config, examples, .. } = &*self;
        let epoch = progress.rounds_of(c).len() + 1;
        let mut order: Vec<usize> = (0..examples.len()).collect();
        Rng::stream(config.seed, epoch as u64).shuffle(&mut order);
        let state = &mut progress.state;
        let loss_weight = config.loss_weight;
        let (loss, gap, weights) = match config.optimizer {
            Optimizer::Smo => {
                dual::epoch(state, examples, &order, c, loss_weight);
                let _ = observe(CrfEvent::Pass);
                let gap = dual::measure(state, examples, c, loss_weight);
                (gap.hinge, Some(gap), state.weights.clone())
            }
            _ => {
                let loss = online::epoch(state, examples, &order, config, c, epoch);
                let _ = observe(CrfEvent::Pass);
                (loss, None, state.average())
            }
        };
        let primal = || config.measure_objective.then(|| primal(&weights, examples, c, loss_weight));
        let primal = gap.map(|gap| gap.primal).or_else(primal);
        let weights = rounded(&weights);
        let symbols = last(&self.grammars)?.symbols();
        let point = CrfPoint {
            c,
            epoch,
            loss: loss / self.examples.len().max(1) as f64,
            gap: gap.map(|gap| gap.gap / gap.primal.max(f64::MIN_POSITIVE)),
            primal,
            scores: self.dev.measure(&weights, self.config.chart.decoder, symbols),
        };
        if is_best(&progress.points, &point) {
            progress.best = weights;
        }
        Ok(point)
    }

    fn model(&self, weights: &[f32]) -> Result<ChartModel> {
        let config = self.config;
        let features = self.index.features().iter().copied();
        let features = CrfFeatures {
            templates: config.templates.clone(),
            forms: self.forms.clone(),
            thresholds: config.limits,
            objective: config.objective,
            base_weight: base_factor(weights),
            weights: features
                .zip(weights[1..].iter().copied())
                .filter(|(_, weight)| *weight != 0.0)
                .collect(),
            span_classifier: self.classifiers.last().cloned(),
        };
        ChartModel::new(vec![last(&self.grammars)?.clone()], Some(features))
    }
}

fn last(grammars: &[GrammarModel]) -> Result<&GrammarModel> {
    grammars.last().ok_or_else(|| Error::new(ErrorKind::Mismatch, "expected a grammar, found none"))
}

/// The round with the best F1, the first among equals; the last if there are no development trees.
fn best_point(points: &[CrfPoint]) -> usize {
    let f1 = |point: &CrfPoint| point.scores.map_or(0.0, |scores| scores.f1);
    let has_dev = points.iter().any(|point| point.scores.is_some());
    let best = (0..points.len()).rev().max_by(|&a, &b| f1(&points[a]).total_cmp(&f1(&points[b])));
    if has_dev { best.unwrap_or(0) } else { points.len().saturating_sub(1) }
}

fn is_best(points: &[CrfPoint], point: &CrfPoint) -> bool {
    let all: Vec<CrfPoint> = points.iter().chain([point]).cloned().collect();
    best_point(&all) == points.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{About, CrfObjective, CrfTemplates, ModelFile};
    use crate::train::crf::{BaseGrammar, fingerprint};
    use crate::train::latent::LatentConfig;
    use crate::train::pcfg::PcfgConfig;

    fn trees() -> Vec<Tree> {
        crate::treebank::sample("howto").into_iter().take(60).collect()
    }

    fn config(optimizer: Optimizer) -> CrfConfig {
        let objective =
            if optimizer == Optimizer::AdaGrad { CrfObjective::Likelihood } else { CrfObjective::Margin };
        let base = BaseGrammar::Plain(PcfgConfig::default());
        CrfConfig { optimizer, objective, base, folds: 2, max_epochs: 2, ..CrfConfig::default() }
    }

    fn bytes(trained: Option<TrainedCrf>) -> Vec<u8> {
        trained.unwrap().model.to_file(About::new("")).unwrap().to_bytes().unwrap()
    }

    #[test]
    fn threads_do_not_change_a_byte() {
        let trees = trees();
        let train = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let config = config(Optimizer::AdaGrad);
            let trained =
                pool.install(|| train(&trees, &trees[..20], &config, None, |_| ControlFlow::Continue(())));
            bytes(trained.unwrap())
        };
        assert!(train(1) == train(3));
    }

    #[test]
    fn resumed_training_ends_with_the_same_bytes() {
        let trees = trees();
        for optimizer in [Optimizer::AdaGrad, Optimizer::Smo, Optimizer::Perceptron, Optimizer::Subgradient] {
            let config = config(optimizer);
            let run = fingerprint(&trees, &[], &config);
            let mut first = None;
            let whole = train(&trees, &[], &config, None, |event| {
                if let CrfEvent::Epoch { checkpoint, .. } = event {
                    first.get_or_insert_with(|| checkpoint.to_file(&run).unwrap().to_bytes().unwrap());
                }
                ControlFlow::Continue(())
            });
            let file = ModelFile::from_bytes(&first.unwrap()).unwrap();
            assert!(CrfCheckpoint::from_file(&file, "other").is_err());
            let checkpoint = CrfCheckpoint::from_file(&file, &run).unwrap();
            assert_eq!(checkpoint.points().len(), 1);
            let resumed = train(&trees, &[], &config, Some(checkpoint), |_| ControlFlow::Continue(()));
            assert!(bytes(whole.unwrap()) == bytes(resumed.unwrap()), "{optimizer:?}");
        }
    }

    #[test]
    fn the_best_c_is_kept_also_by_a_run_that_goes_on() {
        let trees = trees();
        let config = |c: &[f64]| CrfConfig { c: c.to_vec(), ..config(Optimizer::Smo) };
        let dev = &trees[..20];
        let f1 = |point: &CrfPoint| point.scores.unwrap().f1;
        let (one, other) = (config(&[0.001]), config(&[1.0]));
        let alone = [&one, &other]
            .map(|config| train(&trees, dev, config, None, |_| ControlFlow::Continue(())).unwrap().unwrap());
        let both = config(&[0.001, 1.0]);
        let run = fingerprint(&trees, dev, &both);
        let mut files = Vec::new();
        let whole = train(&trees, dev, &both, None, |event| {
            if let CrfEvent::Epoch { checkpoint, .. } = event {
                files.push(checkpoint.to_file(&run).unwrap().to_bytes().unwrap());
            }
            ControlFlow::Continue(())
        });
        let whole = whole.unwrap().unwrap();
        let points: Vec<_> = alone.iter().flat_map(|trained| trained.points.clone()).collect();
        assert_eq!(whole.points, points, "each C begins anew");
        let best = points.iter().map(f1).fold(0.0, f64::max);
        assert_eq!(f1(&whole.points[whole.best]), best);
        let whole = bytes(Some(whole));
        for file in files {
            let file = ModelFile::from_bytes(&file).unwrap();
            let checkpoint = CrfCheckpoint::from_file(&file, &run).unwrap();
            let resumed = train(&trees, dev, &both, Some(checkpoint), |_| ControlFlow::Continue(()));
            assert!(bytes(resumed.unwrap()) == whole);
        }
        assert!(
            train(&trees, &[], &both, None, |_| ControlFlow::Continue(())).is_err(),
            "nothing to choose by"
        );
    }

    #[test]
    fn a_run_goes_on_between_two_grammars() {
        let trees = trees();
        let latent = LatentConfig { max_rounds: 1, ..LatentConfig::default() };
        let config =
            CrfConfig { base: BaseGrammar::Latent(latent), max_epochs: 1, ..config(Optimizer::AdaGrad) };
        let run = fingerprint(&trees, &[], &config);
        let mut files = Vec::new();
        let whole = train(&trees, &[], &config, None, |event| {
            if let CrfEvent::GrammarDone { checkpoint } = event {
                files.push(checkpoint.to_file(&run).unwrap());
            }
            ControlFlow::Continue(())
        });
        assert_eq!(files.len(), 3, "two parts and all");
        let file = ModelFile::from_bytes(&files[1].to_bytes().unwrap()).unwrap();
        let checkpoint = CrfCheckpoint::from_file(&file, &run).unwrap();
        assert!(checkpoint.points().is_empty());
        let mut numbers = Vec::new();
        let resumed = train(&trees, &[], &config, Some(checkpoint), |event| {
            if let CrfEvent::Grammar { number, .. } = event {
                numbers.push(number);
            }
            ControlFlow::Continue(())
        });
        assert!(numbers.iter().all(|number| *number == 3), "{numbers:?}");
        assert!(bytes(whole.unwrap()) == bytes(resumed.unwrap()));
    }

    #[test]
    fn what_others_think_is_in_the_model() {
        let trees = trees();
        let templates = CrfTemplates::named("lexical+aux").unwrap();
        let config = CrfConfig { templates, ..config(Optimizer::AdaGrad) };
        let trained =
            train(&trees, &trees[..20], &config, None, |_| ControlFlow::Continue(())).unwrap().unwrap();
        let file = trained.model.to_file(About::new("")).unwrap();
        let bytes = file.to_bytes().unwrap();
        let read = ChartModel::from_file(&ModelFile::from_bytes(&bytes).unwrap()).unwrap();
        let has_weights = |model: &ChartModel| {
            let classifier = model.features().and_then(|features| features.span_classifier.as_ref());
            classifier.is_some_and(|classifier| !classifier.weights.is_empty())
        };
        assert!(read == trained.model && has_weights(&read));
        let mut file = file;
        file.insert("span_weights", crate::model::Array::U8(Vec::new()));
        assert!(ChartModel::from_file(&file).is_err());
    }

    #[test]
    fn models_come_back() {
        let trees = trees();
        let config = config(Optimizer::AdaGrad);
        let trained =
            train(&trees, &trees[..20], &config, None, |_| ControlFlow::Continue(())).unwrap().unwrap();
        assert!(trained.points.iter().all(|point| point.scores.is_some_and(|scores| scores.f1 > 60.0)));
        let file = trained.model.to_file(About::new("")).unwrap();
        let read = ChartModel::from_file(&ModelFile::from_bytes(&file.to_bytes().unwrap()).unwrap()).unwrap();
        assert!(read == trained.model);
        for damage in ["crf_features", "crf_weights"] {
            let mut file = file.clone();
            file.insert(damage, crate::model::Array::I16(vec![1]));
            assert!(ChartModel::from_file(&file).is_err(), "{damage}");
        }
    }

    #[test]
    fn settings_out_of_range_are_refused() {
        for wrong in [
            CrfConfig { folds: 0, ..config(Optimizer::AdaGrad) },
            CrfConfig { rate: f32::NAN, ..config(Optimizer::AdaGrad) },
            CrfConfig { objective: CrfObjective::Likelihood, ..config(Optimizer::Smo) },
            CrfConfig { c: vec![1.0, 1.0], ..config(Optimizer::Smo) },
            CrfConfig { c: vec![0.1, 1.0], ..config(Optimizer::AdaGrad) },
            CrfConfig { c: Vec::new(), ..config(Optimizer::Smo) },
        ] {
            assert!(wrong.check().is_err(), "{wrong:?}");
        }
        let config = config(Optimizer::AdaGrad);
        assert!(train(&[], &[], &config, None, |_| ControlFlow::Continue(())).is_err());
    }
}
