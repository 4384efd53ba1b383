//! The features of a part, as numbers: a mix of the template, what it speaks about, and what is seen.

use super::explain::place_of;
use super::surface::{Surface, length_step};
use crate::model::{
    CrfTemplates, GrammarModel, Property, Symbol, Symbols, TemplatePlace, TemplateTarget, WordForm,
};
use crate::span::Span;

/// The symbols of parts: those of the grammar, or its substates if annotations made them.
#[derive(Debug, Clone)]
pub(crate) struct PartSymbols {
    /// Where the substates of each symbol begin.
    starts: Vec<u16>,
    /// The symbol of each in the grammar.
    in_grammar: Vec<Symbol>,
    /// Whether each is a part of a phrase only.
    is_intermediate: Vec<bool>,
}

impl PartSymbols {
    /// The symbols that have so many substates each; at most 65,535 in all.
    pub(crate) fn new(symbols: &Symbols, sizes: impl IntoIterator<Item = u16>) -> Self {
        let mut found = Self { starts: Vec::new(), in_grammar: Vec::new(), is_intermediate: Vec::new() };
        for (symbol, size) in symbols.iter().zip(sizes) {
            found.starts.push(found.in_grammar.len() as u16);
            found.in_grammar.extend(std::iter::repeat_n(symbol, size.into()));
        }
        debug_assert!(found.in_grammar.len() <= usize::from(u16::MAX), "numbers of 16 bits");
        found.is_intermediate = found.in_grammar.iter().map(|&it| symbols.is_intermediate(it)).collect();
        found
    }

    /// The symbols of a grammar, or its substates.
    pub(crate) fn of_grammar(grammar: &GrammarModel, is_annotated: bool) -> Self {
        let sizes = grammar.finest().grammar.sizes();
        Self::new(grammar.symbols(), sizes.iter().map(|&size| if is_annotated { size } else { 1 }))
    }

    /// The symbol of a part, by symbol and substate in the grammar.
    #[inline]
    pub(crate) fn of(&self, symbol: Symbol, substate: u16) -> Symbol {
        Symbol(self.starts[symbol.index()] + substate)
    }

    /// The symbol of a part in the grammar, and its substate there.
    pub(crate) fn in_grammar(&self, part: Symbol) -> (Symbol, u16) {
        let symbol = self.in_grammar[part.index()];
        (symbol, part.0 - self.starts[symbol.index()])
    }
}

/// A part of a parse, anchored in the sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum CrfPart {
    /// A word with a tag.
    Word { tag: Symbol, place: u32 },
    /// A phrase, or part of one, over a span.
    Phrase { symbol: Symbol, span: Span },
    /// A rule over a span; a unary one has no right child and nothing to divide.
    Rule { parent: Symbol, left: Symbol, right: Option<Symbol>, span: Span, split: u32 },
}

/// Templates made ready for the symbols of parts.
#[derive(Debug, Clone)]
pub(crate) struct Extractor {
    /// The forms that templates ask for.
    forms: Vec<WordForm>,
    any: Vec<ReadyTemplate>,
    label: Vec<ReadyTemplate>,
    rule: Vec<ReadyTemplate>,
    tag: Vec<ReadyTemplate>,
    /// For each symbol whether it is a part of a phrase only.
    is_intermediate: Vec<bool>,
}

#[derive(Debug, Clone)]
struct ReadyTemplate {
    /// Where the template is in its list.
    number: u32,
    start: u64,
    seen: Vec<ReadyProperty>,
}

#[derive(Debug, Clone, Copy)]
enum ReadyProperty {
    Word { place: TemplatePlace, slot: usize },
    Other(Property),
}

/// What features are conjoined with, and where.
#[derive(Debug, Clone, Copy)]
struct Anchor {
    span: Span,
    split: u32,
    is_binary: bool,
}

impl Extractor {
    pub(crate) fn new(templates: &CrfTemplates, symbols: &PartSymbols) -> Self {
        let mut extractor = Self {
            forms: Vec::new(),
            any: Vec::new(),
            label: Vec::new(),
            rule: Vec::new(),
            tag: Vec::new(),
            is_intermediate: symbols.is_intermediate.clone(),
        };
        for (number, template) in (0..).zip(templates.templates()) {
            let seen = template.properties.iter().map(|&property| extractor.ready(property)).collect();
            let start = mix(0x6A09_E667_F3BC_C909, u64::from(number) + 1);
            extractor.of_target(template.target).push(ReadyTemplate { number, start, seen });
        }
        extractor
    }

