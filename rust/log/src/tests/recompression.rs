//! Topics with a codec of their own, and append times in compressed batches.

use std::sync::Arc;

use barnabas_records::{BatchBuilder, BatchRef, Compression, Seal};

use super::batches::*;
use super::sim::SimStorage;
use crate::partition_log::{AppendOrigin, PartitionLog};
use crate::{LogConfig, TargetCompression, TimestampType};

const CODECS: [Compression; 5] = [
    Compression::None,
    Compression::Gzip,
    Compression::Snappy,
    Compression::Lz4,
    Compression::Zstd,
];

#[expect(clippy::unnecessary_wraps, reason = "an option's value, or none")]
fn target(codec: Compression) -> Option<TargetCompression> {
    Some(TargetCompression { codec, level: None })
}

/// Bytes of the one batch in the log.
fn stored(log: &PartitionLog) -> Vec<u8> {
    let slice = log.read(0, 1 << 20, true, i64::MAX).unwrap();
    slice.read().unwrap()
}

fn log_with(config: LogConfig) -> PartitionLog {
    open(&SimStorage::shared(), config)
}

#[test]
fn every_codec_becomes_the_topics_own_and_the_records_stay() {
    for source in CODECS {
        let sent = batch_with(
            &Seal {
                compression: source,
                producer_id: 9,
                producer_epoch: 2,
                base_sequence: 5,
                ..Seal::default()
            },
            20,
            100,
            NOW,
        );
        let expected = decode(&sent);
        for codec in CODECS {
            let log = log_with(LogConfig {
                compression: target(codec),
                ..LogConfig::default()
            });
            let info = log.append(&mut sent.clone(), 0, NOW, AppendOrigin::Client).unwrap();
            let bytes = stored(&log);
            let found = BatchRef::parse(&bytes).unwrap();
            found.check_crc().unwrap();
            assert_eq!((found.header.compression().unwrap(), info.bytes), (codec, bytes.len()));
            let sent = BatchRef::parse(&sent).unwrap().header;
            for (found, sent) in [
                (found.header.producer_id, sent.producer_id),
                (i64::from(found.header.base_sequence), i64::from(sent.base_sequence)),
                (found.header.base_timestamp, sent.base_timestamp),
                (found.header.max_timestamp, sent.max_timestamp),
                (i64::from(found.header.record_count), i64::from(sent.record_count)),
            ] {
                assert_eq!(found, sent);
            }
            let found = decode(&bytes);
            assert_eq!(found.len(), 1);
            assert_eq!(found[0].records, expected[0].records, "{source:?} as {codec:?}");
        }
    }
}

#[test]
fn a_batch_of_the_topics_own_codec_stays_as_it_came() {
    for codec in CODECS {
        let log = log_with(LogConfig {
            compression: target(codec),
            ..LogConfig::default()
        });
        let sent = compressed(codec, 30);
        append(&log, &sent);
        let bytes = stored(&log);
        assert_eq!(
            bytes[12 + 4 + 1..],
            sent[12 + 4 + 1..],
            "{codec:?}: all behind the leader epoch"
        );
    }
}

#[test]
fn a_level_is_the_one_that_was_asked_for() {
    let size_at = |level| {
        let log = log_with(LogConfig {
            compression: Some(TargetCompression {
                codec: Compression::Zstd,
                level: Some(level),
            }),
            ..LogConfig::default()
        });
        let mut builder = BatchBuilder::new(Vec::new());
        for index in 0..2000_u32 {
            let value = format!(
                "{{\"id\":{index},\"name\":\"customer {}\"}}",
                index.wrapping_mul(2_654_435_761)
            );
            builder.append(NOW, Some(b"key"), Some(value.as_bytes()), &[]).unwrap();
        }
        let mut bytes = builder.finish(&Seal::default(), &mut Vec::new()).unwrap();
        log.append(&mut bytes, 0, NOW, AppendOrigin::Client).unwrap().bytes
    };
    assert!(size_at(19) < size_at(1) && size_at(1) < size_at(-50));
}

