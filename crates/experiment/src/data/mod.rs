//! What an experiment learns from, chooses by and tests on.

mod pairs;
mod quick;

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Serialize;

pub use pairs::PairText;

use crate::method::Slot;
use crate::spec::Experiment;
use boughs::tree::Tree;
use boughs::tree::transform::{KeepOrDrop, Pipeline, sentence_length};
use boughs_learn::error::{Error, ErrorKind, Result};
use boughs_learn::run::fingerprint;
use boughs_learn::svmlight::LabelledRows;
use boughs_translate::AlignedPair;

/// Something for each part of the data.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Parts<T> {
    /// To learn from.
    pub train: T,
    /// To choose by.
    pub dev: T,
    /// To score once, by what was chosen; none where nothing is tested.
    pub test: Option<T>,
}

impl<T> Parts<T> {
    /// Something else for each part.
    ///
    /// # Errors
    /// The first one of `f`.
    pub fn try_map<U>(self, mut f: impl FnMut(T) -> Result<U>) -> Result<Parts<U>> {
        let (train, dev) = (f(self.train)?, f(self.dev)?);
        Ok(Parts { train, dev, test: self.test.map(f).transpose()? })
    }

    pub(crate) fn named(&self) -> impl Iterator<Item = (&'static str, &T)> {
        [("train", &self.train), ("dev", &self.dev)]
            .into_iter()
            .chain(self.test.iter().map(|it| ("test", it)))
    }
}

/// The data of an experiment, as far as its rows need them.
#[derive(Debug, Default)]
pub struct Data {
    pub(crate) trees: Option<Parts<Vec<Tree>>>,
    pub(crate) pairs: Option<Parts<Vec<AlignedPair>>>,
    pub(crate) rows: Option<Parts<LabelledRows>>,
    /// Sentences without trees.
    pub(crate) sentences: Vec<Tree>,
    /// The directory of the encoder that neural parsers start from, if they name none.
    pub(crate) encoder: Option<PathBuf>,
    facts: Vec<DataFacts>,
    /// The words, or active features, that are learned from.
    num_learned: BTreeMap<Slot, usize>,
}

/// What a report tells of a part of the data.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct DataFacts {
    /// What it is.
    pub slot: Slot,
    /// `train`, `dev` or `test`; `sentences` if they have no trees.
    pub part: &'static str,
    /// Sentences, pairs or rows.
    pub num_items: usize,
    /// Their words, those of the source for pairs, or active features.
    pub num_tokens: usize,
    /// Of all of it as text: other data, almost surely another checksum.
    pub checksum: String,
}

impl Data {
    /// Adds sentences without trees, which rows with `silver` learn from.
    #[must_use]
    pub fn with_sentences(mut self, sentences: Vec<Tree>) -> Self {
        self.facts.push(facts_of_trees("sentences", &sentences));
        Self { sentences, ..self }
    }

    /// Adds the encoder that neural parsers start from, if their settings name none.
    #[must_use]
    pub fn with_encoder(self, directory: PathBuf) -> Self {
        Self { encoder: Some(directory), ..self }
    }

    /// Adds a treebank. Longer sentences than the experiment allows are left out of what is measured on;
    /// recipes leave them out of training.
    ///
    /// # Errors
    /// If nothing is left of a part.
    pub fn with_trees(
        mut self,
        mut parts: Parts<Vec<Tree>>,
        experiment: &Experiment,
        max_words: Option<usize>,
    ) -> Result<Self> {
        if let Some(steps) = &experiment.data.pipeline {
            let pipeline = steps.parse::<Pipeline>()?;
            let keeps = |tree: &mut Tree| pipeline.apply(tree) == KeepOrDrop::Keep && !tree.is_empty();
            [&mut parts.train, &mut parts.dev].into_iter().for_each(|trees| trees.retain_mut(keeps));
        }
        let is_short = |tree: &Tree| max_words.is_none_or(|most| sentence_length(tree) <= most);
        let short = |trees: Vec<Tree>| trees.into_iter().filter(is_short).collect::<Vec<Tree>>();
        let parts = Parts { train: parts.train, dev: short(parts.dev), test: parts.test.map(short) };
        for (part, trees) in parts.named() {
            require_some(Slot::Trees, part, trees.iter().filter(|tree| is_short(tree)).count())?;
            self.facts.push(facts_of_trees(part, trees));
        }
        let learned = parts.train.iter().filter(|tree| is_short(tree)).map(sentence_length).sum();
        self.num_learned.insert(Slot::Trees, learned);
        self.trees = Some(parts);
        Ok(self)
    }

