//! Fetching on the I/O thread: one fetch in flight per broker while there is room for what it brings, and a second one for what
//! would have to wait for a first that may wait at the broker.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use barnabas_net::outbound::{Backoff, ReceivePool};
use barnabas_wire::api;
use barnabas_wire::errors::ErrorCode;
use barnabas_wire::messages::fetch::{FetchResponse, PartitionData};
use barnabas_wire::primitives::Reader;
use bytes::Bytes;

use crate::cluster::{ClusterView, LeaderHint, NO_NODE, NO_TOPIC_ID, Partition, Topic};
use crate::fetch_buffer::{FetchBuffer, FetchState, PartitionFetch, TopicPartition};
use crate::fetch_decode::Decoder;
use crate::fetch_request::{Asked, Bounds, FetchInFlight, encode};
use crate::fetch_session::{Said, Session, is_session_error};
use crate::fetch_validation::{self, Doubtful, ValidationInFlight};
use crate::mailbox::{Event, Mailbox};
use crate::nodes::{NodeId, Purpose};
use crate::outbox::{Answer, Kind, Outbox, Send};

/// Fetch versions that this client can use: record batches since 4, topic ids since 13.
const VERSIONS: (i16, i16) = (4, 18);
const TOPIC_IDS_SINCE: i16 = 13;
/// A broker may keep a fetch for `fetch.max.wait.ms`; the answer must come this much later at the latest.
const ANSWER_MARGIN: Duration = Duration::from_secs(30);
/// Errors that people must mend are tried and told again this often.
const REFUSED_PAUSE: Duration = Duration::from_secs(1);

/// One fetcher's part of the I/O thread.
#[derive(Debug)]
pub(crate) struct FetchLoop {
    id: u64,
    buffer: Arc<FetchBuffer>,
    /// Who is being asked, and whether the answer may wait there for records.
    in_flight: BTreeMap<NodeId, bool>,
    /// Who is being asked for something besides.
    beside: BTreeSet<NodeId>,
    sessions: BTreeMap<NodeId, Session>,
    decoder: Decoder,
    backoff: Backoff,
    topics: BTreeSet<Arc<str>>,
    /// The assignment that `topics` is of.
    assignment: u64,
    topics_changed: bool,
    next_retry: Option<Instant>,
}

/// What to ask one broker.
#[derive(Debug, Default)]
struct Plan {
    /// By key.
    asked: Vec<Asked>,
    /// Partitions whose positions have to be looked at before they are fetched from this leader.
    doubtful: Vec<Doubtful>,
    /// Some partition there has enough waiting.
    has_full: bool,
    /// Some partition there has records that were not fetched, or may have.
    has_news: bool,
}

impl FetchLoop {
    pub(crate) fn new(id: u64, buffer: Arc<FetchBuffer>, pool: ReceivePool, backoff: Backoff) -> Self {
        Self {
            id,
            buffer,
            in_flight: BTreeMap::new(),
            beside: BTreeSet::new(),
            sessions: BTreeMap::new(),
            decoder: Decoder::new(pool),
            backoff,
            topics: BTreeSet::new(),
            assignment: 0,
            topics_changed: false,
            next_retry: None,
        }
    }

    /// The topics that are assigned.
    pub(crate) fn topics(&self) -> &BTreeSet<Arc<str>> {
        &self.topics
    }

    /// Whether the assigned topics changed since the last call.
    pub(crate) fn take_topics_changed(&mut self) -> bool {
        std::mem::take(&mut self.topics_changed)
    }

    /// Asks every broker that is not being asked and has partitions with room, and one that is for what it was not asked for.
    pub(crate) fn pump(&mut self, outbox: &mut Outbox, view: &ClusterView) {
        let (plans, room) = self.plan(outbox, view);
        for (node, plan) in plans {
            if !plan.doubtful.is_empty() && fetch_validation::ask(self.id, &self.buffer, outbox, node, plan.doubtful) {
                // In the next round, which nothing else may bring about.
                self.next_retry = Some(outbox.now);
            }
            // A fetch that finds nothing waits at the broker; a partition whose waiting records are polled meanwhile would wait
            // with it. The poll makes room and wakes this loop.
            if plan.asked.is_empty() || (plan.has_full && !plan.has_news) {
                continue;
            }
            if self.in_flight.contains_key(&node) {
                self.send(
                    outbox,
                    node,
                    plan.asked,
                    Bounds {
                        room,
                        max_wait: Duration::ZERO,
                    },
                );
                continue;
            }
            let max_wait = if plan.has_full {
                Duration::ZERO
            } else {
                self.buffer.config.max_wait
            };
            self.send(outbox, node, plan.asked, Bounds { room, max_wait });
        }
    }

