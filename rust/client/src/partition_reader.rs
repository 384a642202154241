//! Reads one partition's records in a range of offsets, for scans. The range's end is exclusive, and reached also when its last
//! offsets hold no records.

use std::sync::Arc;
use std::time::{Duration, Instant};

use barnabas_wire::errors::ErrorCode;

use crate::client::Client;
use crate::config::{FetchConfig, Options};
use crate::error::ClientError;
use crate::fetch_buffer::Assigned;
use crate::fetched::FetchedBatch;
use crate::fetcher::Fetcher;
use crate::mailbox::Event;

/// A reader of `[start, end)` of one partition. It takes the client's events, so the client is for one reader at a time.
#[derive(Debug)]
pub struct PartitionReader {
    fetcher: Fetcher,
    topic: Arc<str>,
    partition: i32,
    end: i64,
    timeout: Duration,
    ready: std::vec::IntoIter<FetchedBatch>,
}

/// Without a single batch for so long, a read gives up.
const STALL_TIMEOUT: Duration = Duration::from_secs(60);

impl PartitionReader {
    pub(crate) fn new(client: Client, topic: &str, partition: i32, start: i64, end: i64) -> Result<Self, ClientError> {
        Self::with_config(
            client,
            FetchConfig::from_options(&Options::new())?,
            topic,
            partition,
            start,
            end,
        )
    }

    /// As [`Client::partition_reader`], with other fetch options.
    ///
    /// # Errors
    /// The client is closed.
    pub fn with_config(
        client: Client,
        config: FetchConfig,
        topic: &str,
        partition: i32,
        start: i64,
        end: i64,
    ) -> Result<Self, ClientError> {
        let fetcher = Fetcher::new(client, config)?;
        let topic: Arc<str> = Arc::from(topic);
        // A fetch from the end of the log on would wait there for records, and keep the connection from its next user.
        fetcher.stop_at(end);
        fetcher.assign(&[Assigned {
            topic: Arc::clone(&topic),
            partition,
            offset: start.max(0),
            leader_epoch: -1,
        }]);
        Ok(Self {
            fetcher,
            topic,
            partition,
            end,
            timeout: STALL_TIMEOUT,
            ready: Vec::new().into_iter(),
        })
    }

    /// Gives up when nothing comes for so long; a minute, if this is not called.
    #[must_use]
    pub fn stall_timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// The next batch; `None` at the end of the range.
    ///
    /// # Errors
    /// The broker refuses, or nothing comes in time. After an error the reader is at its end.
    pub fn next_batch(&mut self) -> Result<Option<FetchedBatch>, ClientError> {
        let deadline = Instant::now() + self.timeout;
        loop {
            if let Some(mut batch) = self.ready.next() {
                if batch.first_offset >= self.end {
                    self.ready = Vec::new().into_iter();
                    return Ok(None);
                }
                batch.end_offset = batch.end_offset.min(self.end);
                return Ok(Some(batch));
            }
            let position = self.fetcher.position(&self.topic, self.partition).unwrap_or(i64::MAX);
            if position >= self.end {
                return Ok(None);
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(self.stalled(position));
            }
            self.fetcher.client().check_open()?;
            // In slices, because control batches at the end move the position without making data.
            self.fetcher.wait(left.min(Duration::from_millis(100)));
            self.ready = self.fetcher.take(None).into_iter();
            if self.ready.len() == 0 {
                self.check_events()?;
            }
        }
    }

    fn check_events(&mut self) -> Result<(), ClientError> {
        for event in self.fetcher.client().events(Duration::ZERO) {
            if let Event::FetchError {
                topic,
                partition,
                error_code,
                offset,
            } = event
                && topic == self.topic
                && partition == self.partition
            {
                self.end = i64::MIN;
                let words = ErrorCode(error_code).message();
                let message = format!("reading {topic}-{partition} at offset {offset}: {words}");
                return Err(ClientError::Broker {
                    code: error_code,
                    message,
                });
            }
        }
        Ok(())
    }

    fn stalled(&mut self, position: i64) -> ClientError {
        self.end = i64::MIN;
        ClientError::Timeout {
            what: format!(
                "nothing of {}-{} from offset {position} was read",
                self.topic, self.partition
            ),
            timeout_ms: u64::try_from(self.timeout.as_millis()).unwrap_or(u64::MAX),
        }
    }
}

impl Iterator for PartitionReader {
    type Item = Result<FetchedBatch, ClientError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_batch().transpose()
    }
}
