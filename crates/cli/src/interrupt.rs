//! What happens when the user presses Ctrl-C, or the system asks the program to end.

use std::sync::atomic::{AtomicBool, Ordering};
use std::{io, process};

use anyhow::{Context, Result};

/// The exit code of a program that was interrupted.
pub(crate) const EXIT_CODE: u8 = 130;

static IS_INTERRUPTED: AtomicBool = AtomicBool::new(false);
static IS_NOTED: AtomicBool = AtomicBool::new(false);

/// From now on an interruption ends the program between two writes to standard output, a second one at once.
pub(crate) fn end_between_writes() -> Result<()> {
    handle(|| {
        let _lock = io::stdout().lock();
        exit();
    })
}

/// From now on an interruption is only noted, for [`is_interrupted`]; a second one ends the program at once. Several
/// runs of training may ask for it.
pub(crate) fn note() -> Result<()> {
    match IS_NOTED.swap(true, Ordering::Relaxed) {
        true => Ok(()),
        false => handle(|| {}),
    }
}

/// From now on the first interruption does this, in a thread of its own; a second one ends the program at once.
#[cfg(feature = "serve")]
pub(crate) fn at_first(action: impl Fn() + Clone + Send + Sync + 'static) -> Result<()> {
    handle(action)
}

/// Whether there was an interruption.
pub(crate) fn is_interrupted() -> bool {
    IS_INTERRUPTED.load(Ordering::Relaxed)
}

fn handle(first: impl Fn() + Clone + Send + Sync + 'static) -> Result<()> {
    ctrlc::set_handler(move || match IS_INTERRUPTED.swap(true, Ordering::Relaxed) {
        true => exit(),
        // The handler's own thread must stay free for the second interruption.
        false => drop(std::thread::spawn(first.clone())),
    })
    .context("cannot listen for interruptions")
}

#[expect(clippy::exit, reason = "the user wants the program to end, wherever its threads are")]
fn exit() {
    process::exit(EXIT_CODE.into());
}
