//! Sends a producer's batches: ready ones grouped by leader, a bounded number of requests in flight per broker, each
//! partition's batches in order. Runs on the I/O thread.

mod answers;
mod availability;
mod expiry;

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::sync::Arc;
use std::time::Instant;

use barnabas_net::outbound::{Backoff, CloseReason};
use barnabas_wire::api;
use barnabas_wire::errors::ErrorCode;
use bytes::Bytes;

use crate::accumulator::PartitionQueue;
use crate::batch::{Failure, OpenBatch, Outcome, SealSettings, SealedBatch, Sequence};
use crate::cluster::{ClusterView, NO_TOPIC_ID};
use crate::config::Acks;
use crate::identity::Identity;
use crate::nodes::{NodeId, Purpose};
use crate::outbox::{Kind, Outbox, Send};
use crate::produce_message::{TOPIC_IDS_SINCE, VERSIONS, ZSTD_SINCE, encode};
use crate::producer::ProducerShared;
use crate::sequences::PartitionOrder;
use availability::Availability;

/// Idempotence without a sequence number.
const NO_SEQUENCE: Sequence = Sequence {
    producer_id: -1,
    producer_epoch: -1,
    base: -1,
};

/// A Produce request that was not answered.
#[derive(Debug)]
pub(crate) struct ProduceInFlight {
    /// In the order of the request.
    batches: Vec<(usize, SealedBatch)>,
}

/// A producer's part of the I/O thread.
#[derive(Debug)]
pub(crate) struct Sender {
    index: usize,
    shared: Arc<ProducerShared>,
    /// By slot of their queues.
    partitions: Vec<Option<SenderPartition>>,
    /// Slots that may have something to send, in the order in which their turn comes.
    waiting: VecDeque<usize>,
    in_flight: HashMap<NodeId, usize>,
    identity: Identity,
    backoff: Backoff,
    next_expiry_check: Option<Instant>,
    availability: Availability,
    found: Vec<Arc<PartitionQueue>>,
    scratch: Vec<u8>,
}

#[derive(Debug)]
struct SenderPartition {
    queue: Arc<PartitionQueue>,
    order: PartitionOrder,
    is_waiting: bool,
    not_before: Option<Instant>,
}

/// Batches for one broker, being gathered.
#[derive(Debug, Default)]
struct Gathered {
    api_version: i16,
    bytes: usize,
    batches: Vec<(usize, SealedBatch)>,
}

impl Sender {
    pub(crate) fn new(index: usize, shared: Arc<ProducerShared>, retry_backoff: Backoff) -> Self {
        Self {
            index,
            availability: Availability::new(shared.config.availability_timeout),
            shared,
            partitions: Vec::new(),
            waiting: VecDeque::new(),
            in_flight: HashMap::new(),
            identity: Identity::new(retry_backoff.clone()),
            backoff: retry_backoff,
            next_expiry_check: None,
            found: Vec::new(),
            scratch: Vec::new(),
        }
    }

    /// Sends what can be sent.
    pub(crate) fn pump(&mut self, outbox: &mut Outbox, view: &Arc<ClusterView>) {
        self.collect(outbox.now);
        self.expire(outbox.now);
        while !self.waiting.is_empty() && self.has_identity(outbox) {
            let gathered = self.gather(outbox, view);
            if gathered.is_empty() {
                // A partition that needs a new producer id, because its epochs are used up, made it unknown.
                if self.shared.config.enable_idempotence && self.identity.id().is_none() {
                    continue;
                }
                return;
            }
            for (node, gathered) in gathered {
                self.send(outbox, view, node, gathered);
            }
        }
    }

    /// Lists the partitions that callers made ready.
    fn collect(&mut self, now: Instant) {
        let accumulator = &self.shared.accumulator;
        let all = self.shared.is_flushing() || accumulator.pool.has_waiters();
        let mut found = std::mem::take(&mut self.found);
        accumulator.collect_ready(now, all, &mut found);
        for queue in found.drain(..) {
            let slot = queue.slot;
            if self.partitions.len() <= slot {
                self.partitions.resize_with(slot + 1, || None);
            }
            if let Some(entry) = self.partitions.get_mut(slot) {
                entry.get_or_insert_with(|| SenderPartition {
                    queue,
                    order: PartitionOrder::default(),
                    is_waiting: false,
                    not_before: None,
                });
            }
            self.list(slot);
        }
        self.found = found;
    }

    fn list(&mut self, slot: usize) {
        if let Some(Some(partition)) = self.partitions.get_mut(slot)
            && !partition.is_waiting
        {
            partition.is_waiting = true;
            self.waiting.push_back(slot);
        }
    }

