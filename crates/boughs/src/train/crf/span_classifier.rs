//! Learning whether spans are phrases, each by itself (Taskar et al. 2004, section 6): logistic regression over all
//! spans of all sentences.

use rustc_hash::FxHashSet;

use super::forests::of_fold;
use super::gold::gold_parts;
use super::index::{FeatureCounts, FeatureIndex, rounded};
use crate::chart::{CrfPart, Extractor, PartSymbols, SpanScorer, Surface};
use crate::error::Result;
use crate::eval::Brackets;
use crate::learn::DatasetBuilder;
use crate::learn::logistic::{Labels, Logistic, LogisticConfig};
use crate::learn::optimize::OptimizerConfig;
use crate::model::{CrfTemplates, Linear, SpanClassifier, WordForms};
use crate::span::Span;
use crate::train::grammar::GrammarTrees;
use crate::tree::Tokens;

/// Features of fewer sentences are left out.
const MIN_COUNT: u32 = 2;

/// Half of this times the square of a weight is its penalty.
const PENALTY: f64 = 1.0;

/// The last digits of probabilities that are told in ten steps need not be right.
const OPTIMIZER: OptimizerConfig = OptimizerConfig {
    history: 10,
    gradient_tolerance: 1e-5,
    value_tolerance: 1e-3,
    window: 5,
    max_iterations: 50,
    max_trials: 40,
};

/// The class of spans that are phrases; 0 is that of the others.
const PHRASE: u32 = 1;

/// The spans of all sentences, to learn from some of them.
pub(super) struct SpanLearner {
    templates: CrfTemplates,
    extractor: Extractor,
    index: FeatureIndex,
    sentences: Vec<SpanSentence>,
}

struct SpanSentence {
    num_words: u32,
    surface: Surface,
    phrases: FxHashSet<Span>,
}

impl SpanSentence {
    fn spans(&self) -> impl Iterator<Item = Span> + use<> {
        let num_words = self.num_words;
        (0..num_words).flat_map(move |start| (start + 1..=num_words).map(move |end| Span::new(start, end)))
    }
}

impl SpanLearner {
    /// The spans of tagged sentences, and of their trees.
    pub(super) fn new<'s>(
        tagged: impl Iterator<Item = &'s Tokens>,
        trees: &GrammarTrees,
        forms: &WordForms,
        symbols: &PartSymbols,
    ) -> Self {
        let templates = SpanClassifier::own_templates();
        let extractor = Extractor::new(&templates, symbols);
        let sentence = |(number, tokens): (usize, &Tokens)| SpanSentence {
            num_words: tokens.len() as u32,
            surface: Surface::new(forms, extractor.forms(), tokens),
            phrases: phrases(trees, number, symbols),
        };
        let sentences: Vec<SpanSentence> = tagged.enumerate().map(sentence).collect();
        let mut counts = FeatureCounts::default();
        for (number, sentence) in (0..).zip(&sentences) {
            for span in sentence.spans() {
                extractor.span_features(&sentence.surface, span, |feature| counts.see(number, feature));
            }
        }
        Self { templates, extractor, index: counts.index(MIN_COUNT), sentences }
    }

    /// How well classifiers find the phrases of the sentences that they did not learn from.
    pub(super) fn measure(
        &self,
        classifiers: &[SpanClassifier],
        folds: &[usize],
        symbols: &PartSymbols,
    ) -> Brackets {
        let scorers: Vec<_> = classifiers.iter().map(|it| SpanScorer::new(it, symbols)).collect();
        let mut found = Brackets::default();
        for (sentence, &fold) in self.sentences.iter().zip(folds) {
            let Some(scorer) = of_fold(&scorers, fold) else { continue };
            let is_phrase = |span: &Span| scorer.probability(&sentence.surface, *span) > 0.5;
            found.gold += sentence.phrases.len() as u64;
            for span in sentence.spans().filter(is_phrase) {
                found.test += 1;
                found.matched += u64::from(sentence.phrases.contains(&span));
            }
        }
        found
    }

    /// The classifier of the sentences whose numbers are wanted.
    ///
    /// # Errors
    /// If there are too many spans.
    pub(super) fn learn(&self, is_wanted: impl Fn(usize) -> bool) -> Result<SpanClassifier> {
        let (mut builder, mut classes, mut row) = (DatasetBuilder::new(), Vec::new(), Vec::new());
        for (_, sentence) in self.sentences.iter().enumerate().filter(|(number, _)| is_wanted(*number)) {
            for span in sentence.spans() {
                row.clear();
                let place = |feature| row.extend(self.index.get(feature));
                self.extractor.span_features(&sentence.surface, span, place);
                builder.push_row(&row)?;
                classes.push(if sentence.phrases.contains(&span) { PHRASE } else { 0 });
            }
        }
        let is_mixed = classes.contains(&0) && classes.contains(&PHRASE);
        if !is_mixed {
            return self.frozen(&Linear::new(vec![0.0; 2])?);
        }
        let config = LogisticConfig { l2: PENALTY, optimizer: OPTIMIZER, ..LogisticConfig::default() };
        self.frozen(&Logistic::fit(&builder.finish(), &Labels::new(classes, 2)?, &config)?)
    }

    /// The classifier with its weights as a file has them.
    fn frozen(&self, linear: &Linear) -> Result<SpanClassifier> {
        // With two classes only the second has weights.
        let weight = |place: u32| linear.weights(place).map(|(_, weight)| weight as f32).sum();
        let weights: Vec<f32> = (0..self.index.num_weights() as u32).map(weight).collect();
        let weights = rounded(&weights);
        let features = self.index.features.iter().copied().zip(weights[1..].iter().copied());
        Ok(SpanClassifier {
            templates: self.templates.clone(),
            bias: linear.bias()[PHRASE as usize] as f32,
            weights: features.filter(|(_, weight)| *weight != 0.0).collect(),
        })
    }
}