    /// Who is to be asked for what, and how many bytes there is room for.
    fn plan(&mut self, outbox: &mut Outbox, view: &ClusterView) -> (BTreeMap<NodeId, Plan>, usize) {
        let buffer = Arc::clone(&self.buffer);
        let mut state = buffer.lock();
        let mut plans: BTreeMap<NodeId, Plan> = BTreeMap::new();
        self.next_retry = None;
        let room = state.room(&buffer.config);
        if self.assignment != state.assignment {
            self.assignment = state.assignment;
            self.topics_changed = true;
            self.topics = state.partitions.keys().map(|(topic, _)| Arc::clone(topic)).collect();
        }
        state.lacks_room = room == 0;
        if room > 0 {
            self.plan_partitions(&mut state, outbox, view, &mut plans);
        }
        (plans, room)
    }

    /// Adds every partition to the plan of its broker.
    fn plan_partitions(
        &mut self,
        state: &mut FetchState,
        outbox: &mut Outbox,
        view: &ClusterView,
        plans: &mut BTreeMap<NodeId, Plan>,
    ) {
        let mut topic: Option<&Arc<Topic>> = None;
        let end = state.end;
        for (key, partition) in &mut state.partitions {
            if partition.has_reached(end) {
                continue;
            }
            if partition.position.is_none() || partition.is_paused || partition.is_halted || partition.is_in_flight {
                continue;
            }
            if let Some(at) = partition.retry_at.filter(|at| *at > outbox.now) {
                self.next_retry = Some(self.next_retry.map_or(at, |earlier| earlier.min(at)));
                continue;
            }
            // Partitions stand in the order of their topics.
            if topic.is_none_or(|topic| *topic.name != *key.0) {
                topic = view.topic(&key.0);
            }
            let known = topic.and_then(|topic| topic.partition(key.1));
            let Some((topic, known)) = topic.zip(known.filter(|known| known.leader != NO_NODE)) else {
                outbox.wants_metadata = true;
                continue;
            };
            let doubtful = Doubtful::new(key, partition, known.leader_epoch);
            if let Some(doubtful) = doubtful {
                plans.entry(known.leader).or_default().doubtful.push(doubtful);
                continue;
            }
            partition.validated_by = known.leader_epoch;
            let node = read_from(partition, known, view, outbox.now);
            if self.in_flight.contains_key(&node) && !self.may_ask_beside(node, partition) {
                continue;
            }
            let plan = plans.entry(node).or_default();
            if partition.is_full {
                plan.has_full = true;
                continue;
            }
            plan.has_news |= !partition.is_caught_up();
            plan.asked.push(Asked {
                key: key.clone(),
                topic_id: topic.id,
                generation: partition.generation,
                fetch_offset: partition.fetch_offset,
                leader_epoch: known.leader_epoch,
                turn: partition.turn,
                is_from_leader: node == known.leader,
            });
        }
    }

    /// Whether a partition is to be asked for beside the fetch that the broker has: only if that one may wait for records, was
    /// sent without this partition, as one that was assigned, sought or resumed since, and if there may be records of it.
    fn may_ask_beside(&self, node: NodeId, partition: &PartitionFetch) -> bool {
        let may_wait = self.in_flight.get(&node).is_some_and(|may_wait| *may_wait);
        may_wait && !self.beside.contains(&node) && !partition.is_full && !partition.is_caught_up()
    }

