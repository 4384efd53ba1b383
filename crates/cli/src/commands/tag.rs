//! `boughs tag`: parts of speech.

use std::fmt::Write as _;
use std::path::PathBuf;

use anyhow::Result;
use boughs::parser::Sentence;
use boughs::tagger::{Accuracy, TagId, Tagger, TaggerWorker};
use clap::Args;
use rayon::prelude::*;

use crate::model::{ENGLISH, load_tagger};
use crate::output::{report, write_whole};
use crate::reader::each_batch;
use crate::sentences::{Item, SentenceArgs};
use crate::threads::ThreadArgs;
use crate::{Outcome, interrupt};

/// Tag words with their parts of speech
///
/// Running text is split into sentences and tokens first. Writes a line for each sentence, `word_TAG word_TAG …`; an
/// empty sentence gives an empty line. The tags that the input has are not used, but compared with the new ones: the
/// accuracy is reported on standard error.
#[derive(Args)]
pub(crate) struct TagArgs {
    /// The tagger, or a parser with a tagger in it: a file written by `boughs train`, or `@english`, which is built in
    #[arg(long, short, value_name = "MODEL", default_value = ENGLISH)]
    model: PathBuf,

    #[command(flatten)]
    sentences: SentenceArgs,

    /// Write a line for each word instead, with its N most probable tags and their probabilities, separated by tabs,
    /// and a blank line after each sentence
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    n_best: Option<u32>,

    #[command(flatten)]
    threads: ThreadArgs,
}

pub(crate) fn run(args: &TagArgs) -> Result<Outcome> {
    let tagger = load_tagger(&args.model)?;
    let pool = args.threads.pool()?;
    interrupt::end_between_writes()?;
    let mut accuracy = Accuracy::default();
    let tag = |batch: &[Item]| {
        let mut text = String::new();
        for tagged in pool.install(|| tag_all(args, &tagger, batch)) {
            text.push_str(&tagged.text);
            accuracy.merge(&tagged.accuracy);
        }
        Ok(write_whole(&text)?)
    };
    let read = each_batch(&args.sentences, |_| {}, tag)?;
    if accuracy.num_words > 0 {
        report(format_args!("{accuracy}"));
    }
    Ok(read)
}

/// What came of a sentence.
struct Tagged {
    text: String,
    accuracy: Accuracy,
}

fn tag_all(args: &TagArgs, tagger: &Tagger, items: &[Item]) -> Vec<Tagged> {
    let tag = |worker: &mut TaggerWorker<'_>, item: &Item| {
        let sentence = &item.sentence;
        let forms: Vec<&str> =
            (0..sentence.tokens().len()).map(|index| form(tagger, sentence, index)).collect();
        let mut text = String::new();
        match args.n_best {
            None => write_line(sentence, tagger, worker.tag(&forms), &mut text),
            Some(n) => write_lists(sentence, tagger, &worker.n_best(&forms, n as usize), &mut text),
        }
        Tagged { text, accuracy: compare(tagger, worker.last_tags(), sentence) }
    };
    items.par_iter().map_init(|| tagger.worker(), tag).collect()
}

/// A token as the tagger knows it: as it is, or as treebanks write it.
fn form<'s>(tagger: &Tagger, sentence: &'s Sentence, index: usize) -> &'s str {
    let word = sentence.tokens().word(index);
    if tagger.knows(word) { word } else { sentence.form(index) }
}

fn write_line(sentence: &Sentence, tagger: &Tagger, tags: &[TagId], text: &mut String) {
    for (index, (word, &tag)) in sentence.tokens().words().zip(tags).enumerate() {
        let blank = if index > 0 { " " } else { "" };
        // Writing to a string does not fail.
        let _ = write!(text, "{blank}{word}_{}", tagger.name(tag));
    }
    text.push('\n');
}

fn write_lists(sentence: &Sentence, tagger: &Tagger, lists: &[Vec<(TagId, f64)>], text: &mut String) {
    for (word, list) in sentence.tokens().words().zip(lists) {
        text.push_str(word);
        for &(tag, probability) in list {
            let _ = write!(text, "\t{}\t{probability:.4}", tagger.name(tag));
        }
        text.push('\n');
    }
    text.push('\n');
}

/// How many tags are right, of those words that have one.
fn compare(tagger: &Tagger, tags: &[TagId], sentence: &Sentence) -> Accuracy {
    let mut accuracy = Accuracy::default();
    let tokens = sentence.tokens().iter().enumerate().filter(|(_, token)| !token.tag.is_empty());
    for (index, token) in tokens {
        accuracy.add(tagger.name(tags[index]) == token.tag, tagger.knows(form(tagger, sentence, index)));
    }
    accuracy
}
