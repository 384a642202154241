//! The producer against a scripted broker.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test that fails stops"
)]

mod fake;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use barnabas_client::config::{ClientConfig, OptionValue, Options, ProducerConfig};
use barnabas_client::{BatchState, Client, ClientError, Failure, NotSent, Outcome, Producer, RecordData, TopicState};
use barnabas_net::outbound::Jitter;
use barnabas_wire::api;
use barnabas_wire::errors::ErrorCode;
use fake::{Act, FakeBroker};

const LONG: Duration = Duration::from_secs(30);

fn options(broker: &FakeBroker, more: &[(&str, OptionValue)]) -> Options {
    let mut options = Options::new();
    options.set(
        "bootstrap.servers",
        OptionValue::Str(format!("127.0.0.1:{}", broker.port)),
    );
    options.set("retry.backoff.ms", OptionValue::Int(1));
    options.set("retry.backoff.max.ms", OptionValue::Int(5));
    options.set("reconnect.backoff.ms", OptionValue::Int(1));
    options.set("reconnect.backoff.max.ms", OptionValue::Int(5));
    options.set("linger.ms", OptionValue::Int(0));
    for (name, value) in more {
        options.set(*name, value.clone());
    }
    options
}

fn producer(broker: &FakeBroker, more: &[(&str, OptionValue)]) -> Producer {
    let options = options(broker, more);
    let client = Client::new(ClientConfig::from_options(&options).unwrap()).unwrap();
    Producer::new(client, ProducerConfig::from_options(&options).unwrap()).unwrap()
}

fn topic(producer: &Producer) -> Arc<TopicState> {
    let deadline = Instant::now() + LONG;
    loop {
        let count = producer.metadata_count();
        if let Some(topic) = producer.topic("t").unwrap() {
            return topic;
        }
        let _ = producer.wait_for_metadata(count, deadline.saturating_duration_since(Instant::now()));
        assert!(Instant::now() < deadline, "no metadata");
    }
}

fn record(value: &[u8]) -> RecordData<'_> {
    RecordData {
        timestamp: 1,
        key: None,
        value: Some(value),
        headers: &[],
    }
}

/// Sends, waiting for room.
fn send(producer: &Producer, topic: &TopicState, partition: i32, value: &[u8]) -> (Arc<BatchState>, u32) {
    let mut buffer = None;
    loop {
        match producer.try_send(topic, Some(partition), &record(value), buffer.take()) {
            Ok(appended) => return (appended.batch, appended.index),
            Err(NotSent::NoBuffer(size)) => {
                buffer = Some(producer.wait_for_buffer(size).wait(LONG).expect("room comes"));
            }
            Err(NotSent::Error(error)) => panic!("{error}"),
        }
    }
}

fn offset(batch: &BatchState, index: u32) -> i64 {
    match batch.wait(LONG) {
        Some(Outcome::Acknowledged { base_offset, .. }) => base_offset + i64::from(index),
        other => panic!("{other:?}"),
    }
}

fn failure(batch: &BatchState) -> Failure {
    match batch.wait(LONG) {
        Some(Outcome::Failed { failure, .. }) => *failure,
        other => panic!("{other:?}"),
    }
}

#[test]
fn records_get_the_offsets_at_which_they_are() {
    let broker = FakeBroker::obedient(3);
    let producer = producer(&broker, &[]);
    let topic = topic(&producer);
    let sent: Vec<_> = (0..1000_u32)
        .map(|number| send(&producer, &topic, 1, &number.to_be_bytes()))
        .collect();
    for (number, (batch, index)) in sent.iter().enumerate() {
        assert_eq!(offset(batch, *index), i64::try_from(number).unwrap());
    }
    let values: Vec<_> = (0..1000_u32).map(|number| number.to_be_bytes().to_vec()).collect();
    assert_eq!(broker.values(1), values);
}

#[test]
fn a_record_that_finds_nothing_on_its_way_is_sent_by_its_callers_thread() {
    let broker = FakeBroker::obedient(1);
    let producer = producer(&broker, &[]);
    let topic = topic(&producer);
    let metric = |metrics: Vec<(&'static str, u64)>, wanted: &str| {
        let found = metrics.into_iter().find(|(name, _)| *name == wanted);
        found.expect("there is such a metric").1
    };
    let mut by_caller = 0;
    for number in 0..100_u64 {
        let before = metric(producer.metrics(), "produce_requests");
        let (batch, index) = send(&producer, &topic, 0, b"one at a time");
        by_caller += metric(producer.metrics(), "produce_requests") - before;
        assert_eq!(offset(&batch, index), i64::try_from(number).unwrap());
        // The last thing that the I/O thread does before it sleeps.
        let deadline = Instant::now() + LONG;
        while metric(producer.client().metrics(), "requests_in_flight") > 0 {
            assert!(Instant::now() < deadline);
            std::thread::yield_now();
        }
    }
    // At first there are a connection and a producer id to be had, and now and then the I/O thread is not asleep yet.
    assert!(by_caller > 50, "{by_caller} of 100");
}

