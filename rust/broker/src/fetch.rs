//! Fetch, key 1, versions 4 to 18.
//!
//! Kept: sessions (KIP-227), long poll with minimum bytes and maximum wait, limits per partition and response with the
//! first batch always whole (KIP-74), topic ids, fencing and divergence by leader epoch (KIP-320, KIP-595), the leader
//! in the answer when it is another (KIP-951), the aborted transactions of what a `read_committed` fetch gets (KIP-98).
//! Left out: followers, who are told that they are none, and with them other replicas to read from (KIP-392).

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use barnabas_log::ReadSlice;
use barnabas_net::part::Response;
use barnabas_net::server::Outcome;
use barnabas_wire::errors::ErrorCode;
use barnabas_wire::messages::fetch::{AbortedTransaction, FetchRequest};
use barnabas_wire::primitives::{Reader, Uuid};
use tokio::time::Instant;

use crate::broker::Broker;
use crate::dispatch::Peer;
use crate::fetch_answer;
use crate::fetch_session::{FetchedTopic, SessionContext, SessionError, SessionRequest, Wanted};
use crate::image::Image;
use crate::partition::{Partition, log_error_code};
use crate::purgatory::Parked;
use crate::quotas::Charge;
use crate::reply::ReplyTo;
use crate::stored::StoredFile;
use crate::throttle;

/// The replica id of a broker that reads for another of its own directories.
const FUTURE_LOCAL_REPLICA: i32 = -3;

/// A request whose names are resolved.
pub(crate) struct Plan {
    pub(crate) to: ReplyTo,
    deadline: Instant,
    min_bytes: usize,
    max_bytes: i32,
    isolation: Isolation,
    /// Whether it comes from a follower, and none of ours is there.
    pub(crate) is_follower: bool,
    pub(crate) session: SessionContext,
    /// What is read, in the order of the request or the session.
    pub(crate) partitions: Vec<Planned>,
    /// What is not known; told behind the others.
    pub(crate) unknown: Vec<(Wanted, ErrorCode)>,
    /// What a consumer's request is charged to.
    pub(crate) charge: Option<Charge>,
}

/// Up to where a fetch sees.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Isolation {
    LogEnd,
    HighWatermark,
    Committed,
}

pub(crate) struct Planned {
    pub(crate) wanted: Wanted,
    target: Result<Arc<Partition>, ErrorCode>,
}

/// What there is to send now.
pub(crate) struct Found {
    /// In the order of the plan.
    pub(crate) partitions: Vec<Result<FoundPartition, ErrorCode>>,
    pub(crate) bytes: usize,
    /// Whether something other than data has to be told, so that waiting makes no sense.
    is_urgent: bool,
}

pub(crate) struct FoundPartition {
    pub(crate) high_watermark: i64,
    pub(crate) last_stable_offset: i64,
    pub(crate) log_start_offset: i64,
    pub(crate) diverging: Option<(i32, i64)>,
    pub(crate) slice: Option<ReadSlice>,
    /// Of a `read_committed` fetch.
    pub(crate) aborted: Option<Vec<AbortedTransaction>>,
}

pub(crate) fn handle(
    broker: &Arc<Broker>,
    peer: &Arc<Peer>,
    charge: Option<Charge>,
    to: ReplyTo,
    body: &[u8],
    arrival: std::time::Instant,
    response: &mut Response<StoredFile>,
) -> Outcome<StoredFile> {
    broker.metrics.fetch_requests.increment();
    let Ok(request) = FetchRequest::decode(&mut Reader::new(body), to.api_version) else {
        return broker.refuse();
    };
    let image = broker.image();
    let mut plan = match plan(broker, &image, &request, to, arrival) {
        Ok(plan) => plan,
        Err(error) => {
            let outcome = match error {
                SessionError::Refused(error) => fetch_answer::refuse(error, to, response),
                SessionError::Unforeseen => fetch_answer::refuse_unforeseen(&request, to, response),
            };
            return throttle::after(outcome, charge, to, response);
        }
    };
    plan.charge_to(charge);
    if !peer.reader.is_cold() {
        let found = plan.look_here(broker, peer);
        if plan.is_over(&found) || plan.deadline <= Instant::now() || broker.is_stopping() {
            return match fetch_answer::write(&plan, broker, &image, &peer.listener, &found, response) {
                Some(()) => Outcome::Reply,
                None => Outcome::Close,
            };
        }
    }
    if let Some(charge) = &mut plan.charge {
        charge.pause();
    }
    let (broker, peer) = (Arc::clone(broker), Arc::clone(peer));
    Outcome::Wait(Box::pin(async move { Arc::new(plan).wait(&broker, &peer).await }))
}

