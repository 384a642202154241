//! Python arguments taken apart: options, messages, bytes; and errors the other way.

use std::borrow::Cow;
use std::cell::OnceCell;
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

use super::record_arguments::no_headers;
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

/// Bytes of a caller, or None: where they lie if they are `bytes`, copied once from any other buffer.
#[inline]
pub(super) fn cell<'a>(what: &'static str, object: Borrowed<'a, '_, PyAny>) -> PyResult<Option<Cow<'a, [u8]>>> {
    if object.is_none() {
        return Ok(None);
    }
    match object.extract::<&'a [u8]>() {
        Ok(bytes) => Ok(Some(Cow::Borrowed(bytes))),
        Err(_) => copied(what, &object).map(|bytes| Some(Cow::Owned(bytes))),
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

/// What is kept of a header that is not a tuple of a `str` and `bytes` or None.
type Parts<'py> = (Bound<'py, PyString>, Option<Vec<u8>>);

/// A header, kept alive.
struct Held<'py> {
    pair: Bound<'py, PyAny>,
    parts: OnceCell<Parts<'py>>,
}

impl<'py> Held<'py> {
    fn new(pair: Bound<'py, PyAny>) -> Self {
        let parts = OnceCell::new();
        Self { pair, parts }
    }

    /// As it is written. Nearly always it is a tuple of exactly the right types, whose parts need no references of their own.
    #[inline]
    fn as_pair(&self) -> PyResult<Pair<'_>> {
        if let Ok(tuple) = self.pair.cast_exact::<PyTuple>()
            && tuple.len() == 2
            && let Ok(name) = tuple.get_borrowed_item(0)?.extract::<&str>()
        {
            let value = tuple.get_borrowed_item(1)?;
            if value.is_none() {
                return Ok((name.as_bytes(), None));
            }
            if let Ok(value) = value.extract::<&[u8]>() {
                return Ok((name.as_bytes(), Some(value)));
            }
        }
        self.as_other_pair()
    }

    /// Whatever else is a pair is found out, or refused, by `extract`.
    #[cold]
    fn as_other_pair(&self) -> PyResult<Pair<'_>> {
        let (name, value) = if let Some(parts) = self.parts.get() {
            parts
        } else {
            let (name, value): (Bound<'py, PyString>, Bound<'py, PyAny>) =
                self.pair.extract().map_err(|_| no_headers(&self.pair))?;
            let value = cell("header value", value.as_borrowed())?.map(Cow::into_owned);
            self.parts.get_or_init(|| (name, value))
        };
        Ok((name.to_str()?.as_bytes(), value.as_deref()))
    }
}

/// Headers: pairs of a name and bytes or None. The first ones, mostly all, lie in place.
#[derive(Default)]
pub(super) struct HeadersArgument<'py> {
    first: [Option<Held<'py>>; HEADERS_INLINE],
    rest: Vec<Held<'py>>,
}

impl<'py> HeadersArgument<'py> {
    pub(super) fn new(headers: Option<&Bound<'py, PyAny>>) -> PyResult<Self> {
        let mut found = Self::default();
        found.hold(headers)?;
        Ok(found)
    }

    /// As [`new`](Self::new), in place: it is much to move for one record.
    #[inline]
    pub(super) fn hold(&mut self, headers: Option<&Bound<'py, PyAny>>) -> PyResult<()> {
        let Some(headers) = headers.filter(|headers| !headers.is_none()) else {
            return Ok(());
        };
        // Nearly always a list, which needs no iterator.
        if let Ok(list) = headers.cast_exact::<PyList>() {
            for at in 0..list.len() {
                self.put(at, Held::new(list.get_item(at)?));
            }
        } else {
            let is_other = headers.is_instance_of::<PyDict>()
                || headers.is_instance_of::<PyString>()
                || headers.is_instance_of::<PyBytes>();
            let pairs = headers.try_iter().ok().filter(|_| !is_other);
            for (at, pair) in pairs.ok_or_else(|| no_headers(headers))?.enumerate() {
                self.put(at, Held::new(pair?));
            }
        }
        Ok(())
    }

    #[inline]
    fn put(&mut self, at: usize, held: Held<'py>) {
        match self.first.get_mut(at) {
            Some(place) => *place = Some(held),
            None => self.rest.push(held),
        }
    }

    /// As records are written.
    pub(super) fn as_pairs(&self) -> PyResult<Pairs<'_>> {
        let mut pairs = Pairs::default();
        self.put_pairs(&mut pairs)?;
        Ok(pairs)
    }

    /// As [`as_pairs`](Self::as_pairs), in place of none.
    #[inline]
    pub(super) fn put_pairs<'a>(&'a self, pairs: &mut Pairs<'a>) -> PyResult<()> {
        for (place, held) in pairs.first.iter_mut().zip(self.first.iter().flatten()) {
            *place = held.as_pair()?;
            pairs.count += 1;
        }
        if !self.rest.is_empty() {
            let all = self.first.iter().flatten().chain(&self.rest);
            pairs.all = all.map(Held::as_pair).collect::<PyResult<_>>()?;
        }
        Ok(())
    }
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
