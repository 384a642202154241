//! Fetching, submissions and heartbeats against a scripted broker.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test that fails stops")]

mod fake;

use std::sync::Arc;
use std::time::{Duration, Instant};

use barnabas_client::config::{ClientConfig, FetchConfig, OptionValue, Options};
use barnabas_client::fetched::FetchedBatch;
use barnabas_client::{Assigned, Client, ClientError, Event, Fetcher, HeartbeatPlan, Message, Target, Variant, Waited};
use barnabas_records::{BatchBuilder, Compression, ControlKey, RecordIter, Seal, build_control_batch, control_type};
use barnabas_wire::api;
use barnabas_wire::errors::ErrorCode;
use bytes::Bytes;
use fake::{Act, FakeBroker};

const LONG: Duration = Duration::from_secs(30);

fn options(broker: &FakeBroker, more: &[(&str, OptionValue)]) -> Options {
    let mut options = Options::new();
    options.set(
        "bootstrap.servers",
        OptionValue::Str(format!("127.0.0.1:{}", broker.port)),
    );
    for name in ["retry.backoff.ms", "reconnect.backoff.ms"] {
        options.set(name, OptionValue::Int(1));
    }
    options.set("retry.backoff.max.ms", OptionValue::Int(5));
    options.set("reconnect.backoff.max.ms", OptionValue::Int(5));
    for (name, value) in more {
        options.set(*name, value.clone());
    }
    options
}

fn client(broker: &FakeBroker) -> Client {
    Client::new(ClientConfig::from_options(&options(broker, &[])).unwrap()).unwrap()
}

fn fetcher(broker: &FakeBroker, more: &[(&str, OptionValue)]) -> Fetcher {
    let options = options(broker, more);
    let client = Client::new(ClientConfig::from_options(&options).unwrap()).unwrap();
    Fetcher::new(client, FetchConfig::from_options(&options).unwrap()).unwrap()
}

/// Appends `count` records with values that tell their offsets.
fn fill(broker: &FakeBroker, partition: i32, count: u32, compression: Compression) {
    let mut state = broker.state.lock().unwrap();
    let log = state.partitions.get_mut(&partition).unwrap();
    let mut builder = BatchBuilder::new(Vec::new());
    for number in 0..count {
        let value = (log.end + i64::from(number)).to_string();
        builder.append(1, None, Some(value.as_bytes()), &[]).unwrap();
    }
    let batch = builder
        .finish(
            &Seal {
                compression,
                ..Seal::default()
            },
            &mut Vec::new(),
        )
        .unwrap();
    log.append(&batch).unwrap();
}

fn assigned(partition: i32, offset: i64) -> Assigned {
    Assigned {
        topic: "t".into(),
        partition,
        offset,
        leader_epoch: -1,
    }
}

/// Offsets of the records, each checked against its value.
fn offsets(batches: &[FetchedBatch]) -> Vec<(i32, i64)> {
    let mut offsets = Vec::new();
    for batch in batches {
        for record in RecordIter::new(&batch.header, &batch.payload) {
            let record = record.unwrap();
            if (batch.first_offset..batch.end_offset).contains(&record.offset) {
                assert_eq!(record.value, Some(record.offset.to_string().as_bytes()));
                offsets.push((batch.partition, record.offset));
            }
        }
    }
    offsets
}

fn wait_for_data(fetcher: &Fetcher) {
    let deadline = Instant::now() + LONG;
    while fetcher.wait(Duration::from_millis(50)) != Waited::ForData {
        assert!(Instant::now() < deadline);
        fetcher.client().events(Duration::ZERO);
    }
}

/// Polls until `count` records came.
fn poll(fetcher: &Fetcher, count: usize, max_records: Option<usize>) -> Vec<(i32, i64)> {
    let deadline = Instant::now() + LONG;
    let mut found = Vec::new();
    while found.len() < count {
        assert!(Instant::now() < deadline, "{} of {count} records", found.len());
        if fetcher.wait(Duration::from_millis(50)) == Waited::ForEvent {
            fetcher.client().events(Duration::ZERO);
        }
        let batches = fetcher.take(max_records);
        let records = offsets(&batches);
        assert!(max_records.is_none_or(|max| records.len() <= max));
        found.extend(records);
    }
    found
}

