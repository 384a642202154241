//! The inbound server: reactor threads that accept, read frames, run the handler and send responses in order.
//!
//! One request of a connection executes at a time; the next frame may be read meanwhile, but is not started. A handler
//! runs on the reactor thread and must not block; what cannot be answered at once is a future.

use std::collections::HashMap;
use std::future::Future;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, RwLock};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use thiserror::Error;
use tokio::sync::watch;
use tokio::task::AbortHandle;

use crate::accept::close_idle;
use crate::activity::Activity;
use crate::budget::Budget;
use crate::framing::{BufferPool, Frame};
use crate::limits::{Arrivals, ConnectionLimits};
use crate::listeners::{self, Open, Slot};
use crate::part::{RangeSource, Response};

pub use crate::send::SendMode;

/// Threads per reactor that read what is not in the page cache.
const HELPERS_PER_REACTOR: usize = 2;
/// How long accepting pauses after it failed (out of descriptors).
pub(crate) const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// What the server cannot do.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ServerError {
    /// A listener's address cannot be bound.
    #[error("cannot listen on {host}:{port} (listener {listener}): {source}")]
    Bind {
        /// The listener's name.
        listener: String,
        /// The host that was asked for.
        host: String,
        /// The port that was asked for.
        port: u16,
        /// Why.
        source: io::Error,
    },
    /// A reactor thread cannot be started.
    #[error("cannot start a reactor thread: {0}")]
    Start(#[from] io::Error),
}

/// A name and an address to listen on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listener {
    /// The listener's name, e.g. `PLAINTEXT`.
    pub name: String,
    /// Host name or address; empty for all.
    pub host: String,
    /// Port; 0 for any free one.
    pub port: u16,
}

/// Limits and modes of a server.
#[derive(Debug, Clone)]
pub struct ServerConfig {
    /// Where to listen at first; [`Server::add_listener`] and [`Server::remove_listener`] change it.
    pub listeners: Vec<Listener>,
    /// Reactor threads at first; [`Server::set_reactors`] changes it.
    pub reactors: usize,
    /// Largest frame accepted (`socket.request.max.bytes`).
    pub frame_bytes_max: usize,
    /// Who may connect; [`Server::set_limits`] changes it.
    pub limits: ConnectionLimits,
    /// Name of the listener that may pass the limit of all connections when there are others: it takes the place of the
    /// connection of another one that was not used for longest (in Kafka the inter-broker listener).
    pub protected_listener: String,
    /// Bytes of requests that may be read or executed at once; over it no connection is read
    /// (`queued.max.request.bytes`). `None`: no limit.
    pub request_bytes_max: Option<usize>,
    /// A connection without a request for this long is closed (`connections.max.idle.ms`).
    pub idle_max: Duration,
    /// How file ranges are sent.
    pub send_mode: SendMode,
    /// `SO_SNDBUF` and `SO_RCVBUF`; `None` leaves the system's.
    pub socket_buffer_bytes: Option<usize>,
}

/// Who is at the other end of a connection.
#[derive(Debug, Clone)]
pub struct ConnectionInfo {
    /// Unique in this server's life.
    pub id: u64,
    /// The name of its listener.
    pub listener: Arc<str>,
    /// The peer's address.
    pub peer: SocketAddr,
    /// The reactor that serves it, and no other thread.
    pub reactor: usize,
}

/// A request that is done.
#[derive(Debug, Clone, Copy)]
pub struct Served {
    /// When its last byte was read.
    pub arrival: Instant,
    /// When the handler returned.
    pub handled: Instant,
    /// Bytes of its frame, without the length.
    pub bytes_in: usize,
    /// Bytes of its response.
    pub bytes_out: usize,
    /// Whether something of its response was not in the page cache.
    pub found_cold: bool,
}

/// A response to come; `None` closes the connection, a response without even a frame's prefix is not sent.
pub type Waiting<F> = Pin<Box<dyn Future<Output = Option<Response<F>>> + Send>>;

/// What became of a request.
pub enum Outcome<F> {
    /// The response is written; send it.
    Reply,
    /// The request has no response.
    Silent,
    /// The response comes later.
    Wait(Waiting<F>),
    /// Close the connection.
    Close,
}

impl<F> std::fmt::Debug for Outcome<F> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Reply => "Reply",
            Self::Silent => "Silent",
            Self::Wait(_) => "Wait",
            Self::Close => "Close",
        })
    }
}

/// What the server calls for every frame.
pub trait Handler: Send + Sync + 'static {
    /// What a response's ranges are of.
    type File: RangeSource + Clone;
    /// What the handler keeps per connection.
    type Connection: Send + 'static;
    /// A connection was accepted.
    fn connected(&self, info: ConnectionInfo) -> Self::Connection;
    /// A frame is there; `arrival` is when its last byte was read. Runs on the reactor thread.
    fn handle(
        &self,
        connection: &mut Self::Connection,
        frame: Frame<'_>,
        arrival: Instant,
        response: &mut Response<Self::File>,
    ) -> Outcome<Self::File>;
    /// A request is done: its response is with the system, or it had none. On the reactor thread.
    fn served(&self, _: &mut Self::Connection, _: &Served) {}
    /// Whether the bytes of a request are held until it is answered; else they count as done when `handle` returns.
    fn is_kept(&self, _: &[u8]) -> bool {
        true
    }
    /// A connection is gone.
    fn disconnected(&self, connection: &mut Self::Connection);
}

