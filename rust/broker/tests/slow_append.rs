//! Appends of a partition whose disk is slow, on a storage that is slow in its own time: a write takes as long as the
//! test says, and waits at a gate for as long as the test wants.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test that fails stops")]
#![allow(dead_code, reason = "each test binary uses its part of the common module")]

mod common;

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use barnabas_broker::Stopwatch;
use barnabas_log::FileStorage;
use barnabas_wire::api;
use barnabas_wire::messages::Records;
use barnabas_wire::messages::produce::{PartitionProduceData, ProduceRequest, ProduceResponse, TopicProduceData};
use barnabas_wire::primitives::Reader;

use common::gate::{Gate, Gated, GatedStorage};
use common::{Client, Fetch, Fixture, Produce, TOPIC, TOPIC_ID, batch, until};

const SLOW: Duration = Duration::from_millis(2);
const FAST: Duration = Duration::from_micros(1999);

/// A broker whose appends are slow from 2 ms of the gate's time on.
fn start() -> (Fixture, Arc<Gate>) {
    let gate = Arc::<Gate>::default();
    let stopwatch: Stopwatch = {
        let gate = Arc::clone(&gate);
        Arc::new(move || gate.now())
    };
    let options = [("barnabas.slow.append.us", "2000")];
    let fixture = Fixture::on(&options, &[], GatedStorage::of(&gate, Gated::Writes), stopwatch);
    (fixture, gate)
}

fn send_produce(client: &mut Client, acks: i16, partition: i32, value: &[u8]) {
    let request = Produce {
        acks,
        partition,
        records: &batch(&[value]),
        ..Produce::default()
    };
    client.send(api::PRODUCE, 9, &request.encode());
}

/// Correlation id, partition, error code and base offset of the next answer.
fn receive_produce(client: &mut Client) -> (i32, i32, i16, i64) {
    let frame = client.receive_frame();
    let correlation_id = i32::from_be_bytes(frame[..4].try_into().unwrap());
    let (_, body) = barnabas_wire::header::decode_response_header(&frame, api::PRODUCE, 9).unwrap();
    let response = ProduceResponse::decode(&mut Reader::new(body), 9).unwrap();
    let partition = &response.responses[0].partition_responses[0];
    (
        correlation_id,
        partition.index,
        partition.error_code,
        partition.base_offset,
    )
}

fn values(client: &mut Client, partition: i32) -> Vec<String> {
    let fetch = Fetch {
        partitions: vec![(partition, 0)],
        ..Fetch::default()
    };
    let fetched = client.fetch(&fetch);
    let values = fetched[0].values();
    values
        .into_iter()
        .map(|(_, value)| String::from_utf8(value).unwrap())
        .collect()
}

#[test]
fn a_slow_partition_is_appended_to_by_helpers_and_holds_up_no_other_connection_or_partition() {
    let (fixture, gate) = start();
    let (mut slow, mut other) = (fixture.connect(), fixture.connect());
    gate.set(SLOW, false);
    assert_eq!(slow.produce(0, &batch(&[b"first"])), (0, 0));
    assert_eq!(
        gate.take_threads(),
        ["barnabas-net-"],
        "only the append after a slow one moves"
    );
    assert_eq!(fixture.node.metrics()["partitions_slowed"], 1);

    gate.set(FAST, true);
    // Three requests on one connection: the second and third must wait for the first.
    send_produce(&mut slow, -1, 0, b"second");
    send_produce(&mut slow, -1, 0, b"third");
    send_produce(&mut slow, -1, 1, b"behind");
    until(|| gate.waiting() == 1);
    // The helper is stuck in the kernel. The reactor is not, and neither is the flush or read of anything else.
    for round in 0..20 {
        assert_eq!(other.produce(2, &batch(&[b"other"])), (0, round));
    }
    assert_eq!(values(&mut other, 0), ["first"], "readers never wait for an append");
    assert_eq!(
        values(&mut other, 1),
        [""; 0],
        "a connection's requests keep their order"
    );
    let mut third = fixture.connect();
    send_produce(&mut third, -1, 0, b"another connection's");
    fixture.until("appends_on_helpers", 2);
    assert_eq!(gate.waiting(), 1, "a lane takes one helper at a time");
    assert_eq!(other.produce(1, &batch(&[b"other"])), (0, 0));

    gate.set(FAST, false);
    assert_eq!(receive_produce(&mut slow), (2, 0, 0, 1));
    let (_, _, error, third_offset) = receive_produce(&mut third);
    let (correlation_id, partition, _, offset) = receive_produce(&mut slow);
    assert_eq!((correlation_id, partition, error), (3, 0, 0));
    let mut offsets = [third_offset, offset];
    offsets.sort_unstable();
    assert_eq!(offsets, [2, 3]);
    assert_eq!(receive_produce(&mut slow), (4, 1, 0, 1));
    assert_eq!(gate.take_threads(), ["barnabas-append-"; 3]);
    assert_eq!(values(&mut other, 1), ["other", "behind"]);

    // Fast again: after many fast appends in a row the reactor appends.
    let on_helpers = || fixture.node.metrics()["appends_on_helpers"];
    until(|| {
        assert_eq!(slow.produce(0, &batch(&[b"more"])).0, 0);
        gate.take_threads() == ["barnabas-net-"]
    });
    let count = on_helpers();
    assert!(count >= 64, "{count}");
    for _ in 0..10 {
        slow.produce(0, &batch(&[b"more"]));
    }
    assert_eq!(on_helpers(), count);
}

