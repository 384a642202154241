//! A client: its I/O thread and what users' threads share with it.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, Weak};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::cluster::ClusterView;
use crate::config::ClientConfig;
use crate::counters::Counter;
use crate::error::ClientError;
use crate::heartbeat::{HeartbeatPlan, PollClock};
use crate::io_thread::{self, Command, IoThread};
use crate::lock::lock;
use crate::mailbox::{Event, Mailbox};
use crate::metadata::MetadataCell;
use crate::nodes::Nodes;
use crate::partition_reader::PartitionReader;
use crate::submit::{Submission, Target, Variant};
use crate::waker::Waker;

/// Counts forks: a client that was made under another number belongs to a parent process.
static FORKS: AtomicU64 = AtomicU64::new(0);

/// To be called in the child after a fork: its clients have no I/O thread, so every use of them is refused from now on.
pub fn forked() {
    FORKS.fetch_add(1, Ordering::SeqCst);
}

/// How many forks this process descends from that it was told of; what was made under another number is not served here.
pub fn forks() -> u64 {
    FORKS.load(Ordering::SeqCst)
}

/// What the I/O thread and users' threads share.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) config: ClientConfig,
    pub(crate) commands: Mutex<VecDeque<Command>>,
    pub(crate) waker: Arc<Waker>,
    pub(crate) mailbox: Mailbox,
    pub(crate) metadata: MetadataCell,
    pub(crate) poll_clock: PollClock,
    pub(crate) counters: ClientCounters,
    /// The I/O thread's state, while it runs. To be locked before anything of a producer or fetcher.
    pub(crate) io: OnceLock<Weak<Mutex<IoThread>>>,
    /// The I/O thread has ended.
    pub(crate) is_stopped: AtomicBool,
    is_closed: AtomicBool,
    forks: u64,
    next_token: AtomicU64,
    next_index: AtomicUsize,
}

#[derive(Debug, Default)]
pub(crate) struct ClientCounters {
    connections: Counter,
    connections_opened: Counter,
    requests_in_flight: Counter,
    metadata_refreshes: Counter,
}

impl ClientCounters {
    pub(crate) fn report(&self, nodes: &Nodes, metadata_refreshes: u64) {
        let (connections, in_flight) = nodes.usage();
        self.connections.set(u64::try_from(connections).unwrap_or(0));
        self.connections_opened.set(nodes.opened);
        self.requests_in_flight.set(u64::try_from(in_flight).unwrap_or(0));
        self.metadata_refreshes.set(metadata_refreshes);
    }
}

/// A client: connections to a cluster, shared by producers, fetchers and whoever submits requests. Clones are the same client;
/// its I/O thread ends with [`close`](Self::close), or with the last of them.
#[derive(Clone, Debug)]
pub struct Client(Arc<Handle>);

