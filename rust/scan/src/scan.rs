//! The scan's thread and the queue between it and its user.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::{Duration, Instant};

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use barnabas_client::fetched::FetchedBatch;
use barnabas_columnar::{Decoder, Limits, Projection, RecordSlice};

use crate::{BatchSource, Next, Result, ScanError};

/// Arrow batches that wait for the user; two more may be in the making.
pub const PREFETCHED_BATCHES: usize = 2;

/// How long the thread waits for records before it looks whether the scan was dropped.
const CANCEL_CHECK_INTERVAL: Duration = Duration::from_millis(100);

/// What to read and how.
#[derive(Clone, Debug)]
pub struct ScanConfig {
    /// The topic.
    pub topic: String,
    /// The partition.
    pub partition: i32,
    /// First offset.
    pub start: i64,
    /// Offset after the last one.
    pub end: i64,
    /// The columns.
    pub projection: Projection,
    /// Size of the Arrow batches.
    pub limits: Limits,
    /// Longest time without records before the scan fails.
    pub idle_timeout: Duration,
}

/// What [`Scan::next_within`] found.
#[derive(Debug)]
pub enum Waited {
    /// A batch.
    Batch(RecordBatch),
    /// The end of the range.
    End,
}

/// An offset range of one partition as Arrow batches.
#[derive(Debug)]
pub struct Scan {
    schema: SchemaRef,
    queue: Receiver<Result<Option<RecordBatch>>>,
    cancelled: Arc<AtomicBool>,
    done: bool,
}

impl Scan {
    /// Starts to read; `source` is opened on the scan's thread.
    ///
    /// # Errors
    /// The thread could not be started.
    pub fn start<S: BatchSource>(
        config: ScanConfig,
        open: impl FnOnce() -> std::result::Result<S, barnabas_client::ClientError> + Send + 'static,
    ) -> Result<Self> {
        let (sender, queue) = sync_channel(PREFETCHED_BATCHES);
        let cancelled = Arc::new(AtomicBool::new(false));
        let schema = Arc::clone(config.projection.schema());
        let worker = Worker {
            position: config.start,
            config,
            sender,
            cancelled: Arc::clone(&cancelled),
        };
        std::thread::Builder::new()
            .name("barnabas-scan".to_owned())
            .spawn(move || worker.run(open))
            .map_err(ScanError::Thread)?;
        Ok(Self {
            schema,
            queue,
            cancelled,
            done: false,
        })
    }

    /// The schema of the batches.
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// The next batch if it comes within `timeout`; after the end and after an error only the end.
    pub fn next_within(&mut self, timeout: Duration) -> Option<Result<Waited>> {
        if self.done {
            return Some(Ok(Waited::End));
        }
        let found = match self.queue.recv_timeout(timeout) {
            Ok(Ok(Some(batch))) => return Some(Ok(Waited::Batch(batch))),
            Ok(Ok(None)) => Ok(Waited::End),
            Ok(Err(error)) => Err(error),
            Err(RecvTimeoutError::Timeout) => return None,
            Err(RecvTimeoutError::Disconnected) => Err(ScanError::ThreadDied),
        };
        self.done = true;
        Some(found)
    }
}

impl Iterator for Scan {
    type Item = Result<RecordBatch>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            match self.next_within(CANCEL_CHECK_INTERVAL) {
                Some(Ok(Waited::Batch(batch))) => return Some(Ok(batch)),
                Some(Ok(Waited::End)) => return None,
                Some(Err(error)) => return Some(Err(error)),
                None => {}
            }
        }
    }
}

impl Drop for Scan {
    fn drop(&mut self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }
}

/// What lives on the thread.
struct Worker {
    config: ScanConfig,
    position: i64,
    sender: SyncSender<Result<Option<RecordBatch>>>,
    cancelled: Arc<AtomicBool>,
}

/// The user dropped the scan.
struct Cancelled;

impl Worker {
    fn run<S: BatchSource>(mut self, open: impl FnOnce() -> std::result::Result<S, barnabas_client::ClientError>) {
        let outcome = self.read(open);
        let last = match outcome {
            Ok(Ok(())) => Ok(None),
            Ok(Err(Cancelled)) => return,
            Err(error) => Err(error),
        };
        // Nobody may be left to hear it.
        let _ = self.sender.send(last);
    }

    fn read<S: BatchSource>(
        &mut self,
        open: impl FnOnce() -> std::result::Result<S, barnabas_client::ClientError>,
    ) -> Result<std::result::Result<(), Cancelled>> {
        if self.config.start >= self.config.end {
            return Ok(Ok(()));
        }
        let mut source = open().map_err(|source| self.fetch_error(source))?;
        let mut decoder = Decoder::new(self.config.projection.clone(), self.config.limits);
        let mut full = Vec::new();
        let mut idle_since = Instant::now();
        loop {
            if self.cancelled.load(Ordering::Relaxed) {
                return Ok(Err(Cancelled));
            }
            match source
                .next(CANCEL_CHECK_INTERVAL)
                .map_err(|source| self.fetch_error(source))?
            {
                Next::Batch(batch) => {
                    self.decode(&mut decoder, &batch, &mut full)?;
                    if self.hand_over(&mut full).is_err() {
                        return Ok(Err(Cancelled));
                    }
                    idle_since = Instant::now();
                }
                Next::Idle => self.check_idle(idle_since)?,
                Next::End => break,
            }
            if self.position >= self.config.end {
                break;
            }
        }
        full.extend(decoder.finish()?);
        Ok(self.hand_over(&mut full))
    }

    fn decode(&mut self, decoder: &mut Decoder, batch: &FetchedBatch, full: &mut Vec<RecordBatch>) -> Result<()> {
        let slice = RecordSlice {
            topic: &self.config.topic,
            partition: self.config.partition,
            header: &batch.header,
            payload: &batch.payload,
            first_offset: batch.first_offset.max(self.position),
            end_offset: batch.end_offset.min(self.config.end),
        };
        decoder.push(&slice, full)?;
        self.position = self.position.max(batch.header.last_offset().saturating_add(1));
        Ok(())
    }

    fn hand_over(&self, full: &mut Vec<RecordBatch>) -> std::result::Result<(), Cancelled> {
        full.drain(..)
            .try_for_each(|batch| self.sender.send(Ok(Some(batch))).map_err(|_| Cancelled))
    }

    fn check_idle(&self, since: Instant) -> Result<()> {
        let waited = since.elapsed();
        if waited < self.config.idle_timeout {
            return Ok(());
        }
        Err(ScanError::TimedOut {
            topic: self.config.topic.clone(),
            partition: self.config.partition,
            position: self.position,
            end: self.config.end,
            waited_ms: waited.as_millis(),
        })
    }

    fn fetch_error(&self, source: barnabas_client::ClientError) -> ScanError {
        ScanError::Fetch {
            topic: self.config.topic.clone(),
            partition: self.config.partition,
            position: self.position,
            end: self.config.end,
            source,
        }
    }
}
