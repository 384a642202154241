//! `ProducerCore`: records from Python into batches. The way of one record through `send` is the hottest of the package: the
//! topic is found by the identity of its `str`, `bytes` are read where they lie, and nothing is allocated but the handle.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use barnabas_client::config::ProducerConfig;
use barnabas_client::{Appended, Buffer, Completions, NotSent, Producer, RecordData, TopicState, forks};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyString, PyTuple};
use rustix::time::{ClockId, clock_gettime};

use super::arguments::{HeadersArgument, Pairs, cell, copied, options, raised, seconds};
use super::core::ClientCore;
use super::delivery::{Delivery, DeliveryBatch, Runs, Timestamps, Watched};
use super::record_arguments::{Partition, Partitions, Timestamp, Topic};
use super::watchers::Watchers;
use crate::door::wait_in_slices;
use crate::error::raise;

/// Topics whose `str` objects are remembered.
const TOPICS_REMEMBERED: usize = 16;

/// Accumulator, partitioner and idempotence of one producer.
#[pyclass(frozen, module = "barnabas")]
#[derive(Debug)]
pub(crate) struct ProducerCore {
    pub(super) producer: Producer,
    topics: Mutex<TopicCache>,
    pub(super) watchers: Arc<Watchers>,
    pub(super) completions: Completions,
}

/// Topics by the identity of their names. The names are kept, so an address cannot come to mean another name.
#[derive(Debug, Default)]
pub(super) struct TopicCache {
    generation: u64,
    entries: Vec<(Py<PyString>, Arc<TopicState>)>,
    next: usize,
}

impl TopicCache {
    #[inline]
    pub(super) fn get(&self, generation: u64, name: &Bound<'_, PyString>) -> Option<&Arc<TopicState>> {
        if self.generation != generation {
            return None;
        }
        self.entries
            .iter()
            .find(|(known, _)| known.as_ptr() == name.as_ptr())
            .map(|(_, topic)| topic)
    }

    pub(super) fn put(
        &mut self,
        generation: u64,
        name: &Bound<'_, PyString>,
        topic: Arc<TopicState>,
    ) -> Vec<(Py<PyString>, Arc<TopicState>)> {
        let mut dropped = Vec::new();
        if self.generation != generation {
            self.generation = generation;
            dropped.append(&mut self.entries);
        }
        let entry = (name.clone().unbind(), topic);
        if self.entries.len() < TOPICS_REMEMBERED {
            self.entries.push(entry);
        } else if let Some(old) = self.entries.get_mut(self.next) {
            dropped.push(std::mem::replace(old, entry));
            self.next = (self.next + 1) % TOPICS_REMEMBERED;
        }
        dropped
    }
}

#[pymethods]
impl ProducerCore {
    #[new]
    fn new(py: Python<'_>, client: &Bound<'_, ClientCore>, config: &Bound<'_, PyDict>) -> PyResult<Self> {
        let options = options(config)?;
        let config = ProducerConfig::from_options(&options).map_err(|error| raised(py, &error))?;
        let producer = Producer::new(client.get().client.clone(), config).map_err(|error| raised(py, &error))?;
        let watchers = Arc::<Watchers>::default();
        let completions = producer.completions();
        producer.attach(Arc::new(Watched {
            watchers: Arc::clone(&watchers),
            completions: completions.clone(),
            forks: forks(),
        }));
        Ok(Self {
            producer,
            topics: Mutex::default(),
            watchers,
            completions,
        })
    }

