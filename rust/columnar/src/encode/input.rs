//! The rows of an Arrow batch as records to be written.

use std::ops::Range;

use arrow_array::{Array, ArrayRef, RecordBatch};
use barnabas_records::{BatchBuilder, Header};

use crate::encode::cells::Cells;
use crate::encode::headers::Headers;
use crate::encode::numbers::{Partitions, Timestamps};
use crate::{ColumnarError, Result};

/// Columns that a reader's table has and a writer does without: the broker gives them.
const GIVEN_BY_THE_BROKER: [&str; 3] = ["offset", "timestamp_type", "timestampType"];

/// One Arrow batch whose columns are what Kafka calls them: `value`, and as many of `key`, `headers`, `topic`,
/// `partition` and `timestamp` as there are.
///
/// Holds the arrays, copies nothing. `key`, `value`: binary or string, their large and view forms, fixed-size binary, or a
/// dictionary of these. `headers`: a list of structs of key and value, or a map. `topic`: strings. `partition`: whole numbers.
/// `timestamp`: a timestamp of any unit, or 64-bit milliseconds. Null is null, except that a null timestamp is the time
/// of writing, a null partition is left to the partitioner, and null headers are none.
#[derive(Debug)]
pub struct Input {
    pub(super) rows: usize,
    pub(super) value: Cells,
    pub(super) key: Option<Cells>,
    pub(super) headers: Option<Headers>,
    pub(super) topic: Option<Cells>,
    pub(super) partition: Option<Partitions>,
    pub(super) timestamp: Option<Timestamps>,
}

/// One row of an [`Input`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row<'a> {
    /// Topic, if the table has the column and it is not null.
    pub topic: Option<&'a str>,
    /// Partition, if the table has the column and it is not null.
    pub partition: Option<i32>,
    /// Milliseconds since the epoch, if the table has the column and it is not null.
    pub timestamp: Option<i64>,
    /// Key.
    pub key: Option<&'a [u8]>,
    /// Value.
    pub value: Option<&'a [u8]>,
}

/// How far [`append_rows`] fills a batch.
#[derive(Clone, Copy, Debug)]
pub struct Fill {
    /// Bytes that the uncompressed batch may have, header included.
    pub size_limit: usize,
    /// Timestamp of rows that have none, milliseconds since the epoch.
    pub timestamp: i64,
}

impl Input {
    /// The columns of `batch` by their names.
    ///
    /// # Errors
    /// No `value` column, a column of another name, a column twice, or a type that its column cannot have.
    pub fn new(batch: &RecordBatch) -> Result<Self> {
        let mut named = Named::default();
        for (field, array) in batch.schema_ref().fields().iter().zip(batch.columns()) {
            let name = field.name().as_str();
            if GIVEN_BY_THE_BROKER.contains(&name) {
                continue;
            }
            let place = named
                .place(name)
                .ok_or_else(|| ColumnarError::NotWritable(name.to_owned()))?;
            if place.replace(array).is_some() {
                return Err(ColumnarError::DuplicateColumn(name.to_owned()));
            }
        }
        let topic = named.topic.map(|array| Cells::new("topic", array)).transpose()?;
        if let (Some(topic), Some(array)) = (&topic, named.topic)
            && !topic.is_text()
            && array.null_count() < array.len()
        {
            return Err(ColumnarError::MistypedColumn {
                column: "topic".to_owned(),
                data_type: array.data_type().clone(),
                wanted: "strings",
            });
        }
        Ok(Self {
            rows: batch.num_rows(),
            value: Cells::new("value", named.value.ok_or(ColumnarError::NoValueColumn)?)?,
            key: named.key.map(|array| Cells::new("key", array)).transpose()?,
            headers: named.headers.map(|array| Headers::new("headers", array)).transpose()?,
            topic,
            partition: (named.partition)
                .map(|array| Partitions::new("partition", array))
                .transpose()?,
            timestamp: (named.timestamp)
                .map(|array| Timestamps::new("timestamp", array))
                .transpose()?,
        })
    }

