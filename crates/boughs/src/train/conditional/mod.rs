//! Grammars with latent subcategories that tell the gold tree from the others (Petrov & Klein 2008, "Discriminative
//! log-linear grammars with latent variables").
//!
//! The naive form counts how often rules occur, and hopes that the tree which is likely together with its words is
//! also the one that is likely given them. Here the weights of rules and words are free numbers, exp θ, and what is
//! maximised is the likelihood of the gold trees given their words: the gradient is the expected counts in the gold
//! trees, minus those in all parses. All parses of all training sentences, again and again, is a lot, so
//!
//! - a coarser grammar says once for each step what is worth looking at; gold phrases always are;
//! - steps go from few substates to many, each beginning where the last one ended, all symbols split in two;
//! - a penalty keeps parameters near those of the grammar that training began with, or near zero: L2 (L-BFGS), or L1
//!   (OWL-QN), which leaves most of them exactly there.

mod config;
mod learner;
mod loglinear;
mod objective;
mod sentences;
mod words;

pub use config::{ConditionalConfig, ConditionalPreset, Penalty, PenaltyOrigin, Start, TrainingPruning};

use super::latent::set_gains;
use super::pcfg::read_off_numbered;
use super::settings::identity;
use super::tags::{at_most, tagger_for};
use super::{Annotations, BinaryTrees, PcfgConfig, chart_parser, substates_of};
use crate::chart::ChartOptions;
use crate::error::Result;
use crate::learn::run::{Recipe, Scores, Step, Watch};
use crate::model::{About, ModelFile};
use crate::parser::{EngineOptions, Parser};
use crate::tagger::Tagger;
use crate::tree::Tree;
use learner::LogLinearLearner;

/// A log-linear grammar, and its tagger.
#[derive(Debug)]
pub struct ConditionalState {
    learner: LogLinearLearner,
    tagger: Option<Tagger>,
}

impl Recipe for ConditionalConfig {
    type Data = [Tree];
    type State = ConditionalState;
    type Model = Parser;

