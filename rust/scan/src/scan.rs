//! The scan's thread and the queue between it and its user.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::time::Duration;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use barnabas_client::ClientError;
use barnabas_client::fetched::FetchedBatch;
use barnabas_columnar::avro::Unresolved;
use barnabas_columnar::{ColumnarError, Decoder, Limits, Projection, RecordSlice};

use crate::predicate::Sieve;
use crate::{BatchSource, Condition, Result, ScanError};

/// Arrow batches that wait for the user; one more may be in the making.
pub const PREFETCHED_BATCHES: usize = 2;

/// How long the iterator waits before it looks again; nothing depends on it.
const ITERATOR_WAIT: Duration = Duration::from_secs(1);

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
    /// What rows must meet, all of it, to be handed over.
    pub conditions: Vec<Condition>,
    /// The offsets of the records that are wanted, in ascending order; all if there is no list. Others are not decoded.
    pub chosen: Option<Arc<[i64]>>,
}

/// What [`Scan::next_within`] found.
#[derive(Debug)]
pub enum Waited {
    /// A batch.
    Batch(RecordBatch),
    /// The records to come name this Avro schema, whose text [`Scan::tell`] takes; nothing comes before. Only when the
    /// projection's registry has no resolver, which would be asked on the scan's own thread.
    Schema(u32),
    /// The end of the range.
    End,
}

/// What is said to [`Waited::Schema`].
type Told = std::result::Result<String, Unresolved>;

/// An offset range of one partition as Arrow batches. Dropping it ends the reading.
pub struct Scan {
    schema: SchemaRef,
    queue: Receiver<Result<Waited>>,
    told: Sender<Told>,
    cancelled: Arc<AtomicBool>,
    wake: Box<dyn Fn() + Send>,
    done: bool,
}

impl fmt::Debug for Scan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scan")
            .field("schema", &self.schema)
            .field("done", &self.done)
            .finish_non_exhaustive()
    }
}

impl Scan {
    /// Starts to read: `open` gives the source on the scan's thread, `wake` makes a waiting source return early when
    /// the scan is dropped.
    ///
    /// # Errors
    /// The thread could not be started.
    pub fn start<S: BatchSource>(
        config: ScanConfig,
        open: impl FnOnce() -> std::result::Result<S, ClientError> + Send + 'static,
        wake: impl Fn() + Send + 'static,
    ) -> Result<Self> {
        let (sender, queue) = sync_channel(PREFETCHED_BATCHES);
        let (told, answers) = channel();
        let cancelled = Arc::new(AtomicBool::new(false));
        let schema = Arc::clone(config.projection.schema());
        let worker = Worker {
            position: config.start,
            config,
            sender,
            answers,
            cancelled: Arc::clone(&cancelled),
        };
        std::thread::Builder::new()
            .name("barnabas-scan".to_owned())
            .spawn(move || worker.run(open))
            .map_err(ScanError::Thread)?;
        Ok(Self {
            schema,
            queue,
            told,
            cancelled,
            wake: Box::new(wake),
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
            Ok(Ok(Waited::End)) => Ok(Waited::End),
            Ok(Ok(found)) => return Some(Ok(found)),
            Ok(Err(error)) => Err(error),
            Err(RecvTimeoutError::Timeout) => return None,
            Err(RecvTimeoutError::Disconnected) => Err(ScanError::ThreadDied),
        };
        self.done = true;
        Some(found)
    }

    /// Answers [`Waited::Schema`]: the schema's text, or why there is none. An id that is unknown makes its values bad
    /// records; what could not be found out ends the scan with an error.
    pub fn tell(&self, schema: std::result::Result<String, Unresolved>) {
        // A scan that ended needs no answer.
        let _ = self.told.send(schema);
    }
}

impl Iterator for Scan {
    type Item = Result<RecordBatch>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            match self.next_within(ITERATOR_WAIT) {
                Some(Ok(Waited::Batch(batch))) => return Some(Ok(batch)),
                Some(Ok(Waited::End)) => return None,
                Some(Err(error)) => return Some(Err(error)),
                Some(Ok(Waited::Schema(_))) => {
                    self.tell(Err(Unresolved::Failed("the registry was given no resolver".to_owned())));
                }
                None => {}
            }
        }
    }
}

impl Drop for Scan {
    fn drop(&mut self) {
        if !self.done {
            self.cancelled.store(true, Ordering::Relaxed);
            (self.wake)();
        }
    }
}

/// What lives on the thread.
struct Worker {
    config: ScanConfig,
    position: i64,
    sender: SyncSender<Result<Waited>>,
    answers: Receiver<Told>,
    cancelled: Arc<AtomicBool>,
}

