//! The client's one I/O thread: it owns all connections and runs every component, one round after each wake-up. It calls
//! nothing of its user's and holds no lock of theirs for longer than it takes to move a batch. While it sleeps, a thread that
//! has one record to send may run the sender in its place.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use barnabas_net::outbound::{Backoff, CloseReason, ConnectionEvent, ConnectionOptions, ReceivePool};
use tokio::runtime::Handle;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use crate::client::Shared;
use crate::cluster::{ClusterView, LeaderHint};
use crate::coordinators::{CoordinatorKey, Coordinators};
use crate::fetch_buffer::FetchBuffer;
use crate::fetch_loop::FetchLoop;
use crate::heartbeat::{Heartbeat, HeartbeatPlan};
use crate::lock::lock;
use crate::mailbox::Event;
use crate::metadata::MetadataRefresh;
use crate::nodes::Nodes;
use crate::outbox::{Answer, Kind, Outbox};
use crate::producer::ProducerShared;
use crate::sender::Sender;
use crate::submit::{Submission, Submissions};

/// Unused response buffers that a client keeps.
const RECEIVE_POOL_BYTES: usize = 32 << 20;

/// What users' threads ask of the I/O thread.
#[derive(Debug)]
pub(crate) enum Command {
    Submit(Box<Submission>),
    Cancel(u64),
    InvalidateCoordinator(CoordinatorKey),
    StartHeartbeat(Box<HeartbeatPlan>),
    StopHeartbeat,
    AddProducer { index: usize, shared: Arc<ProducerShared> },
    RemoveProducer { index: usize },
    AddFetcher { id: u64, buffer: Arc<FetchBuffer> },
    RemoveFetcher { id: u64 },
    Stop,
}

/// The thread's state.
#[derive(Debug)]
pub(crate) struct IoThread {
    shared: Arc<Shared>,
    runtime: Handle,
    outbox: Outbox,
    pool: ReceivePool,
    metadata: MetadataRefresh,
    coordinators: Coordinators,
    submissions: Submissions,
    heartbeat: Option<Heartbeat>,
    heartbeat_sessions: u64,
    senders: BTreeMap<usize, Sender>,
    fetchers: BTreeMap<u64, FetchLoop>,
    is_stopping: bool,
}

/// Runs until the client stops. To be called on a thread of its own.
pub(crate) fn run(shared: &Arc<Shared>) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_io()
        .enable_time()
        .build();
    match runtime {
        Ok(runtime) => {
            runtime.block_on(serve(Arc::clone(shared)));
            // A name being resolved must not keep the thread.
            runtime.shutdown_background();
        }
        Err(error) => shared.mailbox.post(Event::Failed {
            token: 0,
            error_code: -1,
            message: error.to_string(),
        }),
    }
    shared.is_stopped.store(true, Ordering::Release);
    shared.mailbox.ring();
}

async fn serve(shared: Arc<Shared>) {
    let (sender, mut events) = unbounded_channel();
    let io = Arc::new(Mutex::new(IoThread::new(Arc::clone(&shared), sender)));
    // Weak, because it refers to what this is a part of.
    let _ = shared.io.set(Arc::downgrade(&io));
    loop {
        let seen = shared.waker.work();
        let deadline = lock(&io).round(&mut events);
        if lock(&io).is_stopping {
            break;
        }
        if !events.is_empty() || !shared.waker.try_park(deadline, seen) {
            continue;
        }
        let timer = async {
            match deadline {
                Some(deadline) => tokio::time::sleep_until(deadline.into()).await,
                None => std::future::pending().await,
            }
        };
        let event = tokio::select! {
            biased;
            event = events.recv() => event,
            () = shared.waker.rung() => None,
            () = timer => None,
        };
        shared.waker.unpark();
        if let Some(event) = event {
            let mut io = lock(&io);
            io.outbox.now = Instant::now();
            io.on_event(event);
        }
    }
    lock(&io).stop();
}

impl IoThread {
    fn new(shared: Arc<Shared>, events: tokio::sync::mpsc::UnboundedSender<ConnectionEvent>) -> Self {
        let config = &shared.config;
        let pool = ReceivePool::new(RECEIVE_POOL_BYTES);
        let options = ConnectionOptions {
            client_id: Arc::from(config.client_id.as_str()),
            setup_timeout: config.connection_setup_timeout,
            idle_timeout: config.connections_max_idle,
            send_buffer: config.send_buffer,
            receive_buffer: config.receive_buffer,
            response_bytes_max: config.max_response_bytes,
            pool: pool.clone(),
        };
        let backoff = Backoff::new(config.reconnect_backoff, config.reconnect_backoff_max);
        let setup = Backoff::new(config.connection_setup_timeout, config.connection_setup_timeout_max);
        let bootstrap = config.bootstrap_servers.clone();
        let nodes = Nodes::new(options, bootstrap, backoff, setup, config.may_rebootstrap, events);
        Self {
            runtime: Handle::current(),
            outbox: Outbox::new(nodes),
            pool,
            metadata: MetadataRefresh::new(config),
            coordinators: Coordinators::new(config),
            submissions: Submissions::new(config),
            heartbeat: None,
            heartbeat_sessions: 0,
            senders: BTreeMap::new(),
            fetchers: BTreeMap::new(),
            is_stopping: false,
            shared,
        }
    }

