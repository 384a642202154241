//! A running broker: what starts, owns and stops everything.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use barnabas_log::{FileStorage, Storage};
use barnabas_net::server::{Server, ServerConfig, ServerError, raise_file_limit};

use crate::broker::{Broker, Stopwatch, monotonic};
use crate::calls::{KeyValue, PartitionInfo, TypeValue};
use crate::cleaner::CleanerGuard;
use crate::config::BrokerConfig;
use crate::control::Event;
use crate::dispatch::Dispatch;
use crate::error::BrokerError;
use crate::faults::{Fault, SeenRequest};
use crate::image::{Change, Endpoint};
use crate::metadata;
use crate::upkeep::Upkeep;

/// A broker with its network side. Dropping it stops it without a clean shutdown.
pub struct Node {
    broker: Arc<Broker>,
    server: Server<Dispatch>,
    is_serving: AtomicBool,
    upkeep: Upkeep,
    cleaner: CleanerGuard,
    is_stopped: AtomicBool,
}

impl std::fmt::Debug for Node {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Node")
            .field("broker", &self.broker)
            .finish_non_exhaustive()
    }
}

impl Node {
    /// Opens the data directories and binds the listeners. Connections wait until [`Node::open_gate`].
    pub fn start(config: BrokerConfig) -> Result<Self, BrokerError> {
        Self::start_on(config, Arc::new(FileStorage), monotonic())
    }

    /// As [`Node::start`], on the given storage and with the given clock for the duration of appends.
    pub fn start_on(
        config: BrokerConfig,
        storage: Arc<dyn Storage>,
        stopwatch: Stopwatch,
    ) -> Result<Self, BrokerError> {
        if let Err(error) = raise_file_limit() {
            log::warn!("the limit of open files stays as it is: {error}");
        }
        let broker = Arc::new(Broker::open(config, storage, stopwatch)?);
        let options = &broker.options;
        let server = ServerConfig {
            listeners: broker.config.listeners.clone(),
            reactors: broker.config.reactors,
            frame_bytes_max: options.frame_bytes_max,
            limits: broker.connections.limits()?,
            protected_listener: broker.config.inter_broker_listener.clone(),
            request_bytes_max: options.request_bytes_max,
            idle_max: options.idle_max,
            send_mode: options.send_mode,
            socket_buffer_bytes: options.socket_buffer_bytes,
        };
        let server = Server::bind(server, Arc::new(Dispatch(Arc::clone(&broker))))?;
        let upkeep = Upkeep::start(&broker).map_err(ServerError::Start)?;
        let cleaner = CleanerGuard(Arc::clone(&broker));
        broker.cleaner.start(&broker).map_err(ServerError::Start)?;
        Ok(Self {
            broker,
            server,
            is_serving: AtomicBool::new(false),
            upkeep,
            cleaner,
            is_stopped: AtomicBool::new(false),
        })
    }

    /// What clients are to be told of the listeners that are open: name, host and port.
    pub fn endpoints(&self) -> Vec<Endpoint> {
        let listeners = self.server.listeners().into_iter();
        listeners
            .map(|(name, address)| self.endpoint(&name, address.port()))
            .collect()
    }

    /// What is advertised for a listener, with the port that was bound where none was given.
    fn endpoint(&self, name: &str, port: u16) -> Endpoint {
        let advertised = self.broker.config.advertised.iter().find(|told| told.name == name);
        let told = advertised.cloned().or_else(|| self.broker.listeners.asked(name));
        let (host, asked) = told.map_or((String::new(), 0), |told| (told.host, told.port));
        let host = match host.as_str() {
            "" | "0.0.0.0" | "::" => "localhost".to_owned(),
            _ => host,
        };
        Endpoint {
            listener: name.to_owned(),
            host,
            port: if asked == 0 { port } else { asked },
        }
    }

    /// Serves requests from here on.
    pub fn open_gate(&self) {
        // The image is published as it was stored: what is asked for from here on is new.
        self.broker.logs.all_known();
        self.is_serving.store(true, Ordering::SeqCst);
        self.server.open_gate();
    }

    /// Milliseconds by the clock of all arrival stamps.
    pub fn now_ms(&self) -> f64 {
        self.broker.control.clock.now()
    }

    /// Milliseconds since 1970 by the broker's clock.
    pub fn wall_ms(&self) -> i64 {
        self.broker.wall_clock_ms()
    }

    /// Lets time pass at once, for sessions, transactions and retention.
    pub fn advance_clock(&self, ms: u64) {
        self.broker.advance_clock(ms);
    }

    /// Adds a fault for the requests to come; returns its number.
    pub fn inject(&self, fault: Fault) -> u64 {
        self.broker.hooks.inject(fault)
    }

    /// Takes a fault out again, or all of them.
    pub fn remove_fault(&self, id: Option<u64>) {
        self.broker.hooks.remove(id);
    }

