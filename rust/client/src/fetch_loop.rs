//! Fetching on the I/O thread: one fetch in flight per broker while there is room for what it brings.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use barnabas_net::outbound::{Backoff, ReceivePool};
use barnabas_wire::api;
use barnabas_wire::errors::ErrorCode;
use barnabas_wire::messages::fetch::{FetchPartition, FetchRequest, FetchResponse, FetchTopic, PartitionData};
use barnabas_wire::primitives::Reader;
use bytes::Bytes;

use crate::cluster::{ClusterView, LeaderHint, NO_TOPIC_ID};
use crate::config::{FetchConfig, IsolationLevel};
use crate::fetch_buffer::{FetchBuffer, PartitionFetch, TopicPartition};
use crate::fetch_decode::Decoder;
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

/// A Fetch request that was not answered.
#[derive(Debug)]
pub(crate) struct FetchInFlight {
    partitions: Vec<Asked>,
}

impl FetchInFlight {
    /// What was asked of a partition. Brokers answer in the order of the request, so it is looked for at `expected` first.
    fn find(&self, topic: &str, partition: i32, expected: &mut usize) -> Option<&Asked> {
        let (before, after) = self.partitions.split_at_checked(*expected)?;
        let is_it = |asked: &Asked| asked.key.1 == partition && &*asked.key.0 == topic;
        let places = (*expected..).zip(after).chain((0..).zip(before));
        let (at, asked) = places.into_iter().find(|(_, asked)| is_it(asked))?;
        *expected = at + 1;
        Some(asked)
    }
}

/// What was asked of one partition.
#[derive(Debug)]
struct Asked {
    key: TopicPartition,
    generation: u64,
    fetch_offset: i64,
    leader_epoch: i32,
}

/// One fetcher's part of the I/O thread.
#[derive(Debug)]
pub(crate) struct FetchLoop {
    id: u64,
    buffer: Arc<FetchBuffer>,
    in_flight: BTreeSet<NodeId>,
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
    asked: Vec<(u64, Asked)>,
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
            in_flight: BTreeSet::new(),
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

    /// Asks every broker that is not being asked and has partitions with room.
    pub(crate) fn pump(&mut self, outbox: &mut Outbox, view: &ClusterView) {
        let (plans, room) = self.plan(outbox, view);
        for (node, mut plan) in plans {
            // A fetch that finds nothing waits at the broker; a partition whose waiting records are polled meanwhile would wait
            // with it. The poll makes room and wakes this loop.
            if plan.asked.is_empty() || (plan.has_full && !plan.has_news) {
                continue;
            }
            let Some(versions) = outbox.ready(node, Purpose::Fetch) else {
                outbox.wants_metadata |= outbox.nodes.is_failing(node, Purpose::Fetch);
                continue;
            };
            let ids_known = plan
                .asked
                .iter()
                .all(|(_, asked)| view.topic(&asked.key.0).is_some_and(|topic| topic.id != NO_TOPIC_ID));
            let newest = if ids_known { VERSIONS.1 } else { TOPIC_IDS_SINCE - 1 };
            let Some(api_version) = versions.choose(api::FETCH, VERSIONS.0, newest) else {
                continue;
            };
            plan.asked.sort_by_key(|(turn, _)| *turn);
            let asked: Vec<Asked> = plan.asked.into_iter().map(|(_, asked)| asked).collect();
            self.send(outbox, view, node, api_version, asked, room, plan.has_full);
        }
    }

    /// Who is to be asked for what, and how many bytes there is room for.
    fn plan(&mut self, outbox: &mut Outbox, view: &ClusterView) -> (BTreeMap<NodeId, Plan>, usize) {
        let config = &self.buffer.config;
        let mut state = self.buffer.lock();
        let mut plans: BTreeMap<NodeId, Plan> = BTreeMap::new();
        self.next_retry = None;
        let room = config.buffer_bytes.saturating_sub(state.buffered_bytes);
        let mut held_back = room == 0;
        if self.assignment != state.assignment {
            self.assignment = state.assignment;
            self.topics_changed = true;
            self.topics = state.partitions.keys().map(|(topic, _)| Arc::clone(topic)).collect();
        }
        if room > 0 {
            for (key, partition) in &state.partitions {
                if partition.position.is_none() || partition.is_paused || partition.is_halted || partition.is_in_flight
                {
                    continue;
                }
                if let Some(at) = partition.retry_at.filter(|at| *at > outbox.now) {
                    self.next_retry = Some(self.next_retry.map_or(at, |earlier| earlier.min(at)));
                    continue;
                }
                let Some((node, leader_epoch)) = view.leader(&key.0, key.1) else {
                    outbox.wants_metadata = true;
                    continue;
                };
                if self.in_flight.contains(&node) {
                    continue;
                }
                let plan = plans.entry(node).or_default();
                if partition.is_full(config) {
                    plan.has_full = true;
                    held_back = true;
                    continue;
                }
                plan.has_news |= !partition.is_caught_up();
                let asked = Asked {
                    key: key.clone(),
                    generation: partition.generation,
                    fetch_offset: partition.fetch_offset,
                    leader_epoch,
                };
                plan.asked.push((partition.turn, asked));
            }
        }
        state.is_held_back |= held_back;
        (plans, room)
    }

