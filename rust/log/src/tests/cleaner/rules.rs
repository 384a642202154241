//! Kafka's rules, one test each.

use barnabas_records::{Compression, control_type};

use super::history::*;
use crate::LogConfig;
use crate::cleaner::{CleanOutcome, Cleaner, CleanerConfig, Pace};
use crate::tests::batches::*;
use crate::tests::sim::SimStorage;

const DAY: i64 = 86_400_000;

fn compacted() -> LogConfig {
    LogConfig {
        compact: true,
        delete: false,
        ..LogConfig::default()
    }
}

fn texts(log: &crate::PartitionLog) -> Vec<(i64, String)> {
    read(log, 1 << 20).texts()
}

fn expect(pairs: &[(i64, &str)]) -> Vec<(i64, String)> {
    pairs
        .iter()
        .map(|(offset, text)| (*offset, (*text).to_owned()))
        .collect()
}

#[test]
fn only_the_newest_record_of_a_key_stays() {
    for compression in Compression::ALL {
        let storage = SimStorage::shared();
        let log = open(&storage, compacted());
        let shape = Shape { compression, ..PLAIN };
        put(&log, shape, &[("a", Some("1")), ("b", Some("1")), ("a", Some("2"))]);
        put(&log, shape, &[("b", Some("2")), ("c", Some("1"))]);
        log.roll(NOW).unwrap();
        put(&log, shape, &[("a", Some("3"))]);
        let (end, stats) = clean(&log, NOW);
        // The active segment is not compacted, and says nothing about older records.
        assert_eq!(
            texts(&log),
            expect(&[(2, "a=2"), (3, "b=2"), (4, "c=1"), (5, "a=3")]),
            "{compression:?}"
        );
        assert_eq!((end, stats.keys, stats.records_read, stats.records_kept), (5, 3, 5, 3));
        log.roll(NOW).unwrap();
        clean(&log, NOW);
        assert_eq!(texts(&log), expect(&[(3, "b=2"), (4, "c=1"), (5, "a=3")]));
        let reopened = open(&storage, compacted());
        assert_eq!(texts(&reopened), texts(&log));
        assert_eq!(reopened.log_end_offset(), 6);
    }
}

#[test]
fn tombstones_stay_for_their_time() {
    let storage = SimStorage::shared();
    let log = open(&storage, compacted());
    put(&log, PLAIN, &[("a", Some("1")), ("b", Some("1"))]);
    put(&log, PLAIN, &[("a", None), ("c", Some("1"))]);
    put(&log, PLAIN, &[("d", Some("1"))]);
    log.roll(NOW).unwrap();
    clean(&log, NOW);
    let expected = expect(&[(1, "b=1"), (2, "a=-"), (3, "c=1"), (4, "d=1")]);
    assert_eq!(texts(&log), expected);
    assert_eq!(
        read(&log, 1 << 20).horizons.into_iter().collect::<Vec<_>>(),
        [(2, NOW + DAY)]
    );
    // The horizon counts from the first round and does not move.
    let mut now = NOW;
    for (step, expected) in [(DAY - 1, expected), (1, expect(&[(1, "b=1"), (3, "c=1"), (4, "d=1")]))] {
        now += step;
        put(&log, PLAIN, &[("z", Some("1"))]);
        log.roll(now).unwrap();
        clean(&log, now);
        let mut found = texts(&log);
        found.pop();
        assert_eq!(found, expected);
    }
    // The timestamps of what was beside the tombstone are as before.
    assert_eq!(read(&log, 1 << 20).records[&3].timestamp, NOW + 1);
}

#[test]
fn nothing_behind_the_last_stable_offset_is_touched() {
    let storage = SimStorage::shared();
    let log = open(&storage, compacted());
    put(&log, PLAIN, &[("a", Some("1"))]);
    put(&log, PLAIN, &[("a", Some("2"))]);
    log.roll(NOW).unwrap();
    let open_one = Shape {
        producer: Some((7, 0, 0)),
        transactional: true,
        ..PLAIN
    };
    put(&log, PLAIN, &[("a", Some("3"))]);
    put(&log, open_one, &[("a", Some("4"))]);
    log.roll(NOW).unwrap();
    put(&log, PLAIN, &[("a", Some("5"))]);
    log.roll(NOW).unwrap();
    let dirty = log.dirty(NOW).unwrap().unwrap();
    assert_eq!((dirty.first_dirty_offset, dirty.first_uncleanable_offset), (0, 2));
    clean(&log, NOW);
    let expected = expect(&[(1, "a=2"), (2, "a=3"), (3, "a=4"), (4, "a=5")]);
    assert_eq!(texts(&log), expected);
    end(&log, 7, 0, true, NOW);
    log.roll(NOW).unwrap();
    clean(&log, NOW);
    // The empty batch has the producer's last sequence number.
    assert_eq!(texts(&log), expect(&[(4, "a=5")]));
    assert_eq!(read(&log, 1 << 20).empty.into_iter().collect::<Vec<_>>(), [3]);
}