/// Waits for the first event that `wanted` picks.
fn event<T>(client: &Client, mut wanted: impl FnMut(Event) -> Option<T>) -> T {
    let deadline = Instant::now() + LONG;
    loop {
        assert!(Instant::now() < deadline, "no such event");
        if let Some(found) = client
            .events(Duration::from_millis(50))
            .into_iter()
            .find_map(&mut wanted)
        {
            return found;
        }
    }
}

#[test]
fn every_record_comes_once_and_in_order_with_every_codec() {
    let codecs = [
        Compression::None,
        Compression::Gzip,
        Compression::Snappy,
        Compression::Lz4,
        Compression::Zstd,
    ];
    let broker = FakeBroker::obedient(2);
    for codec in codecs {
        for partition in 0..2 {
            fill(&broker, partition, 100, codec);
        }
    }
    let fetcher = fetcher(&broker, &[]);
    fetcher.assign(&[assigned(0, 0), assigned(1, 250)]);
    let found = poll(&fetcher, 750, None);
    for (partition, range) in [(0, 0..500), (1, 250..500)] {
        let of_partition: Vec<_> = found
            .iter()
            .filter(|record| record.0 == partition)
            .map(|record| record.1)
            .collect();
        assert_eq!(of_partition, range.collect::<Vec<i64>>());
        assert_eq!(fetcher.position("t", partition), Some(500));
    }
    // What comes later is fetched without being asked for.
    fill(&broker, 0, 1, Compression::None);
    assert_eq!(poll(&fetcher, 1, None), [(0, 500)]);
}

#[test]
fn a_poll_of_some_records_leaves_the_rest_and_the_position_between() {
    let broker = FakeBroker::obedient(1);
    fill(&broker, 0, 10, Compression::None);
    let fetcher = fetcher(&broker, &[]);
    fetcher.assign(&[assigned(0, 2)]);
    assert_eq!(poll(&fetcher, 3, Some(3)), [(0, 2), (0, 3), (0, 4)]);
    assert_eq!(fetcher.position("t", 0), Some(5));
    assert_eq!(poll(&fetcher, 5, Some(100)).len(), 5);
    assert_eq!(fetcher.position("t", 0), Some(10));
}

#[test]
fn a_seek_drops_what_was_fetched_before_it() {
    let broker = FakeBroker::obedient(1);
    for _ in 0..10 {
        fill(&broker, 0, 10, Compression::None);
    }
    let fetcher = fetcher(&broker, &[]);
    fetcher.assign(&[assigned(0, 0)]);
    wait_for_data(&fetcher);
    fetcher.seek("t", 0, 95).unwrap();
    assert_eq!(
        poll(&fetcher, 5, None),
        (95..100).map(|offset| (0, offset)).collect::<Vec<_>>()
    );
    assert!(matches!(fetcher.seek("t", 7, 0), Err(ClientError::IllegalState(_))));
}

#[test]
fn a_paused_partition_keeps_what_was_fetched() {
    let broker = FakeBroker::obedient(2);
    fill(&broker, 0, 5, Compression::None);
    let fetcher = fetcher(&broker, &[]);
    fetcher.assign(&[assigned(0, 0), assigned(1, 0)]);
    wait_for_data(&fetcher);
    let key = ("t".into(), 0);
    fetcher.set_paused(std::slice::from_ref(&key), true).unwrap();
    assert!(fetcher.take(None).is_empty() && !fetcher.has_data());
    let requests = broker.count(api::FETCH);
    fetcher.set_paused(&[key], false).unwrap();
    assert_eq!(offsets(&fetcher.take(None)).len(), 5);
    assert!(requests >= 1);
}

