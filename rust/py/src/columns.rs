//! Columns: records to Arrow tables, raw and typed, and Arrow tables to values and record batches.

use std::any::Any;
use std::collections::BTreeMap;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use arrow_array::{ArrayRef, RecordBatch, RecordBatchReader, StructArray};
use arrow_schema::{Field, Schema, SchemaRef};
use barnabas_columnar::avro::{self, AvroOptions, Registry, Unresolved};
use barnabas_columnar::encode::{BatchEncoder, BatchOptions, Input, SealedBatch};
use barnabas_columnar::{
    ColumnarError, Decoder, Dialect, JsonWriteOptions, Limits, PayloadFormat, PayloadOptions, Projection, RawColumn,
    RecordSlice, json,
};
use barnabas_records::{Compression, RecordsError};
use bytes::Bytes;
use pyo3::exceptions::{PyImportError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyDict, PyList, PyString, PyTuple};
use pyo3_arrow::input::AnyRecordBatch;
use pyo3_arrow::{PySchema, PyTable};

use crate::buffer::Exported;
use crate::records::{Records, RecordsIterator};

/// Bytes at which a batch is full unless the caller says otherwise.
const BATCH_SIZE_DEFAULT: usize = 1 << 20;
/// Fewest bytes that a batch may be limited to.
const BATCH_SIZE_MIN: usize = 1 << 10;
/// Most bytes that a batch may be limited to: its length is a positive 32-bit number.
const BATCH_SIZE_MAX: usize = 1 << 30;
/// Columns that `encode_json` and `encode_avro` may keep beside the value.
const KEPT_COLUMNS: [&str; 5] = ["key", "headers", "topic", "partition", "timestamp"];

pub(crate) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_class::<crate::record::Record>()?;
    m.add_class::<Records>()?;
    m.add_class::<RecordsIterator>()?;
    m.add_class::<EncodedBatch>()?;
    m.add_function(wrap_pyfunction!(batches, m)?)?;
    m.add_function(wrap_pyfunction!(encode_json, m)?)?;
    m.add_function(wrap_pyfunction!(encode_avro, m)?)?;
    m.add_function(wrap_pyfunction!(infer_schema, m)?)
}

/// The exception for an error of the columnar crate.
pub(crate) fn raised(py: Python<'_>, error: &ColumnarError) -> PyErr {
    let message = error.to_string();
    match error {
        ColumnarError::Records { .. } => crate::error::raise(py, "CorruptMessageError", &message),
        ColumnarError::NotBytes { .. } | ColumnarError::MistypedColumn { .. } => PyTypeError::new_err(message),
        _ => PyValueError::new_err(message),
    }
}

/// # Errors
/// `ImportError`: pyarrow is not installed.
pub(crate) fn need_pyarrow(py: Python<'_>) -> PyResult<()> {
    py.import("pyarrow").map(|_| ()).map_err(|_| {
        PyImportError::new_err(
            "to_arrow() needs pyarrow (pip install pyarrow); other Arrow libraries take the records themselves, \
             as in polars.DataFrame(records)",
        )
    })
}

/// What `to_arrow()` is asked for.
#[derive(Debug)]
pub(crate) struct Wanted<'a, 'py> {
    pub(crate) columns: Option<Vec<String>>,
    pub(crate) schema: Option<&'a Bound<'py, PyAny>>,
    pub(crate) format: &'a str,
    pub(crate) mode: &'a str,
    pub(crate) views: bool,
    pub(crate) dialect: &'a str,
    pub(crate) options: Option<&'a Bound<'py, PyDict>>,
    pub(crate) resolver: Option<&'a Bound<'py, PyAny>>,
}

impl Default for Wanted<'_, '_> {
    fn default() -> Self {
        Self {
            columns: None,
            schema: None,
            format: "json",
            mode: "PERMISSIVE",
            views: false,
            dialect: "client",
            options: None,
            resolver: None,
        }
    }
}

/// A mapping of option names to strings; numbers and booleans are written as Spark writes them.
pub(crate) fn option_map(options: Option<&Bound<'_, PyDict>>) -> PyResult<BTreeMap<String, String>> {
    let mut map = BTreeMap::new();
    for (name, value) in options.into_iter().flatten() {
        let text = match value.extract::<bool>() {
            Ok(switch) if value.is_exact_instance_of::<pyo3::types::PyBool>() => switch.to_string(),
            _ => value.str()?.to_string(),
        };
        map.insert(name.extract()?, text);
    }
    Ok(map)
}