/// Counters of a server.
#[derive(Debug, Default)]
pub struct ServerMetrics {
    /// Connections accepted so far.
    pub accepted: AtomicU64,
    /// Connections refused for a limit, or closed because they were idle.
    pub refused: AtomicU64,
    /// Connections closed because they were idle.
    pub idle_closed: AtomicU64,
    /// Connections closed because the protected listener needed their place, or the limit was lowered.
    pub evicted: AtomicU64,
    /// Connections whose acceptance had to wait, because too many came at once.
    pub delayed: AtomicU64,
    /// Connections that were not served, because their address opens too many at once.
    pub throttled: AtomicU64,
    /// Connections that are not read for a while after an answer, because of a quota.
    pub muted: AtomicUsize,
    /// Chunks of files that were not in the page cache and were read by a helper thread first.
    pub cold_reads: AtomicU64,
    /// Connections open.
    pub connections: AtomicUsize,
}

/// One connection, as others see it.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) task: Option<AbortHandle>,
    pub(crate) activity: Arc<Activity>,
    pub(crate) slot: Arc<Slot>,
    pub(crate) ip: IpAddr,
}

/// The open connections.
#[derive(Debug, Default)]
pub(crate) struct Books {
    pub(crate) entries: HashMap<u64, Entry>,
    pub(crate) per_ip: HashMap<IpAddr, usize>,
    /// By the number of the listener.
    pub(crate) per_listener: HashMap<usize, usize>,
}

pub(crate) struct Shared<H: Handler> {
    pub(crate) config: ServerConfig,
    pub(crate) handler: Arc<H>,
    pub(crate) metrics: Arc<ServerMetrics>,
    pub(crate) budget: Option<Arc<Budget>>,
    pub(crate) started: Instant,
    pub(crate) limits: RwLock<Arc<ConnectionLimits>>,
    pub(crate) arrivals: Mutex<Arrivals>,
    /// Connections that are kept unserved until they are closed.
    pub(crate) throttled: AtomicUsize,
    pub(crate) books: Mutex<Books>,
    /// Told whenever a connection has gone.
    pub(crate) gone: Condvar,
    /// The same for the accept loops, which wait for room.
    pub(crate) room: tokio::sync::Notify,
    pub(crate) next_id: AtomicU64,
    /// Locked before the reactors.
    pub(crate) listeners: Mutex<Vec<Open>>,
    pub(crate) next_listener: AtomicUsize,
    pub(crate) draining: AtomicBool,
    pub(crate) reactors: Mutex<Vec<Reactor>>,
    /// How many of them get new connections.
    pub(crate) reactors_in_use: AtomicUsize,
}

/// One reactor: its runtime and the read buffers that its connections share.
pub(crate) struct Reactor {
    pub(crate) runtime: tokio::runtime::Handle,
    pub(crate) pool: Arc<BufferPool>,
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A running server.
pub struct Server<H: Handler> {
    pub(crate) shared: Arc<Shared<H>>,
    pub(crate) phase: watch::Sender<Phase>,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Phase {
    /// Bound; connections wait in the backlog.
    Gated,
    Serving,
    /// Nothing more is accepted.
    Draining,
    Stopped,
}

impl<H: Handler> std::fmt::Debug for Server<H> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Server")
            .field("listeners", &self.listeners())
            .finish_non_exhaustive()
    }
}

impl<H: Handler> Server<H> {
    /// Binds all listeners and starts the reactor threads. Nothing is accepted until [`Server::open_gate`].
    pub fn bind(config: ServerConfig, handler: Arc<H>) -> Result<Self, ServerError> {
        let sockets = config
            .listeners
            .iter()
            .map(|listener| listeners::bind(listener, &config))
            .collect::<Result<Vec<_>, _>>()?;
        let reactors = config.reactors.max(1);
        let shared = Arc::new(Shared {
            budget: config.request_bytes_max.map(Budget::new),
            limits: RwLock::new(Arc::new(config.limits.clone())),
            arrivals: Mutex::default(),
            throttled: AtomicUsize::new(0),
            config,
            handler,
            metrics: Arc::new(ServerMetrics::default()),
            started: Instant::now(),
            books: Mutex::default(),
            gone: Condvar::new(),
            room: tokio::sync::Notify::new(),
            next_id: AtomicU64::new(1),
            listeners: Mutex::default(),
            next_listener: AtomicUsize::new(0),
            draining: AtomicBool::new(false),
            reactors: Mutex::new(Vec::new()),
            reactors_in_use: AtomicUsize::new(reactors),
        });
        let (phase, _) = watch::channel(Phase::Gated);
        let server = Self {
            shared,
            phase,
            threads: Mutex::new(Vec::new()),
        };
        for index in 0..reactors {
            server.start_reactor(index)?;
        }
        for (listener, socket) in server.shared.config.listeners.iter().zip(sockets) {
            listeners::open_bound(&server.shared, &server.phase, listener, socket)?;
        }
        Ok(server)
    }

