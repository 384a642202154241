//! Python arguments taken apart: options, messages, bytes; and errors the other way.

use std::sync::Arc;
use std::time::Duration;

use barnabas_client::config::{OptionValue, Options};
use barnabas_client::{ClientError, Message, Target, Variant};
use barnabas_wire::table::Schema;
use barnabas_wire::{Value, value};
use pyo3::buffer::PyBuffer;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};

use crate::error::{raise, raise_code};
use crate::protocol::to_value;

/// Longest wait that a caller can ask for.
const FOREVER: Duration = Duration::from_secs(100 * 365 * 24 * 3600);

/// Options by dotted names. Values of other types than options have are left out: they are for the Python side.
pub(super) fn options(dict: &Bound<'_, PyDict>) -> PyResult<Options> {
    let mut options = Options::new();
    for (name, value) in dict {
        let name: String = name.extract()?;
        if let Some(value) = option_value(&value)? {
            options.set(name, value);
        }
    }
    Ok(options)
}

fn option_value(value: &Bound<'_, PyAny>) -> PyResult<Option<OptionValue>> {
    Ok(if let Ok(value) = value.cast::<PyBool>() {
        Some(OptionValue::Bool(value.is_true()))
    } else if value.is_instance_of::<PyInt>() {
        Some(OptionValue::Int(value.extract()?))
    } else if value.is_instance_of::<PyFloat>() {
        Some(OptionValue::Float(value.extract()?))
    } else if value.is_instance_of::<PyString>() {
        Some(OptionValue::Str(value.extract()?))
    } else if value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>() {
        value.extract().ok().map(OptionValue::List)
    } else {
        None
    })
}

/// Seconds as a duration: negative is none at all, infinite is very long.
pub(super) fn seconds(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds.max(0.0))
        .unwrap_or(FOREVER)
        .min(FOREVER)
}

/// Milliseconds as a duration.
pub(super) fn milliseconds(milliseconds: f64) -> Duration {
    seconds(milliseconds / 1000.0)
}

/// Whom a submission is for: a tuple that begins with its kind.
pub(super) fn target(target: &Bound<'_, PyTuple>) -> PyResult<Target> {
    let kind: String = target.get_item(0)?.extract()?;
    Ok(match (kind.as_str(), target.len()) {
        ("any", 1) => Target::Any,
        ("controller", 1) => Target::Controller,
        ("node", 2) => Target::Node(target.get_item(1)?.extract()?),
        ("coordinator", 3) => Target::Coordinator {
            key_type: target.get_item(1)?.extract()?,
            key: target.get_item(2)?.extract()?,
        },
        ("leader", 3) => {
            let topic: String = target.get_item(1)?.extract()?;
            Target::Leader {
                topic: topic.into(),
                partition: target.get_item(2)?.extract()?,
            }
        }
        _ => return Err(PyValueError::new_err(format!("no such target: {target}"))),
    })
}

/// A message of `barnabas.protocol`, as a tree that needs no interpreter.
#[derive(Debug)]
struct TreeMessage {
    schema: &'static Schema,
    value: Value,
}

impl Message for TreeMessage {
    fn encode(&self, version: i16) -> Result<Vec<u8>, String> {
        let mut body = Vec::new();
        value::encode_value(self.schema, version, &self.value, &mut body)
            .map_err(|error| format!("{} version {version}: {error}", self.schema.name))?;
        Ok(body)
    }
}

/// Messages with the versions at which they have their shape: a list of `(min, max, message)`.
pub(super) fn variants(py: Python<'_>, variants: &Bound<'_, PyList>) -> PyResult<Vec<Variant>> {
    let variant = |item: Bound<'_, PyAny>| {
        let (min, max, message): (i16, i16, Bound<'_, PyAny>) = item.extract()?;
        let (schema, value) = to_value(py, &message)?;
        Ok(Variant {
            min,
            max,
            message: Arc::new(TreeMessage { schema, value }),
        })
    };
    variants.iter().map(variant).collect()
}

/// Bytes of a caller: borrowed from `bytes`, copied once from any other buffer.
pub(super) enum BytesArgument<'py> {
    Borrowed(Bound<'py, PyBytes>),
    Copied(Vec<u8>),
}

impl<'py> BytesArgument<'py> {
    /// `None` for None.
    #[inline]
    pub(super) fn new(what: &'static str, object: &Bound<'py, PyAny>) -> PyResult<Option<Self>> {
        if let Ok(bytes) = object.cast::<PyBytes>() {
            return Ok(Some(Self::Borrowed(bytes.clone())));
        }
        Self::other(what, object)
    }

    #[cold]
    fn other(what: &'static str, object: &Bound<'py, PyAny>) -> PyResult<Option<Self>> {
        if object.is_none() {
            return Ok(None);
        }
        copied(what, object).map(|bytes| Some(Self::Copied(bytes)))
    }

    #[inline]
    pub(super) fn as_bytes(&self) -> &[u8] {
        match self {
            Self::Borrowed(bytes) => bytes.as_bytes(),
            Self::Copied(bytes) => bytes,
        }
    }
}

