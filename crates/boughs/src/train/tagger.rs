//! Taggers.

use serde::{Deserialize, Serialize};

use super::about;
use super::settings::identity;
use super::tags::{at_most, tagged_sentences, tagger_for};
use crate::error::{Error, ErrorKind, Result};
use crate::learn::run::{Figure, Model, Recipe, Scores, Step, Watch};
use crate::model::{About, ModelFile};
use crate::tagger::{Accuracy, TaggedSentence, Tagger, TaggerConfig};
use crate::tree::Tree;

/// Settings of training a tagger on trees.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct TaggerRecipe {
    /// Longer sentences are left out. Default: none.
    #[serde(skip_serializing_if = "Option::is_none")]
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
    type State = Option<Tagger>;
    type Model = TrainedTagger;

    fn name(&self) -> &'static str {
        "tagger"
    }

    fn identity(&self, train: &[Tree], dev: Option<&[Tree]>) -> String {
        identity(self, train, dev)
    }

    fn start(&self, train: &[Tree], watch: &Watch<'_>) -> Result<Option<Tagger>> {
        let num_untagged = train.len() - tagged_sentences(train).len();
        if num_untagged > 0 {
            watch.note(format_args!("{num_untagged} trees have words without a tag and are left out"));
        }
        Ok(None)
    }

    fn step(&self, train: &[Tree], state: &mut Option<Tagger>, watch: &Watch<'_>) -> Result<Option<Step>> {
        let tagger = tagger_for(&at_most(train, self.max_words), &[], &self.tagger, watch)?;
        if watch.is_interrupted() {
            return Ok(None);
        }
        let figures = vec![Figure::count("weights", tagger.num_weights())];
        *state = Some(tagger);
        Ok(Some(Step { is_last: true, ..Step::candidate(0, figures) }))
    }

    fn model(&self, state: &Option<Tagger>) -> Result<TrainedTagger> {
        let missing = || Error::new(ErrorKind::Mismatch, "expected a trained tagger, found none");
        let tagger = state.clone().ok_or_else(missing)?;
        Ok(TrainedTagger { about: About { seed: self.tagger.seed, ..about(self)? }, tagger })
    }

    fn evaluate(&self, _: &mut Option<Tagger>, model: &TrainedTagger, dev: &[Tree]) -> Result<Scores> {
        let (tagger, mut worker) = (&model.tagger, model.tagger.worker());
        let mut accuracy = Accuracy::default();
        for sentence in at_most(dev, self.max_words).iter().map(TaggedSentence::from_tree) {
            let found = worker.tag(&sentence.words());
            for ((word, tag), &found) in sentence.tokens().zip(found) {
                accuracy.add(tagger.name(found) == tag, tagger.knows(word));
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

    /// There is one step.
    fn save(&self, _: &Option<Tagger>, _: &mut ModelFile) -> Result<()> {
        Ok(())
    }

    fn restore(&self, _: &mut Option<Tagger>, _: &ModelFile) -> Result<()> {
        Ok(())
    }
}
