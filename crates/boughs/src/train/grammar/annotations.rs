//! What names of symbols could say beside the label: the splits of Klein & Manning (2003), for English in the style of
//! the Penn Treebank.
//!
//! The naive form writes them into the labels, `VP-VBF`, `IN-SCC`, and takes them out again from every tree that is
//! parsed. Here the *mark* of a phrase or tag chooses one of the substates of its symbol, as if EM had found it, so
//! parsers need to know nothing: the trees that come out have plain labels, given tags and constraints mean the plain
//! ones, and the grammar without marks is there to prune with.
//!
//! Marks are found in trees without traces. What the paper reads off an empty subject is read off the missing one; the
//! parts of a phrase have its mark.

use std::collections::BTreeSet;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::error::{Error, ErrorKind, Result};
use crate::learn::names::{name_of, named};
use crate::span::Span;
use crate::tree::heads::HeadRules;
use crate::tree::rule_text::named_text;
use crate::tree::{Child, NodeId, Tree, base_label, functions, labels_of};

/// One of the splits of Klein & Manning (2003), in their words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Annotation {
    /// Phrases with one child.
    UnaryInternal,
    /// `DT` without a sibling: *that*, not *the*.
    UnaryDt,
    /// `RB` without a sibling.
    UnaryRb,
    /// Tags by the phrase above them.
    TagPa,
    /// `IN` by what it introduces: noun modifiers, quantities, clauses of three kinds, and the rest.
    SplitIn,
    /// Verb tags of *be* and *have*.
    SplitAux,
    /// `CC` of *but* and *&*.
    SplitCc,
    /// The tag of *%*.
    #[serde(rename = "split-%")]
    SplitPercent,
    /// `NP` of time and its head, where the treebank has the function `TMP`.
    TmpNp,
    /// `S` without a subject.
    GappedS,
    /// `NP` that ends in `POS`.
    PossNp,
    /// `VP` by its head: finite, or the tag.
    SplitVp,
    /// `NP` of words alone.
    BaseNp,
    /// Phrases with a verb somewhere below.
    DominatesV,
    /// `NP` that ends in another `NP`.
    RightRecNp,
}

use Annotation::{
    BaseNp, DominatesV, GappedS, PossNp, RightRecNp, SplitAux, SplitCc, SplitIn, SplitPercent, SplitVp,
    TagPa, TmpNp, UnaryDt, UnaryInternal, UnaryRb,
};

/// The named sets: all, in the order of the paper.
const NAMED: [(&str, &str); 1] = [(
    "klein-manning",
    "unary-internal,unary-dt,unary-rb,tag-pa,split-in,split-aux,split-cc,split-%,tmp-np,gapped-s,poss-np,\
     split-vp,base-np,dominates-v,right-rec-np",
)];

/// What a treebank must have for the splits to mean anything.
const PHRASES: [&str; 3] = ["NP", "VP", "S"];
const TAGS: [&str; 4] = ["IN", "DT", "NN", "VB"];

const BE: &[&str] =
    &["be", "am", "is", "are", "was", "were", "been", "being", "'s", "'m", "'re", "’s", "’m", "’re"];
const HAVE: &[&str] = &["have", "has", "had", "having", "'ve", "'d", "’ve", "’d"];

/// Which splits are made. Default: none.
///
/// ```
/// use boughs::train::Annotations;
///
/// let all: Annotations = "klein-manning".parse()?;
/// let some: Annotations = "split-vp,base-np".parse()?;
/// assert_eq!(some.to_string(), "split-vp,base-np");
/// assert_eq!(all, Annotations::klein_manning());
/// assert!("split-everything".parse::<Annotations>().is_err());
/// # Ok::<(), boughs::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Annotations(Vec<Annotation>);

impl Annotations {
    /// All of them.
    ///
    /// # Panics
    /// Never: the names are part of the program, and tested.
    pub fn klein_manning() -> Self {
        "klein-manning".parse().expect("the names are tested")
    }

    /// None of them.
    pub const fn none() -> Self {
        Self(Vec::new())
    }