/// The proof of idempotence: whatever happens to requests and answers, each record is there once and in order.
#[test]
fn nothing_is_lost_doubled_or_reordered_whatever_fails() {
    let seeds: u64 = std::env::var("SEEDS")
        .ok()
        .and_then(|seeds| seeds.parse().ok())
        .unwrap_or(12);
    for seed in 0..seeds {
        let mut random = Jitter::with_seed(seed.wrapping_mul(0x9E37_79B9) + 1);
        let broker = FakeBroker::start(2, move |seen| match (seen.api_key, random.below(10)) {
            (api::PRODUCE, 0) | (api::METADATA | api::INIT_PRODUCER_ID, 0 | 1) => Act::Drop,
            (api::PRODUCE, 1) => Act::ServeThenDrop,
            (api::PRODUCE, 2) => Act::Refuse(ErrorCode::NOT_LEADER_OR_FOLLOWER.code()),
            (api::PRODUCE, 3) => Act::ServeThenRefuse(ErrorCode::REQUEST_TIMED_OUT.code()),
            (api::PRODUCE, 4) => Act::Refuse(ErrorCode::NOT_ENOUGH_REPLICAS.code()),
            _ => Act::Serve,
        });
        let producer = producer(&broker, &[("batch.size", OptionValue::Int(4096))]);
        let topic = topic(&producer);
        let sent: Vec<_> = (0..2000_u32)
            .map(|number| {
                let partition = i32::from(number % 3 == 0);
                (
                    partition,
                    number,
                    send(&producer, &topic, partition, &[number.to_be_bytes(); 8].concat()),
                )
            })
            .collect();
        assert!(producer.flush(LONG), "seed {seed}: flush");
        for partition in 0..2 {
            let expected: Vec<_> = sent
                .iter()
                .filter(|record| record.0 == partition)
                .map(|record| [record.1.to_be_bytes(); 8].concat())
                .collect();
            let found = broker.values(partition);
            assert_eq!(found.len(), expected.len(), "seed {seed}: number of records");
            assert!(found == expected, "seed {seed}: order of records");
        }
        for (partition, number, (batch, index)) in &sent {
            let at = offset(batch, *index);
            let value = &broker.values(*partition)[usize::try_from(at).unwrap()];
            if number % 500 == 0 {
                assert_eq!(value, &[number.to_be_bytes(); 8].concat(), "seed {seed}");
            }
        }
    }
}

#[test]
fn at_most_five_requests_are_in_flight() {
    let held = Arc::new(AtomicUsize::new(0));
    let broker = {
        let held = Arc::clone(&held);
        FakeBroker::start(1, move |seen| {
            if seen.api_key == api::PRODUCE && seen.number < 5 {
                held.fetch_add(1, Ordering::SeqCst);
                return Act::Ignore;
            }
            Act::Serve
        })
    };
    let producer = producer(
        &broker,
        &[
            ("batch.size", OptionValue::Int(4096)),
            ("request.timeout.ms", OptionValue::Int(4000)),
            ("delivery.timeout.ms", OptionValue::Int(60_000)),
        ],
    );
    let topic = topic(&producer);
    let sent: Vec<_> = (0..50_u32).map(|_| send(&producer, &topic, 0, &[7; 3000])).collect();
    let deadline = Instant::now() + LONG;
    while held.load(Ordering::SeqCst) < 5 {
        assert!(Instant::now() < deadline);
        std::thread::yield_now();
    }
    // The request timeout closes the connection; until then no sixth request may have come.
    assert_eq!(broker.count(api::PRODUCE), 5);
    for (batch, index) in &sent {
        offset(batch, *index);
    }
    assert_eq!(broker.values(0).len(), 50);
}

