//! Seeded runs that end in a crash at any change to the file system, and what must hold after opening again.
//!
//! `SEEDS=n` runs more of them; a failure names its seed, and `SEED=s` runs only that one.

use std::sync::Arc;

use super::batches::*;
use super::sim::{Fault, Random, SimStorage, seeds};
use crate::partition_log::{OpenContext, PartitionLog};
use crate::storage::Storage;
use crate::{AppendOrigin, LogConfig};

/// What a run did before it ended.
struct Run {
    storage: SimStorage,
    config: LogConfig,
    /// Values of all acknowledged records, by offset; then those whose append failed.
    values: Vec<(i64, Vec<u8>)>,
    acknowledged: usize,
    /// The last recovery point that a flush returned, and the checkpoint that could be written then.
    flushed: i64,
    checkpoint: i64,
    /// Next sequence of producers 0 to 2 and the offsets of their last batches.
    producers: [Vec<(i32, i64)>; 3],
}

fn random_config(random: &mut Random) -> LogConfig {
    LogConfig {
        segment_bytes: 1300 + random.below(3000),
        index_interval_bytes: u32::try_from(random.below(600)).unwrap(),
        segment_index_bytes: u32::try_from(24 + random.below(200)).unwrap(),
        ..LogConfig::default()
    }
}

/// Appends, flushes, closes and re-opens until a fault strikes or the run is over.
fn run(seed: u64, random: &mut Random) -> Run {
    let storage = SimStorage::new();
    let shared: Arc<dyn Storage> = Arc::new(storage.clone());
    let config = random_config(random);
    let mut run = Run {
        storage: storage.clone(),
        config: config.clone(),
        values: Vec::new(),
        acknowledged: 0,
        flushed: 0,
        checkpoint: 0,
        producers: [const { Vec::new() }; 3],
    };
    let mut log = open(&shared, config.clone());
    if random.one_in(2) {
        let fault = if random.one_in(2) {
            Fault::NoSpace
        } else {
            Fault::Broken
        };
        storage.fail_after(random.below(150), fault, random.one_in(2));
    }
    for step in 0..20 + random.below(60) {
        let done = match random.below(20) {
            0..=1 => log.flush().is_ok_and(|point| {
                run.flushed = point;
                run.checkpoint = log.recovery_checkpoint();
                true
            }),
            2 => log.flush_sealed().is_ok_and(|point| {
                run.flushed = run.flushed.max(point);
                run.checkpoint = log.recovery_checkpoint();
                true
            }),
            3 => match reopen(&shared, &run, log, random) {
                Some(reopened) => {
                    log = reopened;
                    true
                }
                None => return run,
            },
            _ => append_random(&log, &mut run, random, &format!("{seed} {step}")),
        };
        if !done {
            return run;
        }
    }
    run
}

/// Closes and opens again, with or without the marker of a clean shutdown. `None` after a fault.
fn reopen(storage: &Arc<dyn Storage>, run: &Run, log: PartitionLog, random: &mut Random) -> Option<PartitionLog> {
    let clean_shutdown = random.one_in(2);
    if clean_shutdown {
        log.close().ok()?;
    }
    drop(log);
    let context = OpenContext {
        clean_shutdown,
        recovery_point: run.checkpoint,
        ..OpenContext::unclean(NOW)
    };
    let log = PartitionLog::open(Arc::clone(storage), dir(), TOPIC_ID, run.config.clone(), context).ok()?;
    assert_eq!(
        log.log_end_offset(),
        i64::try_from(run.values.len()).unwrap(),
        "no crash, no loss"
    );
    Some(log)
}

fn append_random(log: &PartitionLog, run: &mut Run, random: &mut Random, tag: &str) -> bool {
    let count = i32::try_from(1 + random.below(4)).unwrap();
    let value_len = usize::try_from(random.below(200)).unwrap();
    let producer = usize::try_from(random.below(4)).unwrap();
    let mut builder = barnabas_records::BatchBuilder::new(Vec::new());
    let mut values = Vec::new();
    for index in 0..count {
        let mut value = format!("{tag} {index} ").into_bytes();
        value.resize(value.len() + value_len, b'.');
        builder.append(NOW + i64::from(index), None, Some(&value), &[]).unwrap();
        values.push(value);
    }
    let mut seal = barnabas_records::Seal::default();
    if let Some(batches) = run.producers.get(producer) {
        seal.producer_id = i64::try_from(producer).unwrap();
        seal.producer_epoch = 0;
        seal.base_sequence = batches.last().map_or(0, |last| last.0);
    }
    let mut bytes = builder.finish(&seal, &mut Vec::new()).unwrap();
    let expected = i64::try_from(run.values.len()).unwrap();
    run.values.extend(
        values
            .into_iter()
            .zip(expected..)
            .map(|(value, offset)| (offset, value)),
    );
    match log.append(&mut bytes, 0, NOW, AppendOrigin::Client) {
        Ok(info) => {
            assert_eq!((info.base_offset, info.duplicate), (expected, false));
            run.acknowledged = run.values.len();
            if let Some(batches) = run.producers.get_mut(producer) {
                batches.push((seal.base_sequence + count, expected));
            }
            true
        }
        Err(error) => {
            assert_eq!(error.code(), 56, "{error}");
            false
        }
    }
}