    /// Whether nothing is split.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn has(&self, annotation: Annotation) -> bool {
        self.0.contains(&annotation)
    }

    /// Refuses treebanks with other labels and tags.
    pub(super) fn check(&self, trees: &[Tree]) -> Result<()> {
        let has_phrase =
            |label: &str| trees.iter().flat_map(Tree::nodes).any(|node| base_label(node.label) == label);
        let has_tag = |tag: &str| trees.iter().flat_map(Tree::tokens).any(|token| token.tag == tag);
        let missing = PHRASES.into_iter().find(|label| !has_phrase(label));
        let missing = missing.or_else(|| TAGS.into_iter().find(|tag| !has_tag(tag)));
        match missing.filter(|_| !self.is_empty()) {
            None => Ok(()),
            Some(name) => Err(Error::new(
                ErrorKind::Argument,
                format!("expected trees in the style of the Penn Treebank, found none with `{name}`"),
            )
            .hint("leave out the annotations: they are for English; or give more trees")),
        }
    }
}

impl FromStr for Annotations {
    type Err = Error;

    fn from_str(names: &str) -> Result<Self> {
        let names = named_text(&NAMED, names).split(',').filter(|name| !name.is_empty());
        names.map(|name| named("`klein-manning` or names with commas", name)).collect::<Result<_>>().map(Self)
    }
}

impl std::fmt::Display for Annotations {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let annotations: BTreeSet<_> = self.0.iter().collect();
        f.write_str(&annotations.into_iter().map(name_of).collect::<Vec<_>>().join(","))
    }
}

/// The marks of a tree; equal ones of a symbol are the same substate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Marks {
    pub(super) of_phrases: Vec<String>,
    pub(super) of_tags: Vec<String>,
}

impl Marks {
    fn none(tree: &Tree) -> Self {
        Self {
            of_phrases: vec![String::new(); tree.num_nodes()],
            of_tags: vec![String::new(); tree.num_tokens()],
        }
    }

    /// The marks of the same tree binarised: the parts of a phrase have its own, joined phrases all of theirs.
    pub(super) fn of_binary(self, binary: &Tree) -> Self {
        let mut rest = self.of_phrases.into_iter();
        let mut of_phrases: Vec<String> = Vec::with_capacity(binary.num_nodes());
        for node in binary.nodes() {
            let mark = match (labels_of(node.label).count(), node.parent) {
                (0, Some(whole)) => of_phrases[whole.index()].clone(),
                (num_phrases, _) => rest.by_ref().take(num_phrases).collect(),
            };
            of_phrases.push(mark);
        }
        Self { of_phrases, of_tags: self.of_tags }
    }
}

/// The spans of the phrases of time in order, before functions are cut off.
pub(super) fn temporal_spans(tree: &Tree) -> Vec<Span> {
    let is_temporal = |label: &str| base_label(label) == "NP" && functions(label).any(|it| it == "TMP");
    let mut spans: Vec<Span> =
        tree.nodes().filter(|node| is_temporal(node.label)).map(|node| node.span).collect();
    spans.sort_unstable();
    spans
}

/// The marks of a tree without functions and traces. `temporal` has the spans of phrases of time, in order.
pub(super) fn marks(annotations: &Annotations, tree: &Tree, temporal: &[Span]) -> Marks {
    if annotations.is_empty() {
        return Marks::none(tree);
    }
    let marker = Marker::new(annotations, tree, temporal);
    Marks {
        of_phrases: tree.ids().map(|id| marker.phrase(id)).collect(),
        of_tags: (0..tree.num_tokens()).map(|index| marker.tag(index)).collect(),
    }
}

struct Marker<'m> {
    annotations: &'m Annotations,
    tree: &'m Tree,
    heads: Vec<u32>,
    /// The phrase that each token is a child of.
    parents: Vec<Option<NodeId>>,
    /// How many verbs there are before each token, and at the end.
    verbs_before: Vec<u32>,
    is_temporal: Vec<bool>,
    is_right_recursive: Vec<bool>,
}

