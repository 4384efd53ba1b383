//! How a parser parses, as one flat dictionary: what all parsers have, and what those of its kind have.

use std::time::Duration;

use boughs::parser::ParseOptions;
use boughs::{Error, ErrorKind, Result};
use serde_json::{Map, Value};

/// The options of a parser by their names in Python.
pub(crate) fn flat(options: &ParseOptions) -> Result<Map<String, Value>> {
    let mut flat = Map::new();
    flat.insert("n_best".to_owned(), options.num_best.into());
    flat.insert("max_length".to_owned(), options.max_length.into());
    flat.insert("timeout".to_owned(), options.timeout.map(|timeout| timeout.as_secs_f64()).into());
    for (name, value) in engine(options)?.1 {
        flat.insert(name.replace('-', "_"), value);
    }
    Ok(flat)
}

/// The same with some of them changed.
pub(crate) fn with_changes(options: &ParseOptions, changes: Value) -> Result<ParseOptions> {
    let Value::Object(changes) = changes else { return Ok(options.clone()) };
    let (kind, mut own) = engine(options)?;
    let mut options = options.clone();
    for (name, value) in changes {
        match name.as_str() {
            "n_best" => {
                options.num_best = whole(&name, &value)?.ok_or_else(|| not(&name, "a number", &value))?;
            }
            "max_length" => options.max_length = whole(&name, &value)?,
            "timeout" => options.timeout = seconds(&value)?,
            _ => match own.get_mut(&name.replace('_', "-")) {
                Some(known) => *known = value,
                None => return Err(unknown(&name, &options)?),
            },
        }
    }
    let engine: Value = Value::Object(Map::from_iter([(kind, Value::Object(own))]));
    options.engine = serde_json::from_value(engine).map_err(|error| argument(error.to_string()))?;
    Ok(options)
}

/// The kind of parser, and what only that has.
fn engine(options: &ParseOptions) -> Result<(String, Map<String, Value>)> {
    let engine = serde_json::to_value(&options.engine).map_err(|error| argument(error.to_string()))?;
    let Value::Object(engine) = engine else { return Err(argument("options of no kind")) };
    match engine.into_iter().next() {
        Some((kind, Value::Object(own))) => Ok((kind, own)),
        _ => Err(argument("options of no kind")),
    }
}

fn whole(name: &str, value: &Value) -> Result<Option<usize>> {
    match value {
        Value::Null => Ok(None),
        value => {
            match value.as_u64().filter(|&number| number > 0).and_then(|number| usize::try_from(number).ok())
            {
                Some(number) => Ok(Some(number)),
                None => Err(not(name, "a whole number of at least 1", value)),
            }
        }
    }
}

fn seconds(value: &Value) -> Result<Option<Duration>> {
    let seconds = |value: &Value| Duration::try_from_secs_f64(value.as_f64()?).ok();
    match value {
        Value::Null => Ok(None),
        value => seconds(value).map(Some).ok_or_else(|| not("timeout", "a number of seconds", value)),
    }
}

fn not(name: &str, expected: &str, found: &Value) -> Error {
    argument(format!("{name}: expected {expected}, found {found}"))
}

fn unknown(name: &str, options: &ParseOptions) -> Result<Error> {
    let names: Vec<String> = flat(options)?.into_iter().map(|(name, _)| name).collect();
    Ok(argument(format!("there is no option `{name}` of this parser"))
        .hint(format!("it has {}", names.join(", "))))
}

fn argument(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Argument, message)
}
