//! Sentences, read in a thread of their own, so that those who work on them need not wait for the next.

use std::panic::resume_unwind;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{self, JoinHandle};

use anyhow::Result;

use crate::Outcome;
use crate::sentences::{Item, SentenceArgs};

/// Words worked on at a time, about: enough for all threads, and little memory.
const BATCH_WORDS: usize = 1 << 13;

/// Sentences worked on at a time, and read ahead.
const BATCH_SENTENCES: usize = 1 << 10;

/// The sentences of a run.
pub(crate) struct Reader {
    items: Receiver<Item>,
    thread: JoinHandle<Result<Outcome>>,
}

impl Reader {
    /// Begins to read; `prepare` sees every sentence first. The thread is not waited for unless
    /// [`finish`](Self::finish) is called: it may wait for input that never comes.
    pub(crate) fn start(args: &SentenceArgs, prepare: impl Fn(&mut Item) + Send + 'static) -> Self {
        let (sender, items) = sync_channel(BATCH_SENTENCES);
        let args = args.clone();
        Self { items, thread: thread::spawn(move || read(&args, prepare, &sender)) }
    }

    /// What was read since the last call, at least one sentence; none at the end. So whoever writes a line and waits
    /// for its tree gets it, and whoever sends a file gets large batches.
    pub(crate) fn next_batch(&self) -> Vec<Item> {
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
    pub(crate) fn finish(self) -> Result<Outcome> {
        self.thread.join().unwrap_or_else(|panic| resume_unwind(panic))
    }
}

fn read(args: &SentenceArgs, prepare: impl Fn(&mut Item), sender: &SyncSender<Item>) -> Result<Outcome> {
    args.each(|mut item| {
        prepare(&mut item);
        Ok(sender.send(item)?)
    })
}