impl Wanted<'_, '_> {
    fn dialect(&self) -> PyResult<Dialect> {
        match self.dialect {
            "client" => Ok(Dialect::Client),
            "spark" => Ok(Dialect::Spark),
            other => Err(PyValueError::new_err(format!(
                "dialect is \"client\" or \"spark\", not {other:?}"
            ))),
        }
    }

    fn raw_columns(&self, dialect: Dialect) -> PyResult<Vec<RawColumn>> {
        let Some(names) = &self.columns else {
            return Ok(if self.is_typed() {
                Vec::new()
            } else {
                RawColumn::ALL.to_vec()
            });
        };
        let column = |name: &String| {
            RawColumn::from_name(name, dialect).ok_or_else(|| {
                let known = RawColumn::ALL.map(|column| column.name(dialect)).join(", ");
                PyValueError::new_err(format!("{name:?} is not a Kafka column ({known})"))
            })
        };
        let columns: Vec<RawColumn> = names.iter().map(column).collect::<PyResult<_>>()?;
        for (index, column) in columns.iter().enumerate() {
            if columns.iter().take(index).any(|earlier| earlier == column) {
                return Err(PyValueError::new_err(format!(
                    "column {:?} appears twice",
                    column.name(dialect)
                )));
            }
        }
        Ok(columns)
    }

    fn is_typed(&self) -> bool {
        self.schema.is_some() || self.options.is_some() || self.resolver.is_some()
    }

    fn projection(&self, py: Python<'_>, records: &Records) -> PyResult<Projection> {
        let dialect = self.dialect()?;
        let raw = self.raw_columns(dialect)?;
        let raw_projection = Projection::of_columns(&raw, dialect, self.views);
        if !self.is_typed() {
            return Ok(raw_projection);
        }
        let mut map = option_map(self.options)?;
        map.entry("mode".to_owned()).or_insert_with(|| self.mode.to_owned());
        let mut payload = PayloadOptions::parse(self.format, &map).map_err(|error| raised(py, &error))?;
        if let Some(resolver) = self.resolver {
            name_schemas(&mut payload);
            tell_schemas(&payload, resolver, records)?;
        }
        let schema = match (self.schema, &payload.format) {
            (Some(schema), _) => schema.extract::<PySchema>()?.into_inner(),
            (None, PayloadFormat::Avro(options)) => derived(options).map_err(|error| raised(py, &error))?,
            (None, _) => {
                return Err(PyValueError::new_err(
                    "typed columns need schema=, anything with __arrow_c_schema__",
                ));
            }
        };
        let names: Vec<String> = raw.iter().map(|column| column.name(dialect).to_owned()).collect();
        let missing = (raw_projection.schema().fields().iter())
            .filter(|field| schema.field_with_name(field.name()).is_err())
            .cloned();
        let fields: Vec<_> = missing.chain(schema.fields().iter().cloned()).collect();
        let schema = Arc::new(Schema::new(fields));
        Projection::typed_in(schema, &names, payload, dialect).map_err(|error| raised(py, &error))
    }
}

fn derived(options: &AvroOptions) -> Result<SchemaRef, ColumnarError> {
    options.arrow_schema().map(Arc::new)
}

/// Has Avro's values name their schemas, which are told one by one.
pub(crate) fn name_schemas(payload: &mut PayloadOptions) {
    if let PayloadFormat::Avro(options) = &mut payload.format {
        options.writer = Some(avro::Writer::Registry(Arc::new(Registry::new())));
    }
}

/// What a resolver says about a schema.
pub(crate) fn ask(resolver: &Bound<'_, PyAny>, id: u32) -> PyResult<Result<String, Unresolved>> {
    let text = resolver.call1((id,))?.extract::<Option<String>>()?;
    Ok(text.ok_or_else(|| Unresolved::Unknown("the resolver has no schema with this id".to_owned())))
}

/// Asks for the schemas that these records name, one after the other.
fn tell_schemas(payload: &PayloadOptions, resolver: &Bound<'_, PyAny>, records: &Records) -> PyResult<()> {
    let Some(registry) = payload.registry() else {
        return Ok(());
    };
    for (slot, range) in records.parts() {
        let storage = slot.storage();
        let walk = storage.records(range).map_err(|error| slot.broken(&error))?;
        let missing = payload.missing_schemas(walk.map_while(Result::ok));
        drop(storage);
        for id in missing {
            let told = match ask(resolver, id)? {
                Ok(text) => registry.insert(id, &text),
                Err(unknown) => registry.insert_unknown(id, &unknown.to_string()),
            };
            told.map_err(|error| raised(resolver.py(), &error))?;
        }
    }
    Ok(())
}

