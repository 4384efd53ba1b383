//! Sentences to tag, some at a time, so that memory is bounded and threads have enough to do.

use std::io::{BufRead, BufReader, Read};

use anyhow::Result;
use boughs::tagger::TaggedSentence;
use boughs::tree::read::{Encoding, Input};
use boughs::{Error, ErrorKind};

use super::TagArgs;
use crate::Outcome;
use crate::input::{Trees, text_inputs};

/// How many words to tag at once, about.
const BATCH_WORDS: usize = 1 << 15;

/// How many sentences at once: empty ones have no words.
const BATCH_SENTENCES: usize = 1 << 13;

pub(super) enum Source {
    Trees(Box<Trees>),
    Lines(Lines),
}

impl Source {
    pub(super) fn open(args: &TagArgs) -> Result<Self> {
        if args.trees {
            return Ok(Self::Trees(Box::new(args.read.open(&args.files)?)));
        }
        let inputs = text_inputs(&args.files)?;
        Ok(Self::Lines(Lines {
            inputs: inputs.into_iter(),
            encoding: args.read.options().encoding,
            current: None,
        }))
    }

    /// The next sentences; none at the end.
    pub(super) fn next_batch(&mut self) -> Result<Option<Vec<TaggedSentence>>> {
        let mut batch = Vec::new();
        let mut num_words = 0;
        while num_words < BATCH_WORDS && batch.len() < BATCH_SENTENCES {
            let Some(sentence) = self.next()? else { break };
            num_words += sentence.len();
            batch.push(sentence);
        }
        Ok((!batch.is_empty()).then_some(batch))
    }

    /// The next sentence; an empty one in the place of a tree that was reported and skipped.
    fn next(&mut self) -> Result<Option<TaggedSentence>> {
        match self {
            Self::Trees(trees) => {
                let tree = trees.next_or_skipped()?;
                Ok(tree.map(|tree| {
                    tree.map_or_else(TaggedSentence::default, |tree| TaggedSentence::from_tree(&tree))
                }))
            }
            Self::Lines(lines) => lines.next(),
        }
    }

    pub(super) fn finish(self) -> Outcome {
        match self {
            Self::Trees(trees) => trees.finish(),
            Self::Lines(_) => Outcome::Complete,
        }
    }
}

/// The lines of several inputs.
pub(super) struct Lines {
    inputs: std::vec::IntoIter<Input>,
    encoding: Encoding,
    current: Option<Opened>,
}

struct Opened {
    name: String,
    stream: BufReader<Box<dyn Read + Send>>,
    line: Vec<u8>,
    number: u64,
}

impl Lines {
    fn next(&mut self) -> Result<Option<TaggedSentence>> {
        loop {
            if let Some(opened) = &mut self.current
                && let Some(sentence) = opened.next().map_err(|error| error.in_file(&opened.name))?
            {
                return Ok(Some(sentence));
            }
            let Some(input) = self.inputs.next() else { return Ok(None) };
            let stream = BufReader::with_capacity(1 << 16, input.open(self.encoding)?);
            self.current = Some(Opened { name: input.name(), stream, line: Vec::new(), number: 0 });
        }
    }
}

impl Opened {
    fn next(&mut self) -> boughs::Result<Option<TaggedSentence>> {
        self.line.clear();
        let length =
            self.stream.read_until(b'\n', &mut self.line).map_err(|error| Error::io("read", error))?;
        if length == 0 {
            return Ok(None);
        }
        self.number += 1;
        let text = str::from_utf8(&self.line).map_err(|error| {
            let message = format!(
                "expected UTF-8, found other bytes from byte {} of the line on",
                error.valid_up_to() + 1
            );
            Error::new(ErrorKind::Encoding, message)
                .hint("is it Latin-1? see --encoding")
                .at_line(self.number)
        })?;
        // Only ASCII blanks: treebanks have words with a no-break space in them.
        Ok(Some(TaggedSentence::new(text.split_ascii_whitespace().map(|word| (word, "")))))
    }
}
