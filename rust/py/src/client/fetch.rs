//! `FetchCore`: what is fetched, where each partition stands, and the repeated heartbeat that keeps it assigned.

use std::collections::BTreeMap;
use std::sync::Arc;

use barnabas_client::config::FetchConfig;
use barnabas_client::{Assigned, Fetcher, HeartbeatPlan, Waited};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use super::arguments::{milliseconds, options, raised, seconds, variants};
use super::core::ClientCore;
use crate::door::wait_in_slices;
use crate::records::Records;

/// The fetching side of one consumer.
#[pyclass(frozen, module = "barnabas")]
#[derive(Debug)]
pub(crate) struct FetchCore {
    fetcher: Fetcher,
}

#[pymethods]
impl FetchCore {
    #[new]
    fn new(py: Python<'_>, client: &Bound<'_, ClientCore>, config: &Bound<'_, PyDict>) -> PyResult<Self> {
        let options = options(config)?;
        let config = FetchConfig::from_options(&options).map_err(|error| raised(py, &error))?;
        let fetcher = Fetcher::new(client.get().client.clone(), config).map_err(|error| raised(py, &error))?;
        Ok(Self { fetcher })
    }

    /// The whole new assignment: (topic, partition, offset, leader epoch). Partitions that stay keep their position and what
    /// was fetched unless an offset of 0 or more is given.
    fn assign(&self, partitions: Vec<(String, i32, Option<i64>, Option<i32>)>) {
        let mut names: BTreeMap<String, Arc<str>> = BTreeMap::new();
        let assigned = partitions.into_iter().map(|(topic, partition, offset, leader_epoch)| {
            let topic = Arc::clone(names.entry(topic).or_insert_with_key(|name| Arc::from(name.as_str())));
            Assigned {
                topic,
                partition,
                offset: offset.unwrap_or(-1),
                leader_epoch: leader_epoch.unwrap_or(-1),
            }
        });
        let assigned: Vec<_> = assigned.collect();
        self.fetcher.assign(&assigned);
    }

    /// Goes on at an offset.
    fn seek(&self, py: Python<'_>, topic: &str, partition: i32, offset: i64) -> PyResult<()> {
        self.fetcher
            .seek(topic, partition, offset)
            .map_err(|error| raised(py, &error))
    }

    /// Partitions that are not polled until they are resumed; they keep what was fetched.
    fn pause(&self, py: Python<'_>, partitions: Vec<(String, i32)>) -> PyResult<()> {
        self.set_paused(py, partitions, true)
    }

    /// Ends a pause.
    fn resume(&self, py: Python<'_>, partitions: Vec<(String, i32)>) -> PyResult<()> {
        self.set_paused(py, partitions, false)
    }

    /// The offset of the next record to be polled, None without a position.
    fn position(&self, topic: &str, partition: i32) -> Option<i64> {
        self.fetcher.position(topic, partition)
    }

    /// (topic, partition, offset, leader epoch) of all partitions with a position.
    fn positions(&self) -> Vec<(String, i32, i64, i32)> {
        let positions = self.fetcher.positions().into_iter();
        positions
            .map(|at| (at.topic.to_string(), at.partition, at.offset, at.leader_epoch))
            .collect()
    }

    /// High watermarks by (topic, partition), of partitions that were fetched from.
    fn high_watermarks(&self) -> BTreeMap<(String, i32), i64> {
        let marks = self
            .fetcher
            .watermarks()
            .into_iter()
            .filter(|(_, [high, ..])| *high >= 0);
        marks
            .map(|((topic, partition), [high, ..])| ((topic.to_string(), partition), high))
            .collect()
    }

    /// How many offsets a partition's position is behind its high watermark, None while either is unknown.
    fn lag(&self, topic: &str, partition: i32) -> Option<i64> {
        let position = self.fetcher.position(topic, partition)?;
        let marks = self.fetcher.watermarks();
        let ([high, ..], _) = marks
            .iter()
            .find(|((name, index), _)| &**name == topic && *index == partition)
            .map(|(key, marks)| (*marks, key))?;
        (high >= 0).then(|| high.saturating_sub(position).max(0))
    }

    /// What was fetched, at most `max_records`; waits up to `timeout` seconds for it. None when there is nothing in time, or
    /// when an event wants to be looked at first.
    #[pyo3(signature = (timeout, max_records = None))]
    fn poll(&self, py: Python<'_>, timeout: f64, max_records: Option<usize>) -> PyResult<Option<Records>> {
        let client = self.fetcher.client();
        client.check_open().map_err(|error| raised(py, &error))?;
        client.poll_called();
        if !self.fetcher.has_data() {
            if timeout <= 0.0 {
                return Ok(None);
            }
            let waited = wait_in_slices(py, Some(seconds(timeout)), |slice| {
                client.poll_called();
                let waited = self.fetcher.wait(slice);
                (waited != Waited::InVain).then_some(waited)
            })?;
            if waited != Some(Waited::ForData) {
                return Ok(None);
            }
        }
        let batches = self.fetcher.take(max_records);
        if batches.is_empty() {
            return Ok(None);
        }
        Records::new(py, batches).map(Some)
    }

    /// Counters by name.
    fn metrics(&self) -> BTreeMap<&'static str, u64> {
        self.fetcher.metrics().into_iter().collect()
    }

    /// Repeats a prepared heartbeat every `interval_ms`; leaves the group when `poll` is not called for `poll_interval_ms`;
    /// without `leave_variants` it only falls silent then. After a lost answer `full_variants` goes out, if there are any.
    #[expect(clippy::too_many_arguments, reason = "what the membership prepared")]
    fn start_heartbeat(
        &self,
        py: Python<'_>,
        group: String,
        api_key: i16,
        variants: &Bound<'_, PyList>,
        interval_ms: f64,
        poll_interval_ms: f64,
        leave_api_key: i16,
        leave_variants: &Bound<'_, PyList>,
        full_variants: &Bound<'_, PyList>,
    ) -> PyResult<()> {
        let plan = HeartbeatPlan {
            group,
            api_key,
            variants: self::variants(py, variants)?,
            full_variants: self::variants(py, full_variants)?,
            interval: milliseconds(interval_ms),
            poll_interval: milliseconds(poll_interval_ms),
            leave_api_key,
            leave_variants: self::variants(py, leave_variants)?,
        };
        self.fetcher.client().start_heartbeat(plan);
        Ok(())
    }

    /// Ends the repeating.
    fn stop_heartbeat(&self) {
        self.fetcher.client().stop_heartbeat();
    }

    /// The poll deadline starts anew.
    fn poll_called(&self) {
        self.fetcher.client().poll_called();
    }
}

impl FetchCore {
    fn set_paused(&self, py: Python<'_>, partitions: Vec<(String, i32)>, is_paused: bool) -> PyResult<()> {
        let partitions: Vec<_> = partitions
            .into_iter()
            .map(|(topic, partition)| (Arc::from(topic), partition))
            .collect();
        self.fetcher
            .set_paused(&partitions, is_paused)
            .map_err(|error| raised(py, &error))
    }
}