/// The records as Arrow batches.
pub(crate) fn table(py: Python<'_>, records: &Records, wanted: &Wanted<'_, '_>) -> PyResult<PyTable> {
    let projection = wanted.projection(py, records)?;
    let schema = Arc::clone(projection.schema());
    let limits = Limits {
        rows: usize::MAX,
        ..Limits::default()
    };
    let mut decoder = Decoder::new(projection, limits);
    let batches = py
        .detach(|| decode(records, &mut decoder))
        .map_err(|error| raised(py, &error))?;
    PyTable::try_new(batches, schema)
}

/// Decodes parts of batches in one pass.
fn decode(records: &Records, decoder: &mut Decoder) -> Result<Vec<RecordBatch>, ColumnarError> {
    let mut batches = Vec::new();
    let bytes = records.parts().map(|(slot, _)| slot.storage().payload().len()).sum();
    decoder.expect(records.len(), bytes);
    for (slot, range) in records.parts() {
        let (header, payload, wanted) = {
            let storage = slot.storage();
            let header = *storage.header();
            let of_record = |source: RecordsError| ColumnarError::Records {
                topic: slot.topic.to_string(),
                partition: slot.partition,
                base_offset: header.base_offset,
                source,
            };
            let wanted = if usize::try_from(header.record_count) == Ok(range.len()) {
                i64::MIN..i64::MAX
            } else {
                let first = storage.record(range.start).map_err(of_record)?.offset;
                let last = storage.record(range.end.saturating_sub(1)).map_err(of_record)?.offset;
                first..last.saturating_add(1)
            };
            (header, storage.payload().clone(), wanted)
        };
        let slice = RecordSlice {
            topic: &slot.topic,
            partition: slot.partition,
            header: &header,
            payload: &payload,
            first_offset: wanted.start,
            end_offset: wanted.end,
            chosen: None,
        };
        decoder.push_shared(&slice, &payload, &mut batches)?;
    }
    batches.extend(decoder.finish()?);
    Ok(batches)
}

/// One sealed record batch: bytes-like (`bytes(batch)`, `memoryview(batch)`), as it goes into a Produce request or a log.
#[pyclass(frozen, module = "barnabas.columns")]
#[derive(Debug)]
pub(crate) struct EncodedBatch {
    batch: SealedBatch,
}

impl Exported for EncodedBatch {
    fn exported(&self) -> PyResult<Bytes> {
        Ok(self.batch.bytes.clone())
    }
}

#[pymethods]
impl EncodedBatch {
    /// The topic that the rows named, None if they named none.
    #[getter]
    fn topic(&self) -> Option<&str> {
        self.batch.topic.as_deref()
    }

    /// The partition that the rows named, None if they named none.
    #[getter]
    fn partition(&self) -> Option<i32> {
        self.batch.partition
    }

    /// How many records it has.
    #[getter]
    fn record_count(&self) -> i32 {
        self.batch.records
    }

    /// Its size in bytes.
    fn __len__(&self) -> usize {
        self.batch.bytes.len()
    }

    fn __repr__(&self) -> String {
        format!(
            "<EncodedBatch: {} records in {} bytes>",
            self.batch.records,
            self.batch.bytes.len()
        )
    }
}

/// Runs `import`, which touches arrays that came through the C data interface: what Arrow's own code answers to broken ones
/// with a panic becomes an error.
pub(crate) fn guarded<T>(import: impl FnOnce() -> PyResult<T>) -> PyResult<T> {
    std::panic::catch_unwind(AssertUnwindSafe(import)).unwrap_or_else(|panic| {
        Err(PyValueError::new_err(format!(
            "the Arrow data is broken: {}",
            reason(&*panic)
        )))
    })
}

fn reason(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("it has no consistent lengths")
}

/// The stream of anything with `__arrow_c_stream__` or `__arrow_c_array__`.
pub(crate) fn arrow_reader(data: &Bound<'_, PyAny>) -> PyResult<Box<dyn RecordBatchReader + Send>> {
    guarded(|| any_batches(data)?.into_reader())
}

fn any_batches(data: &Bound<'_, PyAny>) -> PyResult<AnyRecordBatch> {
    data.extract().map_err(|error: PyErr| {
        PyTypeError::new_err(format!(
            "not a table: needs __arrow_c_stream__ or __arrow_c_array__, as tables of pyarrow, polars, duckdb and \
             pandas have ({error})"
        ))
    })
}

/// The batches of anything with `__arrow_c_stream__` or `__arrow_c_array__`.
fn arrow_batches(data: &Bound<'_, PyAny>) -> PyResult<(Vec<RecordBatch>, SchemaRef)> {
    guarded(|| Ok(any_batches(data)?.into_table().map_err(PyErr::from)?.into_inner()))
}

