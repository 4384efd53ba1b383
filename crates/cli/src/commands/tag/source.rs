//! Sentences to tag, some at a time, so that memory is bounded and threads have enough to do.

use anyhow::Result;
use boughs::tagger::TaggedSentence;
use boughs::tree::read::{Encoding, Input};

use super::TagArgs;
use crate::Outcome;
use crate::input::{Trees, text_inputs};
use crate::lines::Lines;

/// How many words to tag at once, about.
const BATCH_WORDS: usize = 1 << 15;

/// How many sentences at once: empty ones have no words.
const BATCH_SENTENCES: usize = 1 << 13;

pub(super) enum Source {
    Trees(Box<Trees>),
    Lines(LineSource),
}

impl Source {
    pub(super) fn open(args: &TagArgs) -> Result<Self> {
        if args.trees {
            return Ok(Self::Trees(Box::new(args.read.open(&args.files)?)));
        }
        let inputs = text_inputs(&args.files)?;
        Ok(Self::Lines(LineSource {
            inputs: inputs.into_iter(),
            encoding: args.read.options().encoding,
            is_lossy: args.lossy,
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

/// Tokenised lines of several inputs.
pub(super) struct LineSource {
    inputs: std::vec::IntoIter<Input>,
    encoding: Encoding,
    is_lossy: bool,
    current: Option<(String, Lines)>,
}

impl LineSource {
    fn next(&mut self) -> Result<Option<TaggedSentence>> {
        loop {
            if let Some((name, lines)) = &mut self.current {
                if let Some(line) = lines.next().map_err(|error| error.in_file(&*name))? {
                    return Ok(Some(sentence(line)));
                }
                lines.report_replaced(name);
            }
            self.current = None;
            let Some(input) = self.inputs.next() else { return Ok(None) };
            self.current = Some((input.name(), Lines::open(&input, self.encoding, self.is_lossy)?));
        }
    }
}

/// Only ASCII blanks separate tokens: treebanks have words with a no-break space in them.
fn sentence(line: &str) -> TaggedSentence {
    TaggedSentence::new(line.split_ascii_whitespace().map(|word| (word, "")))
}
