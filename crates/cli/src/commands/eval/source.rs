//! Where the trees to score come from: a file, or a parser that parses the words of the gold trees.

use std::collections::VecDeque;
use std::path::Path;

use anyhow::{Result, bail};
use boughs::parser::Parser;
use boughs::tree::Tree;
use boughs::tree::profile::Profile;
use rayon::ThreadPool;

use super::EvalArgs;
use crate::Outcome;
use crate::input::Trees;
use crate::model::load_parser;
use crate::pairs::{Pair, Pairs};

/// Gold trees that are parsed together.
const CHUNK: usize = 512;

/// Pairs of trees, with what the parser thinks of each phrase.
pub(super) enum Source {
    Files(Box<Pairs>),
    Parser(Box<Parses>),
}

/// A sentence with both its trees, and the confidence in each phrase of the tree to score, if there is any.
pub(super) struct Scored {
    pub(super) pair: Pair,
    pub(super) confidences: Vec<Option<f64>>,
}

impl Source {
    /// Also tells the profile of the trees: that of the model, or the one that they seem to have.
    pub(super) fn open(args: &EvalArgs) -> Result<(Self, Profile)> {
        match (&args.model, &args.test) {
            (Some(model), _) => {
                let mut parses = Parses::open(args, model)?;
                let profile = args.profile.or_of_model(parses.parser.profile())?;
                parses.trees.normalize(&profile);
                Ok((Self::Parser(Box::new(parses)), profile))
            }
            (None, Some(test)) => {
                let mut pairs = Pairs::open(&args.read, &args.gold, test, args.empty_lines)?;
                let profile = pairs.normalize(&args.profile)?;
                Ok((Self::Files(Box::new(pairs)), profile))
            }
            (None, None) => bail!("expected TEST, or a parser with --model"),
        }
    }

    pub(super) fn next(&mut self) -> Result<Option<Scored>> {
        match self {
            Self::Files(pairs) => Ok(pairs.next()?.map(|pair| Scored { pair, confidences: Vec::new() })),
            Self::Parser(parses) => parses.next(),
        }
    }

    /// Where the last sentence is.
    pub(super) fn place(&self) -> String {
        match self {
            Self::Files(pairs) => pairs.place(),
            Self::Parser(parses) => parses.trees.file().to_owned(),
        }
    }

    pub(super) fn finish(self) -> Outcome {
        match self {
            Self::Files(pairs) => pairs.finish(),
            Self::Parser(parses) => parses.trees.finish(),
        }
    }
}

/// Gold trees and their parses.
pub(super) struct Parses {
    trees: Trees,
    parser: Parser,
    pool: ThreadPool,
    ready: VecDeque<Scored>,
    number: u64,
}

impl Parses {
    fn open(args: &EvalArgs, model: &Path) -> Result<Self> {
        Ok(Self {
            trees: args.read.open(std::slice::from_ref(&args.gold))?,
            parser: load_parser(model)?,
            pool: args.threads.pool()?,
            ready: VecDeque::new(),
            number: 0,
        })
    }

    fn next(&mut self) -> Result<Option<Scored>> {
        if self.ready.is_empty() {
            self.parse_more()?;
        }
        Ok(self.ready.pop_front())
    }

    fn parse_more(&mut self) -> Result<()> {
        let mut gold: Vec<Tree> = Vec::new();
        while gold.len() < CHUNK {
            let Some(tree) = self.trees.next()? else { break };
            gold.push(tree);
        }
        let parsed = self.pool.install(|| self.parser.parse_words_of(&gold))?;
        for (gold, mut parsed) in gold.into_iter().zip(parsed) {
            self.number += 1;
            let best = parsed.parses.swap_remove(0);
            let pair = Pair { number: self.number, gold, test: Ok(best.tree) };
            self.ready.push_back(Scored { pair, confidences: best.confidences });
        }
        Ok(())
    }
}