#[derive(Debug)]
struct Handle {
    shared: Arc<Shared>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl Client {
    /// Starts the I/O thread. Nothing is connected to before something is asked for.
    ///
    /// # Errors
    /// The operating system gives no thread.
    pub fn new(config: ClientConfig) -> Result<Self, ClientError> {
        let shared = Arc::new(Shared {
            config,
            commands: Mutex::default(),
            waker: Arc::new(Waker::new()),
            mailbox: Mailbox::default(),
            metadata: MetadataCell::new(),
            poll_clock: PollClock::new(),
            counters: ClientCounters::default(),
            io: OnceLock::new(),
            is_stopped: AtomicBool::new(false),
            is_closed: AtomicBool::new(false),
            forks: FORKS.load(Ordering::SeqCst),
            next_token: AtomicU64::new(0),
            next_index: AtomicUsize::new(0),
        });
        let for_thread = Arc::clone(&shared);
        let thread = std::thread::Builder::new()
            .name("barnabas-client".to_owned())
            .spawn(move || io_thread::run(&for_thread))
            .map_err(|error| ClientError::Thread {
                reason: error.to_string(),
            })?;
        Ok(Self(Arc::new(Handle {
            shared,
            thread: Mutex::new(Some(thread)),
        })))
    }

    /// Refuses use after close and after fork.
    ///
    /// # Errors
    /// [`ClientError::Closed`], [`ClientError::Forked`]
    #[inline]
    pub fn check_open(&self) -> Result<(), ClientError> {
        let shared = &self.0.shared;
        if shared.forks != FORKS.load(Ordering::Relaxed) {
            return Err(ClientError::Forked);
        }
        if shared.is_closed.load(Ordering::Acquire) {
            Err(ClientError::Closed)
        } else {
            Ok(())
        }
    }

    /// The options.
    pub fn config(&self) -> &ClientConfig {
        &self.0.shared.config
    }

    /// Submits a request; [`Event::Response`] or [`Event::Failed`] with the returned token follows.
    pub fn submit(&self, target: Target, api_key: i16, variants: Vec<Variant>, timeout: Duration, retry: bool) -> u64 {
        let token = self.0.shared.next_token.fetch_add(1, Ordering::Relaxed) + 1;
        self.command(Command::Submit(Box::new(Submission::new(
            token, target, api_key, variants, timeout, retry,
        ))));
        token
    }

    /// Forgets a submission.
    pub fn cancel(&self, token: u64) {
        self.command(Command::Cancel(token));
    }

    /// The coordinator of this group (0) or transactional id (1) is not where it was thought to be.
    pub fn invalidate_coordinator(&self, key_type: i8, key: &str) {
        self.command(Command::InvalidateCoordinator((key_type, key.to_owned())));
    }

    /// All events that wait; waits up to `timeout` for the first.
    pub fn events(&self, timeout: Duration) -> Vec<Event> {
        self.0.shared.mailbox.take(timeout)
    }

    /// Makes whoever waits for events or data return.
    pub fn wake(&self) {
        self.0.shared.mailbox.post(Event::Wake);
    }

    /// A line to an event loop: it becomes readable when something happens after [`arm_bell`](Self::arm_bell).
    ///
    /// # Errors
    /// The operating system gives no socket pair.
    pub fn bell(&self) -> Result<std::os::fd::OwnedFd, ClientError> {
        let line = self.0.shared.mailbox.bell();
        line.map_err(|error| ClientError::IllegalState(format!("no socket pair for the event loop: {error}")))
    }

    /// Lets the next event ring the bell, once. False if an event waits already.
    pub fn arm_bell(&self) -> bool {
        self.0.shared.mailbox.arm_bell()
    }

    /// The cluster as it is known now.
    pub fn view(&self) -> Arc<ClusterView> {
        self.0.shared.metadata.view()
    }

    /// The topics to keep fresh; `None` for all.
    pub fn want_topics(&self, topics: Option<Vec<Arc<str>>>) {
        self.0.shared.metadata.want_watched(topics, &self.0.shared.waker);
    }

    /// Begins a metadata refresh; its number is for [`wait_for_metadata`](Self::wait_for_metadata).
    pub fn request_metadata(&self) -> u64 {
        self.0.shared.metadata.request(&self.0.shared.waker)
    }

    /// Waits up to `timeout` for a refresh. `Err` is why the last attempt failed, if one did.
    ///
    /// # Errors
    /// The refresh has not come.
    pub fn wait_for_metadata(&self, number: u64, timeout: Duration) -> Result<(), Option<String>> {
        self.0.shared.metadata.wait(number, timeout)
    }

    /// Why the last attempt to read metadata failed, unless one has succeeded since.
    pub fn metadata_failure(&self) -> Option<String> {
        self.0.shared.metadata.failure()
    }

    /// Repeats a heartbeat from now on, in place of an earlier one.
    pub fn start_heartbeat(&self, plan: HeartbeatPlan) {
        self.poll_called();
        self.command(Command::StartHeartbeat(Box::new(plan)));
    }

    /// Ends the repeating.
    pub fn stop_heartbeat(&self) {
        self.command(Command::StopHeartbeat);
    }

    /// The consumer polls: its poll deadline starts anew.
    pub fn poll_called(&self) {
        self.0.shared.poll_clock.called();
    }

    /// Reads the records of `[start, end)` of one partition, in order.
    ///
    /// # Errors
    /// The client is closed.
    pub fn partition_reader(
        &self,
        topic: &str,
        partition: i32,
        start: i64,
        end: i64,
    ) -> Result<PartitionReader, ClientError> {
        PartitionReader::new(self.clone(), topic, partition, start, end)
    }

    /// Counters by name.
    pub fn metrics(&self) -> Vec<(&'static str, u64)> {
        let counters = &self.0.shared.counters;
        vec![
            ("connections", counters.connections.get()),
            ("connections_opened", counters.connections_opened.get()),
            ("requests_in_flight", counters.requests_in_flight.get()),
            ("metadata_refreshes", counters.metadata_refreshes.get()),
        ]
    }

    /// Ends the I/O thread, waiting up to `timeout` for it. Records without an acknowledgement fail.
    pub fn close(&self, timeout: Duration) {
        self.0.close(timeout);
    }

    pub(crate) fn command(&self, command: Command) {
        lock(&self.0.shared.commands).push_back(command);
        self.0.shared.waker.wake();
    }

    /// A producer has something to send now. While the I/O thread sleeps and nothing of the producer's is unanswered, this
    /// thread sends it, which saves a change of threads on its way; else the I/O thread does.
    pub(crate) fn send_now(&self, producer: usize) {
        let shared = &self.0.shared;
        // A forked child has no business with the sockets.
        let may_send = self.check_open().is_ok() && shared.waker.is_parked();
        let asleep = shared.io.get().filter(|_| may_send);
        let is_sent = asleep
            .and_then(Weak::upgrade)
            .is_some_and(|io| io.try_lock().is_ok_and(|mut io| io.send_now(producer)));
        if !is_sent {
            shared.waker.wake();
        }
    }

    pub(crate) fn waker(&self) -> Arc<Waker> {
        Arc::clone(&self.0.shared.waker)
    }

    pub(crate) fn metadata(&self) -> &MetadataCell {
        &self.0.shared.metadata
    }

    pub(crate) fn mailbox(&self) -> &Mailbox {
        &self.0.shared.mailbox
    }

    pub(crate) fn next_index(&self) -> usize {
        self.0.shared.next_index.fetch_add(1, Ordering::Relaxed)
    }

    pub(crate) fn is_stopped(&self) -> bool {
        self.0.shared.is_stopped.load(Ordering::Acquire)
    }
}

impl Handle {
    fn close(&self, timeout: Duration) {
        let shared = &self.shared;
        shared.is_closed.store(true, Ordering::Release);
        let Some(thread) = lock(&self.thread).take() else {
            return;
        };
        if shared.forks != FORKS.load(Ordering::SeqCst) {
            // The thread stayed in the parent; there is nothing here to wait for.
            std::mem::forget(thread);
            return;
        }
        lock(&shared.commands).push_back(Command::Stop);
        shared.waker.wake();
        let deadline = Instant::now() + timeout.max(STOP_TIME_MIN);
        shared
            .mailbox
            .wait_for_data(deadline.saturating_duration_since(Instant::now()), || {
                shared.is_stopped.load(Ordering::Acquire)
            });
        while !shared.is_stopped.load(Ordering::Acquire) && Instant::now() < deadline {
            shared.mailbox.take(Duration::from_millis(10));
        }
        if shared.is_stopped.load(Ordering::Acquire) {
            // Only its last instructions are left.
            let _ = thread.join();
        }
    }
}

/// The I/O thread is given this long to see that it is to stop; it never blocks for longer than one round.
const STOP_TIME_MIN: Duration = Duration::from_secs(1);

impl Drop for Handle {
    fn drop(&mut self) {
        self.close(Duration::ZERO);
    }
}
