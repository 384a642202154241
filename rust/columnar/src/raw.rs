//! Builders of the columns that Kafka gives each record.

use std::sync::Arc;

use arrow_array::{
    ArrayRef, Int8Array, Int32Array, Int64Array, ListArray, StringArray, StructArray, TimestampMicrosecondArray,
    TimestampMillisecondArray,
};
use arrow_buffer::{NullBufferBuilder, OffsetBuffer, ScalarBuffer};
use arrow_schema::{DataType, Field, FieldRef};
use barnabas_records::{HeadersRef, RecordRef};
use bytes::Bytes;

use crate::builder::{BytesBuilder, ListEnds};
use crate::decoder::RecordSlice;
use crate::projection::Origin;
use crate::views::ViewsBuilder;
use crate::{ColumnarError, Dialect, Projection, RawColumn, Result, pool};

/// Kafka's "no timestamp".
const NO_TIMESTAMP: i64 = -1;

/// A run of rows that share topic, partition and timestamp type.
#[derive(Debug)]
struct Run {
    topic: Arc<str>,
    partition: i32,
    timestamp_type: i8,
    rows: usize,
}

/// The raw columns of one projection, those that it does not name left out.
#[derive(Debug)]
pub(crate) struct RawColumns {
    dialect: Dialect,
    key: Option<Cells>,
    value: Option<Cells>,
    offset: Option<Vec<i64>>,
    timestamp: Option<Timestamps>,
    headers: Option<Headers>,
    runs: Vec<Run>,
}

impl RawColumns {
    pub(crate) fn new(projection: &Projection) -> Self {
        let wants = |column| projection.origins().contains(&Origin::Raw(column));
        let dialect = projection.dialect();
        Self {
            dialect,
            key: wants(RawColumn::Key).then(|| Cells::new(projection, RawColumn::Key)),
            value: wants(RawColumn::Value).then(|| Cells::new(projection, RawColumn::Value)),
            offset: wants(RawColumn::Offset).then(Vec::new),
            timestamp: wants(RawColumn::Timestamp).then(|| Timestamps::new(dialect)),
            headers: wants(RawColumn::Headers).then(|| Headers::new(projection)),
            runs: Vec::new(),
        }
    }

    /// Makes room before the first row of a batch.
    pub(crate) fn reserve(&mut self, rows: usize, bytes: usize) {
        if let Some(value) = &mut self.value {
            value.reserve(rows, bytes);
        }
        if let Some(key) = &mut self.key {
            // How much of the bytes are keys is not known; the batch before has shown it.
            key.reserve(rows, 0);
        }
        for numbers in (self.offset.iter_mut()).chain(self.timestamp.iter_mut().map(|timestamp| &mut timestamp.values))
        {
            if numbers.is_empty() && numbers.capacity() < rows {
                pool::give(std::mem::replace(numbers, pool::take(rows)));
            }
        }
    }

    /// What follows lies in `bytes`, or has to be copied.
    pub(crate) fn begin(&mut self, bytes: Option<&Bytes>) {
        for cells in self.key.iter_mut().chain(&mut self.value) {
            if let Cells::Views(views) = cells {
                views.begin(bytes);
            }
        }
    }

    /// Counts `rows` more rows of this slice for the columns that are the same in all of them.
    pub(crate) fn push_run(&mut self, slice: &RecordSlice<'_>, rows: usize) {
        if rows == 0 {
            return;
        }
        let timestamp_type = slice.header.timestamp_type();
        if let Some(last) = self.runs.last_mut()
            && *last.topic == *slice.topic
            && last.partition == slice.partition
            && last.timestamp_type == timestamp_type
        {
            last.rows = last.rows.saturating_add(rows);
            return;
        }
        self.runs.push(Run {
            topic: slice.topic.into(),
            partition: slice.partition,
            timestamp_type,
            rows,
        });
    }

