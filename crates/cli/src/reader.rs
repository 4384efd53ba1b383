//! Sentences, read in a thread of their own, so that those who work on them need not wait for the next.

use std::panic::resume_unwind;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread;

use anyhow::Result;

use crate::Outcome;
use crate::sentences::{Item, SentenceArgs};

/// Words worked on at a time, about: enough for all threads, and little memory.
const BATCH_WORDS: usize = 1 << 13;

/// Sentences worked on at a time, and read ahead.
const BATCH_SENTENCES: usize = 1 << 10;

/// Reads sentences in a thread of its own and calls `visit` with what was read since the last call, at least one
/// sentence; `prepare` sees every sentence first, and says whether it is wanted. So whoever writes a line and waits
/// for its tree gets it, and whoever
/// sends a file gets large batches. If `visit` fails, the thread is not waited for: it may wait for input that never
/// comes.
pub(crate) fn each_batch(
    args: &SentenceArgs,
    prepare: impl Fn(&mut Item) -> bool + Send + 'static,
    mut visit: impl FnMut(&[Item]) -> Result<()>,
) -> Result<Outcome> {
    let (sender, items) = sync_channel(BATCH_SENTENCES);
    let args = args.clone();
    let thread = thread::spawn(move || read(&args, prepare, &sender));
    while let Ok(first) = items.recv() {
        let (mut num_words, mut batch) = (first.num_words(), vec![first]);
        while num_words < BATCH_WORDS
            && batch.len() < BATCH_SENTENCES
            && let Ok(item) = items.try_recv()
        {
            num_words += item.num_words();
            batch.push(item);
        }
        visit(&batch)?;
    }
    thread.join().unwrap_or_else(|panic| resume_unwind(panic))
}

fn read(
    args: &SentenceArgs,
    prepare: impl Fn(&mut Item) -> bool,
    sender: &SyncSender<Item>,
) -> Result<Outcome> {
    args.each(|mut item| match prepare(&mut item) {
        true => Ok(sender.send(item)?),
        false => Ok(()),
    })
}