    /// Whether batches can be numbered; asks for a producer id if not.
    fn has_identity(&mut self, outbox: &mut Outbox) -> bool {
        if !self.shared.config.enable_idempotence || self.identity.id().is_some() {
            return true;
        }
        if let Err(refused) = self
            .identity
            .ask(outbox, self.index, self.shared.config.request_timeout)
        {
            self.fail_all(Failure::Refused(refused.code), &refused.message);
        }
        false
    }

    /// Takes an answer to `InitProducerId` in.
    pub(crate) fn on_producer_id(&mut self, now: Instant, api_version: i16, answer: Result<Bytes, CloseReason>) {
        if let Err(refused) = self.identity.on_answer(now, api_version, answer) {
            self.fail_all(Failure::Refused(refused.code), &refused.message);
        }
    }

    /// One batch of each partition whose turn it is, by leader.
    fn gather(&mut self, outbox: &mut Outbox, view: &Arc<ClusterView>) -> BTreeMap<NodeId, Gathered> {
        let mut gathered: BTreeMap<NodeId, Gathered> = BTreeMap::new();
        let mut refused: BTreeSet<NodeId> = BTreeSet::new();
        for _ in 0..self.waiting.len() {
            let Some(slot) = self.waiting.pop_front() else { break };
            let Some(Some(partition)) = self.partitions.get_mut(slot) else {
                continue;
            };
            if partition.order.retries.is_empty() && partition.queue.unlist_if_empty() {
                partition.is_waiting = false;
                continue;
            }
            self.waiting.push_back(slot);
            if partition.not_before.is_some_and(|at| at > outbox.now) || !partition.order.may_send() {
                continue;
            }
            let Some((node, _)) = view.leader(&partition.queue.topic, partition.queue.partition) else {
                outbox.wants_metadata = true;
                if !outbox.leaderless.contains(&partition.queue.topic) {
                    outbox.leaderless.insert(Arc::clone(&partition.queue.topic));
                }
                continue;
            };
            if refused.contains(&node) {
                continue;
            }
            let request = match gathered.entry(node) {
                Entry::Occupied(request) => request.into_mut(),
                Entry::Vacant(place) => {
                    if let Some(api_version) = self.room_at(outbox, node) {
                        self.availability.drains(node);
                        place.insert(Gathered {
                            api_version,
                            ..Gathered::default()
                        })
                    } else {
                        self.availability.is_stuck(node, outbox.now);
                        refused.insert(node);
                        continue;
                    }
                }
            };
            if let Some(batch) = self.next_batch(slot, request) {
                request.bytes += batch.len();
                request.batches.push((slot, batch));
            }
        }
        gathered.retain(|_, request| !request.batches.is_empty());
        self.availability.mark(outbox.now, view, &self.shared);
        gathered
    }

    /// The version to speak with a broker that can take another request.
    fn room_at(&mut self, outbox: &mut Outbox, node: NodeId) -> Option<i16> {
        if self.in_flight.get(&node).copied().unwrap_or(0) >= self.shared.config.max_in_flight {
            return None;
        }
        let Some(versions) = outbox.ready(node, Purpose::Rest) else {
            // The leader may have moved to a broker that answers.
            outbox.wants_metadata |= outbox.nodes.is_failing(node, Purpose::Rest);
            return None;
        };
        let oldest = if self.shared.config.compression == barnabas_records::Compression::Zstd {
            ZSTD_SINCE
        } else {
            VERSIONS.0
        };
        let version = versions.choose(api::PRODUCE, oldest, VERSIONS.1);
        if version.is_none() {
            self.fail_all(
                Failure::Refused(ErrorCode::UNSUPPORTED_VERSION.code()),
                "the broker serves no version of Produce that this producer can use",
            );
        }
        version
    }

    /// The partition's next batch, sealed, if it fits the request.
    fn next_batch(&mut self, slot: usize, request: &Gathered) -> Option<SealedBatch> {
        let config = &self.shared.config;
        let Some(Some(partition)) = self.partitions.get_mut(slot) else {
            return None;
        };
        let identity = &mut self.identity;
        if config.enable_idempotence && identity.id().is_none() {
            return None;
        }
        if !partition.order.settle(identity.id(), |old| identity.newer_than(old)) {
            return None;
        }
        let next_size = partition
            .order
            .retries
            .front()
            .map(SealedBatch::len)
            .or_else(|| partition.queue.next_size())?;
        if !request.batches.is_empty() && request.bytes + next_size > config.max_request_size {
            return None;
        }
        let mut batch = if let Some(batch) = partition.order.retries.pop_front() {
            batch
        } else {
            let open = partition.queue.take_batch()?;
            self.seal(slot, open)?
        };
        batch.attempts += 1;
        if let Some(Some(partition)) = self.partitions.get_mut(slot) {
            partition.order.sent(&batch);
        }
        Some(batch)
    }

