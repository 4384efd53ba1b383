//! Taggers. A step is a pass over the sentences; the tagger after the last one is measured, and written.

use serde::{Deserialize, Serialize};

use super::about;
use super::settings::identity;
use super::tags::{at_most, tagged_sentences};
use crate::error::Result;
use crate::learn::run::{Figure, Model, Recipe, Scores, Step, Watch};
use crate::model::{About, ModelFile};
use crate::tagger::{Accuracy, Tagger, TaggerConfig, TaggerTrainer};
use crate::train::settings::as_text;
use crate::tree::Tree;
use crate::tree::profile::Profile;

/// Settings of training a tagger on trees.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct TaggerRecipe {
    /// The conventions of the treebank: a name, or the text of a profile. Default: the Penn Treebank's.
    #[serde(with = "as_text", skip_serializing_if = "Profile::is_default")]
    pub profile: Profile,
    /// Longer sentences are left out. Default: none.
    pub max_words: Option<usize>,
    /// How it is trained.
    pub tagger: TaggerConfig,
}

/// A tagger with what is known about it.
#[derive(Debug)]
pub struct TrainedTagger {
    /// What is known about it.
    pub about: About,
    /// The tagger.
    pub tagger: Tagger,
}

impl Model for TrainedTagger {
    fn to_file(&self) -> Result<ModelFile> {
        self.tagger.to_file(self.about.clone())
    }

    fn from_file(file: &ModelFile) -> Result<Self> {
        Ok(Self { about: file.about().clone(), tagger: Tagger::from_file(file)? })
    }

    fn about_mut(&mut self) -> &mut About {
        &mut self.about
    }
}

impl Recipe for TaggerRecipe {
    type Data = [Tree];
    type State = TaggerTrainer;
    type Model = TrainedTagger;

    fn name(&self) -> &'static str {
        "tagger"
    }

    fn identity(&self, train: &[Tree], dev: Option<&[Tree]>) -> String {
        identity(self, train, dev)
    }

    fn start(&self, train: &[Tree], watch: &Watch<'_>) -> Result<TaggerTrainer> {
        let sentences = tagged_sentences(&at_most(train, self.max_words));
        let num_untagged = train.len() - tagged_sentences(train).len();
        if num_untagged > 0 {
            watch.note(format_args!("{num_untagged} trees have words without a tag and are left out"));
        }
        TaggerTrainer::new(&sentences, &self.tagger)
    }

    fn step(&self, _: &[Tree], trainer: &mut TaggerTrainer, _: &Watch<'_>) -> Result<Option<Step>> {
        let mut figures = Vec::new();
        if let Some(progress) = trainer.step()? {
            figures.push(Figure::count("pass", progress.pass as usize));
            figures.push(Figure::new("loss", progress.loss, 4));
            if !trainer.is_done() {
                let num_left = Some((progress.max_passes - progress.pass) as usize);
                return Ok(Some(Step { num_left, ..Step::preparation(0, figures) }));
            }
        }
        figures.push(Figure::count("weights", trainer.tagger()?.num_weights()));
        Ok(Some(Step { is_last: true, ..Step::candidate(0, figures) }))
    }

    fn model(&self, trainer: &TaggerTrainer) -> Result<TrainedTagger> {
        let about = About { seed: self.tagger.seed, ..about(self)? };
        Ok(TrainedTagger { about, tagger: trainer.tagger()? })
    }

    fn evaluate(&self, _: &mut TaggerTrainer, model: &TrainedTagger, dev: &[Tree]) -> Result<Scores> {
        let (tagger, mut worker) = (&model.tagger, model.tagger.worker());
        let mut accuracy = Accuracy::default();
        for sentence in at_most(dev, self.max_words).iter().map(Tree::surface) {
            let found = worker.tag(&sentence.words().collect::<Vec<_>>());
            for (token, &found) in sentence.iter().zip(found) {
                accuracy.add(tagger.name(found) == token.tag, tagger.knows(token.word));
            }
        }
        let figures = vec![
            Figure::new("accuracy", accuracy.percent(), 2),
            Figure::new("unknown words", accuracy.unknown_percent().max(0.0), 2),
        ];
        Ok(Scores { criterion: accuracy.percent(), figures })
    }

    fn patience(&self) -> usize {
        1
    }

    fn save(&self, trainer: &TaggerTrainer, file: &mut ModelFile) -> Result<()> {
        trainer.save(file)
    }

    fn restore(&self, trainer: &mut TaggerTrainer, file: &ModelFile) -> Result<()> {
        trainer.restore(file)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learn::logistic::LogisticConfig;
    use crate::tagger::{OnlineConfig, TaggerLearner};
    use crate::train::testing::{is_resumed_to_the_same_bytes, is_the_same_on_threads, train};
    use crate::treebank::sample;

    fn recipes() -> [TaggerRecipe; 2] {
        let mut logistic = LogisticConfig::default();
        logistic.optimizer.max_iterations = 4;
        let online = OnlineConfig { passes: 3, ..OnlineConfig::default() };
        [TaggerLearner::Batch(logistic), TaggerLearner::Online(online)].map(|learner| {
            let tagger = TaggerConfig { learner, ..TaggerConfig::default() };
            TaggerRecipe { tagger, ..TaggerRecipe::default() }
        })
    }

    #[test]
    fn threads_do_not_change_a_byte() {
        recipes().iter().for_each(|recipe| is_the_same_on_threads(recipe, &sample("howto"), 20));
    }

    #[test]
    fn resumed_training_ends_with_the_same_bytes() {
        recipes().iter().for_each(|recipe| is_resumed_to_the_same_bytes(recipe, &sample("howto"), 20));
    }

    #[test]
    fn every_pass_is_a_step_and_the_last_is_measured() {
        let trees = sample("howto");
        for (recipe, num_passes) in recipes().iter().zip([4, 3]) {
            let trained = train(recipe, &trees, &trees[..20]);
            assert_eq!(trained.steps.len(), num_passes);
            assert!(trained.steps[..trained.best].iter().all(|step| step.scores.is_none()));
            assert!(trained.steps[trained.best].scores.as_ref().unwrap().criterion > 50.0);
        }
    }
}