    /// How many requests have met a fault; `None` when it was taken out.
    pub fn fault_fired(&self, id: u64) -> Option<u64> {
        self.broker.hooks.fired(id)
    }

    /// Waits until that many requests have met a fault, or it is taken out; `None` when time ran out before.
    pub fn wait_fault(&self, id: u64, count: u64, timeout: Duration) -> Option<()> {
        self.broker.hooks.wait_fired(id, count, timeout)
    }

    /// Keeps the last `limit` requests from here on; `None` keeps no more.
    pub fn record_requests(&self, limit: Option<usize>) {
        self.broker.hooks.record(limit);
    }

    /// The requests that were kept.
    pub fn requests_seen(&self) -> Vec<SeenRequest> {
        self.broker.hooks.seen()
    }

    /// Takes up to `limit` events; `None` when none has come within `timeout`.
    pub fn pull(&self, timeout: Duration, limit: usize) -> Option<Vec<Event>> {
        self.broker.control.pull(timeout, limit)
    }

    /// Answers a request of the control queue with a body, to which the header is added.
    ///
    /// `busy` is how long the control plane worked for it; `mutations_ms` how long its client has to wait for changes that
    /// it made, which the answer says and the connection is muted for, as for other quotas.
    pub fn respond(&self, token: u64, body: &[u8], busy: Duration, mutations_ms: u32) {
        self.broker.control.respond(token, body, busy, mutations_ms);
    }

    /// Partitions that a request may create and delete before its client's quota refuses more, which it does below 0;
    /// `None` if there is no quota.
    pub fn mutations_left(&self, token: u64) -> Option<f64> {
        self.broker.control.mutations_left(token)
    }

    /// Charges a request for partitions created and deleted; returns how many milliseconds it takes until nothing is owed.
    pub fn charge_mutations(&self, token: u64, partitions: u32) -> u32 {
        self.broker.control.charge_mutations(token, partitions)
    }

    /// Answers a Metadata request of the control queue from the image as it is now.
    pub fn respond_from_image(&self, token: u64) {
        self.broker.control.respond_with(token, |to, peer, body| {
            let mut response = barnabas_net::part::Response::new();
            let creation = metadata::Creation::Forbidden;
            match metadata::handle(&self.broker, peer, to, body, creation, &mut response) {
                metadata::Answer::Done(barnabas_net::server::Outcome::Reply) => Some(response),
                _ => None,
            }
        });
    }