    fn seal(&mut self, slot: usize, open: OpenBatch) -> Option<SealedBatch> {
        let config = &self.shared.config;
        let Some(Some(partition)) = self.partitions.get_mut(slot) else {
            return None;
        };
        let (sequence, ordinal) = if config.enable_idempotence {
            partition.order.take_sequence(open.builder.record_count())?
        } else {
            (NO_SEQUENCE, 0)
        };
        let settings = SealSettings {
            compression: config.compression,
            level: config.compression_level,
            producer_id: sequence.producer_id,
            producer_epoch: sequence.producer_epoch,
            base_sequence: sequence.base,
            ordinal,
        };
        match open.seal(&settings, &mut self.scratch) {
            Ok(batch) => Some(batch),
            Err((state, error)) => {
                partition.order.gave_up();
                let message = format!("the batch cannot be written: {error}");
                self.shared.finish(
                    &state,
                    Outcome::Failed {
                        failure: Failure::Invalid,
                        message: message.into(),
                        attempts: 0,
                    },
                );
                self.shared.accumulator.completion.ring();
                None
            }
        }
    }

    fn send(&mut self, outbox: &mut Outbox, view: &ClusterView, node: NodeId, mut gathered: Gathered) {
        let ids_known = |batch: &SealedBatch| {
            view.topic(&batch.state.topic)
                .is_some_and(|topic| topic.id != NO_TOPIC_ID)
        };
        let all_ids_known = gathered.batches.iter().all(|(_, batch)| ids_known(batch));
        let api_version = if all_ids_known {
            gathered.api_version
        } else {
            gathered.api_version.min(TOPIC_IDS_SINCE - 1)
        };
        gathered
            .batches
            .sort_by(|(_, a), (_, b)| a.state.topic.cmp(&b.state.topic));
        let expects_response = self.shared.config.acks != Acks::None;
        let parts = match encode(&gathered.batches, view, &self.shared.config, api_version) {
            Ok(parts) => parts,
            Err(error) => {
                for (slot, batch) in gathered.batches {
                    self.answered(slot, &batch);
                    self.give_up(slot, &batch, Failure::Invalid, &error.to_string());
                }
                self.shared.accumulator.completion.ring();
                return;
            }
        };
        let send = Send {
            node,
            purpose: Purpose::Rest,
            api_key: api::PRODUCE,
            api_version,
            parts,
            timeout: self.shared.config.request_timeout,
            expects_response,
        };
        let request = Box::new(ProduceInFlight {
            batches: gathered.batches,
        });
        match outbox.send(
            send,
            Kind::Produce {
                producer: self.index,
                request,
            },
        ) {
            Ok(()) => {
                *self.in_flight.entry(node).or_default() += 1;
                self.shared.counters.requests.add(1);
            }
            Err(Kind::Produce { request, .. }) => {
                // The connection closed a moment ago; its event is on the way.
                for (slot, mut batch) in request.batches {
                    batch.attempts -= 1;
                    self.answered(slot, &batch);
                    self.retry(slot, batch, false, outbox.now);
                }
            }
            Err(_) => {}
        }
    }

    /// Whether no request is unanswered.
    pub(crate) fn is_idle(&self) -> bool {
        self.in_flight.values().all(|count| *count == 0)
    }

    /// Topics that no batch was opened for since `before`. They are told once.
    pub(crate) fn idle_topics(&self, before: Instant) -> Vec<Arc<str>> {
        self.shared.accumulator.take_idle_topics(before)
    }

    /// When to look again, if nothing happens before.
    pub(crate) fn next_deadline(&self, now: Instant) -> Option<Instant> {
        let accumulator = &self.shared.accumulator;
        let due = accumulator.next_due();
        let retries = self
            .waiting
            .iter()
            .filter_map(|slot| self.partitions.get(*slot)?.as_ref()?.not_before)
            .filter(|at| *at > now);
        let identity = self.identity.next_retry(now).filter(|_| !self.waiting.is_empty());
        let stuck = self.availability.next_deadline(now);
        retries
            .chain(due)
            .chain(self.next_expiry_check)
            .chain(identity)
            .chain(stuck)
            .min()
    }
}
