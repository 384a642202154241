//! The queue between the data plane and the control plane.
//!
//! The data plane never waits for it. API requests are bounded: over the limit their connections are not read.
//! Completions are bounded by what the control plane has in flight itself and are never refused.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use barnabas_net::part::Response;
use barnabas_net::server::Waiting;
use tokio::sync::{Semaphore, oneshot};

use crate::dispatch::Peer;
use crate::metrics::Histogram;
use crate::partition::Partition;
use crate::quotas::Charge;
use crate::reply::{self, ReplyTo};
use crate::stored::StoredFile;
use crate::throttle::stamp;

/// The clock of all arrival stamps: milliseconds since the broker started, and what a test has let pass at once.
#[derive(Debug)]
pub struct Clock {
    started: Instant,
    advanced_ms: AtomicI64,
}

impl Clock {
    pub(crate) fn start() -> Self {
        Self {
            started: Instant::now(),
            advanced_ms: AtomicI64::new(0),
        }
    }

    /// Lets time pass at once.
    pub(crate) fn advance(&self, ms: i64) {
        self.advanced_ms.fetch_add(ms, Ordering::SeqCst);
    }

    /// How much was let pass at once.
    pub fn advanced_ms(&self) -> i64 {
        self.advanced_ms.load(Ordering::Relaxed)
    }

    /// Milliseconds at `instant`.
    #[expect(clippy::cast_precision_loss, reason = "exact for 285,000 years")]
    pub fn at(&self, instant: Instant) -> f64 {
        instant.saturating_duration_since(self.started).as_secs_f64() * 1000.0 + self.advanced_ms() as f64
    }

    /// Milliseconds now.
    pub fn now(&self) -> f64 {
        self.at(Instant::now())
    }

    /// Whole milliseconds now.
    pub(crate) fn now_ms(&self) -> i64 {
        let since = Instant::now().saturating_duration_since(self.started);
        i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
    }
}

/// How far the control plane is behind; written by the thread that pulls.
#[derive(Debug)]
pub(crate) struct Lag {
    started: Instant,
    /// How long requests waited in the queue.
    pub(crate) waits: Histogram,
    /// How long it worked between two pulls.
    pub(crate) turns: Histogram,
    /// When the present turn began, in nanoseconds since `started`; 0 while it waits for work.
    turn_began_ns: AtomicU64,
}

impl Lag {
    fn new() -> Self {
        Self {
            started: Instant::now(),
            waits: Histogram::default(),
            turns: Histogram::default(),
            turn_began_ns: AtomicU64::new(0),
        }
    }

    fn now_ns(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }

    /// How long the present turn has lasted.
    pub(crate) fn busy(&self) -> Duration {
        match self.turn_began_ns.load(Ordering::Relaxed) {
            0 => Duration::ZERO,
            began_ns => Duration::from_nanos(self.now_ns().saturating_sub(began_ns)),
        }
    }

    fn end_turn(&self) {
        let took = self.busy();
        // Waits are cut into slices; what lies between two of them is no turn.
        if took >= SHORTEST_TURN {
            self.turns.record(took);
        }
        self.turn_began_ns.store(0, Ordering::Relaxed);
    }

    fn begin_turn(&self, taken: &[Queued]) {
        let now = Instant::now();
        for queued in taken {
            if let Queued::Event(Event::Request(request)) = queued {
                self.waits.record(now.saturating_duration_since(request.arrival));
            }
        }
        self.turn_began_ns.store(self.now_ns().max(1), Ordering::Relaxed);
    }
}

/// A turn without anything to do is shorter than this.
const SHORTEST_TURN: Duration = Duration::from_micros(10);

/// A request for the control plane.
#[derive(Debug)]
pub struct ApiRequest {
    /// When its last byte was read.
    pub(crate) arrival: Instant,
    /// When its last byte was read.
    pub stamp_ms: f64,
    /// Names the request in the answer; never used twice.
    pub token: u64,
    /// Who sent it.
    pub peer: Arc<Peer>,
    /// The client's name for itself.
    pub client_id: Option<String>,
    /// Which API.
    pub api_key: i16,
    /// Which version of it.
    pub api_version: i16,
    /// The body, without the header.
    pub body: Vec<u8>,
}

/// What happened to a watched partition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WatchKind {
    /// It is here and led by this broker.
    Ready,
    /// Its high watermark has moved.
    HighWatermark,
    /// Its log was cut.
    Truncated,
    /// It is gone, led by another broker, or its log has failed.
    Failed,
}