impl<'m> Marker<'m> {
    fn new(annotations: &'m Annotations, tree: &'m Tree, temporal: &[Span]) -> Self {
        let mut parents = vec![None; tree.num_tokens()];
        for id in tree.ids() {
            for child in tree.children(id) {
                if let Child::Token(index) = child {
                    parents[index] = Some(id);
                }
            }
        }
        let mut verbs_before = vec![0];
        for (index, token) in tree.tokens().enumerate() {
            verbs_before.push(verbs_before[index] + u32::from(is_verb(token.tag)));
        }
        let is_temporal =
            |id: NodeId| tree.label(id) == "NP" && temporal.binary_search(&tree.span(id)).is_ok();
        Self {
            annotations,
            tree,
            heads: HeadRules::english().heads(tree),
            parents,
            verbs_before,
            is_temporal: tree.ids().map(is_temporal).collect(),
            is_right_recursive: right_recursive(tree),
        }
    }

    fn phrase(&self, id: NodeId) -> String {
        let (tree, span) = (self.tree, self.tree.span(id));
        if id.index() == 0 {
            return String::new();
        }
        let label = tree.label(id);
        let is_np = label == "NP";
        let has_verb = self.verbs_before[span.end as usize] > self.verbs_before[span.start as usize];
        let marks = [
            (UnaryInternal, is_unary(tree, id), "-U"),
            (TmpNp, self.is_temporal[id.index()], "-TMP"),
            (GappedS, label == "S" && is_gapped(tree, id), "-G"),
            (PossNp, is_np && self.ends_in(id, "POS"), "-P"),
            (BaseNp, is_np && tree.children(id).all(|child| matches!(child, Child::Token(_))), "-B"),
            (DominatesV, has_verb, "-V"),
            (RightRecNp, is_np && self.is_right_recursive[id.index()], "-R"),
        ];
        let mut mark = self.join(&marks);
        if label == "VP" && self.annotations.has(SplitVp) {
            mark.push('-');
            mark.push_str(form_of_verb(tree.token(self.heads[id.index()] as usize).tag));
        }
        mark
    }

    fn tag(&self, index: usize) -> String {
        let token = self.tree.token(index);
        let word = token.word.to_lowercase();
        let parent = self.parents[index];
        let is_alone = parent.is_some_and(|parent| is_unary(self.tree, parent));
        let is_head_of_temporal = parent.is_some_and(|parent| {
            self.is_temporal[parent.index()] && self.heads[parent.index()] as usize == index
        });
        let marks = [
            (UnaryDt, token.tag == "DT" && is_alone, "-U"),
            (UnaryRb, token.tag == "RB" && is_alone, "-U"),
            (SplitAux, is_verb(token.tag) && BE.contains(&&*word), "-BE"),
            (SplitAux, is_verb(token.tag) && token.tag != "MD" && HAVE.contains(&&*word), "-HAVE"),
            (SplitCc, token.tag == "CC" && word == "but", "-BUT"),
            (SplitCc, token.tag == "CC" && word == "&", "-&"),
            (SplitPercent, word == "%", "-%"),
            (TmpNp, is_head_of_temporal, "-TMP"),
        ];
        let mut mark = self.join(&marks);
        if token.tag == "IN" && self.annotations.has(SplitIn) {
            mark.push_str(self.kind_of_preposition(parent));
        }
        if let Some(parent) = parent.filter(|_| self.annotations.has(TagPa)) {
            mark.push('^');
            mark.push_str(self.tree.label(parent));
        }
        mark
    }

    fn join(&self, marks: &[(Annotation, bool, &str)]) -> String {
        let held = marks.iter().filter(|(annotation, holds, _)| *holds && self.annotations.has(*annotation));
        held.map(|&(_, _, mark)| mark).collect()
    }

    /// Whether the last child of a phrase is a token with this tag.
    fn ends_in(&self, id: NodeId, tag: &str) -> bool {
        let last = (self.tree.span(id).end as usize).checked_sub(1);
        last.is_some_and(|last| self.parents[last] == Some(id) && self.tree.token(last).tag == tag)
    }

