//! Keeping the cluster view fresh: what is asked, when, and who waits for it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Condvar, Mutex, RwLock};
use std::time::{Duration, Instant};

use barnabas_net::outbound::Backoff;
use barnabas_wire::api;
use barnabas_wire::errors::ErrorCode;
use barnabas_wire::messages::metadata::{MetadataRequest, MetadataRequestTopic, MetadataResponse};
use barnabas_wire::primitives::Reader;
use bytes::Bytes;

use crate::cluster::{ClusterView, Wanted};
use crate::config::ClientConfig;
use crate::lock::{lock, read, write};
use crate::mailbox::{Event, Mailbox};
use crate::nodes::{Purpose, prefix};
use crate::outbox::{Kind, Outbox, Send};
use crate::waker::Waker;

/// Metadata versions that this client can use; the oldest names a controller.
const VERSIONS: (i16, i16) = (1, 13);

/// Least time without an answer after which the client starts again from its first addresses.
const REBOOTSTRAP_TRIGGER_MIN: Duration = Duration::from_secs(1);

/// A topic is spoken of in the log when so many answers in a row had an error for it: with fewer it may be on its way.
const TOLD_AFTER: u32 = 4;

/// The part of metadata that users' threads share with the I/O thread.
#[derive(Debug)]
pub(crate) struct MetadataCell {
    view: RwLock<Arc<ClusterView>>,
    state: Mutex<CellState>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct CellState {
    /// Topics of the producer, until they are idle for `metadata.max.idle.ms`.
    produced: BTreeSet<Arc<str>>,
    /// Topics that the consumer or admin asked for.
    watched: BTreeSet<Arc<str>>,
    /// Topics that are fetched.
    fetched: BTreeSet<Arc<str>>,
    is_all_watched: bool,
    /// Counts requests for a refresh.
    requested: u64,
    /// The last request that a completed refresh has answered.
    completed: u64,
    /// Counts completed refreshes.
    count: u64,
    /// Why the last attempt failed, if it did.
    failure: Option<String>,
}

impl MetadataCell {
    pub(crate) fn new() -> Self {
        Self {
            view: RwLock::new(Arc::new(ClusterView::unknown())),
            state: Mutex::default(),
            changed: Condvar::new(),
        }
    }

    /// The view as it is now.
    pub(crate) fn view(&self) -> Arc<ClusterView> {
        Arc::clone(&read(&self.view))
    }

    pub(crate) fn publish(&self, view: Arc<ClusterView>) {
        *write(&self.view) = view;
    }

    /// Wants a topic of the producer; asks for a refresh if nothing is known of it.
    pub(crate) fn want_produced(&self, topic: &Arc<str>, waker: &Waker) {
        let mut state = lock(&self.state);
        if state.produced.insert(Arc::clone(topic)) {
            state.requested += 1;
            drop(state);
            waker.wake();
        }
    }

    /// A topic that the producer has not sent to for long.
    pub(crate) fn forget_produced(&self, topic: &Arc<str>) {
        lock(&self.state).produced.remove(topic);
    }

    /// The topics that are watched from now on; `None` is all of them.
    pub(crate) fn want_watched(&self, topics: Option<Vec<Arc<str>>>, waker: &Waker) {
        let mut state = lock(&self.state);
        let is_all = topics.is_none();
        let topics: BTreeSet<_> = topics.unwrap_or_default().into_iter().collect();
        let view = self.view();
        let is_more = (is_all && !state.is_all_watched) || topics.iter().any(|topic| view.topic(topic).is_none());
        state.is_all_watched = is_all;
        state.watched = topics;
        if is_more {
            state.requested += 1;
            waker.wake();
        }
    }

    /// The topics that are fetched from now on.
    pub(crate) fn want_fetched(&self, topics: BTreeSet<Arc<str>>, waker: &Waker) {
        let mut state = lock(&self.state);
        let view = self.view();
        let is_more = topics.iter().any(|topic| view.topic(topic).is_none());
        state.fetched = topics;
        if is_more {
            state.requested += 1;
            waker.wake();
        }
    }

    /// Asks for a refresh; its number is what [`wait`](Self::wait) waits for.
    pub(crate) fn request(&self, waker: &Waker) -> u64 {
        let mut state = lock(&self.state);
        state.requested += 1;
        let number = state.requested;
        drop(state);
        waker.wake();
        number
    }

    /// Waits up to `timeout` for the refresh with this number. `Err` is why the last attempt failed, if one did.
    pub(crate) fn wait(&self, number: u64, timeout: Duration) -> Result<(), Option<String>> {
        let deadline = Instant::now() + timeout;
        let mut state = lock(&self.state);
        loop {
            if state.completed >= number {
                return Ok(());
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(state.failure.clone());
            }
            state = self
                .changed
                .wait_timeout(state, left)
                .unwrap_or_else(std::sync::PoisonError::into_inner)
                .0;
        }
    }

    /// How many refreshes were completed.
    pub(crate) fn count(&self) -> u64 {
        lock(&self.state).count
    }

