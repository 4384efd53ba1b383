//! Two treebanks side by side.

use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow, bail};
use boughs::eval::Mismatch;
use boughs::tree::Tree;
use boughs::tree::profile::Profile;
use boughs::tree::read::BlankLines;

use crate::Outcome;
use crate::input::{ReadArgs, Trees};
use crate::profile::ProfileArgs;

/// A sentence with both its trees.
pub(crate) struct Pair {
    /// The number of the sentence, counted from 1.
    pub(crate) number: u64,
    pub(crate) gold: Tree,
    /// The tree to score, or why it cannot be read.
    pub(crate) test: Result<Tree, Mismatch>,
}

/// The sentences of two treebanks, read in step.
pub(crate) struct Pairs {
    gold: Trees,
    test: Trees,
    gold_name: String,
    test_name: String,
    empty_lines: bool,
    number: u64,
    num_pairs: u64,
    /// Why the first test tree that cannot be read cannot.
    first_fault: Option<String>,
}

impl Pairs {
    pub(crate) fn open(read: &ReadArgs, gold: &Path, test: &Path, empty_lines: bool) -> Result<Self> {
        let mut test_options = read.options();
        if empty_lines {
            test_options.blank_lines = BlankLines::AreEmptyTrees;
        }
        let files = |path: &Path| -> Vec<PathBuf> { vec![path.to_path_buf()] };
        Ok(Self {
            gold: read.open_with(&files(gold), read.options())?,
            test: read.open_with(&files(test), test_options)?,
            gold_name: gold.display().to_string(),
            test_name: test.display().to_string(),
            empty_lines,
            number: 0,
            num_pairs: 0,
            first_fault: None,
        })
    }

    /// The next sentence whose gold tree can be read.
    pub(crate) fn next(&mut self) -> Result<Option<Pair>> {
        loop {
            let gold = self.next_gold()?;
            let (gold, test) = match (gold, self.test.next_result()?) {
                (None, None) => return self.end(),
                (Some(gold), Some(test)) => (gold, test),
                (gold, _) => return Err(self.other_number(gold.is_some())),
            };
            self.number += 1;
            let test = match test {
                Ok(test) => Ok(test),
                Err(error) => {
                    self.first_fault.get_or_insert_with(|| error.to_string());
                    Err(Mismatch::Unreadable(error.to_string()))
                }
            };
            if let Some(gold) = gold {
                self.num_pairs += 1;
                return Ok(Some(Pair { number: self.number, gold, test }));
            }
        }
    }

    fn next_gold(&mut self) -> Result<Option<Option<Tree>>> {
        let gold = self.gold.next_or_skipped()?;
        if self.gold.losses.files > 0 {
            bail!("without all of {} it is not known which trees belong together", self.gold_name);
        }
        Ok(gold)
    }

    /// The end of both files, which must not be empty.
    fn end(&self) -> Result<Option<Pair>> {
        if self.num_pairs == 0 {
            bail!("there is no sentence to compare in {}", self.gold_name);
        }
        Ok(None)
    }

    /// Counts what is left of the longer side, for the message.
    fn other_number(&mut self, gold_is_longer: bool) -> anyhow::Error {
        let longer = if gold_is_longer { &mut self.gold } else { &mut self.test };
        let (short, long) = (self.number, self.number + 1 + longer.count_rest());
        let (gold, test) = if gold_is_longer { (long, short) } else { (short, long) };
        let cause = match (gold_is_longer, self.empty_lines) {
            (true, _) if self.test.losses.strays > 0 => {
                "TEST has other text between its trees; a sentence without a tree is written `()`"
            }
            (true, false) => "if blank lines in TEST stand for sentences without a tree, give --empty-lines",
            (true, true) => "were some sentences not parsed?",
            (false, true) => "do blank lines in TEST separate trees? then leave out --empty-lines",
            (false, false) => "is GOLD the file that was parsed?",
        };
        let (gold_name, test_name) = (&self.gold_name, &self.test_name);
        let cause = self.first_fault.as_deref().unwrap_or(cause);
        anyhow!(
            "expected a tree in TEST for each in GOLD, \
             found {gold} in {gold_name} and {test} in {test_name} ({cause})"
        )
    }

    /// The profile of the gold trees, to which both sides are brought.
    pub(crate) fn normalize(&mut self, args: &ProfileArgs) -> Result<Profile> {
        let profile = args.of_stream(&mut self.gold)?;
        self.normalize_by(&profile);
        Ok(profile)
    }

    /// Brings both sides to the conventions of a profile.
    pub(crate) fn normalize_by(&mut self, profile: &Profile) {
        self.gold.normalize(profile);
        self.test.normalize(profile);
    }

    /// Where the last two trees stand.
    pub(crate) fn place(&self) -> String {
        let place = |trees: &Trees| format!("{} tree {}", trees.file(), trees.number());
        format!("{}, {}", place(&self.gold), place(&self.test))
    }

    /// The file of the last gold tree.
    pub(crate) fn gold_file(&self) -> &str {
        self.gold.file()
    }

    /// Says nothing of gold trees that cannot be read, which another reader of them reports.
    pub(crate) fn quietly(mut self) -> Self {
        self.gold = self.gold.quietly();
        self
    }

    /// Reports gold trees that could not be read, and what else there is between trees.
    pub(crate) fn finish(self) -> Outcome {
        self.gold.finish().max(self.test.finish())
    }
}
