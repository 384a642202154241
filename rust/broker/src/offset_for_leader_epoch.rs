//! OffsetForLeaderEpoch, key 23, versions 2 to 4: where a leader epoch ends, so that a client finds out whether its log
//! and the leader's have parted (KIP-320).

use barnabas_net::part::Response;
use barnabas_net::server::Outcome;
use barnabas_wire::errors::ErrorCode;
use barnabas_wire::messages::offset_for_leader_epoch::{
    EpochEndOffset, OffsetForLeaderEpochRequest, OffsetForLeaderEpochResponse, OffsetForLeaderPartition,
    OffsetForLeaderTopicResult,
};
use barnabas_wire::primitives::Reader;

use crate::broker::Broker;
use crate::image::Image;
use crate::reply::{self, ReplyTo};
use crate::stored::StoredFile;

pub(crate) fn handle(
    broker: &Broker,
    to: ReplyTo,
    body: &[u8],
    response: &mut Response<StoredFile>,
) -> Outcome<StoredFile> {
    let Ok(request) = OffsetForLeaderEpochRequest::decode(&mut Reader::new(body), to.api_version) else {
        return broker.refuse();
    };
    let image = broker.image();
    let topics = request.topics.iter().map(|asked| {
        let partitions = asked.partitions.iter().map(|partition| {
            let base = EpochEndOffset {
                partition: partition.partition,
                ..EpochEndOffset::default()
            };
            match find(&image, asked.topic, partition) {
                Ok((leader_epoch, end_offset)) => EpochEndOffset {
                    leader_epoch,
                    end_offset,
                    ..base
                },
                Err(error) => EpochEndOffset {
                    error_code: error.code(),
                    ..base
                },
            }
        });
        OffsetForLeaderTopicResult {
            topic: asked.topic,
            partitions: partitions.collect(),
        }
    });
    let answer = OffsetForLeaderEpochResponse {
        topics: topics.collect(),
        ..OffsetForLeaderEpochResponse::default()
    };
    reply::write(response, to, |writer| answer.encode(writer, to.api_version))
}

fn find(image: &Image, topic: &str, asked: &OffsetForLeaderPartition) -> Result<(i32, i64), ErrorCode> {
    let entry = image
        .topic(topic)
        .and_then(|topic| topic.partition(asked.partition))
        .ok_or(ErrorCode::UNKNOWN_TOPIC_OR_PARTITION)?;
    let partition = entry.usable()?;
    if !partition.is_leader() {
        return Err(ErrorCode::NOT_LEADER_OR_FOLLOWER);
    }
    partition.check_leader_epoch(asked.current_leader_epoch)?;
    let end = partition.epoch_end_offset(asked.leader_epoch);
    Ok((end.epoch, end.end_offset))
}