    #[expect(
        clippy::too_many_arguments,
        reason = "one call, and a struct of the same names would say no more"
    )]
    fn send(
        &mut self,
        outbox: &mut Outbox,
        view: &ClusterView,
        node: NodeId,
        api_version: i16,
        asked: Vec<Asked>,
        room: usize,
        has_full: bool,
    ) {
        let config = &self.buffer.config;
        let max_wait = if has_full { Duration::ZERO } else { config.max_wait };
        // The numbers come from checked options, so this does not fail; if it did, nothing would be fetched.
        let Ok(body) = encode(config, view, &asked, api_version, room, max_wait) else {
            return;
        };
        {
            let mut state = self.buffer.lock();
            for asked in &asked {
                if let Some(partition) = state.partitions.get_mut(&asked.key) {
                    partition.is_in_flight = partition.generation == asked.generation;
                }
            }
        }
        let send = Send {
            node,
            purpose: Purpose::Fetch,
            api_key: api::FETCH,
            api_version,
            parts: vec![Bytes::from(body)],
            timeout: config.max_wait + ANSWER_MARGIN,
            expects_response: true,
        };
        let request = Box::new(FetchInFlight { partitions: asked });
        match outbox.send(
            send,
            Kind::Fetch {
                fetcher: self.id,
                request,
            },
        ) {
            Ok(()) => {
                self.in_flight.insert(node);
                self.buffer.counters.requests.add(1);
            }
            Err(Kind::Fetch { request, .. }) => self.land(&request),
            Err(_) => {}
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
        self.in_flight.remove(&node);
        self.land(&request);
        let hints = result.ok().and_then(|body| {
            self.buffer.counters.bytes.add(u64::try_from(body.len()).unwrap_or(0));
            self.on_response(outbox, view, mailbox, &request, api_version, &body)
        });
        hints.unwrap_or_else(|| {
            outbox.wants_metadata = true;
            for asked in &request.partitions {
                self.pause(outbox.now, asked, None);
            }
            Vec::new()
        })
    }

    /// `None` when the response is malformed or refuses the request as a whole.
    fn on_response(
        &mut self,
        outbox: &mut Outbox,
        view: &ClusterView,
        mailbox: &Mailbox,
        request: &FetchInFlight,
        api_version: i16,
        body: &Bytes,
    ) -> Option<Vec<LeaderHint>> {
        let response = FetchResponse::decode(&mut Reader::new(body), api_version).ok()?;
        if response.error_code != 0 {
            return None;
        }
        let mut hints = Vec::new();
        let mut has_data = false;
        let mut expected = 0;
        for topic in &response.responses {
            let by_id = api_version >= TOPIC_IDS_SINCE;
            let name = if by_id {
                view.topic_name(&topic.topic_id).map(AsRef::as_ref)
            } else {
                Some(topic.topic)
            };
            for data in &topic.partitions {
                let Some(asked) = name.and_then(|name| request.find(name, data.partition_index, &mut expected)) else {
                    continue;
                };
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
                } else {
                    self.on_error(outbox, mailbox, asked, ErrorCode(data.error_code));
                }
            }
        }
        if has_data {
            mailbox.post(Event::Fetched);
        }
        Some(hints)
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
        partition.is_halted = decoded.error_code.is_some();
        if has_data {
            state.took_turn(&asked.key);
        }
        state.push(&asked.key, decoded.batches, decoded.next_offset);
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
        if is_moved || code.retriable() && code != ErrorCode::CORRUPT_MESSAGE {
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

fn encode(
    config: &FetchConfig,
    view: &ClusterView,
    asked: &[Asked],
    api_version: i16,
    room: usize,
    max_wait: Duration,
) -> Result<Vec<u8>, barnabas_wire::WireError> {
    let int32 = |value: usize| i32::try_from(value).unwrap_or(i32::MAX);
    let mut topics: Vec<FetchTopic<'_>> = Vec::new();
    for asked in asked {
        let (name, index) = &asked.key;
        // Partitions stand in the order of their turns, so a topic may stand here more than once.
        if topics.last().is_none_or(|last| last.topic != &**name) {
            let topic_id = view.topic(name).map_or(NO_TOPIC_ID, |topic| topic.id);
            topics.push(FetchTopic {
                topic: name,
                topic_id,
                partitions: Vec::new(),
            });
        }
        if let Some(topic) = topics.last_mut() {
            topic.partitions.push(FetchPartition {
                partition: *index,
                current_leader_epoch: asked.leader_epoch,
                fetch_offset: asked.fetch_offset,
                partition_max_bytes: int32(config.max_partition_bytes),
                ..FetchPartition::default()
            });
        }
    }
    let request = FetchRequest {
        max_wait_ms: i32::try_from(max_wait.as_millis()).unwrap_or(i32::MAX),
        min_bytes: config.min_bytes,
        max_bytes: int32(config.max_bytes.min(room)),
        isolation_level: i8::from(config.isolation_level == IsolationLevel::ReadCommitted),
        // No session: every request names all of its partitions.
        session_id: 0,
        session_epoch: -1,
        topics,
        ..FetchRequest::default()
    };
    request.to_bytes(api_version)
}
