//! `boughs train tagger`.

use anyhow::Result;
use boughs::tagger::{TaggerConfig, TemplateSet};
use boughs::train::TaggerRecipe;
use clap::Args;

use super::common::Common;
use crate::choice::named;
use crate::training::set;

/// A part-of-speech tagger (Ratnaparkhi 1996, and richer features)
#[derive(Debug, Args)]
pub(super) struct TaggerArgs {
    #[command(flatten)]
    pub(super) common: Common,

    /// Features: extended, or ratnaparkhi for the classic of 1996, learned as there
    #[arg(long, value_name = "NAME", value_parser = named::<TemplateSet>("a set of templates"))]
    templates: Option<TemplateSet>,
}

impl TaggerArgs {
    pub(super) fn recipe(&self) -> Result<TaggerRecipe> {
        let tagger = match self.templates {
            Some(TemplateSet::Ratnaparkhi) => TaggerConfig::ratnaparkhi(),
            _ => TaggerConfig::default(),
        };
        let mut recipe = self.common.settings(TaggerRecipe { tagger, ..TaggerRecipe::default() }, &[])?;
        set(&mut recipe.tagger.seed, self.common.run.seed);
        Ok(recipe)
    }
}
