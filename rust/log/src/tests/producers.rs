//! Producers as the log knows them: repeated batches, sequences, expiry, open transactions.

use barnabas_records::{ControlKey, EndTransactionMarker, Seal, build_control_batch, control_type};

use super::append::info;
use super::batches::*;
use super::cleaner::history::{PLAIN, Shape, end, put};
use super::sim::SimStorage;
use crate::LogConfig;
use crate::partition_log::{AppendInfo, AppendOrigin};

/// The last five batches of a producer are known, in any order of repetition, and answered with their offsets.
#[test]
fn repeated_batches_are_answered_with_their_offsets() {
    let log = open(&SimStorage::shared(), LogConfig::default());
    for index in 0..7 {
        append(&log, &produced(1, 0, index * 2, 2));
    }
    for index in [4, 2, 6, 3, 5] {
        let again = append(&log, &produced(1, 0, index * 2, 2));
        let expected = AppendInfo {
            duplicate: true,
            ..info(i64::from(index) * 2, i64::from(index) * 2 + 1, 0)
        };
        assert_eq!(again, expected);
    }
    let error = try_append(&log, &produced(1, 0, 2, 2)).unwrap_err();
    assert_eq!(error.code(), 45, "older than the last five: {error}");
    assert_eq!(log.log_end_offset(), 14);
}

/// Sequence rules: producer epoch and first sequence of an append after one of epoch 3 with sequences 0 to 4.
#[test]
fn sequences_must_follow() {
    for (epoch, sequence, expected) in [
        (3, 5, Ok(())),
        (3, 6, Err(45)),
        (3, 1, Err(45)),
        (2, 5, Err(47)),
        (4, 0, Ok(())),
        (4, 5, Err(45)),
    ] {
        let log = open(&SimStorage::shared(), LogConfig::default());
        append(&log, &produced(9, 3, 0, 5));
        let outcome = try_append(&log, &produced(9, epoch, sequence, 3));
        assert_eq!(
            outcome.map(|_| ()).map_err(|error| error.code()),
            expected,
            "epoch {epoch} sequence {sequence}"
        );
    }
}

#[test]
fn an_unknown_producer_may_begin_at_any_sequence() {
    let log = open(&SimStorage::shared(), LogConfig::default());
    append(&log, &produced(9, 3, 77, 5));
    append(&log, &produced(9, 3, 82, 5));
}

#[test]
fn sequences_wrap() {
    let log = open(&SimStorage::shared(), LogConfig::default());
    append(&log, &produced(1, 0, i32::MAX - 1, 4));
    append(&log, &produced(1, 0, 2, 1));
    let again = append(&log, &produced(1, 0, i32::MAX - 1, 4));
    assert_eq!((again.duplicate, again.base_offset, again.last_offset), (true, 0, 3));
    append(&log, &produced(2, 0, i32::MAX, 1));
    append(&log, &produced(2, 0, 0, 1));
}

#[test]
fn idle_producers_are_forgotten() {
    let log = open(
        &SimStorage::shared(),
        LogConfig {
            producer_id_expiration_ms: 100,
            ..LogConfig::default()
        },
    );
    append(&log, &produced(1, 5, 0, 1));
    log.expire_producers(NOW + 99).unwrap();
    assert_eq!(try_append(&log, &produced(1, 4, 0, 1)).unwrap_err().code(), 47);
    log.expire_producers(NOW + 100).unwrap();
    append(&log, &produced(1, 4, 0, 1));
}

#[test]
fn a_transaction_holds_back_the_last_stable_offset() {
    let log = open(&SimStorage::shared(), LogConfig::default());
    let internal = |mut bytes: Vec<u8>| log.append(&mut bytes, 0, NOW, AppendOrigin::Internal).unwrap();
    let transactional = Seal {
        transactional: true,
        producer_id: 5,
        producer_epoch: 0,
        base_sequence: 0,
        ..Seal::default()
    };
    internal(batch(2, 1));
    internal(batch_with(&transactional, 2, 1, NOW));
    internal(batch(1, 1));
    log.set_high_watermark(5);
    assert_eq!(log.last_stable_offset(), 2);
    let key = ControlKey {
        version: 0,
        control_type: control_type::COMMIT,
    };
    let value = EndTransactionMarker {
        version: 0,
        coordinator_epoch: 1,
    }
    .to_bytes();
    let marker = Seal {
        base_sequence: -1,
        ..transactional
    };
    internal(build_control_batch(Vec::new(), key, &value, NOW, &marker).unwrap());
    log.set_high_watermark(6);
    assert_eq!(log.last_stable_offset(), 6);
}

#[test]
fn a_producer_with_an_open_transaction_writes_nothing_else() {
    let log = open(&SimStorage::shared(), LogConfig::default());
    let transactional = Shape {
        producer: Some((4, 0, 0)),
        transactional: true,
        ..PLAIN
    };
    put(&log, transactional, &[("k", Some("v"))]);
    let codes = |base_sequence| try_append(&log, &produced(4, 0, base_sequence, 1)).map_err(|error| error.code());
    assert_eq!(codes(1).unwrap_err(), 48);
    assert_eq!(codes(2).unwrap_err(), 45);
    end(&log, 4, 0, true, NOW);
    assert_eq!(codes(1).unwrap().base_offset, 2);
}
