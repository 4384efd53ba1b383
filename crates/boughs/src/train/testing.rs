//! What is tested of every recipe: threads, interruptions and other processes change nothing.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use crate::error::Result;
use crate::learn::run::{Event, Model, Observer, Recipe, RunOptions, Silent, Trained, run};
use crate::learn::shards::{Follow, Lead, Peers};
use crate::tree::Tree;

pub(super) fn bytes(model: &impl Model) -> Vec<u8> {
    model.to_file().unwrap().to_bytes().unwrap()
}

fn some(dev: &[Tree]) -> Option<&[Tree]> {
    (!dev.is_empty()).then_some(dev)
}

pub(super) fn train<R: Recipe<Data = [Tree]>>(recipe: &R, trees: &[Tree], dev: &[Tree]) -> Trained<R::Model> {
    run(recipe, trees, some(dev), RunOptions::default()).unwrap().unwrap()
}

/// One thread gives what three give.
pub(super) fn is_the_same_on_threads<R: Recipe<Data = [Tree]> + Sync>(
    recipe: &R,
    trees: &[Tree],
    num_dev: usize,
) {
    let train_on = |num_threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(num_threads).build().unwrap();
        pool.install(|| bytes(&train(recipe, trees, &trees[..num_dev]).model))
    };
    assert!(train_on(1) == train_on(3));
}

/// Breaks off after some steps.
struct After(AtomicUsize);

impl Observer for After {
    fn see(&self, event: &Event<'_>) {
        if let Event::Step { .. } = event {
            self.0.fetch_sub(1, Ordering::Relaxed);
        }
    }

    fn is_interrupted(&self) -> bool {
        self.0.load(Ordering::Relaxed) == 0
    }
}

/// A run that is broken off after each of its steps ends with the bytes of one that is not.
pub(super) fn is_resumed_to_the_same_bytes<R: Recipe<Data = [Tree]>>(
    recipe: &R,
    trees: &[Tree],
    num_dev: usize,
) {
    let dev = &trees[..num_dev];
    let whole = train(recipe, trees, dev);
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("checkpoint");
    for _ in 1..whole.steps.len() {
        let observer = After(AtomicUsize::new(1));
        let options = RunOptions { checkpoint: Some(&path), resume: true, observer: &observer };
        assert!(run(recipe, trees, some(dev), options).unwrap().is_none());
    }
    let options = RunOptions { checkpoint: Some(&path), resume: true, observer: &Silent };
    let resumed = run(recipe, trees, some(dev), options).unwrap().unwrap();
    assert_eq!((resumed.steps, resumed.best), (whole.steps, whole.best));
    assert!(bytes(&resumed.model) == bytes(&whole.model));
}

/// Threads that make the same run as one that leads, as processes would, change no byte, even if one is lost.
pub(super) fn is_the_same_among_peers<R: Recipe<Data = [Tree]> + Sync>(
    recipe: &R,
    trees: &[Tree],
    num_dev: usize,
) {
    let dev = &trees[..num_dev];
    let alone = train(recipe, trees, dev);
    for (num_wanted, lost_at) in [(1, usize::MAX), (3, 2)] {
        let directory = tempfile::tempdir().unwrap();
        let follow = |number: usize, checkpoint: Vec<u8>, follower: &Follower| {
            let path = directory.path().join(number.to_string());
            if !checkpoint.is_empty() {
                std::fs::write(&path, checkpoint).unwrap();
            }
            let options = RunOptions { checkpoint: Some(&path), resume: true, observer: follower };
            run(recipe, trees, some(dev), options)
        };
        let (trained, team) = thread::scope(|scope| {
            let follow = &follow;
            let start = move |number, checkpoint, follower| {
                // One that follows may fail when nobody leads any more.
                scope.spawn(move || drop(follow(number, checkpoint, &follower)));
            };
            let team = Team { start: &start, num_wanted, lost_at, state: Mutex::default() };
            let trained = run(recipe, trees, some(dev), RunOptions { observer: &team, ..Default::default() });
            (trained.unwrap().unwrap(), team.state.into_inner().unwrap())
        });
        assert!(team.num_sums >= 2 && team.num_started >= num_wanted, "{} sums", team.num_sums);
        assert_eq!(team.num_lost, usize::from(lost_at < usize::MAX));
        assert_eq!((&trained.steps, trained.best), (&alone.steps, alone.best));
        assert!(bytes(&trained.model) == bytes(&alone.model));
    }
}

