//! Boosted classifiers in a model file (kind `boosted`), one after the other, tree by tree, node by node:
//!
//! | array | type | an entry for each | content |
//! |---|---|---|---|
//! | `trees` | u32 | classifier | how many trees it has |
//! | `penalties` | f64 | tree | the penalty at which it was added |
//! | `nodes` | u32 | tree | how many nodes it has |
//! | `is_split` | u8 | node | 1 for a split, 0 for a leaf |
//! | `splits` | u32 | split, three | the feature; where to go if it is active, and if not, as places in the tree |
//! | `leaves` | f64 | leaf | the confidence |
//!
//! There is a classifier for each label, or of two labels one for the second only.

use super::{About, Array, ModelFile, damaged};
use crate::error::{Error, ErrorKind, Result};
use crate::model::{Classifier, DecisionTree, Ensemble, TreeNode};

/// The kind of these files.
const KIND: &str = "boosted";

impl ModelFile {
    /// A file of boosted classifiers; the kind of `about` is filled in, and so are the labels, unless there are two of
    /// them and one classifier, which is then that of the second.
    ///
    /// # Errors
    /// If there are 2³² trees or nodes or more.
    pub fn from_classifiers(about: About, classifiers: &[Classifier]) -> Result<Self> {
        let labels = match (&about.labels[..], classifiers) {
            ([_, second], [only]) if *second == only.label => about.labels.clone(),
            _ => classifiers.iter().map(|classifier| classifier.label.clone()).collect(),
        };
        let mut file = Self::new(About { kind: KIND.to_owned(), labels, ..about });
        file.insert_classifiers(classifiers)?;
        Ok(file)
    }

    /// Adds the arrays of boosted classifiers to a file of any kind.
    ///
    /// # Errors
    /// If there are 2³² trees or nodes or more.
    pub fn insert_classifiers(&mut self, classifiers: &[Classifier]) -> Result<()> {
        let mut lists = TreeArrays::default();
        for classifier in classifiers {
            lists.add(&classifier.ensemble)?;
        }
        self.insert("trees", Array::U32(lists.trees));
        self.insert("penalties", Array::F64(lists.penalties));
        self.insert("nodes", Array::U32(lists.nodes));
        self.insert("is_split", Array::U8(lists.is_split));
        self.insert("splits", Array::U32(lists.splits));
        self.insert("leaves", Array::F64(lists.leaves));
        Ok(())
    }

    /// The boosted classifiers of a file.
    ///
    /// # Errors
    /// If it is of another kind, or its arrays do not make trees.
    pub fn classifiers(&self) -> Result<Vec<Classifier>> {
        self.expect_kind(KIND, "train one with `boughs learn train boosted`")?;
        match &self.about.labels[..] {
            [_, second] if self.u32s("trees")?.len() == 1 => {
                self.classifiers_of(std::slice::from_ref(second))
            }
            labels => self.classifiers_of(labels),
        }
    }

    /// The boosted classifiers of a file of any kind, one for each of these labels.
    ///
    /// # Errors
    /// If its arrays do not make trees, or there is another number of classifiers.
    pub fn classifiers_of(&self, labels: &[String]) -> Result<Vec<Classifier>> {
        let mut cursor = TreeArraysCursor::new(self)?;
        let trees = self.u32s("trees")?;
        if labels.len() != trees.len() {
            return Err(damaged(format_args!("{} labels, {} classifiers", labels.len(), trees.len())));
        }
        let classifier = |(label, &num_trees): (&String, &u32)| {
            Ok(Classifier { label: label.clone(), ensemble: cursor.ensemble(num_trees)? })
        };
        let classifiers = labels.iter().zip(trees).map(classifier).collect::<Result<Vec<_>>>()?;
        cursor.finish()?;
        Ok(classifiers)
    }
}

/// The arrays being filled.
#[derive(Default)]
struct TreeArrays {
    trees: Vec<u32>,
    penalties: Vec<f64>,
    nodes: Vec<u32>,
    is_split: Vec<u8>,
    splits: Vec<u32>,
    leaves: Vec<f64>,
}

