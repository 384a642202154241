//! Messages of `barnabas.protocol` as bytes, and back, by the message table.
//!
//! Decoding makes instances without calling `__init__` and sets their slots; encoding reads the slots. Classes and
//! attribute names are looked up once per struct.

use std::borrow::Cow;

use barnabas_wire::interpreter::{self, Scalar, Source, UnknownFields, Visitor};
use barnabas_wire::primitives::{RawTaggedField, Uuid};
use barnabas_wire::table::{self, STRUCT_COUNT, Schema, Struct};
use barnabas_wire::{Value, WireError, value};
use pyo3::buffer::PyBuffer;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyByteArray, PyBytes, PyDict, PyInt, PyList, PyMemoryView, PyString, PyTuple, PyType};

use crate::error::ProtocolError;

/// The Python face of a struct.
struct Class {
    class: Py<PyType>,
    /// Attribute names, interned, in the order of the table's fields.
    names: Vec<Py<PyString>>,
}

static CLASSES: [PyOnceLock<Class>; STRUCT_COUNT] = [const { PyOnceLock::new() }; STRUCT_COUNT];

#[expect(clippy::indexing_slicing, reason = "ids of structs are below STRUCT_COUNT")]
fn class_of(py: Python<'_>, of: &'static Struct) -> PyResult<&'static Class> {
    CLASSES[of.id].get_or_try_init(py, || {
        let schema = of.schema();
        let module = py.import(format!("barnabas.protocol.messages.{}", schema.module))?;
        let mut class = module.getattr(schema.name)?;
        if !of.is_root() {
            class = class.getattr(of.name)?;
        }
        let names = of
            .fields
            .iter()
            .map(|field| PyString::intern(py, field.name).unbind())
            .collect();
        Ok(Class {
            class: class.cast_into::<PyType>()?.unbind(),
            names,
        })
    })
}

fn unknown_name(py: Python<'_>) -> &Bound<'_, PyString> {
    pyo3::intern!(py, "unknown_tagged_fields")
}

fn schema_of(py: Python<'_>, class: &Bound<'_, PyAny>) -> PyResult<&'static Schema> {
    let id = class
        .getattr(pyo3::intern!(py, "STRUCT"))
        .and_then(|id| id.extract::<usize>());
    id.ok().and_then(table::message).ok_or_else(|| {
        PyTypeError::new_err(format!(
            "expected a message of barnabas.protocol, not {}",
            class.get_type()
        ))
    })
}

/// A Python exception on its way through the interpreter.
struct Failure(PyErr);

impl From<WireError> for Failure {
    fn from(error: WireError) -> Self {
        Self(ProtocolError::new_err(error.to_string()))
    }
}

impl From<PyErr> for Failure {
    fn from(error: PyErr) -> Self {
        Self(error)
    }
}

/// Adds the message and version to a protocol error.
fn with_context(py: Python<'_>, failure: Failure, schema: &'static Schema, version: i16) -> PyErr {
    let error = failure.0;
    if !error.is_instance_of::<ProtocolError>(py) {
        return error;
    }
    let detail = error.value(py).getattr("args").and_then(|args| args.get_item(0));
    let detail = detail.map(|detail| detail.to_string()).unwrap_or_default();
    ProtocolError::new_err(format!("{} version {version}: {detail}", schema.name))
}

/// Builds instances of the message classes.
struct Builder<'py> {
    py: Python<'py>,
    new: &'py Bound<'py, PyAny>,
}

impl<'py> Builder<'py> {
    fn new(py: Python<'py>) -> PyResult<Self> {
        static NEW: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        let new = NEW.get_or_try_init(py, || {
            let object = py.import("builtins")?.getattr("object")?;
            Ok::<_, PyErr>(object.getattr("__new__")?.unbind())
        })?;
        Ok(Self { py, new: new.bind(py) })
    }
}

impl<'py, 'a> Visitor<'a> for Builder<'py> {
    type Value = Bound<'py, PyAny>;
    type Struct = (Bound<'py, PyAny>, &'static Class);
    type Array = Bound<'py, PyList>;
    type Error = Failure;