    fn name(&self) -> &'static str {
        "conditional"
    }

    fn identity(&self, train: &[Tree], dev: Option<&[Tree]>) -> String {
        let base = self.base.as_ref().and_then(|base| base.to_file(About::new("")).ok()?.checksum().ok());
        identity(&(Self { max_splits: 0, patience: 0, ..self.clone() }, base), train, dev)
    }

    fn start(&self, train: &[Tree], watch: &Watch<'_>) -> Result<ConditionalState> {
        self.check()?;
        let tagger = self.with_tagger.then(|| tagger_for(train, &[], &self.tagger, watch)).transpose()?;
        let plain =
            PcfgConfig { unaries: self.unaries, lexicon: self.lexicon.clone(), ..PcfgConfig::x_bar() };
        let trees = at_most(train, self.max_words);
        let trees = BinaryTrees::new(&trees, &plain.binarization(), &Annotations::default())?;
        let trees = trees.number(&self.lexicon.classes, |_| true);
        let base = self.base.clone().unwrap_or_else(|| read_off_numbered(trees.clone(), &plain));
        Ok(ConditionalState { learner: LogLinearLearner::new(trees, base, self)?, tagger })
    }

    fn step(&self, _: &[Tree], state: &mut ConditionalState, watch: &Watch<'_>) -> Result<Option<Step>> {
        let Some(figures) = state.learner.step(self, watch)? else { return Ok(None) };
        let num_left = (self.max_splits + 1).saturating_sub(state.learner.num_steps);
        let step = Step::candidate(0, figures);
        Ok(Some(Step { is_last: num_left == 0, num_left: Some(num_left), ..step }))
    }

    fn model(&self, state: &ConditionalState) -> Result<Parser> {
        let parser = chart_parser(vec![state.learner.model.clone()], state.tagger.clone(), self)?;
        let options = ChartOptions { decoder: self.decoder, ..ChartOptions::default() };
        let mut parser = parser.with_engine(EngineOptions::Chart(options))?;
        parser.about_mut().seed = self.seed;
        if let Some(note) = self.preset_note()? {
            parser.about_mut().settings.insert("preset".to_owned(), note);
        }
        substates_of(&mut parser);
        set_gains(&mut parser, &state.learner.gains);
        Ok(parser)
    }

    fn evaluate(&self, _: &mut ConditionalState, parser: &Parser, dev: &[Tree]) -> Result<Scores> {
        parser.evaluate(&at_most(dev, self.max_words))
    }

    fn patience(&self) -> usize {
        self.patience
    }

    fn save(&self, state: &ConditionalState, file: &mut ModelFile) -> Result<()> {
        state.learner.save(file)
    }

    fn restore(&self, state: &mut ConditionalState, file: &ModelFile) -> Result<()> {
        state.learner.restore(self, file)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::Decoder;
    use crate::model::GrammarModel;
    use crate::train::testing::{
        is_resumed_to_the_same_bytes, is_the_same_among_peers, is_the_same_on_threads, train,
    };
    use crate::train::{LatentConfig, LexiconConfig, RunOptions, only_grammar, run};
    use crate::treebank::sample;

    fn trees() -> Vec<Tree> {
        sample("dialogue").into_iter().filter(|tree| tree.num_tokens() <= 9).collect()
    }

    fn config() -> ConditionalConfig {
        ConditionalConfig { max_splits: 1, max_iterations: 4, patience: 9, ..ConditionalConfig::default() }
    }

    #[test]
    fn threads_do_not_change_a_byte() {
        is_the_same_on_threads(&config(), &trees(), 10);
    }

    #[test]
    fn other_processes_do_not_change_a_byte() {
        is_the_same_among_peers(&config(), &trees(), 10);
    }

    #[test]
    fn resumed_training_ends_with_the_same_bytes() {
        for merge_share in [0.0, 0.5] {
            is_resumed_to_the_same_bytes(
                &ConditionalConfig { max_splits: 2, merge_share, ..config() },
                &trees(),
                0,
            );
        }
    }

    #[test]
    fn splits_that_bring_little_are_undone() {
        let trees = trees();
        let penalty = Penalty::L1(0.1);
        let config = ConditionalConfig { merge_share: 0.75, max_iterations: 20, penalty, ..config() };
        let trained = train(&config, &trees, &trees);
        let [whole, merged] = &trained.steps[..] else { panic!("two steps: {:?}", trained.steps) };
        let substates = |step: &Step| step.get("substates").unwrap() as usize;
        let num_split = substates(whole) - 1;
        let num_kept = num_split - num_split * 3 / 4;
        assert_eq!(substates(merged), substates(whole) + num_kept, "all but the root were split");
        let objective = |step: &Step| step.get("objective").unwrap();
        assert!(objective(merged) < objective(whole), "{merged:?} {whole:?}");
    }

    #[test]
    fn every_start_and_penalty_learns_its_trees() {
        let trees = trees();
        for start in [Start::Base, Start::Scratch] {
            let mut num_free = 0.0;
            for penalty in [Penalty::None, Penalty::L1(0.1), Penalty::L2(0.01)] {
                let lexicon = LexiconConfig { rare: 1, ..LexiconConfig::default() };
                let config = ConditionalConfig { start, penalty, lexicon, max_iterations: 20, ..config() };
                let trained = train(&config, &trees, &trees);
                let step = &trained.steps[trained.best];
                assert!(step.scores.as_ref().unwrap().criterion > 85.0, "{start:?} {penalty:?} {step:?}");
                let num_nonzero = step.get("not zero").unwrap();
                match penalty {
                    Penalty::None => num_free = num_nonzero,
                    Penalty::L1(_) => assert!(num_nonzero < num_free, "{num_nonzero} {num_free}"),
                    Penalty::L2(_) => {}
                }
                let (model, file) = (only_grammar(&trained.model), trained.model.to_file());
                let read = only_grammar(&Parser::from_file(&file.unwrap()).unwrap());
                assert!(read.unwrap() == model.unwrap());
            }
        }
    }

    #[test]
    fn pruning_again_in_every_iteration_learns_the_same() {
        let trees = trees();
        let of = |pruning| {
            let options = ChartOptions { thresholds: vec![-9.0], ..ChartOptions::default() };
            let trained = train(&ConditionalConfig { pruning, options, ..config() }, &trees, &[]);
            only_grammar(&trained.model).unwrap()
        };
        let cached = of(TrainingPruning::Cached);
        assert!(of(TrainingPruning::EveryIteration) == cached);
        assert!(of(TrainingPruning::None) != cached, "what pruning leaves out is missed");
    }

    #[test]
    fn the_preset_is_the_paper() {
        let preset = ConditionalConfig::dlvg07();
        assert!(matches!((preset.start, preset.penalty), (Start::Scratch, Penalty::L1(_))), "section 3");
        assert!(matches!(preset.penalty_origin, PenaltyOrigin::Zero), "the penalty is on θ itself");
        assert_eq!((1 << preset.max_splits, preset.max_iterations), (16, 150), "section 4.2");
        assert_eq!(preset.training_options().thresholds, [-10.0], "section 3.1");
        let decoder = preset.decoder;
        assert_eq!(decoder, Decoder::MaxRuleSum, "the tree with the most expected correct productions");
    }

    #[test]
    fn the_preset_learns_from_scratch() {
        let trees = trees();
        let preset = ConditionalConfig { max_splits: 1, max_iterations: 15, ..ConditionalConfig::dlvg07() };
        let trained = train(&preset, &trees, &trees);
        let told = &trained.model.about().settings["preset"];
        assert_eq!(told, "dlvg07 as printed but for max-iterations, max-splits");
        assert_eq!(trained.model.options().chart().map(|it| it.decoder), Some(Decoder::MaxRuleSum));
        assert!(trained.model.evaluate(&trees).unwrap().criterion > 80.0);
    }

    fn joint(trees: &[Tree]) -> GrammarModel {
        let joint = LatentConfig { max_rounds: 1, split_iterations: 3, ..LatentConfig::default() };
        only_grammar(&train(&joint, trees, &[]).model).unwrap()
    }

    #[test]
    fn grammars_with_substates_are_split_and_merged_further() {
        let trees = trees();
        let base = Some(joint(&trees));
        let config = ConditionalConfig { max_splits: 2, merge_share: 0.6, base, ..config() };
        let trained = train(&config, &trees, &[]);
        assert_eq!(trained.steps.len(), 3);
        assert!(trained.model.evaluate(&trees).unwrap().criterion > 85.0);
    }

    #[test]
    fn grammars_of_other_trees_are_refused() {
        let trees = trees();
        let config = ConditionalConfig { base: Some(joint(&trees[1..])), ..config() };
        let error = run(&config, &trees, None, RunOptions::default()).unwrap_err();
        assert!(error.to_string().contains("was learned from the same trees"), "{error}");
    }
}
