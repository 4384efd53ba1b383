//! Why a translation came out as it did.

use super::context::Context;
use super::lexicon::ERASED;
use super::search::Choice;
use super::transducer::{Costs, NUM_ORDERS, Transducer, Translation, Weighed};
use crate::align::Order;

/// A translation with its choices.
#[derive(Debug, Clone, PartialEq)]
pub struct Explanation {
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
    pub rivals: Vec<Rival>,
}

/// What became of a phrase.
#[derive(Debug, Clone, PartialEq)]
pub struct NodeChoice {
    /// Its label, and those of its parts.
    pub labels: [String; 3],
    /// The words that it covers: the first, and one behind the last.
    pub span: (u32, u32),
    /// `straight` and `inverted`, the one taken first.
    pub rivals: Vec<Rival>,
}

/// One of the possible choices.
#[derive(Debug, Clone, PartialEq)]
pub struct Rival {
    /// What would have been chosen; none for a word left out.
    pub name: Option<String>,
    /// What it costs; infinite if nobody knows, as the generative transducer's costs depend on other choices.
    pub cost: f64,
    /// The conjunctions of features that speak for or against it, the largest first.
    pub reasons: Vec<String>,
}

pub(super) fn explain(
    transducer: &Transducer,
    context: &Context<'_>,
    weighed: &Weighed,
    translation: Translation,
    num_reasons: usize,
) -> Explanation {
    let reasons = |active: &[u32], classifier: usize| match &transducer.costs {
        Costs::Generative(_) => Vec::new(),
        Costs::Classifiers(classifiers) => {
            let reasons = classifiers.forest.explain(active, classifier).into_iter().take(num_reasons);
            reasons
                .map(|reason| reason.describe(|feature| classifiers.features.name(feature).to_owned()))
                .collect()
        }
    };
    let words = (0..weighed.choices.len()).map(|word| {
        let taken = translation.derivation.words[word] as usize;
        explain_word(transducer, context, weighed, (word, taken), &reasons)
    });
    let nodes = (0..weighed.node_features.len()).map(|node| {
        let is_inverted = translation.derivation.orders[node] == Order::Inverted;
        explain_node(context, weighed, node, is_inverted, &reasons)
    });
    Explanation { words: words.collect(), nodes: nodes.collect(), translation }
}

fn explain_word(
    transducer: &Transducer,
    context: &Context<'_>,
    weighed: &Weighed,
    (word, taken): (usize, usize),
    reasons: &impl Fn(&[u32], usize) -> Vec<String>,
) -> WordChoice {
    let text = context.tree().word(word).to_owned();
    let Some(source) = weighed.sources[word] else {
        return WordChoice { word: text, is_known: false, rivals: Vec::new() };
    };
    let first = transducer.lexicon.places(source).start + NUM_ORDERS;
    let rival = |(index, &(target, cost)): (usize, &Choice)| {
        let features = weighed.word_features.get(word);
        Rival {
            name: (target != ERASED).then(|| transducer.lexicon.target.name(target).to_owned()),
            cost,
            reasons: features.map_or_else(Vec::new, |active| reasons(active, first + index)),
        }
    };
    let mut rivals: Vec<Rival> = weighed.choices[word].iter().enumerate().map(rival).collect();
    rivals[..=taken].rotate_right(1);
    WordChoice { word: text, is_known: true, rivals }
}

fn explain_node(
    context: &Context<'_>,
    weighed: &Weighed,
    node: usize,
    is_inverted: bool,
    reasons: &impl Fn(&[u32], usize) -> Vec<String>,
) -> NodeChoice {
    let found = context.binary().nodes()[node];
    let rival = |order: usize| Rival {
        name: Some(["straight", "inverted"][order].to_owned()),
        cost: weighed.orders[node][order],
        reasons: reasons(&weighed.node_features[node], order),
    };
    let mut rivals: Vec<Rival> = (0..NUM_ORDERS).map(rival).collect();
    rivals[..=usize::from(is_inverted)].rotate_right(1);
    let label = context.part_label(crate::align::Part::Node(node as u32));
    NodeChoice {
        labels: [label, context.part_label(found.left), context.part_label(found.right)],
        span: found.span,
        rivals,
    }
}
