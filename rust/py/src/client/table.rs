//! `send_table`: rows of Arrow batches straight into record batches. A stream is read batch by batch, so that its size
//! does not matter; the rows of a batch are checked before the first of them is sent, and grouped by partition, so that each
//! partition's lock is taken once for many.

use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use arrow_array::{RecordBatch, RecordBatchReader};
use barnabas_client::{Buffer, ClientError, NotSent, Producer, RecordData, TopicState};
use barnabas_columnar::ColumnarError;
use barnabas_columnar::encode::{Input, Row};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyString;

use super::arguments::{Pair, raised};
use super::async_delivery::AsyncDeliveryBatch;
use super::async_producer::Room;
use super::delivery::{DeliveryBatch, Runs, Timestamps};
use super::producer::{ProducerCore, now_ms};
use super::record_arguments::{Partition, Topic};
use crate::columns::{self, arrow_reader, guarded};

/// Most rows that are checked and grouped together.
const PIECE_ROWS: usize = 64 << 10;
/// Most rows that are appended under one lock.
const LOCKED_ROWS: usize = 1024;
/// What pandas calls the columns that it makes of an index.
const PANDAS_INDEX: &str = "__index_level_";

/// Why a table cannot be sent.
#[derive(Debug)]
enum TableError {
    Columnar(ColumnarError),
    Client(ClientError),
    /// Whoever makes the stream says so.
    Stream(String),
    /// A row has no topic.
    NoTopic(usize),
}

impl From<ColumnarError> for TableError {
    fn from(error: ColumnarError) -> Self {
        Self::Columnar(error)
    }
}

impl From<ClientError> for TableError {
    fn from(error: ClientError) -> Self {
        Self::Client(error)
    }
}

impl TableError {
    fn raised(&self, py: Python<'_>) -> PyErr {
        match self {
            Self::Columnar(error) => columns::raised(py, error),
            Self::Client(error) => raised(py, error),
            Self::Stream(message) => PyValueError::new_err(format!("the table's stream broke off: {message}")),
            Self::NoTopic(row) => PyValueError::new_err(format!(
                "row {row} has no topic: name one in send_table(topic, ...) for rows whose column is null"
            )),
        }
    }
}

/// How far a step came.
#[derive(Debug)]
enum Step {
    /// All rows are taken.
    Done,
    /// Some rows are taken, others may follow.
    More,
    /// So many bytes of room are needed.
    Room(usize),
    /// This topic's partitions must be known.
    Topic(Arc<str>),
}

/// A table that is being sent.
pub(super) struct Table {
    reader: Box<dyn RecordBatchReader + Send>,
    topic: Option<Arc<str>>,
    partition: Option<i32>,
    /// Timestamp of rows that have none.
    now: i64,
    /// Rows go to partitions that differ from row to row.
    is_grouped: bool,
    current: Option<Current>,
    sent: Sent,
}

impl std::fmt::Debug for Table {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Table")
            .field("topic", &self.topic)
            .finish_non_exhaustive()
    }
}

/// Where rows went.
#[derive(Debug, Default)]
struct Sent {
    runs: Runs,
    /// By row: its place among those that were sent, if that is another.
    order: Vec<u32>,
    /// By row, if the table has the column.
    timestamps: Vec<i64>,
    rows: usize,
}

/// The Arrow batch that is being sent.
struct Current {
    input: Input,
    /// Rows of the table before it.
    before: usize,
    /// Rows that are checked, and sent or in `groups`.
    checked: usize,
    groups: Vec<Group>,
}

/// Rows for one partition, or for whichever the partitioner takes.
struct Group {
    topic: Arc<TopicState>,
    partition: Option<i32>,
    /// Rows of the batch.
    rows: Rows,
    /// How many of them are sent.
    done: usize,
}

/// Rows of an Arrow batch.
enum Rows {
    /// One after the other.
    All(Range<usize>),
    Some(Vec<u32>),
}

impl Rows {
    fn len(&self) -> usize {
        match self {
            Self::All(rows) => rows.len(),
            Self::Some(rows) => rows.len(),
        }
    }

    #[inline]
    fn at(&self, index: usize) -> usize {
        match self {
            Self::All(rows) => rows.start + index,
            Self::Some(rows) => rows.get(index).map_or(usize::MAX, |row| *row as usize),
        }
    }
}

