//! Brackets in which some nodes stand out, for terminals.

use boughs::tree::search::Hit;
use boughs::tree::{Tree, WalkEvent};

const START: &str = "\x1b[1;31m";
const END: &str = "\x1b[0m";

/// The line of a tree, the hits in colour. Every bracket that opens is a phrase or a token: those of words are escaped.
pub(super) fn highlight(line: &str, tree: &Tree, hits: &[Hit]) -> String {
    let mut opened = tree.events().filter_map(|event| match event {
        WalkEvent::Open(id) => Some(hits.contains(&Hit::Phrase(id))),
        WalkEvent::Token(at) => Some(hits.contains(&Hit::Tag(at)) || hits.contains(&Hit::Word(at))),
        WalkEvent::Close(_) => None,
    });
    let mut text = String::with_capacity(2 * line.len());
    let mut open: Vec<bool> = Vec::new();
    for c in line.chars() {
        if c == '(' {
            let is_hit = opened.next().unwrap_or(false);
            open.push(is_hit);
            text.push_str(if is_hit { START } else { "" });
        }
        text.push(c);
        if c == ')' && open.pop() == Some(true) {
            text.push_str(END);
            text.push_str(if open.contains(&true) { START } else { "" });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use boughs::tree::search::TreePattern;

    fn highlighted(tree: &str, pattern: &str) -> String {
        let (tree, pattern): (Tree, TreePattern) = (tree.parse().unwrap(), pattern.parse().unwrap());
        let hits: Vec<Hit> = pattern.matches(&tree).collect();
        highlight(&tree.to_string(), &tree, &hits).replace(START, "<").replace(END, ">")
    }

    #[test]
    fn hits_stand_out() {
        let tree = "(S (NP (NN -LRB-)) (VP (VBZ is) (NP (NP (NN a)) (PP (IN b)))))";
        assert_eq!(
            highlighted(tree, "NP"),
            "(S <(NP (NN -LRB-))> (VP (VBZ is) <(NP <(NP (NN a))>< (PP (IN b)))>))"
        );
        assert_eq!(
            highlighted(tree, "VBZ"),
            "(S (NP (NN -LRB-)) (VP <(VBZ is)> (NP (NP (NN a)) (PP (IN b)))))"
        );
        assert_eq!(highlighted(tree, "QP"), tree);
    }
}
