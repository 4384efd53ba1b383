//! Parts of a large input, each parsed by a process of its own, and the record that lets `boughs merge` put what came
//! of them together.
//!
//! The naive form gives each process a part of the file. Where sentences end depends on what comes before, so parts of
//! text would be split differently. Here every process reads all of the input, which costs a thousandth of parsing it,
//! and parses only the blocks of sentences that are its own.

use std::fs;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use anyhow::{Context, Result, bail};
use boughs::parser::Sentence;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::Xxh3;

use crate::part_file::PartFile;

/// Sentences that stand together in a block: enough that reading is in long runs, few enough that shards take about as
/// long as each other.
const BLOCK: u64 = 64;

/// One of several shards, written `3/64`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub(crate) struct Shard {
    /// From 1.
    number: u64,
    of: u64,
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(written: &str) -> Result<Self, String> {
        let numbers =
            written.split_once('/').and_then(|(number, of)| Some((number.parse().ok()?, of.parse().ok()?)));
        match numbers {
            Some((number, of)) if (1..=of).contains(&number) => Ok(Self { number, of }),
            _ => Err("expected a shard and how many there are, such as 3/64".to_owned()),
        }
    }
}

impl TryFrom<String> for Shard {
    type Error = String;

    fn try_from(written: String) -> Result<Self, String> {
        written.parse()
    }
}

impl From<Shard> for String {
    fn from(Shard { number, of }: Shard) -> Self {
        format!("{number}/{of}")
    }
}

impl Shard {
    /// Whether a sentence is of this shard; its position is counted over all documents, from 1.
    pub(crate) fn holds(self, position: u64) -> bool {
        block_of(position) % self.of == self.number - 1
    }
}

fn block_of(position: u64) -> u64 {
    (position - 1) / BLOCK
}

/// A number that stands for all sentences of an input, also those of other shards.
#[derive(Default)]
pub(crate) struct InputHash {
    hash: Xxh3,
    num_sentences: u64,
}

impl InputHash {
    pub(crate) fn add(&mut self, sentence: &Sentence) {
        self.num_sentences += 1;
        for token in sentence.tokens().iter() {
            for text in [token.word, token.tag] {
                self.hash.update(text.as_bytes());
                self.hash.update(&[0]);
            }
        }
        self.hash.update(&[1]);
    }
}

/// What is known of the file of a shard: a file beside it, written last.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct ShardRecord {
    pub(crate) shard: Shard,
    /// The same for all shards of a run.
    pub(crate) run: RunRecord,
    /// Bytes before the first block, such as the names of columns.
    pub(crate) start: u64,
    /// Bytes of each block of sentences, in order.
    pub(crate) blocks: Vec<u64>,
    /// The checksum of the file.
    pub(crate) checksum: String,
}

/// What all shards of a run have in common.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct RunRecord {
    pub(crate) version: String,
    /// The checksum of the parser, with its options.
    pub(crate) parser: String,
    /// The checksum of the format of the output and of all else that decides about it.
    pub(crate) output: String,
    /// The checksum of all sentences.
    pub(crate) input: String,
    pub(crate) num_sentences: u64,
}

impl RunRecord {
    /// What is not the same in another one.
    pub(crate) fn difference(&self, other: &Self) -> Option<&'static str> {
        let differences = [
            (self.version != other.version, "versions of the program"),
            (self.parser != other.parser, "parsers, or options of parsing"),
            (self.output != other.output, "output formats"),
            (self.input != other.input || self.num_sentences != other.num_sentences, "inputs"),
        ];
        differences.into_iter().find(|(is_different, _)| *is_different).map(|(_, what)| what)
    }
}

/// Where the record of a shard's file is.
pub(crate) fn record_path(file: &Path) -> PathBuf {
    let mut path = file.to_path_buf().into_os_string();
    path.push(".shard");
    path.into()
}

impl ShardRecord {
    pub(crate) fn read(file: &Path) -> Result<Self> {
        let path = record_path(file);
        let text = fs::read_to_string(&path).with_context(|| {
            format!("cannot read {}, which `boughs parse --shard` writes last", path.display())
        })?;
        serde_json::from_str(&text)
            .with_context(|| format!("{}: expected the record of a shard", path.display()))
    }

    /// How many shards there are.
    pub(crate) fn num_shards(&self) -> u64 {
        self.shard.of
    }

