//! Parts of speech, by a tagger or by a parser that tags for itself.

use super::{Model, Parser, Sentence, tagger_of};
use crate::error::Result;
use crate::model::ModelFile;
use crate::neural::{NEURAL_KIND, NeuralModel, NeuralOptions, NeuralParser};
use crate::tagger::{Tagger, TaggerWorker};

/// What tags words: a tagger, which may be part of a parser, or a neural parser, which gives the tags that it parses
/// with.
#[derive(Debug, Clone)]
pub enum WordTagger {
    /// A tagger.
    Tagger(Box<Tagger>),
    /// A parser.
    Neural(Box<NeuralModel>),
}

/// A word with its tags.
#[derive(Debug, Clone, PartialEq)]
pub struct TaggedWord<'m> {
    /// The best first, with their probabilities.
    pub tags: Vec<(&'m str, f64)>,
    /// Whether it is in the lexicon; a neural parser has none, and knows the pieces of every word.
    pub is_known: bool,
}

impl WordTagger {
    /// The tagger of a file.
    ///
    /// # Errors
    /// If there is none, or it is damaged.
    pub fn from_file(file: &ModelFile) -> Result<Self> {
        Ok(match file.about().kind == NEURAL_KIND {
            true => Self::Neural(Box::new(NeuralModel::from_file(file)?)),
            false => Self::Tagger(Box::new(tagger_of(file)?)),
        })
    }

    /// A worker, one for each thread.
    pub fn worker(&self) -> WordTaggerWorker<'_> {
        match self {
            Self::Tagger(tagger) => WordTaggerWorker::Tagger(tagger, Box::new(tagger.worker())),
            Self::Neural(model) => {
                WordTaggerWorker::Neural(Box::new(NeuralParser::new(model, NeuralOptions::default())))
            }
        }
    }
}

impl Parser {
    /// A worker that tags without parsing; none if nothing in the parser can: such a grammar tags while it parses.
    pub fn tag_worker(&self) -> Option<WordTaggerWorker<'_>> {
        match (&self.model, &self.tagger) {
            (Model::Neural(model), _) => {
                Some(WordTaggerWorker::Neural(Box::new(NeuralParser::new(model, NeuralOptions::default()))))
            }
            (_, Some(tagger)) => Some(WordTaggerWorker::Tagger(tagger, Box::new(tagger.worker()))),
            (_, None) => None,
        }
    }
}

/// Tags sentences, in memory of its own.
#[derive(Debug)]
pub enum WordTaggerWorker<'m> {
    /// With a tagger.
    Tagger(&'m Tagger, Box<TaggerWorker<'m>>),
    /// With a parser.
    Neural(Box<NeuralParser<'m>>),
}

impl<'m> WordTaggerWorker<'m> {
    /// Tags the words of a sentence, whatever tags it has; each gets the `n` most probable ones, or, without `n`, its
    /// tag in the best sequence.
    ///
    /// # Errors
    /// If the sentence is larger than an encoder can take.
    pub fn tag(&mut self, sentence: &Sentence, n: Option<usize>) -> Result<Vec<TaggedWord<'m>>> {
        match self {
            Self::Tagger(tagger, worker) => Ok(by_tagger(tagger, worker, sentence, n)),
            Self::Neural(parser) => {
                let words: Vec<&str> = sentence.tokens().words().collect();
                let tagged = parser.tag(&words, n.unwrap_or(1))?;
                Ok(tagged.into_iter().map(|tags| TaggedWord { tags, is_known: true }).collect())
            }
        }
    }
}

fn by_tagger<'m>(
    tagger: &'m Tagger,
    worker: &mut TaggerWorker<'m>,
    sentence: &Sentence,
    n: Option<usize>,
) -> Vec<TaggedWord<'m>> {
    // A token as the tagger knows it: as it is, or as treebanks write it.
    let form = |index: usize| {
        let word = sentence.tokens().word(index);
        if tagger.knows(word) { word } else { sentence.form(index) }
    };
    let forms: Vec<&str> = (0..sentence.tokens().len()).map(form).collect();
    let lists = match n {
        None => worker.tag(&forms).iter().map(|&tag| vec![(tag, 1.0)]).collect(),
        Some(n) => worker.n_best(&forms, n),
    };
    let word = |(form, list): (&&str, Vec<_>)| TaggedWord {
        tags: list.into_iter().map(|(tag, probability)| (tagger.name(tag), probability)).collect(),
        is_known: tagger.knows(form),
    };
    forms.iter().zip(lists).map(word).collect()
}
