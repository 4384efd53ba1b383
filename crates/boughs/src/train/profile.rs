//! Settings that follow from the profile of a treebank.

use serde::Serialize;

use super::{
    BaseGrammar, ConditionalConfig, CrfConfig, LatentConfig, LexiconConfig, NeuralConfig, PcfgConfig,
    TaggerRecipe, TransitionConfig,
};
use crate::error::Result;
use crate::tree::profile::Profile;

/// Settings that know the profile of their treebank.
pub trait Profiled: Serialize + Sized {
    /// The profile.
    fn profile(&self) -> &Profile;

    /// The same for a treebank of another profile: head rules, tag classes, punctuation and the endings of unknown
    /// words are those of the profile.
    ///
    /// # Errors
    /// If the profile has endings of a form that there is not.
    fn for_profile(self, profile: &Profile) -> Result<Self>;
}

impl Profiled for TransitionConfig {
    fn profile(&self) -> &Profile {
        &self.profile
    }

    fn for_profile(self, profile: &Profile) -> Result<Self> {
        let punctuation = profile.punctuation();
        let is_usual = punctuation == self.pipeline.settings.punctuation;
        Ok(Self {
            profile: profile.clone(),
            language: profile.language()?,
            punctuation_tags: if is_usual { None } else { Some(punctuation.to_string()) },
            ..self
        })
    }
}

impl Profiled for LatentConfig {
    fn profile(&self) -> &Profile {
        &self.profile
    }

    fn for_profile(self, profile: &Profile) -> Result<Self> {
        Ok(Self { profile: profile.clone(), lexicon: lexicon(&self.lexicon, profile)?, ..self })
    }
}

impl Profiled for ConditionalConfig {
    fn profile(&self) -> &Profile {
        &self.profile
    }

    fn for_profile(self, profile: &Profile) -> Result<Self> {
        Ok(Self { profile: profile.clone(), lexicon: lexicon(&self.lexicon, profile)?, ..self })
    }
}

impl Profiled for PcfgConfig {
    fn profile(&self) -> &Profile {
        &self.profile
    }

    fn for_profile(self, profile: &Profile) -> Result<Self> {
        Ok(Self { profile: profile.clone(), lexicon: lexicon(&self.lexicon, profile)?, ..self })
    }
}

impl Profiled for CrfConfig {
    fn profile(&self) -> &Profile {
        &self.profile
    }

    fn for_profile(self, profile: &Profile) -> Result<Self> {
        let base = match self.base {
            BaseGrammar::Latent(latent) => BaseGrammar::Latent(latent.for_profile(profile)?),
            BaseGrammar::Pcfg(pcfg) => BaseGrammar::Pcfg(pcfg.for_profile(profile)?),
        };
        Ok(Self { profile: profile.clone(), base, ..self })
    }
}

impl Profiled for NeuralConfig {
    fn profile(&self) -> &Profile {
        &self.profile
    }

    fn for_profile(self, profile: &Profile) -> Result<Self> {
        Ok(Self { profile: profile.clone(), ..self })
    }
}

impl Profiled for TaggerRecipe {
    fn profile(&self) -> &Profile {
        &self.profile
    }

    fn for_profile(self, profile: &Profile) -> Result<Self> {
        Ok(Self { profile: profile.clone(), ..self })
    }
}

fn lexicon(config: &LexiconConfig, profile: &Profile) -> Result<LexiconConfig> {
    Ok(LexiconConfig { classes: profile.endings().parse()?, ..config.clone() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learn::run::to_toml;

    fn text(settings: &impl Serialize) -> String {
        to_toml(settings).expect("settings")
    }

    #[test]
    fn english_settings_stay_as_they_are() {
        let english = Profile::default();
        let latent = LatentConfig::default();
        assert_eq!(text(&latent.clone().for_profile(&english).expect("endings")), text(&latent));
        let transition = TransitionConfig::default();
        assert_eq!(text(&transition.clone().for_profile(&english).expect("rules")), text(&transition));
        assert!(!text(&CrfConfig::default()).contains("profile"));
    }

    #[test]
    fn settings_of_every_profile_are_written_as_they_are_read() {
        for (name, _) in crate::tree::profile::PROFILES {
            let profile = Profile::named(name).expect("it ships");
            let written = text(&CrfConfig::default().for_profile(&profile).expect("endings"));
            let read: CrfConfig = crate::learn::run::from_toml(&written).expect("settings");
            assert_eq!(read.profile(), &profile);
            assert_eq!(text(&read), written);
            let written = text(&TransitionConfig::default().for_profile(&profile).expect("rules"));
            let read: TransitionConfig = crate::learn::run::from_toml(&written).expect("settings");
            assert_eq!(read.language.head_text, profile.head_text());
        }
    }
}