    fn send(&mut self, outbox: &mut Outbox, node: NodeId, asked: Vec<Asked>, bounds: Bounds) {
        let is_beside = self.in_flight.contains_key(&node);
        // A broker does what comes on one connection in its order: what must not wait comes on another.
        let purpose = if is_beside { Purpose::Rest } else { Purpose::Fetch };
        let Some(versions) = outbox.ready(node, purpose) else {
            if !is_beside && outbox.nodes.is_failing(node, purpose) {
                self.leave_failing(outbox, &asked);
            }
            return;
        };
        let by_id = asked.iter().all(|asked| asked.topic_id != NO_TOPIC_ID);
        let newest = if by_id { VERSIONS.1 } else { TOPIC_IDS_SINCE - 1 };
        let Some(api_version) = versions.choose(api::FETCH, VERSIONS.0, newest) else {
            return;
        };
        let config = &self.buffer.config;
        let said = if is_beside {
            Said::without_session(asked.len())
        } else {
            let session = self.sessions.entry(node).or_default();
            session.say(&asked, api_version, api_version >= TOPIC_IDS_SINCE)
        };
        // The numbers come from checked options, so this does not fail; if it did, nothing would be fetched.
        let Ok(body) = encode(config, &asked, &said, bounds, api_version) else {
            return self.begin_anew(node, is_beside);
        };
        self.take_off(&asked);
        let send = Send {
            node,
            purpose,
            api_key: api::FETCH,
            api_version,
            parts: vec![Bytes::from(body)],
            timeout: config.max_wait + ANSWER_MARGIN,
            expects_response: true,
        };
        let request = Box::new(FetchInFlight {
            partitions: asked,
            is_full: said.is_full(),
            is_beside,
        });
        let kind = Kind::Fetch {
            fetcher: self.id,
            request,
        };
        match outbox.send(send, kind) {
            Ok(()) => {
                self.buffer.counters.requests.add(1);
                if is_beside {
                    self.beside.insert(node);
                } else {
                    self.in_flight.insert(node, !bounds.max_wait.is_zero());
                }
            }
            Err(Kind::Fetch { request, .. }) => {
                self.begin_anew(node, is_beside);
                self.land(&request);
            }
            Err(_) => {}
        }
    }

    /// No connection can be had to the broker that these partitions are to be read from.
    fn leave_failing(&mut self, outbox: &mut Outbox, asked: &[Asked]) {
        outbox.wants_metadata = true;
        for asked in asked.iter().filter(|asked| !asked.is_from_leader) {
            self.leave_replica(outbox.now, asked);
            // For the next round, which nothing else may bring about.
            self.next_retry = Some(outbox.now);
        }
    }

    /// The partitions of a request are in flight from now on.
    fn take_off(&self, asked: &[Asked]) {
        let mut state = self.buffer.lock();
        for asked in asked {
            if let Some(partition) = state.partitions.get_mut(&asked.key) {
                partition.is_in_flight = partition.generation == asked.generation;
            }
        }
    }

    /// The partitions of a request are not in flight any more.
    fn land(&self, request: &FetchInFlight) {
        let mut state = self.buffer.lock();
        for asked in &request.partitions {
            if let Some(partition) = state
                .partitions
                .get_mut(&asked.key)
                .filter(|partition| partition.generation == asked.generation)
            {
                partition.is_in_flight = false;
            }
        }
    }

    /// Takes an answer in. Returns leaders that the broker named.
    pub(crate) fn on_answer(
        &mut self,
        outbox: &mut Outbox,
        view: &ClusterView,
        mailbox: &Mailbox,
        answer: Answer,
    ) -> Vec<LeaderHint> {
        let Answer {
            kind: Kind::Fetch { request, .. },
            node,
            api_version,
            result,
        } = answer
        else {
            return Vec::new();
        };
        if request.is_beside {
            self.beside.remove(&node);
        } else {
            self.in_flight.remove(&node);
        }
        self.land(&request);
        let response = result.ok().inspect(|body| {
            self.buffer.counters.bytes.add(u64::try_from(body.len()).unwrap_or(0));
        });
        let decoded = response.as_ref().and_then(|body| {
            let response = FetchResponse::decode(&mut Reader::new(body), api_version).ok()?;
            Some((body, response))
        });
        match decoded {
            Some((body, response)) if response.error_code == 0 => {
                if !request.is_beside {
                    self.session(node).answered(response.session_id);
                }
                self.on_response(outbox, view, mailbox, &request, (node, api_version, body, &response))
            }
            // Only what is known of each other is wrong; a session that is refused from its beginning must not be begun in a loop.
            Some((_, response)) if is_session_error(ErrorCode(response.error_code)) && !request.is_full => {
                self.session(node).refused(ErrorCode(response.error_code));
                Vec::new()
            }
            refused => {
                let code = refused.map_or(0, |(_, response)| response.error_code);
                if !request.is_beside {
                    self.session(node).refused(ErrorCode(code));
                }
                outbox.wants_metadata = true;
                for asked in &request.partitions {
                    self.leave_replica(outbox.now, asked);
                }
                Vec::new()
            }
        }
    }

