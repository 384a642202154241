//! Produce and fetch against a real broker over loopback, with hand-made requests.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test that fails stops")]
#![expect(clippy::too_many_lines, reason = "tables of cases in Kafka's words")]
#![allow(dead_code, reason = "each test binary uses its part of the common module")]

mod common;

use barnabas_broker::Change;
use barnabas_records::{Compression, Seal};
use barnabas_wire::api;
use barnabas_wire::errors::ErrorCode;

use common::{Fetch, Fixture, Produce, batch, batch_with, compressed, topic_change};

fn error(code: ErrorCode) -> i16 {
    code.code()
}

#[test]
fn every_version_of_produce_and_fetch_carries_the_records() {
    let fixture = Fixture::start();
    let mut client = fixture.connect();
    let mut expected = Vec::new();
    for version in 3..=13 {
        let value = vec![u8::try_from(version).unwrap(); 100];
        let records = batch(&[&value, b"second"]);
        let answer = client.produce_with(&Produce {
            version,
            records: &records,
            ..Produce::default()
        });
        let base = i64::try_from(expected.len()).unwrap();
        assert_eq!((answer.error_code, answer.base_offset), (0, base), "version {version}");
        expected.push((base, value));
        expected.push((base + 1, b"second".to_vec()));
    }
    for version in 4..=18 {
        let answers = client.fetch(&Fetch {
            version,
            ..Fetch::default()
        });
        let high_watermark = i64::try_from(expected.len()).unwrap();
        assert_eq!(
            (answers[0].error_code, answers[0].high_watermark),
            (0, high_watermark),
            "version {version}"
        );
        assert_eq!(answers[0].values(), expected, "version {version}");
    }
}

#[test]
fn every_codec_goes_through_and_the_zstd_gate_of_produce_holds() {
    let fixture = Fixture::start();
    let mut client = fixture.connect();
    let value = vec![b'z'; 5000];
    let codecs = [
        Compression::None,
        Compression::Gzip,
        Compression::Snappy,
        Compression::Lz4,
        Compression::Zstd,
    ];
    for codec in codecs {
        let records = compressed(&[&value, &value], codec);
        assert_eq!(client.produce(0, &records).0, 0, "{codec:?}");
    }
    let read = client.fetch(&Fetch::default())[0].values();
    assert_eq!(read.len(), 10);
    assert!(read.iter().all(|(_, read)| *read == value));
    let records = compressed(&[&value], Compression::Zstd);
    let old = client.produce_with(&Produce {
        version: 6,
        records: &records,
        ..Produce::default()
    });
    assert_eq!(old.error_code, error(ErrorCode::UNSUPPORTED_COMPRESSION_TYPE));
    // Kafka 4 sends zstd also to versions of Fetch that are older than the codec.
    let old = Fetch {
        version: 9,
        ..Fetch::default()
    };
    assert_eq!(client.fetch(&old)[0].values().len(), 10);
}

#[test]
fn the_first_batch_comes_whole_whatever_the_limits() {
    let fixture = Fixture::start();
    let mut client = fixture.connect();
    let large = batch(&[&[b'x'; 5000]]);
    for partition in 0..3 {
        client.produce(partition, &large);
        client.produce(partition, &large);
    }
    let lens = |answers: Vec<common::FetchAnswer>| -> Vec<usize> {
        answers.iter().map(|answer| answer.values().len()).collect()
    };
    let partitions = vec![(2, 0), (0, 1), (1, 0)];
    let fetch = |max_bytes, partition_max_bytes| Fetch {
        max_bytes,
        partition_max_bytes,
        partitions: partitions.clone(),
        ..Fetch::default()
    };
    let size = i32::try_from(large.len()).unwrap();
    assert_eq!(lens(client.fetch(&fetch(1, 1))), [1, 0, 0]);
    assert_eq!(lens(client.fetch(&fetch(1, 1 << 20))), [1, 0, 0]);
    assert_eq!(lens(client.fetch(&fetch(1 << 20, 1))), [1, 0, 0]);
    assert_eq!(lens(client.fetch(&fetch(1 << 20, size))), [1, 1, 1]);
    assert_eq!(lens(client.fetch(&fetch(3 * size, 1 << 20))), [2, 1, 0]);
    assert_eq!(lens(client.fetch(&fetch(1 << 20, 1 << 20))), [2, 1, 2]);
    // Partitions without data do not use the right to a first batch up.
    let at_end = Fetch {
        max_bytes: 1,
        partitions: vec![(0, 2), (1, 2), (2, 1)],
        ..Fetch::default()
    };
    assert_eq!(lens(client.fetch(&at_end)), [0, 0, 1]);
}

#[test]
fn an_offset_inside_a_batch_returns_the_whole_batch() {
    let fixture = Fixture::start();
    let mut client = fixture.connect();
    client.produce(0, &batch(&[b"a", b"b", b"c"]));
    let answers = client.fetch(&Fetch {
        partitions: vec![(0, 2)],
        ..Fetch::default()
    });
    assert_eq!(answers[0].values().len(), 3);
}

