//! `boughs translate run`.

use std::fmt::Write;
use std::sync::{Mutex, PoisonError};

use anyhow::Result;
use clap::Args;
use rayon::prelude::*;

use super::{SentenceTranslator, TransducerArgs};
use crate::output::write_whole;
use crate::reader::each_batch;
use crate::sentences::Item;
use crate::threads::ThreadArgs;
use crate::{Outcome, interrupt, number};

/// Translate sentences
///
/// Running text is split into sentences and tokens and parsed, and the trees transformed. A line comes out for each
/// sentence, its words separated by blanks. A word that was never seen stays as it is.
#[derive(Debug, Clone, Args)]
pub(crate) struct TranslateRunArgs {
    #[command(flatten)]
    model: TransducerArgs,

    /// Write the N best translations of each sentence, each behind its cost and a tab, and a blank line after them
    #[arg(long, value_name = "N", value_parser = number::within::<usize>(1..))]
    n_best: Option<usize>,

    #[command(flatten)]
    threads: ThreadArgs,
}

pub(crate) fn run(args: &TranslateRunArgs) -> Result<Outcome> {
    let translator = args.model.load()?;
    let pool = args.threads.pool()?;
    interrupt::end_between_writes()?;
    let workers: Vec<_> = (0..pool.current_num_threads()).map(|_| Mutex::new(translator.worker())).collect();
    let translate = |item: &Item| {
        let worker = &workers[rayon::current_thread_index().unwrap_or(0)];
        translate(&mut worker.lock().unwrap_or_else(PoisonError::into_inner), item, args.n_best)
    };
    let translate_all = |batch: &[Item]| {
        let lines: Vec<Result<String>> = pool.install(|| batch.par_iter().map(translate).collect());
        Ok(write_whole(&lines.into_iter().collect::<Result<String>>()?)?)
    };
    each_batch(&args.model.sentences, |_| true, translate_all)
}

fn translate(worker: &mut SentenceTranslator<'_>, item: &Item, n_best: Option<usize>) -> Result<String> {
    let tree = worker.tree(item)?;
    let mut text = String::new();
    for translation in worker.translate.translate(&tree, n_best.unwrap_or(1)) {
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
