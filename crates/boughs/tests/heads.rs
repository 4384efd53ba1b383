//! Head rules: the published table row by row, random trees, and whole treebanks.

#[path = "common/random_tree.rs"]
mod random_tree;
#[path = "common/treebanks.rs"]
mod treebanks;

use boughs::tree::heads::{HeadCandidate, HeadRules, TagClasses, dependencies};
use boughs::tree::{Child, Tree};
use proptest::prelude::*;

/// Parent, direction, priorities: a second copy of the table, made apart from the rule file.
const COLLINS: &str = "\
ADJP L NNS QP NN $ ADVP JJ VBN VBG ADJP JJR NP JJS DT FW RBR RBS SBAR RB
ADVP R RB RBR RBS FW ADVP TO CD JJR JJ IN NP JJS NN
CONJP R CC RB IN
FRAG R
INTJ L
LST R LS :
NAC L NN NNS NNP NNPS NP NAC EX $ CD QP PRP VBG JJ JJS JJR ADJP FW
PP R IN TO VBG VBN RP FW
PRN L
PRT R RP
QP L $ IN NNS NN JJ RB DT CD QP JJR JJS
RRC R VP NP ADVP ADJP PP
S L TO IN VP S SBAR ADJP UCP NP
SBAR L WHNP WHPP WHADVP WHADJP IN DT S SQ SINV SBAR FRAG
SBARQ L SQ S SINV SBARQ FRAG
SINV L VBZ VBD VBP VB MD VP S SINV ADJP NP
SQ L VBZ VBD VBP VB MD VP SQ
TOP L
UCP R
VP L TO VBD VBN MD VBZ VB VBG VBP VP ADJP NN NNS NP
WHADJP L CC WRB JJ ADJP
WHADVP R CC WRB
WHNP L WDT WP WP$ WHADJP WHPP WHNP
WHPP R IN TO FW
X L";

fn head(rules: &HeadRules, parent: &str, children: &[&str]) -> usize {
    let children: Vec<_> = children.iter().map(|label| HeadCandidate::token("w", label)).collect();
    rules.head_index(parent, &children)
}

#[test]
fn every_row_of_the_table() {
    let rules = HeadRules::english();
    for row in COLLINS.lines() {
        let words: Vec<&str> = row.split(' ').collect();
        let (parent, from_left, list) = (words[0], words[1] == "L", &words[2..]);
        let edge = |num: usize| if from_left { 0 } else { num - 1 };
        assert_eq!(head(&rules, parent, &["ZZ", "ZY", "ZX"]), edge(3), "{row}");
        for label in list {
            assert_eq!(head(&rules, parent, &["ZZ", label, "ZZ"]), 1, "{row}: {label}");
            assert_eq!(head(&rules, parent, &[label, "ZZ", label]), edge(3), "{row}: {label}");
        }
        for (place, better) in list.iter().enumerate() {
            for worse in &list[place + 1..] {
                assert_eq!(head(&rules, parent, &[better, worse]), 0, "{row}: {better} {worse}");
                assert_eq!(head(&rules, parent, &[worse, better]), 1, "{row}: {worse} {better}");
            }
        }
    }
}

/// What [`HeadRules::heads`] does, by following head children down from every phrase.
fn slow_heads(rules: &HeadRules, tree: &Tree) -> Vec<u32> {
    let head = |node| {
        let mut child = Child::Node(node);
        while let Child::Node(id) = child {
            child = rules.head_child(tree, id);
        }
        match child {
            Child::Token(index) => index as u32,
            Child::Node(_) => unreachable!("the loop ends at a token"),
        }
    };
    tree.nodes().map(|node| head(node.id)).collect()
}

fn check_heads(rules: &HeadRules, tree: &Tree) {
    let heads = rules.heads(tree);
    for (node, &head) in tree.nodes().zip(&heads) {
        assert!(node.span.range().contains(&(head as usize)), "{tree}");
    }
    let parents = dependencies(tree, rules);
    for (token, parent) in parents.iter().enumerate() {
        assert_eq!(parent.is_none(), heads.first().is_none_or(|&head| head as usize == token), "{tree}");
    }
    assert!(!has_cycle(&parents), "a cycle in {parents:?} of {tree}");
}

/// Whether following parents from some token never ends.
fn has_cycle(parents: &[Option<u32>]) -> bool {
    let parent_of = |token: &u32| parents[*token as usize];
    (0..parents.len() as u32)
        .any(|token| std::iter::successors(Some(token), parent_of).nth(parents.len()).is_some())
}

fn label() -> impl Strategy<Value = String> {
    "(S|VP|NP|PP|CC|NN|NNS|VB|,|POS|\\$|NP-SBJ|ZZ|)"
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn heads_lie_within_and_make_a_dependency_tree(tree in random_tree::random_tree(60, label())) {
        for rules in [HeadRules::english(), HeadRules::default_for_any_language()] {
            check_heads(&rules, &tree);
            prop_assert_eq!(rules.heads(&tree), slow_heads(&rules, &tree));
        }
    }

    #[test]
    fn any_text_is_rules_or_an_error(text in "[A-C*=\\\\# \\n]{0,30}( left| last|default|skip|coordination)?[A-C \\n]{0,9}") {
        let _ = text.parse::<HeadRules>();
        let _ = text.parse::<TagClasses>();
    }
}

#[test]
fn every_tree_of_the_treebanks() {
    let (english, any) = (HeadRules::english(), HeadRules::default_for_any_language());
    let left: HeadRules = "default leftmost =\n  leftmost *".parse().expect("rules");
    let (mut num_left, mut num_right, mut num_phrases) = (0, 0, 0);
    treebanks::for_every_tree(|tree| {
        check_heads(&english, tree);
        check_heads(&any, tree);
        for node in tree.nodes().filter(|node| tree.children(node.id).count() > 1) {
            let head = english.head_child(tree, node.id);
            num_phrases += 1;
            num_right += usize::from(any.head_child(tree, node.id) == head);
            num_left += usize::from(left.head_child(tree, node.id) == head);
        }
    });
    assert!(
        num_right >= num_left,
        "the default for any language should search from the left: of {num_phrases} phrases with several children \
         the head of {num_left} is as in Collins, and from the right of {num_right}"
    );
}