fn plan(
    broker: &Broker,
    image: &Image,
    request: &FetchRequest<'_>,
    to: ReplyTo,
    arrival: std::time::Instant,
) -> Result<Plan, SessionError> {
    let uses_topic_ids = to.api_version >= 13;
    let replica = if to.api_version >= 15 {
        request.replica_state.replica_id
    } else {
        request.replica_id
    };
    let name_of = |id: &Uuid| image.topic_by_id(id).map(|topic| Arc::clone(&topic.name));
    let session = SessionRequest {
        id: request.session_id,
        epoch: request.session_epoch,
        uses_topic_ids,
        is_follower: replica >= 0,
    };
    let wanted = wanted(request, image, uses_topic_ids);
    let forgotten: Vec<_> = request
        .forgotten_topics_data
        .iter()
        .flat_map(|asked| {
            let topic = fetched_topic(image, uses_topic_ids, asked.topic, asked.topic_id);
            asked
                .partitions
                .iter()
                .map(move |partition| (topic.clone(), *partition))
        })
        .collect();
    let (session, wanted) =
        broker
            .fetch_sessions
            .begin(session, wanted, &forgotten, &name_of, broker.session_clock_ms())?;
    let mut partitions = Vec::with_capacity(wanted.len());
    let mut unknown = Vec::new();
    for wanted in wanted {
        match resolve(image, &wanted) {
            Ok(target) => partitions.push(Planned { wanted, target }),
            Err(error) => unknown.push((wanted, error)),
        }
    }
    let isolation = match (replica, request.isolation_level) {
        (0.. | FUTURE_LOCAL_REPLICA, _) => Isolation::LogEnd,
        (_, 1) => Isolation::Committed,
        (_, 0) => Isolation::HighWatermark,
        // Kafka looks at the level only when there is something to read.
        _ if partitions.is_empty() => Isolation::HighWatermark,
        _ => return Err(SessionError::Unforeseen),
    };
    let max_bytes = request.max_bytes.min(broker.options.fetch_bytes_max);
    let wait = Duration::from_millis(u64::try_from(request.max_wait_ms).unwrap_or(0));
    Ok(Plan {
        to,
        deadline: Instant::from_std(arrival) + wait,
        min_bytes: positive(request.min_bytes.min(max_bytes)),
        max_bytes,
        isolation,
        is_follower: replica >= 0,
        session,
        partitions,
        unknown,
        charge: None,
    })
}

/// What the request names, each partition once: the last one of a partition that is named twice counts, at the place of
/// the first.
fn wanted(request: &FetchRequest<'_>, image: &Image, uses_topic_ids: bool) -> Vec<Wanted> {
    let count = request.topics.iter().map(|asked| asked.partitions.len()).sum();
    let mut wanted: Vec<Wanted> = Vec::with_capacity(count);
    let mut places: HashMap<(&str, Uuid, i32), usize> = HashMap::with_capacity(count.saturating_sub(1));
    for asked in &request.topics {
        let topic = fetched_topic(image, uses_topic_ids, asked.topic, asked.topic_id);
        for partition in &asked.partitions {
            let new = Wanted {
                topic: topic.clone(),
                partition: partition.partition,
                current_leader_epoch: partition.current_leader_epoch.max(-1),
                fetch_offset: partition.fetch_offset,
                last_fetched_epoch: partition.last_fetched_epoch.max(-1),
                max_bytes: partition.partition_max_bytes,
            };
            if count > 1 {
                let key = (asked.topic, asked.topic_id, partition.partition);
                let place = *places.entry(key).or_insert(wanted.len());
                if let Some(earlier) = wanted.get_mut(place) {
                    *earlier = new;
                    continue;
                }
            }
            wanted.push(new);
        }
    }
    wanted
}

fn fetched_topic(image: &Image, uses_topic_ids: bool, name: &str, id: Uuid) -> FetchedTopic {
    let topic = if uses_topic_ids {
        image.topic_by_id(&id)
    } else {
        image.topic(name)
    };
    let name = match topic {
        Some(topic) => Some(Arc::clone(&topic.name)),
        None if uses_topic_ids => None,
        None => Some(Arc::from(name)),
    };
    FetchedTopic { name, id }
}