    /// Adds a record to the open batch of its partition; waits, detached, while there is no room.
    #[pyo3(signature = (topic, value = None, key = None, partition = None, timestamp = None, headers = None))]
    #[expect(clippy::too_many_arguments, reason = "the arguments of a record")]
    fn send<'py>(
        &self,
        py: Python<'py>,
        topic: Topic<'_, '_>,
        value: Option<&Bound<'_, PyAny>>,
        key: Option<&Bound<'_, PyAny>>,
        partition: Option<Partition>,
        timestamp: Option<Timestamp>,
        headers: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Bound<'py, Delivery>> {
        let (mut copied_value, mut copied_key) = (Vec::new(), Vec::new());
        let value = borrowed("value", value, &mut copied_value)?;
        let key = borrowed("key", key, &mut copied_key)?;
        let partition = partition.map(|partition| partition.0);
        let timestamp = timestamp.map_or_else(now_ms, |timestamp| timestamp.0);
        if headers.is_none() {
            let record = RecordData {
                timestamp,
                key,
                value,
                headers: &[],
            };
            return self.send_record(py, &topic.0, partition, &record);
        }
        let (mut held, mut pairs) = (HeadersArgument::default(), Pairs::default());
        held.hold(headers)?;
        held.put_pairs(&mut pairs)?;
        self.send_record(
            py,
            &topic.0,
            partition,
            &RecordData {
                timestamp,
                key,
                value,
                headers: pairs.as_slice(),
            },
        )
    }

    /// Adds many records, each run to one partition under one lock.
    #[pyo3(signature = (topic, values, keys = None, headers = None, timestamps = None, partition = None))]
    #[expect(clippy::too_many_arguments, reason = "the arguments of records")]
    #[expect(clippy::needless_pass_by_value, reason = "made from an argument")]
    fn send_many(
        &self,
        py: Python<'_>,
        topic: Topic<'_, '_>,
        values: &Bound<'_, PyList>,
        keys: Option<&Bound<'_, PyList>>,
        headers: Option<&Bound<'_, PyList>>,
        timestamps: Option<Vec<Timestamp>>,
        partition: Option<Partitions>,
    ) -> PyResult<DeliveryBatch> {
        Topic::text(&topic.0)?;
        let timestamps = checked_timestamps(values, keys, headers, timestamps)?;
        let columns = Columns::new(values, keys, headers);
        let mut runs = Runs::default();
        let (mut start, len) = (0, columns.values.len());
        while start < len {
            let (partition, end) = Partitions::run(partition.as_ref(), start, len)?;
            let chunk = Chunk::new(&columns, start, end)?;
            self.send_chunk(py, &topic.0, partition, &chunk, &timestamps, &mut runs)?;
            start = end;
        }
        Ok(runs.finish(timestamps))
    }

    /// Sends what waits and waits up to `timeout` seconds for the outcomes; whether all are known.
    #[pyo3(signature = (timeout = None))]
    fn flush(&self, py: Python<'_>, timeout: Option<f64>) -> PyResult<bool> {
        self.producer
            .client()
            .check_open()
            .map_err(|error| raised(py, &error))?;
        let flush = self.producer.begin_flush();
        let done = wait_in_slices(py, timeout.map(seconds), |slice| flush.wait(slice).then_some(()))?;
        Ok(done.is_some())
    }

    /// Refuses further records, waits up to `timeout` seconds for the others, and gives up what is left.
    fn close(&self, py: Python<'_>, timeout: f64) -> PyResult<()> {
        if self.producer.client().check_open().is_err() {
            return Ok(());
        }
        self.producer.begin_close();
        let flushed = if timeout > 0.0 {
            self.flush(py, Some(timeout))
        } else {
            Ok(true)
        };
        py.detach(|| self.producer.finish_close());
        self.completions.close();
        flushed.map(|_| ())
    }

    /// How many partitions a topic has; waits, detached, until that is known.
    fn partition_count(&self, py: Python<'_>, topic: Topic<'_, '_>) -> PyResult<usize> {
        let deadline = Instant::now() + self.producer.config().max_block;
        self.topic(py, &topic.0, deadline).map(|topic| topic.partition_count())
    }

    /// Counters by name.
    fn metrics(&self) -> BTreeMap<&'static str, u64> {
        self.producer.metrics().into_iter().collect()
    }
}

