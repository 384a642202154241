//! A producer's face: what callers' threads do before a record is in a batch, and while they wait for it.

mod waiting;

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use barnabas_wire::errors::ErrorCode;

use crate::accumulator::{Accumulator, Appended, NotAppended, PartitionQueue, RecordData};
use crate::batch::{BATCH_OVERHEAD, BatchState, Failure, OpenBatch, Outcome};
use crate::buffer_pool::{BufferPool, Lease, Ticket};
use crate::client::Client;
use crate::config::ProducerConfig;
use crate::counters::Counter;
use crate::error::ClientError;
use crate::io_thread::Command;
use crate::lock::lock;
use crate::partitioner::TopicState;

pub use waiting::{Completions, Flush, PendingFlush};

/// A larger record is compressed, summed up and written by the I/O thread, whoever waits: that takes longer than waking it.
const SENT_BY_CALLER_BYTES_MAX: usize = 16 << 10;

/// What a producer's threads and the I/O thread share.
#[derive(Debug)]
pub(crate) struct ProducerShared {
    pub(crate) config: ProducerConfig,
    pub(crate) accumulator: Arc<Accumulator>,
    pub(crate) counters: ProducerCounters,
    flushing: AtomicUsize,
    queues: Mutex<Vec<Arc<PartitionQueue>>>,
}

#[derive(Debug, Default)]
pub(crate) struct ProducerCounters {
    pub(crate) records: Counter,
    pub(crate) failed_records: Counter,
    pub(crate) batches: Counter,
    pub(crate) bytes: Counter,
    pub(crate) requests: Counter,
    pub(crate) retries: Counter,
    pub(crate) splits: Counter,
}

impl ProducerShared {
    /// Whether somebody waits in `flush` or `close`: nothing lingers then.
    pub(crate) fn is_flushing(&self) -> bool {
        self.flushing.load(Ordering::Acquire) > 0
    }

    /// Decides a batch's outcome. The caller rings the completion's bell afterwards.
    pub(crate) fn finish(&self, state: &Arc<BatchState>, outcome: Outcome) {
        if let Some((state, outcome)) = state.settle(outcome)
            && state.decide(outcome)
        {
            self.accumulator.completed(state.id());
        }
    }

    /// Gives up a batch that was never sent.
    #[expect(clippy::needless_pass_by_value, reason = "the batch ends here")]
    pub(crate) fn fail_open(&self, open: OpenBatch, failure: Failure, message: &Arc<str>) {
        self.counters
            .failed_records
            .add(u64::try_from(open.builder.record_count()).unwrap_or(0));
        self.finish(
            &open.state,
            Outcome::Failed {
                failure,
                message: Arc::clone(message),
                attempts: 0,
            },
        );
    }

    /// How many partitions were ever produced to.
    pub(crate) fn queue_count(&self) -> usize {
        lock(&self.queues).len()
    }

    /// All partitions that were ever produced to.
    pub(crate) fn queues(&self) -> Vec<Arc<PartitionQueue>> {
        lock(&self.queues).clone()
    }
}

/// A producer.
#[derive(Debug)]
pub struct Producer {
    client: Client,
    shared: Arc<ProducerShared>,
    index: usize,
    topics: Mutex<HashMap<Arc<str>, Arc<TopicState>>>,
    /// How many answers of metadata there were when a topic without partitions was asked for.
    asked: Mutex<HashMap<Arc<str>, u64>>,
    /// Changes when a topic's state was replaced, so that callers' caches look again.
    generation: AtomicU64,
    is_closed: AtomicBool,
}

/// Why a record was not taken at once.
#[derive(Debug)]
pub enum NotSent {
    /// The buffer memory is full; [`Producer::wait_for_buffer`] waits for so many bytes.
    NoBuffer(usize),
    /// It never will be.
    Error(ClientError),
}

impl From<ClientError> for NotSent {
    fn from(error: ClientError) -> Self {
        Self::Error(error)
    }
}