/// The partition here. The outer error is told behind the others and hurries nobody; the inner one is Kafka's for a read
/// that fails, and answers a long poll at once.
fn resolve(image: &Image, wanted: &Wanted) -> Result<Result<Arc<Partition>, ErrorCode>, ErrorCode> {
    let name = wanted.topic.name.as_deref().ok_or(ErrorCode::UNKNOWN_TOPIC_ID)?;
    let topic = image.topic(name).ok_or(ErrorCode::UNKNOWN_TOPIC_OR_PARTITION)?;
    let entry = topic
        .partition(wanted.partition)
        .ok_or(ErrorCode::UNKNOWN_TOPIC_OR_PARTITION)?;
    Ok(match entry.usable() {
        // A session's topic of this name was deleted, and another one has its name.
        Ok(_) if wanted.topic.id != barnabas_wire::primitives::ZERO_UUID && wanted.topic.id != topic.id => {
            Err(ErrorCode::INCONSISTENT_TOPIC_ID)
        }
        usable => usable.map(Arc::clone),
    })
}

fn positive(value: i32) -> usize {
    usize::try_from(value).unwrap_or(0)
}

impl Plan {
    /// A consumer is charged, and gets no more than its quota can bear, or it would never get anything.
    fn charge_to(&mut self, charge: Option<Charge>) {
        self.charge = charge.filter(|_| !self.is_follower);
        if let Some(charge) = &self.charge {
            self.max_bytes = self.max_bytes.min(charge.fetch_bytes_max());
            self.min_bytes = self.min_bytes.min(positive(self.max_bytes));
        }
    }

    fn targets(&self) -> impl Iterator<Item = &Arc<Partition>> {
        self.partitions
            .iter()
            .filter_map(|planned| planned.target.as_ref().ok())
    }

    /// Whether the answer need not wait.
    fn is_over(&self, found: &Found) -> bool {
        found.is_urgent
            || found.bytes >= self.min_bytes
            || self.partitions.is_empty()
            || (found.bytes > 0 && self.has_passed_segments(found))
    }

    /// Whether a partition has more than the segment that it is read from: Kafka does not let a reader who is that far
    /// behind wait for more.
    fn has_passed_segments(&self, found: &Found) -> bool {
        self.partitions.iter().zip(&found.partitions).any(|(planned, result)| {
            let (Ok(partition), Ok(found)) = (&planned.target, result) else {
                return false;
            };
            let base = |offset| partition.log.index_floor(offset).ok().flatten().map(|(base, _)| base);
            let last = self.up_to(partition, found) - 1;
            found.slice.is_some() && base(planned.wanted.fetch_offset) != base(last)
        })
    }

    /// Parks the request until enough is there, something has to be told, or its time is up.
    async fn wait(self: Arc<Self>, broker: &Arc<Broker>, peer: &Peer) -> Option<Response<StoredFile>> {
        let _count = ParkedCount::new(broker);
        let parked = Parked::new(self.targets().map(Arc::clone).collect(), self.min_bytes);
        let mut known = 0;
        loop {
            // Said before looking: what is appended in between is counted twice, which wakes too early, never too late.
            parked.expect(self.min_bytes - known);
            let is_cold = peer.reader.is_cold();
            let found = if is_cold {
                let plan = Arc::clone(&self);
                // What fails here is the end of the server.
                tokio::task::spawn_blocking(move || plan.look()).await.ok()?
            } else {
                self.look_here(broker, peer)
            };
            if self.is_over(&found) || broker.is_stopping() || Instant::now() >= self.deadline {
                let mut response = Response::new();
                fetch_answer::write(&self, broker, &broker.image(), &peer.listener, &found, &mut response)?;
                response.is_cold = is_cold;
                return Some(response);
            }
            if found.bytes == known {
                // Woken or out of time, there is another look.
                let _ = tokio::time::timeout_at(self.deadline, parked.woken()).await;
            }
            known = found.bytes;
        }
    }

    /// Looks on this thread, and notes it if that took long.
    fn look_here(&self, broker: &Broker, peer: &Peer) -> Found {
        let begin = (broker.stopwatch)();
        let found = self.look();
        peer.reader.note_look((broker.stopwatch)().saturating_sub(begin));
        found
    }

