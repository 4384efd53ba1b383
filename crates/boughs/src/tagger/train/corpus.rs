//! Sentences as numbers: gold tags, and the features of every token that were seen often enough.

use rustc_hash::{FxBuildHasher, FxHashMap};

use super::too_large;
use crate::error::{Error, ErrorKind, Result};
use crate::tagger::config::TemplateSet;
use crate::tagger::lexicon::TagLexicon;
use crate::tagger::templates::{PADDING, TagHistory, Window};
use crate::tagger::word::SeenWord;
use crate::tagger::{TagId, TaggerConfig};
use crate::tree::Tokens;

/// The training data.
pub(super) struct Corpus {
    /// In the order of their bytes.
    pub(super) tags: Vec<String>,
    /// The numbers of all tags.
    pub(super) all: Vec<TagId>,
    pub(super) lexicon: TagLexicon,
    pub(super) templates: TemplateSet,
    pub(super) sentences: Vec<CorpusSentence>,
    pub(super) features: Features,
}

/// A sentence of the training data.
pub(super) struct CorpusSentence {
    pub(super) gold: Vec<TagId>,
    forms: Vec<SeenWord>,
    /// The features of the words around each token, one token after the other.
    features: Vec<u32>,
    ends: Vec<u32>,
}

/// The features in use, numbered in the order of their names.
#[derive(Default)]
pub(super) struct Features {
    numbers: FxHashMap<u64, u32>,
    pub(super) keys: Vec<u64>,
    /// How often each was seen.
    pub(super) counts: Vec<u32>,
}

impl Corpus {
    pub(super) fn new(sentences: &[&Tokens], config: &TaggerConfig) -> Result<Self> {
        let templates = config.templates;
        let tags = find_tags(sentences)?;
        let tokens = sentences.iter().flat_map(|sentence| sentence.iter());
        let tokens = tokens.map(|token| (token.word, tag_number(&tags, token.tag)));
        let lexicon = TagLexicon::count(tokens, config.thresholds);
        let mut lower = String::new();
        let mut sentences: Vec<CorpusSentence> = sentences
            .iter()
            .map(|sentence| CorpusSentence::new(sentence, &tags, &lexicon, templates, &mut lower))
            .collect();
        let features = Features::count(&sentences, config)?;
        for sentence in &mut sentences {
            sentence.find_features(templates, &features)?;
        }
        let all = (0..tags.len()).filter_map(TagId::new).collect();
        Ok(Self { tags, all, lexicon, templates, sentences, features })
    }

    pub(super) fn num_tokens(&self) -> usize {
        self.sentences.iter().map(|sentence| sentence.gold.len()).sum()
    }

    /// Appends the numbers of the features of the tags before a token; `keys` is scratch.
    pub(super) fn add_history_features(
        &self,
        sentence: &CorpusSentence,
        token: usize,
        history: TagHistory,
        keys: &mut Vec<u64>,
        numbers: &mut Vec<u32>,
    ) {
        keys.clear();
        self.templates.add_history_keys(&sentence.window(token), history, keys);
        numbers.extend(keys.iter().filter_map(|key| self.features.numbers.get(key)));
    }

    /// The tags that a token may have.
    pub(super) fn candidates(&self, sentence: &CorpusSentence, token: usize) -> &[TagId] {
        match self.lexicon.candidates(sentence.forms[token + PADDING].entry) {
            [] => &self.all,
            candidates => candidates,
        }
    }

    /// Calls a function with the features and the gold tag of every token, those of history being of the gold tags.
    pub(super) fn for_each_token(&self, mut call: impl FnMut(&[u32], TagId)) {
        let (mut keys, mut numbers) = (Vec::new(), Vec::new());
        for sentence in &self.sentences {
            let mut history = TagHistory::START;
            for (token, &gold) in sentence.gold.iter().enumerate() {
                numbers.clear();
                numbers.extend_from_slice(sentence.word_features(token));
                self.add_history_features(sentence, token, history, &mut keys, &mut numbers);
                call(&numbers, gold);
                history = history.then(gold);
            }
        }
    }
}

