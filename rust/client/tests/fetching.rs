//! Fetch sessions (KIP-227) and logs that were cut (KIP-320), against a scripted broker.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test that fails stops")]

mod fake;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use barnabas_client::config::{ClientConfig, FetchConfig, OptionValue, Options};
use barnabas_client::{Assigned, Client, Event, Fetcher};
use barnabas_records::{BatchBuilder, Seal};
use barnabas_wire::api;
use barnabas_wire::errors::ErrorCode;
use fake::{Act, FakeBroker};

const LONG: Duration = Duration::from_secs(60);

fn fetcher(broker: &FakeBroker) -> Fetcher {
    let mut options = Options::new();
    let address = format!("127.0.0.1:{}", broker.port);
    options.set("bootstrap.servers", OptionValue::Str(address));
    for (name, value) in [
        ("retry.backoff.ms", 1),
        ("retry.backoff.max.ms", 5),
        ("reconnect.backoff.ms", 1),
        ("reconnect.backoff.max.ms", 5),
    ] {
        options.set(name, OptionValue::Int(value));
    }
    let client = Client::new(ClientConfig::from_options(&options).unwrap()).unwrap();
    Fetcher::new(client, FetchConfig::from_options(&options).unwrap()).unwrap()
}

fn append(broker: &FakeBroker, partition: i32, records: u32) {
    let mut builder = BatchBuilder::new(Vec::new());
    for _ in 0..records {
        builder.append(1, None, Some(b"v"), &[]).unwrap();
    }
    let batch = builder.finish(&Seal::default(), &mut Vec::new()).unwrap();
    let mut state = broker.state.lock().unwrap();
    state.partitions.get_mut(&partition).unwrap().append(&batch).unwrap();
}

fn assigned(partition: i32, offset: i64, leader_epoch: i32) -> Assigned {
    Assigned {
        topic: "t".into(),
        partition,
        offset,
        leader_epoch,
    }
}

fn until(what: &str, mut is_true: impl FnMut() -> bool) {
    let deadline = Instant::now() + LONG;
    while !is_true() {
        assert!(Instant::now() < deadline, "{what}");
        std::thread::yield_now();
    }
}

/// Polls until all partitions stand where they are wanted.
fn read_to(fetcher: &Fetcher, ends: &[(i32, i64)]) {
    until("everything is read", || {
        fetcher.wait(Duration::from_millis(10));
        fetcher.take(None);
        fetcher.client().events(Duration::ZERO);
        ends.iter()
            .all(|(partition, end)| fetcher.position("t", *partition) == Some(*end))
    });
}

fn truncation(fetcher: &Fetcher) -> (i64, i64, i32) {
    let mut found = None;
    until("a cut log is told", || {
        fetcher.take(None);
        found = fetcher
            .client()
            .events(Duration::from_millis(10))
            .into_iter()
            .find_map(|event| match event {
                Event::Truncated {
                    offset,
                    end_offset,
                    end_epoch,
                    ..
                } => Some((offset, end_offset, end_epoch)),
                _ => None,
            });
        found.is_some()
    });
    found.unwrap()
}

#[test]
fn a_session_names_only_what_has_changed() {
    let broker = FakeBroker::obedient(50);
    for partition in 0..50 {
        append(&broker, partition, 3);
    }
    let fetcher = fetcher(&broker);
    let all: Vec<Assigned> = (0..50).map(|partition| assigned(partition, 0, -1)).collect();
    fetcher.assign(&all);
    let ends: Vec<(i32, i64)> = (0..50).map(|partition| (partition, 3)).collect();
    read_to(&fetcher, &ends);
    until("an idle session names nothing", || {
        broker.state.lock().unwrap().session.named.contains(&0)
    });
    append(&broker, 7, 1);
    read_to(&fetcher, &[(7, 4)]);
    let named = broker.state.lock().unwrap().session.named.clone();
    assert_eq!(named.first(), Some(&50));
    assert!(named.iter().skip(2).all(|count| *count < 50), "{named:?}");
    // What is paused or given up leaves the session, and comes back.
    fetcher.set_paused(&[("t".into(), 3)], true).unwrap();
    fetcher.assign(&all[..49]);
    until("the broker is told", || {
        broker.state.lock().unwrap().session.forgotten.len() >= 2
    });
    let mut forgotten = broker.state.lock().unwrap().session.forgotten.clone();
    forgotten.sort_unstable();
    assert_eq!(forgotten, [3, 49]);
    append(&broker, 3, 2);
    fetcher.set_paused(&[("t".into(), 3)], false).unwrap();
    read_to(&fetcher, &[(3, 5)]);
}

#[test]
fn what_is_assigned_sought_or_resumed_does_not_wait_for_a_fetch_that_waits_at_the_broker() {
    let fetches = Arc::new(AtomicUsize::new(0));
    let seen = Arc::clone(&fetches);
    let first = Arc::new(OnceLock::new());
    let broker = FakeBroker::start(3, move |request| {
        if request.api_key != api::FETCH {
            return Act::Serve;
        }
        seen.fetch_add(1, Ordering::SeqCst);
        // All that comes on the first one's connection waits behind it for ever.
        if *first.get_or_init(|| request.connection) == request.connection {
            Act::Ignore
        } else {
            Act::Serve
        }
    });
    for partition in 0..3 {
        append(&broker, partition, 3);
    }
    let fetcher = fetcher(&broker);
    fetcher.assign(&[assigned(0, 3, -1)]);
    until("a fetch waits", || fetches.load(Ordering::SeqCst) == 1);
    fetcher.assign(&[assigned(0, -1, -1), assigned(1, 0, -1)]);
    read_to(&fetcher, &[(1, 3)]);
    fetcher.seek("t", 0, 1).unwrap();
    read_to(&fetcher, &[(0, 3), (1, 3)]);
    let one = [("t".into(), 1)];
    fetcher.set_paused(&one, true).unwrap();
    append(&broker, 1, 2);
    fetcher.set_paused(&one, false).unwrap();
    read_to(&fetcher, &[(1, 5)]);
    // Whoever has been asked and has nothing more waits with the first, and is not asked again and again.
    until("nothing is under way", || {
        let before = fetches.load(Ordering::SeqCst);
        fetcher.wait(Duration::from_millis(50));
        fetches.load(Ordering::SeqCst) == before
    });
    assert_eq!(fetches.load(Ordering::SeqCst), 4);
}

