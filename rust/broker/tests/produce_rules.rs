//! What a Produce request may not ask for, and what of it counts, as Kafka sees it before a batch is validated.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test that fails stops")]
#![allow(dead_code, reason = "each test binary uses its part of the common module")]

mod common;

use barnabas_wire::api;
use barnabas_wire::errors::ErrorCode;
use barnabas_wire::messages::Records;
use barnabas_wire::messages::produce::{PartitionProduceData, ProduceRequest, ProduceResponse, TopicProduceData};
use barnabas_wire::primitives::Reader;

use common::{Fetch, Fixture, Produce, TOPIC, batch};

#[test]
fn a_codec_that_there_is_not_is_what_kafka_stumbles_over() {
    let fixture = Fixture::start();
    let mut client = fixture.connect();
    let mut records = batch(&[b"a"]);
    records[22] |= 5;
    let crc = barnabas_records::crc32c(&records[21..]);
    records[17..21].copy_from_slice(&crc.to_be_bytes());
    // Old versions meet it before the log, which newer ones have looked at.
    for (version, log_start_offset) in [(5, -1), (6, -1), (7, 0), (9, 0)] {
        let answer = client.produce_with(&Produce {
            version,
            records: &records,
            ..Produce::default()
        });
        let found = (ErrorCode(answer.error_code), answer.log_start_offset);
        assert_eq!(
            found,
            (ErrorCode::UNKNOWN_SERVER_ERROR, log_start_offset),
            "version {version}"
        );
    }
}

#[test]
fn a_partition_that_is_named_twice_gets_the_last_batch() {
    let fixture = Fixture::start();
    let mut client = fixture.connect();
    let batches = [batch(&[b"lost"]), batch(&[b"kept"]), batch(&[b"other"])];
    let topic = |partitions: &[(i32, usize)]| TopicProduceData {
        name: TOPIC,
        partition_data: partitions
            .iter()
            .map(|(index, batch)| PartitionProduceData {
                index: *index,
                records: Records::Bytes(&batches[*batch]),
            })
            .collect(),
        ..TopicProduceData::default()
    };
    let nothing = TopicProduceData {
        name: "nothing",
        ..TopicProduceData::default()
    };
    let request = ProduceRequest {
        acks: -1,
        timeout_ms: 1000,
        topic_data: vec![topic(&[(0, 0), (1, 2)]), nothing, topic(&[(0, 1)])],
        ..ProduceRequest::default()
    };
    let body = client.call(api::PRODUCE, 9, &request.to_bytes(9).unwrap());
    let response = ProduceResponse::decode(&mut Reader::new(&body), 9).unwrap();
    assert_eq!(response.responses.len(), 1, "a topic once, and none without partitions");
    let told: Vec<_> = response.responses[0]
        .partition_responses
        .iter()
        .map(|told| (told.index, told.error_code, told.base_offset))
        .collect();
    assert_eq!(told, [(0, 0, 0), (1, 0, 0)]);
    assert_eq!(client.fetch(&Fetch::default())[0].values(), [(0, b"kept".to_vec())]);
}

#[test]
fn a_batch_whose_front_is_wrong_is_refused_in_kafkas_words() {
    let fixture = Fixture::start();
    let mut client = fixture.connect();
    let length = |length: i32| {
        let mut records = batch(&[b"a"]);
        records[8..12].copy_from_slice(&length.to_be_bytes());
        records
    };
    let mut magic = batch(&[b"a"]);
    magic[16] = 3;
    let too_short = "Record size 13 is less than the minimum record overhead (14)";
    for (records, error, message) in [
        (length(13), ErrorCode::CORRUPT_MESSAGE, Some(too_short)),
        (
            magic,
            ErrorCode::CORRUPT_MESSAGE,
            Some("Invalid magic found in record: 3"),
        ),
        (length(i32::MAX), ErrorCode::UNKNOWN_SERVER_ERROR, None),
    ] {
        let answer = client.produce_with(&Produce {
            records: &records,
            ..Produce::default()
        });
        assert_eq!(
            (ErrorCode(answer.error_code), answer.message.as_deref()),
            (error, message)
        );
    }
}