/// What a thread that follows gets: a part to compute, or a total.
enum Message {
    Part(usize, usize),
    Total(Vec<u8>),
}

struct Follower {
    messages: Mutex<Receiver<Message>>,
    answers: Sender<Vec<u8>>,
    is_over: AtomicBool,
}

impl Follower {
    fn next(&self) -> Option<Message> {
        let message = self.messages.lock().unwrap().recv().ok();
        self.is_over.fetch_or(message.is_none(), Ordering::Relaxed);
        message
    }
}

impl Follow for Follower {
    fn asked(&self) -> Option<(usize, usize)> {
        match self.next()? {
            Message::Part(part, num_parts) => Some((part, num_parts)),
            Message::Total(_) => panic!("expected a question, found a total"),
        }
    }

    fn answer(&self, partials: Vec<u8>) {
        let _ = self.answers.send(partials);
    }

    fn total(&self) -> Option<Vec<u8>> {
        match self.next()? {
            Message::Total(total) => Some(total),
            Message::Part(..) => panic!("expected a total, found a question"),
        }
    }
}

impl Observer for Follower {
    fn see(&self, _: &Event<'_>) {}

    fn is_interrupted(&self) -> bool {
        self.is_over.load(Ordering::Relaxed)
    }

    fn peers(&self) -> Option<Peers<'_>> {
        Some(Peers::Follow(self))
    }
}

/// The answers of a thread; it is lost if there are none to come.
type Answers = Receiver<Vec<u8>>;

/// The thread that leads: the first of the others is lost at a sum, and another one takes its place after the step.
struct Team<'t> {
    start: &'t (dyn Fn(usize, Vec<u8>, Follower) + Sync),
    num_wanted: usize,
    lost_at: usize,
    state: Mutex<TeamState>,
}

#[derive(Default)]
struct TeamState {
    threads: Vec<(Sender<Message>, Option<Answers>)>,
    num_started: usize,
    num_sums: usize,
    num_lost: usize,
}

impl Lead for Team<'_> {
    fn admit(&self, checkpoint: &dyn Fn() -> Result<Vec<u8>>) -> Result<()> {
        let mut state = self.state.lock().unwrap();
        while state.threads.len() < self.num_wanted {
            let ((messages, theirs), (answer, answers)) = (channel(), channel());
            let follower =
                Follower { messages: Mutex::new(theirs), answers: answer, is_over: AtomicBool::new(false) };
            (self.start)(state.num_started, checkpoint()?, follower);
            state.threads.push((messages, Some(answers)));
            state.num_started += 1;
        }
        Ok(())
    }

    fn ask(&self) -> usize {
        let mut state = self.state.lock().unwrap();
        let num_parts = state.threads.len();
        for (part, (messages, _)) in state.threads.iter().enumerate() {
            messages.send(Message::Part(part, num_parts)).unwrap();
        }
        state.num_sums += 1;
        if state.num_sums == self.lost_at {
            state.threads[0].1 = None;
            state.num_lost += 1;
        }
        num_parts
    }

    fn answer(&self, part: usize) -> Option<Vec<u8>> {
        self.state.lock().unwrap().threads[part].1.as_ref().map(|answers| answers.recv().unwrap())
    }

    fn spread(&self, total: Vec<u8>) {
        let mut state = self.state.lock().unwrap();
        state.threads.retain(|(_, answers)| answers.is_some());
        for (messages, _) in &state.threads {
            messages.send(Message::Total(total.clone())).unwrap();
        }
    }
}

impl Observer for Team<'_> {
    fn see(&self, _: &Event<'_>) {}

    fn is_interrupted(&self) -> bool {
        false
    }

    fn peers(&self) -> Option<Peers<'_>> {
        Some(Peers::Lead(self))
    }
}
