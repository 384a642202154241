//! The broker's state, shared by reactors, helpers and the control plane's calls.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use barnabas_log::{LogConfig, LogManager, ManagerConfig, Storage};
use barnabas_net::server::Outcome;
use barnabas_wire::errors::ErrorCode;
use tokio::sync::oneshot;

use crate::api_versions::Versions;
use crate::cleaner::CleanerCrew;
use crate::config::{BrokerConfig, Options};
use crate::connection_options::ConnectionSettings;
use crate::control::{ControlQueue, Event};
use crate::error::BrokerError;
use crate::faults::Hooks;
use crate::fetch_session::FetchSessions;
use crate::helpers::Helpers;
use crate::image::Image;
use crate::listeners::Listeners;
use crate::metrics::{ApiMetrics, Metrics};
use crate::partition::{Commit, Partition};
use crate::quotas::ClientQuotas;
use crate::stored::StoredFile;
use crate::topic_options::TopicOptions;
use crate::upkeep::Signal;

/// The metadata log's topic: KRaft's, with KRaft's id.
pub const METADATA_TOPIC: &str = "__cluster_metadata";
const METADATA_TOPIC_ID: [u8; 16] = {
    let mut id = [0; 16];
    id[15] = 1;
    id
};

/// Tells how much time has passed since some fixed moment; appends are timed with it.
pub type Stopwatch = Arc<dyn Fn() -> Duration + Send + Sync>;

/// A stopwatch by the system's monotonic clock.
pub(crate) fn monotonic() -> Stopwatch {
    let begin = Instant::now();
    Arc::new(move || begin.elapsed())
}

pub(crate) struct Broker {
    pub(crate) config: BrokerConfig,
    pub(crate) options: Options,
    pub(crate) node_id: i32,
    pub(crate) versions: Versions,
    pub(crate) metrics: Metrics,
    pub(crate) api_metrics: ApiMetrics,
    pub(crate) hooks: Hooks,
    pub(crate) control: Arc<ControlQueue>,
    pub(crate) helpers: Arc<Helpers>,
    /// The appends of slow partitions, apart from the other helpers: a stuck disk must not hold up flushes and reads of
    /// another one.
    pub(crate) append_helpers: Arc<Helpers>,
    /// What nobody waits for: a segment that a heavy writer has just filled is written out for seconds.
    pub(crate) background: Arc<Helpers>,
    pub(crate) stopwatch: Stopwatch,
    pub(crate) storage: Arc<dyn Storage>,
    pub(crate) logs: LogManager,
    pub(crate) metadata_log: Arc<Partition>,
    pub(crate) upkeep: Arc<Signal>,
    pub(crate) cleaner: CleanerCrew,
    pub(crate) fetch_sessions: FetchSessions,
    pub(crate) quotas: Arc<ClientQuotas>,
    pub(crate) connections: ConnectionSettings,
    pub(crate) listeners: Listeners,
    image: RwLock<Arc<Image>>,
    /// Held while a delta is applied, so that two do not overwrite each other.
    pub(crate) publishing: Mutex<()>,
    /// Partitions that the control plane watches, those that are not here yet too.
    pub(crate) watches: Mutex<HashSet<(String, i32)>>,
    is_stopping: AtomicBool,
}

impl std::fmt::Debug for Broker {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Broker")
            .field("node_id", &self.node_id)
            .finish_non_exhaustive()
    }
}

impl Broker {
    /// Opens the data directories and what is in them.
    pub(crate) fn open(
        config: BrokerConfig,
        storage: Arc<dyn Storage>,
        stopwatch: Stopwatch,
    ) -> Result<Self, BrokerError> {
        let options = Options::parse(&config.options)?;
        let connections = ConnectionSettings::new(&config.options)?;
        let defaults = TopicOptions::parse(&config.options, &config.log_defaults)?;
        let manager = ManagerConfig {
            data_dirs: config.data_dirs.clone(),
            cluster_id: config.cluster_id.clone(),
            node_id: config.node_id,
            temporary: config.temporary,
            open_files_max: options.open_files_max,
            recovery_threads: options.recovery_threads,
            defaults: defaults.log,
        };
        let now_ms = wall_clock_ms();
        let logs = LogManager::open(Arc::clone(&storage), manager, now_ms)?;
        let control = Arc::new(ControlQueue::new(options.queued_requests_max));
        let metadata_log = open_metadata_log(&logs, &control, &options.metadata_log, now_ms, config.temporary)?;
        let cleaner = CleanerCrew::new(&options.cleaner);
        Ok(Self {
            versions: Versions::new(&config.control_apis, config.api_caps.as_ref()),
            helpers: Arc::new(Helpers::new("helper", options.helper_threads)),
            append_helpers: Arc::new(Helpers::giving_way("append", options.helper_threads)),
            background: Arc::new(Helpers::giving_way("background", options.helper_threads)),
            stopwatch,
            api_metrics: ApiMetrics::new(config.reactors_max.max(config.reactors)),
            node_id: config.node_id,
            listeners: Listeners::new(&config.listeners),
            config,
            fetch_sessions: FetchSessions::new(options.fetch_sessions_max),
            quotas: Arc::new(ClientQuotas::new(options.quota_window, options.mutation_window)),
            connections,
            options,
            metrics: Metrics::default(),
            hooks: Hooks::default(),
            control,
            storage,
            logs,
            metadata_log,
            upkeep: Arc::default(),
            cleaner,
            image: RwLock::default(),
            publishing: Mutex::new(()),
            watches: Mutex::default(),
            is_stopping: AtomicBool::new(false),
        })
    }

