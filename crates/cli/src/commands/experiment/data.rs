//! How `boughs experiment run` takes its data.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use boughs::parser::built_in;
use boughs::tree::Tree;
use boughs_experiment::{Data, Experiment, PairText, Parts, Slot};
use boughs_learn::DatasetBuilder;
use boughs_learn::svmlight::{LabelledRows, Options, SvmlightReader};
use boughs_translate::align::Tokenization;
use clap::Args;

use crate::bitext::BitextArgs;
use crate::input::ReadArgs;
use crate::model::load_parser;
use crate::output::report;

/// The flags that name data.
pub(super) const FLAGS: [&str; 8] =
    ["train", "dev", "test", "sentences", "train_pairs", "dev_pairs", "test_pairs", "parser"];

/// The kinds of text of the sample that are learned from at toy size.
const SAMPLE_FILES: [&str; 3] = [
    "@sample/business @sample/dialogue @sample/fiction @sample/howto @sample/letters @sample/science",
    "@sample/news",
    "@sample/travel",
];

#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Data")]
pub(super) struct ExperimentDataArgs {
    /// What is learned from: treebank files or directories (plain or .gz), `@sample`; or rows in svmlight
    /// format
    #[arg(long, value_name = "FILE", num_args = 1..)]
    train: Vec<PathBuf>,

    /// What choices are made by
    #[arg(long, value_name = "FILE", num_args = 1..)]
    dev: Vec<PathBuf>,

    /// What the chosen rows are scored on, once
    #[arg(long, value_name = "FILE", num_args = 1..)]
    test: Vec<PathBuf>,

    /// Sentences without trees, which a parser of the experiment parses and another one learns from: one a line, with
    /// blanks between tokens, as `boughs tokenize` writes them
    #[arg(long, value_name = "FILE", num_args = 1..)]
    sentences: Vec<PathBuf>,

    /// The encoder that neural parsers start from: a directory with config.json, vocab.txt or tokenizer.json, and
    /// model.safetensors; without it they are skipped
    #[arg(long, value_name = "DIR")]
    encoder: Option<PathBuf>,

    /// Sentence pairs to learn from, in a file with a tab in each line, or in two as SOURCE and TARGET
    #[arg(long, value_name = "FILE", num_args = 1..=2)]
    train_pairs: Vec<PathBuf>,

    /// Sentence pairs that choices are made by
    #[arg(long, value_name = "FILE", num_args = 1..=2)]
    dev_pairs: Vec<PathBuf>,

    /// Sentence pairs that are scored once
    #[arg(long, value_name = "FILE", num_args = 1..=2)]
    test_pairs: Vec<PathBuf>,

    /// The parser of the sources of pairs: a file written by `boughs train`, or `@english`, which is built in
    #[arg(long, value_name = "MODEL", default_value = built_in::DEFAULT)]
    parser: PathBuf,

    #[command(flatten)]
    read: ReadArgs,
}

/// The files of each slot, as a command line has them.
type Files = BTreeMap<Slot, Parts<String>>;

impl ExperimentDataArgs {
    /// The data that are built in.
    pub(super) fn quick(&self, experiment: &Experiment) -> Result<(Data, Files)> {
        let [train, dev, test] = SAMPLE_FILES.map(str::to_owned);
        let files = [(Slot::Trees, Parts { train, dev, test: Some(test) })].into();
        Ok((self.with_encoder(Data::quick(experiment)?), files))
    }

    /// The data that an experiment needs.
    pub(super) fn read(&self, experiment: &Experiment) -> Result<(Data, Files)> {
        let (mut data, mut files) = (Data::default(), Files::new());
        let slots = experiment.slots();
        let is_main = |slot: &Slot| *slot != Slot::Pairs;
        if slots.iter().filter(|slot| is_main(slot)).count() > 1 {
            bail!("the experiment needs trees and rows, and --train is for one of them: make two of it");
        }
        self.refuse_unused(&slots)?;
        for slot in slots {
            let named = self.files(slot, experiment.tested_slots().contains(&slot))?;
            files.insert(slot, quoted(&named));
            data = match slot {
                Slot::Trees => {
                    let trees = each(named, |files| self.trees(&files))?;
                    data.with_trees(trees, experiment, experiment.max_words(false))?
                }
                Slot::Pairs => data.with_pairs(self.pairs(named)?, experiment)?,
                Slot::Rows => data.with_rows(each(named, |files| rows(&files))?)?,
            };
        }
        match (experiment.needs_sentences(), self.sentences.is_empty()) {
            (true, true) => bail!(
                "the experiment needs sentences without trees: name them with --sentences, or try --quick"
            ),
            (false, false) => bail!(
                "the experiment has no row that learns from sentences without trees: leave out --sentences"
            ),
            (true, false) => data = data.with_sentences(sentences(&self.sentences)?),
            (false, true) => {}
        }
        Ok((self.with_encoder(data), files))
    }

