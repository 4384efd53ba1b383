//! What a grammar knows of words: scores of tags and their substates.
//!
//! The naive form is a table of P(word | tag). It says nothing of words that were not seen, and little of those seen
//! once. Here the score of a word is that of the table, plus a share of the score of its [class](super::WordClasses),
//! the larger the rarer the word; an unknown word has the score of its class. Scores are P(word | substate) up to a
//! factor that is the same for all substates of all tags.

use std::ops::Range;
use std::sync::Arc;

use super::{Symbol, WordClasses};
use crate::vocab::Vocab;

/// For each of several words or classes, scores of some tags' substates.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ScoreTable {
    /// Where the tags of each begin, and the end.
    ends: Vec<u32>,
    tags: Vec<Symbol>,
    /// Where the scores of each tag begin, and the end.
    value_ends: Vec<u32>,
    values: Vec<f32>,
}

impl ScoreTable {
    /// No words.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the next word, with its tags in ascending order.
    pub fn push<'a>(&mut self, scores: impl IntoIterator<Item = (Symbol, &'a [f32])>) {
        for (tag, values) in scores {
            self.push_tag(tag, values);
        }
        self.end_word();
    }

    /// Adds a tag of the next word.
    pub(crate) fn push_tag(&mut self, tag: Symbol, values: &[f32]) {
        self.tags.push(tag);
        self.values.extend(values);
        self.value_ends.push(self.values.len() as u32);
    }

    /// Ends the tags of a word.
    pub(crate) fn end_word(&mut self) {
        self.ends.push(self.tags.len() as u32);
    }

    /// How many words there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The tags of a word and the scores of their substates.
    pub fn get(&self, index: usize) -> impl ExactSizeIterator<Item = (Symbol, &[f32])> {
        self.places(index).map(|(tag, places)| (tag, &self.values[places]))
    }

    /// The tags of a word, and the places of the scores of their substates among those of all words.
    pub fn places(&self, index: usize) -> impl ExactSizeIterator<Item = (Symbol, Range<usize>)> {
        let start = if index == 0 { 0 } else { self.ends[index - 1] as usize };
        (start..self.ends[index] as usize).map(|place| {
            let start = if place == 0 { 0 } else { self.value_ends[place - 1] as usize };
            (self.tags[place], start..self.value_ends[place] as usize)
        })
    }

    /// Divides the scores of each word by the largest. A parse has one of them, so that parses given the words stay as
    /// likely as they were; and numbers of one size are rounded best.
    pub(crate) fn scale_words(&mut self) {
        for index in 0..self.len() {
            let mut places = self.places(index).map(|(_, places)| places);
            let Some(first) = places.next() else { continue };
            let range = first.start..places.last().map_or(first.end, |last| last.end);
            let largest = self.values[range.clone()].iter().copied().fold(0.0, f32::max);
            if largest > 0.0 {
                self.values[range].iter_mut().for_each(|value| *value /= largest);
            }
        }
    }

    /// The scores of all words.
    pub fn values(&self) -> &[f32] {
        &self.values
    }

    /// The same, to be changed.
    pub fn values_mut(&mut self) -> &mut [f32] {
        &mut self.values
    }
}

/// What a grammar knows of words.
#[derive(Debug, Clone, PartialEq)]
pub struct GrammarLexicon {
    /// The known words, the same for all levels of a model.
    pub words: Arc<Vocab>,
    /// The classes of unknown words that were seen; the first stands for those that were not.
    pub classes: Vocab,
    /// How words are put into classes.
    pub classifier: WordClasses,
    /// For each word the share of its class.
    pub class_share: Vec<f32>,
    /// Scores of words.
    pub of_words: ScoreTable,
    /// Scores of classes.
    pub of_classes: ScoreTable,
}

impl GrammarLexicon {
    /// The class of a word at the beginning of a sentence or not.
    pub fn class(&self, word: &str, is_first: bool) -> usize {
        let class = self.classifier.class(word, is_first, |lower| self.words.get(lower).is_some());
        self.classes.get(&class).unwrap_or(0) as usize
    }

    /// Adds the scores of a word to those of the substates of its tags. `add` gets tag, scores and their factor.
    pub fn score(&self, word: &str, is_first: bool, mut add: impl FnMut(Symbol, &[f32], f32)) {
        // A capital at the beginning says nothing: what is not known with it may be known without.
        let without_capital = || is_first.then(|| self.words.get(&word.to_lowercase())).flatten();
        let known = self.words.get(word).or_else(without_capital).map(|word| word as usize);
        let share = known.map_or(1.0, |word| self.class_share[word]);
        if let Some(word) = known {
            self.of_words.get(word).for_each(|(tag, values)| add(tag, values, 1.0));
        }
        if share > 0.0 && !self.of_classes.is_empty() {
            let class = self.class(word, is_first);
            self.of_classes.get(class).for_each(|(tag, values)| add(tag, values, share));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_score_of_a_word_is_scaled_to_one() {
        let mut table = ScoreTable::new();
        table.push([(Symbol(0), &[2.0, 8.0][..]), (Symbol(1), &[4.0])]);
        table.push([]);
        table.push([(Symbol(1), &[0.5][..])]);
        table.scale_words();
        assert_eq!(table.values(), [0.25, 1.0, 0.5, 1.0]);
    }

    #[test]
    fn rare_words_have_a_share_of_their_class() {
        let mut of_words = ScoreTable::new();
        of_words.push([(Symbol(1), &[0.5, 0.25][..])]);
        let mut of_classes = ScoreTable::new();
        of_classes.push([(Symbol(0), &[8.0][..]), (Symbol(1), &[4.0, 4.0])]);
        let lexicon = GrammarLexicon {
            words: Arc::new(["bough"].into_iter().collect()),
            classes: ["UNK"].into_iter().collect(),
            classifier: WordClasses::plain(),
            class_share: vec![0.5],
            of_words,
            of_classes,
        };
        let scores = |word: &str| {
            let mut scores = [vec![0.0], vec![0.0, 0.0]];
            lexicon.score(word, false, |tag, values, factor| {
                scores[tag.index()].iter_mut().zip(values).for_each(|(sum, value)| *sum += factor * value);
            });
            scores
        };
        assert_eq!(scores("bough"), [vec![4.0], vec![2.5, 2.25]]);
        assert_eq!(scores("leaf"), [vec![8.0], vec![4.0, 4.0]]);
        assert_eq!(
            scores("Bough"),
            scores("leaf"),
            "only at the beginning of a sentence is it the same word"
        );
    }
}
