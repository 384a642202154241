//! What an event loop asks of a producer: nothing here waits. Where a thread would, the loop is told what is missing, and
//! is woken through the bell of the completions.

use std::os::fd::IntoRawFd;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use barnabas_client::{Appended, Buffer, BufferTicket, NotSent, PendingFlush, RecordData, TopicState};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString, PyTuple};

use super::arguments::{HeadersArgument, raised};
use super::async_delivery::{AsyncDelivery, AsyncDeliveryBatch, settled};
use super::delivery::{Runs, Timestamps};
use super::producer::{Chunk, Columns, ProducerCore, borrowed, checked_timestamps, now_ms};
use super::record_arguments::{Partition, Partitions, Timestamp, Topic};
use crate::buffer::passed_over;

/// A place in the queue for room in `buffer.memory`. Dropping it gives the place up, or the room.
#[pyclass(frozen, module = "barnabas")]
#[derive(Debug)]
pub(crate) struct Room {
    ticket: BufferTicket,
    buffer: Mutex<Option<Buffer>>,
}

impl Room {
    pub(super) fn take(&self) -> Option<Buffer> {
        self.buffer.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

#[pymethods]
impl Room {
    /// Whether the room is there.
    fn ready(&self) -> bool {
        let mut buffer = self.buffer.lock().unwrap_or_else(PoisonError::into_inner);
        if buffer.is_none() {
            *buffer = self.ticket.wait(Duration::ZERO);
        }
        buffer.is_some()
    }
}

/// A flush that is going on: nothing lingers while it lives.
#[pyclass(frozen, module = "barnabas")]
#[derive(Debug)]
pub(crate) struct Flushing {
    flush: PendingFlush,
}

#[pymethods]
impl Flushing {
    /// Whether every record that was sent before has its outcome.
    fn done(&self) -> bool {
        self.flush.is_done()
    }
}

/// What keeps a record from being taken.
#[derive(IntoPyObject)]
pub(super) enum Missing {
    /// Room for so many bytes.
    Room(usize),
    /// The topic's partitions, if `None`.
    Topic(Option<usize>),
}

/// What became of an offered record.
#[derive(IntoPyObject)]
pub(super) enum Offered {
    Taken(Py<AsyncDelivery>),
    Missing(Missing),
}

/// Records of a `send_many` that goes on.
#[pyclass(frozen, module = "barnabas")]
#[derive(Debug)]
pub(crate) struct Many {
    values: Py<PyTuple>,
    keys: Option<Py<PyTuple>>,
    headers: Option<Py<PyTuple>>,
    partition: Option<Partitions>,
    state: Mutex<ManyState>,
}

#[derive(Debug)]
struct ManyState {
    next: usize,
    runs: Runs,
    timestamps: Timestamps,
}

#[pymethods]
impl ProducerCore {
    /// A record for its partition's open batch: an `AsyncDelivery`, or None while the topic's partitions are not known, or the
    /// number of bytes that `room()` is to be asked for.
    #[pyo3(signature = (topic, value = None, key = None, partition = None, timestamp = None, headers = None, room = None))]
    #[expect(clippy::too_many_arguments, reason = "the arguments of a record")]
    fn offer(
        &self,
        py: Python<'_>,
        topic: Topic<'_, '_>,
        value: Option<&Bound<'_, PyAny>>,
        key: Option<&Bound<'_, PyAny>>,
        partition: Option<Partition>,
        timestamp: Option<Timestamp>,
        headers: Option<&Bound<'_, PyAny>>,
        room: Option<&Bound<'_, Room>>,
    ) -> PyResult<Offered> {
        let (mut copied_value, mut copied_key) = (Vec::new(), Vec::new());
        let value = borrowed("value", value, &mut copied_value)?;
        let key = borrowed("key", key, &mut copied_key)?;
        let timestamp = timestamp.map_or_else(now_ms, |timestamp| timestamp.0);
        let headers = HeadersArgument::new(headers)?;
        let pairs = headers.as_pairs()?;
        let record = RecordData {
            timestamp,
            key,
            value,
            headers: pairs.as_slice(),
        };
        self.producer.check_open().map_err(|error| raised(py, &error))?;
        self.producer.check_size(&record).map_err(|error| raised(py, &error))?;
        let Some(topic) = self.known_topic(py, &topic.0)? else {
            return Ok(Offered::Missing(Missing::Topic(None)));
        };
        let buffer = room.and_then(|room| room.get().take());
        let partition = partition.map(|partition| partition.0);
        match self.producer.try_send(&topic, partition, &record, buffer) {
            Ok(Appended { batch, index, .. }) => {
                let delivery = AsyncDelivery::new(batch, index, timestamp, Arc::clone(&self.watchers));
                Bound::new(py, delivery).map(|delivery| Offered::Taken(passed_over(delivery).unbind()))
            }
            Err(NotSent::NoBuffer(size)) => Ok(Offered::Missing(Missing::Room(size))),
            Err(NotSent::Error(error)) => Err(raised(py, &error)),
        }
    }

    /// How many partitions a topic has, as a tuple of one; None while that is not known.
    fn known_partition_count(&self, py: Python<'_>, topic: Topic<'_, '_>) -> PyResult<Option<(usize,)>> {
        self.producer.check_open().map_err(|error| raised(py, &error))?;
        let known = self.known_topic(py, &topic.0)?;
        Ok(known.map(|topic| (topic.partition_count(),)))
    }

    /// Begins to take many records; `offer_many` goes on with it.
    #[staticmethod]
    #[pyo3(signature = (values, keys = None, headers = None, timestamps = None, partition = None))]
    fn many(
        values: &Bound<'_, PyList>,
        keys: Option<&Bound<'_, PyList>>,
        headers: Option<&Bound<'_, PyList>>,
        timestamps: Option<Vec<Timestamp>>,
        partition: Option<Partitions>,
    ) -> PyResult<Many> {
        let timestamps = checked_timestamps(values, keys, headers, timestamps)?;
        let Columns { values, keys, headers } = Columns::new(values, keys, headers);
        Ok(Many {
            values: values.unbind(),
            keys: keys.map(Bound::unbind),
            headers: headers.map(Bound::unbind),
            partition,
            state: Mutex::new(ManyState {
                next: 0,
                runs: Runs::default(),
                timestamps,
            }),
        })
    }

    /// Takes as many of the records as there is room for. True when all are taken; else as `offer`.
    #[pyo3(signature = (topic, many, room = None))]
    fn offer_many<'py>(
        &self,
        py: Python<'py>,
        topic: Topic<'_, '_>,
        many: &Bound<'py, Many>,
        room: Option<&Bound<'py, Room>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.producer.check_open().map_err(|error| raised(py, &error))?;
        let Some(state) = self.known_topic(py, &topic.0)? else {
            return Ok(py.None().into_bound(py));
        };
        let mut buffer = room.and_then(|room| room.get().take());
        loop {
            match self.offer_chunk(py, &state, many.get(), buffer.take())? {
                Some(Missing::Room(size)) => return Ok(size.into_pyobject(py)?.into_any()),
                Some(Missing::Topic(_)) => {}
                None => return Ok(true.into_pyobject(py)?.to_owned().into_any()),
            }
        }
    }

    /// The handle of records that were all taken.
    fn taken(&self, many: &Bound<'_, Many>) -> AsyncDeliveryBatch {
        let mut state = many.get().state.lock().unwrap_or_else(PoisonError::into_inner);
        let runs = std::mem::take(&mut state.runs);
        let timestamps = std::mem::replace(&mut state.timestamps, Timestamps::Same(0));
        AsyncDeliveryBatch::new(runs.finish(timestamps), Arc::clone(&self.watchers))
    }

    /// A place in the queue for room for so many bytes; the bell rings when it is there.
    fn room(&self, py: Python<'_>, size: usize) -> PyResult<Room> {
        self.producer.check_open().map_err(|error| raised(py, &error))?;
        Ok(Room {
            ticket: self.producer.queue_for_buffer(size),
            buffer: Mutex::default(),
        })
    }

    /// The error for room that did not come in time.
    fn room_error(&self, py: Python<'_>, size: usize) -> Py<PyAny> {
        raised(py, &self.producer.buffer_exhausted(size))
            .into_value(py)
            .into_any()
    }

    /// Has everything sent that was taken, without lingering; the bell rings at every answer while the object lives.
    fn flushing(&self) -> Flushing {
        Flushing {
            flush: self.producer.pending_flush(),
        }
    }

    /// Refuses further records.
    fn begin_close(&self) {
        self.producer.begin_close();
    }

    /// Why a topic's partitions are not known, as far as the cluster has told.
    fn why_unknown(&self, topic: &str) -> Option<String> {
        self.producer.why_unknown(topic)
    }

    /// The thread that calls back, if there has been something to call.
    fn callback_thread(&self, py: Python<'_>) -> Option<Py<PyAny>> {
        self.watchers.thread(py)
    }

    /// The loop that the producer belongs to from now on.
    fn set_loop(&self, event_loop: Py<PyAny>) {
        self.watchers.set_event_loop(event_loop);
    }

    /// Callbacks of records that have outcomes now: (callback, delivery, context).
    fn settled<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let batches = self.completions.take();
        settled(py, self.watchers.take_handles(&batches))
    }

