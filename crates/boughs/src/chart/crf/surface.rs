//! What is seen of a sentence: for every word its forms as numbers, and for every span how likely it is a phrase.

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use crate::model::{WordForm, WordForms, word_kind};
use crate::span::Span;
use crate::tree::{Token, Tokens};

/// How far beyond the ends of a sentence features may look.
const MARGIN: usize = 2;

/// A word before the first or behind the last.
const NOTHING: u64 = 0;

/// A sentence as features see it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Surface {
    num_words: usize,
    /// For each form the values of all words, with a margin on both sides.
    values: Vec<u64>,
    /// The kind of each word, with a margin.
    kinds: Vec<char>,
    /// The tags of words as numbers.
    tags: Vec<u64>,
    /// How likely spans are phrases to the grammar, in steps.
    pub(super) grammar: HashMap<Span, u8, FxBuildHasher>,
    /// The same by the classifier that sees a span by itself.
    pub(super) span_classifier: HashMap<Span, u8, FxBuildHasher>,
}

impl Surface {
    /// Looks at words, and at their tags, through some forms.
    pub(crate) fn new(forms: &WordForms, wanted: &[WordForm], tokens: &Tokens) -> Self {
        let num_words = tokens.len();
        let margin = || std::iter::repeat_n(NOTHING, MARGIN);
        let mut values = Vec::with_capacity(wanted.len() * (num_words + 2 * MARGIN));
        for &form in wanted {
            values.extend(margin());
            values.extend(tokens.iter().map(|Token { word, tag, .. }| forms.value(form, word, tag)));
            values.extend(margin());
        }
        let margin = || std::iter::repeat_n('|', MARGIN);
        let kinds = margin().chain(tokens.words().map(word_kind)).chain(margin()).collect();
        let tags = tokens.iter().map(|token| forms.value(WordForm::Tag, "", token.tag)).collect();
        Self { num_words, values, kinds, tags, ..Self::default() }
    }

    /// The tags of the words of a span.
    pub(super) fn tags(&self, span: Span) -> &[u64] {
        &self.tags[span.range()]
    }

    /// How likely a span is a phrase to the grammar, in steps.
    pub(super) fn grammar(&self, span: Span) -> u8 {
        self.grammar.get(&span).copied().unwrap_or(0)
    }

    /// How likely a span is a phrase to the span classifier, in steps.
    pub(super) fn span_classifier(&self, span: Span) -> u8 {
        self.span_classifier.get(&span).copied().unwrap_or(0)
    }

    /// The value of a form of a word; `slot` is the place of the form among those wanted.
    #[inline]
    pub(super) fn value(&self, slot: usize, place: i64) -> u64 {
        let width = self.num_words + 2 * MARGIN;
        self.values[slot * width + (place + MARGIN as i64) as usize]
    }

    /// The kinds of the words of a span with one on each side; what goes on in the same way is shortened.
    pub(super) fn shape(&self, span: Span) -> impl Iterator<Item = char> {
        let kinds = &self.kinds[span.start as usize + MARGIN - 1..span.end as usize + MARGIN + 1];
        let mut run = (' ', 0);
        kinds.iter().copied().filter(move |&kind| {
            run = if run.0 == kind { (kind, run.1 + 1) } else { (kind, 1) };
            run.1 <= 3
        })
    }
}

/// A probability in steps that are fine where it matters.
pub(crate) fn probability_step(probability: f32) -> u8 {
    const STEPS: [f32; 9] = [0.001, 0.01, 0.05, 0.2, 0.5, 0.8, 0.95, 0.99, 0.999];
    STEPS.iter().filter(|&&step| probability >= step).count() as u8
}

/// A number of words in steps that get wider.
pub(super) fn length_step(length: u32) -> u64 {
    match length {
        0..=5 => u64::from(length),
        6..=7 => 6,
        8..=10 => 8,
        11..=15 => 11,
        16..=20 => 16,
        21..=30 => 21,
        _ => 31,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_reach_one_word_beyond_and_are_shortened() {
        let words = ["The", "big", "old", "red", "dog", ",", "3", "cats"].map(|word| (word, ""));
        let surface = Surface::new(&WordForms::default(), &[], &words.into_iter().collect());
        let shape = |start, end| surface.shape(Span::new(start, end)).collect::<String>();
        assert_eq!((shape(0, 1), shape(0, 8), shape(5, 6)), ("|Xx".into(), "|Xxxx,9x|".into(), "x,9".into()));
    }

    #[test]
    fn beyond_the_ends_there_is_nothing() {
        let forms = WordForms::default();
        let wanted = [WordForm::Word, WordForm::Suffix(1), WordForm::Tag];
        let surface = Surface::new(&forms, &wanted, &[("a", "DT"), ("bc", "NN")].into_iter().collect());
        assert_eq!((surface.value(0, -2), surface.value(1, 3)), (NOTHING, NOTHING));
        assert_eq!(surface.value(1, 1), forms.value(WordForm::Word, "c", ""));
        assert_eq!(surface.value(2, 0), forms.value(WordForm::Word, "DT", ""));
    }

    #[test]
    fn steps_rise() {
        let steps = [0.0, 0.002, 0.02, 0.3, 0.6, 0.999].map(probability_step);
        assert!(steps.is_sorted_by(|a, b| a < b), "{steps:?}");
        assert!((0..40).map(length_step).is_sorted());
    }
}
