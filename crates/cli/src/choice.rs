//! Options that name one of several things of the library.

use boughs_learn::Error;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use serde::de::DeserializeOwned;

/// Names, what each means, in words and for the library.
pub(crate) type Choices<T> = &'static [(&'static str, &'static str, T)];

/// A parser of one of these names.
pub(crate) fn choice<T>(choices: Choices<T>) -> impl TypedValueParser<Value = T>
where
    T: Clone + Send + Sync + 'static,
{
    let values = choices.iter().map(|(name, meaning, _)| PossibleValue::new(*name).help(*meaning));
    PossibleValuesParser::new(values).try_map(|found: String| {
        let choice = choices.iter().find(|(name, ..)| *name == found);
        choice.map(|(.., value)| value.clone()).ok_or("expected one of the names, found another")
    })
}

/// Names of variants, as serde has them, and what each means.
pub(crate) type Variants = &'static [(&'static str, &'static str)];

/// A parser of one of these names of variants.
pub(crate) fn variant<T>(variants: Variants) -> impl TypedValueParser<Value = T>
where
    T: DeserializeOwned + Clone + Send + Sync + 'static,
{
    let values = variants.iter().map(|(name, meaning)| PossibleValue::new(*name).help(*meaning));
    PossibleValuesParser::new(values).try_map(|found| boughs_learn::names::named("a name", &found))
}

/// Options that name one of the variants of a type, as serde does.
pub(crate) fn named<T: DeserializeOwned>(what: &'static str) -> impl Fn(&str) -> Result<T, Error> + Clone {
    move |name| boughs_learn::names::named(what, name)
}