/// What the control plane is told.
#[derive(Debug)]
pub enum Event {
    /// A request.
    Request(ApiRequest),
    /// A connection that has sent requests to the control plane is gone.
    Closed {
        /// When.
        stamp_ms: f64,
        /// Which.
        connection_id: u64,
    },
    /// An append of the control plane is below the high watermark, or has failed.
    Appended {
        /// When.
        stamp_ms: f64,
        /// The topic.
        topic: Arc<str>,
        /// The partition.
        partition: i32,
        /// The append's last offset.
        last_offset: i64,
        /// 0 or why it failed.
        error_code: i16,
    },
    /// A read is done.
    Read {
        /// When.
        stamp_ms: f64,
        /// The read's token.
        token: u64,
        /// 0 or why it failed.
        error_code: i16,
        /// Whole record batches.
        batches: Vec<u8>,
        /// Where to read next.
        next_offset: i64,
        /// The log's end.
        log_end_offset: i64,
    },
    /// Something happened to a watched partition.
    Watched {
        /// When.
        stamp_ms: f64,
        /// The topic.
        topic: Arc<str>,
        /// The partition.
        partition: i32,
        /// What.
        kind: WatchKind,
        /// The high watermark.
        offset: i64,
    },
    /// The clock was set forward.
    Advanced {
        /// The time now.
        stamp_ms: f64,
    },
}

/// What waits in the queue; a moved high watermark is looked up when it is pulled, so that one entry is enough.
#[derive(Debug)]
enum Queued {
    Event(Event),
    HighWatermark { stamp_ms: f64, partition: Arc<Partition> },
}

/// A request that the control plane has not answered yet.
struct Pending {
    answer: oneshot::Sender<Response<StoredFile>>,
    to: ReplyTo,
    peer: Arc<Peer>,
    /// The body of a request that may be run again against the image.
    body: Option<Vec<u8>>,
    charge: Option<Charge>,
}

#[derive(Default)]
struct State {
    queue: VecDeque<Queued>,
    /// How many of them are requests.
    requests: usize,
    pulling: bool,
    closed: bool,
}

/// The queue and the requests in the control plane's hands.
pub(crate) struct ControlQueue {
    pub(crate) clock: Clock,
    pub(crate) lag: Lag,
    state: Mutex<State>,
    wake: Condvar,
    /// One permit per API request that may wait in the queue.
    room: Arc<Semaphore>,
    pending: Mutex<HashMap<u64, Pending>>,
    next_token: AtomicU64,
}