    fn of_target(&mut self, target: TemplateTarget) -> &mut Vec<ReadyTemplate> {
        match target {
            TemplateTarget::Any => &mut self.any,
            TemplateTarget::Label => &mut self.label,
            TemplateTarget::Rule => &mut self.rule,
            TemplateTarget::Tag => &mut self.tag,
        }
    }

    fn ready(&mut self, property: Property) -> ReadyProperty {
        let Property::Word(place, form) = property else { return ReadyProperty::Other(property) };
        let slot = self.forms.iter().position(|&known| known == form).unwrap_or_else(|| {
            self.forms.push(form);
            self.forms.len() - 1
        });
        ReadyProperty::Word { place, slot }
    }

    /// The forms of words that a [`Surface`] must have, in order.
    pub(crate) fn forms(&self) -> &[WordForm] {
        &self.forms
    }

    /// The span of a part and where it is divided.
    pub(super) fn anchor(part: CrfPart) -> (Span, u32) {
        match part {
            CrfPart::Word { place, .. } => (Span::new(place, place + 1), place),
            CrfPart::Phrase { span, .. } => (span, span.start),
            CrfPart::Rule { span, split, .. } => (span, split),
        }
    }

    /// Calls `add` with the template and the number of each feature of a part.
    #[inline]
    pub(crate) fn features(&self, surface: &Surface, part: CrfPart, mut add: impl FnMut(u32, u64)) {
        let mut each = |list: &[ReadyTemplate], about: u64, anchor: Anchor| {
            for ready in list {
                if let Some(feature) = ready.feature(surface, about, anchor) {
                    add(ready.number, feature);
                }
            }
        };
        let (span, split) = Self::anchor(part);
        let anchor = Anchor { span, split, is_binary: matches!(part, CrfPart::Rule { right: Some(_), .. }) };
        match part {
            CrfPart::Word { tag, .. } => each(&self.tag, u64::from(tag.0), anchor),
            CrfPart::Phrase { symbol, .. } => {
                each(&self.label, u64::from(symbol.0), anchor);
                if !self.is_intermediate[symbol.index()] {
                    each(&self.any, 0, anchor);
                }
            }
            CrfPart::Rule { parent, left, right, .. } => {
                let right_number = right.map_or(u64::from(u16::MAX), |right| right.0.into());
                let about = u64::from(parent.0) << 32 | u64::from(left.0) << 16 | right_number;
                each(&self.rule, about, anchor);
            }
        }
    }

    /// The features of a span by itself, of which only templates of `any` speak.
    #[inline]
    pub(crate) fn span_features(&self, surface: &Surface, span: Span, mut add: impl FnMut(u64)) {
        let anchor = Anchor { span, split: span.start, is_binary: false };
        self.any.iter().filter_map(|ready| ready.feature(surface, 0, anchor)).for_each(&mut add);
    }
}

impl ReadyTemplate {
    #[inline]
    fn feature(&self, surface: &Surface, about: u64, anchor: Anchor) -> Option<u64> {
        let mut feature = mix(self.start, about);
        for seen in &self.seen {
            feature = mix(feature, seen.value(surface, anchor)?);
        }
        Some(feature)
    }
}

impl ReadyProperty {
    /// What is seen; nothing if there is no such thing there.
    #[inline]
    fn value(self, surface: &Surface, anchor: Anchor) -> Option<u64> {
        let Anchor { span, split, is_binary } = anchor;
        let length = span.end - span.start;
        match self {
            Self::Word { place, slot } => {
                let is_there = match place {
                    TemplatePlace::Middle => length == 3,
                    TemplatePlace::SplitLeft | TemplatePlace::SplitRight => is_binary,
                    _ => true,
                };
                is_there.then(|| surface.value(slot, place_of(place, span, split)))
            }
            Self::Other(property) => match property {
                Property::Length => Some(length_step(length)),
                Property::ShortLength => (length <= 3).then_some(length.into()),
                Property::LeftLength => is_binary.then(|| length_step(split - span.start)),
                Property::RightLength => is_binary.then(|| length_step(span.end - split)),
                Property::Shape => Some(surface.shape(span).fold(0, |sum, kind| mix(sum, kind.into()))),
                Property::Tags => Some(surface.tags(span).iter().fold(0, |sum, &tag| mix(sum, tag))),
                Property::Grammar => Some(surface.grammar(span).into()),
                Property::SpanClassifier => Some(surface.span_classifier(span).into()),
                Property::Word(..) => None,
            },
        }
    }
}

