//! Random histories with rounds of compaction in between, held against a model that knows every record ever written;
//! and crashes at any change that compaction makes to the file system.
//!
//! `SEEDS=n` runs more of them, `SEED=s` only that one.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use barnabas_records::{Compression, control_type};

use super::history::*;
use crate::LogConfig;
use crate::cleaner::{CleanOutcome, Cleaner, CleanerConfig, Dirty, FullSpeed};
use crate::partition_log::{OpenContext, PartitionLog};
use crate::tests::batches::*;
use crate::tests::sim::{Random, SimStorage, Tally, report, seeds};

const SEEDS_BY_DEFAULT: u64 = 30;
const RETENTION: i64 = 1000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    Plain,
    Open,
    Committed,
    Aborted,
}

#[derive(Clone, Debug)]
struct Written {
    kept: Kept,
    fate: Fate,
    producer: Option<i64>,
}

/// Everything that was ever written, and what compaction must and must not have removed of it.
#[derive(Clone, Debug, Default)]
struct Model {
    records: BTreeMap<i64, Written>,
    /// Type, producer and the first offset of the transaction, by offset.
    markers: BTreeMap<i64, (i16, i64)>,
    next_sequence: HashMap<i64, i32>,
    /// Rounds that are over: end, bound and time.
    rounds: Vec<(i64, i64, i64)>,
    /// When a tombstone may first be missing: the time of the first round that met it and kept it, plus retention.
    horizons: BTreeMap<i64, i64>,
}

impl Model {
    fn is_visible(&self, offset: i64) -> bool {
        matches!(self.records[&offset].fate, Fate::Plain | Fate::Committed)
    }

    /// Offsets of visible records below `end` that have no newer visible one of their key below `end`.
    fn newest(&self, end: i64) -> BTreeSet<i64> {
        let mut newest = HashMap::new();
        for (offset, written) in self.records.range(..end) {
            if self.is_visible(*offset) {
                newest.insert(&written.kept.key, *offset);
            }
        }
        newest.into_values().collect()
    }

    /// What must hold of a log after the rounds that are over; `maybe` is one that may have been over.
    fn check(&self, found: &Contents, maybe: Option<(i64, i64, i64)>, tally: &Tally, what: &str) {
        for (offset, kept) in &found.records {
            let written = self
                .records
                .get(offset)
                .unwrap_or_else(|| panic!("{what}: nobody wrote {offset}"));
            assert_eq!(*kept, written.kept, "{what}: record {offset}");
        }
        for (offset, control_type) in &found.markers {
            assert_eq!(self.markers[offset].0, *control_type, "{what}: marker {offset}");
        }
        let clean_end = self.rounds.iter().map(|round| round.0).max().unwrap_or(0);
        let bound = self.rounds.iter().chain(&maybe).map(|round| round.1).max().unwrap_or(0);
        // What no round has reached is all there.
        for offset in self.records.range(bound..).map(|(offset, _)| offset) {
            assert!(
                found.records.contains_key(offset),
                "{what}: {offset} is behind every round"
            );
            tally.count("records behind every round");
        }
        for offset in self.markers.range(bound..).map(|(offset, _)| offset) {
            assert!(
                found.markers.contains_key(offset),
                "{what}: marker {offset} is behind every round"
            );
        }
        self.check_newest(found, clean_end, maybe, tally, what);
        // Below a finished round there is only the newest of each key, and nothing that was aborted.
        let newest = self.newest(clean_end);
        for offset in found.records.range(..clean_end).map(|(offset, _)| *offset) {
            assert!(
                newest.contains(&offset),
                "{what}: {offset} is outdated or aborted below {clean_end}"
            );
            tally.count("records that may be there");
        }
        self.check_transactions(found, tally, what);
    }

    fn check_newest(
        &self,
        found: &Contents,
        clean_end: i64,
        maybe: Option<(i64, i64, i64)>,
        tally: &Tally,
        what: &str,
    ) {
        let maybe_end = maybe.map_or(0, |round| round.0).max(clean_end);
        // The newest of each key is there, unless it is a tombstone whose time is over.
        let now = self.rounds.iter().chain(&maybe).map(|round| round.2).max().unwrap_or(0);
        for end in [clean_end, maybe_end, i64::MAX] {
            for offset in self.newest(end).intersection(&self.newest(i64::MAX)) {
                let is_over = self.horizons.get(offset).is_some_and(|horizon| *horizon <= now);
                if self.records[offset].kept.value.is_none() && is_over {
                    tally.count("tombstones that may be gone");
                } else {
                    assert!(
                        found.records.contains_key(offset),
                        "{what}: the newest of a key, {offset}, is gone"
                    );
                    tally.count("newest records that must be there");
                }
            }
        }
    }

