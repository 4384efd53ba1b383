//! Trees as labelled spans: a chain of phrases over the same words is one phrase with one label.

use std::iter::repeat;

use crate::error::{Error, ErrorKind, Result};
use crate::model::{Array, ModelFile, damaged, read_names, write_names};
use crate::span::Span;
use crate::tree::transform::Pipeline;
use crate::tree::{Node, Tree, Unaries, collapse_unaries, is_root_label, labels_of};
use crate::vocab::Vocab;

/// What is done to trees before they are learned from: one root, and no phrase over itself.
const PREPARATION: &str = "remove-traces,strip-functions,root=TOP,remove-unary-to-self";

/// The most labels, and the most tags. A treebank that is read as it should has hundreds.
const MOST_NAMES: usize = 1 << 13;

/// A phrase over a span; its label is a number of [`PhraseLabels`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct LabelledSpan {
    pub(crate) span: Span,
    pub(crate) label: u16,
}

/// A tree to learn from.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct GoldTree {
    pub(crate) words: Vec<Box<str>>,
    /// The tag of each word.
    pub(crate) tags: Vec<u16>,
    /// All phrases but the root, in pre-order.
    pub(crate) phrases: Vec<LabelledSpan>,
}

/// Labels of phrases, chains among them (`S+VP`), and tags of words, as numbers.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PhraseLabels {
    names: Vocab,
    /// What each label stands for, the topmost first.
    chains: Vec<Vec<Box<str>>>,
    tags: Vocab,
}

const LABELS: &str = "labels";
const TAGS: &str = "tags";

impl PhraseLabels {
    fn new(names: Vocab, tags: Vocab) -> Result<Self> {
        for (what, number) in [("labels of phrases", names.len()), ("tags", tags.len())] {
            if !(1..=MOST_NAMES).contains(&number) {
                let message = format!("expected 1 to {MOST_NAMES} {what}, found {number}");
                return Err(Error::new(ErrorKind::Argument, message)
                    .hint("look at the trees with `boughs treebank stats`"));
            }
        }
        let chain = |name| labels_of(name).map(|label| label.as_ref().into()).collect();
        Ok(Self { chains: names.iter().map(chain).collect(), names, tags })
    }

    /// The labels of a treebank, and its trees in terms of them. Those without words, or with a word without
    /// a tag, are left out.
    ///
    /// # Errors
    /// If there is nothing to learn from, or there are too many labels.
    pub(crate) fn collect(trees: &[Tree]) -> Result<(Self, Vec<GoldTree>)> {
        let pipeline: Pipeline = PREPARATION.parse()?;
        let (mut names, mut tags, mut gold) = (Vocab::new(), Vocab::new(), Vec::new());
        for tree in trees {
            let mut tree = tree.clone();
            let _ = pipeline.apply(&mut tree);
            if tree.is_empty() || tree.tokens().any(|token| token.tag.is_empty()) {
                continue;
            }
            let collapsed = collapse_unaries(&tree, Unaries::CollapseBelowRoot);
            // The numbers are checked below, and no tree is used before.
            let phrase = |(span, label)| LabelledSpan { span, label: names.intern(label) as u16 };
            gold.push(GoldTree {
                phrases: collapsed.nodes().skip(1).map(|node| (node.span, node.label)).map(phrase).collect(),
                tags: tree.tokens().map(|token| tags.intern(token.tag) as u16).collect(),
                words: tree.words().map(Into::into).collect(),
            });
        }
        if gold.is_empty() {
            return Err(Error::new(ErrorKind::Argument, "expected tagged trees to learn from, found none"));
        }
        Ok((Self::new(names, tags)?, gold))
    }

    /// How many labels there are.
    pub(crate) fn len(&self) -> usize {
        self.names.len()
    }

    /// The name of a label: `S+VP` for a chain.
    pub(crate) fn name(&self, label: u16) -> &str {
        self.names.name(u32::from(label))
    }

    /// The phrases that a label stands for, the topmost first.
    pub(crate) fn chain(&self, label: u16) -> &[Box<str>] {
        &self.chains[usize::from(label)]
    }

    /// The phrases of a parse, those over the same words as one; without the root.
    pub(crate) fn phrases_of(&self, tree: &Tree) -> Vec<LabelledSpan> {
        self.phrases_with(tree, &[]).into_iter().map(|(phrase, _)| phrase).collect()
    }