impl Table {
    /// A table whose rows go to `topic` and `partition` unless they say otherwise.
    pub(super) fn new(
        producer: &Producer,
        data: &Bound<'_, PyAny>,
        topic: Option<Topic<'_, '_>>,
        partition: Option<Partition>,
    ) -> PyResult<Self> {
        let topic = topic.as_ref().map(|topic| Topic::text(&topic.0)).transpose()?;
        let partition = partition.map(|partition| partition.0);
        let reader = arrow_reader(data)?;
        let schema = reader.schema();
        let has = |name| schema.field_with_name(name).is_ok();
        if topic.is_none() && !has("topic") {
            return Err(PyValueError::new_err(
                "the table has no column topic: name the topic in send_table",
            ));
        }
        let partitioner = producer.config().partitioner;
        let by_key = partition.is_none() && (!partitioner.is_sticky(None) || (has("key") && partitioner.uses_keys()));
        Ok(Self {
            is_grouped: has("topic") || has("partition") || by_key,
            reader,
            topic: topic.map(Arc::from),
            partition,
            now: now_ms(),
            current: None,
            sent: Sent::default(),
        })
    }

    /// Takes rows until something is missing, or for a while.
    fn advance(&mut self, producer: &Producer, mut buffer: Option<Buffer>) -> Result<Step, TableError> {
        let mut current = match self.current.take() {
            Some(current) => current,
            None => match self.reader.next() {
                None => return Ok(Step::Done),
                Some(Err(error)) => return Err(TableError::Stream(error.to_string())),
                Some(Ok(batch)) => Current {
                    input: Input::new(&without_index(&batch)?)?,
                    before: self.sent.rows,
                    checked: 0,
                    groups: Vec::new(),
                },
            },
        };
        if current.groups.is_empty() {
            let rows = current.checked..current.input.rows().min(current.checked + PIECE_ROWS);
            match self.group(producer, &current.input, rows.clone())? {
                Ok(groups) => current.groups = groups,
                Err(topic) => {
                    self.current = Some(current);
                    return Ok(Step::Topic(topic));
                }
            }
            current.checked = rows.end;
            self.sent.rows = current.before + rows.end;
            if self.is_grouped {
                self.sent.order.resize(self.sent.rows, 0);
            }
        }
        while let Some(group) = current.groups.last_mut() {
            let sent = self
                .sent
                .send(producer, &current.input, current.before, group, &mut buffer, self.now)?;
            if let Some(size) = sent {
                self.current = Some(current);
                return Ok(Step::Room(size));
            }
            current.groups.pop();
        }
        if current.checked < current.input.rows() {
            self.current = Some(current);
        }
        Ok(Step::More)
    }

    /// Checks rows and groups them by partition. `Err` is a topic whose partitions are not known yet.
    fn group(
        &mut self,
        producer: &Producer,
        input: &Input,
        rows: Range<usize>,
    ) -> Result<Result<Vec<Group>, Arc<str>>, TableError> {
        let mut check = Check {
            producer,
            input,
            now: self.now,
            headers: Vec::new(),
            times: Vec::new(),
        };
        if !self.is_grouped
            && let Some(name) = &self.topic
        {
            let Some(topic) = producer.topic(name)? else {
                return Ok(Err(Arc::clone(name)));
            };
            rows.clone().try_for_each(|number| check.row(number).map(|_| ()))?;
            self.sent.timestamps.append(&mut check.times);
            return Ok(Ok(vec![Group {
                topic,
                partition: self.partition,
                rows: Rows::All(rows),
                done: 0,
            }]));
        }
        let mut groups = Groups::default();
        for number in rows {
            let row = check.row(number)?;
            let topic = match (row.topic, &self.topic) {
                (Some(topic), _) => topic,
                (None, Some(topic)) => topic,
                (None, None) => return Err(TableError::NoTopic(number)),
            };
            let Some(topic) = groups.topic(producer, topic)? else {
                return Ok(Err(Arc::from(topic)));
            };
            let chosen = match row.partition.or(self.partition) {
                Some(partition) => Some(partition),
                None => topic.state.partition_of(row.key),
            };
            topic.place(chosen, u32::try_from(number).unwrap_or(u32::MAX))?;
        }
        self.sent.timestamps.append(&mut check.times);
        Ok(Ok(groups.finish()))
    }
}

/// Reads rows for the first time.
struct Check<'a> {
    producer: &'a Producer,
    input: &'a Input,
    now: i64,
    headers: Vec<Pair<'a>>,
    /// Of the rows so far, if the table has the column.
    times: Vec<i64>,
}

