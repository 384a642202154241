//! Requests that wait: fetches for records, acknowledgements for replicas and flushes, both for what becomes of the partition.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test that fails stops")]
#![allow(dead_code, reason = "each test binary uses its part of the common module")]

mod common;

use std::time::{Duration, Instant};

use barnabas_broker::Change;
use barnabas_wire::api;
use barnabas_wire::errors::ErrorCode;

use common::{Fetch, Fixture, PATIENCE, Produce, TOPIC, TOPIC_ID, batch, partition_state, topic_change};

fn error(code: ErrorCode) -> i16 {
    code.code()
}

#[test]
fn a_parked_fetch_is_woken_by_the_append() {
    let fixture = Fixture::start();
    let mut consumer = fixture.connect();
    let fetch = Fetch {
        max_wait_ms: 1_000_000,
        partitions: vec![(1, 0), (0, 0)],
        ..Fetch::default()
    };
    consumer.send(api::FETCH, fetch.version, &fetch.encode());
    fixture.until("fetches_parked", 1);
    fixture.connect().produce(0, &batch(&[b"wake"]));
    let answers = consumer.receive_fetch(fetch.version);
    assert_eq!(answers[0].values(), []);
    assert_eq!(answers[1].values(), [(0, b"wake".to_vec())]);
    assert_eq!(fixture.node.metrics()["fetches_parked"], 0);
}

#[test]
fn a_parked_fetch_waits_for_min_bytes_over_its_partitions() {
    let fixture = Fixture::start();
    let mut consumer = fixture.connect();
    let one = batch(&[&[b'x'; 1000]]);
    let min_bytes = i32::try_from(one.len()).unwrap() * 3;
    let fetch = Fetch {
        min_bytes,
        max_wait_ms: 1_000_000,
        partitions: vec![(0, 0), (1, 0), (2, 0)],
        ..Fetch::default()
    };
    consumer.send(api::FETCH, fetch.version, &fetch.encode());
    fixture.until("fetches_parked", 1);
    let mut producer = fixture.connect();
    producer.produce(0, &one);
    producer.produce(1, &one);
    assert_eq!(fixture.node.metrics()["fetches_parked"], 1);
    producer.produce(2, &one);
    let answers = consumer.receive_fetch(fetch.version);
    assert!(answers.iter().all(|answer| answer.values().len() == 1));
}

#[test]
fn a_parked_fetch_ends_at_its_deadline_or_with_its_connection() {
    let fixture = Fixture::start();
    let mut consumer = fixture.connect();
    let begin = Instant::now();
    let answers = consumer.fetch(&Fetch {
        max_wait_ms: 60,
        ..Fetch::default()
    });
    assert!(begin.elapsed() >= Duration::from_millis(55));
    assert_eq!(
        (
            answers[0].error_code,
            answers[0].high_watermark,
            answers[0].records.len()
        ),
        (0, 0, 0)
    );
    let fetch = Fetch {
        max_wait_ms: 1_000_000,
        ..Fetch::default()
    };
    consumer.send(api::FETCH, fetch.version, &fetch.encode());
    fixture.until("fetches_parked", 1);
    drop(consumer);
    common::until(|| fixture.node.metrics()["fetches_parked"] == 0);
}

#[test]
fn a_deleted_topic_wakes_its_readers_and_its_successor_starts_empty() {
    let fixture = Fixture::start();
    let mut consumer = fixture.connect();
    let mut producer = fixture.connect();
    producer.produce(0, &batch(&[b"old"]));
    let fetch = Fetch {
        max_wait_ms: 1_000_000,
        partitions: vec![(0, 1)],
        ..Fetch::default()
    };
    consumer.send(api::FETCH, fetch.version, &fetch.encode());
    fixture.until("fetches_parked", 1);
    fixture
        .node
        .publish(vec![Change::RemoveTopic { topic_id: TOPIC_ID }], 11, 1)
        .unwrap();
    assert_eq!(
        consumer.receive_fetch(fetch.version)[0].error_code,
        error(ErrorCode::NOT_LEADER_OR_FOLLOWER)
    );
    assert_eq!(
        producer.produce(0, &batch(&[b"lost"])).0,
        error(ErrorCode::UNKNOWN_TOPIC_OR_PARTITION)
    );
    fixture
        .node
        .publish(vec![Change::Topic(topic_change(TOPIC, [8; 16], 1, 0))], 12, 1)
        .unwrap();
    assert_eq!(producer.produce(0, &batch(&[b"new"])), (0, 0));
    assert_eq!(consumer.fetch(&Fetch::default())[0].values(), [(0, b"new".to_vec())]);
    let by_old_id = consumer.fetch(&Fetch {
        version: 13,
        ..Fetch::default()
    });
    assert_eq!(by_old_id[0].error_code, error(ErrorCode::UNKNOWN_TOPIC_ID));
}

