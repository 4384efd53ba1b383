//! Which tags a parser learns from, and the tagger that comes with it.

use std::ops::ControlFlow;
use std::path::PathBuf;

use anyhow::Result;
use boughs::tagger::{self, Accuracy, TaggedSentence, Tagger, TaggerConfig};
use boughs::train::{jackknife_tags, retag, tagged_sentences};
use boughs::tree::Tree;
use clap::{Args, ValueEnum};

use super::TrainArgs;
use super::data::{Data, read};
use crate::number;
use crate::output::report;

#[derive(Debug, Clone, Default, PartialEq, Args)]
#[command(next_help_heading = "Boosted parser")]
pub(super) struct TagArgs {
    /// Which tags the parser learns from and is measured with [default: jackknife]
    #[arg(long, value_enum, value_name = "NAME")]
    tags: Option<TagSource>,

    /// More trees for the tagger alone; none of the training trees may be among them
    #[arg(long, value_name = "FILE", num_args = 1..)]
    tagger_train: Vec<PathBuf>,

    /// Into how many parts the training trees are cut for jack-knifing [default: 10]
    #[arg(long, value_name = "N", value_parser = number::within::<usize>(2..))]
    folds: Option<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum TagSource {
    /// Those of the treebank. The model will need tagged input
    Gold,
    /// Those of taggers that did not see the sentence; a tagger trained on all is stored in the model and tags the development trees
    Jackknife,
}

/// What came of tagging.
pub(super) struct Tags {
    pub(super) tagger: Option<Tagger>,
    /// What was done, for the description of the model.
    pub(super) description: String,
}

impl TagArgs {
    /// Gives the trees of a run the tags that the parser is to see.
    pub(super) fn prepare(&self, args: &TrainArgs, data: &mut Data) -> Result<Tags> {
        if self.tags == Some(TagSource::Gold) {
            report(format_args!("tags: those of the treebank, in training and in measuring (--tags gold)"));
            return Ok(Tags { tagger: None, description: "gold".to_owned() });
        }
        let folds = self.folds.unwrap_or(10);
        let config = TaggerConfig { seed: args.seed, ..TaggerConfig::default() };
        let others = match self.tagger_train.is_empty() {
            true => Vec::new(),
            false => tagged_sentences(&read(args, &self.tagger_train)?.0),
        };
        let sentences = [tagged_sentences(&data.train), others.clone()].concat();
        let tagger = tagger::train(&sentences, &config, |_| ControlFlow::Continue(()))?;
        let gold = [&data.train, &data.dev].map(|trees| sentences_of(trees));
        jackknife_tags(&mut data.train, &others, folds, &config)?;
        retag(&tagger, &mut data.dev);
        report(format_args!(
            "tags: predicted; training trees jack-knifed in {folds} folds (--tags jackknife)"
        ));
        tell_accuracy("training trees", &tagger, &gold[0], &data.train);
        tell_accuracy("development trees", &tagger, &gold[1], &data.dev);
        Ok(Tags { tagger: Some(tagger), description: format!("jackknife, {folds} folds") })
    }
}

fn sentences_of(trees: &[Tree]) -> Vec<TaggedSentence> {
    trees.iter().map(TaggedSentence::from_tree).collect()
}

fn tell_accuracy(what: &str, tagger: &Tagger, gold: &[TaggedSentence], trees: &[Tree]) {
    let mut accuracy = Accuracy::default();
    for (gold, tree) in gold.iter().zip(trees) {
        let found = TaggedSentence::from_tree(tree);
        for ((word, tag), found) in gold.tokens().zip(found.tags()) {
            accuracy.add(tag == found, tagger.knows(word));
        }
    }
    if accuracy.num_words > 0 {
        report(format_args!("tags of the {what}: {:.2}% as in the treebank", accuracy.percent()));
    }
}
