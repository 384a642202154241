//! Fetch, key 1, versions 4 to 18.
//!
//! Kept: long poll with minimum bytes and maximum wait, limits per partition and response with the first batch always
//! whole (KIP-74), topic ids, fencing and divergence by leader epoch (KIP-320, KIP-595), the leader in the answer when
//! it is another (KIP-951), the aborted transactions of what a `read_committed` fetch gets (KIP-98). Left out: sessions,
//! which are declined with id 0 (KIP-227), and followers.

use std::sync::Arc;
use std::time::Duration;

use barnabas_log::ReadSlice;
use barnabas_net::part::{FileRange, Response};
use barnabas_net::server::Outcome;
use barnabas_wire::errors::ErrorCode;
use barnabas_wire::messages::fetch::{
    AbortedTransaction, EpochEndOffset, FetchRequest, FetchResponse, FetchableTopicResponse, LeaderIdAndEpoch,
    NodeEndpoint, PartitionData,
};
use barnabas_wire::messages::{Part, Records};
use barnabas_wire::primitives::{Reader, Uuid};
use tokio::time::Instant;

use crate::broker::Broker;
use crate::dispatch::Peer;
use crate::image::Image;
use crate::partition::{Partition, log_error_code};
use crate::purgatory::Parked;
use crate::reply::{self, ReplyTo};
use crate::stored::StoredFile;

/// A request whose names are resolved.
struct Plan {
    to: ReplyTo,
    deadline: Instant,
    min_bytes: usize,
    max_bytes: usize,
    is_read_committed: bool,
    is_follower: bool,
    topics: Vec<PlannedTopic>,
}

struct PlannedTopic {
    name: Arc<str>,
    id: Uuid,
    partitions: Vec<Planned>,
}

struct Planned {
    index: i32,
    current_leader_epoch: i32,
    fetch_offset: i64,
    last_fetched_epoch: i32,
    /// Kafka does not foresee that this is negative.
    max_bytes: Result<usize, ErrorCode>,
    target: Result<Arc<Partition>, ErrorCode>,
}

/// What there is to send now.
struct Found {
    /// In the order of the plan.
    partitions: Vec<Result<FoundPartition, ErrorCode>>,
    bytes: usize,
    /// Whether something other than data has to be told, so that waiting makes no sense.
    is_urgent: bool,
}

struct FoundPartition {
    high_watermark: i64,
    last_stable_offset: i64,
    log_start_offset: i64,
    diverging: Option<(i32, i64)>,
    slice: Option<ReadSlice>,
    aborted: Vec<AbortedTransaction>,
}

pub(crate) fn handle(
    broker: &Arc<Broker>,
    peer: &Peer,
    to: ReplyTo,
    body: &[u8],
    arrival: std::time::Instant,
    response: &mut Response<StoredFile>,
) -> Outcome<StoredFile> {
    broker.metrics.fetch_requests.increment();
    let Ok(request) = FetchRequest::decode(&mut Reader::new(body), to.api_version) else {
        return broker.refuse();
    };
    // Epochs 0 and -1 are full fetches, with and without the wish for a session; any other belongs to a session.
    if !matches!(request.session_epoch, 0 | -1) {
        let error_code = ErrorCode::FETCH_SESSION_ID_NOT_FOUND.code();
        let answer = FetchResponse {
            error_code,
            ..FetchResponse::default()
        };
        return reply::write(response, to, |writer| answer.encode(writer, to.api_version));
    }
    let image = broker.image();
    let plan = plan(broker, &image, &request, to, arrival);
    let found = plan.look();
    let has_waited = plan.deadline <= Instant::now() || plan.targets().next().is_none();
    if found.is_urgent || found.bytes >= plan.min_bytes || has_waited || broker.is_stopping() {
        return match plan.write(broker, &image, &peer.listener, &found, response) {
            Some(()) => Outcome::Reply,
            None => Outcome::Close,
        };
    }
    let broker = Arc::clone(broker);
    let listener = Arc::clone(&peer.listener);
    Outcome::Wait(Box::pin(async move { plan.wait(&broker, &listener).await }))
}