#[test]
fn a_lost_producer_state_is_mended_by_a_new_epoch() {
    let broker = FakeBroker::obedient(1);
    let producer = producer(&broker, &[]);
    let topic = topic(&producer);
    let (batch, index) = send(&producer, &topic, 0, b"1");
    assert_eq!(offset(&batch, index), 0);
    broker
        .state
        .lock()
        .unwrap()
        .partitions
        .get_mut(&0)
        .unwrap()
        .forget_producers();
    let (batch, index) = send(&producer, &topic, 0, b"2");
    assert_eq!(offset(&batch, index), 1);
    assert_eq!(broker.values(0), [b"1".to_vec(), b"2".to_vec()]);
}

#[test]
fn a_duplicate_without_an_offset_is_a_success() {
    let broker = FakeBroker::start(1, |seen| match seen.api_key {
        api::PRODUCE => Act::ServeThenRefuse(ErrorCode::DUPLICATE_SEQUENCE_NUMBER.code()),
        _ => Act::Serve,
    });
    let producer = producer(&broker, &[]);
    let (batch, _) = send(&producer, &topic(&producer), 0, b"1");
    assert_eq!(
        batch.wait(LONG),
        Some(&Outcome::Acknowledged {
            base_offset: -1,
            log_append_time: -1
        })
    );
}

#[test]
fn a_refused_batch_fails_at_once_and_the_next_one_succeeds() {
    let broker = FakeBroker::start(1, |seen| match (seen.api_key, seen.number) {
        (api::PRODUCE, 0) => Act::Refuse(ErrorCode::MESSAGE_TOO_LARGE.code()),
        _ => Act::Serve,
    });
    let producer = producer(&broker, &[]);
    let topic = topic(&producer);
    let (batch, _) = send(&producer, &topic, 0, b"1");
    assert_eq!(failure(&batch), Failure::Refused(ErrorCode::MESSAGE_TOO_LARGE.code()));
    let (batch, index) = send(&producer, &topic, 0, b"2");
    assert_eq!(offset(&batch, index), 0);
}

#[test]
fn a_silent_broker_costs_no_more_than_the_delivery_timeout() {
    let broker = FakeBroker::start(1, |seen| {
        if seen.api_key == api::PRODUCE {
            Act::Ignore
        } else {
            Act::Serve
        }
    });
    let more = [
        ("delivery.timeout.ms", OptionValue::Int(300)),
        ("request.timeout.ms", OptionValue::Int(100)),
    ];
    let producer = producer(&broker, &more);
    let topic = topic(&producer);
    let begun = Instant::now();
    let (batch, _) = send(&producer, &topic, 0, b"1");
    assert_eq!(failure(&batch), Failure::TimedOut);
    assert!(begun.elapsed() >= Duration::from_millis(300));
    assert!(producer.flush(LONG));
}

#[test]
fn closing_at_once_fails_what_is_not_acknowledged() {
    let broker = FakeBroker::start(1, |seen| {
        if seen.api_key == api::PRODUCE {
            Act::Ignore
        } else {
            Act::Serve
        }
    });
    let producer = producer(&broker, &[]);
    let topic = topic(&producer);
    let (batch, _) = send(&producer, &topic, 0, b"1");
    producer.close(Duration::ZERO);
    assert_eq!(failure(&batch), Failure::Aborted);
    assert!(matches!(
        producer.try_send(&topic, Some(0), &record(b"2"), None),
        Err(NotSent::Error(ClientError::Closed))
    ));
}

#[test]
fn closing_drains_what_lingers() {
    let broker = FakeBroker::obedient(1);
    let producer = producer(
        &broker,
        &[
            ("linger.ms", OptionValue::Int(60_000)),
            ("delivery.timeout.ms", OptionValue::Int(120_000)),
        ],
    );
    let topic = topic(&producer);
    let (batch, index) = send(&producer, &topic, 0, b"1");
    producer.close(LONG);
    assert_eq!(offset(&batch, index), 0);
}

#[test]
fn waiting_for_a_record_ends_its_linger() {
    let broker = FakeBroker::obedient(1);
    let producer = producer(
        &broker,
        &[
            ("linger.ms", OptionValue::Int(60_000)),
            ("delivery.timeout.ms", OptionValue::Int(120_000)),
        ],
    );
    let topic = topic(&producer);
    let (batch, index) = send(&producer, &topic, 0, b"1");
    batch.hurry();
    assert_eq!(offset(&batch, index), 0);
}

