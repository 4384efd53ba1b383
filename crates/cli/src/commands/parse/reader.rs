//! Sentences, read in a thread of their own, so that those who parse need not wait for the next.

use std::panic::resume_unwind;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{self, JoinHandle};

use anyhow::Result;

use super::ParseArgs;
use crate::Outcome;
use crate::sentences::Item;

/// Words parsed at a time, about: enough for all threads, and little memory.
const BATCH_WORDS: usize = 1 << 13;

/// Sentences parsed at a time, and read ahead.
const BATCH_SENTENCES: usize = 1 << 10;

/// The sentences of a run.
pub(super) struct Reader {
    items: Receiver<Item>,
    thread: JoinHandle<Result<Outcome>>,
}

impl Reader {
    /// Begins to read. The thread is not waited for unless [`finish`](Self::finish) is called: it may wait for input that never comes.
    pub(super) fn start(args: &ParseArgs) -> Self {
        let (sender, items) = sync_channel(BATCH_SENTENCES);
        let args = args.clone();
        Self { items, thread: thread::spawn(move || read(&args, &sender)) }
    }

    /// What was read since the last call, at least one sentence; none at the end. So whoever writes a line and waits for its tree
    /// gets it, and whoever sends a file gets large batches.
    pub(super) fn next_batch(&self) -> Vec<Item> {
        let mut batch: Vec<Item> = self.items.recv().into_iter().collect();
        let mut num_words = batch.iter().map(Item::num_words).sum::<usize>();
        while !batch.is_empty()
            && num_words < BATCH_WORDS
            && batch.len() < BATCH_SENTENCES
            && let Ok(item) = self.items.try_recv()
        {
            num_words += item.num_words();
            batch.push(item);
        }
        batch
    }

    /// How reading went, after the last batch.
    pub(super) fn finish(self) -> Result<Outcome> {
        self.thread.join().unwrap_or_else(|panic| resume_unwind(panic))
    }
}

fn read(args: &ParseArgs, sender: &SyncSender<Item>) -> Result<Outcome> {
    args.sentences.each(|mut item| {
        args.demand(&mut item);
        Ok(sender.send(item)?)
    })
}
