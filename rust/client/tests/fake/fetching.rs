//! How the scripted broker answers Fetch, and the session that it keeps.

use std::collections::BTreeMap;

use barnabas_wire::errors::ErrorCode;
use barnabas_wire::messages::Records;
use barnabas_wire::messages::fetch::{
    FetchPartition, FetchRequest, FetchResponse, FetchableTopicResponse, PartitionData,
};
use barnabas_wire::primitives::Reader;

use super::{Act, State, TOPIC_ID};

/// A fetch session as a broker keeps it.
#[derive(Default)]
pub(crate) struct FetchSession {
    pub(crate) declines: bool,
    id: i32,
    epoch: i32,
    partitions: BTreeMap<i32, FetchPartition>,
    /// How many partitions each request named.
    pub(crate) named: Vec<usize>,
    /// Partitions that requests wanted to be forgotten.
    pub(crate) forgotten: Vec<i32>,
    /// Refuses the next request that goes on with a session.
    pub(crate) refuse_next: Option<ErrorCode>,
}

impl FetchSession {
    /// What a request is about after all, or why it is refused.
    fn take(&mut self, request: &FetchRequest<'_>) -> Result<Vec<FetchPartition>, ErrorCode> {
        let named: Vec<FetchPartition> = request
            .topics
            .iter()
            .flat_map(|topic| topic.partitions.clone())
            .collect();
        self.named.push(named.len());
        if request.session_epoch < 0 && request.session_id == 0 {
            return Ok(named);
        }
        if request.session_epoch < 0 || self.declines {
            assert!(request.session_id == 0 || !self.declines);
            self.id = 0;
            return Ok(named);
        }
        if request.session_epoch == 0 {
            self.id += 1;
            self.epoch = 0;
            self.partitions.clear();
        } else {
            if let Some(code) = self.refuse_next.take() {
                return Err(code);
            }
            assert_eq!((request.session_id, request.session_epoch), (self.id, self.epoch));
        }
        self.epoch += 1;
        for topic in &request.forgotten_topics_data {
            for partition in &topic.partitions {
                assert!(self.partitions.remove(partition).is_some(), "was never known");
                self.forgotten.push(*partition);
            }
        }
        self.partitions
            .extend(named.into_iter().map(|asked| (asked.partition, asked)));
        Ok(self.partitions.values().cloned().collect())
    }
}

fn is_told(data: &PartitionData<'_>) -> bool {
    !data.records.is_empty() || data.preferred_read_replica >= 0
}

fn answer<'r>(state: &State, asked: &FetchPartition, records: &'r [u8], act: Act, rack: &str) -> PartitionData<'r> {
    let log = &state.partitions[&asked.partition];
    let is_outside = asked.fetch_offset < log.start || asked.fetch_offset > log.end;
    let error_code = match act {
        Act::Refuse(code) => code,
        _ if is_outside => ErrorCode::OFFSET_OUT_OF_RANGE.code(),
        _ => 0,
    };
    let preferred = state
        .preferred
        .filter(|(preferred, _)| *preferred == rack && error_code == 0);
    let is_empty = error_code != 0 || preferred.is_some();
    PartitionData {
        partition_index: asked.partition,
        error_code,
        high_watermark: log.end,
        last_stable_offset: log.end,
        log_start_offset: log.start,
        records: Records::Bytes(if is_empty { &[] } else { records }),
        preferred_read_replica: preferred.map_or(-1, |(_, node)| node),
        ..Default::default()
    }
}

pub(super) fn fetch(state: &mut State, version: i16, reader: &mut Reader<'_>, act: Act) -> Vec<u8> {
    let request = FetchRequest::decode(reader, version).unwrap();
    let goes_on = request.session_epoch > 0;
    let asked = match state.session.take(&request) {
        Ok(asked) => asked,
        Err(code) => {
            let response = FetchResponse {
                error_code: code.code(),
                ..Default::default()
            };
            return response.to_bytes(version).unwrap();
        }
    };
    let limit = |asked: &FetchPartition| usize::try_from(asked.partition_max_bytes.min(request.max_bytes)).unwrap();
    let buffers: Vec<Vec<u8>> = asked
        .iter()
        .map(|asked| state.partitions[&asked.partition].read(asked.fetch_offset, limit(asked)))
        .collect();
    let rack = request.rack_id;
    let partitions: Vec<_> = asked
        .iter()
        .zip(&buffers)
        .map(|(asked, records)| answer(state, asked, records, act, rack))
        .filter(|data| !goes_on || is_told(data) || data.error_code != 0)
        .collect();
    if !partitions.iter().any(is_told) {
        // As a broker's long poll, but short.
        std::thread::park_timeout(std::time::Duration::from_millis(
            u64::try_from(request.max_wait_ms.clamp(0, 10)).unwrap(),
        ));
    }
    let topic = FetchableTopicResponse {
        topic: "t",
        topic_id: TOPIC_ID,
        partitions,
    };
    FetchResponse {
        session_id: if request.session_epoch < 0 { 0 } else { state.session.id },
        responses: if topic.partitions.is_empty() {
            Vec::new()
        } else {
            vec![topic]
        },
        ..Default::default()
    }
    .to_bytes(version)
    .unwrap()
}
