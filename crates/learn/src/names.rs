//! Names of the variants of enums: those that serde writes, so that there is one list of them.

use serde::de::DeserializeOwned;
use serde::de::value::{Error as NoSuchName, StrDeserializer};
use serde::{Deserialize, Serialize};

use crate::error::{Result, syntax};

/// The variant of a name.
///
/// ```
/// use boughs_learn::names::{name_of, named};
///
/// #[derive(Debug, PartialEq, serde::Serialize, serde::Deserialize)]
/// #[serde(rename_all = "kebab-case")]
/// enum Way { Up, DownHill }
///
/// assert_eq!(named::<Way>("a way", "down-hill")?, Way::DownHill);
/// assert_eq!(name_of(&Way::DownHill), "down-hill");
/// let error = named::<Way>("a way", "down").unwrap_err();
/// assert_eq!(error.message(), "expected a way (up, down-hill), found `down`");
/// # Ok::<(), boughs_learn::Error>(())
/// ```
///
/// # Errors
/// If there is no such variant.
pub fn named<T: DeserializeOwned>(what: &str, name: &str) -> Result<T> {
    T::deserialize(StrDeserializer::<NoSuchName>::new(name)).map_err(|error| {
        let error = error.to_string();
        let known = error.split_once("expected ").map_or("", |(_, known)| known);
        let known = known.trim_start_matches("one of ").replace('`', "").replace(" or ", ", ");
        syntax(format!("expected {what} ({known}), found `{name}`"))
    })
}

/// The name of a variant.
pub fn name_of(variant: &impl Serialize) -> String {
    let name = serde_json::to_value(variant).ok();
    name.and_then(|name| String::deserialize(name).ok()).unwrap_or_default()
}
