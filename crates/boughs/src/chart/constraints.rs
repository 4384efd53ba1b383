//! Constraints on a tree as constraints of cells.
//!
//! The naive form parses freely and throws away what does not agree. Here what cannot be in such a tree is not in the
//! chart. Nothing may cross a phrase that must be there, and over its span there is a phrase, so that every parse has
//! it. If labels are given, the phrases over a span are those and no others, in this order from the top.

use crate::error::Result;
use crate::model::{GrammarModel, Symbol, Symbols};
use crate::span::Span;
use crate::tree::transform::{Pipeline, TransformStep};
use crate::tree::{Constraints, Tokens, Tree};

/// Which symbols may be on top of a cell, which at the bottom, and which at all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CellConstraint {
    pub(super) span: Span,
    pub(super) is_top: Vec<bool>,
    pub(super) is_bottom: Vec<bool>,
    is_allowed: Vec<bool>,
}

/// What the cells of a sentence must be like.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct CellConstraints {
    pub(super) cells: Vec<CellConstraint>,
    /// Spans that no phrase may cross.
    uncrossed: Vec<Span>,
}

impl CellConstraints {
    /// No constraints.
    pub(super) const fn none() -> Self {
        Self { cells: Vec::new(), uncrossed: Vec::new() }
    }

    /// # Errors
    /// [`ErrorKind::Argument`](crate::ErrorKind::Argument) if no tree over the sentence can meet the constraints, or
    /// the grammar does not know a label.
    pub(super) fn new(model: &GrammarModel, tokens: &Tokens, constraints: &Constraints) -> Result<Self> {
        if constraints.is_empty() {
            return Ok(Self::none());
        }
        // Labels as the grammar has them.
        let pipeline = Pipeline::new([TransformStep::StripFunctions, TransformStep::RemoveUnaryToSelf]);
        let constraints = constraints.prepare(&Tree::flat(tokens.clone()), &pipeline)?.constraints;
        let whole = Span::new(0, tokens.len() as u32);
        let labels = constraints.phrases().filter_map(|(_, label)| label).chain(constraints.root.as_deref());
        labels.into_iter().try_for_each(|label| model.check_label(label))?;
        let mut spans: Vec<Span> = constraints.phrases().map(|(span, _)| span).collect();
        spans.extend(constraints.root.as_ref().map(|_| whole));
        spans.sort_unstable();
        spans.dedup();
        let cell = |span: Span| {
            let root = constraints.root.as_deref().filter(|_| span == whole);
            let mut chain: Vec<Option<&str>> =
                constraints.phrases().filter(|(other, _)| *other == span).map(|(_, label)| label).collect();
            if root.is_some() && chain.first() != Some(&root) {
                chain.insert(0, root);
            }
            cell_constraint(model.symbols(), span, span == whole, &chain)
        };
        Ok(Self { cells: spans.into_iter().map(cell).collect(), uncrossed: constraints.uncrossed.clone() })
    }

    /// The constraint of a cell, if it has one.
    pub(super) fn of(&self, span: Span) -> Option<&CellConstraint> {
        self.cells.iter().find(|cell| cell.span == span)
    }

    /// Whether a phrase may be over a span.
    pub(super) fn allows(&self, symbols: &Symbols, span: Span, phrase: Symbol) -> bool {
        self.cells.iter().all(|cell| match cell.span == span {
            true => cell.is_allowed[phrase.index()],
            false => !cell.span.crosses(span),
        }) && (!self.uncrossed.iter().any(|other| other.crosses(span)) || symbols.is_intermediate(phrase))
    }
}

/// The constraint of a cell with these phrases, the topmost first; those without a label may have any.
fn cell_constraint(symbols: &Symbols, span: Span, is_whole: bool, chain: &[Option<&str>]) -> CellConstraint {
    let flags = |holds: &dyn Fn(Symbol) -> bool| symbols.iter().map(holds).collect::<Vec<bool>>();
    let is_phrase = |it: Symbol| symbols.is_phrase(it) && it != symbols.root();
    // Nothing if one may have any label.
    let labels: Option<Vec<&str>> = chain.iter().copied().collect();
    let choices = labels.as_deref().map(|labels| choices(symbols, labels));
    let first = choices.as_deref().map(|choices| choices.chunks(1).next().unwrap_or_default());
    let last = choices.as_deref().map(|choices| choices.rchunks(1).next().unwrap_or_default());
    let is_one_of = |it: Symbol, choices: Option<&[&[&str]]>| {
        let is = |choice: &&[&str]| symbols.labels(it).iter().map(AsRef::as_ref).eq(choice.iter().copied());
        is_phrase(it) && choices.is_none_or(|choices| choices.iter().any(is))
    };
    let is_root = |it: Symbol| is_whole && it == symbols.root();
    CellConstraint {
        span,
        is_top: flags(&|it| if is_whole { is_root(it) } else { is_one_of(it, first) }),
        is_bottom: flags(&|it| if span.len() == 1 { symbols.is_tag(it) } else { is_one_of(it, last) }),
        is_allowed: flags(&|it| is_root(it) || is_one_of(it, choices.as_deref())),
    }
}

/// Which labels the symbols of a cell may stand for, from the top to the bottom: all of them at once where the grammar
/// has chains as symbols.
fn choices<'c>(symbols: &Symbols, chain: &'c [&'c str]) -> Vec<&'c [&'c str]> {
    let has_chains = symbols.iter().any(|it| symbols.labels(it).len() > 1);
    if has_chains { vec![chain] } else { chain.chunks(1).collect() }
}