#[test]
fn an_assignment_keeps_the_position_of_what_stays() {
    let broker = FakeBroker::obedient(2);
    fill(&broker, 0, 5, Compression::None);
    let fetcher = fetcher(&broker, &[]);
    fetcher.assign(&[assigned(0, 0)]);
    poll(&fetcher, 5, None);
    fetcher.assign(&[assigned(0, -1), assigned(1, -1)]);
    assert_eq!((fetcher.position("t", 0), fetcher.position("t", 1)), (Some(5), None));
    fill(&broker, 0, 1, Compression::None);
    assert_eq!(poll(&fetcher, 1, None), [(0, 5)]);
    fetcher.assign(&[]);
    assert_eq!(fetcher.positions(), []);
}

#[test]
fn an_offset_out_of_range_is_an_event_and_a_seek_mends_it() {
    let broker = FakeBroker::obedient(1);
    fill(&broker, 0, 5, Compression::None);
    let fetcher = fetcher(&broker, &[]);
    fetcher.assign(&[assigned(0, 77)]);
    let found = event(fetcher.client(), |event| match event {
        Event::FetchError {
            partition,
            error_code,
            offset,
            ..
        } => Some((partition, error_code, offset)),
        _ => None,
    });
    assert_eq!(found, (0, ErrorCode::OFFSET_OUT_OF_RANGE.code(), 77));
    fetcher.seek("t", 0, 4).unwrap();
    assert_eq!(poll(&fetcher, 1, None), [(0, 4)]);
}

#[test]
fn a_damaged_batch_is_an_event_after_what_stands_before_it() {
    let broker = FakeBroker::obedient(1);
    fill(&broker, 0, 5, Compression::None);
    fill(&broker, 0, 5, Compression::Lz4);
    {
        let mut state = broker.state.lock().unwrap();
        let batch = &mut state.partitions.get_mut(&0).unwrap().batches[1].1;
        let last = batch.len() - 1;
        batch[last] ^= 1;
    }
    let fetcher = fetcher(&broker, &[]);
    fetcher.assign(&[assigned(0, 0)]);
    assert_eq!(poll(&fetcher, 5, None).len(), 5);
    let found = event(fetcher.client(), |event| match event {
        Event::FetchError { error_code, offset, .. } => Some((error_code, offset)),
        _ => None,
    });
    assert_eq!(found, (ErrorCode::CORRUPT_MESSAGE.code(), 5));
}

#[test]
fn control_batches_and_aborted_records_are_passed_over() {
    let broker = FakeBroker::obedient(1);
    fill(&broker, 0, 2, Compression::None);
    {
        let mut state = broker.state.lock().unwrap();
        let log = state.partitions.get_mut(&0).unwrap();
        let key = ControlKey {
            version: 0,
            control_type: control_type::COMMIT,
        };
        let marker = build_control_batch(Vec::new(), key, &[0; 6], 1, &Seal::default());
        log.append(&marker.unwrap()).unwrap();
    }
    let fetcher = fetcher(&broker, &[]);
    fetcher.assign(&[assigned(0, 0)]);
    assert_eq!(poll(&fetcher, 2, None).len(), 2);
    assert_eq!(fetcher.position("t", 0), Some(3));
}

#[test]
fn refusals_that_say_that_the_leader_moved_are_overcome() {
    for code in [
        ErrorCode::NOT_LEADER_OR_FOLLOWER,
        ErrorCode::FENCED_LEADER_EPOCH,
        ErrorCode::UNKNOWN_TOPIC_OR_PARTITION,
        ErrorCode::UNKNOWN_TOPIC_ID,
        ErrorCode::UNKNOWN_LEADER_EPOCH,
    ] {
        let broker = FakeBroker::start(1, move |seen| match (seen.api_key, seen.number) {
            (api::FETCH, 0) => Act::Refuse(code.code()),
            (api::FETCH, 1) => Act::Drop,
            _ => Act::Serve,
        });
        fill(&broker, 0, 5, Compression::None);
        let fetcher = fetcher(&broker, &[]);
        fetcher.assign(&[assigned(0, 0)]);
        assert_eq!(poll(&fetcher, 5, None).len(), 5, "{code}");
        // The partition may be served again before the metadata has been asked for.
        let deadline = Instant::now() + LONG;
        while broker.count(api::METADATA) < 2 {
            assert!(Instant::now() < deadline, "{code}");
            std::thread::yield_now();
        }
    }
}