    /// Takes in all that happened, lets every component do what it can, and says when to look again.
    fn round(&mut self, events: &mut UnboundedReceiver<ConnectionEvent>) -> Option<Instant> {
        self.outbox.now = Instant::now();
        while let Ok(event) = events.try_recv() {
            self.on_event(event);
        }
        let commands = std::mem::take(&mut *lock(&self.shared.commands));
        for command in commands {
            self.on_command(command);
        }
        let view = self.shared.metadata.view();
        for sender in self.senders.values_mut() {
            sender.pump(&mut self.outbox, &view);
        }
        self.want_produced_topics();
        for fetcher in self.fetchers.values_mut() {
            fetcher.pump(&mut self.outbox, &view);
        }
        self.want_fetched_topics();
        self.submissions
            .pump(&mut self.outbox, &view, &mut self.coordinators, &self.shared.mailbox);
        if let Some(heartbeat) = &mut self.heartbeat {
            let goes_on = heartbeat.pump(
                &mut self.outbox,
                &mut self.coordinators,
                &self.shared.mailbox,
                &self.shared.poll_clock,
            );
            if !goes_on {
                self.heartbeat = None;
            }
        }
        self.metadata.pump(&mut self.outbox, &self.shared.metadata);
        self.shared.counters.report(&self.outbox.nodes, self.metadata.count);
        self.next_deadline()
    }

    /// On another thread, while this one sleeps: sends what a producer has, if nothing of it is unanswered. False if there is.
    pub(crate) fn send_now(&mut self, producer: usize) -> bool {
        let Some(sender) = self.senders.get_mut(&producer).filter(|sender| sender.is_idle()) else {
            return false;
        };
        // For a connection that has to be opened.
        let _runtime = self.runtime.enter();
        self.outbox.now = Instant::now();
        sender.pump(&mut self.outbox, &self.shared.metadata.view());
        self.want_produced_topics();
        self.shared.counters.report(&self.outbox.nodes, self.metadata.count);
        if let Some(deadline) = self.next_deadline() {
            self.shared.waker.wake_by(deadline);
        }
        true
    }

    fn next_deadline(&self) -> Option<Instant> {
        let now = self.outbox.now;
        let senders = self.senders.values().filter_map(|sender| sender.next_deadline(now));
        let fetchers = self.fetchers.values().filter_map(FetchLoop::next_deadline);
        let others = [
            self.outbox.nodes.next_retry(now),
            self.submissions.next_deadline(now),
            self.coordinators.next_retry().filter(|at| *at > now),
            self.heartbeat
                .as_ref()
                .and_then(|heartbeat| heartbeat.next_deadline(now, &self.shared.poll_clock)),
            self.metadata.next_deadline(&self.outbox, &self.shared.metadata),
        ];
        senders.chain(fetchers).chain(others.into_iter().flatten()).min()
    }

    /// Topics that are sent to and whose leaders are not known are asked for; those that have long been idle no more.
    fn want_produced_topics(&mut self) {
        for topic in std::mem::take(&mut self.outbox.leaderless) {
            self.shared.metadata.want_produced(&topic, &self.shared.waker);
        }
        if self.metadata.is_due(self.outbox.now) {
            let before = self.outbox.now.checked_sub(self.shared.config.metadata_max_idle);
            for sender in self.senders.values() {
                for topic in before.map_or_else(Vec::new, |before| sender.idle_topics(before)) {
                    self.shared.metadata.forget_produced(&topic);
                }
            }
        }
    }

    fn want_fetched_topics(&mut self) {
        if self
            .fetchers
            .values_mut()
            .fold(false, |any, fetcher| fetcher.take_topics_changed() | any)
        {
            let topics: BTreeSet<_> = self
                .fetchers
                .values()
                .flat_map(|fetcher| fetcher.topics().iter().cloned())
                .collect();
            self.shared.metadata.want_fetched(topics, &self.shared.waker);
        }
    }