    /// The six kinds of the Stanford parser, which Klein & Manning do not list.
    fn kind_of_preposition(&self, parent: Option<NodeId>) -> &'static str {
        let label = |id: Option<NodeId>| id.map_or("", |id| self.tree.label(id));
        let above = parent.and_then(|parent| self.tree.node(parent).parent);
        match (label(parent), label(above)) {
            (parent, above) if parent.starts_with(['P', 'A']) && above.starts_with('N') => "-N",
            ("QP", above) if above.starts_with('N') || above == "ADJP" => "-Q",
            ("SBAR", "S") => "-SCC",
            (_, "S") => "-SC",
            ("SBAR" | "WHNP", _) => "-T",
            _ => "",
        }
    }
}

/// Of all phrases that end at a place, one is in the other, the lower one later in pre-order.
fn right_recursive(tree: &Tree) -> Vec<bool> {
    let mut has_np = vec![false; tree.num_tokens() + 1];
    let mut is_recursive = vec![false; tree.num_nodes()];
    for node in tree.nodes().rev() {
        let end = node.span.end as usize;
        is_recursive[node.id.index()] = has_np[end];
        has_np[end] |= node.label == "NP";
    }
    is_recursive
}

/// Whether nothing before the verb phrase can be its subject.
fn is_gapped(tree: &Tree, id: NodeId) -> bool {
    let labels = tree.children(id).filter_map(|child| match child {
        Child::Node(child) => Some(tree.label(child)),
        Child::Token(_) => None,
    });
    let mut labels = labels.skip_while(|label| !matches!(*label, "VP" | "NP" | "S" | "SBAR"));
    labels.next() == Some("VP")
}

fn is_unary(tree: &Tree, id: NodeId) -> bool {
    tree.children(id).take(2).count() == 1
}

fn is_verb(tag: &str) -> bool {
    tag.starts_with("VB") || tag == "MD"
}