/// Everything that must hold of a log opened from a crash image.
fn check(run: &Run, image: &SimStorage, floor: i64, what: &str) {
    let shared: Arc<dyn Storage> = Arc::new(image.clone());
    let context = OpenContext {
        recovery_point: run.checkpoint,
        ..OpenContext::unclean(NOW)
    };
    let log = open_at(&shared, run.config.clone(), context);
    let end = log.log_end_offset();
    let written = i64::try_from(run.values.len()).unwrap();
    assert!(
        (floor..=written).contains(&end),
        "{what}: the log ends at {end}, not in {floor} to {written}"
    );
    let records: Vec<(i64, Vec<u8>)> = read_all(&log, 700)
        .into_iter()
        .flat_map(|batch| batch.records)
        .map(|(offset, _, value)| (offset, value))
        .collect();
    let expected = &run.values[..usize::try_from(end).unwrap()];
    assert!(records == expected, "{what}: not a prefix of what was written");
    for offset in 0..end {
        let slice = log.read(offset, 1, true, end).unwrap();
        assert!(
            decode(&slice.read().unwrap())[0]
                .records
                .iter()
                .any(|record| record.0 == offset),
            "{what}"
        );
    }
    // Opening again changes nothing, and validating everything finds the same.
    let files = image.contents(&dir());
    open_at(&shared, run.config.clone(), context);
    let differing: Vec<(String, Vec<u8>)> = image
        .contents(&dir())
        .into_iter()
        .filter(|(name, bytes)| files.get(name) != Some(bytes))
        .collect();
    assert_eq!(differing, [], "{what}: opening twice");
    let again = open(&shared, run.config.clone());
    assert_eq!(again.log_end_offset(), end, "{what}");
    check_producers(run, &again, end, what);
}

/// The last batch of each producer that is in the log is known, and the next sequence follows.
fn check_producers(run: &Run, log: &PartitionLog, end: i64, what: &str) {
    for (producer_id, batches) in run.producers.iter().enumerate() {
        let producer_id = i64::try_from(producer_id).unwrap();
        let kept: Vec<(i32, i64)> = batches.iter().copied().filter(|batch| batch.1 < end).collect();
        let next_sequence = kept.last().map_or(0, |last| last.0);
        for (index, (after, base_offset)) in kept.iter().enumerate().skip(kept.len().saturating_sub(5)) {
            let first = if index == 0 { 0 } else { kept[index - 1].0 };
            let again = append(log, &produced(producer_id, 0, first, after - first));
            assert_eq!(
                (again.duplicate, again.base_offset),
                (true, *base_offset),
                "{what}: producer {producer_id}"
            );
        }
        if !kept.is_empty() && kept.len() == batches.len() {
            let error = try_append(log, &produced(producer_id, 0, next_sequence + 1, 1)).unwrap_err();
            assert_eq!(error.code(), 45, "{what}: {error}");
        }
        assert!(
            !append(log, &produced(producer_id, 0, next_sequence, 1)).duplicate,
            "{what}"
        );
    }
}

#[test]
fn a_killed_process_keeps_every_acknowledged_record() {
    for seed in seeds(100) {
        let mut random = Random::new(seed);
        let run = run(seed, &mut random);
        let image = run.storage.after_kill();
        check(
            &run,
            &image,
            i64::try_from(run.acknowledged).unwrap(),
            &format!("SEED={seed}, killed"),
        );
    }
}

#[test]
fn a_power_failure_keeps_every_flushed_record() {
    for seed in seeds(100) {
        let mut random = Random::new(seed);
        let run = run(seed, &mut random);
        for crash in 0..5 {
            let image = run.storage.after_power_failure(&mut random);
            check(
                &run,
                &image,
                run.flushed,
                &format!("SEED={seed}, power failure {crash}"),
            );
        }
    }
}

/// Opening after a power failure dies too, at each of its changes.
#[test]
fn recovery_can_be_interrupted_anywhere() {
    for seed in seeds(100).into_iter().step_by(10) {
        let mut random = Random::new(seed);
        let run = run(seed, &mut random);
        let image = run.storage.after_power_failure(&mut random);
        let context = OpenContext {
            recovery_point: run.checkpoint,
            ..OpenContext::unclean(NOW)
        };
        for step in 0.. {
            let image = image.after_kill();
            image.fail_after(step, Fault::Broken, true);
            let shared: Arc<dyn Storage> = Arc::new(image.clone());
            let opened = PartitionLog::open(shared, dir(), TOPIC_ID, run.config.clone(), context);
            let over = image.changes() <= step;
            let again = image.after_power_failure(&mut random);
            check(
                &run,
                &again,
                run.flushed,
                &format!("SEED={seed}, died in recovery at {step}"),
            );
            if opened.is_ok() || over {
                break;
            }
        }
    }
}
