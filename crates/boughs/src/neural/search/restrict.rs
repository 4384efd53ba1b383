//! Constraints on a tree as scores of spans: what cannot be in such a tree is worth minus infinity.
//!
//! Nothing may cross a phrase that must be there, neither another phrase nor a sequence of children that
//! would be cut in its middle, and over its span there is a phrase: then every tree has it. If labels are
//! given, the phrases over a span are those and no others, in this order from the top.

use super::table::{SpanScores, spans};
use crate::error::{Error, ErrorKind, Result};
use crate::neural::labels::PhraseLabels;
use crate::span::Span;
use crate::tree::transform::{Pipeline, TransformStep};
use crate::tree::{Constraints, Tokens, Tree};

/// Takes away what no tree that meets the constraints has.
///
/// # Errors
/// [`ErrorKind::Argument`] if no tree over the sentence can meet them, or the model does not know a label.
pub(crate) fn restrict(
    scores: &mut SpanScores,
    labels: &PhraseLabels,
    tokens: &Tokens,
    constraints: &Constraints,
) -> Result<()> {
    if constraints.is_empty() {
        return Ok(());
    }
    // Labels as the model has them.
    let pipeline = Pipeline::new([TransformStep::StripFunctions, TransformStep::RemoveUnaryToSelf]);
    let constraints = constraints.prepare(&Tree::flat(tokens.clone()), &pipeline)?.constraints;
    let whole = Span::new(0, tokens.len() as u32);
    let named = constraints.phrases().filter_map(|(_, label)| label).chain(constraints.root.as_deref());
    named.into_iter().try_for_each(|label| labels.check(label))?;
    let mut required: Vec<Span> = constraints.phrases().map(|(span, _)| span).collect();
    required.extend(constraints.root.as_ref().map(|_| whole));
    required.sort_unstable();
    required.dedup();
    for span in spans(tokens.len()) {
        let is_cut = required.iter().any(|other| other.crosses(span));
        if is_cut || constraints.uncrossed.iter().any(|other| other.crosses(span)) {
            scores.row_mut(span).fill(f32::NEG_INFINITY);
        }
        if is_cut {
            scores.forbid_bare(span);
        }
    }
    required.into_iter().try_for_each(|span| require(scores, labels, &constraints, span, span == whole))
}

/// Makes a span a phrase with one of the labels that are possible.
fn require(
    scores: &mut SpanScores,
    labels: &PhraseLabels,
    constraints: &Constraints,
    span: Span,
    is_whole: bool,
) -> Result<()> {
    let of_span = constraints.phrases().filter(|(other, _)| *other == span);
    let root = constraints.root.as_deref().filter(|_| is_whole);
    // Nothing if one may have any label.
    let mut chain: Option<Vec<&str>> = of_span.map(|(_, label)| label).collect();
    if let (Some(root), Some(chain)) = (root, &mut chain)
        && chain.first().is_some_and(|first| *first != root)
    {
        chain.insert(0, root);
    }
    let fits = |found: &[Box<str>]| {
        let is_below_root = root.is_none_or(|root| &*found[0] == root);
        // A root alone says nothing about what is below it.
        let is_chain =
            |chain: &[&str]| chain.is_empty() || found.iter().map(AsRef::as_ref).eq(chain.iter().copied());
        is_below_root && chain.as_deref().is_none_or(is_chain)
    };
    scores.forbid_bare(span);
    let mut is_possible = false;
    for (label, score) in (0..).zip(scores.row_mut(span)) {
        match fits(labels.chain(label)) {
            true => is_possible |= *score > f32::NEG_INFINITY,
            false => *score = f32::NEG_INFINITY,
        }
    }
    let names = chain.filter(|chain| !chain.is_empty()).unwrap_or_else(|| root.into_iter().collect());
    match is_possible {
        true => Ok(()),
        false => Err(Error::new(
            ErrorKind::Argument,
            format!(
                "expected phrases that the model has seen one above the other, found {}",
                names.join(" ")
            ),
        )
        .hint("require fewer phrases over the same words, or leave out their labels")),
    }
}