impl std::fmt::Debug for ControlQueue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ControlQueue").finish_non_exhaustive()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl ControlQueue {
    pub(crate) fn new(requests_max: usize) -> Self {
        Self {
            clock: Clock::start(),
            lag: Lag::new(),
            state: Mutex::default(),
            wake: Condvar::new(),
            room: Arc::new(Semaphore::new(requests_max.clamp(1, Semaphore::MAX_PERMITS))),
            pending: Mutex::default(),
            next_token: AtomicU64::new(1),
        }
    }

    pub(crate) fn token(&self) -> u64 {
        self.next_token.fetch_add(1, Ordering::Relaxed)
    }

    /// Hands a request over. It is in the queue when this returns, if there is room; else its future puts it there.
    pub(crate) fn submit(
        self: &Arc<Self>,
        request: ApiRequest,
        to: ReplyTo,
        keep_body: bool,
        charge: Option<Charge>,
    ) -> Waiting<StoredFile> {
        let (answer, answered) = oneshot::channel();
        let body = keep_body.then(|| request.body.clone());
        let pending = Pending {
            answer,
            to,
            peer: Arc::clone(&request.peer),
            body,
            charge,
        };
        lock(&self.pending).insert(request.token, pending);
        let guard = PendingGuard {
            queue: Arc::clone(self),
            token: request.token,
        };
        let mut waiting = Some(request);
        if let Ok(permit) = self.room.try_acquire() {
            permit.forget();
            self.push_request(waiting.take());
        }
        Box::pin(async move {
            if waiting.is_some() {
                guard.queue.room.acquire().await.ok()?.forget();
                guard.queue.push_request(waiting.take());
            }
            answered.await.ok()
        })
    }

    fn push_request(&self, request: Option<ApiRequest>) {
        if let Some(request) = request {
            self.push(Event::Request(request));
        }
    }

    /// Queues an event.
    pub(crate) fn push(&self, event: Event) {
        self.enqueue(Queued::Event(event));
    }

    fn enqueue(&self, queued: Queued) {
        let mut state = lock(&self.state);
        if state.closed {
            return;
        }
        state.requests += usize::from(queued.is_request());
        state.queue.push_back(queued);
        let wake = state.pulling;
        drop(state);
        if wake {
            self.wake.notify_one();
        }
    }

    /// A watched partition's high watermark has moved.
    pub(crate) fn high_watermark_moved(&self, partition: &Arc<Partition>) {
        if !partition.watch_event_queued.swap(true, Ordering::SeqCst) {
            self.enqueue(Queued::HighWatermark {
                stamp_ms: self.clock.now(),
                partition: Arc::clone(partition),
            });
        }
    }

    /// Something else happened to a watched partition.
    pub(crate) fn watched(&self, partition: &Partition, kind: WatchKind) {
        self.push(Event::Watched {
            stamp_ms: self.clock.now(),
            topic: Arc::clone(&partition.topic),
            partition: partition.index,
            kind,
            offset: partition.log.high_watermark(),
        });
    }

    /// Takes up to `limit` events in arrival order; `None` when nothing has come within `timeout`. Returns an empty list
    /// at once after [`ControlQueue::close`].
    pub(crate) fn pull(&self, timeout: Duration, limit: usize) -> Option<Vec<Event>> {
        self.lag.end_turn();
        let mut state = lock(&self.state);
        if state.queue.is_empty() && !state.closed {
            state.pulling = true;
            state = self
                .wake
                .wait_timeout_while(state, timeout, |state| state.queue.is_empty() && !state.closed)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
            state.pulling = false;
        }
        if state.queue.is_empty() && !state.closed {
            self.lag.begin_turn(&[]);
            return None;
        }
        let taken = state.queue.len().min(limit);
        let taken: Vec<Queued> = state.queue.drain(..taken).collect();
        let requests = taken.iter().filter(|queued| queued.is_request()).count();
        state.requests -= requests;
        drop(state);
        self.room.add_permits(requests);
        self.lag.begin_turn(&taken);
        Some(taken.into_iter().map(Queued::into_event).collect())
    }

    /// Events that wait, and how many of them are requests.
    pub(crate) fn depths(&self) -> (usize, usize) {
        let state = lock(&self.state);
        (state.queue.len(), state.requests)
    }

    /// Requests without an answer.
    pub(crate) fn pending(&self) -> usize {
        lock(&self.pending).len()
    }

    /// Answers a request with a body; nothing happens when its connection is gone.
    ///
    /// `busy` is how long the control plane worked for it, `mutations_ms` how long its client has to wait for changes that
    /// it made ([`ControlQueue::charge_mutations`]).
    pub(crate) fn respond(&self, token: u64, body: &[u8], busy: Duration, mutations_ms: u32) {
        let Some(pending) = lock(&self.pending).remove(&token) else {
            return;
        };
        let mut response = Response::new();
        reply::begin(&mut response, pending.to).extend_from_slice(body);
        let throttle_ms = pending.charge.map_or(mutations_ms, |mut charge| {
            charge.set_busy(busy);
            charge.request_after_mutations(mutations_ms)
        });
        stamp(&mut response, pending.to, throttle_ms);
        // Fails only if the connection has gone in the meantime.
        let _ = pending.answer.send(response);
    }

    /// Answers a request by what `run` makes of its kept body.
    pub(crate) fn respond_with(
        &self,
        token: u64,
        run: impl FnOnce(ReplyTo, &Peer, &[u8]) -> Option<Response<StoredFile>>,
    ) {
        let Some(pending) = lock(&self.pending).remove(&token) else {
            return;
        };
        if let Some(mut response) = pending.body.and_then(|body| run(pending.to, &pending.peer, &body)) {
            if let Some(charge) = pending.charge {
                stamp(&mut response, pending.to, charge.request());
            }
            let _ = pending.answer.send(response);
        }
    }

    /// Partitions that a request may create and delete; below 0 none. `None`: as many as it likes.
    pub(crate) fn mutations_left(&self, token: u64) -> Option<f64> {
        let pending = lock(&self.pending);
        pending.get(&token)?.charge.as_ref()?.mutations_left()
    }

    /// Charges a request for partitions created and deleted; returns how many milliseconds it takes until nothing is owed.
    pub(crate) fn charge_mutations(&self, token: u64, partitions: u32) -> u32 {
        let pending = lock(&self.pending);
        let charge = pending.get(&token).and_then(|pending| pending.charge.as_ref());
        charge.map_or(0, |charge| charge.mutations(f64::from(partitions)))
    }

    /// Ends the queue: pulls return at once, and the connections that wait for an answer are closed.
    pub(crate) fn close(&self) {
        lock(&self.state).closed = true;
        self.wake.notify_all();
        lock(&self.pending).clear();
        self.room.close();
    }
}

impl Queued {
    fn is_request(&self) -> bool {
        matches!(self, Self::Event(Event::Request(_)))
    }

    fn into_event(self) -> Event {
        match self {
            Self::Event(event) => event,
            Self::HighWatermark { stamp_ms, partition } => {
                // Cleared before the value is read: a movement after that queues an event of its own.
                partition.watch_event_queued.store(false, Ordering::SeqCst);
                Event::Watched {
                    stamp_ms,
                    topic: Arc::clone(&partition.topic),
                    partition: partition.index,
                    kind: WatchKind::HighWatermark,
                    offset: partition.log.high_watermark(),
                }
            }
        }
    }
}

/// Takes a request out of the books when its connection goes.
struct PendingGuard {
    queue: Arc<ControlQueue>,
    token: u64,
}

impl Drop for PendingGuard {
    fn drop(&mut self) {
        lock(&self.queue.pending).remove(&self.token);
    }
}