#[test]
fn a_new_leader_epoch_wakes_and_fences_readers() {
    let fixture = Fixture::start();
    let mut consumer = fixture.connect();
    let fetch = Fetch {
        max_wait_ms: 1_000_000,
        leader_epoch: 5,
        ..Fetch::default()
    };
    consumer.send(api::FETCH, fetch.version, &fetch.encode());
    fixture.until("fetches_parked", 1);
    let mut change = topic_change(TOPIC, TOPIC_ID, 3, 5);
    change.partitions[0] = partition_state(0, 6);
    fixture.node.publish(vec![Change::Topic(change)], 11, 1).unwrap();
    assert_eq!(
        consumer.receive_fetch(fetch.version)[0].error_code,
        error(ErrorCode::FENCED_LEADER_EPOCH)
    );
}

#[test]
fn records_that_are_not_replicated_are_neither_acknowledged_nor_seen() {
    let fixture = Fixture::start();
    let mut change = topic_change(TOPIC, TOPIC_ID, 3, 6);
    change.partitions[0].replicas = vec![1, 2];
    change.partitions[0].isr = vec![1, 2];
    fixture
        .node
        .publish(vec![Change::Topic(change.clone())], 11, 1)
        .unwrap();
    let mut client = fixture.connect();
    let records = batch(&[b"a"]);
    let timed_out = client.produce(0, &records);
    assert_eq!(timed_out, (error(ErrorCode::REQUEST_TIMED_OUT), -1));
    let by_leader = client.produce_with(&Produce {
        acks: 1,
        records: &records,
        ..Produce::default()
    });
    assert_eq!((by_leader.error_code, by_leader.base_offset), (0, 1));
    assert_eq!(client.fetch(&Fetch::default())[0].records.len(), 0);
    // Both are committed once this broker is alone in the in-sync set, and an open request is acknowledged.
    let mut waiting = fixture.connect();
    let open = Produce {
        records: &records,
        ..Produce::default()
    };
    waiting.send(api::PRODUCE, open.version, &open.encode());
    fixture.until("produce_requests", 3);
    change.partitions[0].isr = vec![1];
    fixture.node.publish(vec![Change::Topic(change)], 12, 1).unwrap();
    let body = waiting.receive(api::PRODUCE, open.version);
    assert!(body.windows(8).any(|window| window == 2_i64.to_be_bytes()));
    assert_eq!(client.fetch(&Fetch::default())[0].values().len(), 3);
}

#[test]
fn too_few_in_sync_replicas_refuse_acks_all() {
    let fixture = Fixture::with(&[], &[("min.insync.replicas", "2")]);
    let mut client = fixture.connect();
    let records = batch(&[b"a"]);
    // More in-sync replicas than replicas cannot be asked for.
    assert_eq!(client.produce(0, &records), (0, 0));
    let mut change = barnabas_broker::TopicChange {
        options: common::options(&[("min.insync.replicas", "2")]),
        ..topic_change(TOPIC, TOPIC_ID, 3, 5)
    };
    change.partitions[0].replicas = vec![1, 2];
    fixture.node.publish(vec![Change::Topic(change)], 11, 1).unwrap();
    assert_eq!(client.produce(0, &records), (error(ErrorCode::NOT_ENOUGH_REPLICAS), -1));
    let by_leader = client.produce_with(&Produce {
        acks: 1,
        records: &records,
        ..Produce::default()
    });
    assert_eq!(by_leader.error_code, 0);
}

#[test]
fn an_acknowledgement_waits_for_the_flush_that_is_due() {
    let fixture = Fixture::with(&[], &[("flush.messages", "1")]);
    let mut client = fixture.connect();
    let before = fixture.node.metrics()["flushes"];
    for i in 0..5 {
        assert_eq!(client.produce(0, &batch(&[b"a"])), (0, i));
    }
    assert_eq!(fixture.node.metrics()["flushes"], before + 5);
    assert!(fixture.node.stop(PATIENCE));
}
