//! Fetch sessions over loopback, by the rules of KIP-227 and Kafka's `FetchManager`.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test that fails stops")]
#![allow(dead_code, reason = "each test binary uses its part of the common module")]

mod common;

use barnabas_broker::Change;
use barnabas_wire::api;
use barnabas_wire::errors::ErrorCode;
use barnabas_wire::messages::fetch::{FetchPartition, FetchRequest, FetchResponse, FetchTopic, ForgottenTopic};
use barnabas_wire::primitives::{Reader, Writer};

use common::{Client, Fixture, TOPIC, TOPIC_ID, batch, topic_change};

const OTHER: &str = "trains";
const OTHER_ID: [u8; 16] = [8; 16];

/// A fetch that belongs to a session.
#[derive(Clone)]
struct Ask {
    version: i16,
    id: i32,
    epoch: i32,
    max_wait_ms: i32,
    max_bytes: i32,
    /// Topic, its id, partition, offset.
    partitions: Vec<(&'static str, [u8; 16], i32, i64)>,
    forget: Vec<(&'static str, [u8; 16], i32)>,
    replica_id: i32,
}

impl Ask {
    fn new(id: i32, epoch: i32) -> Self {
        Self {
            version: 12,
            id,
            epoch,
            max_wait_ms: 0,
            max_bytes: 1 << 20,
            partitions: Vec::new(),
            forget: Vec::new(),
            replica_id: -1,
        }
    }

    fn with(mut self, partitions: &[(i32, i64)]) -> Self {
        self.partitions.extend(
            partitions
                .iter()
                .map(|(partition, offset)| (TOPIC, TOPIC_ID, *partition, *offset)),
        );
        self
    }

    fn version(self, version: i16) -> Self {
        Self { version, ..self }
    }

    fn encode(&self) -> Vec<u8> {
        let topics = self
            .partitions
            .iter()
            .map(|(topic, topic_id, partition, offset)| FetchTopic {
                topic,
                topic_id: *topic_id,
                partitions: vec![FetchPartition {
                    partition: *partition,
                    fetch_offset: *offset,
                    partition_max_bytes: 1 << 20,
                    ..FetchPartition::default()
                }],
            });
        let forgotten = self.forget.iter().map(|(topic, topic_id, partition)| ForgottenTopic {
            topic,
            topic_id: *topic_id,
            partitions: vec![*partition],
        });
        let request = FetchRequest {
            replica_id: self.replica_id,
            max_wait_ms: self.max_wait_ms,
            min_bytes: 1,
            max_bytes: self.max_bytes,
            session_id: self.id,
            session_epoch: self.epoch,
            topics: topics.collect(),
            forgotten_topics_data: forgotten.collect(),
            ..FetchRequest::default()
        };
        let mut writer = Writer::new();
        request.encode(&mut writer, self.version).unwrap();
        writer.into_bytes()
    }
}

/// What came back: error, session, and per partition its topic, number, error, high watermark and whether it has records.
#[derive(Debug, PartialEq, Eq)]
struct Told {
    error: ErrorCode,
    id: i32,
    partitions: Vec<(String, i32, ErrorCode, i64, bool)>,
}

fn receive(client: &mut Client, version: i16) -> Told {
    let body = client.receive(api::FETCH, version);
    let mut reader = Reader::new(&body);
    let response = FetchResponse::decode(&mut reader, version).unwrap();
    reader.finish().unwrap();
    let mut partitions = Vec::new();
    for topic in &response.responses {
        let name = match topic.topic_id {
            TOPIC_ID => TOPIC,
            OTHER_ID => OTHER,
            _ => topic.topic,
        };
        for data in &topic.partitions {
            partitions.push((
                name.to_owned(),
                data.partition_index,
                ErrorCode(data.error_code),
                data.high_watermark,
                !data.records.is_empty(),
            ));
        }
    }
    Told {
        error: ErrorCode(response.error_code),
        id: response.session_id,
        partitions,
    }
}

fn ask(client: &mut Client, ask: &Ask) -> Told {
    client.send(api::FETCH, ask.version, &ask.encode());
    receive(client, ask.version)
}

fn told(partition: i32, high_watermark: i64, has_records: bool) -> (String, i32, ErrorCode, i64, bool) {
    (
        TOPIC.to_owned(),
        partition,
        ErrorCode::NONE,
        high_watermark,
        has_records,
    )
}

fn refused(error: ErrorCode) -> Told {
    Told {
        error,
        id: 0,
        partitions: Vec::new(),
    }
}

#[test]
fn only_what_is_new_is_asked_and_told() {
    let fixture = Fixture::start();
    let mut client = fixture.connect();
    client.produce(1, &batch(&[b"a"]));
    let first = ask(&mut client, &Ask::new(0, 0).with(&[(0, 0), (1, 0), (2, 0)]));
    assert_eq!(
        first.partitions,
        [told(0, 0, false), told(1, 1, true), told(2, 0, false)]
    );
    let id = first.id;
    assert!(id > 0);
    // The same partitions at their offsets: the one with records again, and only that one.
    assert_eq!(ask(&mut client, &Ask::new(id, 1)).partitions, [told(1, 1, true)]);
    // Its offset moves on: nothing to tell.
    assert_eq!(ask(&mut client, &Ask::new(id, 2).with(&[(1, 1)])).partitions, []);
    client.produce(0, &batch(&[b"b"]));
    assert_eq!(ask(&mut client, &Ask::new(id, 3)).partitions, [told(0, 1, true)]);
    let mut forget = Ask::new(id, 4);
    forget.forget.push((TOPIC, TOPIC_ID, 0));
    assert_eq!(ask(&mut client, &forget).partitions, []);
    // It comes anew, with its high watermark, though it has no records there.
    assert_eq!(
        ask(&mut client, &Ask::new(id, 5).with(&[(0, 1)])).partitions,
        [told(0, 1, false)]
    );
    assert_eq!(fixture.node.metrics()["fetch_sessions"], 1);
    assert_eq!(fixture.node.metrics()["fetch_session_partitions"], 3);
}

#[test]
fn a_parked_fetch_of_a_session_is_woken_and_tells_one_partition() {
    let fixture = Fixture::start();
    let mut client = fixture.connect();
    let id = ask(&mut client, &Ask::new(0, 0).with(&[(0, 0), (1, 0), (2, 0)])).id;
    let mut wait = Ask::new(id, 1);
    wait.max_wait_ms = 1_000_000;
    client.send(api::FETCH, wait.version, &wait.encode());
    fixture.until("fetches_parked", 1);
    fixture.connect().produce(2, &batch(&[b"wake"]));
    assert_eq!(receive(&mut client, wait.version).partitions, [told(2, 1, true)]);
}

#[test]
fn ids_and_epochs_are_checked() {
    let fixture = Fixture::start();
    let mut client = fixture.connect();
    let id = ask(&mut client, &Ask::new(0, 0).with(&[(0, 0)])).id;
    for version in [7, 12] {
        let unknown = ask(&mut client, &Ask::new(id + 1, 1).version(version));
        assert_eq!(unknown, refused(ErrorCode::FETCH_SESSION_ID_NOT_FOUND));
    }
    for epoch in [2, 7, i32::MAX, -2] {
        let wrong = ask(&mut client, &Ask::new(id, epoch));
        assert_eq!(wrong, refused(ErrorCode::INVALID_FETCH_SESSION_EPOCH), "epoch {epoch}");
    }
    assert_eq!(
        ask(&mut client, &Ask::new(id, 1).version(13)),
        refused(ErrorCode::FETCH_SESSION_TOPIC_ID_ERROR)
    );
    // None of these has changed the session.
    assert_eq!(ask(&mut client, &Ask::new(id, 1)).id, id);
    assert_eq!(
        ask(&mut client, &Ask::new(id, 1)),
        refused(ErrorCode::INVALID_FETCH_SESSION_EPOCH)
    );
    // Kafka's index of caches ends before these.
    for (id, version) in [(i32::MIN, 12), (i32::MAX, 12), (i32::MAX, 13)] {
        let told = ask(&mut client, &Ask::new(id, 1).with(&[(0, 0)]).version(version));
        assert_eq!((told.error, told.id), (ErrorCode::UNKNOWN_SERVER_ERROR, id));
        assert_eq!(told.partitions.len(), usize::from(version < 13));
    }
}

#[test]
fn a_full_fetch_ends_the_session_that_it_names() {
    let fixture = Fixture::start();
    let mut client = fixture.connect();
    let first = ask(&mut client, &Ask::new(0, 0).with(&[(0, 0)])).id;
    let second = ask(&mut client, &Ask::new(first, 0).with(&[(0, 0)])).id;
    assert!(second > 0 && second != first);
    assert_eq!(
        ask(&mut client, &Ask::new(first, 1)),
        refused(ErrorCode::FETCH_SESSION_ID_NOT_FOUND)
    );
    // The final epoch ends it and begins none; its partitions are read all the same.
    let last = ask(&mut client, &Ask::new(second, -1).with(&[(0, 0)]));
    assert_eq!((last.id, last.partitions.len()), (0, 1));
    assert_eq!(fixture.node.metrics()["fetch_sessions"], 0);
    // A session whose last partition is forgotten ends as well.
    let third = ask(&mut client, &Ask::new(0, 0).with(&[(0, 0)])).id;
    let mut forget = Ask::new(third, 1);
    forget.forget.push((TOPIC, TOPIC_ID, 0));
    assert_eq!(ask(&mut client, &forget), refused(ErrorCode::NONE));
    assert_eq!(fixture.node.metrics()["fetch_sessions"], 0);
}

#[test]
fn partitions_that_send_records_go_to_the_end_of_the_line() {
    let fixture = Fixture::start();
    let mut client = fixture.connect();
    let large = batch(&[&[b'x'; 2000]]);
    for partition in 0..3 {
        for _ in 0..3 {
            client.produce(partition, &large);
        }
    }
    let mut first = Ask::new(0, 0).with(&[(0, 0), (1, 0), (2, 0)]);
    first.max_bytes = 1;
    let id = ask(&mut client, &first).id;
    let mut order = Vec::new();
    for epoch in 1..=6 {
        let mut next = Ask::new(id, epoch);
        next.max_bytes = 1;
        let answer = ask(&mut client, &next);
        order.extend(answer.partitions.iter().filter(|told| told.4).map(|told| told.1));
    }
    assert_eq!(order, [0, 1, 2, 0, 1, 2]);
}

#[test]
fn errors_are_told_each_time_and_the_partition_again_when_they_have_gone() {
    let fixture = Fixture::start();
    let mut client = fixture.connect();
    client.produce(0, &batch(&[b"a"]));
    let mut first = Ask::new(0, 0).with(&[(0, 5)]);
    first.partitions.push(("nothing", [0; 16], 0, 0));
    let answer = ask(&mut client, &first);
    let bad = (TOPIC.to_owned(), 0, ErrorCode::OFFSET_OUT_OF_RANGE, -1, false);
    let unknown = (
        "nothing".to_owned(),
        0,
        ErrorCode::UNKNOWN_TOPIC_OR_PARTITION,
        -1,
        false,
    );
    assert_eq!(answer.partitions, [bad.clone(), unknown.clone()]);
    let id = answer.id;
    assert_eq!(ask(&mut client, &Ask::new(id, 1)).partitions, [bad, unknown.clone()]);
    assert_eq!(
        ask(&mut client, &Ask::new(id, 2).with(&[(0, 1)])).partitions,
        [told(0, 1, false), unknown.clone()]
    );
    assert_eq!(ask(&mut client, &Ask::new(id, 3)).partitions, [unknown]);
}

#[test]
fn topic_ids_of_a_session_are_resolved_once_and_held_against_the_log() {
    let fixture = Fixture::start();
    let mut client = fixture.connect();
    let mut first = Ask::new(0, 0).version(13);
    first.partitions.push((OTHER, OTHER_ID, 0, 0));
    first.partitions.push((TOPIC, TOPIC_ID, 0, 0));
    let answer = ask(&mut client, &first);
    let other = |error, high_watermark| (OTHER.to_owned(), 0, error, high_watermark, false);
    // What is not known is told behind the rest.
    assert_eq!(
        answer.partitions,
        [told(0, 0, false), other(ErrorCode::UNKNOWN_TOPIC_ID, -1)]
    );
    let id = answer.id;
    let publish = |change, offset| fixture.node.publish(vec![change], offset, 1).unwrap();
    publish(Change::Topic(topic_change(OTHER, OTHER_ID, 1, 0)), 11);
    assert_eq!(
        ask(&mut client, &Ask::new(id, 1).version(13)).partitions,
        [other(ErrorCode::NONE, 0)]
    );
    publish(Change::RemoveTopic { topic_id: OTHER_ID }, 12);
    assert_eq!(
        ask(&mut client, &Ask::new(id, 2).version(13)).partitions,
        [other(ErrorCode::UNKNOWN_TOPIC_OR_PARTITION, -1)]
    );
    publish(Change::Topic(topic_change(OTHER, [9; 16], 1, 0)), 13);
    assert_eq!(
        ask(&mut client, &Ask::new(id, 3).version(13)).partitions,
        [other(ErrorCode::INCONSISTENT_TOPIC_ID, -1)]
    );
    assert_eq!(
        ask(&mut client, &Ask::new(id, 4)),
        refused(ErrorCode::FETCH_SESSION_TOPIC_ID_ERROR)
    );
}

#[test]
fn without_a_slot_the_fetch_is_answered_whole_and_followers_go_first() {
    for slots in ["0", "1"] {
        let fixture = Fixture::with(&[("max.incremental.fetch.session.cache.slots", slots)], &[]);
        let mut client = fixture.connect();
        let first = ask(&mut client, &Ask::new(0, 0).with(&[(0, 0)]));
        assert_eq!((first.id > 0, first.partitions.len()), (slots == "1", 1));
        // More partitions are no reason to take the place of a session that is young.
        let second = ask(&mut client, &Ask::new(0, 0).with(&[(0, 0), (1, 0)]));
        assert_eq!((second.id, second.partitions.len()), (0, 2));
        // A follower's takes it. The broker has no followers, and says so to those who claim to be one.
        let mut follower = Ask::new(0, 0).with(&[(0, 0)]);
        follower.replica_id = 7;
        let third = ask(&mut client, &follower);
        assert_eq!(third.id > 0, slots == "1");
        assert_eq!(third.partitions[0].2, ErrorCode::NOT_LEADER_OR_FOLLOWER);
        assert_eq!(
            fixture.node.metrics()["fetch_sessions_evicted"],
            u64::from(slots == "1")
        );
    }
}

#[test]
fn a_partition_that_is_named_twice_is_read_once_as_named_last() {
    let fixture = Fixture::start();
    let mut client = fixture.connect();
    client.produce(0, &batch(&[b"a"]));
    let answer = ask(&mut client, &Ask::new(0, -1).with(&[(0, 0), (1, 0), (0, 1)]));
    assert_eq!(answer.partitions, [told(0, 1, false), told(1, 0, false)]);
}