    fn on_command(&mut self, command: Command) {
        match command {
            Command::Submit(submission) => self.submissions.add(*submission),
            Command::Cancel(token) => self.submissions.cancel(token),
            Command::InvalidateCoordinator(key) => self.coordinators.invalidate(&key),
            Command::StartHeartbeat(plan) => {
                self.heartbeat_sessions += 1;
                let timeout = self.shared.config.request_timeout;
                let heartbeat = Heartbeat::new(*plan, self.heartbeat_sessions, self.outbox.now, timeout);
                self.heartbeat = Some(heartbeat.after(self.heartbeat.as_ref()));
            }
            Command::StopHeartbeat => self.heartbeat = None,
            Command::AddProducer { index, shared } => {
                let backoff = self.retry_backoff();
                self.senders.insert(index, Sender::new(index, shared, backoff));
            }
            Command::RemoveProducer { index } => {
                if let Some(mut sender) = self.senders.remove(&index) {
                    sender.abort("the producer was closed before the record was acknowledged");
                }
            }
            Command::AddFetcher { id, buffer } => {
                let fetcher = FetchLoop::new(id, buffer, self.pool.clone(), self.retry_backoff());
                self.fetchers.insert(id, fetcher);
            }
            Command::RemoveFetcher { id } => {
                self.fetchers.remove(&id);
            }
            Command::Stop => self.is_stopping = true,
        }
    }

    fn retry_backoff(&self) -> Backoff {
        Backoff::new(self.shared.config.retry_backoff, self.shared.config.retry_backoff_max)
    }

    fn on_event(&mut self, event: ConnectionEvent) {
        match event {
            ConnectionEvent::Ready { connection, versions } => self.outbox.nodes.on_ready(connection, versions),
            ConnectionEvent::Response { token, body, .. } => {
                if let Some(answer) = self.outbox.on_response(token, body) {
                    self.on_answer(answer);
                }
            }
            ConnectionEvent::Closed {
                connection,
                reason,
                unanswered,
            } => {
                if matches!(
                    reason,
                    CloseReason::ConnectFailed { .. } | CloseReason::HandshakeFailed { .. }
                ) {
                    self.shared.metadata.fail(reason.to_string());
                }
                for answer in self.outbox.on_closed(connection, &reason, &unanswered) {
                    self.on_answer(answer);
                }
            }
        }
    }

    fn on_answer(&mut self, answer: Answer) {
        let shared = &self.shared;
        let outbox = &mut self.outbox;
        match answer.kind {
            Kind::Metadata { sequence } => {
                let version = answer.api_version;
                let result = answer
                    .result
                    .map(|body| (version, body))
                    .map_err(|reason| reason.to_string());
                self.metadata
                    .on_answer(outbox, &shared.metadata, &shared.mailbox, sequence, result);
            }
            Kind::FindCoordinator(key) => {
                let version = answer.api_version;
                self.coordinators
                    .on_answer(outbox, &key, answer.result.map(|body| (version, body)));
            }
            Kind::Submission(token) => {
                self.submissions
                    .on_answer(outbox, &mut self.coordinators, &shared.mailbox, token, answer);
            }
            Kind::Heartbeat { session } => {
                if let Some(heartbeat) = &mut self.heartbeat {
                    heartbeat.on_answer(outbox, &mut self.coordinators, &shared.mailbox, session, answer);
                }
            }
            // The group was told; whether it heard does not matter, its session ends anyway.
            Kind::Leave => {}
            Kind::InitProducerId { producer } => {
                if let Some(sender) = self.senders.get_mut(&producer) {
                    sender.on_producer_id(outbox.now, answer.api_version, answer.result);
                }
            }
            Kind::Produce { producer, .. } => {
                let view = shared.metadata.view();
                if let Some(sender) = self.senders.get_mut(&producer) {
                    let hints = sender.on_answer(outbox, &view, answer);
                    self.take_hints(&view, &hints);
                }
            }
            Kind::Fetch { fetcher, .. } => {
                let view = shared.metadata.view();
                if let Some(fetcher) = self.fetchers.get_mut(&fetcher) {
                    let hints = fetcher.on_answer(outbox, &view, &shared.mailbox, answer);
                    self.take_hints(&view, &hints);
                }
            }
            Kind::Validate { fetcher, request } => {
                if let Some(fetcher) = self.fetchers.get_mut(&fetcher) {
                    let answered = answer.result.ok().map(|body| (answer.api_version, body));
                    fetcher.on_validated(outbox, &shared.mailbox, *request, answered);
                }
            }
        }
    }

    /// Leaders that brokers named in refusing (KIP-951) are believed when they are newer.
    fn take_hints(&self, view: &ClusterView, hints: &[LeaderHint]) {
        let mut newer: Option<ClusterView> = None;
        for hint in hints {
            newer = newer.as_ref().unwrap_or(view).with_leader(hint).or(newer);
        }
        if let Some(newer) = newer {
            self.shared.metadata.publish(Arc::new(newer));
        }
    }

    fn stop(&mut self) {
        for sender in self.senders.values_mut() {
            sender.abort("the client was closed before the record was acknowledged");
        }
        let commands: VecDeque<Command> = std::mem::take(&mut *lock(&self.shared.commands));
        for command in commands {
            if let Command::AddProducer { index, shared } = command {
                let backoff = self.retry_backoff();
                Sender::new(index, shared, backoff).abort("the client was closed before the record was acknowledged");
            }
        }
    }
}
