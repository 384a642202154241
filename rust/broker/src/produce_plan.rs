//! What a Produce request asks for: its topics and partitions resolved, and refused where Kafka refuses them before a
//! batch is validated. Checks come in Kafka's order.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use barnabas_records::{BatchHeader, Compression, LOG_OVERHEAD, MAGIC_V2};
use barnabas_wire::Result as WireResult;
use barnabas_wire::errors::ErrorCode;
use barnabas_wire::messages::Records;
use barnabas_wire::messages::produce::{LeaderIdAndEpoch, PartitionProduceData, ProduceRequest, TopicProduceData};
use barnabas_wire::primitives::{Reader, Uuid};

use crate::image::{Image, Topic};
use crate::partition::Partition;

/// The client id with which Kafka's tools may write to internal topics.
const ADMIN_CLIENT_ID: &str = "__admin_client";
pub(crate) const ACKS_ALL: i16 = -1;
/// Where a batch's magic stands, in every version of the format.
const MAGIC_POSITION: usize = 16;
/// Least length that a batch of any version may declare.
const LEGACY_RECORD_OVERHEAD: i32 = 14;

/// A request whose names are resolved.
pub(crate) struct Plan {
    pub(crate) acks: i16,
    pub(crate) timeout: Duration,
    pub(crate) topics: Vec<PlannedTopic>,
}

pub(crate) struct PlannedTopic {
    pub(crate) name: Arc<str>,
    pub(crate) id: Uuid,
    pub(crate) partitions: Vec<Planned>,
}

pub(crate) struct Planned {
    pub(crate) index: i32,
    pub(crate) target: Result<(Arc<Partition>, Range<usize>), Refusal>,
}

/// Why a partition's batch was not appended.
pub(crate) struct Refusal {
    pub(crate) error: ErrorCode,
    pub(crate) message: Option<String>,
    pub(crate) log_start_offset: i64,
    pub(crate) records: Vec<(i32, String)>,
    pub(crate) leader: LeaderIdAndEpoch,
}

impl From<ErrorCode> for Refusal {
    fn from(error: ErrorCode) -> Self {
        Self {
            error,
            message: None,
            log_start_offset: -1,
            records: Vec::new(),
            leader: LeaderIdAndEpoch::default(),
        }
    }
}

/// Whether a client may write to internal topics.
pub(crate) fn is_admin(client_id: Option<&str>) -> bool {
    client_id == Some(ADMIN_CLIENT_ID)
}

/// Resolves the names of a request and checks what can be checked before its batches are validated.
pub(crate) fn plan(image: &Image, client_is_admin: bool, version: i16, body: &[u8]) -> WireResult<Plan> {
    let request = ProduceRequest::decode(&mut Reader::new(body), version)?;
    let verdict = judge(&request);
    let mut topics = Topics::for_request(&request);
    for topic_data in &request.topic_data {
        let topic = if version >= 13 {
            image.topic_by_id(&topic_data.topic_id)
        } else {
            image.topic(topic_data.name)
        };
        for data in &topic_data.partition_data {
            let target = match &verdict {
                Some((error, message)) => Err(Refusal {
                    message: message.clone(),
                    ..(*error).into()
                }),
                None => resolve(topic, data, version, body, request.acks, client_is_admin),
            };
            let planned = Planned {
                index: data.index,
                target,
            };
            topics.put(topic_data, topic, planned);
        }
    }
    topics.stumble_together();
    Ok(Plan {
        acks: request.acks,
        timeout: Duration::from_millis(u64::try_from(request.timeout_ms).unwrap_or(0)),
        topics: topics.list,
    })
}

/// The topics of a request, each once, and their partitions, each once: as in Kafka the last one of a partition counts, and
/// a topic without partitions is not answered.
struct Topics<'a> {
    list: Vec<PlannedTopic>,
    /// Only of requests with more than one partition.
    places: HashMap<(&'a str, Uuid), usize>,
    partitions: HashMap<(usize, i32), usize>,
    may_repeat: bool,
}

