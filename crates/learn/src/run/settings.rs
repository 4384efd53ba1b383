//! Settings of recipes as TOML, in files and in models.

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::error::{Error, ErrorKind, Result};

/// The settings of a recipe as TOML.
///
/// # Errors
/// If there is a setting that TOML cannot hold.
pub fn to_toml(settings: &impl Serialize) -> Result<String> {
    erased_to_toml(settings)
}

/// The serialiser of toml is compiled anew for every type that it is given; this is the only one.
fn erased_to_toml(settings: &dyn erased_serde::Serialize) -> Result<String> {
    toml::to_string(settings).map_err(|error| {
        Error::new(ErrorKind::Argument, format!("the settings cannot be written down: {error}"))
    })
}

/// The settings of a recipe from TOML; what it does not mention has its default.
///
/// # Errors
/// If the text is no TOML, or has a setting that there is not.
pub fn from_toml<T: DeserializeOwned>(text: &str) -> Result<T> {
    toml::from_str(text).map_err(|error| {
        let line = error.span().map(|span| text[..span.start].matches('\n').count() as u64 + 1);
        let error = Error::new(ErrorKind::Syntax, error.message().to_owned());
        line.map_or(error.clone(), |line| error.at_line(line))
    })
}

/// Settings with those of a TOML text in place of their own.
///
/// # Errors
/// If the text is no TOML, or has a setting that there is not.
pub fn over_toml<T: Serialize + DeserializeOwned>(settings: &T, text: &str) -> Result<T> {
    let mut table: toml::Table = from_toml(&to_toml(settings)?)?;
    merge(&mut table, from_toml(text)?);
    from_toml(&to_toml(&table)?)
}

fn merge(table: &mut toml::Table, over: toml::Table) {
    for (name, value) in over {
        let is_choice = CHOICES.contains(&name.as_str());
        match (table.get_mut(&name), value) {
            (Some(toml::Value::Table(old)), toml::Value::Table(new))
                if !is_choice || old.keys().eq(new.keys()) =>
            {
                merge(old, new);
            }
            (_, value) => _ = table.insert(name, value),
        }
    }
}

/// Settings that are one of several choices, as `[base.pcfg]` or `[base.latent]`: another choice takes the place of
/// the whole.
const CHOICES: [&str; 4] = ["base", "learner", "penalty", "search"];
