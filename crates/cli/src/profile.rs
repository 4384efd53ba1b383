//! Which profile a treebank has: the one that is named, or a guess, which is told.

use anyhow::{Context, Result};
use boughs::text::Language;
use boughs::tree::Tree;
use boughs::tree::profile::{Guess, Profile};
use clap::Args;

use crate::input::Trees;
use crate::output::report;

/// Trees by which a profile is guessed, and from which a verb that reads a stream learns what it does not say.
const NUM_JUDGED: usize = 500;

#[derive(Debug, Clone, Default, Args)]
pub(crate) struct ProfileArgs {
    /// The conventions of the treebank: english-penn, spanish-cess, german-tiger, portuguese-floresta, dutch-alpino,
    /// swedish-smultron, chinese-sinica, generic, or a file (docs/languages.md) [default: guessed from its labels]
    #[arg(long, value_name = "NAME|FILE", help_heading = "Language")]
    pub(crate) profile: Option<String>,

    /// Take phrases of one label for those of another, as in `--map-label 'grup.nom.*=grup.nom'`; may be repeated
    #[arg(long, value_name = "FROM=TO", value_parser = mapping, help_heading = "Language", hide_short_help = true)]
    pub(crate) map_label: Vec<(String, String)>,
}

fn mapping(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((from, to)) if !from.is_empty() && !to.is_empty() => Ok((from.to_owned(), to.to_owned())),
        _ => Err("expected a label, `=` and another, as in `grup.nom.*=grup.nom`".to_owned()),
    }
}

impl ProfileArgs {
    /// Whether the user says anything of it.
    pub(crate) fn is_given(&self) -> bool {
        self.profile.is_some() || !self.map_label.is_empty()
    }

    /// The profile of trees as they were read; what it does not say is not yet learned.
    pub(crate) fn of_trees(&self, trees: &[Tree]) -> Result<Profile> {
        let profile = match &self.profile {
            Some(name) => load(name)?,
            None => guessed(trees),
        };
        Ok(self.with_mapping(profile))
    }

    /// The profile that is named, or else the one of a model.
    pub(crate) fn or_of_model(&self, of_model: Profile) -> Result<Profile> {
        let profile = self.profile.as_deref().map_or(Ok(of_model), load)?;
        Ok(self.with_mapping(profile))
    }

    fn with_mapping(&self, profile: Profile) -> Profile {
        profile.with_labels(self.map_label.iter().map(|(from, to)| (from.as_str(), to.as_str())))
    }

    /// The profile of a stream of trees, by the first of them; what it does not say is learned from these.
    pub(crate) fn of_stream(&self, trees: &mut Trees) -> Result<Profile> {
        let mut first = trees.look_ahead(NUM_JUDGED);
        let profile = self.of_trees(&first)?;
        first.iter_mut().for_each(|tree| profile.normalize(tree));
        Ok(profile.learned_from(&first))
    }
}

/// A profile by name or from a file; its language must be one that there is.
fn load(name: &str) -> Result<Profile> {
    let profile = Profile::load(name)?;
    if let Some(language) = profile.text_language() {
        language.parse::<Language>().with_context(|| format!("{name}: in `text-language`"))?;
    }
    Ok(profile)
}

fn guessed(trees: &[Tree]) -> Profile {
    let Guess { profile, share } = Guess::of(trees);
    let others = "--profile NAME or FILE says otherwise";
    match share {
        Some(_) if !profile.is_default() => {
            report(format_args!("profile: {}, guessed from labels and tags ({others})", profile.name()));
        }
        None if !profile.is_default() => report(format_args!(
            "profile: {}, since no other knows the labels and tags; punctuation, heads and endings are learned ({others})",
            profile.name()
        )),
        _ => {}
    }
    profile
}
