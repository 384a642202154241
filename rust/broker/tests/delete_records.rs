//! `DeleteRecords` over loopback: offsets, errors, files and what a restart finds.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test that fails stops")]
#![allow(dead_code, reason = "each test binary uses its part of the common module")]

mod common;

use barnabas_broker::{Change, TopicChange};
use barnabas_wire::api;
use barnabas_wire::errors::ErrorCode;
use barnabas_wire::messages::delete_records::{
    DeleteRecordsPartition, DeleteRecordsRequest, DeleteRecordsResponse, DeleteRecordsTopic,
};
use barnabas_wire::primitives::Reader;

use common::{Client, Fetch, Fixture, TOPIC, batch, options, partition_state, topic_change};

/// Topic, partition, low watermark and error of each answer.
type Deleted = Vec<(String, i32, i64, ErrorCode)>;

fn delete(client: &mut Client, version: i16, wanted: &[(&str, i32, i64)]) -> Deleted {
    let topics = wanted.iter().map(|(name, partition_index, offset)| DeleteRecordsTopic {
        name,
        partitions: vec![DeleteRecordsPartition {
            partition_index: *partition_index,
            offset: *offset,
        }],
    });
    let request = DeleteRecordsRequest {
        topics: topics.collect(),
        timeout_ms: 1000,
    };
    let body = client.call(api::DELETE_RECORDS, version, &request.to_bytes(version).unwrap());
    let mut reader = Reader::new(&body);
    let response = DeleteRecordsResponse::decode(&mut reader, version).unwrap();
    reader.finish().unwrap();
    let mut deleted = Vec::new();
    for topic in &response.topics {
        for partition in &topic.partitions {
            let error = ErrorCode(partition.error_code);
            deleted.push((
                topic.name.to_owned(),
                partition.partition_index,
                partition.low_watermark,
                error,
            ));
        }
    }
    deleted
}

fn done(partition: i32, low_watermark: i64) -> (String, i32, i64, ErrorCode) {
    (TOPIC.to_owned(), partition, low_watermark, ErrorCode::NONE)
}

#[test]
fn the_first_offset_moves_and_stays_after_a_restart() {
    let fixture = Fixture::start();
    let mut client = fixture.connect();
    client.produce(0, &batch(&[b"a", b"b", b"c"]));
    client.produce(1, &batch(&[b"d", b"e"]));
    for version in 0..=2 {
        let offset = i64::from(version);
        assert_eq!(delete(&mut client, version, &[(TOPIC, 0, offset)]), [done(0, offset)]);
    }
    // Back is no way, and -1 is the high watermark.
    assert_eq!(
        delete(&mut client, 2, &[(TOPIC, 0, 1), (TOPIC, 1, -1), (TOPIC, 2, -1)]),
        [done(0, 2), done(1, 2), done(2, 0)]
    );
    let fetched = client.fetch(&Fetch {
        partitions: vec![(0, 1), (0, 2), (1, 2)],
        ..Fetch::default()
    });
    assert_eq!(fetched.len(), 2, "a partition is fetched once");
    assert_eq!((fetched[0].log_start_offset, fetched[0].values().len()), (2, 3));
    drop(client);
    let fixture = fixture.restart(&[]);
    let mut client = fixture.connect();
    let fetched = client.fetch(&Fetch {
        partitions: vec![(0, 2), (1, 1)],
        ..Fetch::default()
    });
    assert_eq!((fetched[0].error_code, fetched[0].log_start_offset), (0, 2));
    assert_eq!(fetched[1].error_code, ErrorCode::OFFSET_OUT_OF_RANGE.code());
}

#[test]
fn the_new_first_offset_is_on_disk_before_the_answer() {
    let fixture = Fixture::start();
    let mut client = fixture.connect();
    client.produce(0, &batch(&[b"a", b"b"]));
    delete(&mut client, 2, &[(TOPIC, 0, 1)]);
    let dir = fixture.dir.as_ref().unwrap().path();
    let text = std::fs::read_to_string(dir.join("log-start-offset-checkpoint")).unwrap();
    assert!(text.lines().any(|line| line == format!("{TOPIC} 0 1")), "{text}");
}