    fn check_transactions(&self, found: &Contents, tally: &Tally, what: &str) {
        // A consumer of committed records gets exactly those that are visible.
        for offset in found.records.keys() {
            let is_aborted = self.records[offset].fate == Fate::Aborted;
            assert_eq!(
                found.aborted.contains(offset),
                is_aborted,
                "{what}: {offset} as read_committed"
            );
            tally.add("aborted records that are seen as such", u64::from(is_aborted));
        }
        // A marker with records before it is there.
        for (offset, (_, producer)) in &self.markers {
            let begin = self
                .markers
                .range(..offset)
                .rev()
                .find(|(_, (_, other))| other == producer)
                .map_or(0, |(before, _)| *before);
            let has_records = found.records.range(begin..*offset).any(|(record, _)| {
                self.records[record].producer == Some(*producer) && self.records[record].fate != Fate::Plain
            });
            assert!(
                !has_records || found.markers.contains_key(offset),
                "{what}: marker {offset} went before its records"
            );
            tally.add("markers with records", u64::from(has_records));
        }
    }

    /// After a round: tombstones that it met and kept have their horizon now, and it never moves.
    fn note_round(&mut self, dirty: &Dirty, end: i64, now: i64, after: &Contents, what: &str) {
        for (offset, horizon) in &after.tombstones {
            match (horizon, self.horizons.get(offset)) {
                (Some(horizon), Some(known)) => assert_eq!(horizon, known, "{what}: {offset} got another horizon"),
                (Some(horizon), None) => {
                    assert_eq!(*horizon, now + RETENTION, "{what}: the horizon of {offset}");
                    self.horizons.insert(*offset, *horizon);
                }
                (None, _) => assert!(*offset >= end, "{what}: tombstone {offset} has no horizon"),
            }
        }
        self.rounds.push((end, dirty.first_uncleanable_offset, now));
    }
}

struct Run {
    log: PartitionLog,
    model: Model,
    config: LogConfig,
    cleaner: CleanerConfig,
    now: i64,
}

fn key(random: &mut Random) -> String {
    format!("key {}", random.below(25))
}

impl Run {
    fn append(&mut self, random: &mut Random) {
        let producer = random.one_in(2).then(|| i64::try_from(random.below(3)).unwrap());
        // Producers 0 and 1 write in transactions.
        let transactional = producer.is_some_and(|producer| producer < 2);
        let count = 1 + random.below(4);
        let records: Vec<(String, Option<String>)> = (0..count)
            .map(|_| {
                let value = (!random.one_in(5)).then(|| "v".repeat(1 + random.index(60)));
                (key(random), value)
            })
            .collect();
        let sequence = producer.map_or(0, |producer| *self.model.next_sequence.entry(producer).or_default());
        let shape = Shape {
            compression: Compression::ALL[random.index(5)],
            producer: producer.map(|producer| (producer, 0, sequence)),
            transactional,
            timestamp: self.now,
        };
        let refs: Vec<(&str, Option<&str>)> = records
            .iter()
            .map(|(key, value)| (key.as_str(), value.as_deref()))
            .collect();
        let base = put(&self.log, shape, &refs);
        if let Some(producer) = producer {
            *self.model.next_sequence.get_mut(&producer).unwrap() += i32::try_from(count).unwrap();
        }
        for (index, (key, value)) in (0..).zip(records) {
            let written = Written {
                kept: Kept {
                    key: key.into_bytes(),
                    value: value.map(String::into_bytes),
                    timestamp: self.now + index,
                },
                fate: if transactional { Fate::Open } else { Fate::Plain },
                producer,
            };
            self.model.records.insert(base + index, written);
        }
    }

    fn end_transaction(&mut self, producer: i64, commits: bool) {
        let offset = end(&self.log, producer, 0, commits, self.now);
        let control_type = if commits {
            control_type::COMMIT
        } else {
            control_type::ABORT
        };
        self.model.markers.insert(offset, (control_type, producer));
        for written in self.model.records.values_mut() {
            if written.producer == Some(producer) && written.fate == Fate::Open {
                written.fate = if commits { Fate::Committed } else { Fate::Aborted };
            }
        }
    }