#[test]
fn no_more_is_fetched_than_may_wait_and_a_poll_makes_room() {
    let broker = FakeBroker::obedient(1);
    for _ in 0..50 {
        fill(&broker, 0, 100, Compression::None);
    }
    let more = [
        ("max.partition.fetch.bytes", OptionValue::Int(2000)),
        ("barnabas.fetch.buffer.bytes", OptionValue::Int(4000)),
    ];
    let fetcher = fetcher(&broker, &more);
    fetcher.assign(&[assigned(0, 0)]);
    let deadline = Instant::now() + LONG;
    let mut found = 0;
    while found < 5000 {
        assert!(Instant::now() < deadline);
        let waiting = fetcher
            .metrics()
            .into_iter()
            .find(|(name, _)| *name == "fetch_buffered_bytes")
            .unwrap()
            .1;
        assert!(waiting <= 8000, "{waiting} bytes wait");
        fetcher.wait(Duration::from_millis(50));
        fetcher.client().events(Duration::ZERO);
        found += offsets(&fetcher.take(None)).len();
    }
}

#[test]
fn old_and_new_brokers_are_fetched_from_in_their_versions() {
    for newest in [4, 7, 9, 11, 12, 13, 18] {
        let broker = FakeBroker::obedient(1);
        for range in &mut broker.state.lock().unwrap().versions {
            match range.0 {
                api::FETCH => range.2 = newest,
                api::METADATA if newest < 13 => range.2 = 7,
                _ => {}
            }
        }
        fill(&broker, 0, 5, Compression::None);
        let fetcher = fetcher(&broker, &[]);
        fetcher.assign(&[assigned(0, 0)]);
        assert_eq!(poll(&fetcher, 5, None).len(), 5, "Fetch {newest}");
    }
}

#[test]
fn a_partition_is_read_from_start_to_end() {
    let broker = FakeBroker::obedient(1);
    for _ in 0..10 {
        fill(&broker, 0, 10, Compression::Zstd);
    }
    for (start, end) in [(0, 100), (5, 95), (33, 34), (50, 50), (90, 100)] {
        let batches: Vec<_> = client(&broker)
            .partition_reader("t", 0, start, end)
            .unwrap()
            .collect::<Result<_, _>>()
            .unwrap();
        let expected: Vec<_> = (start..end).map(|offset| (0, offset)).collect();
        assert_eq!(offsets(&batches), expected, "[{start}, {end})");
    }
    let refused = client(&broker).partition_reader("t", 0, 200, 300).unwrap().next();
    assert!(
        matches!(refused, Some(Err(ClientError::Broker { code, .. })) if code == ErrorCode::OFFSET_OUT_OF_RANGE.code())
    );
}

/// A fetch that was sent ahead would wait at the broker for records, and whoever reads next on the connection with it.
#[test]
fn nothing_is_fetched_beyond_the_end_of_a_range() {
    let broker = FakeBroker::obedient(1);
    for _ in 0..10 {
        fill(&broker, 0, 10, Compression::None);
    }
    let client = client(&broker);
    let ranges = [(0, 100), (50, 100), (90, 100), (0, 10), (0, 100)];
    for (start, end) in ranges {
        let reader = client.partition_reader("t", 0, start, end).unwrap();
        assert!(reader.map(Result::unwrap).count() > 0, "[{start}, {end})");
    }
    assert_eq!(
        broker.count(api::FETCH),
        ranges.len(),
        "one each: all of a range comes at once"
    );
}

/// A body that tells at which version it was encoded.
#[derive(Debug)]
struct VersionMessage;