#[test]
fn full_memory_makes_senders_wait_and_nothing_is_lost() {
    let broker = FakeBroker::obedient(4);
    let more = [
        ("buffer.memory", OptionValue::Int(1 << 16)),
        ("linger.ms", OptionValue::Int(1000)),
        ("batch.size", OptionValue::Int(16 << 10)),
    ];
    let producer = producer(&broker, &more);
    let topic = topic(&producer);
    std::thread::scope(|scope| {
        for partition in 0..4 {
            let (producer, topic) = (&producer, &topic);
            scope.spawn(move || {
                for _ in 0..200 {
                    send(producer, topic, partition, &[1; 1000]);
                }
            });
        }
    });
    assert!(producer.flush(LONG));
    for partition in 0..4 {
        assert_eq!(broker.values(partition).len(), 200);
    }
    let used = producer
        .metrics()
        .into_iter()
        .find(|(name, _)| *name == "buffer_bytes_used")
        .unwrap()
        .1;
    assert_eq!(used, 0);
}

#[test]
fn every_codec_and_no_idempotence_and_no_acknowledgements() {
    for (name, value) in [
        ("compression.type", "gzip"),
        ("compression.type", "snappy"),
        ("compression.type", "lz4"),
        ("compression.type", "zstd"),
        ("enable.idempotence", "false"),
        ("acks", "1"),
        ("acks", "0"),
    ] {
        let broker = FakeBroker::obedient(1);
        let producer = producer(&broker, &[(name, OptionValue::Str(value.to_owned()))]);
        let topic = topic(&producer);
        let sent: Vec<_> = (0..100).map(|_| send(&producer, &topic, 0, &[5; 1000])).collect();
        assert!(producer.flush(LONG), "{name}={value}");
        for (batch, index) in sent {
            let at = offset(&batch, index);
            assert!(value == "0" || at >= 0, "{name}={value}");
        }
        // Without acknowledgements the broker may still be at it.
        let deadline = Instant::now() + LONG;
        while broker.values(0).len() < 100 {
            assert!(Instant::now() < deadline, "{name}={value}");
            std::thread::yield_now();
        }
    }
}

#[test]
fn a_topic_that_the_cluster_refuses_is_an_error_and_an_unknown_one_is_waited_for() {
    let broker = FakeBroker::obedient(1);
    broker.state.lock().unwrap().metadata_error = ErrorCode::TOPIC_AUTHORIZATION_FAILED.code();
    let producer = producer(&broker, &[]);
    let count = producer.metadata_count();
    assert!(producer.topic("t").unwrap().is_none());
    assert_eq!(producer.wait_for_metadata(count, LONG), Ok(()));
    let refused = ErrorCode::TOPIC_AUTHORIZATION_FAILED.code();
    assert!(matches!(producer.topic("t"), Err(ClientError::Broker { code, .. }) if code == refused));
    broker.state.lock().unwrap().metadata_error = 0;
    let number = producer.client().request_metadata();
    producer.client().wait_for_metadata(number, LONG).unwrap();
    assert_eq!(topic(&producer).partition_count(), 1);
}

#[test]
fn old_and_new_brokers_are_spoken_to_in_their_versions() {
    for (produce, metadata) in [((3, 3), (1, 4)), ((3, 8), (1, 8)), ((3, 9), (1, 9)), ((3, 13), (1, 13))] {
        let broker = FakeBroker::obedient(1);
        {
            let mut state = broker.state.lock().unwrap();
            for range in &mut state.versions {
                match range.0 {
                    api::PRODUCE => (range.1, range.2) = produce,
                    api::METADATA => (range.1, range.2) = metadata,
                    api::API_VERSIONS => range.2 = 2,
                    _ => {}
                }
            }
        }
        let producer = producer(&broker, &[]);
        let (batch, index) = send(&producer, &topic(&producer), 0, b"1");
        assert_eq!(offset(&batch, index), 0, "Produce {produce:?}");
    }
}

#[test]
fn answers_that_are_no_answers_close_the_connection_and_the_batch_is_sent_again() {
    for garbage in [
        &[0x7f, 0xff, 0xff, 0xff][..],
        &[0xff, 0xff, 0xff, 0xff],
        &[0, 0, 0, 4, 9, 9, 9, 9],
        &[0, 0, 0, 1, 0],
    ] {
        let broker = FakeBroker::start(1, move |seen| match (seen.api_key, seen.number) {
            (api::PRODUCE, 0) => Act::Garbage(garbage),
            _ => Act::Serve,
        });
        let producer = producer(&broker, &[]);
        let (batch, index) = send(&producer, &topic(&producer), 0, b"1");
        assert_eq!(offset(&batch, index), 0, "{garbage:?}");
        assert_eq!(broker.values(0).len(), 1);
    }
}
