//! Exceptions: Python classes of `barnabas.errors`, raised from Rust.

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyDict;

pyo3::import_exception!(barnabas.errors, ProtocolError);

/// The exception for a protocol error code, with what happened and nothing about whom it happened with.
pub(crate) fn raise_code(py: Python<'_>, code: i16, message: &str) -> PyErr {
    raise_code_at(py, code, message, None, None)
}

/// The exception for a protocol error code, with the broker and the topic-partition that it is about.
pub(crate) fn raise_code_at(
    py: Python<'_>,
    code: i16,
    message: &str,
    broker: Option<i32>,
    topic_partition: Option<(&str, i32)>,
) -> PyErr {
    static FOR_CODE: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let made = || -> PyResult<PyErr> {
        let for_code = FOR_CODE.import(py, "barnabas.errors", "for_code")?;
        let context = PyDict::new(py);
        context.set_item("broker", broker)?;
        context.set_item("topic_partition", topic_partition)?;
        let message = (!message.is_empty()).then_some(message);
        Ok(PyErr::from_value(for_code.call((code, message), Some(&context))?))
    };
    made().unwrap_or_else(|error| error)
}

/// The exception of this class of `barnabas.errors`.
pub(crate) fn raise(py: Python<'_>, class: &str, message: &str) -> PyErr {
    let made = || -> PyResult<PyErr> {
        let class = py.import("barnabas.errors")?.getattr(class)?;
        Ok(PyErr::from_value(class.call1((message,))?))
    };
    made().unwrap_or_else(|_| PyRuntimeError::new_err(format!("{class}: {message}")))
}