    /// The place of the shard among all, from 0.
    pub(crate) fn place(&self) -> u64 {
        self.shard.number - 1
    }

    /// Whether it has the blocks that it should have, and a file as long as they are.
    pub(crate) fn check(&self, bytes: &[u8]) -> Result<()> {
        let Shard { number, of } = self.shard;
        let num_blocks = self.run.num_sentences.div_ceil(BLOCK);
        let expected = num_blocks.saturating_sub(number - 1).div_ceil(of);
        let length = self.blocks.iter().try_fold(self.start, |sum, &block| sum.checked_add(block));
        if expected != self.blocks.len() as u64 || length != Some(bytes.len() as u64) {
            bail!("the record does not fit the file: it was changed, or belongs to another");
        }
        if checksum(bytes) != self.checksum {
            bail!("the file was changed: its checksum does not fit its record");
        }
        Ok(())
    }
}

fn checksum(bytes: &[u8]) -> String {
    format!("{:032x}", xxhash_rust::xxh3::xxh3_128(bytes))
}

/// Keeps the record while the file of a shard is written.
pub(crate) struct ShardWriter {
    shard: Shard,
    hash: Xxh3,
    start: u64,
    blocks: Vec<u64>,
    last: Option<u64>,
}

impl ShardWriter {
    /// Begins with what comes before the first sentence.
    pub(crate) fn new(shard: Shard, start: &str) -> Self {
        let mut hash = Xxh3::new();
        hash.update(start.as_bytes());
        Self { shard, hash, start: start.len() as u64, blocks: Vec::new(), last: None }
    }

    /// Adds what was written of a sentence.
    pub(crate) fn add(&mut self, position: u64, text: &str) {
        let block = Some(block_of(position));
        if block != self.last {
            self.blocks.push(0);
            self.last = block;
        }
        self.hash.update(text.as_bytes());
        if let Some(length) = self.blocks.last_mut() {
            *length += text.len() as u64;
        }
    }

    /// Writes the record of a file that is complete.
    pub(crate) fn finish(self, file: &Path, parser: String, output: &str, input: &InputHash) -> Result<()> {
        let run = RunRecord {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            parser,
            output: checksum(output.as_bytes()),
            input: format!("{:032x}", input.hash.digest128()),
            num_sentences: input.num_sentences,
        };
        let checksum = format!("{:032x}", self.hash.digest128());
        let record = ShardRecord { shard: self.shard, run, start: self.start, blocks: self.blocks, checksum };
        let mut out = PartFile::create(&record_path(file))?;
        serde_json::to_writer(&mut out.out, &record)?;
        out.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_sentence_is_of_one_shard() {
        for of in [1, 2, 7] {
            let shards: Vec<Shard> = (1..=of).map(|number| Shard { number, of }).collect();
            for position in 1..=1000 {
                assert_eq!(shards.iter().filter(|shard| shard.holds(position)).count(), 1);
            }
        }
    }

    #[test]
    fn shards_are_read_or_refused() {
        assert_eq!("3/64".parse(), Ok(Shard { number: 3, of: 64 }));
        for wrong in ["", "3", "0/4", "5/4", "1/0", "a/b", "-1/4", "1/2/3"] {
            assert!(wrong.parse::<Shard>().is_err(), "{wrong}");
        }
    }

    /// The number of blocks that a record must have is that of the blocks that the shard holds.
    #[test]
    fn records_have_the_blocks_of_their_shard() {
        for of in [1, 2, 5] {
            for num_sentences in [0, 1, 64, 65, 640, 700] {
                for number in 1..=of {
                    let shard = Shard { number, of };
                    let mut writer = ShardWriter::new(shard, "columns\n");
                    let mut bytes = b"columns\n".to_vec();
                    for position in (1..=num_sentences).filter(|&position| shard.holds(position)) {
                        writer.add(position, "()\n");
                        bytes.extend(b"()\n");
                    }
                    let run = RunRecord {
                        version: String::new(),
                        parser: String::new(),
                        output: String::new(),
                        input: String::new(),
                        num_sentences,
                    };
                    let ShardWriter { start, blocks, .. } = writer;
                    let record = ShardRecord { shard, run, start, blocks, checksum: checksum(&bytes) };
                    record.check(&bytes).unwrap();
                    bytes.push(b'\n');
                    assert!(record.check(&bytes).is_err());
                }
            }
        }
    }
}