    fn start_reactor(&self, index: usize) -> io::Result<()> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_io()
            .enable_time()
            .max_blocking_threads(HELPERS_PER_REACTOR)
            .thread_name(format!("barnabas-read-{index}"))
            // Of the helpers only: the reactor itself runs on a thread that is made below.
            .on_thread_start(crate::scheduling::give_way)
            .build()?;
        lock(&self.shared.reactors).push(Reactor {
            runtime: runtime.handle().clone(),
            pool: Arc::new(BufferPool::new()),
        });
        let shared = Arc::clone(&self.shared);
        let mut phase = self.phase.subscribe();
        let thread = std::thread::Builder::new()
            .name(format!("barnabas-net-{index}"))
            .spawn(move || {
                #[cfg(target_os = "linux")]
                if let Err(error) = crate::scheduling::ask_for_short_slices() {
                    log::debug!("the scheduler gives reactor {index} slices as to all: {error}");
                }
                runtime.block_on(async {
                    if index == 0 {
                        tokio::spawn(close_idle(Arc::clone(&shared)));
                    }
                    // An error means that the server was dropped.
                    let _ = phase.wait_for(|phase| *phase == Phase::Stopped).await;
                });
            })?;
        lock(&self.threads).push(thread);
        Ok(())
    }

    /// Starts to accept; what connected before waits in the backlog.
    pub fn open_gate(&self) {
        self.advance(Phase::Serving);
    }

    /// The server's counters.
    pub fn metrics(&self) -> &Arc<ServerMetrics> {
        &self.shared.metrics
    }

    /// Spreads connections that come over so many reactors from here on; threads that are missing are started. Those that are
    /// too many serve the connections that they have.
    pub fn set_reactors(&self, count: usize) -> io::Result<()> {
        let count = count.max(1);
        let started = lock(&self.shared.reactors).len();
        for index in started..count {
            self.start_reactor(index)?;
        }
        self.shared.reactors_in_use.store(count, Ordering::Relaxed);
        Ok(())
    }

    /// Changes who may connect. Where there are more connections than allowed now, those that were not used for longest
    /// are closed.
    pub fn set_limits(&self, limits: ConnectionLimits) {
        *self.shared.limits.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(limits);
        self.shared.close_excess();
        self.shared.room.notify_waiters();
    }

    /// Who may connect.
    pub fn limits(&self) -> Arc<ConnectionLimits> {
        self.shared.limits()
    }

    /// Closes one connection.
    pub fn close_connection(&self, id: u64) {
        let task = lock(&self.shared.books)
            .entries
            .get(&id)
            .and_then(|entry| entry.task.clone());
        if let Some(task) = task {
            task.abort();
        }
    }

    /// Accepts nothing more, closes idle connections, lets executing requests finish, and stops the threads. Returns
    /// whether everything ended by itself within `timeout`.
    pub fn stop(&self, timeout: Duration) -> bool {
        let deadline = Instant::now().checked_add(timeout);
        self.shared.draining.store(true, Ordering::SeqCst);
        self.advance(Phase::Draining);
        let drained = self.drain(deadline);
        self.advance(Phase::Stopped);
        for thread in lock(&self.threads).drain(..) {
            if thread.join().is_err() {
                log::error!("a reactor thread panicked");
            }
        }
        // The handles, those of tasks too, keep the descriptors of their runtimes open.
        lock(&self.shared.listeners).clear();
        lock(&self.shared.reactors).clear();
        drained
    }

    fn drain(&self, deadline: Option<Instant>) -> bool {
        let mut books = lock(&self.shared.books);
        loop {
            for entry in books.entries.values() {
                if entry.activity.is_resting()
                    && let Some(task) = &entry.task
                {
                    task.abort();
                }
            }
            if books.entries.is_empty() {
                return true;
            }
            let left = deadline.map_or(Duration::MAX, |deadline| {
                deadline.saturating_duration_since(Instant::now())
            });
            if left.is_zero() {
                return false;
            }
            books = self
                .shared
                .gone
                .wait_timeout(books, left.min(ACCEPT_PAUSE))
                .map_or_else(|e| e.into_inner().0, |w| w.0);
        }
    }

    fn advance(&self, to: Phase) {
        self.phase.send_if_modified(|phase| {
            let forward = *phase < to;
            if forward {
                *phase = to;
            }
            forward
        });
    }
}

impl<H: Handler> Drop for Server<H> {
    fn drop(&mut self) {
        self.stop(Duration::ZERO);
    }
}

/// Raises this process's limit of open files to what the system allows without privileges.
pub fn raise_file_limit() -> io::Result<()> {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    if limit.current == limit.maximum {
        return Ok(());
    }
    Ok(setrlimit(
        Resource::Nofile,
        Rlimit {
            current: limit.maximum,
            maximum: limit.maximum,
        },
    )?)
}