    fn scalar(&mut self, scalar: Scalar<'a>) -> Result<Self::Value, Failure> {
        let py = self.py;
        Ok(match scalar {
            Scalar::Null => py.None().into_bound(py),
            Scalar::Bool(value) => pyo3::types::PyBool::new(py, value).to_owned().into_any(),
            Scalar::Int8(value) => PyInt::new(py, value).into_any(),
            Scalar::Int16(value) => PyInt::new(py, value).into_any(),
            Scalar::Uint16(value) => PyInt::new(py, value).into_any(),
            Scalar::Int32(value) => PyInt::new(py, value).into_any(),
            Scalar::Uint32(value) => PyInt::new(py, value).into_any(),
            Scalar::Int64(value) => PyInt::new(py, value).into_any(),
            Scalar::Float64(value) => pyo3::types::PyFloat::new(py, value).into_any(),
            Scalar::Uuid(value) => PyBytes::new(py, &value).into_any(),
            Scalar::Str(value) => PyString::new(py, value).into_any(),
            Scalar::Bytes(value) | Scalar::Records(value) => PyBytes::new(py, value).into_any(),
        })
    }

    fn begin_struct(&mut self, of: &'static Struct) -> Result<Self::Struct, Failure> {
        let class = class_of(self.py, of)?;
        let instance = self.new.call1((class.class.bind(self.py),))?;
        Ok((instance, class))
    }

    fn set(&mut self, of: &mut Self::Struct, index: usize, value: Self::Value) -> Result<(), Failure> {
        if let Some(name) = of.1.names.get(index) {
            of.0.setattr(name.bind(self.py), value)?;
        }
        Ok(())
    }

    fn end_struct(&mut self, of: Self::Struct, unknown: &[RawTaggedField<'a>]) -> Result<Self::Value, Failure> {
        let py = self.py;
        if unknown.is_empty() {
            of.0.setattr(unknown_name(py), py.None())?;
        } else {
            let fields = PyDict::new(py);
            for raw in unknown {
                fields.set_item(raw.tag, PyBytes::new(py, raw.data))?;
            }
            of.0.setattr(unknown_name(py), fields)?;
        }
        Ok(of.0)
    }

    fn begin_array(&mut self, _: usize) -> Result<Self::Array, Failure> {
        Ok(PyList::empty(self.py))
    }

    fn push(&mut self, array: &mut Self::Array, value: Self::Value) -> Result<(), Failure> {
        Ok(array.append(value)?)
    }

    fn end_array(&mut self, array: Self::Array) -> Result<Self::Value, Failure> {
        Ok(array.into_any())
    }
}

/// A Python object that stands in a message, and the field that it stands in.
struct Object<'py> {
    object: Bound<'py, PyAny>,
    field: &'static str,
}

impl Object<'_> {
    fn mismatch(&self, expected: &str) -> Failure {
        Failure(PyTypeError::new_err(format!(
            "{}: expected {expected}, not {}",
            self.field,
            self.object.get_type()
        )))
    }
}

impl Source for Object<'_> {
    type Error = Failure;

    fn is_null(&self) -> bool {
        self.object.is_none()
    }

    fn bool(&self) -> Result<bool, Failure> {
        Ok(self.object.is_truthy()?)
    }

    fn int(&self) -> Result<i64, Failure> {
        if let Ok(value) = self.object.extract() {
            return Ok(value);
        }
        if self.object.is_instance_of::<PyInt>() {
            return Err(ProtocolError::new_err(format!("{}: {} is out of range", self.field, self.object)).into());
        }
        Err(self.mismatch("int"))
    }

    fn float(&self) -> Result<f64, Failure> {
        self.object.extract().map_err(|_| self.mismatch("float"))
    }

    fn uuid(&self) -> Result<Uuid, Failure> {
        let bytes = self.bytes()?;
        bytes.as_ref().try_into().map_err(|_| self.mismatch("16 bytes"))
    }

    fn str(&self) -> Result<Cow<'_, str>, Failure> {
        let text = self.object.cast::<PyString>().map_err(|_| self.mismatch("str"))?;
        Ok(Cow::Borrowed(text.to_str()?))
    }

    fn bytes(&self) -> Result<Cow<'_, [u8]>, Failure> {
        if let Ok(bytes) = self.object.cast::<PyBytes>() {
            return Ok(Cow::Borrowed(bytes.as_bytes()));
        }
        if self.object.is_instance_of::<PyByteArray>() || self.object.is_instance_of::<PyMemoryView>() {
            return Ok(Cow::Owned(PyBuffer::<u8>::get(&self.object)?.to_vec(self.object.py())?));
        }
        Err(self.mismatch("bytes"))
    }

    fn count(&self) -> Result<usize, Failure> {
        if let Ok(list) = self.object.cast::<PyList>() {
            return Ok(list.len());
        }
        if let Ok(tuple) = self.object.cast::<PyTuple>() {
            return Ok(tuple.len());
        }
        Err(self.mismatch("list"))
    }

    fn element(&self, index: usize) -> Result<Self, Failure> {
        let object = match self.object.cast::<PyList>() {
            Ok(list) => list.get_item(index)?,
            Err(_) => self.object.get_item(index)?,
        };
        Ok(Self {
            object,
            field: self.field,
        })
    }

    fn field(&self, of: &'static Struct, index: usize) -> Result<Self, Failure> {
        let py = self.object.py();
        let name = class_of(py, of)?
            .names
            .get(index)
            .ok_or_else(|| self.mismatch(of.name))?;
        let object = self.object.getattr(name.bind(py)).map_err(|_| self.mismatch(of.name))?;
        let field = of.fields.get(index).map_or(of.name, |field| field.name);
        Ok(Self { object, field })
    }

    fn unknown_tagged_fields(&self) -> Result<UnknownFields<'_>, Failure> {
        let object = self
            .object
            .getattr(unknown_name(self.object.py()))
            .map_err(|_| self.mismatch("struct"))?;
        if object.is_none() {
            return Ok(Vec::new());
        }
        let fields = object.cast::<PyDict>().map_err(|_| self.mismatch("dict"))?;
        fields
            .iter()
            .map(|(tag, data)| Ok((tag.extract()?, Cow::Owned(data.extract()?))))
            .collect()
    }
}