/// The spans of the phrases of a tree, its root apart.
fn phrases(trees: &GrammarTrees, tree: usize, parts: &PartSymbols) -> FxHashSet<Span> {
    let symbols = &trees.symbols;
    let span = |part: CrfPart| match part {
        CrfPart::Phrase { symbol, span } => {
            let (symbol, _) = parts.in_grammar(symbol);
            (symbol != symbols.root() && !symbols.is_intermediate(symbol)).then_some(span)
        }
        _ => None,
    };
    gold_parts(trees, tree, parts).into_iter().filter_map(span).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::SpanScorer;
    use crate::model::WordClasses;
    use crate::tree::{Binarization, Tree};

    fn learner(texts: &[&str]) -> (SpanLearner, WordForms, PartSymbols) {
        let trees: Vec<Tree> = texts.iter().map(|text| text.parse().unwrap()).collect();
        let numbered = GrammarTrees::new(&trees, &Binarization::x_bar(), &WordClasses::english()).unwrap();
        let forms = WordForms::new(numbered.words.iter().map(|word| (word, 9)), 1);
        let symbols = PartSymbols::new(&numbered.symbols, numbered.sizes.clone());
        let tagged: Vec<Tokens> = trees.iter().map(Tree::surface).collect();
        (SpanLearner::new(tagged.iter(), &numbered, &forms, &symbols), forms, symbols)
    }

    #[test]
    fn what_is_a_phrase_everywhere_is_found_again() {
        let texts = [
            "( (S (NP (DT the) (NN dog)) (VP (VBZ sees) (NP (DT the) (NN cat)))))",
            "( (S (NP (DT the) (NN cat)) (VP (VBZ sees) (NP (DT the) (NN dog)))))",
            "( (S (NP (DT the) (NN dog)) (VP (VBZ sees) (NP (DT the) (NN dog)))))",
        ];
        let (learner, forms, symbols) = learner(&texts);
        let classifier = learner.learn(|_| true).unwrap();
        let scorer = SpanScorer::new(&classifier, &symbols);
        let tagged = [("the", "DT"), ("cat", "NN"), ("sees", "VBZ"), ("the", "DT"), ("cat", "NN")];
        let seen = scorer.look(&forms, &tagged.into_iter().collect());
        let probability = |start, end| scorer.probability(&seen, Span::new(start, end));
        for phrase in [(0, 2), (3, 5), (2, 5)] {
            assert!(probability(phrase.0, phrase.1) > 0.5, "{phrase:?}");
        }
        for other in [(1, 3), (0, 1), (1, 4), (2, 4)] {
            assert!(probability(other.0, other.1) < 0.5, "{other:?}");
        }
        let found = learner.measure(&[classifier], &[0; 3], &symbols);
        assert_eq!(
            found,
            Brackets { matched: 12, gold: 12, test: 12 },
            "S, two NP and a VP in each sentence"
        );
    }

    #[test]
    fn tags_are_seen() {
        let texts = ["( (S (NP (DT the) (NN dog)) (VP (VBZ sees) (NP (DT the) (NN cat)))))"; 3];
        let (learner, forms, symbols) = learner(&texts);
        let classifier = learner.learn(|_| true).unwrap();
        let scorer = SpanScorer::new(&classifier, &symbols);
        let look =
            |tag| scorer.look(&forms, &[("a", "DT"), ("newt", tag), ("naps", "VBZ")].into_iter().collect());
        let [noun, verb] = ["NN", "VBZ"].map(|tag| scorer.probability(&look(tag), Span::new(0, 2)));
        assert!(noun > verb, "{noun} {verb}");
    }

    #[test]
    fn without_examples_of_both_kinds_nothing_is_learned() {
        let (learner, ..) = learner(&["( (S (NN rain)))"]);
        let classifier = learner.learn(|_| true).unwrap();
        assert_eq!((classifier.weights.len(), classifier.probability(0.0)), (0, 0.5));
        assert!(learner.learn(|_| false).unwrap().weights.is_empty());
    }
}