#[test]
fn young_records_and_the_high_watermark_bound_a_round() {
    let storage = SimStorage::shared();
    let mut config = compacted();
    config.min_compaction_lag_ms = 1000;
    let log = open(&storage, config.clone());
    for step in 0..4 {
        let shape = Shape {
            timestamp: NOW + step * 1000,
            ..PLAIN
        };
        put(&log, shape, &[("a", Some("x"))]);
        log.roll(NOW).unwrap();
    }
    let uncleanable = |now| log.dirty(now).unwrap().unwrap().first_uncleanable_offset;
    assert_eq!(uncleanable(NOW + 999), 0);
    assert_eq!(uncleanable(NOW + 1000), 1);
    assert_eq!(uncleanable(NOW + 3000), 3);
    assert_eq!(uncleanable(NOW + 9000), 4);
    // Too little of it is dirty, but what is has waited too long.
    config.min_cleanable_dirty_ratio = 1.0;
    config.max_compaction_lag_ms = 5000;
    log.set_config(config.clone());
    let dirty = |now| log.dirty(now).unwrap().unwrap();
    assert!(!dirty(NOW + 5000).is_due(1.0));
    assert!(dirty(NOW + 5001).is_due(1.0));
    assert_eq!(dirty(NOW + 5001).overdue_ms, 1);

    let again = SimStorage::shared();
    let log = open(&again, compacted());
    for _ in 0..4 {
        append(&log, &batch(1, 10));
        log.roll(NOW).unwrap();
    }
    log.set_high_watermark(2);
    assert_eq!(log.dirty(NOW).unwrap().unwrap().first_uncleanable_offset, 2);
}

#[test]
fn aborted_records_go_and_their_markers_follow_in_time() {
    let storage = SimStorage::shared();
    let log = open(&storage, compacted());
    let of = |producer_id, sequence| Shape {
        producer: Some((producer_id, 0, sequence)),
        transactional: true,
        ..PLAIN
    };
    put(&log, PLAIN, &[("a", Some("committed before"))]);
    put(&log, of(7, 0), &[("a", Some("aborted"))]);
    put(&log, of(8, 0), &[("b", Some("committed"))]);
    end(&log, 7, 0, false, NOW);
    end(&log, 8, 0, true, NOW);
    // Both producers go on, so that nothing is kept for their sake.
    put(&log, of(7, 1), &[("x", Some("1"))]);
    put(&log, of(8, 1), &[("y", Some("1"))]);
    end(&log, 7, 0, true, NOW);
    end(&log, 8, 0, true, NOW);
    log.roll(NOW).unwrap();
    clean(&log, NOW);
    let after = read(&log, 1 << 20);
    let expected = expect(&[(0, "a=committed before"), (2, "b=committed"), (5, "x=1"), (6, "y=1")]);
    assert_eq!(after.texts(), expected);
    assert_eq!(after.markers.keys().copied().collect::<Vec<_>>(), [3, 4, 7, 8]);
    assert_eq!(after.markers[&3], control_type::ABORT);
    assert!(
        after.horizons.is_empty(),
        "the first round met records of every transaction"
    );
    assert_eq!(
        log.aborted_transactions(0, 9).unwrap().len(),
        1,
        "as long as the marker does"
    );

    let mut now = NOW;
    let round = |now| {
        put(&log, PLAIN, &[("z", Some("1"))]);
        log.roll(now).unwrap();
        clean(&log, now);
        read(&log, 1 << 20)
    };
    let second = round(now);
    assert_eq!(second.horizons.into_iter().collect::<Vec<_>>(), [(3, now + DAY)]);
    assert_eq!(log.aborted_transactions(0, 9).unwrap(), []);
    now += DAY - 1;
    assert!(round(now).markers.contains_key(&3));
    now += 1;
    let last = round(now);
    assert_eq!(last.markers.keys().copied().collect::<Vec<_>>(), [4, 7, 8]);
    assert_eq!(&last.texts()[..4], expected);
}