/// Whether the range was read to its end, or the user dropped the scan.
#[derive(PartialEq, Eq)]
enum Ended {
    Whole,
    Cancelled,
}

impl Worker {
    fn run<S: BatchSource>(mut self, open: impl FnOnce() -> std::result::Result<S, ClientError>) {
        let last = match self.read(open) {
            Ok(Ended::Whole) => Ok(Waited::End),
            Ok(Ended::Cancelled) => return,
            Err(error) => Err(error),
        };
        // Nobody may be left to hear it.
        let _ = self.sender.send(last);
    }

    fn read<S: BatchSource>(&mut self, open: impl FnOnce() -> std::result::Result<S, ClientError>) -> Result<Ended> {
        if self.config.start >= self.config.end {
            return Ok(Ended::Whole);
        }
        let mut source = open().map_err(|source| self.fetch_error(source))?;
        let mut decoder = Decoder::new(self.config.projection.clone(), self.config.limits);
        let mut sieve = (!self.config.conditions.is_empty()).then(|| {
            let rows = self.config.limits.rows;
            Sieve::new(self.config.projection.schema(), self.config.conditions.clone(), rows)
        });
        let mut full = Vec::new();
        while self.position < self.config.end && !self.cancelled.load(Ordering::Relaxed) {
            let Some(batch) = source.next_batch().map_err(|source| self.fetch_error(source))? else {
                break;
            };
            if self.decode(&mut decoder, &batch, &mut full)? == Ended::Cancelled
                || self.hand_over(&mut full, sieve.as_mut())? == Ended::Cancelled
            {
                return Ok(Ended::Cancelled);
            }
        }
        if !self.cancelled.load(Ordering::Relaxed) {
            source.finished();
        }
        drop(source);
        full.extend(decoder.finish()?);
        if self.hand_over(&mut full, sieve.as_mut())? == Ended::Cancelled {
            return Ok(Ended::Cancelled);
        }
        if let Some(mut sieve) = sieve {
            full.extend(sieve.finish()?);
        }
        self.hand_over(&mut full, None)
    }

    fn decode(&mut self, decoder: &mut Decoder, batch: &FetchedBatch, full: &mut Vec<RecordBatch>) -> Result<Ended> {
        let slice = RecordSlice {
            topic: &self.config.topic,
            partition: self.config.partition,
            header: &batch.header,
            payload: &batch.payload,
            first_offset: batch.first_offset.max(self.position),
            end_offset: batch.end_offset.min(self.config.end),
            chosen: self.config.chosen.as_deref(),
        };
        if self.ask_for_schemas(&slice)? == Ended::Cancelled {
            return Ok(Ended::Cancelled);
        }
        decoder.push(&slice, full)?;
        self.position = self.position.max(batch.header.last_offset().saturating_add(1));
        Ok(Ended::Whole)
    }

    /// Has the user tell the schemas that records name and that nobody told yet.
    fn ask_for_schemas(&self, slice: &RecordSlice<'_>) -> Result<Ended> {
        let payload = self.config.projection.payload();
        let Some(registry) = payload.and_then(|payload| payload.registry()) else {
            return Ok(Ended::Whole);
        };
        for id in self.config.projection.missing_schemas(slice) {
            if self.sender.send(Ok(Waited::Schema(id))).is_err() {
                return Ok(Ended::Cancelled);
            }
            match self.answers.recv() {
                Ok(Ok(text)) => registry.insert(id, &text)?,
                Ok(Err(Unresolved::Unknown(reason))) => registry.insert_unknown(id, &reason)?,
                Ok(Err(Unresolved::Failed(reason))) => {
                    return Err(ColumnarError::SchemaUnresolved { id, reason }.into());
                }
                Err(_) => return Ok(Ended::Cancelled),
            }
        }
        Ok(Ended::Whole)
    }

    /// Gives the user what is in `full`, as far as it goes through the sieve.
    fn hand_over(&self, full: &mut Vec<RecordBatch>, sieve: Option<&mut Sieve>) -> Result<Ended> {
        let mut sifted = Vec::new();
        let ready = match sieve {
            None => full,
            Some(sieve) => {
                for batch in full.drain(..) {
                    sieve.push(batch, &mut sifted)?;
                }
                &mut sifted
            }
        };
        for batch in ready.drain(..) {
            if self.sender.send(Ok(Waited::Batch(batch))).is_err() {
                return Ok(Ended::Cancelled);
            }
        }
        Ok(Ended::Whole)
    }

    fn fetch_error(&self, source: ClientError) -> ScanError {
        ScanError::Fetch {
            topic: self.config.topic.clone(),
            partition: self.config.partition,
            position: self.position,
            end: self.config.end,
            source,
        }
    }
}
