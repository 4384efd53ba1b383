//! `boughs translate run`.

use std::fmt::Write;
use std::sync::{Mutex, PoisonError};

use anyhow::Result;
use boughs_translate::Worker;
use clap::Args;
use rayon::prelude::*;

use super::{ModelArgs, TreeMaker};
use crate::output::write_whole;
use crate::reader::Reader;
use crate::sentences::{Item, SentenceArgs};
use crate::threads::ThreadArgs;
use crate::{Outcome, interrupt, number};

/// Translate sentences
///
/// Running text is split into sentences and tokens and parsed, and the trees transformed. A line comes out for each sentence, its words
/// separated by blanks. A word that was never seen stays as it is.
#[derive(Debug, Clone, Args)]
pub(crate) struct RunArgs {
    #[command(flatten)]
    model: ModelArgs,

    #[command(flatten)]
    sentences: SentenceArgs,

    /// Write the N best translations of each sentence, each behind its cost and a tab, and a blank line after them
    #[arg(long, value_name = "N", value_parser = number::within::<usize>(1..))]
    n_best: Option<usize>,

    #[command(flatten)]
    threads: ThreadArgs,
}

/// What a thread needs.
struct Hands<'a> {
    trees: TreeMaker<'a>,
    worker: Worker<'a>,
}

pub(crate) fn run(args: &RunArgs) -> Result<Outcome> {
    let transducer = args.model.transducer()?;
    let parser = args.model.parser(args.sentences.trees)?;
    let pool = args.threads.pool()?;
    interrupt::end_between_writes()?;
    let hands = || {
        let trees = TreeMaker::new(parser.as_ref());
        Mutex::new(Hands { trees, worker: transducer.worker(args.model.limits()) })
    };
    let hands: Vec<Mutex<Hands<'_>>> = (0..pool.current_num_threads()).map(|_| hands()).collect();
    let reader = Reader::start(&args.sentences, |_| {});
    loop {
        let batch = reader.next_batch();
        if batch.is_empty() {
            break;
        }
        let translate = |item: &Item| {
            let hands = &hands[rayon::current_thread_index().unwrap_or(0)];
            translate(&mut hands.lock().unwrap_or_else(PoisonError::into_inner), item, args.n_best)
        };
        let lines: Vec<Result<String>> = pool.install(|| batch.par_iter().map(translate).collect());
        let lines = lines.into_iter().collect::<Result<Vec<String>>>()?;
        write_whole(&lines.concat())?;
    }
    reader.finish()
}

fn translate(hands: &mut Hands<'_>, item: &Item, n_best: Option<usize>) -> Result<String> {
    let tree = hands.trees.tree(item)?;
    let translations = hands.worker.translate(&tree, n_best.unwrap_or(1));
    let mut text = String::new();
    for translation in &translations {
        if n_best.is_some() {
            write!(text, "{:.4}\t", translation.cost)?;
        }
        writeln!(text, "{}", translation.words.join(" "))?;
    }
    if n_best.is_some() {
        text.push('\n');
    }
    Ok(text)
}
