//! Settings and figures between Python and the library, as JSON.

use pyo3::prelude::*;
use serde::Serialize;
use serde_json::Value;

use crate::error::argument;

/// A value of the library as dictionaries, lists and numbers.
pub(crate) fn to_python<'py>(py: Python<'py>, value: &impl Serialize) -> PyResult<Bound<'py, PyAny>> {
    let text =
        serde_json::to_string(value).map_err(|error| argument(py, error.to_string(), "report this"))?;
    py.import("json")?.call_method1("loads", (text,))
}

/// A value of Python; what JSON cannot hold is an error.
pub(crate) fn from_python(value: &Bound<'_, PyAny>) -> PyResult<Value> {
    let py = value.py();
    let text: String = py.import("json")?.call_method1("dumps", (value,))?.extract()?;
    serde_json::from_str(&text).map_err(|error| {
        argument(
            py,
            format!("expected a value that JSON can hold: {error}"),
            "give numbers, strings, lists or dictionaries",
        )
    })
}
