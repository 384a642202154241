//! The broker's options: Kafka's names and defaults, parsed once.

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::time::Duration;

use barnabas_log::LogConfig;
use barnabas_net::rate::Window;
use barnabas_net::server::{Listener, SendMode};
use thiserror::Error;

use crate::cleaner::CleanerOptions;
use crate::connection_options::quota_window;

/// Options as name and value.
pub type OptionMap = HashMap<String, String>;

/// An option that cannot be used.
#[derive(Debug, Error, PartialEq, Eq)]
#[error("option {name}={value}: {reason}")]
pub struct OptionError {
    /// The option.
    pub name: String,
    /// Its value.
    pub value: String,
    /// What is wrong with it.
    pub reason: String,
}

/// A feature as reported by ApiVersions (KIP-584).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Feature {
    /// Its name, e.g. `metadata.version`.
    pub name: String,
    /// Lowest level that this broker supports.
    pub version_min: i16,
    /// Highest level that this broker supports.
    pub version_max: i16,
    /// The cluster's level; 0 is off.
    pub finalized: i16,
}

/// What a broker is started with.
#[derive(Debug, Clone)]
pub struct BrokerConfig {
    /// `log.dirs`.
    pub data_dirs: Vec<PathBuf>,
    /// This broker's id.
    pub node_id: i32,
    /// The cluster's id.
    pub cluster_id: String,
    /// Where to listen.
    pub listeners: Vec<Listener>,
    /// What clients are told, by listener; port 0 stands for the one that was bound.
    pub advertised: Vec<Listener>,
    /// Name of the listener that brokers would use among themselves, which may pass the limit of all connections.
    pub inter_broker_listener: String,
    /// Reactor threads at first.
    pub reactors: usize,
    /// Reactor threads at most, whatever `num.network.threads` is set to later.
    pub reactors_max: usize,
    /// Whether the data need not outlive the process; nothing is ever flushed then.
    pub temporary: bool,
    /// Topic options for topics that do not set them, by Kafka's topic option names.
    pub log_defaults: OptionMap,
    /// Broker options.
    pub options: OptionMap,
    /// APIs that the control plane serves, with their versions.
    pub control_apis: BTreeMap<i16, (i16, i16)>,
    /// Features.
    pub features: Vec<Feature>,
    /// The versions of an older release, beyond which nothing is served (`barnabas.api.versions.as`).
    pub api_caps: Option<BTreeMap<i16, (i16, i16)>>,
}

/// The broker options that the data plane reads.
#[derive(Debug, Clone)]
pub(crate) struct Options {
    pub(crate) frame_bytes_max: usize,
    pub(crate) request_bytes_max: Option<usize>,
    pub(crate) idle_max: Duration,
    pub(crate) queued_requests_max: usize,
    pub(crate) fetch_bytes_max: i32,
    pub(crate) fetch_sessions_max: usize,
    pub(crate) described_partitions_max: i32,
    pub(crate) auto_create_topics: bool,
    pub(crate) send_mode: SendMode,
    pub(crate) socket_buffer_bytes: Option<usize>,
    pub(crate) open_files_max: usize,
    pub(crate) recovery_threads: usize,
    pub(crate) helper_threads: usize,
    pub(crate) cleaner: CleanerOptions,
    /// Over what the quotas of clients are measured, and that of changes of metadata.
    pub(crate) quota_window: Window,
    pub(crate) mutation_window: Window,
    pub(crate) slow_append: Duration,
    pub(crate) checkpoint_interval: Duration,
    pub(crate) retention_interval: Duration,
    /// When it is looked for the first time after a start, if the interval is longer.
    pub(crate) first_retention: Duration,
    /// Longest time between two looks for logs whose `flush.ms` is over; by default they are looked for when they are due.
    pub(crate) flush_interval: Duration,
    pub(crate) metadata_log: LogConfig,
}