impl ProducerCore {
    #[inline]
    fn send_record<'py>(
        &self,
        py: Python<'py>,
        name: &Bound<'_, PyString>,
        partition: Option<i32>,
        record: &RecordData<'_>,
    ) -> PyResult<Bound<'py, Delivery>> {
        // In a forked child too, whose records nobody would send.
        self.producer.check_open().map_err(|error| raised(py, &error))?;
        // No object of Python is made while the cache is locked: the collector might run, and with it a finalizer that sends.
        let sent = {
            let cache = self.cache();
            match cache.get(self.producer.generation(), name) {
                Some(topic) if self.producer.check_size(record).is_ok() => {
                    Some(self.producer.try_send(topic, partition, record, None))
                }
                _ => None,
            }
        };
        match sent {
            Some(Ok(Appended { batch, index, .. })) => Delivery::new(py, batch, index, record.timestamp),
            Some(Err(NotSent::Error(error))) => Err(raised(py, &error)),
            Some(Err(NotSent::NoBuffer(_))) | None => self.send_slowly(py, name, partition, record),
        }
    }

    pub(super) fn cache(&self) -> MutexGuard<'_, TopicCache> {
        self.topics.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The topic is not known yet, or there is no room: waits.
    #[cold]
    fn send_slowly<'py>(
        &self,
        py: Python<'py>,
        name: &Bound<'_, PyString>,
        partition: Option<i32>,
        record: &RecordData<'_>,
    ) -> PyResult<Bound<'py, Delivery>> {
        let deadline = Instant::now() + self.producer.config().max_block;
        let topic = self.topic(py, name, deadline)?;
        self.producer.check_size(record).map_err(|error| raised(py, &error))?;
        let mut buffer = None;
        loop {
            match self.producer.try_send(&topic, partition, record, buffer.take()) {
                Ok(Appended { batch, index, .. }) => return Delivery::new(py, batch, index, record.timestamp),
                Err(NotSent::NoBuffer(size)) => buffer = Some(self.wait_for_buffer(py, size, deadline)?),
                Err(NotSent::Error(error)) => return Err(raised(py, &error)),
            }
        }
    }

    pub(super) fn wait_for_buffer(&self, py: Python<'_>, size: usize, deadline: Instant) -> PyResult<Buffer> {
        self.producer
            .client()
            .check_open()
            .map_err(|error| raised(py, &error))?;
        let ticket = self.producer.wait_for_buffer(size);
        let left = deadline.saturating_duration_since(Instant::now());
        wait_in_slices(py, Some(left), |slice| ticket.wait(slice))?
            .ok_or_else(|| raised(py, &self.producer.buffer_exhausted(size)))
    }

    /// The topic, once its partitions are known.
    pub(super) fn topic(
        &self,
        py: Python<'_>,
        name: &Bound<'_, PyString>,
        deadline: Instant,
    ) -> PyResult<Arc<TopicState>> {
        let text = Topic::text(name)?;
        loop {
            let count = self.producer.metadata_count();
            let generation = self.producer.generation();
            if let Some(topic) = self.producer.topic(text).map_err(|error| raised(py, &error))? {
                if generation == self.producer.generation() {
                    let dropped = self.cache().put(generation, name, Arc::clone(&topic));
                    drop(dropped);
                    return Ok(topic);
                }
                continue;
            }
            let left = deadline.saturating_duration_since(Instant::now());
            let came = wait_in_slices(py, Some(left), |slice| {
                self.producer.wait_for_metadata(count, slice).ok()
            })?;
            if came.is_none() || Instant::now() >= deadline {
                let reason = self.producer.why_unknown(text);
                let reason = reason.map_or_else(String::new, |reason| format!(": {reason}"));
                let what = format!("the partitions of topic {text} were not known within max.block.ms{reason}");
                return Err(raise(py, "KafkaTimeoutError", &what));
            }
        }
    }

    fn send_chunk(
        &self,
        py: Python<'_>,
        name: &Bound<'_, PyString>,
        partition: Option<i32>,
        chunk: &Chunk<'_, '_>,
        timestamps: &Timestamps,
        runs: &mut Runs,
    ) -> PyResult<()> {
        let deadline = Instant::now() + self.producer.config().max_block;
        let known = self.cache().get(self.producer.generation(), name).cloned();
        let topic = match known {
            Some(topic) => topic,
            None => self.topic(py, name, deadline)?,
        };
        let headers = chunk.pairs()?;
        let record = |index: usize| chunk.record(index, &headers, timestamps);
        for index in 0..chunk.len() {
            self.producer
                .check_size(&record(index))
                .map_err(|error| raised(py, &error))?;
        }
        let mut records = (0..chunk.len()).map(record);
        let mut stopped = self
            .producer
            .try_send_run(&topic, partition, &mut records, None, |batch, index, _| {
                runs.placed(batch, index);
            });
        while let Some((record, reason)) = stopped {
            let size = match reason {
                NotSent::NoBuffer(size) => size,
                NotSent::Error(error) => return Err(raised(py, &error)),
            };
            let buffer = self.wait_for_buffer(py, size, deadline)?;
            match self.producer.try_send(&topic, partition, &record, Some(buffer)) {
                Ok(Appended { batch, index, .. }) => runs.placed(&batch, index),
                Err(reason) => {
                    stopped = Some((record, reason));
                    continue;
                }
            }
            stopped = self
                .producer
                .try_send_run(&topic, partition, &mut records, None, |batch, index, _| {
                    runs.placed(batch, index);
                });
        }
        Ok(())
    }
}

impl Partitions {
    /// The partition of record `start` of `len`, and the end of its chunk.
    pub(super) fn run(partitions: Option<&Self>, start: usize, len: usize) -> PyResult<(Option<i32>, usize)> {
        let end = (start + CHUNK).min(len);
        match partitions {
            None => Ok((None, end)),
            Some(Self::Same(partition)) => Ok((Some(*partition), end)),
            Some(Self::Each(each)) => {
                let run = each.get(start..end).filter(|_| each.len() == len).unwrap_or_default();
                let first = run
                    .first()
                    .ok_or_else(|| PyValueError::new_err(format!("{len} values but {} partitions", each.len())))?;
                let same = run.iter().take_while(|partition| *partition == first).count();
                Ok((*first, start + same))
            }
        }
    }
}

/// Records of `send_many` that are looked at together: what is noted of them should stay in the nearest cache.
pub(super) const CHUNK: usize = 1024;