    /// Waits up to `timeout` until more than `count` refreshes were completed. If they are not: why the last attempt failed.
    pub(crate) fn wait_count(&self, count: u64, timeout: Duration) -> Result<(), Option<String>> {
        let deadline = Instant::now() + timeout;
        let mut state = lock(&self.state);
        while state.count <= count {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(state.failure.clone());
            }
            state = self
                .changed
                .wait_timeout(state, left)
                .unwrap_or_else(std::sync::PoisonError::into_inner)
                .0;
        }
        Ok(())
    }

    fn wanted(&self) -> (Wanted, u64) {
        let state = lock(&self.state);
        let names = state
            .produced
            .iter()
            .chain(&state.watched)
            .chain(&state.fetched)
            .map(Arc::clone)
            .collect();
        (
            Wanted {
                names,
                is_all: state.is_all_watched,
            },
            state.requested,
        )
    }

    fn is_requested(&self) -> bool {
        let state = lock(&self.state);
        state.requested > state.completed
    }

    fn complete(&self, number: u64) {
        let mut state = lock(&self.state);
        state.completed = state.completed.max(number);
        state.count += 1;
        state.failure = None;
        self.changed.notify_all();
    }

    /// Remembers, for whoever gives up waiting, why there is no metadata.
    pub(crate) fn fail(&self, reason: String) {
        lock(&self.state).failure = Some(reason);
    }

    pub(crate) fn failure(&self) -> Option<String> {
        lock(&self.state).failure.clone()
    }
}

/// The I/O thread's part: when to ask.
#[derive(Debug)]
pub(crate) struct MetadataRefresh {
    max_age: Duration,
    request_timeout: Duration,
    allow_auto_topic_creation: bool,
    refreshed: Option<Instant>,
    asked_again_at: Option<Instant>,
    is_in_flight: bool,
    failures: u32,
    backoff: Backoff,
    /// Since when an answer has been wanted, in vain so far.
    wanted_since: Option<Instant>,
    rebootstrap_trigger: Duration,
    in_flight_wanted: Wanted,
    client_id: String,
    /// How many answers in a row had an error for a topic that may pass.
    unsettled: BTreeMap<Arc<str>, u32>,
    /// Refreshes since the start.
    pub(crate) count: u64,
}

impl MetadataRefresh {
    pub(crate) fn new(config: &ClientConfig) -> Self {
        Self {
            max_age: config.metadata_max_age,
            request_timeout: config.request_timeout,
            allow_auto_topic_creation: config.allow_auto_create_topics,
            refreshed: None,
            asked_again_at: None,
            is_in_flight: false,
            failures: 0,
            backoff: Backoff::new(config.retry_backoff, config.retry_backoff_max),
            wanted_since: None,
            // Sooner no connection could have been set up, and starting again would close it.
            rebootstrap_trigger: config.rebootstrap_trigger.max(REBOOTSTRAP_TRIGGER_MIN),
            in_flight_wanted: Wanted::default(),
            client_id: config.client_id.clone(),
            unsettled: BTreeMap::new(),
            count: 0,
        }
    }

    /// Whether the view is so old that it is asked for again.
    pub(crate) fn is_due(&self, now: Instant) -> bool {
        self.refreshed
            .is_some_and(|refreshed| now.saturating_duration_since(refreshed) >= self.max_age)
    }

    /// Asks if it is time to.
    pub(crate) fn pump(&mut self, outbox: &mut Outbox, cell: &MetadataCell) {
        if self.is_in_flight || outbox.wants_metadata || self.is_due(outbox.now) || cell.is_requested() {
            let since = *self.wanted_since.get_or_insert(outbox.now);
            if outbox.now.saturating_duration_since(since) >= self.rebootstrap_trigger {
                self.rebootstrap(outbox);
            }
        } else {
            self.wanted_since = None;
            return;
        }
        if self.is_in_flight {
            return;
        }
        if self.pause(outbox, cell).is_some() {
            return;
        }
        let Some(node) = outbox.nodes.any_ready(outbox.now) else {
            return;
        };
        let Some(versions) = outbox.ready(node, Purpose::Rest) else {
            return;
        };
        let (wanted, number) = cell.wanted();
        let Some(api_version) = versions.choose(api::METADATA, VERSIONS.0, VERSIONS.1) else {
            cell.fail(format!(
                "{} serves no version of Metadata that this client can read",
                outbox.nodes.describe(node)
            ));
            return self.failed(outbox.now);
        };
        let body = match self.request(&wanted, api_version) {
            Ok(body) => body,
            Err(reason) => {
                cell.fail(reason);
                return self.failed(outbox.now);
            }
        };
        let send = Send {
            node,
            purpose: Purpose::Rest,
            api_key: api::METADATA,
            api_version,
            parts: vec![Bytes::from(body)],
            timeout: self.request_timeout,
            expects_response: true,
        };
        if outbox.send(send, Kind::Metadata { sequence: number }).is_ok() {
            self.is_in_flight = true;
            self.in_flight_wanted = wanted;
            outbox.wants_metadata = false;
        }
    }