    /// Reads every partition as far as the limits allow.
    fn look(&self) -> Found {
        let mut found = Found {
            partitions: Vec::with_capacity(self.partitions.len()),
            bytes: 0,
            is_urgent: false,
        };
        let mut left = self.max_bytes;
        for planned in &self.partitions {
            let result = match &planned.target {
                Ok(partition) => {
                    let max_bytes = planned.wanted.max_bytes.min(left);
                    self.look_at(&planned.wanted, partition, max_bytes, found.bytes == 0)
                }
                Err(error) => Err(*error),
            };
            found.is_urgent |= result.as_ref().map_or(true, |found| found.diverging.is_some());
            let slice = result.as_ref().ok().and_then(|found| found.slice.as_ref());
            let len = slice.map_or(0, |slice| slice.len);
            if len > 0 {
                left = left.saturating_sub(i32::try_from(len).unwrap_or(i32::MAX)).max(0);
            }
            found.bytes = found.bytes.saturating_add(len);
            found.partitions.push(result);
        }
        found
    }

    fn look_at(
        &self,
        wanted: &Wanted,
        partition: &Partition,
        max_bytes: i32,
        is_first: bool,
    ) -> Result<FoundPartition, ErrorCode> {
        partition.check_leader_epoch(wanted.current_leader_epoch)?;
        if !partition.is_leader() {
            return Err(ErrorCode::NOT_LEADER_OR_FOLLOWER);
        }
        if self.is_follower {
            return Err(match wanted.current_leader_epoch {
                -1 => ErrorCode::NOT_LEADER_OR_FOLLOWER,
                _ => ErrorCode::UNKNOWN_LEADER_EPOCH,
            });
        }
        let log = &partition.log;
        let high_watermark = log.high_watermark();
        let mut found = FoundPartition {
            high_watermark,
            last_stable_offset: log.last_stable_offset().min(high_watermark),
            log_start_offset: log.log_start_offset(),
            diverging: None,
            slice: None,
            aborted: None,
        };
        if wanted.last_fetched_epoch >= 0 {
            let end = partition.epoch_end_offset(wanted.last_fetched_epoch);
            if end.epoch < 0 || end.end_offset < 0 || wanted.fetch_offset < found.log_start_offset {
                return Err(ErrorCode::OFFSET_OUT_OF_RANGE);
            }
            if end.epoch < wanted.last_fetched_epoch || end.end_offset < wanted.fetch_offset {
                found.diverging = Some((end.epoch, end.end_offset));
                return Ok(found);
            }
        }
        let up_to = self.up_to(partition, &found);
        let slice = log
            .read(
                wanted.fetch_offset,
                positive(max_bytes),
                is_first || max_bytes < 0,
                up_to,
            )
            .map_err(|error| log_error_code(&error))?;
        if max_bytes < 0 && slice.len > 0 {
            // Kafka does not foresee it, and stumbles when there is something to read.
            return Err(ErrorCode::UNKNOWN_SERVER_ERROR);
        }
        if self.isolation == Isolation::Committed {
            let aborted = log
                .aborted_transactions_in(wanted.fetch_offset, &slice)
                .map_err(|error| log_error_code(&error))?
                .into_iter()
                .map(|aborted| AbortedTransaction {
                    producer_id: aborted.producer_id,
                    first_offset: aborted.first_offset,
                });
            found.aborted = Some(aborted.collect());
        }
        found.slice = Some(slice).filter(|slice| slice.len > 0);
        Ok(found)
    }

    fn up_to(&self, partition: &Partition, found: &FoundPartition) -> i64 {
        match self.isolation {
            Isolation::LogEnd => partition.log.log_end_offset(),
            Isolation::HighWatermark => found.high_watermark,
            Isolation::Committed => found.last_stable_offset,
        }
    }
}

/// Counts a parked request for as long as it is parked.
struct ParkedCount<'a>(&'a Broker);

impl<'a> ParkedCount<'a> {
    fn new(broker: &'a Broker) -> Self {
        broker.metrics.fetches_parked.increment();
        Self(broker)
    }
}

impl Drop for ParkedCount<'_> {
    fn drop(&mut self) {
        self.0.metrics.fetches_parked.decrement();
    }
}
