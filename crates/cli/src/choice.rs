//! Options that name one of several things, by the names that the library has for them in files.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use serde::de::value::{Error, StringDeserializer};
use serde::de::{DeserializeOwned, IntoDeserializer};

/// Names, and what each means.
pub(crate) type Names = &'static [(&'static str, &'static str)];

/// A parser of one of these names.
pub(crate) fn choice<T>(names: Names) -> impl TypedValueParser<Value = T>
where
    T: DeserializeOwned + Clone + Send + Sync + 'static,
{
    let values = names.iter().map(|(name, meaning)| PossibleValue::new(*name).help(*meaning));
    PossibleValuesParser::new(values).try_map(|name: String| {
        let name: StringDeserializer<Error> = name.into_deserializer();
        T::deserialize(name)
    })
}