/// Room for a record, got by waiting.
#[derive(Debug)]
pub struct Buffer(Lease);

/// A place in the queue for room.
#[derive(Debug)]
pub struct BufferTicket(Ticket);

impl BufferTicket {
    /// Waits up to `timeout`.
    pub fn wait(&self, timeout: Duration) -> Option<Buffer> {
        self.0.wait(timeout).map(Buffer)
    }
}

impl Producer {
    /// A producer on a client.
    ///
    /// # Errors
    /// The client is closed.
    pub fn new(client: Client, config: ProducerConfig) -> Result<Self, ClientError> {
        client.check_open()?;
        let pool = BufferPool::new(config.buffer_memory);
        let accumulator = Accumulator::new(pool, config.batch_size, config.linger, client.waker());
        let shared = Arc::new(ProducerShared {
            config,
            accumulator,
            counters: ProducerCounters::default(),
            flushing: AtomicUsize::new(0),
            queues: Mutex::default(),
        });
        let index = client.next_index();
        client.command(Command::AddProducer {
            index,
            shared: Arc::clone(&shared),
        });
        Ok(Self {
            client,
            shared,
            index,
            topics: Mutex::default(),
            asked: Mutex::default(),
            generation: AtomicU64::new(0),
            is_closed: AtomicBool::new(false),
        })
    }

    /// The options.
    pub fn config(&self) -> &ProducerConfig {
        &self.shared.config
    }

    /// The client below.
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// Changes when [`topic`](Self::topic) may answer differently.
    #[inline]
    pub fn generation(&self) -> u64 {
        self.generation.load(Ordering::Acquire)
    }

    /// The topic, if its partitions are known; else they are asked for.
    ///
    /// # Errors
    /// The cluster refuses the topic, or the producer is closed.
    pub fn topic(&self, name: &str) -> Result<Option<Arc<TopicState>>, ClientError> {
        self.check_open()?;
        let view = self.client.view();
        let mut topics = lock(&self.topics);
        let known = topics.get(name).cloned();
        let count = view.topic(name).map_or(0, |topic| topic.partitions.len());
        if let Some(topic) = known.filter(|topic| topic.partition_count() >= count) {
            return Ok(Some(topic));
        }
        let Some(found) = view.topic(name) else {
            self.ask(name);
            return Ok(None);
        };
        let code = ErrorCode(found.error_code);
        if !code.is_ok() && !code.retriable() {
            // It may be what the cluster said long ago.
            if !self.is_answered(name) {
                self.ask(name);
                return Ok(None);
            }
            let remedy = match code {
                ErrorCode::INVALID_TOPIC_EXCEPTION => {
                    "; it has 1 to 249 of the characters a-z, A-Z, 0-9, '.', '_' and '-', and is neither . nor .."
                }
                _ => "",
            };
            return Err(ClientError::Broker {
                code: code.code(),
                message: format!("topic {name}: {}{remedy}", code.message()),
            });
        }
        self.client.metadata().want_produced(&found.name, &self.client.waker());
        if found.partitions.is_empty() {
            return Ok(None);
        }
        lock(&self.asked).remove(name);
        let mut partitions: Vec<_> = topics
            .get(name)
            .map_or_else(Vec::new, |topic| topic.partitions.to_vec());
        for index in partitions.len()..count {
            let partition = i32::try_from(index).unwrap_or(i32::MAX);
            let queue = self.shared.accumulator.new_queue(Arc::clone(&found.name), partition);
            lock(&self.shared.queues).push(Arc::clone(&queue));
            partitions.push(queue);
        }
        let seed = barnabas_net::outbound::Jitter::new().next_u64();
        let topic = {
            let config = &self.shared.config;
            let strategy = (config.partitioner, config.adaptive_partitioning);
            Arc::new(TopicState::new(Arc::clone(&found.name), partitions, strategy, seed))
        };
        topics.insert(Arc::clone(&found.name), Arc::clone(&topic));
        self.generation.fetch_add(1, Ordering::AcqRel);
        Ok(Some(topic))
    }