/// Mixes a number into a hash (the steps of xorshift-multiply generators; good enough that single bits of either
/// spread over all).
#[inline]
fn mix(hash: u64, value: u64) -> u64 {
    let x = (hash ^ value).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let x = (x ^ x >> 32).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    x ^ x >> 29
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;
    use crate::model::WordForms;
    use crate::tree::Tree;
    use crate::vocab::Vocab;

    fn symbols() -> PartSymbols {
        let names = |names: &[&'static str]| names.iter().copied().collect::<Vocab>();
        let symbols = Symbols::new(names(&["DT", "NN"]), names(&["TOP", "NP", "@NP"])).unwrap();
        PartSymbols::new(&symbols, [1; 5])
    }

    fn seen(forms: &WordForms, extractor: &Extractor, words: &[&str]) -> Surface {
        Surface::new(forms, extractor.forms(), &words.iter().map(|word| (*word, "")).collect())
    }

    fn features(text: &str, sentence: &str, part: CrfPart) -> Vec<(u32, u64)> {
        let extractor = Extractor::new(&text.parse().unwrap(), &symbols());
        let surface = seen(&WordForms::default(), &extractor, &sentence.split(' ').collect::<Vec<_>>());
        let mut found = Vec::new();
        extractor.features(&surface, part, |template, feature| found.push((template, feature)));
        found
    }

    const NP: CrfPart = CrfPart::Phrase { symbol: Symbol(3), span: Span { start: 0, end: 2 } };
    const RULE: CrfPart = CrfPart::Rule {
        parent: Symbol(3),
        left: Symbol(0),
        right: Some(Symbol(1)),
        span: Span { start: 0, end: 2 },
        split: 1,
    };

    #[test]
    fn each_kind_of_part_has_its_templates() {
        let text = "any first.word\nlabel last.word\nrule split-right.word\ntag first.word\nany middle.word";
        let numbers = |part| features(text, "the dog barks", part).iter().map(|it| it.0).collect::<Vec<_>>();
        assert_eq!(numbers(NP), [1, 0]);
        assert_eq!(numbers(CrfPart::Phrase { symbol: Symbol(4), span: Span::new(0, 3) }), [1]);
        assert_eq!(numbers(RULE), [2]);
        assert_eq!(numbers(CrfPart::Word { tag: Symbol(0), place: 1 }), [3]);
        let CrfPart::Rule { parent, left, span, split, .. } = RULE else { unreachable!() };
        assert!(numbers(CrfPart::Rule { parent, left, right: None, span, split }).is_empty());
    }

    #[test]
    fn features_see_what_they_ask_for_and_nothing_else() {
        let text = "label first.word after.word";
        let one = features(text, "the dog barks", NP);
        assert_eq!(one, features(text, "the cat barks loudly", NP));
        assert_ne!(one, features(text, "the dog sleeps", NP));
        assert_ne!(one, features(text, "barks dog the", NP), "the order of properties counts");
    }

    /// What a feature says, in full.
    type Said = (u32, Symbol, Vec<u64>);

    #[test]
    fn no_two_features_share_a_number() {
        let extractor = Extractor::new(&"surface".parse::<CrfTemplates>().unwrap(), &symbols());
        let mut said: HashMap<u64, Said> = HashMap::new();
        let trees = crate::treebank::sample("howto");
        let all: Vocab = trees.iter().flat_map(Tree::words).collect();
        let forms = WordForms::new(all.iter().map(|word| (word, 1)), 1);
        for tree in &trees {
            let words: Vec<&str> = tree.words().collect();
            let surface = seen(&forms, &extractor, &words);
            let length = words.len() as u32;
            let spans =
                (0..length).flat_map(|start| (start + 1..=length).map(move |end| Span::new(start, end)));
            for (span, symbol) in spans.flat_map(|span| [3, 4].map(|symbol| (span, Symbol(symbol)))) {
                let anchor = Anchor { span, split: span.start, is_binary: false };
                for ready in &extractor.label {
                    let values: Option<Vec<u64>> =
                        ready.seen.iter().map(|seen| seen.value(&surface, anchor)).collect();
                    let (Some(values), Some(feature)) =
                        (values, ready.feature(&surface, u64::from(symbol.0), anchor))
                    else {
                        continue;
                    };
                    let this = (ready.number, symbol, values);
                    assert_eq!(*said.entry(feature).or_insert_with(|| this.clone()), this);
                }
            }
        }
        assert!(said.len() > 40_000, "{}", said.len());
    }
}