impl<'a> Topics<'a> {
    fn for_request(request: &ProduceRequest<'a>) -> Self {
        let count: usize = request.topic_data.iter().map(|topic| topic.partition_data.len()).sum();
        Self {
            list: Vec::with_capacity(request.topic_data.len().min(count)),
            places: HashMap::new(),
            partitions: HashMap::new(),
            may_repeat: count > 1,
        }
    }

    /// What Kafka does not foresee in one partition before the append is its answer for all of them.
    fn stumble_together(&mut self) {
        let is_unforeseen = |planned: &Planned| {
            let refusal = planned.target.as_ref().err();
            refusal.is_some_and(|refusal| refusal.error == ErrorCode::UNKNOWN_SERVER_ERROR)
        };
        if self.list.iter().flat_map(|topic| &topic.partitions).any(is_unforeseen) {
            for planned in self.list.iter_mut().flat_map(|topic| &mut topic.partitions) {
                planned.target = Err(ErrorCode::UNKNOWN_SERVER_ERROR.into());
            }
        }
    }

    fn put(&mut self, asked: &TopicProduceData<'a>, topic: Option<&Arc<Topic>>, planned: Planned) {
        let next = self.list.len();
        let place = if self.may_repeat {
            *self.places.entry((asked.name, asked.topic_id)).or_insert(next)
        } else {
            next
        };
        if place == next {
            self.list.push(PlannedTopic {
                name: topic.map_or_else(|| Arc::from(asked.name), |topic| Arc::clone(&topic.name)),
                id: asked.topic_id,
                partitions: Vec::with_capacity(asked.partition_data.len()),
            });
        }
        let Some(topic) = self.list.get_mut(place) else { return };
        let next = topic.partitions.len();
        let at = if self.may_repeat {
            *self.partitions.entry((place, planned.index)).or_insert(next)
        } else {
            next
        };
        match topic.partitions.get_mut(at) {
            Some(earlier) => *earlier = planned,
            None => topic.partitions.push(planned),
        }
    }
}

/// What refuses a request as a whole. Kafka finds both when it looks for transactional records before all else: it takes
/// those without an id for a lack of rights; with one, they are what is not served here.
fn judge(request: &ProduceRequest<'_>) -> Option<(ErrorCode, Option<String>)> {
    let partitions = request.topic_data.iter().flat_map(|topic| &topic.partition_data);
    let mut is_transactional = false;
    for bytes in partitions.filter_map(|data| data.records.as_bytes()) {
        if let Err(bad) = batch_len(bytes) {
            return Some((bad.code(), bad.message()));
        }
        is_transactional |= BatchHeader::parse(bytes).is_ok_and(|header| header.is_transactional());
    }
    match request.transactional_id {
        _ if !is_transactional => None,
        None => Some((ErrorCode::TRANSACTIONAL_ID_AUTHORIZATION_FAILED, None)),
        Some(_) => Some((
            ErrorCode::INVALID_TXN_STATE,
            Some("transactions are not served by this broker".to_owned()),
        )),
    }
}

/// The partition and the place of its batch in `body`; checks come in Kafka's order.
fn resolve(
    topic: Option<&Arc<Topic>>,
    data: &PartitionProduceData<'_>,
    version: i16,
    body: &[u8],
    acks: i16,
    client_is_admin: bool,
) -> Result<(Arc<Partition>, Range<usize>), Refusal> {
    let unknown = if version >= 13 {
        ErrorCode::UNKNOWN_TOPIC_ID
    } else {
        ErrorCode::UNKNOWN_TOPIC_OR_PARTITION
    };
    let topic = topic.ok_or(unknown)?;
    let entry = topic
        .partition(data.index)
        .ok_or(ErrorCode::UNKNOWN_TOPIC_OR_PARTITION)?;
    let batch = locate(body, data.records, version)?;
    if !(-1..=1).contains(&acks) {
        return Err(ErrorCode::INVALID_REQUIRED_ACKS.into());
    }
    if topic.is_internal && !client_is_admin {
        return Err(ErrorCode::INVALID_TOPIC_EXCEPTION.into());
    }
    match entry.usable() {
        Err(ErrorCode::KAFKA_STORAGE_ERROR) => Err(ErrorCode::KAFKA_STORAGE_ERROR.into()),
        Ok(partition) if partition.is_leader() => {
            // More replicas than there are cannot be asked for.
            let isr_min = topic.min_insync_replicas.min(entry.state.replicas.len());
            if acks == ACKS_ALL && entry.state.isr.len() < isr_min {
                return Err(ErrorCode::NOT_ENOUGH_REPLICAS.into());
            }
            Ok((Arc::clone(partition), batch))
        }
        _ => {
            let leader = LeaderIdAndEpoch {
                leader_id: entry.state.leader,
                leader_epoch: entry.state.leader_epoch,
            };
            Err(Refusal {
                leader,
                ..ErrorCode::NOT_LEADER_OR_FOLLOWER.into()
            })
        }
    }
}