#[test]
fn a_session_that_a_broker_forgot_or_declines_begins_anew_and_loses_nothing() {
    for code in [
        ErrorCode::FETCH_SESSION_ID_NOT_FOUND,
        ErrorCode::INVALID_FETCH_SESSION_EPOCH,
        ErrorCode::FETCH_SESSION_TOPIC_ID_ERROR,
    ] {
        let broker = FakeBroker::obedient(2);
        append(&broker, 0, 3);
        let fetcher = fetcher(&broker);
        fetcher.assign(&[assigned(0, 0, -1), assigned(1, 0, -1)]);
        read_to(&fetcher, &[(0, 3)]);
        broker.state.lock().unwrap().session.refuse_next = Some(code);
        until("it is refused", || {
            broker.state.lock().unwrap().session.refuse_next.is_none()
        });
        append(&broker, 1, 2);
        read_to(&fetcher, &[(1, 2)]);
    }
    let broker = FakeBroker::obedient(1);
    broker.state.lock().unwrap().session.declines = true;
    append(&broker, 0, 3);
    let fetcher = fetcher(&broker);
    fetcher.assign(&[assigned(0, 0, -1)]);
    read_to(&fetcher, &[(0, 3)]);
    append(&broker, 0, 3);
    read_to(&fetcher, &[(0, 6)]);
    let named = broker.state.lock().unwrap().session.named.clone();
    assert!(named.iter().all(|count| *count == 1), "{named:?}");
}

/// A broker whose leader is elected anew, with epoch 4, at its third fetch.
fn with_an_election() -> FakeBroker {
    FakeBroker::start(1, |seen| {
        if seen.api_key == api::FETCH && seen.number == 3 {
            Act::Refuse(ErrorCode::FENCED_LEADER_EPOCH.code())
        } else {
            Act::Serve
        }
    })
}

#[test]
fn a_new_leader_that_has_all_that_was_read_is_read_from_on() {
    let broker = with_an_election();
    append(&broker, 0, 5);
    let fetcher = fetcher(&broker);
    fetcher.assign(&[assigned(0, 0, -1)]);
    read_to(&fetcher, &[(0, 5)]);
    {
        let mut state = broker.state.lock().unwrap();
        state.leader_epoch = 4;
        state.epoch_ends.insert(3, 5);
    }
    until("the leader is asked", || broker.count(api::OFFSET_FOR_LEADER_EPOCH) > 0);
    append(&broker, 0, 1);
    read_to(&fetcher, &[(0, 6)]);
    assert_eq!(broker.count(api::OFFSET_FOR_LEADER_EPOCH), 1);
}

#[test]
fn a_log_that_was_cut_below_the_position_is_told_and_a_seek_mends_it() {
    for (ends, expected) in [(Some((3, 2)), (5, 2, 3)), (None, (5, -1, -1))] {
        let broker = with_an_election();
        append(&broker, 0, 5);
        let fetcher = fetcher(&broker);
        fetcher.assign(&[assigned(0, 0, -1)]);
        read_to(&fetcher, &[(0, 5)]);
        {
            let mut state = broker.state.lock().unwrap();
            state.leader_epoch = 4;
            state.epoch_ends.extend(ends);
        }
        assert_eq!(truncation(&fetcher), expected);
        let asked = broker.count(api::FETCH);
        fetcher.assign(&[assigned(0, 2, ends.map_or(-1, |(epoch, _)| epoch))]);
        read_to(&fetcher, &[(0, 5)]);
        assert!(broker.count(api::FETCH) > asked);
    }
}

#[test]
fn a_committed_position_past_the_leaders_log_is_told_before_anything_is_fetched() {
    let broker = FakeBroker::obedient(1);
    append(&broker, 0, 3);
    broker.state.lock().unwrap().epoch_ends.insert(3, 3);
    let fetcher = fetcher(&broker);
    fetcher.assign(&[assigned(0, 40, 3)]);
    assert_eq!(truncation(&fetcher), (40, 3, 3));
    assert_eq!(broker.count(api::FETCH), 0);
}

#[test]
fn what_waits_to_be_polled_is_fetched_again_where_a_log_was_cut() {
    let broker = with_an_election();
    append(&broker, 0, 2);
    append(&broker, 0, 3);
    let fetcher = fetcher(&broker);
    fetcher.assign(&[assigned(0, 0, -1)]);
    until("it is fetched", || fetcher.has_data());
    until("two are polled", || {
        fetcher.take(Some(2));
        fetcher.position("t", 0) == Some(2)
    });
    {
        let mut state = broker.state.lock().unwrap();
        state.leader_epoch = 4;
        state.epoch_ends.insert(3, 2);
    }
    until("both positions are asked about", || {
        broker.count(api::OFFSET_FOR_LEADER_EPOCH) >= 2
    });
    read_to(&fetcher, &[(0, 5)]);
    assert!(
        !fetcher
            .client()
            .events(Duration::ZERO)
            .iter()
            .any(|event| matches!(event, Event::Truncated { .. }))
    );
}
