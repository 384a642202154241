//! `Scan`: an offset range of one partition as Arrow batches, for Spark's executors.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use arrow_array::Array;
use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_schema::SchemaRef;
use barnabas_client::ClientError;
use barnabas_client::config::{OptionValue, Options};
use barnabas_columnar::avro::Unresolved;
use barnabas_columnar::{ColumnarError, Limits, PayloadOptions, Projection};
use barnabas_scan::{ClientPool, Condition, ScanConfig, ScanError, Test, Waited};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::PyDict;
use pyo3_arrow::{PyArray, PyRecordBatch, PySchema};

use crate::columns::{ask, name_schemas, option_map};
use crate::door::wait_in_slices;
use crate::error::{raise, raise_code_at};

pub(crate) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_class::<ScanClient>()?;
    m.add_class::<Scan>()?;
    m.add_function(wrap_pyfunction!(check_conditions, m)?)?;
    m.add_function(wrap_pyfunction!(check_schema, m)?)
}

/// Finds out whether every column of an Arrow schema can be read.
///
/// Without `raw_columns` all are Kafka's own; otherwise those that it names, and the others come from the values, which
/// are of `format` and read with `options`. With `names_schemas` Avro's values name their schemas, which a resolver tells.
#[pyfunction]
#[pyo3(signature = (schema, raw_columns=None, *, format="json", options=None, names_schemas=false))]
#[expect(clippy::needless_pass_by_value, reason = "extracted from Python")]
fn check_schema(
    schema: PySchema,
    raw_columns: Option<Vec<String>>,
    format: &str,
    options: Option<&Bound<'_, PyDict>>,
    names_schemas: bool,
) -> PyResult<()> {
    projection(
        schema.into_inner(),
        raw_columns.as_deref(),
        false,
        format,
        options,
        names_schemas,
    )
    .map(|_| ())
}

fn projection(
    schema: SchemaRef,
    raw_columns: Option<&[String]>,
    fail_fast: bool,
    format: &str,
    options: Option<&Bound<'_, PyDict>>,
    names_schemas: bool,
) -> PyResult<Projection> {
    let made = match raw_columns {
        None => Projection::raw(schema),
        Some(raw_columns) => {
            let mut map = option_map(options)?;
            if fail_fast {
                map.insert("mode".to_owned(), "FAILFAST".to_owned());
            }
            PayloadOptions::parse(format, &map).and_then(|mut payload| {
                if names_schemas {
                    name_schemas(&mut payload);
                }
                Projection::typed_with(schema, raw_columns, payload)
            })
        }
    };
    made.map_err(|error| PyValueError::new_err(error.to_string()))
}

/// Conditions as the scan takes them.
fn checked(conditions: Vec<(String, String, PyArray)>, schema: &SchemaRef) -> PyResult<Vec<Condition>> {
    let check = |(column, test, values): (String, String, PyArray)| {
        let test = Test::parse(&test).ok_or_else(|| PyValueError::new_err(format!("unknown comparison {test:?}")))?;
        let (values, _) = values.into_inner();
        Condition::new(schema, &column, test, &values).map_err(|error| PyValueError::new_err(error.to_string()))
    };
    conditions.into_iter().map(check).collect()
}

/// The offsets of the records that are wanted.
fn chosen(offsets: PyArray) -> PyResult<Arc<[i64]>> {
    let (offsets, _) = offsets.into_inner();
    let refused = || PyValueError::new_err("offsets are 64-bit integers without nulls, in ascending order");
    let numbers = offsets.as_primitive_opt::<Int64Type>().ok_or_else(refused)?;
    if numbers.null_count() > 0 || !numbers.values().is_sorted() {
        return Err(refused());
    }
    Ok(Arc::from(&**numbers.values()))
}

/// Finds out whether conditions can be asked of the columns of a schema.
#[pyfunction]
fn check_conditions(schema: PySchema, conditions: Vec<(String, String, PyArray)>) -> PyResult<()> {
    checked(conditions, &schema.into_inner()).map(|_| ())
}

/// Connections to a cluster that scans share, one after the other.
#[pyclass(frozen, module = "barnabas._core")]
#[derive(Debug)]
pub(crate) struct ScanClient {
    pool: ClientPool,
}

#[pymethods]
impl ScanClient {
    /// From a consumer's options by Kafka's names; nothing is connected to yet.
    #[new]
    fn new(py: Python<'_>, config: &Bound<'_, PyDict>) -> PyResult<Self> {
        let mut options = Options::new();
        for (name, value) in config {
            options.set(name.extract::<String>()?, option_value(&value)?);
        }
        let pool = ClientPool::new(&options).map_err(|error| raise(py, "ConfigError", &error.to_string()))?;
        Ok(Self { pool })
    }
}

/// An option's value; a whole number is not a switch, though Python's `bool` is an `int`.
fn option_value(value: &Bound<'_, PyAny>) -> PyResult<OptionValue> {
    if let Ok(switch) = value.extract::<bool>() {
        return Ok(OptionValue::Bool(switch));
    }
    if let Ok(number) = value.extract::<i64>() {
        return Ok(OptionValue::Int(number));
    }
    if let Ok(number) = value.extract::<f64>() {
        return Ok(OptionValue::Float(number));
    }
    if let Ok(text) = value.extract::<String>() {
        return Ok(OptionValue::Str(text));
    }
    Ok(OptionValue::List(value.extract()?))
}