fn plan(broker: &Broker, image: &Image, request: &FetchRequest<'_>, to: ReplyTo, arrival: std::time::Instant) -> Plan {
    let by_id = to.api_version >= 13;
    let max_bytes = positive(request.max_bytes).min(broker.options.fetch_bytes_max);
    let replica = if to.api_version >= 15 {
        request.replica_state.replica_id
    } else {
        request.replica_id
    };
    let topics = request.topics.iter().map(|asked| {
        let topic = if by_id {
            image.topic_by_id(&asked.topic_id)
        } else {
            image.topic(asked.topic)
        };
        let unknown = if by_id {
            ErrorCode::UNKNOWN_TOPIC_ID
        } else {
            ErrorCode::UNKNOWN_TOPIC_OR_PARTITION
        };
        let partitions = asked.partitions.iter().map(|asked| Planned {
            index: asked.partition,
            current_leader_epoch: asked.current_leader_epoch,
            fetch_offset: asked.fetch_offset,
            last_fetched_epoch: asked.last_fetched_epoch,
            max_bytes: usize::try_from(asked.partition_max_bytes).map_err(|_| ErrorCode::UNKNOWN_SERVER_ERROR),
            target: topic.ok_or(unknown).and_then(|topic| {
                let entry = topic
                    .partition(asked.partition)
                    .ok_or(ErrorCode::UNKNOWN_TOPIC_OR_PARTITION)?;
                entry.usable().map(Arc::clone)
            }),
        });
        PlannedTopic {
            name: topic.map_or_else(|| Arc::from(asked.topic), |topic| Arc::clone(&topic.name)),
            id: asked.topic_id,
            partitions: partitions.collect(),
        }
    });
    let wait = Duration::from_millis(u64::try_from(request.max_wait_ms).unwrap_or(0));
    Plan {
        to,
        deadline: Instant::from_std(arrival) + wait,
        min_bytes: positive(request.min_bytes).min(max_bytes),
        max_bytes,
        is_read_committed: request.isolation_level == 1,
        is_follower: replica >= 0,
        topics: topics.collect(),
    }
}

fn positive(value: i32) -> usize {
    usize::try_from(value).unwrap_or(0)
}

impl Plan {
    fn targets(&self) -> impl Iterator<Item = &Arc<Partition>> {
        self.topics
            .iter()
            .flat_map(|topic| &topic.partitions)
            .filter_map(|planned| planned.target.as_ref().ok())
    }

    /// Parks the request until enough is there, something has to be told, or its time is up.
    async fn wait(self, broker: &Arc<Broker>, listener: &str) -> Option<Response<StoredFile>> {
        let _count = ParkedCount::new(broker);
        let parked = Parked::new(self.targets().map(Arc::clone).collect(), self.min_bytes);
        let mut known = 0;
        loop {
            // Said before looking: what is appended in between is counted twice, which wakes too early, never too late.
            parked.expect(self.min_bytes - known);
            let found = self.look();
            let is_over = found.is_urgent || found.bytes >= self.min_bytes || broker.is_stopping();
            if is_over || Instant::now() >= self.deadline {
                let mut response = Response::new();
                self.write(broker, &broker.image(), listener, &found, &mut response)?;
                return Some(response);
            }
            if found.bytes == known {
                // Woken or out of time, there is another look.
                let _ = tokio::time::timeout_at(self.deadline, parked.woken()).await;
            }
            known = found.bytes;
        }
    }

    /// Reads every partition as far as the limits allow.
    fn look(&self) -> Found {
        let mut found = Found {
            partitions: Vec::new(),
            bytes: 0,
            is_urgent: false,
        };
        for planned in self.topics.iter().flat_map(|topic| &topic.partitions) {
            let is_first = found.bytes == 0;
            let left = self
                .max_bytes
                .saturating_sub(found.bytes)
                .min(planned.max_bytes.unwrap_or(0));
            let result = match &planned.target {
                Ok(partition) => {
                    let result = self.look_at(planned, partition, left, is_first);
                    found.is_urgent |= result.as_ref().map_or(true, |found| found.diverging.is_some());
                    result
                }
                // Told with the data, or when the time is up: Kafka too does not hurry for an unknown partition.
                Err(error) => Err(*error),
            };
            let slice = result.as_ref().ok().and_then(|found| found.slice.as_ref());
            found.bytes = found.bytes.saturating_add(slice.map_or(0, |slice| slice.len));
            found.partitions.push(result);
        }
        found
    }

    fn look_at(
        &self,
        planned: &Planned,
        partition: &Partition,
        max_bytes: usize,
        is_first: bool,
    ) -> Result<FoundPartition, ErrorCode> {
        if !partition.is_leader() || self.is_follower {
            return Err(ErrorCode::NOT_LEADER_OR_FOLLOWER);
        }
        planned.max_bytes?;
        partition.check_leader_epoch(planned.current_leader_epoch)?;
        let log = &partition.log;
        let high_watermark = log.high_watermark();
        let last_stable_offset = log.last_stable_offset().min(high_watermark);
        let mut found = FoundPartition {
            high_watermark,
            last_stable_offset,
            log_start_offset: log.log_start_offset(),
            diverging: None,
            slice: None,
            aborted: Vec::new(),
        };
        if planned.last_fetched_epoch >= 0 {
            let end = partition.epoch_end_offset(planned.last_fetched_epoch);
            if end.epoch < 0 || end.end_offset < 0 {
                return Err(ErrorCode::OFFSET_OUT_OF_RANGE);
            }
            if end.epoch < planned.last_fetched_epoch || end.end_offset < planned.fetch_offset {
                found.diverging = Some((end.epoch, end.end_offset));
                return Ok(found);
            }
        }
        let up_to = if self.is_read_committed {
            last_stable_offset
        } else {
            high_watermark
        };
        let slice = log
            .read(planned.fetch_offset, max_bytes, is_first, up_to)
            .map_err(|error| log_error_code(&error))?;
        if self.is_read_committed {
            found.aborted = log
                .aborted_transactions_in(planned.fetch_offset, &slice)
                .map_err(|error| log_error_code(&error))?
                .into_iter()
                .map(|aborted| AbortedTransaction {
                    producer_id: aborted.producer_id,
                    first_offset: aborted.first_offset,
                })
                .collect();
        }
        found.slice = Some(slice).filter(|slice| slice.len > 0);
        Ok(found)
    }

