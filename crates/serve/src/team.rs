//! Threads that parse, each with workers of its own, and the requests that they serve.
//!
//! The thread of the network never computes: reading a request, splitting its text, parsing and writing trees are all
//! tasks of these threads. A request that nobody waits for any more has no tasks.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use axum::http::StatusCode;
use boughs::parser::{ParseOptions, Parsed, Sentence, WordTaggerWorker, Worker};
use tokio::sync::oneshot;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::models::{ModelId, Models};
use crate::queue::{FairQueue, RequestId};
use crate::refusal::Refusal;

type Task = Box<dyn FnOnce(&mut Bench<'_>) + Send>;

/// What will come of a task.
pub(crate) type Answer<T> = oneshot::Receiver<Result<T, Refusal>>;

/// Threads that parse.
pub(crate) struct Team {
    queue: Arc<FairQueue<Task>>,
    threads: Mutex<Vec<JoinHandle<()>>>,
    /// One for each request that is worked on or waits.
    places: Arc<Semaphore>,
    num_places: usize,
    last_request: AtomicU64,
}

impl Team {
    pub(crate) fn new(models: &Arc<Models>, num_threads: usize, num_places: usize) -> std::io::Result<Self> {
        let queue = Arc::new(FairQueue::<Task>::default());
        let start = |_| {
            let (models, queue) = (Arc::clone(models), Arc::clone(&queue));
            thread::Builder::new().name("parser".to_owned()).spawn(move || work(&models, &queue))
        };
        Ok(Self {
            threads: Mutex::new((0..num_threads.max(1)).map(start).collect::<Result<_, _>>()?),
            queue,
            places: Arc::new(Semaphore::new(num_places)),
            num_places,
            last_request: AtomicU64::new(0),
        })
    }

    /// A place for a request, if there is one.
    pub(crate) fn admit(&self) -> Result<Turn, Refusal> {
        let place = Arc::clone(&self.places).try_acquire_owned().map_err(|_| {
            Refusal::new(StatusCode::TOO_MANY_REQUESTS, "too many requests wait for an answer")
                .hint("come again after the seconds of Retry-After")
        })?;
        let request = self.last_request.fetch_add(1, Ordering::Relaxed);
        Ok(Turn { queue: Arc::clone(&self.queue), request, _place: place })
    }

    /// The requests that are worked on or wait.
    pub(crate) fn num_requests(&self) -> usize {
        self.num_places - self.places.available_permits()
    }

    /// The tasks that wait.
    pub(crate) fn num_tasks(&self) -> usize {
        self.queue.len()
    }

    /// Ends the threads, once the queue is empty.
    pub(crate) fn end(&self) {
        self.queue.close();
        let mut threads = self.threads.lock().unwrap_or_else(PoisonError::into_inner);
        // A thread catches what its tasks throw.
        threads.drain(..).for_each(|thread| drop(thread.join()));
    }
}

/// The place of a request. Whatever it still waits for is forgotten with it.
pub(crate) struct Turn {
    queue: Arc<FairQueue<Task>>,
    request: RequestId,
    _place: OwnedSemaphorePermit,
}

impl Turn {
    /// Gives the threads something to do.
    pub(crate) fn ask<T: Send + 'static>(
        &self,
        task: impl FnOnce(&mut Bench<'_>) -> Result<T, Refusal> + Send + 'static,
    ) -> Answer<T> {
        let (sender, receiver) = oneshot::channel();
        self.queue.push(
            self.request,
            Box::new(move |bench| {
                if !sender.is_closed() {
                    // Whoever asked may go while it is done.
                    let _ = sender.send(task(bench));
                }
            }),
        );
        receiver
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        self.queue.forget(self.request);
    }
}

/// Waits for an answer; a task that panics gives none.
pub(crate) async fn answer<T>(answer: Answer<T>) -> Result<T, Refusal> {
    answer.await.unwrap_or_else(|_| Err(Refusal::fault()))
}

fn work(models: &Models, queue: &FairQueue<Task>) {
    let mut bench = Bench::new(models);
    while let Some(task) = queue.pop() {
        if catch_unwind(AssertUnwindSafe(|| task(&mut bench))).is_err() {
            // Its memory may be half changed.
            bench = Bench::new(models);
        }
    }
}

/// The workers of a thread; each remembers much from one sentence to the next.
pub(crate) struct Bench<'m> {
    models: &'m Models,
    workers: Vec<Workers<'m>>,
}

#[derive(Default)]
struct Workers<'m> {
    usual: Option<Worker<'m>>,
    /// For so many parses of a sentence; only the last that was asked for.
    n_best: Option<(usize, Worker<'m>)>,
    tagger: Option<WordTaggerWorker<'m>>,
}

impl<'m> Bench<'m> {
    fn new(models: &'m Models) -> Self {
        Self { models, workers: models.iter().map(|_| Workers::default()).collect() }
    }

    pub(crate) fn models(&self) -> &'m Models {
        self.models
    }

    /// Parses a sentence, in so many ways.
    pub(crate) fn parse(
        &mut self,
        model: ModelId,
        n_best: usize,
        sentence: &Sentence,
    ) -> Result<Parsed, Refusal> {
        let parser = &self.models.get(model).parser;
        let workers = &mut self.workers[model];
        if n_best == 1 {
            return Ok(workers.usual.get_or_insert_with(|| parser.worker()).parse(sentence)?);
        }
        let worker = match workers.n_best.take() {
            Some((number, worker)) if number == n_best => worker,
            _ => parser.worker_with(&ParseOptions { num_best: n_best, ..parser.options().clone() })?,
        };
        let (_, worker) = workers.n_best.insert((n_best, worker));
        Ok(worker.parse(sentence)?)
    }

    /// The tags of a sentence: those of the tagger, or of the best tree where there is none.
    pub(crate) fn tag(&mut self, model: ModelId, sentence: &Sentence) -> Result<Vec<String>, Refusal> {
        let workers = &mut self.workers[model];
        if workers.tagger.is_none() {
            workers.tagger = self.models.get(model).parser.tag_worker();
        }
        if let Some(tagger) = &mut workers.tagger {
            let words = tagger.tag(sentence, None)?;
            let best = |tags: Vec<(&str, f64)>| tags.first().map_or("", |(tag, _)| tag).to_owned();
            return Ok(words.into_iter().map(|word| best(word.tags)).collect());
        }
        let parsed = self.parse(model, 1, sentence)?;
        Ok(parsed.tree().tokens().map(|token| token.tag.to_owned()).collect())
    }
}
