//! The control queue and the control plane's calls against a real broker.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that fails stops"
)]
#![allow(dead_code, reason = "each test binary uses its part of the common module")]

mod common;

use std::io::Write;
use std::time::Duration;

use barnabas_broker::{ApiRequest, BrokerError, Change, Event, METADATA_TOPIC, Node, PartitionInfo, WatchKind};
use barnabas_records::BatchIter;
use barnabas_wire::api;
use barnabas_wire::errors::ErrorCode;

use common::{Fixture, PATIENCE, TOPIC, TOPIC_ID, batch, topic_change};

fn request(fixture: &Fixture) -> ApiRequest {
    match fixture.event() {
        Event::Request(request) => request,
        other => panic!("expected a request, not {other:?}"),
    }
}

#[test]
fn a_request_is_pulled_answered_and_its_connection_reported() {
    let fixture = Fixture::start();
    let before = fixture.node.now_ms();
    let mut client = fixture.connect();
    client.send(api::JOIN_GROUP, 9, b"\0body");
    let event = request(&fixture);
    assert!(event.stamp_ms >= before && event.stamp_ms <= fixture.node.now_ms());
    assert_eq!((event.api_key, event.api_version), (api::JOIN_GROUP, 9));
    assert_eq!(
        (event.client_id.as_deref(), &*event.peer.listener),
        (Some("test"), "PLAINTEXT")
    );
    assert_eq!(
        (event.peer.host.as_str(), event.body.as_slice()),
        ("127.0.0.1", b"\0body".as_slice())
    );
    fixture.node.respond(event.token, b"answer", Duration::ZERO, 0);
    assert_eq!(client.receive(api::JOIN_GROUP, 9), b"answer");
    let id = event.peer.connection_id;
    drop(client);
    assert!(matches!(fixture.event(), Event::Closed { connection_id, .. } if connection_id == id));
    // Answers that come too late, or twice, are dropped.
    fixture.node.respond(event.token, b"answer", Duration::ZERO, 0);
    fixture.node.respond(12_345, b"answer", Duration::ZERO, 0);
}

#[test]
fn a_throttled_answer_mutes_its_connection() {
    let fixture = Fixture::start();
    let mut client = fixture.connect();
    client.send(api::JOIN_GROUP, 0, b"");
    fixture.node.respond(request(&fixture).token, b"", Duration::ZERO, 60);
    client.receive(api::JOIN_GROUP, 0);
    let begin = std::time::Instant::now();
    assert_eq!(client.produce(0, &batch(&[b"a"])).0, 0);
    assert!(begin.elapsed() >= Duration::from_millis(40));
}

#[test]
fn requests_over_the_limit_wait_outside_and_produce_goes_on() {
    let fixture = Fixture::with(&[("queued.max.requests", "2")], &[]);
    let mut clients: Vec<_> = (0..6).map(|_| fixture.connect()).collect();
    for client in &mut clients {
        client.send(api::JOIN_GROUP, 0, b"");
    }
    fixture.until("control_requests", 6);
    assert_eq!(fixture.node.metrics()["control_requests_queued"], 2);
    assert_eq!(fixture.connect().produce(0, &batch(&[b"a"])).0, 0);
    let mut tokens = Vec::new();
    while tokens.len() < 6 {
        let events = fixture.node.pull(PATIENCE, 100).unwrap();
        assert!(events.len() <= 2);
        tokens.extend(events.into_iter().filter_map(|event| match event {
            Event::Request(request) => Some(request.token),
            _ => None,
        }));
    }
    let mut unique = tokens.clone();
    unique.dedup();
    assert_eq!(unique.len(), 6);
    for token in tokens {
        fixture.node.respond(token, b"ok", Duration::ZERO, 0);
    }
    for client in &mut clients {
        assert_eq!(client.receive(api::JOIN_GROUP, 0), b"ok");
    }
    // One that goes while it waits outside leaves nothing behind.
    for client in &mut clients {
        client.send(api::JOIN_GROUP, 0, b"");
    }
    fixture.until("control_requests", 12);
    drop(clients);
    common::until(|| fixture.node.metrics()["control_requests_pending"] == 0);
}