    /// The same, each with the least of the confidences of its phrases, of which there is one for each phrase of
    /// the tree, or none for the last ones. Chains that have no label are left out.
    pub(crate) fn phrases_with(
        &self,
        tree: &Tree,
        confidences: &[Option<f64>],
    ) -> Vec<(LabelledSpan, Option<f64>)> {
        let nodes: Vec<_> =
            tree.nodes().zip(confidences.iter().copied().chain(repeat(None))).skip(1).collect();
        let chains = nodes.chunk_by(|(a, _), (b, _)| a.span == b.span);
        let phrase = |chain: &[(Node<'_>, Option<f64>)]| {
            let is_chain = |labels: &Vec<Box<str>>| {
                labels.iter().map(AsRef::as_ref).eq(chain.iter().map(|(node, _)| node.label))
            };
            let label = self.chains.iter().position(is_chain)? as u16;
            let confidences: Option<Vec<f64>> = chain.iter().map(|(_, confidence)| *confidence).collect();
            let least = confidences.map(|all| all.into_iter().fold(f64::INFINITY, f64::min));
            Some((LabelledSpan { span: chain[0].0.span, label }, least))
        };
        chains.filter_map(phrase).collect()
    }

    /// Adds the labels and tags of others.
    ///
    /// # Errors
    /// If there are too many then.
    pub(crate) fn extend(&mut self, others: &Self) -> Result<()> {
        let (mut names, mut tags) = (self.names.clone(), self.tags.clone());
        others.names.iter().for_each(|name| _ = names.intern(name));
        others.tags.iter().for_each(|name| _ = tags.intern(name));
        *self = Self::new(names, tags)?;
        Ok(())
    }

    /// For each label of others the same label here, if there is one.
    pub(crate) fn numbers_of(&self, others: &Self) -> Vec<Option<u16>> {
        others.names.iter().map(|name| self.names.get(name).map(|number| number as u16)).collect()
    }

    /// The tags of words.
    pub(crate) fn tags(&self) -> &Vocab {
        &self.tags
    }

    /// The labels of single phrases, sorted.
    pub(crate) fn phrase_labels(&self) -> Vec<&str> {
        let mut labels: Vec<&str> = self.chains.iter().flatten().map(AsRef::as_ref).collect();
        labels.sort_unstable();
        labels.dedup();
        labels
    }

    /// Whether phrases may have a label.
    ///
    /// # Errors
    /// [`ErrorKind::Argument`] if it is not known, or that of a root.
    pub(crate) fn check(&self, label: &str) -> Result<()> {
        let known = self.phrase_labels();
        if known.binary_search(&label).is_ok() && !is_root_label(label) {
            return Ok(());
        }
        let message = format!("expected a label of the model, found `{label}`");
        Err(Error::new(ErrorKind::Argument, message).hint(format!("it knows {}", known.join(" "))))
    }

    pub(crate) fn write(&self, file: &mut ModelFile) -> Result<()> {
        file.insert(LABELS, Array::U8(write_names(&self.names)?));
        file.insert(TAGS, Array::U8(write_names(&self.tags)?));
        Ok(())
    }

    pub(crate) fn read(file: &ModelFile) -> Result<Self> {
        Self::new(read_names(file.u8s(LABELS)?)?, read_names(file.u8s(TAGS)?)?).map_err(damaged)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn collect(text: &str) -> (PhraseLabels, Vec<GoldTree>) {
        PhraseLabels::collect(&[text.parse().unwrap()]).unwrap()
    }

    #[test]
    fn trees_become_labelled_spans() {
        let (labels, gold) = collect("( (S (NP-SBJ (-NONE- *)) (VP (VP (VB Go) (NP (NN home)))) ))");
        let names: Vec<&str> = gold[0].phrases.iter().map(|phrase| labels.name(phrase.label)).collect();
        assert_eq!(names, ["S+VP", "NP"]);
        assert_eq!(gold[0].phrases[1].span, Span::new(1, 2));
        assert_eq!(labels.chain(gold[0].phrases[0].label), [Box::from("S"), Box::from("VP")]);
        assert_eq!(labels.phrase_labels(), ["NP", "S", "VP"]);
        assert_eq!((&*gold[0].words[0], &gold[0].tags[..]), ("Go", &[0, 1][..]));
    }

    #[test]
    fn a_root_over_several_phrases_is_no_phrase() {
        let (labels, gold) = collect("( (NP (NN Home)) (. .))");
        assert_eq!((labels.len(), gold[0].phrases.len()), (1, 1));
    }

    #[test]
    fn labels_of_phrases_are_known_one_by_one() {
        let (labels, _) = collect("(TOP (S (VP (VB Go))))");
        assert!(labels.check("S").is_ok() && labels.check("VP").is_ok());
        let message = labels.check("S+VP").unwrap_err().to_string();
        assert!(message.contains("found `S+VP`") && message.contains("it knows S VP"), "{message}");
        assert!(PhraseLabels::collect(&[Tree::empty()]).is_err());
    }
}
