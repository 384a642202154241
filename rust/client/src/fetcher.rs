//! The consumer's face of fetching: assignment, positions, and what was fetched.

use std::sync::Arc;
use std::time::Duration;

use crate::client::Client;
use crate::config::FetchConfig;
use crate::error::ClientError;
use crate::fetch_buffer::{Assigned, FetchBuffer, Limit, PositionOf, TopicPartition};
use crate::fetched::FetchedBatch;
use crate::io_thread::Command;
use crate::mailbox::Waited;

/// The consumer's face of fetching.
#[derive(Debug)]
pub struct Fetcher {
    client: Client,
    buffer: Arc<FetchBuffer>,
    id: u64,
}

impl Fetcher {
    /// A fetcher on a client.
    ///
    /// # Errors
    /// The client is closed.
    pub fn new(client: Client, config: FetchConfig) -> Result<Self, ClientError> {
        client.check_open()?;
        let buffer = Arc::new(FetchBuffer::new(config));
        let id = u64::try_from(client.next_index()).unwrap_or(0);
        client.command(Command::AddFetcher {
            id,
            buffer: Arc::clone(&buffer),
        });
        Ok(Self { client, buffer, id })
    }

    /// The client below.
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// The whole new assignment.
    pub fn assign(&self, partitions: &[Assigned]) {
        self.buffer.assign(partitions);
        self.client.waker().wake();
    }

    /// Fetches nothing from `end` on, of no partition.
    pub(crate) fn stop_at(&self, end: i64) {
        self.buffer.stop_at(end);
    }

    /// Goes on at `offset`.
    ///
    /// # Errors
    /// The partition is not assigned.
    pub fn seek(&self, topic: &str, partition: i32, offset: i64) -> Result<(), ClientError> {
        if !self.buffer.seek(&(Arc::from(topic), partition), offset) {
            return Err(ClientError::IllegalState(format!(
                "{topic}-{partition} is not assigned to this consumer"
            )));
        }
        self.client.waker().wake();
        Ok(())
    }

    /// Pauses or resumes partitions.
    ///
    /// # Errors
    /// One of them is not assigned; the others are changed.
    pub fn set_paused(&self, partitions: &[TopicPartition], is_paused: bool) -> Result<(), ClientError> {
        let unknown = self.buffer.set_paused(partitions, is_paused);
        self.client.waker().wake();
        match unknown.first() {
            None => Ok(()),
            Some((topic, partition)) => Err(ClientError::IllegalState(format!(
                "{topic}-{partition} is not assigned to this consumer"
            ))),
        }
    }

    /// The offset of the next record to be polled.
    pub fn position(&self, topic: &str, partition: i32) -> Option<i64> {
        self.buffer.position(&(Arc::from(topic), partition))
    }

    /// Where all partitions stand.
    pub fn positions(&self) -> Vec<PositionOf> {
        self.buffer.positions()
    }

    /// High watermark, last stable offset and log start offset of each partition, -1 while unknown.
    pub fn watermarks(&self) -> Vec<(TopicPartition, [i64; 3])> {
        self.buffer.watermarks()
    }

    /// Waits up to `timeout` for data or an event.
    pub fn wait(&self, timeout: Duration) -> Waited {
        self.buffer.wait(self.client.mailbox(), timeout)
    }

    /// Whether [`take`](Self::take) would return something.
    pub fn has_data(&self) -> bool {
        self.buffer.has_data()
    }

    /// Takes what waits, at most `max_records` or else whole batches of `barnabas.poll.bytes`, and moves the positions on.
    pub fn take(&self, max_records: Option<usize>) -> Vec<FetchedBatch> {
        let limit = match max_records {
            Some(records) => Limit {
                records,
                bytes: usize::MAX,
            },
            None => Limit {
                records: usize::MAX,
                bytes: self.buffer.config.poll_bytes,
            },
        };
        let (batches, is_to_be_fetched) = self.buffer.take(limit);
        if is_to_be_fetched {
            self.client.waker().wake();
        }
        batches
    }

    /// Counters by name.
    pub fn metrics(&self) -> Vec<(&'static str, u64)> {
        let counters = &self.buffer.counters;
        vec![
            ("fetch_requests", counters.requests.get()),
            ("fetched_bytes", counters.bytes.get()),
            ("fetched_batches", counters.batches.get()),
            ("fetched_records", counters.records.get()),
            (
                "fetch_buffered_bytes",
                u64::try_from(self.buffer.buffered_bytes()).unwrap_or(0),
            ),
        ]
    }
}

impl Drop for Fetcher {
    fn drop(&mut self) {
        self.client.command(Command::RemoveFetcher { id: self.id });
    }
}