fn batch_options(
    compression: &str,
    level: Option<i32>,
    batch_size: usize,
    timestamp: Option<i64>,
) -> PyResult<BatchOptions> {
    let compression = Compression::from_name(compression)
        .ok_or_else(|| PyValueError::new_err("compression is none, gzip, snappy, lz4 or zstd"))?;
    if !(BATCH_SIZE_MIN..=BATCH_SIZE_MAX).contains(&batch_size) {
        return Err(PyValueError::new_err(format!(
            "batch_size is from {BATCH_SIZE_MIN} to {BATCH_SIZE_MAX}"
        )));
    }
    let now = || {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        i64::try_from(now.as_millis()).unwrap_or(i64::MAX)
    };
    Ok(BatchOptions {
        batch_size,
        compression,
        level,
        timestamp: timestamp.unwrap_or_else(now),
    })
}

/// Record batches from a table or a list of values.
///
/// `data` is a list or tuple of `bytes` (None is a null value), or a table, anything with `__arrow_c_stream__` or
/// `__arrow_c_array__`: its columns are `value` and as many of `key`, `headers`, `topic`, `partition` and `timestamp` as
/// it has. Rows of one topic and partition go to batches of their own, in order. Values are copied once.
#[pyfunction]
#[pyo3(signature = (data, *, compression="none", level=None, batch_size=BATCH_SIZE_DEFAULT, timestamp=None))]
fn batches(
    py: Python<'_>,
    data: &Bound<'_, PyAny>,
    compression: &str,
    level: Option<i32>,
    batch_size: usize,
    timestamp: Option<i64>,
) -> PyResult<Vec<EncodedBatch>> {
    let options = batch_options(compression, level, batch_size, timestamp)?;
    let sealed = if let Ok(list) = data.cast::<PyList>() {
        of_values(py, options, list.iter())?
    } else if let Ok(tuple) = data.cast::<PyTuple>() {
        of_values(py, options, tuple.iter())?
    } else {
        let (batches, _) = arrow_batches(data)?;
        let encode = move || {
            let mut encoder = BatchEncoder::new(options);
            for batch in &batches {
                encoder.push(&Input::new(batch)?)?;
            }
            encoder.finish()
        };
        py.detach(|| guarded(|| Ok(encode())))?
            .map_err(|error| raised(py, &error))?
    };
    Ok(sealed.into_iter().map(|batch| EncodedBatch { batch }).collect())
}

/// Batches of plain values. Runs attached: the values are Python's.
fn of_values<'py>(
    py: Python<'py>,
    options: BatchOptions,
    values: impl Iterator<Item = Bound<'py, PyAny>>,
) -> PyResult<Vec<SealedBatch>> {
    let mut encoder = BatchEncoder::new(options);
    for (index, value) in values.enumerate() {
        let pushed = if let Ok(bytes) = value.cast_exact::<PyBytes>() {
            encoder.push_value(Some(bytes.as_bytes()))
        } else if value.is_none() {
            encoder.push_value(None)
        } else if let Ok(bytes) = value.cast::<PyBytes>() {
            encoder.push_value(Some(bytes.as_bytes()))
        } else {
            let name = value.get_type().name()?;
            return Err(PyTypeError::new_err(format!(
                "value {index} is bytes or None, not {name}"
            )));
        };
        pushed.map_err(|error| raised(py, &error))?;
    }
    py.detach(|| encoder.finish()).map_err(|error| raised(py, &error))
}

/// Splits a table into the columns that are kept and those that become the value.
fn split(batch: &RecordBatch, keep: &[String]) -> PyResult<(Vec<(Field, ArrayRef)>, RecordBatch)> {
    let mut kept = Vec::new();
    let mut rest = Vec::new();
    for (index, field) in batch.schema_ref().fields().iter().enumerate() {
        if let (true, Some(array)) = (keep.contains(field.name()), batch.columns().get(index)) {
            kept.push((field.as_ref().clone(), Arc::clone(array)));
        } else {
            rest.push(index);
        }
    }
    let rest = batch
        .project(&rest)
        .map_err(|error| PyValueError::new_err(error.to_string()))?;
    Ok((kept, rest))
}