impl Message for VersionMessage {
    fn encode(&self, version: i16) -> Result<Vec<u8>, String> {
        Ok(version.to_be_bytes().to_vec())
    }
}

fn variants(ranges: &[(i16, i16)]) -> Vec<Variant> {
    ranges
        .iter()
        .map(|(min, max)| Variant {
            min: *min,
            max: *max,
            message: Arc::new(VersionMessage),
        })
        .collect()
}

fn outcome(client: &Client, wanted: u64) -> Result<(i16, Bytes), (i16, String)> {
    event(client, |event| match event {
        Event::Response {
            token,
            api_version,
            body,
            node_id,
        } if token == wanted => {
            // Below -1 stand the addresses that the client began with.
            assert!(node_id == 1 || node_id == -2, "{node_id}");
            Some(Ok((api_version, body)))
        }
        Event::Failed {
            token,
            error_code,
            message,
        } if token == wanted => Some(Err((error_code, message))),
        _ => None,
    })
}

#[test]
fn submissions_reach_whom_they_are_for_at_the_newest_common_version() {
    let broker = FakeBroker::obedient(1);
    broker.state.lock().unwrap().other_answer = b"answer".to_vec();
    for range in &mut broker.state.lock().unwrap().versions {
        if range.0 == api::HEARTBEAT {
            range.2 = 2;
        }
    }
    let client = client(&broker);
    client.want_topics(Some(vec!["t".into()]));
    for target in [
        Target::Any,
        Target::Controller,
        Target::Node(1),
        Target::Coordinator {
            key_type: 0,
            key: "g".into(),
        },
        Target::Leader {
            topic: "t".into(),
            partition: 0,
        },
    ] {
        let token = client.submit(target.clone(), api::HEARTBEAT, variants(&[(0, 1), (2, 4)]), LONG, true);
        assert_eq!(
            outcome(&client, token),
            Ok((2, Bytes::from_static(b"answer"))),
            "{target:?}"
        );
        let last = broker.state.lock().unwrap().other.pop().unwrap();
        assert_eq!(last, (api::HEARTBEAT, 2, vec![0, 2]));
    }
    assert_eq!(broker.count(api::FIND_COORDINATOR), 1);
    let token = client.submit(Target::Any, api::HEARTBEAT, variants(&[(3, 4)]), LONG, true);
    assert_eq!(
        outcome(&client, token).unwrap_err().0,
        ErrorCode::UNSUPPORTED_VERSION.code()
    );
}

#[test]
fn a_submission_survives_lost_connections_unless_told_otherwise() {
    let script = |seen: fake::Seen| match (seen.api_key, seen.number) {
        (api::HEARTBEAT | api::FIND_COORDINATOR, 0) | (api::LEAVE_GROUP, _) => Act::Drop,
        (api::HEARTBEAT, 1) => Act::ServeThenDrop,
        _ => Act::Serve,
    };
    let broker = FakeBroker::start(1, script);
    let client = client(&broker);
    let target = Target::Coordinator {
        key_type: 0,
        key: "g".into(),
    };
    let token = client.submit(target.clone(), api::HEARTBEAT, variants(&[(0, 4)]), LONG, true);
    assert!(outcome(&client, token).is_ok());
    let token = client.submit(target.clone(), api::LEAVE_GROUP, variants(&[(0, 4)]), LONG, false);
    assert_eq!(outcome(&client, token).unwrap_err().0, -1);
    let begun = Instant::now();
    let token = client.submit(
        target,
        api::LEAVE_GROUP,
        variants(&[(0, 4)]),
        Duration::from_millis(200),
        true,
    );
    assert_eq!(outcome(&client, token).unwrap_err().0, -1);
    assert!(begun.elapsed() >= Duration::from_millis(200));
}