#[test]
fn fetch_errors_are_kafkas() {
    let fixture = Fixture::start();
    let mut client = fixture.connect();
    client.produce(0, &batch(&[b"a"]));
    let base = Fetch {
        max_wait_ms: 1_000_000,
        ..Fetch::default()
    };
    let cases = [
        (
            ErrorCode::OFFSET_OUT_OF_RANGE,
            Fetch {
                partitions: vec![(0, 2)],
                ..base.clone()
            },
        ),
        (
            ErrorCode::OFFSET_OUT_OF_RANGE,
            Fetch {
                partitions: vec![(0, -1)],
                ..base.clone()
            },
        ),
        (
            ErrorCode::UNKNOWN_TOPIC_OR_PARTITION,
            Fetch {
                topic: "nothing",
                ..base.clone()
            },
        ),
        (
            ErrorCode::UNKNOWN_TOPIC_OR_PARTITION,
            Fetch {
                partitions: vec![(3, 0)],
                ..base.clone()
            },
        ),
        (
            ErrorCode::UNKNOWN_TOPIC_ID,
            Fetch {
                version: 13,
                topic_id: [9; 16],
                ..base.clone()
            },
        ),
        (
            ErrorCode::FENCED_LEADER_EPOCH,
            Fetch {
                leader_epoch: 4,
                ..base.clone()
            },
        ),
        (
            ErrorCode::UNKNOWN_LEADER_EPOCH,
            Fetch {
                leader_epoch: 6,
                ..base.clone()
            },
        ),
        (
            ErrorCode::NONE,
            Fetch {
                leader_epoch: 5,
                ..base.clone()
            },
        ),
        (
            ErrorCode::UNKNOWN_TOPIC_OR_PARTITION,
            Fetch {
                topic: "__cluster_metadata",
                ..base.clone()
            },
        ),
    ];
    for (expected, fetch) in cases {
        let answer = &client.fetch(&fetch)[0];
        assert_eq!(answer.error_code, expected.code(), "{expected}");
        let no_offsets = (answer.high_watermark, answer.log_start_offset, answer.records.len()) == (-1, -1, 0);
        assert_eq!(no_offsets, !expected.is_ok(), "{expected}");
    }
    let diverging = client.fetch(&Fetch {
        last_fetched_epoch: 5,
        partitions: vec![(0, 9)],
        ..base.clone()
    });
    assert_eq!((diverging[0].error_code, diverging[0].diverging), (0, (5, 1)));
    let session = Fetch {
        session_epoch: 3,
        ..base
    };
    client.send(api::FETCH, session.version, &session.encode());
    let frame = client.receive(api::FETCH, session.version);
    assert_eq!(frame[4..6], error(ErrorCode::FETCH_SESSION_ID_NOT_FOUND).to_be_bytes());
}

#[test]
fn produce_errors_are_kafkas_and_append_nothing() {
    let fixture = Fixture::with(&[], &[("max.message.bytes", "2000")]);
    let internal = Change::Topic(topic_change("__consumer_offsets", [8; 16], 1, 0));
    fixture.node.publish(vec![internal], 11, 1).unwrap();
    let mut client = fixture.connect();
    let good = batch(&[b"a"]);
    let mut corrupt = good.clone();
    *corrupt.last_mut().unwrap() ^= 1;
    let two = [good.clone(), good.clone()].concat();
    let large = batch(&[&[b'x'; 3000]]);
    let transactional = batch_with(
        &[b"t"],
        &Seal {
            transactional: true,
            producer_id: 5,
            producer_epoch: 0,
            base_sequence: 0,
            ..Seal::default()
        },
    );
    let base = || Produce {
        records: &good,
        ..Produce::default()
    };
    let cases = [
        (
            ErrorCode::UNKNOWN_TOPIC_OR_PARTITION,
            Produce {
                topic: "nothing",
                ..base()
            },
        ),
        (
            ErrorCode::UNKNOWN_TOPIC_OR_PARTITION,
            Produce {
                topic: "__cluster_metadata",
                ..base()
            },
        ),
        (
            ErrorCode::UNKNOWN_TOPIC_OR_PARTITION,
            Produce { partition: 3, ..base() },
        ),
        (
            ErrorCode::UNKNOWN_TOPIC_OR_PARTITION,
            Produce {
                partition: -1,
                ..base()
            },
        ),
        (
            ErrorCode::UNKNOWN_TOPIC_ID,
            Produce {
                version: 13,
                topic_id: [9; 16],
                ..base()
            },
        ),
        (
            ErrorCode::INVALID_TOPIC_EXCEPTION,
            Produce {
                topic: "__consumer_offsets",
                ..base()
            },
        ),
        (ErrorCode::INVALID_REQUIRED_ACKS, Produce { acks: 2, ..base() }),
        (
            ErrorCode::INVALID_TXN_STATE,
            Produce {
                transactional_id: Some("t"),
                records: &transactional,
                ..base()
            },
        ),
        (
            ErrorCode::TRANSACTIONAL_ID_AUTHORIZATION_FAILED,
            Produce {
                records: &transactional,
                ..base()
            },
        ),
        (
            ErrorCode::CORRUPT_MESSAGE,
            Produce {
                records: &corrupt,
                ..base()
            },
        ),
        (
            ErrorCode::INVALID_RECORD,
            Produce {
                records: &good[..good.len() - 1],
                ..base()
            },
        ),
        (
            ErrorCode::INVALID_RECORD,
            Produce {
                records: &good[..7],
                ..base()
            },
        ),
        (ErrorCode::INVALID_RECORD, Produce { records: &[], ..base() }),
        (
            ErrorCode::INVALID_RECORD,
            Produce {
                records: &two,
                ..base()
            },
        ),
        (
            ErrorCode::MESSAGE_TOO_LARGE,
            Produce {
                records: &large,
                ..base()
            },
        ),
    ];
    for (expected, produce) in cases {
        let answer = client.produce_with(&produce);
        assert_eq!((ErrorCode(answer.error_code), answer.base_offset), (expected, -1));
    }
    assert_eq!(client.produce(0, &good), (0, 0));
}