fn append(node: &Node, topic: &str, epoch: i32, values: &[&[u8]]) -> Result<i64, BrokerError> {
    let records: Vec<_> = values
        .iter()
        .map(|value| (Some(b"k".as_slice()), Some(*value)))
        .collect();
    node.append(topic, 0, epoch, &records, 1000)
}

fn appended(fixture: &Fixture, expected: (&str, i64)) {
    match fixture.event() {
        Event::Appended {
            topic,
            partition: 0,
            last_offset,
            error_code: 0,
            ..
        } => {
            assert_eq!((&*topic, last_offset), expected);
        }
        other => panic!("expected an append's completion, not {other:?}"),
    }
}

#[test]
fn the_metadata_log_commits_after_a_flush_and_survives() {
    let fixture = Fixture::start();
    assert_eq!(append(&fixture.node, METADATA_TOPIC, 1, &[b"a", b"b"]).unwrap(), 0);
    appended(&fixture, (METADATA_TOPIC, 1));
    assert_eq!(append(&fixture.node, METADATA_TOPIC, 1, &[b"c"]).unwrap(), 2);
    appended(&fixture, (METADATA_TOPIC, 2));
    assert_eq!(
        fixture
            .node
            .append_control(METADATA_TOPIC, 0, 2, &[(2, b"leader")], 1000)
            .unwrap(),
        3
    );
    appended(&fixture, (METADATA_TOPIC, 3));
    assert!(fixture.node.metrics()["flushes"] >= 3);
    let stale = append(&fixture.node, METADATA_TOPIC, 1, &[b"d"]).unwrap_err();
    assert_eq!(stale.code(), Some(ErrorCode::FENCED_LEADER_EPOCH));
    let info = PartitionInfo {
        log_start_offset: 0,
        high_watermark: 4,
        last_stable_offset: 4,
        log_end_offset: 4,
        leader_epoch: 2,
    };
    assert_eq!(fixture.node.info(METADATA_TOPIC, 0), Some(info));
    fixture.node.store("snapshot-1.bin", b"state").unwrap();
    let fixture = fixture.restart(&[]);
    assert_eq!(fixture.node.info(METADATA_TOPIC, 0), Some(info));
    assert_eq!(
        fixture.node.load("snapshot-1.bin").unwrap().as_deref(),
        Some(b"state".as_slice())
    );
    assert_eq!(fixture.node.load("nothing").unwrap(), None);
    for name in ["", "..", "../x", "a/b", ".x"] {
        assert!(fixture.node.store(name, b"").is_err(), "{name}");
    }
    let token = fixture.node.read(METADATA_TOPIC, 0, 2, 1 << 20);
    let Event::Read {
        token: read,
        error_code,
        batches,
        next_offset,
        log_end_offset,
        ..
    } = fixture.event()
    else {
        panic!("a read")
    };
    assert_eq!((read, error_code, next_offset, log_end_offset), (token, 0, 4, 4));
    let headers: Vec<_> = BatchIter::new(&batches).map(|batch| batch.unwrap().header).collect();
    let seen: Vec<_> = headers
        .iter()
        .map(|header| (header.base_offset, header.partition_leader_epoch, header.is_control()))
        .collect();
    assert_eq!(seen, [(2, 1, false), (3, 2, true)]);
}