/// A table of `value`, made by `encode` from the columns that `keep` does not name, and of those that it names.
fn encoded(
    py: Python<'_>,
    data: &Bound<'_, PyAny>,
    keep: &[String],
    prepare: impl FnOnce(&Schema) -> Result<Encode, ColumnarError>,
) -> PyResult<PyTable> {
    let (batches, schema) = arrow_batches(data)?;
    for name in keep {
        if !KEPT_COLUMNS.contains(&name.as_str()) {
            let known = KEPT_COLUMNS.join(", ");
            return Err(PyValueError::new_err(format!(
                "{name:?} has no place beside the value ({known})"
            )));
        }
        if schema.field_with_name(name).is_err() {
            return Err(PyValueError::new_err(format!(
                "the table has no column {name:?} to keep"
            )));
        }
    }
    let empty = RecordBatch::new_empty(schema);
    let (kept, rest) = split(&empty, keep)?;
    let mut fields = vec![Field::new("value", arrow_schema::DataType::Binary, true)];
    fields.extend(kept.into_iter().map(|(field, _)| field));
    let result_schema = Arc::new(Schema::new(fields));
    let encode = prepare(rest.schema_ref()).map_err(|error| raised(py, &error))?;
    let mut results = Vec::with_capacity(batches.len());
    for batch in &batches {
        let (kept, rest) = split(batch, keep)?;
        let value = py
            .detach(|| guarded(|| Ok(encode(&rest))))?
            .map_err(|error| raised(py, &error))?;
        let mut arrays = vec![value];
        arrays.extend(kept.into_iter().map(|(_, array)| array));
        let result = RecordBatch::try_new(Arc::clone(&result_schema), arrays);
        results.push(result.map_err(|error| PyValueError::new_err(error.to_string()))?);
    }
    PyTable::try_new(results, result_schema)
}

/// Makes the value column of one batch.
type Encode = Box<dyn Fn(&RecordBatch) -> Result<ArrayRef, ColumnarError> + Send + Sync>;

/// A table whose `value` column is the rows as JSON objects, by the rules and options of Spark's `to_json`.
///
/// Columns that `keep` names stay as they are.
#[pyfunction]
#[pyo3(signature = (table, *, keep=Vec::new(), options=None))]
#[expect(clippy::needless_pass_by_value, reason = "extracted from Python")]
fn encode_json(
    py: Python<'_>,
    table: &Bound<'_, PyAny>,
    keep: Vec<String>,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<PyTable> {
    let options = option_map(options)?;
    encoded(py, table, &keep, move |_| {
        let options = JsonWriteOptions::parse(&options)?;
        Ok(Box::new(move |batch: &RecordBatch| {
            let rows = StructArray::from(batch.clone());
            Ok(Arc::new(json::encode(&rows, &options)?) as ArrayRef)
        }))
    })
}

/// The schema that JSON values have, by the rules of Spark's `spark.read.json`; None is passed over.
///
/// A `ValueError` that is about a value of `mode` FAILFAST has its index as its second argument.
#[pyfunction]
#[pyo3(signature = (values, *, options=None))]
#[expect(clippy::needless_pass_by_value, reason = "extracted from Python")]
fn infer_schema(
    py: Python<'_>,
    values: Vec<Option<PyBackedBytes>>,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<PySchema> {
    let options = PayloadOptions::parse("json", &option_map(options)?).map_err(|error| raised(py, &error))?;
    let values = values.iter().map(|value| value.as_deref());
    match json::infer(values, &options) {
        Ok(schema) => Ok(PySchema::new(Arc::new(schema))),
        Err(error @ ColumnarError::NotInferred { index, .. }) => Err(PyValueError::new_err((error.to_string(), index))),
        Err(error) => Err(raised(py, &error)),
    }
}

/// A table whose `value` column is the rows in Avro's binary encoding.
///
/// `schema` is the Avro schema's text; without it, it follows from the columns as in Spark's `to_avro`. With `schema_id` each
/// value begins with the five bytes that name the schema in a registry. Columns that `keep` names stay as they are.
#[pyfunction]
#[pyo3(signature = (table, schema=None, *, schema_id=None, keep=Vec::new()))]
#[expect(clippy::needless_pass_by_value, reason = "extracted from Python")]
fn encode_avro(
    py: Python<'_>,
    table: &Bound<'_, PyAny>,
    schema: Option<&Bound<'_, PyString>>,
    schema_id: Option<u32>,
    keep: Vec<String>,
) -> PyResult<PyTable> {
    let text = schema.map(|schema| schema.extract::<String>()).transpose()?;
    encoded(py, table, &keep, move |columns| {
        let encoder = match text {
            Some(text) => avro::Encoder::new(avro::Schema::parse(&text)?),
            None => avro::Encoder::for_columns(columns)?,
        };
        let encoder = match schema_id {
            Some(id) => encoder.with_id(id),
            None => encoder,
        };
        Ok(Box::new(move |batch: &RecordBatch| {
            Ok(Arc::new(encoder.encode(batch)?) as ArrayRef)
        }))
    })
}
