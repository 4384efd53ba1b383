//! The flags of `boughs treebank convert` that binarise trees and undo it.

use std::path::PathBuf;

use anyhow::{Result, bail};
use boughs::tree::heads::{HEAD_RULES, HeadRules};
use boughs::tree::{Binarization, Branching, Tree, Unaries, binarize, collapse_unaries, debinarize};
use clap::{Args, ValueEnum};

use crate::choice::{Choices, choice};
use crate::number;
use crate::training::named_or_read;

/// Which binarisation is asked for.
#[derive(Debug, Clone, Args)]
pub(crate) struct BinarizeArgs {
    /// Give every phrase at most two children, by phrases such as @NP|DT>JJ
    #[arg(
        long,
        value_enum,
        value_name = "BRANCHING",
        conflicts_with = "debinarize",
        help_heading = "Binarisation"
    )]
    binarize: Option<BranchingArg>,

    /// How many children the name of such a phrase remembers; all if not given
    #[arg(long, value_name = "N", requires = "binarize", value_parser = number::within::<usize>(0..), help_heading = "Binarisation")]
    horizontal: Option<usize>,

    /// How many generations a name has: 1 for the phrase alone, 2 with its parent (NP^S), and so on
    #[arg(
        long,
        value_name = "N",
        requires = "binarize",
        value_parser = number::within::<u16>(1..),
        help_heading = "Binarisation"
    )]
    vertical: Option<u16>,

    /// Rules that find the head, for `--binarize head`: `english` (Collins 1999), `any` (a guess for any language) or a
    /// file of rules [default: those of the profile]
    #[arg(long, value_name = "NAME|FILE", requires = "binarize", help_heading = "Binarisation")]
    head_rules: Option<PathBuf>,

    /// Join phrases that are the only child to their parent (S+VP), but not to the root; another choice needs the
    /// sign, as in `--collapse-unaries=all`
    #[arg(
        long,
        value_parser = choice(COLLAPSES),
        value_name = "WHICH",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "below-root",
        conflicts_with = "debinarize",
        help_heading = "Binarisation"
    )]
    collapse_unaries: Option<Unaries>,

    /// Undo all of this; no other flag is needed
    #[arg(long, help_heading = "Binarisation")]
    debinarize: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum BranchingArg {
    /// ((a b) c)
    Left,
    /// (a (b c))
    Right,
    /// From the head: first what is right of it, then what is left
    Head,
}

const COLLAPSES: Choices<Unaries> = &[
    ("below-root", "The root (TOP, ROOT and so on) stays apart", Unaries::CollapseBelowRoot),
    ("all", "The root, too", Unaries::Collapse),
];

/// What is to be done with each tree.
#[derive(Debug, Clone)]
pub(crate) enum TreeShape {
    AsItIs,
    Binarized(Box<Binarization>),
    Collapsed(Unaries),
    Debinarized,
}

impl BinarizeArgs {
    /// Refuses head rules that nothing asks for; `heads_are_written` says that they have another use besides.
    pub(crate) fn check(&self, heads_are_written: bool) -> Result<()> {
        if self.head_rules.is_none() || heads_are_written || self.needs_heads() {
            return Ok(());
        }
        match self.binarize {
            Some(_) => bail!("--head-rules has no effect here: it needs `--binarize head`"),
            None => bail!(
                "--head-rules has no effect here: it needs `--binarize head`, `--to conllu` or `--to phrases`"
            ),
        }
    }

    /// Settles what is to be done, with these head rules where heads matter.
    pub(crate) fn prepare(&self, heads: &HeadRules) -> TreeShape {
        let unaries = self.collapse_unaries.unwrap_or(Unaries::Keep);
        match self.binarize {
            _ if self.debinarize => TreeShape::Debinarized,
            Some(branching) => TreeShape::Binarized(Box::new(Binarization {
                branching: branching.with(heads),
                horizontal: self.horizontal,
                vertical: self.vertical.map_or(1, usize::from),
                unaries,
            })),
            None if unaries != Unaries::Keep => TreeShape::Collapsed(unaries),
            None => TreeShape::AsItIs,
        }
    }

    /// The head rules that were asked for.
    pub(crate) fn head_rules(&self) -> Result<Option<HeadRules>> {
        named_or_read(self.head_rules.as_deref(), &HEAD_RULES)
    }

    /// Whether trees are binarised from their heads.
    pub(crate) fn needs_heads(&self) -> bool {
        matches!(self.binarize, Some(BranchingArg::Head))
    }
}

impl BranchingArg {
    fn with(self, heads: &HeadRules) -> Branching {
        match self {
            Self::Left => Branching::Left,
            Self::Right => Branching::Right,
            Self::Head => Branching::Head(heads.clone()),
        }
    }
}

impl TreeShape {
    /// The tree in this shape.
    pub(crate) fn apply(&self, tree: Tree) -> Result<Tree> {
        Ok(match self {
            Self::AsItIs => tree,
            Self::Binarized(how) => binarize(&tree, how)?,
            Self::Collapsed(unaries) => collapse_unaries(&tree, *unaries),
            Self::Debinarized => debinarize(&tree)?,
        })
    }
}
