//! The answers to the sentences of a request, in order, however they are found.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::Bytes;
use hyper::body::{Body, Frame};

use crate::output::Written;
use crate::refusal::Refusal;
use crate::team::{Answer, Bench, Turn};

/// What is to be done for a sentence.
pub(crate) type SentenceTask<T> = Box<dyn FnOnce(&mut Bench<'_>) -> Result<T, Refusal> + Send>;

/// Answers in the order of the tasks. Only so many tasks are in the queue at a time, so that what is found before it is
/// taken stays little, however long the request.
pub(crate) struct Answers<T> {
    turn: Turn,
    tasks: Box<dyn Iterator<Item = SentenceTask<T>> + Send>,
    waiting: VecDeque<Answer<T>>,
    window: usize,
}

impl<T: Send + 'static> Answers<T> {
    pub(crate) fn new(
        turn: Turn,
        window: usize,
        tasks: impl Iterator<Item = SentenceTask<T>> + Send + 'static,
    ) -> Self {
        Self { turn, tasks: Box::new(tasks), waiting: VecDeque::new(), window }
    }

    pub(crate) fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<T, Refusal>>> {
        while self.waiting.len() < self.window {
            let Some(task) = self.tasks.next() else { break };
            self.waiting.push_back(self.turn.ask(task));
        }
        let Some(first) = self.waiting.front_mut() else { return Poll::Ready(None) };
        Pin::new(first).poll(context).map(|answer| {
            self.waiting.pop_front();
            Some(answer.unwrap_or_else(|_| Err(Refusal::fault())))
        })
    }

    /// All of them, or the first refusal.
    pub(crate) async fn collect(mut self) -> Result<Vec<T>, Refusal> {
        let mut all = Vec::new();
        while let Some(answer) = poll_fn(|context| self.poll_next(context)).await {
            all.push(answer?);
        }
        Ok(all)
    }
}

/// The answers as a body that is sent while they are found. What fails is a line of its own.
pub(crate) struct AnswerLines(pub(crate) Answers<Written>);

impl Body for AnswerLines {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        self.0.poll_next(context).map(|answer| {
            answer.map(|answer| {
                let text = match answer {
                    Ok(written) => written.text,
                    Err(refusal) => format!("{}\n", refusal.to_json()),
                };
                Ok(Frame::data(text.into()))
            })
        })
    }
}
