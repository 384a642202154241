//! Clients that scans share, one at a time: a partition reader takes its client's events.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use barnabas_client::config::{ClientConfig, FetchConfig, Options};
use barnabas_client::fetched::FetchedBatch;
use barnabas_client::{Client, ClientError, PartitionReader};

use crate::{BatchSource, Result, Scan, ScanConfig};

/// Clients that are kept for the next scan.
pub const IDLE_CLIENTS: usize = 2;

/// Longest that a broker may hold back a fetch. What a scan wants is there; a fetch that was sent ahead beyond the end of
/// the range would hold up the connection's next user.
const FETCH_WAIT_MAX: Duration = Duration::from_millis(5);

type Idle = Arc<Mutex<Vec<Client>>>;

/// Starts scans of one cluster; connections of finished scans are used again.
pub struct ClientPool {
    client: ClientConfig,
    fetch: FetchConfig,
    idle: Idle,
}

impl fmt::Debug for ClientPool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClientPool")
            .field("client", &self.client)
            .finish_non_exhaustive()
    }
}

impl ClientPool {
    /// A pool for a cluster; nothing is connected to yet.
    ///
    /// # Errors
    /// An option is wrong.
    pub fn new(options: &Options) -> std::result::Result<Self, ClientError> {
        let mut fetch = FetchConfig::from_options(options)?;
        fetch.max_wait = fetch.max_wait.min(FETCH_WAIT_MAX);
        Ok(Self {
            client: ClientConfig::from_options(options)?,
            fetch,
            idle: Idle::default(),
        })
    }

    /// Starts to read a range; gives up when nothing comes for `stall_timeout`.
    ///
    /// # Errors
    /// The scan's or its client's thread could not be started.
    pub fn scan(&self, config: ScanConfig, stall_timeout: Duration) -> Result<Scan> {
        let client = self.take().map_err(|source| crate::ScanError::Fetch {
            topic: config.topic.clone(),
            partition: config.partition,
            position: config.start,
            end: config.end,
            source,
        })?;
        let to_wake = client.clone();
        let idle = Arc::clone(&self.idle);
        let fetch = self.fetch.clone();
        let (topic, partition, start, end) = (config.topic.clone(), config.partition, config.start, config.end);
        let open = move || {
            let reader = PartitionReader::with_config(client.clone(), fetch, &topic, partition, start, end)?;
            Ok(PooledReader {
                reader: Some(reader.stall_timeout(stall_timeout)),
                client,
                idle,
                finished: false,
            })
        };
        Scan::start(config, open, move || to_wake.close(Duration::ZERO))
    }

    fn take(&self) -> std::result::Result<Client, ClientError> {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        while let Some(client) = idle.pop() {
            if client.check_open().is_ok() {
                return Ok(client);
            }
        }
        drop(idle);
        Client::new(self.client.clone())
    }
}

/// A reader that gives its client back when its range was read, and closes it when not.
struct PooledReader {
    reader: Option<PartitionReader>,
    client: Client,
    idle: Idle,
    finished: bool,
}

impl BatchSource for PooledReader {
    fn next_batch(&mut self) -> std::result::Result<Option<FetchedBatch>, ClientError> {
        self.reader.as_mut().map_or(Ok(None), PartitionReader::next_batch)
    }

    fn finished(&mut self) {
        self.finished = true;
    }
}

impl Drop for PooledReader {
    fn drop(&mut self) {
        // First the reader, so that the next user of the client gets none of its events.
        self.reader = None;
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if self.finished && idle.len() < IDLE_CLIENTS && self.client.check_open().is_ok() {
            idle.push(self.client.clone());
            return;
        }
        drop(idle);
        self.client.close(Duration::ZERO);
    }
}