    fn clean(&mut self, storage: &SimStorage, random: &mut Random, tally: &Tally, what: &str) {
        let dirty = self.log.dirty(self.now).unwrap().unwrap();
        let producers = self.log.lock_appender().unwrap().producers.last_records();
        storage.capture(random.clone(), 3);
        let outcome = Cleaner::new(self.cleaner)
            .clean(&self.log, &dirty, self.now, &FullSpeed)
            .unwrap();
        let images = storage.captured();
        storage.capture(random.clone(), u64::MAX);
        let CleanOutcome::Done { end_offset, stats } = outcome else {
            panic!("{what}: given up");
        };
        let old = self.model.clone();
        self.model
            .note_round(&dirty, end_offset, self.now, &read(&self.log, 1 << 20), what);
        self.log.set_cleaned_offset(Some(end_offset));
        tally.count("rounds");
        tally.add(
            "rounds that did not reach the end",
            u64::from(end_offset < dirty.first_uncleanable_offset),
        );
        tally.add("records compacted away", stats.records_read - stats.records_kept);
        for image in images {
            let (image, kind) = match random.below(3) {
                0 => (image.after_kill(), "killed"),
                1 => (image.after_power_failure(random), "power lost"),
                _ => (
                    image.after_power_failure_with_names_in_any_order(random),
                    "power and names lost",
                ),
            };
            let what = format!("{what}, {kind} in the round to {end_offset}");
            tally.count("crash points in rounds");
            let mut half = old.clone();
            half.horizons.clone_from(&self.model.horizons);
            let maybe = (end_offset, dirty.first_uncleanable_offset, self.now);
            let log = self.reopen(&image);
            assert_eq!(log.log_end_offset(), self.log.log_end_offset(), "{what}");
            assert_eq!(
                log.lock_appender().unwrap().producers.last_records(),
                producers,
                "{what}"
            );
            half.check(&read(&log, 1 << 20), Some(maybe), tally, &what);
            // And the next start finds nothing left to do.
            let contents = image.contents(&dir());
            drop(log);
            drop(self.reopen(&image));
            assert_eq!(
                image.contents(&dir()),
                contents,
                "{what}: opening again changes something"
            );
        }
    }

    fn reopen(&self, storage: &SimStorage) -> PartitionLog {
        let context = OpenContext {
            recovery_point: self.log.recovery_checkpoint(),
            high_watermark: self.log.high_watermark(),
            ..OpenContext::unclean(self.now)
        };
        open_at(&storage.as_storage(), self.config.clone(), context)
    }
}

fn run(seed: u64, tally: &Arc<Tally>) {
    let mut random = Random::new(seed);
    let storage = SimStorage::tallied(tally);
    let config = LogConfig {
        compact: true,
        delete: false,
        segment_bytes: 400 + random.below(1200),
        index_interval_bytes: u32::try_from(random.below(300)).unwrap(),
        delete_retention_ms: RETENTION,
        ..LogConfig::default()
    };
    let cleaner = CleanerConfig {
        dedupe_buffer_bytes: if random.one_in(3) { 24 * 16 } else { 1 << 20 },
        dedupe_load_factor: 0.9,
        io_buffer_bytes: 64 + random.index(2000),
    };
    let mut run = Run {
        log: open(&storage.as_storage(), config.clone()),
        model: Model::default(),
        config,
        cleaner,
        now: NOW,
    };
    for step in 0..40 + random.below(80) {
        let what = format!("SEED={seed}, step {step}");
        run.now += i64::try_from(random.below(200)).unwrap();
        match random.below(12) {
            0 => {
                run.log.roll(run.now).unwrap();
            }
            1..=2 => {
                let producer = i64::try_from(random.below(2)).unwrap();
                if run.model.next_sequence.contains_key(&producer) {
                    let commits = random.one_in(2);
                    run.end_transaction(producer, commits);
                }
            }
            3 => {
                // Compaction works on what a flush has put below the recovery point, and on what none has.
                if random.one_in(2) {
                    run.log.flush().unwrap();
                }
                if run.log.dirty(run.now).unwrap().is_some() {
                    // A crash before the flush could lose what was never promised; here only compaction is on trial.
                    run.log.flush().unwrap();
                    run.clean(&storage, &mut random, tally, &what);
                }
            }
            4 if random.one_in(3) => {
                let cleaned = run.log.cleaned_offset();
                run.log.close().unwrap();
                run.log = open_clean(&storage.as_storage(), run.config.clone());
                run.log.set_high_watermark(run.log.log_end_offset());
                run.log.set_cleaned_offset(cleaned);
                tally.count("closed and opened again");
            }
            _ => run.append(&mut random),
        }
        let contents = read(&run.log, 1 << random.below(14));
        run.model.check(&contents, None, tally, &what);
    }
}

#[test]
fn random_histories_are_compacted_as_the_model_says() {
    let tally = Arc::<Tally>::default();
    let seeds = seeds(SEEDS_BY_DEFAULT);
    for seed in &seeds {
        run(*seed, &tally);
    }
    if seeds.len() > 10 {
        for what in [
            "rounds",
            "rounds that did not reach the end",
            "records compacted away",
            "tombstones that may be gone",
            "aborted records that are seen as such",
            "markers with records",
            "crash points in rounds",
        ] {
            assert!(tally.get(what) > 0, "{what} never was at stake");
        }
    }
    report("cleaner", seeds.len(), &tally);
}
