//! `boughs translate words`.

use anyhow::Result;
use boughs_translate::{DiscriminativeConfig, compare_words};
use clap::Args;

use super::data::PairArgs;
use super::train::{CandidateArgs, LearnArgs};
use crate::output::print;
use crate::table::Table;
use crate::threads::ThreadArgs;
use crate::training::run_through;
use crate::{Outcome, number};

/// Compare learners on the choice of words alone
///
/// The translations of single words in held-out pairs, as the links have them, by the most frequent one, by boosted
/// trees with an l1 penalty, by logistic regression with an l2 penalty, and by the latter cut to its heaviest weights,
/// as many as the trees have compound features; without and with biases among what is counted and cut. p is the
/// probability of such a difference from the boosted trees if there were none, by signed ranks (Wilcoxon) over the
/// numbers of right words in each pair.
#[derive(Debug, Clone, Args)]
pub(crate) struct WordsArgs {
    /// Test on N pairs, chosen at random, from which nothing is learned
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = number::within::<usize>(1..))]
    test_pairs: usize,

    /// Weight of the l2 penalty [default: the best of 0.1, 0.3, 1, 3 and 10 on the development pairs]
    #[arg(long, value_name = "N")]
    l2: Option<f64>,

    /// The seed of what is random
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,

    #[command(flatten)]
    threads: ThreadArgs,

    /// Say nothing about progress
    #[arg(long, short, hide_short_help = true)]
    quiet: bool,

    #[command(flatten)]
    data: PairArgs,

    #[command(flatten)]
    candidates: CandidateArgs,

    #[command(flatten)]
    learn: LearnArgs,
}

pub(crate) fn run(args: &WordsArgs) -> Result<Outcome> {
    let found = args.threads.pool()?.install(|| -> Result<_> {
        let data = args.data.read(args.test_pairs, args.seed, args.quiet)?;
        let mut config = DiscriminativeConfig::default();
        args.candidates.change(&mut config.candidates);
        args.learn.change(&mut config);
        let dev = (!data.dev.is_empty()).then_some(&data.dev[..]);
        let transducer = run_through(&config, &data.train, dev, args.quiet)?;
        let parts = [&data.train[..], &data.dev, &data.test];
        Ok(compare_words(parts, &transducer, &config.candidates, args.l2)?)
    })?;
    let mut table = Table::new(&["learner", "non-zero features", "right", "accuracy", "p"]);
    for learner in &found.learners {
        let accuracy = 100.0 * learner.num_right as f64 / found.num_words.max(1) as f64;
        let (accuracy, p) = (format!("{accuracy:.2}"), format!("{:.4}", learner.p));
        table.row(&[&learner.name, &learner.num_active, &learner.num_right, &accuracy, &p]);
    }
    print(format_args!("{table}weight of the l2 penalty: {}\n{} words\n", found.l2, found.num_words))
}