    /// Appends one record to the columns that differ per record.
    pub(crate) fn push(&mut self, record: &RecordRef<'_>) -> Result<()> {
        if let Some(key) = &mut self.key {
            key.push(record.key)?;
        }
        if let Some(value) = &mut self.value {
            value.push(record.value)?;
        }
        if let Some(offset) = &mut self.offset {
            offset.push(record.offset);
        }
        if let Some(timestamp) = &mut self.timestamp {
            timestamp.push(record.timestamp);
        }
        if let Some(headers) = &mut self.headers {
            headers.push(&record.headers)?;
        }
        Ok(())
    }

    /// The finished array of one column.
    pub(crate) fn finish(&mut self, column: RawColumn) -> Result<Option<ArrayRef>> {
        Ok(match column {
            RawColumn::Topic => Some(self.topics()?),
            RawColumn::Partition => Some(Arc::new(Int32Array::new(
                pool::lend_scalars(self.repeat(pool::take, |run| run.partition)),
                None,
            ))),
            RawColumn::TimestampType => Some(match self.dialect {
                Dialect::Spark => Arc::new(Int32Array::new(
                    pool::lend_scalars(self.repeat(pool::take, |run| i32::from(run.timestamp_type))),
                    None,
                )),
                Dialect::Client => Arc::new(Int8Array::from(
                    self.repeat(Vec::with_capacity, |run| run.timestamp_type),
                )),
            }),
            RawColumn::Offset => self
                .offset
                .as_mut()
                .map(|offsets| Arc::new(Int64Array::new(lent(offsets), None)) as ArrayRef),
            RawColumn::Timestamp => self.timestamp.as_mut().map(Timestamps::finish).transpose()?,
            RawColumn::Key => self.key.as_mut().map(Cells::finish).transpose()?,
            RawColumn::Value => self.value.as_mut().map(Cells::finish).transpose()?,
            RawColumn::Headers => self.headers.as_mut().map(Headers::finish).transpose()?,
        })
    }

    /// Forgets the runs: the batch is finished.
    pub(crate) fn clear_runs(&mut self) {
        self.runs.clear();
    }

    fn repeat<T: Copy>(&self, room: impl Fn(usize) -> Vec<T>, value: impl Fn(&Run) -> T) -> Vec<T> {
        let mut out = room(self.rows());
        for run in &self.runs {
            out.extend(std::iter::repeat_n(value(run), run.rows));
        }
        out
    }

    fn rows(&self) -> usize {
        self.runs.iter().map(|run| run.rows).sum()
    }

    fn topics(&self) -> Result<ArrayRef> {
        let bytes: usize = (self.runs.iter())
            .map(|run| run.topic.len().saturating_mul(run.rows))
            .sum();
        let mut names: Vec<u8> = pool::take(bytes);
        let mut ends: Vec<i32> = pool::take(self.rows().saturating_add(1));
        ends.push(0);
        for run in &self.runs {
            let name = run.topic.as_bytes();
            let mut end = i32::try_from(names.len()).unwrap_or(i32::MAX);
            let step = i32::try_from(name.len()).unwrap_or(i32::MAX);
            for _ in 0..run.rows {
                names.extend_from_slice(name);
                end = end.checked_add(step).ok_or(ColumnarError::ColumnTooLarge)?;
                ends.push(end);
            }
        }
        let ends = OffsetBuffer::new(pool::lend_scalars(ends));
        Ok(Arc::new(StringArray::try_new(ends, pool::lend(names), None)?))
    }
}

/// The numbers as an Arrow buffer on loan; room for as much again is kept.
fn lent(values: &mut Vec<i64>) -> ScalarBuffer<i64> {
    let room = pool::take(values.len());
    pool::lend_scalars(std::mem::replace(values, room))
}

/// The key or the value column.
#[derive(Debug)]
enum Cells {
    /// Copied one after the other.
    Bytes(BytesBuilder),
    /// Left where they are.
    Views(ViewsBuilder),
}

impl Cells {
    fn new(projection: &Projection, column: RawColumn) -> Self {
        let name = column.name(projection.dialect());
        match projection.schema().field_with_name(name).map(Field::data_type) {
            Ok(DataType::BinaryView) => Self::Views(ViewsBuilder::new()),
            _ => Self::Bytes(BytesBuilder::new()),
        }
    }