    /// The files of sentences without trees, as a command line has them.
    pub(super) fn sentence_files(&self) -> String {
        line(&self.sentences)
    }

    fn with_encoder(&self, data: Data) -> Data {
        match &self.encoder {
            Some(directory) => data.with_encoder(directory.clone()),
            None => data,
        }
    }

    /// What would be ignored is a mistake.
    fn refuse_unused(&self, slots: &[Slot]) -> Result<()> {
        let pairs = [&self.train_pairs, &self.dev_pairs, &self.test_pairs];
        let main = [&self.train, &self.dev, &self.test];
        let is_given = |files: &[&Vec<PathBuf>]| files.iter().any(|files| !files.is_empty());
        if !slots.contains(&Slot::Pairs) && is_given(&pairs) {
            bail!(
                "the experiment has no rows about sentence pairs: leave out --train-pairs, --dev-pairs and --test-pairs"
            );
        }
        if slots == [Slot::Pairs] && is_given(&main) {
            bail!("the experiment has rows about sentence pairs only: leave out --train, --dev and --test");
        }
        Ok(())
    }

    /// The files of a slot, all of which must be named.
    fn files(&self, slot: Slot, is_tested: bool) -> Result<Parts<Vec<PathBuf>>> {
        let (named, ending) = match slot {
            Slot::Pairs => ([&self.train_pairs, &self.dev_pairs, &self.test_pairs], "-pairs"),
            Slot::Trees | Slot::Rows => ([&self.train, &self.dev, &self.test], ""),
        };
        let needed = if is_tested { 3 } else { 2 };
        for (files, part) in named.iter().zip(["train", "dev", "test"]).take(needed) {
            if files.is_empty() {
                bail!(
                    "the experiment needs {}: name them with --{part}{ending}, or try --quick",
                    slot.name()
                );
            }
        }
        let [train, dev, test] = named.map(Clone::clone);
        Ok(Parts { train, dev, test: is_tested.then_some(test) })
    }

    fn trees(&self, files: &[PathBuf]) -> Result<Vec<Tree>> {
        let mut reader = self.read.open(files)?;
        let trees = reader.rest()?;
        reader.finish();
        Ok(trees)
    }

    fn pairs(&self, files: Parts<Vec<PathBuf>>) -> Result<Parts<PairText>> {
        let parser = load_parser(&self.parser)?;
        each(files, |files| {
            let args = BitextArgs::of_files(&files, &self.read);
            let bitext = args.read(&files, Tokenization::English)?.bitext;
            report(format_args!("parsing {} sentences", bitext.len()));
            Ok(PairText::parsed(&bitext, &parser)?)
        })
    }
}

/// Something else of each part.
fn each<T, U>(parts: Parts<T>, mut f: impl FnMut(T) -> Result<U>) -> Result<Parts<U>> {
    let (train, dev) = (f(parts.train)?, f(parts.dev)?);
    Ok(Parts { train, dev, test: parts.test.map(f).transpose()? })
}

/// The sentences of files, one a line, without tags.
fn sentences(files: &[PathBuf]) -> Result<Vec<Tree>> {
    let mut sentences = Vec::new();
    for file in files {
        let text = std::fs::read_to_string(file).with_context(|| file.display().to_string())?;
        let lines = text.lines().filter(|line| !line.trim().is_empty());
        sentences
            .extend(lines.map(|line| Tree::flat(line.split_whitespace().map(|word| (word, "")).collect())));
    }
    Ok(sentences)
}

fn rows(files: &[PathBuf]) -> Result<LabelledRows> {
    let [file] = files else { bail!("expected one file of rows, found {}: name one", files.len()) };
    let mut reader = SvmlightReader::open(file, Options::default())?;
    Ok(LabelledRows::read_with(&mut reader, DatasetBuilder::finish_by_frequency)?)
}

fn quoted(files: &Parts<Vec<PathBuf>>) -> Parts<String> {
    let line = |files: &Vec<PathBuf>| line(files);
    Parts { train: line(&files.train), dev: line(&files.dev), test: files.test.as_ref().map(line) }
}

/// Names of files as a shell reads them.
fn line(files: &[PathBuf]) -> String {
    let quote = |path: &PathBuf| {
        let text = path.display().to_string();
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/._-@+,:=".contains(&byte);
        if text.bytes().all(is_plain) { text } else { format!("'{}'", text.replace('\'', "'\\''")) }
    };
    files.iter().map(quote).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_blanks_are_quoted() {
        let parts = Parts { train: vec!["a b".into(), "c.mrg".into()], dev: vec!["it's".into()], test: None };
        let found = quoted(&parts);
        assert_eq!((found.train.as_str(), found.dev.as_str()), ("'a b' c.mrg", r"'it'\''s'"));
    }
}