    /// Values alone.
    ///
    /// # Errors
    /// The array is not of bytes.
    pub fn from_values(values: &ArrayRef) -> Result<Self> {
        Ok(Self {
            rows: values.len(),
            value: Cells::new("value", values)?,
            key: None,
            headers: None,
            topic: None,
            partition: None,
            timestamp: None,
        })
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Whether rows say which topic or partition they belong to.
    pub fn has_targets(&self) -> bool {
        self.topic.is_some() || self.partition.is_some()
    }

    /// Whether there is a column of times.
    pub fn has_timestamps(&self) -> bool {
        self.timestamp.is_some()
    }

    /// Whether there is a column of headers.
    pub fn has_headers(&self) -> bool {
        self.headers.is_some()
    }

    /// One row without its headers.
    ///
    /// # Errors
    /// A cell that its column cannot have: see [`ColumnarError::InvalidRow`].
    #[inline]
    pub fn row(&self, row: usize) -> Result<Row<'_>> {
        let (topic, partition) = self.target(row)?;
        Ok(Row {
            topic,
            partition,
            timestamp: self.timestamp.as_ref().map_or(Ok(None), |column| column.get(row))?,
            key: self.key.as_ref().map_or(Ok(None), |column| column.get(row))?,
            value: self.value.get(row)?,
        })
    }

    /// Puts the headers of one row into `found`, whose former contents are dropped.
    ///
    /// # Errors
    /// A header without a key, or a broken array.
    #[inline]
    pub fn headers<'a>(&'a self, row: usize, found: &mut Vec<Header<'a>>) -> Result<()> {
        match &self.headers {
            Some(column) => column.read(row, found),
            None => Ok(()),
        }
    }

    /// Topic and partition of one row, as far as the table says.
    ///
    /// # Errors
    /// A topic that is not UTF-8, or a number that is no partition.
    #[inline]
    pub fn target(&self, row: usize) -> Result<(Option<&str>, Option<i32>)> {
        let topic = match &self.topic {
            None => None,
            Some(column) => column.get(row)?.map(|name| topic_of(name, row)).transpose()?,
        };
        let partition = self.partition.as_ref().map_or(Ok(None), |column| column.get(row))?;
        Ok((topic, partition))
    }

    /// The first row from `rows.start` on that has another topic or partition, or `rows.end`.
    ///
    /// # Errors
    /// As for [`Input::target`].
    pub fn run_end(&self, rows: Range<usize>) -> Result<usize> {
        if !self.has_targets() || rows.is_empty() {
            return Ok(rows.end);
        }
        let target = self.target(rows.start)?;
        for row in rows.start.saturating_add(1)..rows.end {
            if self.target(row)? != target {
                return Ok(row);
            }
        }
        Ok(rows.end)
    }
}

fn topic_of(name: &[u8], row: usize) -> Result<&str> {
    let invalid = |reason| ColumnarError::InvalidRow {
        column: "topic".to_owned(),
        row,
        reason,
    };
    match std::str::from_utf8(name) {
        Ok("") => Err(invalid("a topic's name is not empty; null leaves it to the caller")),
        Ok(topic) => Ok(topic),
        Err(_) => Err(invalid("it is not UTF-8")),
    }
}

/// Appends `rows` to an open batch, whatever their topic and partition, and returns how many it took: fewer than there
/// are when the next one would pass `fill.size_limit`. Allocates nothing per row.
///
/// # Errors
/// A row that cannot be a record. The rows before it are in the batch.
pub fn append_rows(builder: &mut BatchBuilder, input: &Input, rows: Range<usize>, fill: &Fill) -> Result<usize> {
    let start = rows.start;
    let mut headers: Vec<Header<'_>> = Vec::new();
    for row in rows.clone() {
        let value = input.value.get(row)?;
        let key = match &input.key {
            Some(column) => column.get(row)?,
            None => None,
        };
        let timestamp = match &input.timestamp {
            Some(column) => column.get(row)?.unwrap_or(fill.timestamp),
            None => fill.timestamp,
        };
        if let Some(column) = &input.headers {
            column.read(row, &mut headers)?;
        }
        if builder
            .try_append(fill.size_limit, timestamp, key, value, &headers)?
            .is_none()
        {
            return Ok(row.saturating_sub(start));
        }
    }
    Ok(rows.end.saturating_sub(start))
}

/// The columns found so far.
#[derive(Default)]
struct Named<'a> {
    topic: Option<&'a ArrayRef>,
    partition: Option<&'a ArrayRef>,
    timestamp: Option<&'a ArrayRef>,
    key: Option<&'a ArrayRef>,
    value: Option<&'a ArrayRef>,
    headers: Option<&'a ArrayRef>,
}

impl<'a> Named<'a> {
    fn place(&mut self, name: &str) -> Option<&mut Option<&'a ArrayRef>> {
        Some(match name {
            "topic" => &mut self.topic,
            "partition" => &mut self.partition,
            "timestamp" => &mut self.timestamp,
            "key" => &mut self.key,
            "value" => &mut self.value,
            "headers" => &mut self.headers,
            _ => return None,
        })
    }
}