    /// As of `ClientCore`, for outcomes, room and flushes.
    fn bell(&self, py: Python<'_>) -> PyResult<i32> {
        let line = self.completions.bell().map_err(|error| raised(py, &error))?;
        Ok(line.into_raw_fd())
    }

    /// As of `ClientCore`.
    fn arm_bell(&self) -> bool {
        self.completions.arm_bell()
    }
}

impl ProducerCore {
    /// The topic, if its partitions are known.
    fn known_topic(&self, py: Python<'_>, name: &Bound<'_, PyString>) -> PyResult<Option<Arc<TopicState>>> {
        let generation = self.producer.generation();
        if let Some(topic) = self.cache().get(generation, name) {
            return Ok(Some(Arc::clone(topic)));
        }
        let found = self
            .producer
            .topic(Topic::text(name)?)
            .map_err(|error| raised(py, &error))?;
        if let Some(topic) = &found {
            let dropped = self.cache().put(self.producer.generation(), name, Arc::clone(topic));
            drop(dropped);
        }
        Ok(found)
    }

    /// Takes records of one chunk. `Missing::Topic` says no more than that there are further chunks.
    fn offer_chunk(
        &self,
        py: Python<'_>,
        topic: &TopicState,
        many: &Many,
        buffer: Option<Buffer>,
    ) -> PyResult<Option<Missing>> {
        let mut state = many.state.lock().unwrap_or_else(PoisonError::into_inner);
        let bound = |objects: &Option<Py<PyTuple>>| objects.as_ref().map(|objects| objects.bind(py).clone());
        let columns = Columns {
            values: many.values.bind(py).clone(),
            keys: bound(&many.keys),
            headers: bound(&many.headers),
        };
        let (start, len) = (state.next, columns.values.len());
        if start == len {
            return Ok(None);
        }
        let (partition, end) = Partitions::run(many.partition.as_ref(), start, len)?;
        let chunk = Chunk::new(&columns, start, end)?;
        let pairs = chunk.pairs()?;
        let ManyState { next, runs, timestamps } = &mut *state;
        for index in 0..chunk.len() {
            self.producer
                .check_size(&chunk.record(index, &pairs, timestamps))
                .map_err(|error| raised(py, &error))?;
        }
        let mut records = (0..chunk.len()).map(|index| chunk.record(index, &pairs, timestamps));
        let stopped = self
            .producer
            .try_send_run(topic, partition, &mut records, buffer, |batch, index, _| {
                runs.placed(batch, index);
                *next += 1;
            });
        match stopped {
            Some((_, NotSent::NoBuffer(size))) => Ok(Some(Missing::Room(size))),
            Some((_, NotSent::Error(error))) => Err(raised(py, &error)),
            None if end < len => Ok(Some(Missing::Topic(None))),
            None => Ok(None),
        }
    }
}