fn form_of_verb(tag: &str) -> &str {
    match tag {
        "VBD" | "VBP" | "VBZ" | "MD" => "VBF",
        tag => tag,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The marks of phrases, then those of tags, each behind its label.
    fn marked(names: &str, text: &str) -> String {
        let annotations: Annotations = names.parse().unwrap();
        let mut tree: Tree = text.parse().unwrap();
        let temporal = temporal_spans(&tree);
        tree.ids().for_each(|id| {
            let label = base_label(tree.label(id)).to_owned();
            tree.set_label(id, &label);
        });
        let marks = marks(&annotations, &tree, &temporal);
        tree.ids().for_each(|id| {
            let label = format!("{}{}", tree.label(id), marks.of_phrases[id.index()]);
            tree.set_label(id, &label);
        });
        (0..tree.num_tokens()).for_each(|index| {
            let tag = format!("{}{}", tree.token(index).tag, marks.of_tags[index]);
            tree.set_tag(index, &tag);
        });
        tree.to_string()
    }

    #[test]
    fn the_named_set_has_every_annotation_in_order() {
        let all = Annotations::klein_manning();
        assert_eq!((all.0.len(), all.0.first(), all.0.last()), (15, Some(&UnaryInternal), Some(&RightRecNp)));
        assert!(all.0.is_sorted_by(|one, next| one < next));
        assert_eq!(all.to_string(), NAMED[0].1);
    }

    #[test]
    fn each_split_marks_what_it_is_about() {
        for (name, text, expected) in [
            (
                "unary-internal",
                "(TOP (S (VP (VB go) (ADVP (RB on)))))",
                "(TOP (S-U (VP (VB go) (ADVP-U (RB on)))))",
            ),
            (
                "unary-dt",
                "(TOP (S (NP (DT that)) (NP (DT the) (NN x))))",
                "(TOP (S (NP (DT-U that)) (NP (DT the) (NN x))))",
            ),
            ("unary-rb", "(TOP (ADVP (RB so)) (RB so))", "(TOP (ADVP (RB-U so)) (RB so))"),
            ("tag-pa", "(TOP (NP (DT a) (ADJP (JJ b))))", "(TOP (NP (DT^NP a) (ADJP (JJ^ADJP b))))"),
            (
                "split-in",
                "(TOP (S (SBAR (IN as) (S (PP (IN on)))) (NP (NP (X x)) (PP (IN of))) (VP (VP (X x)) (SBAR (IN that) (X x)) (PP (IN at)))))",
                "(TOP (S (SBAR (IN-SCC as) (S (PP (IN-SC on)))) (NP (NP (X x)) (PP (IN-N of))) (VP (VP (X x)) (SBAR (IN-T that) (X x)) (PP (IN at)))))",
            ),
            ("split-in", "(TOP (NP (QP (IN about) (CD ten))))", "(TOP (NP (QP (IN-Q about) (CD ten))))"),
            (
                "split-aux",
                "(TOP (VBZ Is) (VBD had) (MD 'd) (VBP do) (NN being))",
                "(TOP (VBZ-BE Is) (VBD-HAVE had) (MD 'd) (VBP do) (NN being))",
            ),
            ("split-cc", "(TOP (CC But) (CC &) (CC and))", "(TOP (CC-BUT But) (CC-& &) (CC and))"),
            ("split-%", "(TOP (CD 5) (NN %))", "(TOP (CD 5) (NN-% %))"),
            (
                "tmp-np",
                "(TOP (NP-TMP-1 (JJ last) (NN May)) (NP-SBJ (NN x)))",
                "(TOP (NP-TMP (JJ last) (NN-TMP May)) (NP (NN x)))",
            ),
            (
                "gapped-s",
                "(TOP (S (NP (X x)) (VP (X x) (S (ADVP (X x)) (VP (X x)) (NP (X x))))))",
                "(TOP (S (NP (X x)) (VP (X x) (S-G (ADVP (X x)) (VP (X x)) (NP (X x))))))",
            ),
            ("poss-np", "(TOP (NP (NP (NN x) (POS 's)) (NN y)))", "(TOP (NP (NP-P (NN x) (POS 's)) (NN y)))"),
            (
                "split-vp",
                "(TOP (VP (MD may) (VP (VB go) (S (VP (TO to) (VP (VB x)))))))",
                "(TOP (VP-VBF (MD may) (VP-VB (VB go) (S (VP-TO (TO to) (VP-VB (VB x)))))))",
            ),
            (
                "base-np",
                "(TOP (NP (NP (DT a) (NN b)) (PP (X x))))",
                "(TOP (NP (NP-B (DT a) (NN b)) (PP (X x))))",
            ),
            (
                "dominates-v",
                "(TOP (S (NP (NN x)) (VP (VBZ is) (NP (NN x)))))",
                "(TOP (S-V (NP (NN x)) (VP-V (VBZ is) (NP (NN x)))))",
            ),
            (
                "right-rec-np",
                "(TOP (NP (NP (NN x)) (PP (IN of) (NP (NN y)))))",
                "(TOP (NP-R (NP (NN x)) (PP (IN of) (NP (NN y)))))",
            ),
        ] {
            assert_eq!(marked(name, text), expected, "{name}");
        }
    }

    #[test]
    fn marks_add_up() {
        assert_eq!(
            marked("klein-manning", "(TOP (S (VP (VB Go) (NP (NN home)))))"),
            "(TOP (S-U-G-V (VP-V-VB (VB^VP Go) (NP-U-B (NN^NP home)))))"
        );
    }

    #[test]
    fn treebanks_of_another_style_are_refused() {
        let tree: Tree = "(ROOT (SENT (NP (DET le) (NC chat)) (VN (V dort))))".parse().unwrap();
        let error = Annotations::klein_manning().check(std::slice::from_ref(&tree)).unwrap_err();
        assert!(error.to_string().contains("found none with `VP`"), "{error}");
        assert!(Annotations::default().check(&[tree]).is_ok());
    }
}
