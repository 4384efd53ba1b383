//! Why a translation came out as it did.

use super::context::Context;
use super::lexicon::ERASED;
use super::search::Choice;
use super::transducer::{Costs, NUM_ORDERS, Transducer, Translation, Weighed};
use crate::align::{BinaryNode, BinaryPart, PartOrder};

/// A translation with its choices.
#[derive(Debug, Clone, PartialEq)]
pub struct TranslationExplanation {
    /// The translation.
    pub translation: Translation,
    /// By source word.
    pub words: Vec<WordChoice>,
    /// By phrase, the parts of a phrase before it.
    pub nodes: Vec<NodeChoice>,
}

/// What became of a word.
#[derive(Debug, Clone, PartialEq)]
pub struct WordChoice {
    /// The word.
    pub word: String,
    /// Whether it was seen in training; otherwise it stays as it is.
    pub is_known: bool,
    /// The translations that were possible, the one taken first.
    pub alternatives: Vec<ChoiceAlternative>,
}

/// What became of a phrase.
#[derive(Debug, Clone, PartialEq)]
pub struct NodeChoice {
    /// Its label, and those of its parts.
    pub labels: [String; 3],
    /// The words that it covers: the first, and one behind the last.
    pub span: (u32, u32),
    /// `straight` and `inverted`, the one taken first.
    pub alternatives: Vec<ChoiceAlternative>,
}

/// One of the possible choices.
#[derive(Debug, Clone, PartialEq)]
pub struct ChoiceAlternative {
    /// What would have been chosen; none for a word left out.
    pub name: Option<String>,
    /// What it costs. Those of the generative transducer are without what depends on other choices.
    pub cost: f64,
    /// The conjunctions of features for or against it, the largest first.
    pub reasons: Vec<String>,
}

pub(super) fn explain(
    transducer: &Transducer,
    context: &Context<'_>,
    weighed: &Weighed,
    translation: Translation,
    num_reasons: usize,
) -> TranslationExplanation {
    let reasons = |active: &[u32], classifier: usize| match &transducer.costs {
        Costs::Generative(_) => Vec::new(),
        Costs::Classifiers(classifiers) => {
            let reasons = classifiers.forest.explain(active, classifier).into_iter().take(num_reasons);
            reasons
                .map(|reason| reason.describe(|feature| classifiers.features.name(feature).to_owned()))
                .collect()
        }
    };
    let word = |(word, &source): (usize, &Option<u32>)| {
        let alternative = |(index, &(target, cost)): (usize, &Choice)| {
            let first = source.map_or(0, |source| transducer.lexicon.places(source).start + NUM_ORDERS);
            ChoiceAlternative {
                name: (target != ERASED).then(|| transducer.lexicon.target.name(target).to_owned()),
                cost,
                reasons: weighed
                    .word_features
                    .get(word)
                    .map_or_else(Vec::new, |row| reasons(row, first + index)),
            }
        };
        let choices = weighed.choices[word].iter().enumerate().filter(|_| source.is_some());
        let taken = translation.derivation.words[word] as usize;
        WordChoice {
            word: context.tree.word(word).to_owned(),
            is_known: source.is_some(),
            alternatives: taken_first(choices.map(alternative).collect(), taken),
        }
    };
    let node = |(index, (node, active)): (usize, (&BinaryNode, &Vec<u32>))| {
        let alternative = |order: usize| ChoiceAlternative {
            name: Some(["straight", "inverted"][order].to_owned()),
            cost: weighed.orders[index][order],
            reasons: reasons(active, order),
        };
        let taken = usize::from(translation.derivation.orders[index] == PartOrder::Inverted);
        let parts = [BinaryPart::Node(index as u32), node.left, node.right];
        NodeChoice {
            labels: parts.map(|part| context.part_label(part)),
            span: node.span,
            alternatives: taken_first((0..NUM_ORDERS).map(alternative).collect(), taken),
        }
    };
    let nodes = context.binary.nodes.iter().zip(&weighed.node_features);
    TranslationExplanation {
        words: weighed.sources.iter().enumerate().map(word).collect(),
        nodes: nodes.enumerate().map(node).collect(),
        translation,
    }
}

fn taken_first(mut alternatives: Vec<ChoiceAlternative>, taken: usize) -> Vec<ChoiceAlternative> {
    if let Some(up_to_taken) = alternatives.get_mut(..=taken) {
        up_to_taken.rotate_right(1);
    }
    alternatives
}