    /// Asks the cluster for a topic, unless an answer is being waited for.
    fn ask(&self, name: &str) {
        let metadata = self.client.metadata();
        let mut asked = lock(&self.asked);
        if !asked.contains_key(name) {
            let name = Arc::from(name);
            metadata.want_produced(&name, &self.client.waker());
            asked.insert(name, metadata.count());
            drop(asked);
            metadata.request(&self.client.waker());
        }
    }

    /// Whether the cluster has answered since a topic was asked for. An answer is used once.
    fn is_answered(&self, name: &str) -> bool {
        let count = self.client.metadata().count();
        let mut asked = lock(&self.asked);
        let is_answered = asked.get(name).is_some_and(|before| count > *before);
        if is_answered {
            asked.remove(name);
        }
        is_answered
    }

    /// How many times the cluster was asked, for [`wait_for_metadata`](Self::wait_for_metadata).
    pub fn metadata_count(&self) -> u64 {
        self.client.metadata().count()
    }

    /// Waits up to `timeout` until the cluster was asked again after `count` was read.
    ///
    /// # Errors
    /// It was not in time: why the last attempt failed, if it did.
    pub fn wait_for_metadata(&self, count: u64, timeout: Duration) -> Result<(), Option<String>> {
        self.client.metadata().wait_count(count, timeout)
    }

    /// Why a topic's partitions are not known: why the cluster could not be asked, or what it answered last.
    pub fn why_unknown(&self, topic: &str) -> Option<String> {
        let answered = || {
            let view = self.client.view();
            let code = ErrorCode(view.topic(topic)?.error_code);
            let remedy = match code {
                ErrorCode::UNKNOWN_TOPIC_OR_PARTITION => {
                    ": the broker has not created it by itself, so create it first (Admin.create_topics), or look at \
                     the name, or allow auto.create.topics.enable on the broker"
                }
                _ => "",
            };
            (!code.is_ok()).then(|| format!("the cluster last answered {code}{remedy}"))
        };
        self.client.metadata_failure().or_else(answered)
    }

    /// Appends a record to its partition's open batch.
    ///
    /// # Errors
    /// [`NotSent::NoBuffer`] when the caller must wait for room.
    #[inline]
    pub fn try_send(
        &self,
        topic: &TopicState,
        partition: Option<i32>,
        record: &RecordData<'_>,
        buffer: Option<Buffer>,
    ) -> Result<Appended, NotSent> {
        let mut lease = buffer.map(|buffer| buffer.0);
        let accumulator = &self.shared.accumulator;
        let (queue, is_sticky) = Self::choose(topic, partition, record.key)?;
        match accumulator.append(queue, record, &mut lease) {
            Ok(appended) => {
                if is_sticky {
                    topic.used_sticky(record.size_max(), appended.closed_full, accumulator.batch_size);
                }
                if appended.is_due {
                    self.send_now(record);
                }
                Ok(appended)
            }
            Err(reason) => Err(Self::not_sent(reason)),
        }
    }

    /// A batch is to be sent at once. Small ones may be sent by this thread.
    #[cold]
    fn send_now(&self, record: &RecordData<'_>) {
        if record.size_max() <= SENT_BY_CALLER_BYTES_MAX {
            self.client.send_now(self.index);
        } else {
            self.client.waker().wake();
        }
    }