/// A copy of a buffer that is not `bytes`.
#[cold]
pub(super) fn copied(what: &'static str, object: &Bound<'_, PyAny>) -> PyResult<Vec<u8>> {
    let wrong = || {
        let kind = object
            .get_type()
            .name()
            .map_or_else(|_| "another type".to_owned(), |name| name.to_string());
        let fix = match (what, kind.as_str()) {
            ("value" | "key", "str") => format!(", or pass {what}_serializer=str.encode"),
            ("value" | "key", _) => format!(", or pass {what}_serializer=..."),
            _ => String::new(),
        };
        PyTypeError::new_err(format!("a {what} must be bytes or None, got {kind}: encode it{fix}"))
    };
    if object.is_instance_of::<PyString>() {
        return Err(wrong());
    }
    let buffer = PyBuffer::<u8>::get(object).map_err(|_| wrong())?;
    buffer.to_vec(object.py())
}

/// A header as records are written.
pub(super) type Pair<'a> = (&'a [u8], Option<&'a [u8]>);

/// Headers of a record that need no allocation.
const HEADERS_INLINE: usize = 2;

/// A header's name and value, kept alive.
type Held<'py> = (Bound<'py, PyString>, Option<BytesArgument<'py>>);

/// Headers: pairs of a name and bytes or None. The first ones, mostly all, lie in place.
#[derive(Default)]
pub(super) struct HeadersArgument<'py> {
    first: [Option<Held<'py>>; HEADERS_INLINE],
    rest: Vec<Held<'py>>,
}

impl<'py> HeadersArgument<'py> {
    pub(super) fn new(headers: Option<&Bound<'py, PyAny>>) -> PyResult<Self> {
        let mut found = Self::default();
        let Some(headers) = headers.filter(|headers| !headers.is_none()) else {
            return Ok(found);
        };
        // Nearly always a list, which needs no iterator.
        if let Ok(list) = headers.cast_exact::<PyList>() {
            for (at, pair) in list.iter().enumerate() {
                found.put(at, Self::pair(&pair)?);
            }
        } else {
            for (at, pair) in headers.try_iter()?.enumerate() {
                found.put(at, Self::pair(&pair?)?);
            }
        }
        Ok(found)
    }

    #[inline]
    fn put(&mut self, at: usize, held: Held<'py>) {
        match self.first.get_mut(at) {
            Some(place) => *place = Some(held),
            None => self.rest.push(held),
        }
    }

    #[inline]
    fn pair(pair: &Bound<'py, PyAny>) -> PyResult<Held<'py>> {
        // Nearly always a tuple of exactly these types; whatever else is one is found out, or refused, by `extract`.
        if let Ok(tuple) = pair.cast_exact::<PyTuple>()
            && tuple.len() == 2
            && let Ok(name) = tuple.get_borrowed_item(0)?.cast_exact::<PyString>()
        {
            let value = tuple.get_borrowed_item(1)?;
            return Ok((name.to_owned(), BytesArgument::new("header value", &value)?));
        }
        let (name, value): (Bound<'py, PyString>, Bound<'py, PyAny>) = pair.extract()?;
        Ok((name, BytesArgument::new("header value", &value)?))
    }

    /// As records are written.
    #[inline]
    pub(super) fn as_pairs(&self) -> PyResult<Pairs<'_>> {
        let mut pairs = Pairs::default();
        for (place, held) in pairs.first.iter_mut().zip(self.first.iter().flatten()) {
            *place = as_pair(held)?;
            pairs.count += 1;
        }
        if !self.rest.is_empty() {
            let all = self.first.iter().flatten().chain(&self.rest);
            pairs.all = all.map(as_pair).collect::<PyResult<_>>()?;
        }
        Ok(pairs)
    }
}

#[inline]
fn as_pair<'a>((name, value): &'a Held<'_>) -> PyResult<Pair<'a>> {
    Ok((name.to_str()?.as_bytes(), value.as_ref().map(BytesArgument::as_bytes)))
}

/// Headers of one record, borrowed.
#[derive(Default)]
pub(super) struct Pairs<'a> {
    first: [Pair<'a>; HEADERS_INLINE],
    count: usize,
    /// All of them, if they are more.
    all: Vec<Pair<'a>>,
}

impl<'a> Pairs<'a> {
    #[inline]
    pub(super) fn as_slice(&self) -> &[Pair<'a>] {
        if self.all.is_empty() {
            self.first.get(..self.count).unwrap_or_default()
        } else {
            &self.all
        }
    }
}

/// The exception for an error of the client.
pub(super) fn raised(py: Python<'_>, error: &ClientError) -> PyErr {
    let message = error.to_string();
    let class = match error {
        ClientError::InvalidOption { .. } => "ConfigError",
        ClientError::Closed | ClientError::IllegalState(_) => "IllegalStateError",
        ClientError::Forked => "ForkedClientError",
        ClientError::Timeout { .. } => "KafkaTimeoutError",
        ClientError::BufferExhausted { .. } => "BufferExhaustedError",
        ClientError::RecordTooLarge { .. } => "RecordTooLargeError",
        ClientError::NoSuchPartition { .. } => return PyValueError::new_err(message),
        ClientError::Broker { code, .. } => return raise_code(py, *code, &message),
        ClientError::Transport(_) => "ConnectionFailedError",
        ClientError::Protocol(_) => "ProtocolError",
        _ => "KafkaError",
    };
    raise(py, class, &message)
}