/// The different tags, in the order of their bytes.
fn find_tags(sentences: &[&Tokens]) -> Result<Vec<String>> {
    let tokens = sentences.iter().flat_map(|sentence| sentence.iter());
    let mut tags: Vec<String> = tokens.map(|token| token.tag.to_owned()).collect();
    tags.sort_unstable();
    tags.dedup();
    if tags.is_empty() || tags.len() > TagId::MAX_TAGS {
        let message =
            format!("expected words with 1 to {} different tags, found {}", TagId::MAX_TAGS, tags.len());
        return Err(Error::new(ErrorKind::Argument, message).hint("is this the training data?"));
    }
    Ok(tags)
}

/// The number of a tag that is known to be there.
fn tag_number(tags: &[String], tag: &str) -> TagId {
    let place = tags.partition_point(|known| known.as_str() < tag);
    TagId::new(place).unwrap_or(TagId::NONE)
}

impl CorpusSentence {
    fn new(
        sentence: &Tokens,
        tags: &[String],
        lexicon: &TagLexicon,
        templates: TemplateSet,
        lower: &mut String,
    ) -> Self {
        let mut forms = Vec::new();
        templates.read_words(&sentence.words().collect::<Vec<_>>(), lexicon, &mut forms, lower);
        let gold = sentence.iter().map(|token| tag_number(tags, token.tag)).collect();
        Self { gold, forms, features: Vec::new(), ends: Vec::new() }
    }

    fn window(&self, token: usize) -> Window<'_> {
        Window::new(&self.forms, token)
    }

    fn find_features(&mut self, templates: TemplateSet, features: &Features) -> Result<()> {
        let mut keys = Vec::new();
        for token in 0..self.gold.len() {
            keys.clear();
            templates.add_word_keys(&self.window(token), &mut keys);
            self.features.extend(keys.iter().filter_map(|key| features.numbers.get(key)));
            self.ends.push(u32::try_from(self.features.len()).map_err(|_| too_large("words in a sentence"))?);
        }
        self.features.shrink_to_fit();
        Ok(())
    }

    /// The features of the words around a token.
    pub(super) fn word_features(&self, token: usize) -> &[u32] {
        let start = if token == 0 { 0 } else { self.ends[token - 1] };
        &self.features[start as usize..self.ends[token] as usize]
    }
}

impl Features {
    /// The features seen at least as often as the settings ask.
    fn count(sentences: &[CorpusSentence], config: &TaggerConfig) -> Result<Self> {
        let mut counts: FxHashMap<u64, u32> = FxHashMap::default();
        let mut keys = Vec::new();
        for sentence in sentences {
            let mut history = TagHistory::START;
            for (token, &gold) in sentence.gold.iter().enumerate() {
                keys.clear();
                config.templates.add_word_keys(&sentence.window(token), &mut keys);
                config.templates.add_history_keys(&sentence.window(token), history, &mut keys);
                for &key in &keys {
                    let count = counts.entry(key).or_default();
                    *count = count.saturating_add(1);
                }
                history = history.then(gold);
            }
        }
        counts.retain(|_, count| *count >= config.min_feature_count);
        Self::number(counts)
    }

    fn number(counts: FxHashMap<u64, u32>) -> Result<Self> {
        let mut sorted: Vec<(u64, u32)> = counts.into_iter().collect();
        sorted.sort_unstable();
        u32::try_from(sorted.len()).map_err(|_| too_large("features"))?;
        let mut numbers = FxHashMap::with_capacity_and_hasher(sorted.len(), FxBuildHasher);
        numbers.extend((0u32..).zip(&sorted).map(|(number, &(key, _))| (key, number)));
        let (keys, counts) = sorted.into_iter().unzip();
        Ok(Self { numbers, keys, counts })
    }
}
