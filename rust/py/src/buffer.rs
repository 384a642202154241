//! Objects that the interpreter treats in a way that pyo3 has no safe call for: bytes that Rust keeps and Python reads in place
//! (the buffer protocol), and handles that the garbage collector passes over. The only file of this crate with `unsafe`.

use std::ffi::c_int;

use bytes::Bytes;
use pyo3::PyClass;
use pyo3::exceptions::PyBufferError;
use pyo3::ffi::{Py_buffer, PyBuffer_FillInfo, PyObject_GC_UnTrack};
use pyo3::prelude::*;

use crate::columns::EncodedBatch;
use crate::record::Record;
use crate::records::Records;

/// A class whose objects have bytes to read in place.
pub(crate) trait Exported {
    /// The bytes.
    ///
    /// # Errors
    /// There are none, or what holds them is damaged.
    fn exported(&self) -> PyResult<Bytes>;
}

/// What keeps the bytes of a `memoryview` alive: the `obj` of the view.
#[pyclass(frozen, module = "barnabas._core")]
#[derive(Debug)]
struct Pinned {
    bytes: Bytes,
}

/// Has the garbage collector pass over an object of a class whose objects refer to no object of Python, or to none that it
/// would be told of. All of pyo3's classes are the collector's, and a program that keeps a handle of each record would pay
/// for looking at all of them, again and again, as much as for sending them.
#[expect(unsafe_code, reason = "pyo3 has no call for it")]
pub(crate) fn passed_over<T: PyClass>(object: Bound<'_, T>) -> Bound<'_, T> {
    // SAFETY: the object is alive, and the collector's, as all objects of pyo3's classes are. Their deallocation takes them
    // out again, for which it does not matter whether they were in. The interpreter is attached.
    unsafe { PyObject_GC_UnTrack(object.as_ptr().cast()) };
    object
}

/// Fills `view` with `bytes`, read-only. The bytes live until the view is released, whatever becomes of the object that
/// was asked for it.
///
/// # Safety
/// `view` points to a `Py_buffer` that the interpreter passed to `__getbuffer__`.
#[expect(unsafe_code, reason = "the buffer protocol is a C structure that is filled in place")]
unsafe fn export(py: Python<'_>, bytes: Bytes, view: *mut Py_buffer, flags: c_int) -> PyResult<()> {
    let length = isize::try_from(bytes.len()).map_err(|_| PyBufferError::new_err("the buffer is too large"))?;
    let pinned = Bound::new(py, Pinned { bytes })?;
    let start = pinned.get().bytes.as_ptr().cast_mut().cast();
    // SAFETY: the caller vouches for `view`. `start` and `length` are those of `pinned`'s bytes, which are never moved or
    // changed (the class is frozen, Bytes are immutable), and the call takes a reference to `pinned` for the view. It
    // sets the error indicator when it refuses, as it does for a writable view.
    let filled = unsafe { PyBuffer_FillInfo(view, pinned.as_ptr(), start, length, 1, flags) };
    if filled == 0 { Ok(()) } else { Err(PyErr::fetch(py)) }
}

#[pymethods]
impl EncodedBatch {
    /// The batch, read-only.
    ///
    /// # Safety
    /// Called by the interpreter, with a view that is to be filled.
    #[expect(unsafe_code, reason = "the buffer protocol's signature")]
    unsafe fn __getbuffer__(slf: &Bound<'_, Self>, view: *mut Py_buffer, flags: c_int) -> PyResult<()> {
        let bytes = slf.get().exported()?;
        // SAFETY: the interpreter passed `view` to this method.
        unsafe { export(slf.py(), bytes, view, flags) }
    }
}

#[pymethods]
impl Record {
    /// The value where it lies, read-only.
    ///
    /// # Safety
    /// Called by the interpreter, with a view that is to be filled.
    #[expect(unsafe_code, reason = "the buffer protocol's signature")]
    unsafe fn __getbuffer__(slf: &Bound<'_, Self>, view: *mut Py_buffer, flags: c_int) -> PyResult<()> {
        let bytes = slf.get().exported()?;
        // SAFETY: the interpreter passed `view` to this method.
        unsafe { export(slf.py(), bytes, view, flags) }
    }
}

#[pymethods]
impl Records {
    /// The encoded records one after the other, read-only.
    ///
    /// # Safety
    /// Called by the interpreter, with a view that is to be filled.
    #[expect(unsafe_code, reason = "the buffer protocol's signature")]
    unsafe fn __getbuffer__(slf: &Bound<'_, Self>, view: *mut Py_buffer, flags: c_int) -> PyResult<()> {
        let bytes = slf.get().exported()?;
        // SAFETY: the interpreter passed `view` to this method.
        unsafe { export(slf.py(), bytes, view, flags) }
    }
}