#[test]
fn one_request_for_slow_and_fast_partitions_is_answered_whole() {
    let (fixture, gate) = start();
    let mut client = fixture.connect();
    gate.set(SLOW, false);
    client.produce(0, &batch(&[b"makes it slow"]));
    gate.set(SLOW, true);
    let batches = [batch(&[b"a"]), batch(&[b"b"]), batch(&[b"c"])];
    let data = |index: i32| PartitionProduceData {
        index,
        records: Records::Bytes(&batches[usize::try_from(index).unwrap()]),
    };
    let request = ProduceRequest {
        transactional_id: None,
        acks: 1,
        timeout_ms: 1000,
        topic_data: vec![TopicProduceData {
            name: TOPIC,
            topic_id: TOPIC_ID,
            partition_data: vec![data(2), data(0), data(1)],
        }],
    };
    client.send(api::PRODUCE, 9, &request.to_bytes(9).unwrap());
    until(|| gate.waiting() == 1);
    let mut other = fixture.connect();
    assert_eq!(values(&mut other, 2), ["c"]);
    assert_eq!(values(&mut other, 1), ["b"]);
    gate.set(SLOW, false);
    let body = client.receive(api::PRODUCE, 9);
    let response = ProduceResponse::decode(&mut Reader::new(&body), 9).unwrap();
    let answers: Vec<_> = response.responses[0]
        .partition_responses
        .iter()
        .map(|answer| (answer.index, answer.error_code, answer.base_offset))
        .collect();
    assert_eq!(answers, [(2, 0, 0), (0, 0, 1), (1, 0, 0)]);
}

#[test]
fn without_acknowledgement_the_next_request_still_waits_for_the_helper() {
    let (fixture, gate) = start();
    let mut client = fixture.connect();
    gate.set(SLOW, false);
    client.produce(0, &batch(&[b"makes it slow"]));
    gate.set(SLOW, true);
    send_produce(&mut client, 0, 0, b"silent");
    send_produce(&mut client, 1, 1, b"after");
    until(|| gate.waiting() == 1);
    let mut other = fixture.connect();
    assert_eq!(values(&mut other, 1), [""; 0]);
    gate.set(SLOW, false);
    assert_eq!(receive_produce(&mut client), (3, 1, 0, 0));
    assert_eq!(values(&mut client, 0), ["makes it slow", "silent"]);
}

#[test]
fn what_a_helper_appends_stays_when_the_connection_goes_or_the_broker_stops() {
    let (fixture, gate) = start();
    let mut client = fixture.connect();
    gate.set(SLOW, false);
    client.produce(0, &batch(&[b"makes it slow"]));
    gate.set(SLOW, true);
    send_produce(&mut client, -1, 0, b"of a connection that goes");
    until(|| gate.waiting() == 1);
    drop(client);
    let mut client = fixture.connect();
    send_produce(&mut client, -1, 0, b"while the broker stops");
    fixture.until("appends_on_helpers", 2);
    std::thread::scope(|scope| {
        let stopping = scope.spawn(|| fixture.node.stop(common::PATIENCE));
        gate.set(FAST, false);
        assert_eq!(receive_produce(&mut client), (1, 0, 0, 2));
        assert!(stopping.join().unwrap());
    });
    let fixture = fixture.restart(&[]);
    let expected = ["makes it slow", "of a connection that goes", "while the broker stops"];
    assert_eq!(values(&mut fixture.connect(), 0), expected);
}

#[test]
fn large_batches_reach_the_log_whole_with_their_buffer_or_as_a_copy() {
    // By this clock everything is slow.
    let looks = AtomicU32::new(0);
    let stopwatch: Stopwatch = Arc::new(move || SLOW * looks.fetch_add(1, Ordering::Relaxed));
    let options = [("barnabas.slow.append.us", "2000")];
    let fixture = Fixture::on(&options, &[], Arc::new(FileStorage), stopwatch);
    let mut client = fixture.connect();
    for partition in [0, 1] {
        client.produce(partition, &batch(&[b"makes it slow"]));
    }
    let value = |(name, len): (u8, usize)| vec![name; len];
    let text = |of: (u8, usize)| String::from_utf8(value(of)).unwrap();
    // One behind the other, so that each is read while the one before is executed.
    let single = [
        (b'a', 100_000),
        (b'b', 40_000),
        (b'c', 3),
        (b'd', 200_000),
        (b'e', 32_768),
    ];
    for of in single {
        send_produce(&mut client, -1, 0, &value(of));
    }
    let answers: Vec<_> = single.iter().map(|_| receive_produce(&mut client)).collect();
    let expected: Vec<_> = (1..=5).map(|offset| (2 + offset, 0, 0, i64::from(offset))).collect();
    assert_eq!(answers, expected);
    // Of two in one request only the larger can have the buffer.
    let both = [(b'f', 150_000), (b'g', 160_000)];
    let batches = both.map(|of| batch(&[&value(of)]));
    let data = |index: i32| PartitionProduceData {
        index,
        records: Records::Bytes(&batches[usize::try_from(index).unwrap()]),
    };
    let request = ProduceRequest {
        transactional_id: None,
        acks: -1,
        timeout_ms: 1000,
        topic_data: vec![TopicProduceData {
            name: TOPIC,
            topic_id: TOPIC_ID,
            partition_data: vec![data(0), data(1)],
        }],
    };
    client.send(api::PRODUCE, 9, &request.to_bytes(9).unwrap());
    assert_eq!(receive_produce(&mut client), (8, 0, 0, 6));
    let slow = "makes it slow".to_owned();
    let stored = [slow.clone()]
        .into_iter()
        .chain(single.map(text))
        .chain([text(both[0])]);
    assert_eq!(values(&mut client, 0), stored.collect::<Vec<_>>());
    assert_eq!(values(&mut client, 1), [slow, text(both[1])]);
    assert_eq!(fixture.node.metrics()["appends_on_helpers"], 7);
}
