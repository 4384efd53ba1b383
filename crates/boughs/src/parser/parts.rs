//! Sentences that are too long to be parsed as one: in parts, which end at punctuation.

use super::{Sentence, Worker};
use crate::error::Result;
use crate::parse::{Parse, Parsed, Status};
use crate::span::Span;
use crate::tree::{Node, Token, Tokens, from_spans, is_root_label};

/// A sentence of more parts than this is rather a file of something else, and would take hours.
const MOST_PARTS: usize = 40;

/// Cuts a sentence into parts of at most so many tokens, at least one. A part ends at the strongest punctuation in the
/// second half of what it may hold, the last of equals, or where it is full.
fn parts(tokens: &Tokens, most: usize) -> Vec<Span> {
    let mut parts = Vec::new();
    let mut start = 0;
    while tokens.len() - start > most {
        let ends = start + most.div_ceil(2)..=start + most;
        let end = ends.max_by_key(|&end| (strength(tokens.word(end - 1)), end)).unwrap_or(start + most);
        parts.push(Span::new(start as u32, end as u32));
        start = end;
    }
    parts.push(Span::new(start as u32, tokens.len() as u32));
    parts
}

/// How much a token sets apart what stands before it.
fn strength(word: &str) -> u8 {
    match word {
        "." | "?" | "!" | ";" | "。" | "？" | "！" | "；" => 3,
        ":" | "--" | "—" | "–" | "..." | "…" | "：" => 2,
        "," | ")" | "-RRB-" | "，" | "、" => 1,
        _ => 0,
    }
}

impl Worker<'_> {
    /// The best parses of the parts of a sentence, of at most so many tokens each, under one root.
    pub(super) fn parse_in_parts(&mut self, sentence: &Sentence, most: usize) -> Result<Parsed> {
        let tokens = sentence.tokens();
        if tokens.len() > most * MOST_PARTS || !sentence.constraints.is_empty() {
            return Ok(Parsed::fallback(self.fallback(tokens), Status::TooLong));
        }
        let spans = parts(tokens, most);
        let mut parsed = Vec::with_capacity(spans.len());
        for &span in &spans {
            parsed.push(self.parse_by_posteriors(&sentence.part(span))?.parses.swap_remove(0));
        }
        let joined: Tokens = parsed.iter().flat_map(|parse| parse.tree.tokens()).collect();
        let own = joined.iter().zip(tokens.iter());
        let own = own.map(|(found, own)| Token { tag: found.tag, ..own });
        let phrases = spans.iter().zip(&parsed).flat_map(|(span, parse)| phrases(*span, parse));
        let (phrases, confidences): (Vec<_>, Vec<_>) = phrases.unzip();
        let tree = from_spans(own, phrases)?;
        let mut parsed = Parsed::fallback(tree, Status::InParts);
        let best = &mut parsed.parses[0];
        best.tree.copy_source(tokens);
        // The root is that of no parse.
        best.confidences = std::iter::once(None).chain(confidences).collect();
        Ok(parsed)
    }
}

/// The phrases of a part below its root, where they stand in the sentence, with the confidence in each.
fn phrases(part: Span, parse: &Parse) -> impl Iterator<Item = ((Span, &str), Option<f64>)> {
    let is_root = |node: &Node<'_>| node.parent.is_none() && is_root_label(node.label);
    parse.tree.nodes().filter(move |node| !is_root(node)).map(move |node| {
        let span = Span::new(part.start + node.span.start, part.start + node.span.end);
        ((span, node.label), parse.confidence(node.id))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ends(text: &str, most: usize) -> Vec<u32> {
        let tokens: Tokens = text.split(' ').map(|word| (word, "")).collect();
        let parts = parts(&tokens, most);
        assert!(parts.windows(2).all(|pair| pair[0].end == pair[1].start) && parts[0].start == 0);
        parts.iter().map(|part| part.end).collect()
    }

    #[test]
    fn parts_end_at_punctuation() {
        assert_eq!(ends("a b c , d e ; f g , h", 8), [7, 11]);
        assert_eq!(ends("a b c , d e , f g", 8), [7, 9]);
        assert_eq!(ends("a b c d e f g", 3), [3, 6, 7]);
        assert_eq!(ends("a b", 3), [2]);
        assert_eq!(ends("a b c", 1), [1, 2, 3]);
    }
}
