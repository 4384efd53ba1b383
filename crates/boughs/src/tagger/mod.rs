//! Part-of-speech tagging.
//!
//! The naive tagger gives each word the tag that it had most often in training, and is right nine times in ten. What
//! it misses depends on the neighbours, so this one asks a log-linear model for the probability of each tag given
//! features of the words around it and of the two tags before it (Ratnaparkhi 1996), and searches for the most
//! probable sequence.
//!
//! The parts, one file each: `word` (what features see of a word), `lexicon` (which tags words had), `templates`
//! (which features there are), `key` (their names), `weights` (what they say), `worker` (the search), `file` (model
//! files). [`train`] makes a [`Tagger`] from tagged sentences; [`jackknife`] tags a treebank by taggers that did not
//! see it, which is what a parser should be trained on.
//!
//! ```
//! use boughs::tagger::{TaggerConfig, train};
//! use boughs::tree::Tokens;
//! use std::ops::ControlFlow;
//!
//! let sentence: Tokens = [("Boughs", "NNS"), ("bend", "VBP"), (".", ".")].into_iter().collect();
//! let tagger = train(&vec![sentence; 10], &TaggerConfig::default(), |_| ControlFlow::Continue(()))?;
//! assert_eq!(tagger.tag(&["Boughs", "bend", "."]), ["NNS", "VBP", "."]);
//! # Ok::<(), boughs::Error>(())
//! ```

mod accuracy;
mod config;
mod file;
mod jackknife;
mod key;
mod lexicon;
mod templates;
mod train;
mod weights;
mod word;
mod worker;

pub use accuracy::Accuracy;
pub use config::{OnlineConfig, TaggerConfig, TaggerLearner, TemplateSet, Thresholds};
pub use jackknife::jackknife;
pub use train::{TaggerProgress, TaggerTrainer, train};
pub use worker::TaggerWorker;

use lexicon::TagLexicon;
use weights::TaggerWeights;
use word::SeenWord;

/// The number of a tag among [`Tagger::tags`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TagId(u16);

impl TagId {
    /// Stands before the first word.
    const NONE: Self = Self(u16::MAX);

    /// The largest number of tags.
    const MAX_TAGS: usize = u16::MAX as usize;

    /// The number as an index.
    pub fn index(self) -> usize {
        self.0.into()
    }

    /// The tag at an index; none if no tagger can have so many.
    fn new(index: usize) -> Option<Self> {
        u16::try_from(index).ok().map(Self).filter(|&tag| tag != Self::NONE)
    }

    /// The number as a value of features, never 0.
    fn value(self) -> u64 {
        u64::from(self.0) + 1
    }
}

/// A trained tagger: immutable, to be shared by any number of threads, each with its own [`TaggerWorker`].
#[derive(Debug, Clone, PartialEq)]
pub struct Tagger {
    tags: Vec<String>,
    /// The numbers of all tags: the candidates of words that may have any.
    all: Vec<TagId>,
    templates: TemplateSet,
    beam: usize,
    lexicon: TagLexicon,
    weights: TaggerWeights,
}

impl Tagger {
    fn new(
        tags: Vec<String>,
        templates: TemplateSet,
        beam: usize,
        lexicon: TagLexicon,
        weights: TaggerWeights,
    ) -> Self {
        let all = (0..tags.len()).filter_map(TagId::new).collect();
        Self { tags, all, templates, beam, lexicon, weights }
    }

    /// The tags that it tells apart.
    pub fn tags(&self) -> &[String] {
        &self.tags
    }

    /// The name of a tag.
    ///
    /// # Panics
    /// If it is a tag of another tagger, which has more of them.
    pub fn name(&self, tag: TagId) -> &str {
        &self.tags[tag.index()]
    }

    /// Which features it looks at.
    pub fn templates(&self) -> TemplateSet {
        self.templates
    }

    /// The number of features that have weights.
    pub fn num_features(&self) -> usize {
        self.weights.num_features()
    }

    /// The number of weights.
    pub fn num_weights(&self) -> usize {
        self.weights.num_weights()
    }

    /// Whether the lexicon has a word, as it is written.
    pub fn knows(&self, word: &str) -> bool {
        self.lexicon.get(word).is_some()
    }

    /// What tagging writes to, made once for many sentences.
    pub fn worker(&self) -> TaggerWorker<'_> {
        TaggerWorker::new(self)
    }

    /// A tag for each word. For many sentences, [`TaggerWorker::tag`] is faster.
    pub fn tag(&self, words: &[&str]) -> Vec<&str> {
        self.worker().tag(words).iter().map(|&tag| self.name(tag)).collect()
    }

    /// At most `n` tags with their probabilities for each word, the most probable first; see [`TaggerWorker::n_best`].
    pub fn tag_n_best(&self, words: &[&str], n: usize) -> Vec<Vec<(&str, f64)>> {
        let named = |list: Vec<(TagId, f64)>| list.into_iter().map(|(tag, p)| (self.name(tag), p)).collect();
        self.worker().n_best(words, n).into_iter().map(named).collect()
    }

    /// The probability of a sequence of tags given the words, as a logarithm; none if it has another number of tags
    /// than there are words, or a tag that its word cannot have.
    pub fn log_probability(&self, words: &[&str], tags: &[&str]) -> Option<f64> {
        let number = |tag: &&str| TagId::new(self.tags.iter().position(|known| known == tag)?);
        let tags: Vec<TagId> = tags.iter().map(number).collect::<Option<_>>()?;
        self.worker().log_probability(words, &tags)
    }

    /// The tags that a word may have.
    fn candidates(&self, form: &SeenWord) -> &[TagId] {
        match self.lexicon.candidates(form.entry) {
            [] => &self.all,
            candidates => candidates,
        }
    }
}