    fn reserve(&mut self, rows: usize, bytes: usize) {
        match self {
            Self::Bytes(cells) => cells.reserve(rows, bytes),
            Self::Views(cells) => cells.reserve(rows),
        }
    }

    #[inline]
    fn push(&mut self, cell: Option<&[u8]>) -> Result<()> {
        match self {
            Self::Bytes(cells) => cells.push(cell),
            Self::Views(cells) => cells.push(cell),
        }
    }

    fn finish(&mut self) -> Result<ArrayRef> {
        match self {
            Self::Bytes(cells) => cells.finish_binary(),
            Self::Views(cells) => Ok(cells.finish()),
        }
    }
}

/// The timestamp column.
#[derive(Debug)]
struct Timestamps {
    dialect: Dialect,
    values: Vec<i64>,
    nulls: NullBufferBuilder,
}

impl Timestamps {
    fn new(dialect: Dialect) -> Self {
        Self {
            dialect,
            values: Vec::new(),
            nulls: NullBufferBuilder::new(0),
        }
    }

    fn push(&mut self, timestamp_ms: i64) {
        match self.dialect {
            // As the JVM connector: no timestamp is -1 ms, not null.
            Dialect::Spark => self.values.push(timestamp_ms.saturating_mul(1000)),
            Dialect::Client if timestamp_ms == NO_TIMESTAMP => {
                self.values.push(0);
                self.nulls.append_null();
            }
            Dialect::Client => {
                self.values.push(timestamp_ms);
                self.nulls.append_non_null();
            }
        }
    }

    fn finish(&mut self) -> Result<ArrayRef> {
        let values = lent(&mut self.values);
        let nulls = self.nulls.finish();
        Ok(match self.dialect {
            Dialect::Spark => Arc::new(TimestampMicrosecondArray::try_new(values, None)?.with_timezone("UTC")),
            Dialect::Client => Arc::new(TimestampMillisecondArray::try_new(values, nulls)?.with_timezone("UTC")),
        })
    }
}

/// The headers column.
#[derive(Debug)]
struct Headers {
    element: Option<FieldRef>,
    empty_is_null: bool,
    ends: ListEnds,
    keys: BytesBuilder,
    values: BytesBuilder,
    count: usize,
}

impl Headers {
    fn new(projection: &Projection) -> Self {
        let name = RawColumn::Headers.name(projection.dialect());
        let element = match projection.schema().field_with_name(name).map(Field::data_type) {
            Ok(DataType::List(element)) => Some(Arc::clone(element)),
            _ => None,
        };
        Self {
            element,
            empty_is_null: projection.dialect() == Dialect::Spark,
            ends: ListEnds::new(),
            keys: BytesBuilder::new(),
            values: BytesBuilder::new(),
            count: 0,
        }
    }

    fn push(&mut self, headers: &HeadersRef<'_>) -> Result<()> {
        let before = self.count;
        for (key, value) in headers {
            self.keys.push(Some(key))?;
            self.values.push(value)?;
            self.count = self.count.saturating_add(1);
        }
        self.ends
            .seal(self.count, !(self.empty_is_null && self.count == before))
    }

    fn finish(&mut self) -> Result<ArrayRef> {
        self.count = 0;
        let (offsets, nulls) = self.ends.finish();
        let children: Vec<ArrayRef> = vec![self.keys.finish_string()?, self.values.finish_binary()?];
        let Some(element) = self.element.as_ref().map(Arc::clone) else {
            return Err(ColumnarError::UnknownColumn("headers".to_owned()));
        };
        let DataType::Struct(fields) = element.data_type().clone() else {
            return Err(ColumnarError::UnknownColumn("headers".to_owned()));
        };
        let structs = StructArray::try_new(fields, children, None)?;
        Ok(Arc::new(ListArray::try_new(
            element,
            offsets,
            Arc::new(structs),
            nulls,
        )?))
    }
}