    /// Appends records as one batch; see the event [`Event::Appended`].
    pub fn append(
        &self,
        topic: &str,
        partition: i32,
        leader_epoch: i32,
        records: &[KeyValue<'_>],
        timestamp_ms: i64,
    ) -> Result<i64, BrokerError> {
        self.broker
            .append_records(topic, partition, leader_epoch, records, timestamp_ms)
    }

    /// The same of control records.
    pub fn append_control(
        &self,
        topic: &str,
        partition: i32,
        leader_epoch: i32,
        records: &[TypeValue<'_>],
        timestamp_ms: i64,
    ) -> Result<i64, BrokerError> {
        self.broker
            .append_control_records(topic, partition, leader_epoch, records, timestamp_ms)
    }

    /// Starts a read; the event [`Event::Read`] brings its result.
    pub fn read(&self, topic: &str, partition: i32, offset: i64, max_bytes: usize) -> u64 {
        self.broker.read_records(topic, partition, offset, max_bytes)
    }

    /// Watches a partition, now or when it comes; see the event [`Event::Watched`].
    pub fn watch(&self, topic: &str, partition: i32) {
        self.broker.watch(topic, partition);
    }

    /// Where a partition stands, if it is here.
    pub fn info(&self, topic: &str, partition: i32) -> Option<PartitionInfo> {
        self.broker.info(topic, partition)
    }

    /// Lets a log begin later; see [`Event`]s of reads for what is left. Returns its first offset.
    pub fn delete_records(&self, topic: &str, partition: i32, before_offset: i64) -> Result<i64, BrokerError> {
        self.broker.delete_records(topic, partition, before_offset)
    }

    /// Bytes of a partition's segments, if it is here.
    pub fn log_size(&self, topic: &str, partition: i32) -> Option<u64> {
        self.broker.log_size(topic, partition)
    }

    /// Publishes what has become part of the metadata log below its high watermark.
    pub fn publish(&self, delta: Vec<Change>, offset: i64, epoch: i32) -> Result<(), BrokerError> {
        self.broker.publish(delta, offset, epoch)?;
        if let Some(limits) = self.broker.connections.take_changed() {
            self.server.set_limits(limits);
            self.spread_over_reactors();
        }
        let is_serving = self.is_serving.load(Ordering::SeqCst);
        self.broker.listeners.follow(&self.server, is_serving);
        Ok(())
    }

    fn spread_over_reactors(&self) {
        let config = &self.broker.config;
        let count = match self.broker.connections.network_threads() {
            Ok(wanted) => wanted.map_or(config.reactors, |wanted| wanted.min(config.reactors_max)),
            Err(error) => return log::error!("the reactors stay as many as they are: {error}"),
        };
        if let Err(error) = self.server.set_reactors(count) {
            log::error!("no more reactors can be started: {error}");
        }
    }

    /// Stores a small durable file.
    pub fn store(&self, name: &str, data: &[u8]) -> Result<(), BrokerError> {
        self.broker.store(name, data)
    }

    /// Loads a small durable file; `None` if there is none.
    pub fn load(&self, name: &str) -> Result<Option<Vec<u8>>, BrokerError> {
        self.broker.load(name)
    }

    /// Closes a connection.
    pub fn close_connection(&self, connection_id: u64) {
        self.server.close_connection(connection_id);
    }

    /// Counters and lengths by name.
    pub fn metrics(&self) -> BTreeMap<&'static str, u64> {
        let own = &self.broker.metrics;
        let net = self.server.metrics();
        let (bytes_in, bytes_out) = self.traffic();
        let length = |length: usize| u64::try_from(length).unwrap_or(u64::MAX);
        let (events, requests) = self.broker.control.depths();
        let (sessions, session_partitions) = self.broker.fetch_sessions.sizes();
        BTreeMap::from([
            ("requests", own.requests.get()),
            ("requests_refused", own.refused_requests.get()),
            ("produce_requests", own.produce_requests.get()),
            ("produce_errors", own.produce_errors.get()),
            ("produce_bytes", own.produce_bytes.get()),
            ("produce_duplicates", own.duplicate_batches.get()),
            ("fetch_requests", own.fetch_requests.get()),
            ("fetch_bytes", own.fetch_bytes.get()),
            ("fetches_parked", own.fetches_parked.get()),
            ("fetch_sessions", length(sessions)),
            ("fetch_session_partitions", length(session_partitions)),
            ("fetch_sessions_evicted", self.broker.fetch_sessions.evictions.get()),
            ("control_requests", own.control_requests.get()),
            ("control_appends", own.control_appends.get()),
            ("control_queue_depth", length(events)),
            ("control_requests_queued", length(requests)),
            ("control_requests_pending", length(self.broker.control.pending())),
            ("appends_on_helpers", own.appends_on_helpers.get()),
            ("flushes", own.flushes.get()),
            ("segments_deleted", own.segments_deleted.get()),
            ("data_dirs_offline", length(self.broker.logs.offline_dirs().len())),
            ("partitions_slowed", own.partitions_slowed.get()),
            ("cleaner_rounds", own.cleaner_rounds.get()),
            ("cleaner_bytes_read", own.cleaner_bytes_read.get()),
            ("cleaner_bytes_written", own.cleaner_bytes_written.get()),
            ("cleaner_records_removed", own.cleaner_records_removed.get()),
            (
                "cleaner_partitions_given_up",
                length(self.broker.logs.uncleanable().len()),
            ),
            ("bytes_in", bytes_in),
            ("bytes_out", bytes_out),
            ("append_helper_queue", length(self.broker.append_helpers.depth())),
            (
                "helper_queue",
                length(self.broker.helpers.depth() + self.broker.background.depth()),
            ),
            ("connections_evicted", net.evicted.load(Ordering::Relaxed)),
            ("connections_delayed", net.delayed.load(Ordering::Relaxed)),
            ("connections_throttled", net.throttled.load(Ordering::Relaxed)),
            ("connections_muted", length(net.muted.load(Ordering::Relaxed))),
            ("cold_reads", net.cold_reads.load(Ordering::Relaxed)),
            ("connections", length(net.connections.load(Ordering::Relaxed))),
            ("connections_accepted", net.accepted.load(Ordering::Relaxed)),
            ("connections_refused", net.refused.load(Ordering::Relaxed)),
            ("connections_idle_closed", net.idle_closed.load(Ordering::Relaxed)),
        ])
    }

    pub(crate) fn broker(&self) -> &Broker {
        &self.broker
    }

    /// Answers what is being executed, closes every connection, writes the checkpoints and the clean-shutdown marker.
    /// Returns whether all of that went well within `timeout`; a second call does nothing.
    pub fn stop(&self, timeout: Duration) -> bool {
        if self.is_stopped.swap(true, Ordering::SeqCst) {
            return true;
        }
        self.broker.begin_stop();
        let is_drained = self.server.stop(timeout);
        self.cleaner.0.cleaner.stop();
        self.upkeep.stop();
        self.broker.append_helpers.stop();
        self.broker.helpers.stop();
        self.broker.background.stop();
        let closed = self.broker.logs.shutdown(self.broker.wall_clock_ms());
        if let Err(error) = &closed {
            log::error!("no clean shutdown: {error}");
        }
        is_drained && closed.is_ok()
    }
}
