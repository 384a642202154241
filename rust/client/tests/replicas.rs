//! Reading from the closest replica (KIP-392), against two scripted brokers: 1 leads, 2 follows.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test that fails stops")]

mod fake;

use std::time::{Duration, Instant};

use barnabas_client::config::{ClientConfig, FetchConfig, OptionValue, Options};
use barnabas_client::{Assigned, Client, Event, Fetcher};
use barnabas_records::{BatchBuilder, Seal};
use barnabas_wire::api;
use barnabas_wire::errors::ErrorCode;
use fake::{Act, FakeBroker, Seen};

const LONG: Duration = Duration::from_secs(60);
const RACK: &str = "near";

/// A leader that sends consumers of the rack to its follower, and that follower, which has the same records.
fn cluster(follower: impl FnMut(Seen) -> Act + Send + 'static) -> (FakeBroker, FakeBroker) {
    let (leader, follower) = (FakeBroker::obedient(1), FakeBroker::start(1, follower));
    let brokers = vec![(1, leader.port), (2, follower.port)];
    for broker in [&leader, &follower] {
        broker.state.lock().unwrap().brokers.clone_from(&brokers);
        append(broker, 3);
    }
    leader.state.lock().unwrap().preferred = Some((RACK, 2));
    (leader, follower)
}

fn append(broker: &FakeBroker, records: u32) {
    let mut builder = BatchBuilder::new(Vec::new());
    for _ in 0..records {
        builder.append(1, None, Some(b"v"), &[]).unwrap();
    }
    let batch = builder.finish(&Seal::default(), &mut Vec::new()).unwrap();
    let mut state = broker.state.lock().unwrap();
    state.partitions.get_mut(&0).unwrap().append(&batch).unwrap();
}

fn fetcher(leader: &FakeBroker, more: &[(&str, OptionValue)]) -> Fetcher {
    let mut options = Options::new();
    let address = format!("127.0.0.1:{}", leader.port);
    options.set("bootstrap.servers", OptionValue::Str(address));
    options.set("client.rack", OptionValue::Str(RACK.to_owned()));
    for (name, value) in [
        ("retry.backoff.ms", 1),
        ("retry.backoff.max.ms", 5),
        ("reconnect.backoff.ms", 1),
        ("reconnect.backoff.max.ms", 5),
    ] {
        options.set(name, OptionValue::Int(value));
    }
    for (name, value) in more {
        options.set(*name, value.clone());
    }
    let client = Client::new(ClientConfig::from_options(&options).unwrap()).unwrap();
    let fetcher = Fetcher::new(client, FetchConfig::from_options(&options).unwrap()).unwrap();
    fetcher.assign(&[Assigned {
        topic: "t".into(),
        partition: 0,
        offset: 0,
        leader_epoch: -1,
    }]);
    fetcher
}

/// Polls until `is_true`; the errors of fetching that were told meanwhile.
fn poll_until(what: &str, fetcher: &Fetcher, mut is_true: impl FnMut(&[(i16, i64)]) -> bool) -> Vec<(i16, i64)> {
    let deadline = Instant::now() + LONG;
    let mut errors = Vec::new();
    while !is_true(&errors) {
        assert!(Instant::now() < deadline, "{what}");
        fetcher.wait(Duration::from_millis(10));
        fetcher.take(None);
        for event in fetcher.client().events(Duration::ZERO) {
            if let Event::FetchError { error_code, offset, .. } = event {
                errors.push((error_code, offset));
            }
        }
    }
    errors
}

fn read_to(fetcher: &Fetcher, end: i64) -> Vec<(i16, i64)> {
    poll_until("everything is read", fetcher, |_| fetcher.position("t", 0) == Some(end))
}

fn fetches(broker: &FakeBroker) -> usize {
    broker.count(api::FETCH)
}

#[test]
fn the_replica_that_the_leader_names_is_read_from() {
    let (leader, follower) = cluster(|_| Act::Serve);
    let fetcher = fetcher(&leader, &[]);
    read_to(&fetcher, 3);
    for end in 4..20 {
        append(&follower, 1);
        read_to(&fetcher, end);
    }
    // The leader was asked once, and had nothing of what was read.
    assert_eq!(fetches(&leader), 1);
}

#[test]
fn a_consumer_elsewhere_reads_from_the_leader() {
    let (leader, follower) = cluster(|_| Act::Serve);
    let fetcher = fetcher(&leader, &[("client.rack", OptionValue::Str("far".to_owned()))]);
    read_to(&fetcher, 3);
    assert_eq!(fetches(&follower), 0);
}