impl<'a> Check<'a> {
    /// A row that can be read and is not too large.
    #[inline]
    fn row(&mut self, number: usize) -> Result<Row<'a>, TableError> {
        let row = self.input.row(number)?;
        self.input.headers(number, &mut self.headers)?;
        self.producer.check_size(&RecordData {
            timestamp: self.now,
            key: row.key,
            value: row.value,
            headers: &self.headers,
        })?;
        if self.input.has_timestamps() {
            self.times.push(row.timestamp.unwrap_or(self.now));
        }
        Ok(row)
    }
}

/// Without the columns that pandas makes of an index.
fn without_index(batch: &RecordBatch) -> Result<RecordBatch, TableError> {
    let fields = batch.schema_ref().fields().iter().enumerate();
    let wanted: Vec<usize> = fields
        .filter(|(_, field)| !field.name().starts_with(PANDAS_INDEX))
        .map(|(index, _)| index)
        .collect();
    batch
        .project(&wanted)
        .map_err(|error| TableError::Stream(error.to_string()))
}

/// Groups while they are made, by topic.
#[derive(Default)]
struct Groups {
    topics: Vec<TopicGroups>,
    /// The topic of the last row.
    last: usize,
}

/// Rows of one topic, by partition; those that the partitioner places are at the end.
struct TopicGroups {
    state: Arc<TopicState>,
    rows: Vec<Vec<u32>>,
}

impl Groups {
    /// The groups of a topic; `None` if its partitions are not known.
    fn topic(&mut self, producer: &Producer, name: &str) -> Result<Option<&mut TopicGroups>, ClientError> {
        let is_it = |topic: &TopicGroups| &**topic.state.name() == name;
        if !self.topics.get(self.last).is_some_and(is_it) {
            if let Some(known) = self.topics.iter().position(is_it) {
                self.last = known;
            } else {
                let Some(state) = producer.topic(name)? else {
                    return Ok(None);
                };
                self.last = self.topics.len();
                let rows = vec![Vec::new(); state.partition_count() + 1];
                self.topics.push(TopicGroups { state, rows });
            }
        }
        Ok(self.topics.get_mut(self.last))
    }

    fn finish(self) -> Vec<Group> {
        let mut groups = Vec::new();
        for TopicGroups { state, rows } in self.topics {
            for (partition, rows) in rows.into_iter().enumerate().filter(|(_, rows)| !rows.is_empty()) {
                let is_placed = partition < state.partition_count();
                groups.push(Group {
                    topic: Arc::clone(&state),
                    partition: i32::try_from(partition).ok().filter(|_| is_placed),
                    rows: Rows::Some(rows),
                    done: 0,
                });
            }
        }
        groups
    }
}

impl TopicGroups {
    fn place(&mut self, partition: Option<i32>, row: u32) -> Result<(), ClientError> {
        let count = self.state.partition_count();
        let at = match partition {
            None => Some(count),
            Some(partition) => usize::try_from(partition).ok().filter(|partition| *partition < count),
        };
        match at.and_then(|at| self.rows.get_mut(at)) {
            Some(rows) => {
                rows.push(row);
                Ok(())
            }
            None => Err(ClientError::NoSuchPartition {
                topic: self.state.name().to_string(),
                partition: partition.unwrap_or(-1),
                count,
            }),
        }
    }
}

impl Sent {
    /// Sends what is left of a group; the bytes of room that are missing, if any are.
    fn send(
        &mut self,
        producer: &Producer,
        input: &Input,
        before: usize,
        group: &mut Group,
        buffer: &mut Option<Buffer>,
        now: i64,
    ) -> Result<Option<usize>, TableError> {
        let Self { runs, order, .. } = self;
        while group.done < group.rows.len() {
            let Group { rows, done, .. } = group;
            let start = *done;
            let locked = start..rows.len().min(start + LOCKED_ROWS);
            let headers = rows_headers(input, locked.clone().map(|at| rows.at(at)))?;
            let mut records = locked.filter_map(|at| {
                // Each was read before, when it was checked.
                let cells = input.row(rows.at(at)).ok()?;
                Some(RecordData {
                    timestamp: cells.timestamp.unwrap_or(now),
                    key: cells.key,
                    value: cells.value,
                    headers: headers.get(at - start).map_or(&[], Vec::as_slice),
                })
            });
            let stopped = producer.try_send_run(
                &group.topic,
                group.partition,
                &mut records,
                buffer.take(),
                |batch, index, _| {
                    // Without groups there is no other order.
                    if let Some(place) = order.get_mut(before + rows.at(*done)) {
                        *place = u32::try_from(runs.len()).unwrap_or(u32::MAX);
                    }
                    runs.placed(batch, index);
                    *done += 1;
                },
            );
            match stopped {
                Some((_, NotSent::NoBuffer(size))) => return Ok(Some(size)),
                Some((_, NotSent::Error(error))) => return Err(error.into()),
                None => {}
            }
        }
        Ok(None)
    }