#[test]
fn a_producers_last_sequence_outlives_its_records() {
    let storage = SimStorage::shared();
    let log = open(&storage, compacted());
    let of = |sequence| Shape {
        producer: Some((7, 3, sequence)),
        ..PLAIN
    };
    put(&log, of(0), &[("a", Some("1"))]);
    put(&log, of(1), &[("a", Some("2")), ("b", Some("1"))]);
    put(&log, PLAIN, &[("a", Some("3")), ("b", Some("2"))]);
    put(&log, PLAIN, &[("c", Some("2"))]);
    log.roll(NOW).unwrap();
    clean(&log, NOW);
    let after = read(&log, 1 << 20);
    assert_eq!(after.texts(), expect(&[(3, "a=3"), (4, "b=2"), (5, "c=2")]));
    assert_eq!(after.empty.into_iter().collect::<Vec<_>>(), [1]);
    // Without the snapshots the state comes from the log.
    drop(log);
    let names = storage.read_dir(&dir()).unwrap();
    for entry in names.iter().filter(|entry| entry.name.ends_with(".snapshot")) {
        storage.remove_file(&dir().join(&entry.name)).unwrap();
    }
    let log = open(&storage, compacted());
    let gap = try_append(&log, &produced(7, 3, 9, 1)).unwrap_err();
    assert_eq!(gap.code(), 45, "{gap}");
    assert!(!append(&log, &produced(7, 3, 3, 1)).duplicate);
}

#[test]
fn keyless_records_of_an_older_policy_go() {
    let storage = SimStorage::shared();
    let log = open(&storage, LogConfig::default());
    let mut builder = barnabas_records::BatchBuilder::new(Vec::new());
    builder.append(NOW, None, Some(b"no key"), &[]).unwrap();
    let bytes = builder
        .finish(&barnabas_records::Seal::default(), &mut Vec::new())
        .unwrap();
    append(&log, &bytes);
    put(&log, PLAIN, &[("a", Some("1"))]);
    log.roll(NOW).unwrap();
    log.set_config(compacted());
    assert_eq!(try_append(&log, &bytes).unwrap_err().code(), 87);
    let (_, stats) = clean(&log, NOW);
    assert_eq!(stats.keyless, 1);
    assert_eq!(texts(&log), expect(&[(1, "a=1")]));
}

#[test]
fn a_small_map_takes_several_rounds() {
    let storage = SimStorage::shared();
    let log = open(&storage, compacted());
    for step in 0..40 {
        let key = format!("key {}", step % 20);
        put(&log, PLAIN, &[(&key, Some("1"))]);
    }
    log.roll(NOW).unwrap();
    let config = CleanerConfig {
        dedupe_buffer_bytes: 24 * 20,
        dedupe_load_factor: 0.5,
        ..CleanerConfig::default()
    };
    let mut ends = Vec::new();
    while ends.last() != Some(&40) {
        let (end, stats) = clean_with(&log, config, NOW);
        assert!(stats.keys <= 10);
        ends.push(end);
    }
    assert_eq!(ends, [10, 20, 30, 40]);
    let offsets: Vec<i64> = texts(&log).into_iter().map(|(offset, _)| offset).collect();
    assert_eq!(offsets, (20..40).collect::<Vec<_>>());

    let log = open(&SimStorage::shared(), compacted());
    let keys: Vec<String> = (0..50).map(|key| key.to_string()).collect();
    let records: Vec<(&str, Option<&str>)> = keys.iter().map(|key| (key.as_str(), None)).collect();
    put(&log, PLAIN, &records);
    log.roll(NOW).unwrap();
    let dirty = log.dirty(NOW).unwrap().unwrap();
    let error = Cleaner::new(config)
        .clean(&log, &dirty, NOW, &crate::cleaner::FullSpeed)
        .unwrap_err();
    assert!(error.to_string().contains("log.cleaner.dedupe.buffer.size"), "{error}");
}