#[test]
fn the_leader_is_asked_again_when_metadata_is_old() {
    let (leader, follower) = cluster(|_| Act::Serve);
    let fetcher = fetcher(&leader, &[("metadata.max.age.ms", OptionValue::Int(50))]);
    read_to(&fetcher, 3);
    let before = fetches(&follower);
    poll_until(
        "the leader is asked again, and names the replica again",
        &fetcher,
        |_| fetches(&leader) >= 3 && fetches(&follower) > before,
    );
    leader.state.lock().unwrap().preferred = None;
    append(&leader, 1);
    // The follower does not have it.
    assert_eq!(read_to(&fetcher, 4), []);
}

#[test]
fn a_replica_that_refuses_is_left_for_the_leader() {
    for code in [
        ErrorCode::NOT_LEADER_OR_FOLLOWER,
        ErrorCode::FENCED_LEADER_EPOCH,
        ErrorCode::UNKNOWN_LEADER_EPOCH,
        ErrorCode::UNKNOWN_TOPIC_OR_PARTITION,
        ErrorCode::OFFSET_NOT_AVAILABLE,
        ErrorCode::KAFKA_STORAGE_ERROR,
    ] {
        let (leader, follower) = cluster(move |seen| {
            if seen.api_key == api::FETCH && seen.number == 1 {
                Act::Refuse(code.code())
            } else {
                Act::Serve
            }
        });
        let fetcher = fetcher(&leader, &[]);
        read_to(&fetcher, 3);
        leader.state.lock().unwrap().preferred = None;
        append(&leader, 1);
        assert_eq!(read_to(&fetcher, 4), [], "{code:?}");
        assert_eq!(fetches(&follower), 2, "{code:?}");
    }
}

#[test]
fn what_a_replica_does_not_have_yet_is_asked_of_the_leader_and_no_reset() {
    let (leader, follower) = cluster(|_| Act::Serve);
    append(&leader, 4);
    // The follower is behind: what the leader has from 3 on is out of its range.
    follower.state.lock().unwrap().partitions.get_mut(&0).unwrap().start = 4;
    let fetcher = fetcher(&leader, &[]);
    poll_until("the follower was asked", &fetcher, |_| fetches(&follower) > 0);
    leader.state.lock().unwrap().preferred = None;
    assert_eq!(read_to(&fetcher, 7), []);
    // Only the leader's word counts.
    fetcher.seek("t", 0, 90).unwrap();
    let told = poll_until("it is told", &fetcher, |errors| !errors.is_empty());
    assert_eq!(told, [(ErrorCode::OFFSET_OUT_OF_RANGE.code(), 90)]);
}

#[test]
fn a_replica_whose_connection_breaks_is_left_for_the_leader() {
    let (leader, follower) = cluster(|seen| {
        if seen.api_key == api::FETCH && seen.number >= 1 {
            Act::Drop
        } else {
            Act::Serve
        }
    });
    let fetcher = fetcher(&leader, &[]);
    read_to(&fetcher, 3);
    leader.state.lock().unwrap().preferred = None;
    append(&leader, 1);
    assert_eq!(read_to(&fetcher, 4), []);
    assert_eq!(fetches(&follower), 2);
}

#[test]
fn a_replica_that_cannot_be_reached_is_left_for_the_leader() {
    let (leader, follower) = cluster(|_| Act::Serve);
    let port = follower.port;
    drop(follower);
    let fetcher = fetcher(&leader, &[]);
    poll_until("the leader names it again and again", &fetcher, |_| {
        fetches(&leader) >= 3
    });
    assert_eq!(fetcher.position("t", 0), Some(0));
    leader.state.lock().unwrap().preferred = None;
    assert_eq!(read_to(&fetcher, 3), [], "port {port}");
}

#[test]
fn a_replica_that_metadata_does_not_know_is_not_read_from() {
    let (leader, follower) = cluster(|_| Act::Serve);
    {
        let mut state = leader.state.lock().unwrap();
        state.brokers.truncate(1);
    }
    let fetcher = fetcher(&leader, &[]);
    poll_until("the leader names it again and again", &fetcher, |_| {
        fetches(&leader) >= 3
    });
    leader.state.lock().unwrap().preferred = None;
    assert_eq!(read_to(&fetcher, 3), []);
    assert_eq!(fetches(&follower), 0);
}