#[test]
fn a_refused_coordinator_is_the_submissions_error() {
    let code = ErrorCode::GROUP_AUTHORIZATION_FAILED.code();
    let broker = FakeBroker::start(1, move |seen| match (seen.api_key, seen.number) {
        (api::FIND_COORDINATOR, 0) => Act::Refuse(ErrorCode::COORDINATOR_NOT_AVAILABLE.code()),
        (api::FIND_COORDINATOR, _) => Act::Refuse(code),
        _ => Act::Serve,
    });
    let client = client(&broker);
    let target = Target::Coordinator {
        key_type: 0,
        key: "g".into(),
    };
    let token = client.submit(target, api::HEARTBEAT, variants(&[(0, 4)]), LONG, true);
    assert_eq!(outcome(&client, token).unwrap_err().0, code);
}

#[test]
fn nobody_there_is_a_timeout_that_says_so() {
    let mut options = Options::new();
    options.set("bootstrap.servers", OptionValue::Str("127.0.0.1:1".into()));
    let client = Client::new(ClientConfig::from_options(&options).unwrap()).unwrap();
    let number = client.request_metadata();
    assert!(client.wait_for_metadata(number, Duration::from_millis(100)).is_err());
    let token = client.submit(
        Target::Any,
        api::HEARTBEAT,
        variants(&[(0, 4)]),
        Duration::from_millis(100),
        true,
    );
    assert_eq!(outcome(&client, token).unwrap_err().0, -1);
}

#[test]
fn closing_is_quick_whatever_waits() {
    let broker = FakeBroker::start(1, |_| Act::Ignore);
    let client = client(&broker);
    client.submit(Target::Any, api::HEARTBEAT, variants(&[(0, 4)]), LONG, true);
    client.request_metadata();
    let begun = Instant::now();
    client.close(Duration::from_secs(10));
    assert!(begun.elapsed() < Duration::from_secs(5));
    assert_eq!(client.check_open(), Err(ClientError::Closed));
}

fn plan(poll_interval: Duration) -> HeartbeatPlan {
    HeartbeatPlan {
        full_variants: Vec::new(),
        group: "g".into(),
        api_key: api::HEARTBEAT,
        variants: variants(&[(0, 4)]),
        interval: Duration::from_millis(5),
        poll_interval,
        leave_api_key: api::LEAVE_GROUP,
        leave_variants: variants(&[(0, 5)]),
    }
}

#[test]
fn heartbeats_are_repeated_and_only_news_is_told() {
    let broker = FakeBroker::obedient(1);
    // Throttle time, no error.
    broker.state.lock().unwrap().other_answer = vec![0, 0, 0, 0, 0, 0, 0];
    let client = client(&broker);
    client.start_heartbeat(plan(LONG));
    let deadline = Instant::now() + LONG;
    while broker.count(api::HEARTBEAT) < 5 {
        assert!(Instant::now() < deadline);
        let events = client.events(Duration::from_millis(5));
        assert!(
            !events.iter().any(|event| matches!(event, Event::Heartbeat { .. })),
            "{events:?}"
        );
    }
    let code = ErrorCode::REBALANCE_IN_PROGRESS.code();
    broker.state.lock().unwrap().other_answer = vec![0, 0, 0, 0, 0, u8::try_from(code).unwrap(), 0];
    let found = event(&client, |event| match event {
        Event::Heartbeat {
            error_code,
            api_version,
            ..
        } => Some((error_code, api_version)),
        _ => None,
    });
    assert_eq!(found, (code, 4));
    client.stop_heartbeat();
    assert_eq!(broker.count(api::LEAVE_GROUP), 0);
}

#[test]
fn a_poll_that_does_not_come_in_time_leaves_the_group() {
    let broker = FakeBroker::obedient(1);
    broker.state.lock().unwrap().other_answer = vec![0, 0, 0, 0, 0, 0, 0];
    let client = client(&broker);
    client.start_heartbeat(plan(Duration::from_millis(100)));
    event(&client, |event| (event == Event::PollDeadline).then_some(()));
    let deadline = Instant::now() + LONG;
    while broker.count(api::LEAVE_GROUP) == 0 {
        assert!(Instant::now() < deadline);
        std::thread::yield_now();
    }
    assert_eq!(broker.count(api::LEAVE_GROUP), 1);
}
