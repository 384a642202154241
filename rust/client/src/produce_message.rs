//! Produce requests from sealed batches, and what their answers say about each.

use std::fmt::Write;
use std::sync::Arc;

use barnabas_wire::WireError;
use barnabas_wire::errors::ErrorCode;
use barnabas_wire::messages::produce::{
    PartitionProduceData, PartitionProduceResponse, ProduceRequest, ProduceResponse, TopicProduceData,
};
use barnabas_wire::messages::{Part, Records};
use barnabas_wire::primitives::Reader;
use bytes::Bytes;

use crate::batch::{BatchState, SealedBatch};
use crate::cluster::{ClusterView, LeaderHint, NO_TOPIC_ID};
use crate::config::ProducerConfig;

/// Produce versions that this client can use: record batches since 3.
pub(crate) const VERSIONS: (i16, i16) = (3, 13);
/// Topics are named by id.
pub(crate) const TOPIC_IDS_SINCE: i16 = 13;
/// Batches may be compressed with zstd (KIP-110).
pub(crate) const ZSTD_SINCE: i16 = 7;
/// Refused records that a message names.
const RECORDS_NAMED_MAX: usize = 3;

/// The request's parts; the batches' bytes are not copied. `batches` are sorted by topic.
pub(crate) fn encode(
    batches: &[(usize, SealedBatch)],
    view: &ClusterView,
    config: &ProducerConfig,
    api_version: i16,
) -> Result<Vec<Bytes>, WireError> {
    let mut topics: Vec<TopicProduceData<'_>> = Vec::new();
    let mut last: Option<&Arc<str>> = None;
    for (_, batch) in batches {
        let BatchState { topic, partition, .. } = &*batch.state;
        if last.is_none_or(|last| last != topic) {
            let topic_id = view.topic(topic).map_or(NO_TOPIC_ID, |topic| topic.id);
            topics.push(TopicProduceData {
                name: topic,
                topic_id,
                partition_data: Vec::new(),
            });
            last = Some(topic);
        }
        if let Some(topic) = topics.last_mut() {
            let records = Records::Apart(batch.len());
            topic.partition_data.push(PartitionProduceData {
                index: *partition,
                records,
            });
        }
    }
    let request = ProduceRequest {
        transactional_id: None,
        acks: config.acks.code(),
        timeout_ms: i32::try_from(config.request_timeout.as_millis()).unwrap_or(i32::MAX),
        topic_data: topics,
    };
    let part = |part| match part {
        Part::Bytes(bytes) => Some(bytes),
        Part::Records { index, .. } => batches.get(index).map(|(_, batch)| batch.bytes()),
    };
    Ok(request
        .encode_parts(api_version)?
        .into_iter()
        .filter_map(part)
        .collect())
}

/// What became of one batch.
#[derive(Debug)]
pub(crate) struct PartitionAnswer {
    /// The batch's place in the request.
    pub(crate) at: usize,
    pub(crate) code: ErrorCode,
    pub(crate) base_offset: i64,
    pub(crate) log_append_time: i64,
    /// The broker's words, if it refused.
    pub(crate) message: String,
    pub(crate) hint: Option<LeaderHint>,
}

/// The answers to the batches of a request; a hostile broker's answers to anything else are dropped.
pub(crate) fn decode(
    batches: &[(usize, SealedBatch)],
    view: &ClusterView,
    api_version: i16,
    body: &Bytes,
) -> Result<Vec<PartitionAnswer>, WireError> {
    let response = ProduceResponse::decode(&mut Reader::new(body), api_version)?;
    let mut is_answered = vec![false; batches.len()];
    let mut answers = Vec::with_capacity(batches.len());
    let mut expected = 0;
    for topic in &response.responses {
        let by_id = api_version >= TOPIC_IDS_SINCE;
        let name = if by_id {
            view.topic_name(&topic.topic_id).map(AsRef::as_ref)
        } else {
            Some(topic.name)
        };
        let Some(name) = name else { continue };
        for partition in &topic.partition_responses {
            let is_it = |(_, batch): &(usize, SealedBatch)| {
                batch.state.partition == partition.index && &*batch.state.topic == name
            };
            // Brokers answer in the order of the request; a search for each of hundreds would cost more than the rest.
            let in_order = batches.get(expected).filter(|batch| is_it(batch)).map(|_| expected);
            let Some(at) = in_order.or_else(|| batches.iter().position(is_it)) else {
                continue;
            };
            expected = at + 1;
            let Some(is_answered) = is_answered.get_mut(at).filter(|is_answered| !**is_answered) else {
                continue;
            };
            *is_answered = true;
            answers.push(partition_answer(
                at,
                partition,
                batches.get(at).map(|(_, batch)| &batch.state.topic),
            ));
        }
    }
    Ok(answers)
}

fn partition_answer(at: usize, answer: &PartitionProduceResponse<'_>, topic: Option<&Arc<str>>) -> PartitionAnswer {
    let code = ErrorCode(answer.error_code);
    let leader = &answer.current_leader;
    PartitionAnswer {
        at,
        code,
        base_offset: if code.is_ok() { answer.base_offset } else { -1 },
        log_append_time: answer.log_append_time_ms,
        message: if code.is_ok() {
            String::new()
        } else {
            refusal(code, answer)
        },
        hint: topic.filter(|_| leader.leader_id >= 0).map(|topic| LeaderHint {
            topic: Arc::clone(topic),
            partition: answer.index,
            leader: leader.leader_id,
            leader_epoch: leader.leader_epoch,
        }),
    }
}

/// The broker's words for a refused batch.
fn refusal(code: ErrorCode, answer: &PartitionProduceResponse<'_>) -> String {
    let mut text = answer.error_message.unwrap_or(code.message()).to_owned();
    for record in answer.record_errors.iter().take(RECORDS_NAMED_MAX) {
        let reason = record.batch_index_error_message.unwrap_or("refused");
        // Writing to a String does not fail.
        let _ = write!(text, "; record {} of the batch: {reason}", record.batch_index);
    }
    text
}