impl TreeArrays {
    fn add(&mut self, ensemble: &Ensemble) -> Result<()> {
        self.trees.push(count(ensemble.trees().len())?);
        self.penalties.extend(ensemble.penalties());
        for tree in ensemble.trees() {
            self.nodes.push(count(tree.nodes().len())?);
            for node in tree.nodes() {
                self.is_split.push(u8::from(matches!(node, TreeNode::Split { .. })));
                match *node {
                    TreeNode::Split { feature, present, absent } => {
                        self.splits.extend([feature, present, absent]);
                    }
                    TreeNode::Leaf { confidence } => self.leaves.push(confidence),
                }
            }
        }
        Ok(())
    }
}

fn count(number: usize) -> Result<u32> {
    u32::try_from(number)
        .map_err(|_| Error::new(ErrorKind::TooLarge, "a model file holds fewer than 2^32 trees and nodes"))
}

/// The arrays being taken apart: what is still to come of each.
struct TreeArraysCursor<'f> {
    penalties: &'f [f64],
    nodes: &'f [u32],
    is_split: &'f [u8],
    splits: &'f [[u32; 3]],
    leaves: &'f [f64],
}

impl<'f> TreeArraysCursor<'f> {
    fn new(file: &'f ModelFile) -> Result<Self> {
        let (splits, rest) = file.u32s("splits")?.as_chunks();
        if !rest.is_empty() {
            return Err(damaged("array `splits` does not consist of triples"));
        }
        Ok(Self {
            penalties: file.f64s("penalties")?,
            nodes: file.u32s("nodes")?,
            is_split: file.u8s("is_split")?,
            splits,
            leaves: file.f64s("leaves")?,
        })
    }

    fn ensemble(&mut self, num_trees: u32) -> Result<Ensemble> {
        let penalties = take(&mut self.penalties, num_trees as usize, "penalties")?;
        let nodes = take(&mut self.nodes, num_trees as usize, "nodes")?;
        let trees = nodes.iter().zip(penalties).map(|(&nodes, &penalty)| Ok((self.tree(nodes)?, penalty)));
        let trees = trees.collect::<Result<Vec<_>>>()?;
        Ensemble::try_from(trees).map_err(|error| damaged(error.message()))
    }

    fn tree(&mut self, num_nodes: u32) -> Result<DecisionTree> {
        let is_split = take(&mut self.is_split, num_nodes as usize, "is_split")?;
        let nodes = is_split.iter().map(|&is_split| self.node(is_split)).collect::<Result<Vec<_>>>()?;
        DecisionTree::try_new(nodes).map_err(|error| damaged(error.message()))
    }

    fn node(&mut self, is_split: u8) -> Result<TreeNode> {
        match is_split {
            0 => Ok(TreeNode::Leaf { confidence: take(&mut self.leaves, 1, "leaves")?[0] }),
            1 => {
                let [feature, present, absent] = take(&mut self.splits, 1, "splits")?[0];
                Ok(TreeNode::Split { feature, present, absent })
            }
            other => Err(damaged(format_args!("array `is_split` holds 0 and 1, and here {other}"))),
        }
    }

    fn finish(self) -> Result<()> {
        let left = [
            self.penalties.len(),
            self.nodes.len(),
            self.is_split.len(),
            self.splits.len(),
            self.leaves.len(),
        ];
        match left.iter().all(|&num_left| num_left == 0) {
            true => Ok(()),
            false => Err(damaged("its arrays hold more than its trees need")),
        }
    }
}

/// The next entries of an array.
fn take<'f, T>(array: &mut &'f [T], number: usize, name: &str) -> Result<&'f [T]> {
    let (taken, rest) =
        array.split_at_checked(number).ok_or_else(|| damaged(format_args!("array `{name}` is too short")))?;
    *array = rest;
    Ok(taken)
}