#[test]
fn whole_segments_go_with_their_records() {
    let fixture = Fixture::with(&[], &[("segment.bytes", "300"), ("file.delete.delay.ms", "0")]);
    let mut client = fixture.connect();
    for value in [[b'x'; 200]; 4] {
        client.produce(0, &batch(&[&value]));
    }
    let log_files = || {
        let dir = fixture.dir.as_ref().unwrap().path().join(format!("{TOPIC}-0"));
        let names = std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().file_name());
        let is_log = |name: &std::ffi::OsString| std::path::Path::new(name).extension().is_some_and(|end| end == "log");
        names.filter(is_log).count()
    };
    assert_eq!(log_files(), 4);
    assert_eq!(delete(&mut client, 2, &[(TOPIC, 0, 3)]), [done(0, 3)]);
    common::until(|| log_files() == 1);
}

#[test]
fn errors_are_kafkas() {
    let fixture = Fixture::start();
    let compacted = TopicChange {
        options: options(&[("cleanup.policy", "compact")]),
        ..topic_change("compacted", [3; 16], 1, 0)
    };
    let both = TopicChange {
        options: options(&[("cleanup.policy", "compact,delete")]),
        ..topic_change("both", [4; 16], 1, 0)
    };
    let mut elsewhere = topic_change("elsewhere", [5; 16], 1, 0);
    elsewhere.partitions[0].replicas = vec![2];
    elsewhere.partitions[0].leader = 2;
    let internal = topic_change("__consumer_offsets", [6; 16], 1, 0);
    let delta = [compacted, both, elsewhere, internal].map(Change::Topic).to_vec();
    fixture.node.publish(delta, 11, 1).unwrap();
    let mut client = fixture.connect();
    client.produce(0, &batch(&[b"a"]));
    let cases = [
        ("nothing", 0, 0, ErrorCode::UNKNOWN_TOPIC_OR_PARTITION),
        (TOPIC, 3, 0, ErrorCode::UNKNOWN_TOPIC_OR_PARTITION),
        (TOPIC, -1, 0, ErrorCode::UNKNOWN_TOPIC_OR_PARTITION),
        (TOPIC, 0, 2, ErrorCode::OFFSET_OUT_OF_RANGE),
        (TOPIC, 0, -2, ErrorCode::OFFSET_OUT_OF_RANGE),
        ("compacted", 0, -1, ErrorCode::POLICY_VIOLATION),
        ("elsewhere", 0, 0, ErrorCode::NOT_LEADER_OR_FOLLOWER),
        ("__consumer_offsets", 0, -1, ErrorCode::INVALID_TOPIC_EXCEPTION),
        ("__consumer_offsets", 1, -1, ErrorCode::UNKNOWN_TOPIC_OR_PARTITION),
    ];
    for (topic, partition, offset, error) in cases {
        let expected = [(topic.to_owned(), partition, -1, error)];
        assert_eq!(delete(&mut client, 2, &[(topic, partition, offset)]), expected);
    }
    assert_eq!(delete(&mut client, 2, &[("both", 0, -1)])[0].3, ErrorCode::NONE);
    // The last of two that name the same partition counts.
    assert_eq!(delete(&mut client, 2, &[(TOPIC, 0, 9), (TOPIC, 0, 1)]), [done(0, 1)]);
    assert_eq!(delete(&mut client, 2, &[]), []);
    let nothing = DeleteRecordsRequest {
        topics: vec![DeleteRecordsTopic {
            name: TOPIC,
            partitions: Vec::new(),
        }],
        timeout_ms: 0,
    };
    let body = client.call(api::DELETE_RECORDS, 2, &nothing.to_bytes(2).unwrap());
    let response = DeleteRecordsResponse::decode(&mut Reader::new(&body), 2).unwrap();
    assert_eq!(response.topics, []);
}

#[test]
fn what_is_not_committed_is_not_deleted() {
    let fixture = Fixture::start();
    let mut change = topic_change(TOPIC, common::TOPIC_ID, 3, 5);
    change.partitions[0] = barnabas_broker::PartitionState {
        replicas: vec![1, 2],
        isr: vec![1, 2],
        ..partition_state(0, 5)
    };
    fixture.node.publish(vec![Change::Topic(change)], 11, 1).unwrap();
    let mut client = fixture.connect();
    client.produce_with(&common::Produce {
        acks: 1,
        records: &batch(&[b"a"]),
        ..common::Produce::default()
    });
    assert_eq!(
        delete(&mut client, 2, &[(TOPIC, 0, 1)])[0].3,
        ErrorCode::OFFSET_OUT_OF_RANGE
    );
    assert_eq!(delete(&mut client, 2, &[(TOPIC, 0, -1)]), [done(0, 0)]);
}
