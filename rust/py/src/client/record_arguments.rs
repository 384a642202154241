//! Arguments of a producer's methods. What cannot be meant is refused in words that name the argument and say what can.

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyList, PyString};

/// Characters of an argument that an error shows.
const SHOWN_CHARS_MAX: usize = 80;

/// A topic's name.
#[derive(Clone, Copy, Debug)]
pub(super) struct Topic<'a, 'py>(pub(super) Borrowed<'a, 'py, PyString>);

impl<'a, 'py> FromPyObject<'a, 'py> for Topic<'a, 'py> {
    type Error = PyErr;

    #[inline]
    fn extract(given: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        match given.cast::<PyString>() {
            Ok(name) => Ok(Self(name)),
            Err(_) => Err(PyTypeError::new_err(no_topic(&given))),
        }
    }
}

impl Topic<'_, '_> {
    /// The name as text.
    pub(super) fn text<'t>(name: &'t Bound<'_, PyString>) -> PyResult<&'t str> {
        match name.to_str() {
            Ok(text) if !text.is_empty() => Ok(text),
            _ => Err(PyValueError::new_err(no_topic(name))),
        }
    }
}

#[cold]
fn no_topic(given: &Bound<'_, PyAny>) -> String {
    format!(
        "a topic is a string that is not empty, such as \"orders\", got {}",
        shown(given)
    )
}

/// A partition's number.
#[derive(Clone, Copy, Debug)]
pub(super) struct Partition(pub(super) i32);

impl FromPyObject<'_, '_> for Partition {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        match integer(&given).and_then(|number| i32::try_from(number).ok()) {
            Some(number) if number >= 0 => Ok(Self(number)),
            _ => Err(refused(
                &given,
                "a partition is a number from 0 on",
                "without one the key decides, or the load",
            )),
        }
    }
}

/// The partition that a caller names for many records.
#[derive(Debug)]
pub(super) enum Partitions {
    /// One for all.
    Same(i32),
    /// One for each, or none.
    Each(Vec<Option<i32>>),
}

impl FromPyObject<'_, '_> for Partitions {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        let number = |each: Bound<'_, PyAny>| Ok(each.extract::<Option<Partition>>()?.map(|partition| partition.0));
        match given.cast::<PyList>() {
            Ok(each) => each.iter().map(number).collect::<PyResult<_>>().map(Self::Each),
            Err(_) => given.extract().map(|Partition(number)| Self::Same(number)),
        }
    }
}

/// When a record was made, in milliseconds since 1970.
#[derive(Clone, Copy, Debug)]
pub(super) struct Timestamp(pub(super) i64);

impl FromPyObject<'_, '_> for Timestamp {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        match integer(&given) {
            Some(milliseconds) if milliseconds >= 0 => Ok(Self(milliseconds)),
            _ => Err(refused(
                &given,
                "a timestamp is a whole number of milliseconds since 1970, from 0 on and of at most 63 bits",
                "int(time.time() * 1000) is now",
            )),
        }
    }
}

/// Seconds to wait. Less than none is none, as in `concurrent.futures`: a deadline that has passed is no mistake.
#[derive(Clone, Copy, Debug)]
pub(super) struct Timeout(pub(super) f64);

impl FromPyObject<'_, '_> for Timeout {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        match given.extract::<f64>() {
            Ok(seconds) if !seconds.is_nan() => Ok(Self(seconds)),
            _ => Err(refused(
                &given,
                "timeout is a number of seconds",
                "None waits until the outcome is known",
            )),
        }
    }
}

/// Something that can be called.
pub(super) fn checked_callback(given: &Bound<'_, PyAny>) -> PyResult<()> {
    if given.is_callable() {
        return Ok(());
    }
    let text = format!("a callback is a function of the delivery, got {}", shown(given));
    Err(PyTypeError::new_err(text))
}

/// Why something is no header, or no headers.
#[cold]
pub(super) fn no_headers(given: &Bound<'_, PyAny>) -> PyErr {
    let fix = if given.is_instance_of::<PyDict>() {
        ": pass list(headers.items())"
    } else {
        ""
    };
    PyTypeError::new_err(format!(
        "headers are tuples of a name and bytes or None, such as [(\"trace\", b\"7f3a\")], got {}{fix}",
        shown(given)
    ))
}

/// A whole number of 64 bits. A truth value is one for Python, and here a mistake.
fn integer(given: &Bound<'_, PyAny>) -> Option<i64> {
    given.extract().ok().filter(|_| !given.is_instance_of::<PyBool>())
}

/// A number that is out of range, or something that is no such number.
#[cold]
fn refused(given: &Bound<'_, PyAny>, what: &str, remedy: &str) -> PyErr {
    let text = format!("{what}, got {}: {remedy}", shown(given));
    let is_number = !given.is_instance_of::<PyBool>() && given.hasattr("__index__").unwrap_or(false);
    let is_nan = given.extract::<f64>().is_ok_and(f64::is_nan);
    if is_number || is_nan {
        PyValueError::new_err(text)
    } else {
        PyTypeError::new_err(text)
    }
}

/// An argument as an error shows it.
fn shown(given: &Bound<'_, PyAny>) -> String {
    let Ok(text) = given.repr() else {
        return "something else".to_owned();
    };
    let text = text.to_string_lossy();
    match text.char_indices().nth(SHOWN_CHARS_MAX) {
        Some((end, _)) => format!("{}...", text.get(..end).unwrap_or_default()),
        None => text.into_owned(),
    }
}
