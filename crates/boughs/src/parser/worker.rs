//! Parsing, with memory that is used again for every sentence.

use super::engine::Engine;
use super::{ParseOptions, Parsed, Parser, Sentence, no_tagger};
use crate::error::Result;
use crate::tagger;
use crate::tree::Tree;

/// Parses with a [`Parser`]: one for each thread.
#[derive(Debug)]
pub struct Worker<'p> {
    parser: &'p Parser,
    tagger: Option<tagger::Worker<'p>>,
    engine: Engine<'p>,
}

impl<'p> Worker<'p> {
    pub(super) fn new(parser: &'p Parser, options: &ParseOptions) -> Self {
        let tagger = parser.tagger.as_ref().map(tagger::Tagger::worker);
        Self { parser, tagger, engine: Engine::new(&parser.model, options) }
    }

    /// Parses a sentence. There is always a tree over its tokens, which are its own; their tags are those that the parser has
    /// worked with. If the [demands](Sentence::demands) on the tree cannot be met, it says [why](Parsed::unmet).
    ///
    /// # Errors
    /// If a token has no tag, there is no tagger, and the parser does not tag for itself.
    pub fn parse(&mut self, sentence: &Sentence) -> Result<Parsed> {
        let prepared = self.prepare(sentence)?;
        let mut parsed = self.engine.parse(&prepared, sentence.demands())?;
        for (index, _) in sentence.other_forms() {
            let word = sentence.tokens().word(*index);
            parsed.parses.iter_mut().for_each(|parse| parse.tree.set_word(*index, word));
        }
        Ok(parsed)
    }

    /// The tokens as the models know them, all with tags unless the parser tags for itself.
    ///
    /// # Errors
    /// If a token has no tag, there is no tagger, and the parser does not tag for itself.
    pub fn prepare(&mut self, sentence: &Sentence) -> Result<Tree> {
        let mut tokens = sentence.tokens().clone();
        for (index, form) in sentence.other_forms() {
            if !self.parser.knows(tokens.word(*index)) {
                tokens.set_word(*index, form);
            }
        }
        self.tag(&mut tokens)?;
        Ok(tokens)
    }

    /// Tags the tokens that have no tag. The tagger does not hear of the tags that are given.
    fn tag(&mut self, tokens: &mut Tree) -> Result<()> {
        let Some(first) = tokens.tokens().find(|token| token.tag.is_empty()) else { return Ok(()) };
        let (Some(tagger), Some(worker)) = (&self.parser.tagger, &mut self.tagger) else {
            return match self.parser.model.grammar() {
                Some(_) => Ok(()),
                None => Err(no_tagger(first.word)),
            };
        };
        let words: Vec<&str> = tokens.words().collect();
        let tags: Vec<&str> = worker.tag(&words).iter().map(|&tag| tagger.name(tag)).collect();
        for (index, tag) in tags.into_iter().enumerate() {
            if tokens.token(index).tag.is_empty() {
                tokens.set_tag(index, tag);
            }
        }
        Ok(())
    }
}