    /// Adds sentence pairs, whose words are linked here.
    ///
    /// # Errors
    /// If nothing is left of a part.
    pub fn with_pairs(mut self, parts: Parts<PairText>, experiment: &Experiment) -> Result<Self> {
        let parts = parts.try_map(|pairs| Ok(pairs.filtered(experiment.data.min_pair_words)))?;
        for (part, pairs) in parts.named() {
            require_some(Slot::Pairs, part, pairs.len())?;
            self.facts.push(DataFacts {
                slot: Slot::Pairs,
                part,
                num_items: pairs.len(),
                num_tokens: pairs.num_source_words(),
                checksum: fingerprint(&"pairs", pairs.lines()),
            });
        }
        self.num_learned.insert(Slot::Pairs, parts.train.num_source_words());
        self.pairs = Some(pairs::align(&parts)?);
        Ok(self)
    }

    /// Adds labelled rows.
    ///
    /// # Errors
    /// If there is nothing in a part.
    pub fn with_rows(mut self, parts: Parts<LabelledRows>) -> Result<Self> {
        for (part, rows) in parts.named() {
            require_some(Slot::Rows, part, rows.dataset.num_rows())?;
            self.facts.push(DataFacts {
                slot: Slot::Rows,
                part,
                num_items: rows.dataset.num_rows(),
                num_tokens: rows.dataset.num_entries(),
                checksum: format!("{:016x}", rows.checksum()),
            });
        }
        self.num_learned.insert(Slot::Rows, parts.train.dataset.num_entries());
        self.rows = Some(parts);
        Ok(self)
    }

    /// Small data that are built in, for the slots that an experiment needs.
    ///
    /// # Errors
    /// Never for experiments whose shortest sentences are no shorter than usual.
    pub fn quick(experiment: &Experiment) -> Result<Self> {
        let mut data = Self::default();
        for slot in experiment.slots() {
            data = match slot {
                Slot::Trees => data.with_trees(quick::trees(), experiment, experiment.max_words(true))?,
                Slot::Pairs => data.with_pairs(quick::pairs()?, experiment)?,
                Slot::Rows => data.with_rows(quick::rows()?)?,
            };
        }
        if experiment.needs_sentences() {
            data = data.with_sentences(quick::trees().test.unwrap_or_default());
        }
        Ok(data)
    }

    /// What a report tells of the data.
    pub fn facts(&self) -> &[DataFacts] {
        &self.facts
    }

    /// What the data are, as a short text.
    pub(crate) fn identity(&self) -> String {
        fingerprint(
            &"data",
            self.facts.iter().map(|facts| format!("{:?} {} {}", facts.slot, facts.part, facts.checksum)),
        )
    }

    /// The words, or active features, that are learned from.
    pub(crate) fn num_training_tokens(&self, slot: Slot) -> usize {
        self.num_learned.get(&slot).copied().unwrap_or(0)
    }
}

fn facts_of_trees(part: &'static str, trees: &[Tree]) -> DataFacts {
    DataFacts {
        slot: Slot::Trees,
        part,
        num_items: trees.len(),
        num_tokens: trees.iter().map(sentence_length).sum(),
        checksum: fingerprint(&"trees", trees.iter().map(Tree::to_string)),
    }
}

/// A slot that an experiment needs.
pub(crate) fn filled<T>(slot: Option<&T>, what: Slot) -> Result<&T> {
    let name = what.name();
    slot.ok_or_else(|| Error::new(ErrorKind::Argument, format!("expected {name} to learn from, found none")))
}

fn require_some(slot: Slot, part: &str, number: usize) -> Result<()> {
    if number > 0 {
        return Ok(());
    }
    let message = format!("expected {} in the part `{part}`, found none", slot.name());
    Err(Error::new(ErrorKind::Argument, message).hint("check the files, and what the experiment leaves out"))
}
