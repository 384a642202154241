//! Readers beside an appender that rolls all the time, on real files.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::batches::*;
use crate::partition_log::{OpenContext, PartitionLog};
use crate::{AppendOrigin, FileStorage, LogConfig, LogError};

const BATCHES: i64 = 2000;

fn open_real(dir: &std::path::Path) -> PartitionLog {
    let config = LogConfig {
        segment_bytes: 4000,
        index_interval_bytes: 300,
        ..LogConfig::default()
    };
    PartitionLog::open(
        Arc::new(FileStorage),
        dir.join("t-0"),
        TOPIC_ID,
        config,
        OpenContext::unclean(NOW),
    )
    .unwrap()
}

/// Every read returns whole, sound batches that begin where they were asked for and end below the bound.
#[test]
fn readers_see_whole_batches_below_the_high_watermark() {
    let dir = tempfile::tempdir().unwrap();
    let log = open_real(dir.path());
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for step in [1, 7, 400] {
            let (log, done) = (&log, &done);
            scope.spawn(move || {
                let mut offset = 0;
                loop {
                    let last_round = done.load(Ordering::Acquire);
                    let bound = log.high_watermark();
                    let slice = log.read(offset, step * 150, true, bound).unwrap();
                    for batch in decode(&slice.read().unwrap()) {
                        assert_eq!(batch.base_offset, offset);
                        offset = batch.records.last().unwrap().0 + 1;
                        assert!(offset <= bound);
                    }
                    if slice.is_empty() {
                        assert_eq!(offset, bound);
                        if last_round {
                            break;
                        }
                    }
                }
                assert_eq!(offset, BATCHES * 2);
            });
        }
        for _ in 0..BATCHES {
            let info = append(&log, &batch(2, 30));
            log.set_high_watermark(info.last_offset + 1);
        }
        done.store(true, Ordering::Release);
    });
}

/// Appenders on several threads get different offsets; flushes beside them end with everything on disk.
#[test]
fn appenders_and_flushes_share_the_log() {
    let dir = tempfile::tempdir().unwrap();
    let log = open_real(dir.path());
    let offsets: Vec<i64> = std::thread::scope(|scope| {
        let appenders: Vec<_> = (0..3)
            .map(|_| {
                scope.spawn(|| {
                    let mut offsets = Vec::new();
                    for index in 0..200 {
                        let mut bytes = batch(1, 20);
                        offsets.push(
                            log.append(&mut bytes, 0, NOW, AppendOrigin::Client)
                                .unwrap()
                                .base_offset,
                        );
                        if index % 50 == 0 {
                            let end = *offsets.last().unwrap();
                            assert!(log.flush().unwrap() > end);
                        }
                    }
                    offsets
                })
            })
            .collect();
        appenders
            .into_iter()
            .flat_map(|appender| appender.join().unwrap())
            .collect()
    });
    assert_eq!(offsets.into_iter().collect::<BTreeSet<_>>(), (0..600).collect());
    assert_eq!(base_offsets(&log), (0..600).collect::<Vec<_>>());
    assert_eq!(log.flush().unwrap(), 600);
}

#[test]
fn a_deleted_partition_answers_its_readers() {
    let dir = tempfile::tempdir().unwrap();
    let log = open_real(dir.path());
    for _ in 0..200 {
        append(&log, &batch(2, 30));
    }
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                for round in 0.. {
                    match log.read(round % 400, 500, true, 400) {
                        Ok(slice) => assert!(!decode(&slice.read().unwrap()).is_empty()),
                        Err(LogError::Closed { .. }) => break,
                        Err(other) => panic!("{other}"),
                    }
                }
            });
        }
        log.delete(NOW).unwrap();
    });
    let names: Vec<_> = std::fs::read_dir(dir.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert!(
        matches!(names.as_slice(), [name] if name.ends_with("-delete")),
        "{names:?}"
    );
}