#[test]
fn acks_zero_has_no_answer_and_an_error_closes() {
    let fixture = Fixture::start();
    let mut client = fixture.connect();
    let records = batch(&[b"a"]);
    let silent = Produce {
        acks: 0,
        records: &records,
        ..Produce::default()
    };
    client.send(api::PRODUCE, silent.version, &silent.encode());
    assert_eq!(client.produce(0, &records), (0, 1));
    let wrong = Produce { partition: 9, ..silent };
    client.send(api::PRODUCE, wrong.version, &wrong.encode());
    assert!(client.is_closed());
}

#[test]
fn a_duplicate_gets_its_first_offset_also_after_a_restart() {
    let fixture = Fixture::start();
    let sequence = |base_sequence| Seal {
        producer_id: 77,
        producer_epoch: 0,
        base_sequence,
        ..Seal::default()
    };
    let mut client = fixture.connect();
    let first = batch_with(&[b"a", b"b"], &sequence(0));
    let second = batch_with(&[b"c"], &sequence(2));
    assert_eq!(client.produce(0, &first), (0, 0));
    assert_eq!(client.produce(0, &second), (0, 2));
    assert_eq!(client.produce(0, &first), (0, 0));
    let gap = batch_with(&[b"e"], &sequence(4));
    assert_eq!(
        client.produce(0, &gap).0,
        error(ErrorCode::OUT_OF_ORDER_SEQUENCE_NUMBER)
    );
    let fixture = fixture.restart(&[]);
    let mut client = fixture.connect();
    assert_eq!(client.produce(0, &second), (0, 2));
    assert_eq!(client.produce(0, &batch_with(&[b"d"], &sequence(3))), (0, 3));
    assert_eq!(client.fetch(&Fetch::default())[0].values().len(), 4);
}

#[test]
fn everything_is_there_after_a_restart() {
    let fixture = Fixture::start();
    let mut client = fixture.connect();
    let expected: Vec<_> = (0..50_i64).map(|i| (i, i.to_be_bytes().to_vec())).collect();
    for (_, value) in &expected {
        client.produce(1, &batch(&[value]));
    }
    let fixture = fixture.restart(&[]);
    let mut client = fixture.connect();
    let answers = client.fetch(&Fetch {
        partitions: vec![(0, 0), (1, 0)],
        ..Fetch::default()
    });
    assert_eq!((answers[0].high_watermark, answers[1].high_watermark), (0, 50));
    assert_eq!(answers[1].values(), expected);
    assert_eq!(client.produce(1, &batch(&[b"next"])), (0, 50));
}

#[test]
fn sendfile_and_the_buffered_path_send_the_same() {
    let fixture = Fixture::start();
    let mut client = fixture.connect();
    for i in 0..40_u8 {
        client.produce(i32::from(i % 3), &batch(&[&vec![i; 50_000]]));
    }
    let fetch = Fetch {
        partition_max_bytes: 300_000,
        partitions: vec![(0, 3), (1, 0), (2, 13)],
        ..Fetch::default()
    };
    client.send(api::FETCH, fetch.version, &fetch.encode());
    let by_sendfile = client.receive(api::FETCH, fetch.version);
    let fixture = fixture.restart(&[("barnabas.send", "buffered")]);
    let mut client = fixture.connect();
    client.send(api::FETCH, fetch.version, &fetch.encode());
    let buffered = client.receive(api::FETCH, fetch.version);
    assert!(by_sendfile == buffered && buffered.len() > 500_000);
}