/// The columns of `send_many`: tuples, which keep their objects alive and do not change, whatever becomes of the caller's lists.
#[derive(Debug)]
pub(super) struct Columns<'py> {
    pub(super) values: Bound<'py, PyTuple>,
    pub(super) keys: Option<Bound<'py, PyTuple>>,
    pub(super) headers: Option<Bound<'py, PyTuple>>,
}

impl<'py> Columns<'py> {
    pub(super) fn new(
        values: &Bound<'py, PyList>,
        keys: Option<&Bound<'py, PyList>>,
        headers: Option<&Bound<'py, PyList>>,
    ) -> Self {
        Self {
            values: values.to_tuple(),
            keys: keys.map(PyListMethods::to_tuple),
            headers: headers.map(PyListMethods::to_tuple),
        }
    }
}

/// Some consecutive records of `send_many`.
pub(super) struct Chunk<'a, 'py> {
    start: usize,
    values: Vec<Option<Cow<'a, [u8]>>>,
    keys: Vec<Option<Cow<'a, [u8]>>>,
    headers: Vec<HeadersArgument<'py>>,
}

impl<'a, 'py> Chunk<'a, 'py> {
    pub(super) fn new(columns: &'a Columns<'py>, start: usize, end: usize) -> PyResult<Self> {
        let column = |what, objects: &'a Bound<'py, PyTuple>| -> PyResult<Vec<_>> {
            (start..end)
                .map(|index| cell(what, objects.get_borrowed_item(index)?))
                .collect()
        };
        let no_keys = || Ok(Vec::new());
        let headers = columns.headers.as_ref().map(|objects| {
            (start..end)
                .map(|index| HeadersArgument::new(Some(&*objects.get_borrowed_item(index)?)))
                .collect()
        });
        Ok(Self {
            start,
            values: column("value", &columns.values)?,
            keys: columns.keys.as_ref().map_or_else(no_keys, |keys| column("key", keys))?,
            headers: headers.unwrap_or_else(|| Ok(Vec::new()))?,
        })
    }

    pub(super) fn len(&self) -> usize {
        self.values.len()
    }

    /// Headers of each record as they are written.
    pub(super) fn pairs(&self) -> PyResult<Vec<Pairs<'_>>> {
        self.headers.iter().map(HeadersArgument::as_pairs).collect()
    }

    #[inline]
    pub(super) fn record<'c>(
        &'c self,
        index: usize,
        headers: &'c [Pairs<'c>],
        timestamps: &Timestamps,
    ) -> RecordData<'c> {
        let bytes = |column: &'c [Option<Cow<'a, [u8]>>]| column.get(index).and_then(Option::as_deref);
        RecordData {
            timestamp: timestamps.at(self.start + index),
            key: bytes(&self.keys),
            value: bytes(&self.values),
            headers: headers.get(index).map_or(&[], Pairs::as_slice),
        }
    }
}

/// Refuses columns of different lengths.
pub(super) fn checked_timestamps(
    values: &Bound<'_, PyList>,
    keys: Option<&Bound<'_, PyList>>,
    headers: Option<&Bound<'_, PyList>>,
    timestamps: Option<Vec<Timestamp>>,
) -> PyResult<Timestamps> {
    let columns = [
        keys.map(PyListMethods::len),
        headers.map(PyListMethods::len),
        timestamps.as_ref().map(Vec::len),
    ];
    if columns.iter().flatten().any(|len| *len != values.len()) {
        return Err(PyValueError::new_err(
            "values, keys, headers and timestamps must have the same length",
        ));
    }
    Ok(match timestamps {
        Some(each) => Timestamps::Each(each.into_iter().map(|timestamp| timestamp.0).collect()),
        None => Timestamps::Same(now_ms()),
    })
}

/// The bytes of an argument: where they lie if it is `bytes`, else a copy in `copy`.
#[inline]
pub(super) fn borrowed<'a>(
    what: &'static str,
    object: Option<&'a Bound<'_, PyAny>>,
    copy: &'a mut Vec<u8>,
) -> PyResult<Option<&'a [u8]>> {
    let Some(object) = object else { return Ok(None) };
    if let Ok(bytes) = object.cast::<PyBytes>() {
        return Ok(Some(bytes.as_bytes()));
    }
    *copy = copied(what, object)?;
    Ok(Some(copy))
}

#[inline]
pub(super) fn now_ms() -> i64 {
    // Once per record: a `SystemTime`'s difference in 128 bits costs half as much as the clock itself.
    let now = clock_gettime(ClockId::Realtime);
    now.tv_sec
        .saturating_mul(1000)
        .saturating_add(now.tv_nsec / 1_000_000)
        .max(0)
}