impl Options {
    pub(crate) fn parse(options: &OptionMap) -> Result<Self, OptionError> {
        let reader = OptionReader { layers: &[options] };
        Ok(Self {
            frame_bytes_max: reader.number("socket.request.max.bytes", 104_857_600)?,
            request_bytes_max: match reader.number("queued.max.request.bytes", -1_i64)? {
                limit if limit <= 0 => None,
                limit => usize::try_from(limit).ok(),
            },
            idle_max: match reader.number("connections.max.idle.ms", 600_000_i64)? {
                limit if limit < 0 => Duration::MAX,
                limit => Duration::from_millis(limit.unsigned_abs()),
            },
            queued_requests_max: reader.number("queued.max.requests", 500)?,
            fetch_bytes_max: reader.number("fetch.max.bytes", 57_671_680)?,
            described_partitions_max: reader.number("max.request.partition.size.limit", 2000)?,
            fetch_sessions_max: reader.number("max.incremental.fetch.session.cache.slots", 1000)?,
            auto_create_topics: reader.boolean("auto.create.topics.enable", true)?,
            send_mode: match reader.text("barnabas.send") {
                None | Some("sendfile") => SendMode::Sendfile,
                Some("buffered") => SendMode::Buffered,
                Some(value) => return Err(refuse("barnabas.send", value, "must be sendfile or buffered")),
            },
            socket_buffer_bytes: match reader.number("socket.send.buffer.bytes", -1_i64)? {
                -1 => None,
                bytes => usize::try_from(bytes).ok(),
            },
            open_files_max: reader.number("barnabas.open.files", 4096)?,
            recovery_threads: reader.number("num.recovery.threads.per.data.dir", 2)?,
            checkpoint_interval: reader.millis("log.flush.offset.checkpoint.interval.ms", 60_000)?,
            retention_interval: reader.millis("log.retention.check.interval.ms", 300_000)?,
            first_retention: reader.millis("log.initial.task.delay.ms", 30_000)?,
            flush_interval: reader.millis("log.flush.scheduler.interval.ms", i64::MAX.unsigned_abs())?,
            metadata_log: metadata_log(&reader)?,
            helper_threads: reader.number("barnabas.helper.threads", 2)?,
            cleaner: CleanerOptions::parse(&reader)?,
            quota_window: quota_window(&reader, "quota")?,
            mutation_window: quota_window(&reader, "controller.quota")?,
            slow_append: Duration::from_micros(reader.number("barnabas.slow.append.us", 200)?),
        })
    }
}

/// Largest batch of the metadata log, as in KRaft.
const METADATA_BATCH_BYTES_MAX: usize = 8 * 1024 * 1024;

fn metadata_log(reader: &OptionReader<'_>) -> Result<LogConfig, OptionError> {
    let segment_bytes = reader.number("metadata.log.segment.bytes", 1 << 30)?;
    Ok(LogConfig {
        max_message_bytes: METADATA_BATCH_BYTES_MAX,
        // Snapshots decide what may go, not time or size.
        delete: false,
        // The internal option is for tests, which need smaller ones than may be set.
        segment_bytes: reader.number("internal.metadata.log.segment.bytes", segment_bytes)?,
        segment_ms: reader.number("metadata.log.segment.ms", 604_800_000)?,
        file_delete_delay_ms: reader.number("internal.metadata.delete.delay.millis", 60_000)?,
        ..LogConfig::default()
    })
}

/// Looks options up in several maps, the first of which wins.
pub(crate) struct OptionReader<'a> {
    pub(crate) layers: &'a [&'a OptionMap],
}

impl OptionReader<'_> {
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.layers
            .iter()
            .find_map(|layer| layer.get(name))
            .map(|value| value.trim())
    }

    pub(crate) fn number<T: std::str::FromStr>(&self, name: &str, default: T) -> Result<T, OptionError>
    where
        T::Err: std::fmt::Display,
    {
        self.text(name).map_or(Ok(default), |value| {
            value
                .parse()
                .map_err(|error: T::Err| refuse(name, value, &error.to_string()))
        })
    }

    pub(crate) fn millis(&self, name: &str, default: u64) -> Result<Duration, OptionError> {
        self.number(name, default).map(Duration::from_millis)
    }

    pub(crate) fn boolean(&self, name: &str, default: bool) -> Result<bool, OptionError> {
        match self.text(name) {
            None => Ok(default),
            Some(value) if value.eq_ignore_ascii_case("true") => Ok(true),
            Some(value) if value.eq_ignore_ascii_case("false") => Ok(false),
            Some(value) => Err(refuse(name, value, "must be true or false")),
        }
    }
}

pub(crate) fn refuse(name: &str, value: &str, reason: &str) -> OptionError {
    OptionError {
        name: name.to_owned(),
        value: value.to_owned(),
        reason: reason.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(pairs: &[(&str, &str)]) -> OptionMap {
        pairs
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect()
    }

    #[test]
    fn a_bad_value_names_its_option() {
        let error = Options::parse(&map(&[("fetch.max.bytes", "many")])).unwrap_err();
        assert_eq!((error.name.as_str(), error.value.as_str()), ("fetch.max.bytes", "many"));
        assert!(Options::parse(&map(&[("barnabas.send", "pigeon")])).is_err());
        assert!(Options::parse(&map(&[("auto.create.topics.enable", "maybe")])).is_err());
    }
}