    /// The image now.
    pub(crate) fn image(&self) -> Arc<Image> {
        Arc::clone(&self.image.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Replaces the image.
    pub(crate) fn set_image(&self, image: Image) {
        *self.image.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(image);
    }

    /// A partition that is here, by name; the metadata log's too.
    pub(crate) fn partition(&self, topic: &str, index: i32) -> Option<Arc<Partition>> {
        if topic == METADATA_TOPIC {
            return (index == 0).then(|| Arc::clone(&self.metadata_log));
        }
        self.image().topic(topic)?.partition(index)?.local.clone()
    }

    /// Ends the connection of a request that cannot be read or is not served.
    pub(crate) fn refuse(&self) -> Outcome<StoredFile> {
        self.metrics.refused_requests.increment();
        Outcome::Close
    }

    /// Milliseconds since 1970, and what a test has let pass at once.
    pub(crate) fn wall_clock_ms(&self) -> i64 {
        wall_clock_ms().saturating_add(self.control.clock.advanced_ms())
    }

    /// Lets time pass at once, for sessions, transactions and retention alike; only forward.
    pub(crate) fn advance_clock(&self, ms: u64) {
        self.control.clock.advance(i64::try_from(ms).unwrap_or(i64::MAX));
        self.control.push(Event::Advanced {
            stamp_ms: self.control.clock.now(),
        });
        self.upkeep.poke();
    }

    /// Milliseconds by the clock of arrival stamps, which fetch sessions grow old by.
    pub(crate) fn session_clock_ms(&self) -> i64 {
        self.control.clock.now_ms()
    }

    /// Flushes a partition's log; the receiver gets the error code. Temporary data is never flushed.
    pub(crate) fn flush(&self, partition: &Arc<Partition>) -> oneshot::Receiver<ErrorCode> {
        let (done, receiver) = oneshot::channel();
        if self.config.temporary {
            // Fails only if the receiver is gone, and it is not.
            let _ = done.send(ErrorCode::NONE);
        } else {
            self.metrics.flushes.increment();
            partition.flush(
                &self.helpers,
                Box::new(move |code| {
                    // The request that waited may be gone.
                    let _ = done.send(code);
                }),
            );
        }
        receiver
    }

    /// Stores the indexes of the segments that an append has sealed and flushes them, in the background.
    pub(crate) fn flush_sealed(&self, partition: &Arc<Partition>) {
        let partition = Arc::clone(partition);
        self.background.run(move || {
            if let Err(error) = partition.log.flush_sealed() {
                log::error!(
                    "flush of sealed segments of {}-{} failed: {error}",
                    partition.topic,
                    partition.index
                );
            }
        });
    }

    pub(crate) fn is_stopping(&self) -> bool {
        self.is_stopping.load(Ordering::SeqCst)
    }

    /// Lets nobody wait any longer: parked fetches are answered, requests of the control plane dropped.
    pub(crate) fn begin_stop(&self) {
        self.is_stopping.store(true, Ordering::SeqCst);
        self.hooks.stop();
        for partition in self.image().local_partitions() {
            partition.waiters.wake_all();
        }
        self.control.close();
    }

    /// Where small durable files are kept.
    pub(crate) fn metadata_dir(&self) -> PathBuf {
        self.metadata_log.log.dir().to_path_buf()
    }
}

fn wall_clock_ms() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

fn open_metadata_log(
    logs: &LogManager,
    control: &Arc<ControlQueue>,
    config: &LogConfig,
    now_ms: i64,
    temporary: bool,
) -> Result<Arc<Partition>, BrokerError> {
    let log = logs.get_or_create_in_first(METADATA_TOPIC, 0, METADATA_TOPIC_ID, config.clone(), now_ms)?;
    let end = log.log_end_offset();
    if end > log.log_start_offset() && !temporary {
        // What was found counts as committed by this only voter once it is surely on disk.
        log.flush()?;
    }
    log.set_high_watermark(end);
    let epoch = log.latest_epoch().unwrap_or(0);
    let topic = Arc::from(METADATA_TOPIC);
    let partition = Partition::new(topic, 0, log, Commit::Voters, Arc::clone(control));
    partition.lead(true, epoch, false);
    Ok(partition)
}