/// Where the one batch that a request may carry for a partition lies in `body`. Bytes behind it that make no further
/// batch are left out, as in Kafka.
fn locate(body: &[u8], records: Records<'_>, version: i16) -> Result<Range<usize>, ErrorCode> {
    let bytes = records.as_bytes().unwrap_or_default();
    let len = batch_len(bytes)?.ok_or(ErrorCode::INVALID_RECORD)?;
    let (batch, rest) = bytes.split_at_checked(len).ok_or(ErrorCode::INVALID_RECORD)?;
    if batch.get(MAGIC_POSITION).copied() != Some(MAGIC_V2.cast_unsigned()) {
        return Err(ErrorCode::INVALID_RECORD);
    }
    // Newer versions do not look at it here.
    match BatchHeader::parse(batch).map(|header| header.compression()) {
        Ok(Ok(Compression::Zstd)) if version < 7 => return Err(ErrorCode::UNSUPPORTED_COMPRESSION_TYPE),
        Ok(Err(_)) if version < 7 => return Err(ErrorCode::UNKNOWN_SERVER_ERROR),
        _ => {}
    }
    if batch_len(rest)?.is_some() {
        return Err(ErrorCode::INVALID_RECORD);
    }
    let begin = bytes.as_ptr().addr().wrapping_sub(body.as_ptr().addr());
    Ok(begin..begin + len)
}

/// Why the front of some records is no batch, before anything but length and magic is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BadFront {
    Length(i32),
    Magic(i8),
    /// Kafka comes to a negative size and stumbles.
    Overflow,
}

impl BadFront {
    fn code(self) -> ErrorCode {
        match self {
            Self::Overflow => ErrorCode::UNKNOWN_SERVER_ERROR,
            Self::Length(_) | Self::Magic(_) => ErrorCode::CORRUPT_MESSAGE,
        }
    }

    /// Kafka's words.
    fn message(self) -> Option<String> {
        match self {
            Self::Length(length) => Some(format!(
                "Record size {length} is less than the minimum record overhead ({LEGACY_RECORD_OVERHEAD})"
            )),
            Self::Magic(magic) => Some(format!("Invalid magic found in record: {magic}")),
            Self::Overflow => None,
        }
    }
}

impl From<BadFront> for ErrorCode {
    fn from(bad: BadFront) -> Self {
        bad.code()
    }
}

/// Length of the batch at the front, `None` when the bytes end before it does, by Kafka's rules.
fn batch_len(bytes: &[u8]) -> Result<Option<usize>, BadFront> {
    let Some(length) = bytes.get(LOG_OVERHEAD - 4..).and_then(|rest| rest.first_chunk()) else {
        return Ok(None);
    };
    let declared = i32::from_be_bytes(*length);
    if declared < LEGACY_RECORD_OVERHEAD {
        return Err(BadFront::Length(declared));
    }
    match bytes.get(MAGIC_POSITION) {
        Some(magic) if *magic > MAGIC_V2.cast_unsigned() => Err(BadFront::Magic(magic.cast_signed())),
        Some(_) => {
            let len = usize::try_from(declared).map_err(|_| BadFront::Overflow)? + LOG_OVERHEAD;
            if i32::try_from(len).is_err() {
                return Err(BadFront::Overflow);
            }
            Ok(Some(len).filter(|len| *len <= bytes.len()))
        }
        None => Ok(None),
    }
}
