//! How many threads work.

use anyhow::{Context, Result};
use clap::Args;
use rayon::{ThreadPool, ThreadPoolBuilder};

#[derive(Debug, Clone, Args)]
pub(crate) struct ThreadArgs {
    /// Threads; the result is the same for any number. Default: one for each processor
    #[arg(long, short = 'j', value_name = "N", default_value_t = 0, hide_default_value = true)]
    threads: usize,
}

impl ThreadArgs {
    /// How many there will be.
    #[cfg(feature = "serve")]
    pub(crate) fn number(&self) -> usize {
        match self.threads {
            0 => std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
            number => number,
        }
    }

    pub(crate) fn pool(&self) -> Result<ThreadPool> {
        ThreadPoolBuilder::new().num_threads(self.threads).build().context("cannot start threads")
    }
}