#[test]
fn an_internal_topic_is_appended_to_and_read_by_the_control_plane() {
    let fixture = Fixture::start();
    fixture
        .node
        .publish(
            vec![Change::Topic(topic_change("__consumer_offsets", [8; 16], 1, 3))],
            11,
            1,
        )
        .unwrap();
    assert_eq!(
        append(&fixture.node, "__consumer_offsets", 3, &[b"a", b"b"]).unwrap(),
        0
    );
    appended(&fixture, ("__consumer_offsets", 1));
    for epoch in [2, 4] {
        let error = append(&fixture.node, "__consumer_offsets", epoch, &[b"x"]).unwrap_err();
        assert_eq!(error.code(), Some(ErrorCode::FENCED_LEADER_EPOCH));
    }
    let missing = append(&fixture.node, "missing", 0, &[b"x"]).unwrap_err();
    assert_eq!(missing.code(), Some(ErrorCode::NOT_LEADER_OR_FOLLOWER));
    assert!(append(&fixture.node, "__consumer_offsets", 3, &[]).is_err());
    let cases = [
        ("__consumer_offsets", 0, 0, 2),
        ("__consumer_offsets", 2, 0, 2),
        ("__consumer_offsets", 7, 1, 7),
    ];
    for (topic, offset, code, next) in cases {
        let token = fixture.node.read(topic, 0, offset, 100);
        let Event::Read {
            token: read,
            error_code,
            next_offset,
            ..
        } = fixture.event()
        else {
            panic!("a read")
        };
        assert_eq!((read, error_code, next_offset), (token, code, next));
    }
}

#[test]
fn a_watched_partition_reports_itself() {
    let fixture = Fixture::start();
    let watched = |kind, offset| {
        move |event: Event| match event {
            Event::Watched {
                topic,
                partition: 1,
                kind: found,
                offset: at,
                ..
            } => {
                assert_eq!((&*topic, found, at), (TOPIC, kind, offset));
            }
            other => panic!("expected a watch, not {other:?}"),
        }
    };
    fixture.node.watch(TOPIC, 1);
    watched(WatchKind::Ready, 0)(fixture.event());
    let mut client = fixture.connect();
    client.produce(1, &batch(&[b"a"]));
    client.produce(1, &batch(&[b"b"]));
    // One event tells of both.
    watched(WatchKind::HighWatermark, 2)(fixture.event());
    client.produce(1, &batch(&[b"c"]));
    watched(WatchKind::HighWatermark, 3)(fixture.event());
    fixture
        .node
        .publish(vec![Change::RemoveTopic { topic_id: TOPIC_ID }], 11, 1)
        .unwrap();
    watched(WatchKind::Failed, 3)(fixture.event());
    fixture
        .node
        .publish(vec![Change::Topic(topic_change(TOPIC, [8; 16], 2, 0))], 12, 1)
        .unwrap();
    watched(WatchKind::Ready, 0)(fixture.event());
}

#[test]
fn a_connection_is_closed_when_the_control_plane_says_so() {
    let fixture = Fixture::start();
    let mut client = fixture.connect();
    client.send(api::JOIN_GROUP, 0, b"");
    fixture.node.close_connection(request(&fixture).peer.connection_id);
    assert!(client.is_closed());
}

#[test]
fn stopping_answers_parked_fetches_and_ends_the_queue() {
    let fixture = Fixture::start();
    let mut parked = fixture.connect();
    let fetch = common::Fetch {
        max_wait_ms: 1_000_000,
        ..common::Fetch::default()
    };
    parked.send(api::FETCH, fetch.version, &fetch.encode());
    fixture.until("fetches_parked", 1);
    let mut joining = fixture.connect();
    joining.send(api::JOIN_GROUP, 0, b"");
    request(&fixture);
    let mut half = fixture.connect();
    half.stream.write_all(&[0, 0, 1]).unwrap();
    assert!(fixture.node.stop(PATIENCE));
    assert_eq!(parked.receive_fetch(fetch.version)[0].error_code, 0);
    assert!(parked.is_closed() && joining.is_closed() && half.is_closed());
    assert!(
        fixture
            .node
            .pull(PATIENCE, 10)
            .unwrap()
            .iter()
            .all(|event| matches!(event, Event::Closed { .. }))
    );
    let stopped = append(&fixture.node, METADATA_TOPIC, 1, &[b"x"]);
    assert!(matches!(stopped, Err(BrokerError::Stopping)));
    assert!(fixture.node.stop(PATIENCE));
}