    /// Writes the response; `None` if it cannot be written.
    fn write(
        &self,
        broker: &Broker,
        image: &Image,
        listener: &str,
        found: &Found,
        response: &mut Response<StoredFile>,
    ) -> Option<()> {
        broker.metrics.fetch_bytes.add_len(found.bytes);
        let answer = self.answer(image, listener, found)?;
        let parts = answer
            .encode_parts(self.to.api_version)
            .inspect_err(|error| log::error!("fetch: {error}"))
            .ok()?;
        let mut slices = found
            .partitions
            .iter()
            .filter_map(|result| result.as_ref().ok()?.slice.as_ref());
        reply::begin(response, self.to);
        for part in parts {
            match part {
                Part::Bytes(bytes) => response.bytes_mut().extend_from_slice(&bytes),
                Part::Records { .. } => {
                    let slice = slices.next()?;
                    let file = StoredFile(Arc::clone(&slice.file));
                    response.push_range(FileRange {
                        file,
                        position: slice.position,
                        len: slice.len,
                    });
                }
            }
        }
        Some(())
    }

    /// The response, with the records left apart.
    fn answer<'a>(&'a self, image: &'a Image, listener: &str, found: &Found) -> Option<FetchResponse<'a>> {
        let mut results = found.partitions.iter();
        let mut leaders = Vec::new();
        let mut responses = Vec::with_capacity(self.topics.len());
        for topic in &self.topics {
            let mut partitions = Vec::with_capacity(topic.partitions.len());
            for planned in &topic.partitions {
                let mut data = partition_data(planned, results.next()?, self.is_read_committed);
                if let Some(leader) = self.current_leader(image, topic, planned, data.error_code) {
                    leaders.push(leader.leader_id);
                    data.current_leader = leader;
                }
                partitions.push(data);
            }
            responses.push(FetchableTopicResponse {
                topic: &topic.name,
                topic_id: topic.id,
                partitions,
            });
        }
        leaders.sort_unstable();
        leaders.dedup();
        let node_endpoints = leaders.into_iter().filter_map(|node_id| {
            let broker = image.brokers.get(&node_id)?;
            let endpoint = broker.endpoint(listener)?;
            let (host, port) = (endpoint.host.as_str(), i32::from(endpoint.port));
            Some(NodeEndpoint {
                node_id,
                host,
                port,
                rack: broker.rack.as_deref(),
            })
        });
        Some(FetchResponse {
            responses,
            node_endpoints: node_endpoints.collect(),
            ..FetchResponse::default()
        })
    }

    /// The leader, told to those who ask the wrong broker or with an old epoch.
    fn current_leader(
        &self,
        image: &Image,
        topic: &PlannedTopic,
        planned: &Planned,
        error: i16,
    ) -> Option<LeaderIdAndEpoch> {
        let is_misled = matches!(
            ErrorCode(error),
            ErrorCode::NOT_LEADER_OR_FOLLOWER | ErrorCode::FENCED_LEADER_EPOCH
        );
        if self.to.api_version < 16 || !is_misled {
            return None;
        }
        let state = &image.topic(&topic.name)?.partition(planned.index)?.state;
        (state.leader >= 0).then_some(LeaderIdAndEpoch {
            leader_id: state.leader,
            leader_epoch: state.leader_epoch,
        })
    }
}

fn partition_data(
    planned: &Planned,
    result: &Result<FoundPartition, ErrorCode>,
    is_read_committed: bool,
) -> PartitionData<'static> {
    let partition_index = planned.index;
    match result {
        Ok(found) => PartitionData {
            partition_index,
            high_watermark: found.high_watermark,
            last_stable_offset: found.last_stable_offset,
            log_start_offset: found.log_start_offset,
            diverging_epoch: found
                .diverging
                .map_or_else(EpochEndOffset::default, |(epoch, end_offset)| EpochEndOffset {
                    epoch,
                    end_offset,
                }),
            aborted_transactions: is_read_committed.then(|| found.aborted.clone()),
            records: match &found.slice {
                Some(slice) => Records::Apart(slice.len),
                None => Records::Bytes(&[]),
            },
            ..PartitionData::default()
        },
        Err(error) => PartitionData {
            partition_index,
            error_code: error.code(),
            high_watermark: -1,
            // Kafka has an empty list where it did not get as far as reading.
            aborted_transactions: planned.target.is_err().then(Vec::new),
            records: Records::Bytes(&[]),
            ..PartitionData::default()
        },
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