fn with_bytes<T>(data: &Bound<'_, PyAny>, act: impl FnOnce(&[u8]) -> PyResult<T>) -> PyResult<T> {
    if let Ok(bytes) = data.cast::<PyBytes>() {
        return act(bytes.as_bytes());
    }
    act(&PyBuffer::<u8>::get(data)?.to_vec(data.py())?)
}

/// Decodes `data` as an instance of the message class `cls` at `version`.
///
/// Bytes behind the message are an error unless `trailing` allows them.
#[pyfunction]
#[pyo3(signature = (cls, version, data, trailing = false))]
fn decode_message<'py>(
    py: Python<'py>,
    cls: &Bound<'py, PyAny>,
    version: i16,
    data: &Bound<'py, PyAny>,
    trailing: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let schema = schema_of(py, cls)?;
    let mut builder = Builder::new(py)?;
    with_bytes(data, |bytes| {
        let decoded = if trailing {
            interpreter::decode_prefix(schema, version, bytes, &mut builder).map(|(message, _)| message)
        } else {
            interpreter::decode(schema, version, bytes, &mut builder)
        };
        decoded.map_err(|failure| with_context(py, failure, schema, version))
    })
}

/// Encodes `message` at `version`, with `prefix` before it.
#[pyfunction]
#[pyo3(signature = (message, version, prefix = None))]
fn encode_message<'py>(
    py: Python<'py>,
    message: &Bound<'py, PyAny>,
    version: i16,
    prefix: Option<&[u8]>,
) -> PyResult<Bound<'py, PyBytes>> {
    let schema = schema_of(py, message)?;
    let mut out = Vec::with_capacity(256);
    out.extend_from_slice(prefix.unwrap_or_default());
    let source = Object {
        object: message.clone(),
        field: schema.name,
    };
    interpreter::encode(schema, version, &source, &mut out)
        .map_err(|failure| with_context(py, failure, schema, version))?;
    Ok(PyBytes::new(py, &out))
}

/// The message as an owned tree, so that a thread without Python can encode it at a version chosen later.
pub(crate) fn to_value(py: Python<'_>, message: &Bound<'_, PyAny>) -> PyResult<(&'static Schema, Value)> {
    let schema = schema_of(py, message)?;
    let source = Object {
        object: message.clone(),
        field: schema.name,
    };
    let value = value::to_value(schema, &source).map_err(|failure| failure.0)?;
    Ok((schema, value))
}

/// Reads an unsigned variable-length integer at `position`; returns it and the position behind it.
#[pyfunction]
fn read_uvarint(data: &[u8], position: usize) -> PyResult<(u32, usize)> {
    let rest = data
        .get(position..)
        .ok_or_else(|| PyValueError::new_err("position is behind the end"))?;
    let mut reader = barnabas_wire::primitives::Reader::new(rest);
    let value = reader
        .uvarint()
        .map_err(|error| ProtocolError::new_err(error.to_string()))?;
    Ok((value, data.len() - reader.remaining()))
}

pub(crate) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_function(wrap_pyfunction!(decode_message, m)?)?;
    m.add_function(wrap_pyfunction!(encode_message, m)?)?;
    m.add_function(wrap_pyfunction!(read_uvarint, m)?)
}