    fn finish(self, now: i64) -> DeliveryBatch {
        let timestamps = if self.timestamps.is_empty() {
            Timestamps::Same(now)
        } else {
            Timestamps::Each(self.timestamps)
        };
        self.runs.finish_in(timestamps, self.order)
    }
}

/// Headers of some rows; nothing if the table has none.
fn rows_headers(input: &Input, rows: impl Iterator<Item = usize>) -> Result<Vec<Vec<Pair<'_>>>, TableError> {
    let mut all = Vec::new();
    if !input.has_headers() {
        return Ok(all);
    }
    for row in rows {
        let mut headers = Vec::new();
        input.headers(row, &mut headers)?;
        all.push(headers);
    }
    Ok(all)
}

/// Rows of a `send_table` of an event loop that goes on.
#[pyclass(frozen, module = "barnabas")]
#[derive(Debug)]
pub(crate) struct ManyRows {
    table: Mutex<Option<Table>>,
}

#[pymethods]
impl ProducerCore {
    /// Sends every row of a table; waits, detached, while there is no room.
    #[pyo3(signature = (topic, table, partition = None))]
    fn send_table(
        &self,
        py: Python<'_>,
        topic: Option<Topic<'_, '_>>,
        table: &Bound<'_, PyAny>,
        partition: Option<Partition>,
    ) -> PyResult<DeliveryBatch> {
        self.producer.check_open().map_err(|error| raised(py, &error))?;
        let mut table = Table::new(&self.producer, table, topic, partition)?;
        let mut buffer = None;
        loop {
            py.check_signals()?;
            let deadline = Instant::now() + self.producer.config().max_block;
            match self.step(py, &mut table, buffer.take())? {
                Step::Done => return Ok(table.sent.finish(table.now)),
                Step::More => {}
                Step::Room(size) => buffer = Some(self.wait_for_buffer(py, size, deadline)?),
                Step::Topic(name) => {
                    self.topic(py, &PyString::new(py, &name), deadline)?;
                }
            }
        }
    }

    /// Begins to take a table; `offer_rows` goes on with it.
    #[pyo3(signature = (topic, table, partition = None))]
    fn rows(
        &self,
        topic: Option<Topic<'_, '_>>,
        table: &Bound<'_, PyAny>,
        partition: Option<Partition>,
    ) -> PyResult<ManyRows> {
        let table = Table::new(&self.producer, table, topic, partition)?;
        Ok(ManyRows {
            table: Mutex::new(Some(table)),
        })
    }

    /// Takes some rows: True when all are taken, False when others may follow at once, the name of a topic whose partitions
    /// must be known before, or the number of bytes that `room()` is to be asked for.
    #[pyo3(signature = (rows, room = None))]
    fn offer_rows<'py>(
        &self,
        py: Python<'py>,
        rows: &Bound<'py, ManyRows>,
        room: Option<&Bound<'py, Room>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.producer.check_open().map_err(|error| raised(py, &error))?;
        let mut state = rows.get().table.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(table) = state.as_mut() else {
            return Ok(true.into_pyobject(py)?.to_owned().into_any());
        };
        Ok(match self.step(py, table, room.and_then(|room| room.get().take()))? {
            Step::Done => true.into_pyobject(py)?.to_owned().into_any(),
            Step::More => false.into_pyobject(py)?.to_owned().into_any(),
            Step::Room(size) => size.into_pyobject(py)?.into_any(),
            Step::Topic(name) => PyString::new(py, &name).into_any(),
        })
    }

    /// The handle of rows that were all taken.
    fn rows_taken(&self, rows: &Bound<'_, ManyRows>) -> Option<AsyncDeliveryBatch> {
        let table = rows.get().table.lock().unwrap_or_else(PoisonError::into_inner).take()?;
        let records = table.sent.finish(table.now);
        Some(AsyncDeliveryBatch::new(records, Arc::clone(&self.watchers)))
    }
}

impl ProducerCore {
    fn step(&self, py: Python<'_>, table: &mut Table, buffer: Option<Buffer>) -> PyResult<Step> {
        let step = py.detach(|| guarded(|| Ok(table.advance(&self.producer, buffer))))?;
        step.map_err(|error| error.raised(py))
    }
}