/// Iterator over the Arrow batches of the records with offsets from `start` to before `end`.
///
/// The batches have `__arrow_c_array__`: `pyarrow.record_batch(batch)` takes them without a copy. Fetching and decoding
/// run ahead on a thread that never waits for Python, but for the schemas that Avro's values name: `resolver` gives a
/// schema's text by its id, or None, and is called by `next()`. Dropping the scan ends it. `conditions` are of a column,
/// a comparison (`in`, `!=`, `<`, `<=`, `>`, `>=`, `is null`, `is not null`) and an array of what to compare with; rows
/// that do not meet all of them are left out. Of the records only those whose offsets are in the array `offsets`, if there is
/// one, are decoded.
#[pyclass(frozen, module = "barnabas._core")]
#[derive(Debug)]
pub(crate) struct Scan {
    scan: Mutex<barnabas_scan::Scan>,
    resolver: Option<Py<PyAny>>,
}

impl Scan {
    /// Finds out the schema that records name, on the thread that waits for them.
    fn resolve(&self, py: Python<'_>, id: u32) -> PyResult<()> {
        let found = match &self.resolver {
            Some(resolver) => ask(resolver.bind(py), id),
            None => Ok(Err(Unresolved::Failed("there is no resolver".to_owned()))),
        };
        let (told, raised) = match found {
            Ok(told) => (told, Ok(())),
            Err(error) => (Err(Unresolved::Failed(error.to_string())), Err(error)),
        };
        self.scan
            .lock_py_attached(py)
            .unwrap_or_else(std::sync::PoisonError::into_inner)
            .tell(told);
        raised
    }
}

#[pymethods]
impl Scan {
    #[new]
    #[pyo3(signature = (client, topic, partition, start, end, schema, *, raw_columns=None, fail_fast=false,
                        format="json", options=None, resolver=None, rows=None, conditions=Vec::new(),
                        offsets=None, idle_timeout_ms=120_000))]
    #[expect(
        clippy::too_many_arguments,
        clippy::needless_pass_by_value,
        reason = "keywords in Python, converted to owned values"
    )]
    fn new(
        py: Python<'_>,
        client: &ScanClient,
        topic: String,
        partition: i32,
        start: i64,
        end: i64,
        schema: PySchema,
        raw_columns: Option<Vec<String>>,
        fail_fast: bool,
        format: &str,
        options: Option<&Bound<'_, PyDict>>,
        resolver: Option<Py<PyAny>>,
        rows: Option<usize>,
        conditions: Vec<(String, String, PyArray)>,
        offsets: Option<PyArray>,
        idle_timeout_ms: u64,
    ) -> PyResult<Self> {
        let schema = schema.into_inner();
        let projection = projection(
            schema,
            raw_columns.as_deref(),
            fail_fast,
            format,
            options,
            resolver.is_some(),
        )?;
        let default = Limits::default();
        let limits = Limits {
            rows: rows.unwrap_or(default.rows),
            ..default
        };
        let config = ScanConfig {
            topic,
            partition,
            start,
            end,
            conditions: checked(conditions, projection.schema())?,
            projection,
            limits,
            chosen: offsets.map(chosen).transpose()?,
        };
        let scan = client.pool.scan(config, Duration::from_millis(idle_timeout_ms));
        Ok(Self {
            scan: Mutex::new(scan.map_err(|error| exception(py, &error))?),
            resolver,
        })
    }

    /// The schema of the batches.
    #[getter]
    fn schema(&self, py: Python<'_>) -> PySchema {
        let scan = self
            .scan
            .lock_py_attached(py)
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        PySchema::new(Arc::clone(scan.schema()))
    }

    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<PyRecordBatch>> {
        loop {
            let found = wait_in_slices(py, None, |slice| {
                self.scan
                    .lock()
                    .unwrap_or_else(std::sync::PoisonError::into_inner)
                    .next_within(slice)
            })?;
            match found {
                Some(Ok(Waited::Batch(batch))) => return Ok(Some(PyRecordBatch::new(batch))),
                Some(Ok(Waited::Schema(id))) => self.resolve(py, id)?,
                Some(Ok(Waited::End)) | None => return Ok(None),
                Some(Err(error)) => return Err(exception(py, &error)),
            }
        }
    }
}

/// The exception for a scan's error.
fn exception(py: Python<'_>, error: &ScanError) -> PyErr {
    let message = error.to_string();
    match error {
        ScanError::Fetch {
            topic,
            partition,
            source: ClientError::Broker { code, .. },
            ..
        } => raise_code_at(py, *code, &message, None, Some((topic, *partition))),
        ScanError::Fetch {
            source: ClientError::Timeout { .. },
            ..
        } => raise(py, "KafkaTimeoutError", &message),
        ScanError::Fetch {
            source: ClientError::Transport(_),
            ..
        } => raise(py, "ConnectionFailedError", &message),
        ScanError::Fetch {
            source: ClientError::Forked,
            ..
        } => raise(py, "ForkedClientError", &message),
        ScanError::Columnar(ColumnarError::Records { .. }) => raise(py, "CorruptMessageError", &message),
        ScanError::Columnar(_) => PyValueError::new_err(message),
        _ => raise(py, "KafkaError", &message),
    }
}