    /// No answer came for long, or a broker said that it is no part of the cluster: starts again (KIP-1102).
    fn rebootstrap(&mut self, outbox: &mut Outbox) {
        self.wanted_since = Some(outbox.now);
        if outbox.nodes.rebootstrap() {
            log::warn!("the cluster's metadata could not be had: starting again from bootstrap.servers");
            outbox.wants_metadata = true;
        }
    }

    /// Until when not to ask. What users ask for is not delayed while all goes well.
    fn pause(&self, outbox: &Outbox, cell: &MetadataCell) -> Option<Instant> {
        self.asked_again_at
            .filter(|at| *at > outbox.now && (self.failures > 0 || !cell.is_requested()))
    }

    fn request(&self, wanted: &Wanted, api_version: i16) -> Result<Vec<u8>, String> {
        let topic = |name| MetadataRequestTopic {
            name: Some(name),
            ..MetadataRequestTopic::default()
        };
        let topics = (!wanted.is_all).then(|| wanted.names.iter().map(|name| topic(&**name)).collect());
        let allow_auto_topic_creation = api_version < 4 || self.allow_auto_topic_creation;
        let request = MetadataRequest {
            topics,
            allow_auto_topic_creation,
            ..MetadataRequest::default()
        };
        request.to_bytes(api_version).map_err(|error| error.to_string())
    }

    /// Takes an answer in.
    pub(crate) fn on_answer(
        &mut self,
        outbox: &mut Outbox,
        cell: &MetadataCell,
        mailbox: &Mailbox,
        number: u64,
        answer: Result<(i16, Bytes), String>,
    ) {
        self.is_in_flight = false;
        let mut is_refused = false;
        let outcome = answer.and_then(|(api_version, body)| {
            let response =
                MetadataResponse::decode(&mut Reader::new(&body), api_version).map_err(|error| error.to_string())?;
            if response.error_code != 0 {
                is_refused = ErrorCode(response.error_code) == ErrorCode::REBOOTSTRAP_REQUIRED;
                return Err(ErrorCode(response.error_code).to_string());
            }
            if response.brokers.is_empty() {
                return Err("the cluster has no brokers".to_owned());
            }
            let old = cell.view();
            Ok((old.after(&response, &self.in_flight_wanted), old))
        });
        let (view, old) = match outcome {
            Ok(views) => views,
            Err(reason) => {
                cell.fail(reason);
                if is_refused {
                    self.rebootstrap(outbox);
                }
                return self.failed(outbox.now);
            }
        };
        self.wanted_since = None;
        self.count += 1;
        outbox.nodes.set_addresses(view.addresses());
        let is_changed = view != *old;
        let is_settled = view.topics.values().all(|topic| is_settled(topic));
        self.tell_of_topics(&view);
        cell.publish(Arc::new(view));
        cell.complete(number);
        if is_changed {
            mailbox.post(Event::Metadata);
        }
        self.refreshed = Some(outbox.now);
        // Topics being created and leaders being elected are asked for again, less and less often.
        outbox.wants_metadata |= !is_settled;
        self.failures = if is_settled { 0 } else { self.failures.saturating_add(1) };
        let pause = self.backoff.after(self.failures.max(1));
        self.asked_again_at = Some(outbox.now + pause);
    }

    /// Says in the log, once, which topics stay without metadata: whoever reads a topic that is not there sees nothing else.
    fn tell_of_topics(&mut self, view: &ClusterView) {
        let before = std::mem::take(&mut self.unsettled);
        for topic in view.topics.values() {
            let code = ErrorCode(topic.error_code);
            if code.is_ok() || !code.retriable() {
                continue;
            }
            let count = before.get(&topic.name).map_or(1, |count| count.saturating_add(1));
            self.unsettled.insert(Arc::clone(&topic.name), count);
            if count == TOLD_AFTER {
                let remedy = match code {
                    ErrorCode::UNKNOWN_TOPIC_OR_PARTITION => "it does not exist: create it, or look at the name",
                    _ => "it has no metadata yet",
                };
                log::warn!(
                    "{}topic {}: {remedy}; the cluster is asked for it again and again ({code})",
                    prefix(&self.client_id),
                    topic.name
                );
            }
        }
    }

    fn failed(&mut self, now: Instant) {
        self.failures = self.failures.saturating_add(1);
        self.asked_again_at = Some(now + self.backoff.after(self.failures));
    }

    /// When to look again.
    pub(crate) fn next_deadline(&self, outbox: &Outbox, cell: &MetadataCell) -> Option<Instant> {
        let trigger = self
            .wanted_since
            .and_then(|since| since.checked_add(self.rebootstrap_trigger));
        if self.is_in_flight {
            return trigger;
        }
        if outbox.wants_metadata || cell.is_requested() {
            return self.pause(outbox, cell).into_iter().chain(trigger).min();
        }
        self.refreshed
            .map(|refreshed| refreshed + self.max_age)
            .filter(|at| *at > outbox.now)
    }
}

/// Whether asking again would tell nothing new: no retriable error, every partition led.
fn is_settled(topic: &crate::cluster::Topic) -> bool {
    !ErrorCode(topic.error_code).retriable()
        && topic
            .partitions
            .iter()
            .all(|partition| partition.leader >= 0 || !ErrorCode(partition.error_code).retriable())
}