    fn session(&mut self, node: NodeId) -> &mut Session {
        self.sessions.entry(node).or_default()
    }

    /// Nobody knows what the broker knows any more, if it was to be told something for its session.
    fn begin_anew(&mut self, node: NodeId, is_beside: bool) {
        if !is_beside {
            self.session(node).begin_anew();
        }
    }

    /// Takes the answer to a question about positions in.
    pub(crate) fn on_validated(
        &mut self,
        outbox: &mut Outbox,
        mailbox: &Mailbox,
        request: ValidationInFlight,
        answer: Option<(i16, Bytes)>,
    ) {
        let backoff = &mut self.backoff;
        let pause = |failures| backoff.after(failures);
        fetch_validation::answered(&self.buffer, outbox, mailbox, request, answer, pause);
    }

    /// Takes in what there is of each partition.
    fn on_response(
        &mut self,
        outbox: &mut Outbox,
        view: &ClusterView,
        mailbox: &Mailbox,
        request: &FetchInFlight,
        (node, api_version, body, response): (NodeId, i16, &Bytes, &FetchResponse<'_>),
    ) -> Vec<LeaderHint> {
        let mut hints = Vec::new();
        let mut has_data = false;
        let mut found = 0_usize;
        let mut is_strange = false;
        for topic in &response.responses {
            let by_id = api_version >= TOPIC_IDS_SINCE;
            let name = if by_id {
                view.topic_name(&topic.topic_id).map(AsRef::as_ref)
            } else {
                Some(topic.topic)
            };
            for data in &topic.partitions {
                let Some(asked) = name.and_then(|name| request.find(name, data.partition_index)) else {
                    is_strange = true;
                    continue;
                };
                found += 1;
                let leader = &data.current_leader;
                if leader.leader_id >= 0 {
                    hints.push(LeaderHint {
                        topic: Arc::clone(&asked.key.0),
                        partition: asked.key.1,
                        leader: leader.leader_id,
                        leader_epoch: leader.leader_epoch,
                    });
                }
                if data.error_code == 0 {
                    has_data |= self.on_records(mailbox, asked, data, body);
                    self.on_preferred(outbox, view, asked, data.preferred_read_replica);
                } else {
                    self.on_error(outbox, mailbox, asked, ErrorCode(data.error_code));
                }
            }
        }
        if is_strange || request.is_full && found < request.partitions.len() {
            // The broker's session has other partitions than ours.
            self.begin_anew(node, request.is_beside);
        }
        if has_data {
            mailbox.post(Event::Fetched);
        }
        hints
    }

    /// The leader would rather have another replica read from (KIP-392).
    fn on_preferred(&mut self, outbox: &mut Outbox, view: &ClusterView, asked: &Asked, replica: NodeId) {
        if replica < 0 {
            return;
        }
        if !is_there(view, replica) {
            // The leader has no records for us, and would say so again at once.
            outbox.wants_metadata = true;
            return self.pause(outbox.now, asked, None);
        }
        let until = outbox.now.checked_add(self.buffer.config.replica_age);
        if let (Some(partition), Some(until)) = (current(&mut self.buffer.lock().partitions, asked), until) {
            partition.preferred = Some((replica, until));
        }
    }

    /// Keeps the records of one partition. Whether there were any.
    fn on_records(&mut self, mailbox: &Mailbox, asked: &Asked, data: &PartitionData<'_>, body: &Bytes) -> bool {
        let records = data.records.as_bytes().filter(|records| !records.is_empty());
        let records = records.map_or_else(Bytes::new, |records| body.slice_ref(records));
        let config = &self.buffer.config;
        let decoded = self.decoder.decode(
            config,
            &asked.key,
            asked.fetch_offset,
            &records,
            data.aborted_transactions.as_deref(),
        );
        let has_data = !decoded.batches.is_empty();
        let counters = &self.buffer.counters;
        counters.batches.add(u64::try_from(decoded.batches.len()).unwrap_or(0));
        counters.records.add(
            decoded
                .batches
                .iter()
                .map(|batch| u64::try_from(batch.header.record_count).unwrap_or(0))
                .sum(),
        );
        let mut state = self.buffer.lock();
        let Some(partition) = current(&mut state.partitions, asked) else {
            return false;
        };
        partition.high_watermark = data.high_watermark;
        partition.last_stable_offset = data.last_stable_offset;
        partition.log_start_offset = data.log_start_offset;
        partition.failures = 0;
        partition.retry_at = None;
        partition.is_fresh = false;
        partition.is_halted = decoded.error_code.is_some();
        if has_data {
            state.took_turn(&asked.key);
        }
        state.push(
            config,
            &asked.key,
            decoded.batches,
            decoded.next_offset,
            decoded.leader_epoch,
        );
        drop(state);
        if let Some(error_code) = decoded.error_code {
            let (topic, partition) = asked.key.clone();
            mailbox.post(Event::FetchError {
                topic,
                partition,
                error_code,
                offset: decoded.next_offset,
            });
        }
        has_data
    }

    /// One partition was refused.
    fn on_error(&mut self, outbox: &mut Outbox, mailbox: &Mailbox, asked: &Asked, code: ErrorCode) {
        let is_moved = code.refreshes_metadata()
            || matches!(
                code,
                ErrorCode::FENCED_LEADER_EPOCH
                    | ErrorCode::UNKNOWN_LEADER_EPOCH
                    | ErrorCode::UNKNOWN_TOPIC_ID
                    | ErrorCode::INCONSISTENT_TOPIC_ID
            );
        outbox.wants_metadata |= is_moved;
        if let Some(partition) = current(&mut self.buffer.lock().partitions, asked) {
            partition.preferred = None;
        }
        // A follower may not have what its leader has: only the leader's word counts for what is out of range.
        let is_followers = code == ErrorCode::OFFSET_OUT_OF_RANGE && !asked.is_from_leader;
        let may_pass =
            code.retriable() && code != ErrorCode::CORRUPT_MESSAGE || code == ErrorCode::UNKNOWN_SERVER_ERROR;
        if is_moved || may_pass || is_followers {
            return self.pause(outbox.now, asked, None);
        }
        let is_halted = matches!(code, ErrorCode::OFFSET_OUT_OF_RANGE | ErrorCode::CORRUPT_MESSAGE);
        let mut state = self.buffer.lock();
        let Some(partition) = current(&mut state.partitions, asked) else {
            return;
        };
        partition.is_halted = is_halted;
        drop(state);
        if !is_halted {
            self.pause(outbox.now, asked, Some(REFUSED_PAUSE));
        }
        let (topic, partition) = asked.key.clone();
        mailbox.post(Event::FetchError {
            topic,
            partition,
            error_code: code.code(),
            offset: asked.fetch_offset,
        });
    }

    /// The broker that a partition was to be read from cannot be used: if it is not the leader, the leader is asked next, which
    /// may have another one to name by then.
    fn leave_replica(&mut self, now: Instant, asked: &Asked) {
        if let Some(partition) = current(&mut self.buffer.lock().partitions, asked) {
            partition.preferred = None;
        }
        self.pause(now, asked, None);
    }

    fn pause(&mut self, now: Instant, asked: &Asked, pause: Option<Duration>) {
        let mut state = self.buffer.lock();
        if let Some(partition) = current(&mut state.partitions, asked) {
            partition.failures = partition.failures.saturating_add(1);
            partition.retry_at = Some(now + pause.unwrap_or_else(|| self.backoff.after(partition.failures)));
        }
    }

    /// When to look again, if nothing happens before.
    pub(crate) fn next_deadline(&self) -> Option<Instant> {
        self.next_retry
    }
}

/// The partition, if it is still where it was when it was asked.
fn current<'s>(
    partitions: &'s mut BTreeMap<TopicPartition, PartitionFetch>,
    asked: &Asked,
) -> Option<&'s mut PartitionFetch> {
    partitions
        .get_mut(&asked.key)
        .filter(|partition| partition.generation == asked.generation && partition.fetch_offset == asked.fetch_offset)
}

/// Whether the cluster has such a broker, as far as is known.
fn is_there(view: &ClusterView, node: NodeId) -> bool {
    view.nodes.iter().any(|known| known.id == node)
}

/// The replica to read a partition from: the one that its leader named, as long as that counts and it is there.
fn read_from(partition: &mut PartitionFetch, known: &Partition, view: &ClusterView, now: Instant) -> NodeId {
    partition.preferred = partition
        .preferred
        .filter(|(node, until)| *until > now && is_there(view, *node));
    partition.preferred.map_or(known.leader, |(node, _)| node)
}
