//! Labels cut down to their category. Only phrases are touched: a tag such as `PRP$` or `-LRB-` means itself.

use crate::tree::Tree;

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
        if let Some(functions) = tree.label(id).strip_prefix("PRT")
            && (functions.is_empty() || functions.starts_with(['-', '=']))
        {
            let label = format!("ADVP{functions}");
            tree.set_label(id, &label);
        }
    }
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
    use crate::tree::NodeId;

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
}