#[test]
fn what_is_too_large_once_it_is_stored_is_refused() {
    let sent = compressed(Compression::Zstd, 200);
    let limits = LogConfig {
        max_message_bytes: sent.len() + 100,
        ..LogConfig::default()
    };
    append(&log_with(limits.clone()), &sent);
    let log = log_with(LogConfig {
        compression: target(Compression::None),
        ..limits
    });
    assert_eq!(try_append(&log, &sent).unwrap_err().code(), 10);
    assert_eq!(log.log_end_offset(), 0);
    let log = log_with(LogConfig {
        compression: target(Compression::None),
        segment_bytes: sent.len() as u64 + 100,
        ..LogConfig::default()
    });
    assert_eq!(try_append(&log, &sent).unwrap_err().code(), 18);
}

#[test]
fn damage_inside_is_found_before_it_is_stored_anew() {
    let log = log_with(LogConfig {
        compression: target(Compression::Lz4),
        ..LogConfig::default()
    });
    let mut sent = compressed(Compression::Gzip, 30);
    let middle = sent.len() / 2;
    sent[middle] ^= 0xff;
    let crc = barnabas_records::crc32c(&sent[21..]);
    sent[17..21].copy_from_slice(&crc.to_be_bytes());
    try_append(&log, &sent).unwrap_err();
    assert_eq!(log.log_end_offset(), 0);
}

#[test]
fn the_append_time_holds_in_compressed_batches_too() {
    for (source, own) in [
        (Compression::Gzip, None),
        (Compression::Zstd, target(Compression::Lz4)),
        (Compression::None, target(Compression::Snappy)),
    ] {
        let log = log_with(LogConfig {
            compression: own,
            message_timestamp_type: TimestampType::LogAppend,
            ..LogConfig::default()
        });
        let mut sent = compressed(source, 5);
        let info = log.append(&mut sent, 0, NOW + 77, AppendOrigin::Client).unwrap();
        assert_eq!(info.log_append_time, NOW + 77);
        let bytes = stored(&log);
        let header = BatchRef::parse(&bytes).unwrap().header;
        assert!(header.is_log_append_time());
        assert_eq!(header.max_timestamp, NOW + 77);
        let times: Vec<i64> = decode(&bytes)[0].records.iter().map(|record| record.1).collect();
        assert_eq!(times, [NOW + 77; 5]);
        assert_eq!(log.offset_for_timestamp(NOW + 77, i64::MAX).unwrap().unwrap().offset, 0);
    }
}

#[test]
fn a_repeated_batch_is_known_whatever_it_was_stored_as() {
    let log = log_with(LogConfig {
        compression: target(Compression::Zstd),
        ..LogConfig::default()
    });
    append(&log, &produced(1, 0, 0, 3));
    let again = append(&log, &produced(1, 0, 0, 3));
    assert_eq!((again.duplicate, again.base_offset, log.log_end_offset()), (true, 0, 3));
}

#[test]
fn control_batches_are_never_compressed() {
    let log = log_with(LogConfig {
        compression: target(Compression::Gzip),
        ..LogConfig::default()
    });
    let marker = barnabas_records::EndTransactionMarker {
        version: 0,
        coordinator_epoch: 0,
    };
    let seal = Seal {
        producer_id: 1,
        producer_epoch: 0,
        transactional: true,
        control: true,
        ..Seal::default()
    };
    let value = marker.to_bytes();
    let mut builder = BatchBuilder::new(Vec::new());
    builder.append(NOW, Some(&[0, 0, 0, 1]), Some(&value), &[]).unwrap();
    let mut several = builder.finish(&seal, &mut Vec::new()).unwrap();
    several.extend(batch(2, 300));
    log.append(&mut several, 0, NOW, AppendOrigin::Internal).unwrap();
    let bytes = stored(&log);
    let codecs: Vec<_> = barnabas_records::BatchIter::new(&bytes)
        .map(|batch| batch.unwrap().header.compression().unwrap())
        .collect();
    assert_eq!(codecs, [Compression::None, Compression::Gzip]);
    assert_eq!(Arc::new(log).log_end_offset(), 3);
}
