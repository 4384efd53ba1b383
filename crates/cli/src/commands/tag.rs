//! `boughs tag`: parts of speech.

use std::fmt::Write as _;
use std::path::PathBuf;

use anyhow::Result;
use boughs::parser::{Sentence, TaggedWord, WordTagger, WordTaggerWorker, built_in};
use boughs::tagger::Accuracy;
use clap::Args;
use rayon::prelude::*;

use crate::model::load_word_tagger;
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
    /// The tagger, or a parser that has one or tags for itself: a file written by `boughs train`, or `@english`, which
    /// is built in
    #[arg(long, short, value_name = "MODEL", default_value = built_in::DEFAULT)]
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
    let (tagger, profile) = load_word_tagger(&args.model)?;
    let pool = args.threads.pool()?;
    interrupt::end_between_writes()?;
    let mut accuracy = Accuracy::default();
    let tag = |batch: &[Item]| {
        let mut text = String::new();
        for tagged in pool.install(|| tag_all(args, &tagger, batch))? {
            text.push_str(&tagged.text);
            accuracy.merge(&tagged.accuracy);
        }
        Ok(write_whole(&text)?)
    };
    let read = each_batch(&args.sentences.for_profile(profile), |_| true, tag)?;
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

fn tag_all(args: &TagArgs, tagger: &WordTagger, items: &[Item]) -> Result<Vec<Tagged>> {
    let tag = |worker: &mut WordTaggerWorker<'_>, item: &Item| {
        let words = worker.tag(&item.sentence, args.n_best.map(|n| n as usize))?;
        let mut text = String::new();
        match args.n_best {
            None => write_line(&item.sentence, &words, &mut text),
            Some(_) => write_lists(&item.sentence, &words, &mut text),
        }
        Ok(Tagged { text, accuracy: compare(&words, &item.sentence) })
    };
    items.par_iter().map_init(|| tagger.worker(), tag).collect()
}

fn write_line(sentence: &Sentence, tagged: &[TaggedWord<'_>], text: &mut String) {
    for (index, (word, TaggedWord { tags, .. })) in sentence.tokens().words().zip(tagged).enumerate() {
        let blank = if index > 0 { " " } else { "" };
        // Writing to a string does not fail.
        let _ = write!(text, "{blank}{word}_{}", tags[0].0);
    }
    text.push('\n');
}

fn write_lists(sentence: &Sentence, tagged: &[TaggedWord<'_>], text: &mut String) {
    for (word, TaggedWord { tags, .. }) in sentence.tokens().words().zip(tagged) {
        text.push_str(word);
        for (tag, probability) in tags {
            let _ = write!(text, "\t{tag}\t{probability:.4}");
        }
        text.push('\n');
    }
    text.push('\n');
}

/// How many tags are right, of those words that have one.
fn compare(tagged: &[TaggedWord<'_>], sentence: &Sentence) -> Accuracy {
    let mut accuracy = Accuracy::default();
    for (word, token) in
        tagged.iter().zip(sentence.tokens().iter()).filter(|(_, token)| !token.tag.is_empty())
    {
        accuracy.add(word.tags[0].0 == token.tag, word.is_known);
    }
    accuracy
}