    /// Appends records until there is no room, each run of records to one partition under one lock. `placed` is told of each.
    /// Returns the first record that was not appended, and why.
    pub fn try_send_run<'a>(
        &self,
        topic: &TopicState,
        partition: Option<i32>,
        records: &mut impl Iterator<Item = RecordData<'a>>,
        buffer: Option<Buffer>,
        mut placed: impl FnMut(&Arc<BatchState>, u32, i64),
    ) -> Option<(RecordData<'a>, NotSent)> {
        let mut lease = buffer.map(|buffer| buffer.0);
        let accumulator = &self.shared.accumulator;
        let mut next = records.next();
        while let Some(first) = next {
            let (queue, is_sticky) = match Self::choose(topic, partition, first.key) {
                Ok(chosen) => chosen,
                Err(reason) => return Some((first, reason)),
            };
            // A sticky run ends when its partition had a batch's worth; a key's may end with each record.
            let bytes_max = if is_sticky { accumulator.batch_size } else { usize::MAX };
            let partitioner = self.shared.config.partitioner;
            let stays = |record: &RecordData<'a>| partition.is_some() || is_sticky && partitioner.is_sticky(record.key);
            let run = accumulator.append_run(queue, first, records, stays, &mut lease, bytes_max, &mut placed);
            if is_sticky {
                topic.used_sticky(run.bytes, true, accumulator.batch_size);
            }
            next = run.next;
            if let Some(reason) = run.stopped {
                return next.map(|record| (record, Self::not_sent(reason)));
            }
        }
        None
    }

    #[inline]
    fn choose<'t>(
        topic: &'t TopicState,
        partition: Option<i32>,
        key: Option<&[u8]>,
    ) -> Result<(&'t Arc<PartitionQueue>, bool), NotSent> {
        let (queue, is_sticky) = match partition {
            Some(index) => {
                let index = usize::try_from(index).ok();
                (index.and_then(|index| topic.partitions.get(index)), false)
            }
            None => topic.choose(key),
        };
        match queue {
            Some(queue) => Ok((queue, is_sticky)),
            None => Err(NotSent::Error(ClientError::NoSuchPartition {
                topic: topic.name().to_string(),
                partition: partition.unwrap_or(-1),
                count: topic.partition_count(),
            })),
        }
    }

    #[cold]
    fn not_sent(reason: NotAppended) -> NotSent {
        match reason {
            NotAppended::NoBuffer(size) => NotSent::NoBuffer(size),
            NotAppended::Closed => NotSent::Error(ClientError::Closed),
            NotAppended::Invalid(text) => NotSent::Error(ClientError::IllegalState(text)),
        }
    }

    /// Refuses a record that no request or buffer can hold.
    ///
    /// # Errors
    /// [`ClientError::RecordTooLarge`]
    #[inline]
    pub fn check_size(&self, record: &RecordData<'_>) -> Result<(), ClientError> {
        let size = BATCH_OVERHEAD + record.size_max();
        if size
            <= self
                .shared
                .config
                .max_request_size
                .min(self.shared.config.buffer_memory)
        {
            return Ok(());
        }
        let config = &self.shared.config;
        let (option, limit) = if size > config.max_request_size {
            ("max.request.size", config.max_request_size)
        } else {
            ("buffer.memory", config.buffer_memory)
        };
        Err(ClientError::RecordTooLarge { size, option, limit })
    }

    /// Queues for room for `size` bytes. Open batches stop lingering until it is there.
    pub fn wait_for_buffer(&self, size: usize) -> BufferTicket {
        let ticket = self.shared.accumulator.pool.enqueue(size);
        self.client.waker().wake();
        BufferTicket(ticket)
    }

    /// The error for a wait for room that took too long.
    pub fn buffer_exhausted(&self, size: usize) -> ClientError {
        ClientError::BufferExhausted {
            size,
            limit: self.shared.config.buffer_memory,
            timeout_ms: u64::try_from(self.shared.config.max_block.as_millis()).unwrap_or(u64::MAX),
        }
    }

    /// As [`wait_for_buffer`](Self::wait_for_buffer), for an event loop: the bell of [`completions`](Self::completions) rings.
    pub fn queue_for_buffer(&self, size: usize) -> BufferTicket {
        let accumulator = &self.shared.accumulator;
        let ticket = accumulator
            .pool
            .enqueue_with(size, Some(Arc::clone(&accumulator.completion)));
        self.client.waker().wake();
        BufferTicket(ticket)
    }

    /// Where decided batches are listed for who calls back.
    pub fn completions(&self) -> Completions {
        Completions(Arc::clone(&self.shared.accumulator.completion))
    }

    /// Keeps something of the owner's for [`BatchState::attachment`]. The first one stays.
    pub fn attach(&self, attachment: Arc<dyn std::any::Any + Send + Sync>) {
        let _ = self.shared.accumulator.attachment.set(attachment);
    }

    /// A flush that an event loop waits for: the bell of [`completions`](Self::completions) rings until it is dropped.
    pub fn pending_flush(&self) -> PendingFlush {
        self.shared.flushing.fetch_add(1, Ordering::AcqRel);
        self.shared.accumulator.completion.listen();
        let below = self.shared.accumulator.batches_opened();
        self.client.waker().wake();
        PendingFlush {
            shared: Arc::clone(&self.shared),
            below,
        }
    }

    /// Begins a flush: nothing lingers until the returned guard is dropped.
    pub fn begin_flush(&self) -> Flush<'_> {
        self.shared.flushing.fetch_add(1, Ordering::AcqRel);
        let below = self.shared.accumulator.batches_opened();
        self.client.waker().wake();
        Flush { producer: self, below }
    }

    /// Sends all that was appended and waits up to `timeout` for the outcomes. Whether all are known.
    pub fn flush(&self, timeout: Duration) -> bool {
        self.begin_flush().wait(timeout)
    }

    /// Refuses further records, waits up to `timeout` for the outcomes of the others, and gives up the rest.
    pub fn close(&self, timeout: Duration) {
        self.begin_close();
        self.flush(timeout);
        self.finish_close();
    }

    /// First half of [`close`](Self::close): refuses further records.
    pub fn begin_close(&self) {
        self.is_closed.store(true, Ordering::Release);
        self.generation.fetch_add(1, Ordering::AcqRel);
        for queue in self.shared.queues() {
            queue.close(false);
        }
    }

    /// Last half of [`close`](Self::close): gives up what is left, with an error per record.
    pub fn finish_close(&self) {
        let accumulator = &self.shared.accumulator;
        self.give_up();
        let deadline = Instant::now() + Duration::from_secs(1);
        // The I/O thread decides at once; if it is gone, its end has decided.
        while accumulator.incomplete_count() > 0 && !self.client.is_stopped() && Instant::now() < deadline {
            accumulator
                .completion
                .wait(Duration::from_millis(50), || accumulator.incomplete_count() == 0);
        }
    }

    /// Has the I/O thread give up what is left; [`pending_flush`](Self::pending_flush) says when that is done.
    pub fn give_up(&self) {
        self.client.command(Command::RemoveProducer { index: self.index });
    }

    /// Whether it was closed, by itself or with its client.
    pub fn check_open(&self) -> Result<(), ClientError> {
        if self.is_closed.load(Ordering::Acquire) {
            return Err(ClientError::Closed);
        }
        self.client.check_open()
    }

    /// Counters by name.
    pub fn metrics(&self) -> Vec<(&'static str, u64)> {
        let counters = &self.shared.counters;
        let number = |value: usize| u64::try_from(value).unwrap_or(u64::MAX);
        let (leased, free) = self.shared.accumulator.pool.usage();
        vec![
            ("records_acknowledged", counters.records.get()),
            ("records_failed", counters.failed_records.get()),
            ("batches_acknowledged", counters.batches.get()),
            ("bytes_acknowledged", counters.bytes.get()),
            ("produce_requests", counters.requests.get()),
            ("batch_retries", counters.retries.get()),
            ("batch_splits", counters.splits.get()),
            ("batches_incomplete", number(self.shared.accumulator.incomplete_count())),
            ("buffer_bytes_used", number(leased)),
            ("buffer_bytes_free_kept", number(free)),
            ("buffer_bytes_limit", number(self.shared.accumulator.pool.limit())),
        ]
    }
}

impl Drop for Producer {
    fn drop(&mut self) {
        self.give_up();
        self.shared.accumulator.completion.close();
    }
}