#[test]
fn small_neighbours_become_one_segment() {
    let storage = SimStorage::shared();
    let mut config = compacted();
    config.segment_bytes = 2000;
    let log = open(&storage, config.clone());
    for step in 0..10 {
        let shape = Shape {
            timestamp: NOW + step,
            ..PLAIN
        };
        put(&log, shape, &[(&format!("{}", step % 3), Some(&"x".repeat(300)))]);
        log.roll(NOW).unwrap();
    }
    let bases = |log: &crate::PartitionLog| {
        log.segments()
            .iter()
            .map(|segment| segment.base_offset)
            .collect::<Vec<_>>()
    };
    assert_eq!(bases(&log), (0..=10).collect::<Vec<_>>());
    clean(&log, NOW);
    // Five segments of 370 bytes go together each time.
    assert_eq!(bases(&log), [0, 5, 10]);
    assert_eq!(texts(&log).len(), 3);
    // The end of the first group is known although its last record went.
    assert_eq!(read(&log, 100).empty.into_iter().collect::<Vec<_>>(), [4]);
    // It has no time of its own: in Kafka's log of this history it would not be, and no time index would point to it.
    let times = |log: &crate::PartitionLog| {
        log.segments()
            .iter()
            .map(|segment| segment.with_tail(|tail| (tail.max_timestamp, tail.times.len())))
            .collect::<Vec<_>>()
    };
    assert_eq!(times(&log), [(-1, 0), (NOW + 9, 1), (-1, 0)]);
    let reopened = open(&storage, config);
    assert_eq!(bases(&reopened), [0, 5, 10]);
    assert_eq!(times(&reopened), [(-1, 0), (NOW + 9, 1), (-1, 0)]);
}

/// Gives up, or changes the log, after so many steps.
struct Disturb<F>(std::sync::atomic::AtomicUsize, F);

impl<F> std::fmt::Debug for Disturb<F> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Disturb")
    }
}

impl<F: Fn() -> bool + Send + Sync> Pace for Disturb<F> {
    fn go_on(&self, _bytes: usize) -> bool {
        self.0.fetch_sub(1, std::sync::atomic::Ordering::SeqCst) != 1 || self.1()
    }
}

#[test]
fn what_else_changes_the_log_wins() {
    type Change = fn(&crate::PartitionLog) -> bool;
    let changes: [(&str, Change); 6] = [
        ("stop", |_| false),
        ("truncation", |log| log.truncate_to(3, NOW).is_ok()),
        ("full truncation", |log| log.truncate_fully(100, NOW).is_ok()),
        ("retention", |log| {
            log.set_config(LogConfig {
                delete: true,
                retention_bytes: 0,
                compact: true,
                ..LogConfig::default()
            });
            log.apply_retention(NOW).unwrap().segments > 0
        }),
        ("deletion", |log| log.delete(NOW).is_ok()),
        ("close", |log| log.close().is_ok()),
    ];
    for (what, change) in changes {
        for step in 1.. {
            let storage = SimStorage::shared();
            let log = open(&storage, compacted());
            for index in 0..8 {
                put(&log, PLAIN, &[(&format!("{}", index % 2), Some("x"))]);
                if index % 2 == 1 {
                    log.roll(NOW).unwrap();
                }
            }
            let config = CleanerConfig {
                io_buffer_bytes: 1,
                ..CleanerConfig::default()
            };
            let dirty = log.dirty(NOW).unwrap().unwrap();
            let pace = Disturb(step.into(), || change(&log));
            let outcome = Cleaner::new(config).clean(&log, &dirty, NOW, &pace).unwrap();
            let names = storage.read_dir(&dir()).unwrap_or_default();
            for entry in &names {
                let is_left = [".cleaned", ".swap"].iter().any(|suffix| entry.name.ends_with(suffix));
                assert!(!is_left, "{what} at {step}: {names:?}");
            }
            if outcome != CleanOutcome::GivenUp {
                break;
            }
            assert!(step < 100, "{what}");
        }
    }
}

#[test]
fn readers_with_the_old_segments_go_on() {
    let storage = SimStorage::shared();
    let log = open(&storage, compacted());
    for _ in 0..4 {
        put(&log, PLAIN, &[("a", Some("1")), ("b", Some("2"))]);
    }
    log.roll(NOW).unwrap();
    let slice = log.read(0, 1 << 20, true, i64::MAX).unwrap();
    let before = slice.read().unwrap();
    clean(&log, NOW);
    assert_eq!(slice.read().unwrap(), before);
    assert_eq!(texts(&log), expect(&[(6, "a=1"), (7, "b=2")]));
    // A consumer that was in the middle of what went gets what follows.
    let slice = log.read(3, 1 << 20, true, i64::MAX).unwrap();
    assert_eq!(slice.base_offset, 6);
}
