//! Errors of the library as exceptions: a class for each kind, all below `boughs.Error`.

use boughs::{Error, ErrorKind};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

/// The module that defines the exceptions.
const MODULE: &str = "boughs.errors";

/// The class of a kind of error.
fn class_of(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::Io => "FileError",
        ErrorKind::Syntax => "FormatError",
        ErrorKind::Encoding => "EncodingError",
        ErrorKind::Discontinuous => "DiscontinuousError",
        ErrorKind::Mismatch => "MismatchError",
        ErrorKind::Argument => "ArgumentError",
        ErrorKind::TooLarge => "TooLargeError",
        ErrorKind::Numeric => "NumericError",
        // Kinds of later versions of the library.
        _ => "Error",
    }
}

/// The exception for an error.
pub(crate) fn exception(py: Python<'_>, error: &Error) -> PyErr {
    let make = || {
        let place = error.place();
        let fields = PyDict::new(py);
        fields.set_item("problem", error.message())?;
        fields.set_item("hint", error.remedy())?;
        fields.set_item("file", place.file.as_deref())?;
        fields.set_item("line", place.line)?;
        fields.set_item("column", place.column)?;
        fields.set_item("tree", place.tree)?;
        let class = py.import(MODULE)?.getattr(class_of(error.kind()))?;
        class.call((error.to_string(),), Some(&fields))
    };
    make().map_or_else(|error| error, PyErr::from_value)
}

/// Results of the library as those of Python.
pub(crate) trait OrRaise<T> {
    /// The value, or the exception for the error.
    fn or_raise(self, py: Python<'_>) -> PyResult<T>;
}

impl<T> OrRaise<T> for boughs::Result<T> {
    fn or_raise(self, py: Python<'_>) -> PyResult<T> {
        self.map_err(|error| exception(py, &error))
    }
}

/// The error of an argument that is out of its range.
pub(crate) fn argument(py: Python<'_>, message: impl Into<String>, hint: &str) -> PyErr {
    exception(py, &Error::new(ErrorKind::Argument, message).hint(hint))
}

/// A string of Python as text, which a lone surrogate is not.
pub(crate) fn text_of<'s>(text: &'s Bound<'_, PyString>) -> PyResult<&'s str> {
    text.to_str().map_err(|error| {
        let py = text.py();
        let start = error.value(py).getattr("start").and_then(|start| start.extract::<usize>());
        let place = start.map_or_else(|_| String::new(), |start| format!(" at character {start}"));
        exception(
            py,
            &Error::new(ErrorKind::Encoding, format!("expected Unicode text, found a lone surrogate{place}"))
                .hint("read the file with errors=\"replace\", or give text.encode(\"utf-8\", \"replace\").decode()"),
        )
    })
}
