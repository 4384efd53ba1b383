//! Labels cut down to their category. Only phrases are touched: a tag such as `PRP$` or `-LRB-` means itself.

use crate::tree::{Node, NodeId, Tree};

/// Strips function tags and indices: `NP-SBJ-1` and `NP=2` become `NP`. A label that starts with one of the
/// marks, such as `-NONE-`, stays.
pub fn strip_functions(tree: &mut Tree) {
    cut_labels(tree, &['=', '-']);
}

/// Keeps the first of alternative labels: `ADVP|PRT` becomes `ADVP`.
pub fn strip_alternatives(tree: &mut Tree) {
    cut_labels(tree, &['|']);
}

/// Renames `PRT` to `ADVP`, the convention of Magerman (1995); function tags stay.
pub fn prt_to_advp(tree: &mut Tree) {
    for id in tree.ids() {
        if let Some(functions) = functions_of(tree.label(id), "PRT") {
            let label = format!("ADVP{functions}");
            tree.set_label(id, &label);
        }
    }
}

/// Renames `NP` over a relative or interrogative pronoun before a clause to `WHNP`, which some treebanks do not have
/// where the pronoun is the subject; function tags stay.
pub fn label_wh_phrases(tree: &mut Tree) {
    for id in tree.ids() {
        if let Some(functions) = functions_of(tree.label(id), "NP")
            && is_before_clause(tree, id)
            && is_wh_phrase(tree, id)
        {
            let label = format!("WHNP{functions}");
            tree.set_label(id, &label);
        }
    }
}

fn is_before_clause(tree: &Tree, id: NodeId) -> bool {
    let parent = tree.node(id).parent.map_or("", |parent| tree.label(parent));
    ["SBAR", "SBARQ"].iter().any(|clause| functions_of(parent, clause).is_some())
}

/// Whether the phrase begins with such a pronoun, which stands in no phrase below it.
fn is_wh_phrase(tree: &Tree, id: NodeId) -> bool {
    let first = tree.node(id).span.start;
    let is_within = |other: Node<'_>| other.id > id && other.span.start == first;
    ["WDT", "WP", "WP$"].contains(&tree.token(first as usize).tag) && !tree.nodes().any(is_within)
}

/// Takes out the phrases with these categories, whatever their function tags, and keeps what they hold: labels of
/// document structure, such as `HEADING`, are none of syntax.
pub fn splice(tree: &mut Tree, categories: &[String]) {
    let is_one = |label: &str| categories.iter().any(|category| functions_of(label, category).is_some());
    tree.retain_nodes(|node| !is_one(node.label));
}

/// Removes the tokens with these tags, and the phrases that dominate nothing else: marks of annotators that nobody
/// said or wrote.
pub fn remove_tags(tree: &mut Tree, tags: &[String]) {
    tree.retain_tokens(|token| !tags.iter().any(|tag| tag == token.tag));
}

/// Gives the tokens with some tags others: pairs of a tag and the one that takes its place.
pub fn rename_tags(tree: &mut Tree, renamed: &[(String, String)]) {
    for token in 0..tree.num_tokens() {
        if let Some((_, tag)) = renamed.iter().find(|(old, _)| old == tree.token(token).tag) {
            tree.set_tag(token, tag);
        }
    }
}

/// The function tags of a label, if it is of a category.
fn functions_of<'l>(label: &'l str, category: &str) -> Option<&'l str> {
    label.strip_prefix(category).filter(|rest| rest.is_empty() || rest.starts_with(['-', '=']))
}

fn cut_labels(tree: &mut Tree, marks: &[char]) {
    for id in tree.ids() {
        let label = tree.label(id);
        if let Some(end) = label.find(marks).filter(|&end| end > 0) {
            let category = label[..end].to_owned();
            tree.set_label(id, &category);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn applied(transform: fn(&mut Tree), label: &str) -> String {
        let mut tree: Tree = format!("({label} (NN-X a) (NN b))").parse().expect("a tree");
        transform(&mut tree);
        assert_eq!(tree.token(0).tag, "NN-X");
        tree.label(NodeId::new(0)).to_owned()
    }

    #[test]
    fn functions_and_indices_go() {
        for label in ["NP", "NP-SBJ", "NP-SBJ-1", "NP=2", "NP-SBJ=2", "NP=2-SBJ"] {
            assert_eq!(applied(strip_functions, label), "NP");
        }
        assert_eq!(applied(strip_functions, "ADVP|PRT-CLR"), "ADVP|PRT");
    }

    #[test]
    fn labels_that_start_with_a_mark_stay() {
        for label in ["-NONE-", "-LRB-", "=", ""] {
            assert_eq!(applied(strip_functions, label), label);
        }
        assert_eq!(applied(strip_alternatives, "|"), "|");
    }

    #[test]
    fn first_alternative_stays() {
        assert_eq!(applied(strip_alternatives, "ADVP|PRT"), "ADVP");
        assert_eq!(applied(strip_alternatives, "NP-SBJ"), "NP-SBJ");
    }

    #[test]
    fn particles_are_adverbs() {
        for (label, renamed) in [("PRT", "ADVP"), ("PRT-1", "ADVP-1"), ("PRTX", "PRTX"), ("NP", "NP")] {
            assert_eq!(applied(prt_to_advp, label), renamed);
        }
    }

    #[test]
    fn pronouns_before_clauses_are_wh_phrases() {
        let mut tree: Tree = "(S (NP (NP (NNS boughs)) (SBAR-1 (NP-SBJ (WDT that)) (S (VP (VBP bend))))) \
             (SBAR (NP (WP$ whose) (NN bark)) (S (NP (WP who)) (NP (NP (WP who)) (NN x)))) (SBARQ (NP (NN y)) (NP (NP (WP z)))))"
            .parse()
            .expect("a tree");
        label_wh_phrases(&mut tree);
        assert_eq!(
            tree.to_string(),
            "(S (NP (NP (NNS boughs)) (SBAR-1 (WHNP-SBJ (WDT that)) (S (VP (VBP bend))))) \
             (SBAR (WHNP (WP$ whose) (NN bark)) (S (NP (WP who)) (NP (NP (WP who)) (NN x)))) (SBARQ (NP (NN y)) (NP (NP (WP z)))))"
        );
    }

    #[test]
    fn phrases_are_taken_out_and_their_parts_stay() {
        let mut tree: Tree =
            "( (HEADING (NP (NN Bark))) (CAPTION-1 (NP-CAPTION (CIT x))))".parse().expect("a tree");
        splice(&mut tree, &["HEADING".to_owned(), "CAPTION".to_owned()]);
        assert_eq!(tree.to_string(), "( (NP (NN Bark)) (NP-CAPTION (CIT x)))");
    }

    #[test]
    fn tokens_go_by_their_tags() {
        let mut tree: Tree = "(S (NP (CODE <x>)) (VP (VB Go)) (SU /))".parse().expect("a tree");
        remove_tags(&mut tree, &["CODE".to_owned(), "SU".to_owned()]);
        assert_eq!(tree.to_string(), "(S (VP (VB Go)))");
    }

    #[test]
    fn tags_are_renamed() {
        let mut tree: Tree = "(S (VP (VB Go)) (SU /))".parse().expect("a tree");
        rename_tags(&mut tree, &[("SU".to_owned(), ".".to_owned())]);
        assert_eq!(tree.to_string(), "(S (VP (VB Go)) (. /))");
    }
}
