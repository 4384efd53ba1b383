//! `boughs tag`: parts of speech for tokenised sentences or for the tokens of a treebank.

mod source;

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::PathBuf;

use anyhow::Result;
use boughs::model::ModelFile;
use boughs::tagger::{Accuracy, TagId, TaggedSentence, Tagger, Worker};
use clap::Args;
use rayon::prelude::*;

use crate::Outcome;
use crate::input::ReadArgs;
use crate::output::{report, stdout};
use crate::threads::ThreadArgs;
use source::Source;

/// Tag words with their parts of speech
///
/// Writes a line for each sentence, `word_TAG word_TAG …`; an empty sentence gives an empty line. Nothing is tokenised
/// again. The tags that a treebank has are not used, but compared with the new ones: the accuracy is reported on standard error.
#[derive(Args)]
pub(crate) struct TagArgs {
    /// Sentences, or with --trees treebank files or directories (plain or .gz); `-` or nothing is standard input
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,

    /// The tagger, a model file
    #[arg(long, short, value_name = "MODEL")]
    model: PathBuf,

    /// Read one sentence a line, its tokens separated by spaces (default)
    #[arg(long, conflicts_with = "trees", help_heading = "Input")]
    tokenized: bool,

    /// Read trees and tag their tokens, traces left out
    #[arg(long, help_heading = "Input")]
    trees: bool,

    /// Write a line for each word instead, with its N most probable tags and their probabilities, separated by tabs, and a blank line
    /// after each sentence
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    n_best: Option<u32>,

    #[command(flatten)]
    threads: ThreadArgs,

    /// Read bytes that are not UTF-8 as U+FFFD
    #[arg(long, conflicts_with = "trees", help_heading = "Input")]
    lossy: bool,

    #[command(flatten)]
    read: ReadArgs,
}

pub(crate) fn run(args: &TagArgs) -> Result<Outcome> {
    let file = ModelFile::load(&args.model)?;
    let tagger = Tagger::from_file(&file).map_err(|error| error.in_file(&args.model))?;
    let pool = args.threads.pool()?;
    let mut source = Source::open(args)?;
    let mut out = stdout();
    let mut accuracy = Accuracy::default();
    while let Some(sentences) = source.next_batch()? {
        for tagged in pool.install(|| tag_all(args, &tagger, &sentences)) {
            out.write_all(tagged.text.as_bytes())?;
            accuracy.merge(&tagged.accuracy);
        }
        out.flush()?;
    }
    if accuracy.num_words > 0 {
        report(format_args!("{accuracy}"));
    }
    Ok(source.finish())
}

/// What came of a sentence.
struct Tagged {
    text: String,
    accuracy: Accuracy,
}

fn tag_all(args: &TagArgs, tagger: &Tagger, sentences: &[TaggedSentence]) -> Vec<Tagged> {
    let tag = |worker: &mut Worker<'_>, sentence: &TaggedSentence| {
        let words = sentence.words();
        let mut text = String::new();
        match args.n_best {
            None => write_line(&words, tagger, worker.tag(&words), &mut text),
            Some(n) => write_lists(&words, tagger, &worker.n_best(&words, n as usize), &mut text),
        }
        Tagged { text, accuracy: compare(tagger, worker.last_tags(), sentence) }
    };
    sentences.par_iter().map_init(|| tagger.worker(), tag).collect()
}

fn write_line(words: &[&str], tagger: &Tagger, tags: &[TagId], text: &mut String) {
    for (index, (word, &tag)) in words.iter().zip(tags).enumerate() {
        let blank = if index > 0 { " " } else { "" };
        // Writing to a string does not fail.
        let _ = write!(text, "{blank}{word}_{}", tagger.name(tag));
    }
    text.push('\n');
}

fn write_lists(words: &[&str], tagger: &Tagger, lists: &[Vec<(TagId, f64)>], text: &mut String) {
    for (word, list) in words.iter().zip(lists) {
        text.push_str(word);
        for &(tag, probability) in list {
            let _ = write!(text, "\t{}\t{probability:.4}", tagger.name(tag));
        }
        text.push('\n');
    }
    text.push('\n');
}

/// How many tags are right, of those words that have one.
fn compare(tagger: &Tagger, tags: &[TagId], sentence: &TaggedSentence) -> Accuracy {
    let mut accuracy = Accuracy::default();
    for (&tag, (word, gold)) in tags.iter().zip(sentence.tokens()).filter(|(_, (_, gold))| !gold.is_empty()) {
        accuracy.add(tagger.name(tag) == gold, tagger.knows(word));
    }
    accuracy
}
