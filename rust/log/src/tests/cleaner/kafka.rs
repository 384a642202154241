//! The same directories compacted by Kafka's own cleaner and by ours, batch by batch.
//!
//! Needs Java and Kafka's jars:
//! `KAFKA_CLASSPATH='…/libs/*' [SEEDS=n] cargo test -p barnabas-log --lib kafkas_cleaner -- --ignored --nocapture`

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use barnabas_records::{BatchHeader, BatchIter, Compression, RecordIter};

use super::history::*;
use crate::cleaner::{CleanOutcome, Cleaner, CleanerConfig, FullSpeed};
use crate::partition_log::{OpenContext, PartitionLog};
use crate::tests::batches::{NOW, TOPIC_ID};
use crate::tests::sim::{Random, Tally, report, seeds};
use crate::{FileStorage, LogConfig};

pub(super) const RETENTION: i64 = 100_000;
const SEEDS_BY_DEFAULT: u64 = 100;

/// One partition, compacted twice: in the second round horizons of the first are over.
#[derive(Clone)]
pub(super) struct Job {
    pub(super) dir: PathBuf,
    pub(super) seed: u64,
    random: Random,
    config: LogConfig,
    map_bytes: u64,
    /// Not where the map is small: Kafka, beginning a round in the middle of a segment, takes a producer whose aborted
    /// transaction ended before that for one that is still aborting, and keeps what its newer records replace.
    has_transactions: bool,
    sequences: BTreeMap<i64, i32>,
    pub(super) now: i64,
    pub(super) first_dirty: i64,
}

fn open(job: &Job, dir: &Path) -> PartitionLog {
    let context = OpenContext {
        clean_shutdown: true,
        high_watermark: i64::MAX,
        ..OpenContext::unclean(job.now)
    };
    PartitionLog::open(
        Arc::new(FileStorage),
        dir.to_owned(),
        TOPIC_ID,
        job.config.clone(),
        context,
    )
    .unwrap()
}

impl Job {
    pub(super) fn new(root: &Path, seed: u64) -> Self {
        let mut random = Random::new(seed);
        let few_keys = random.one_in(4);
        Self {
            dir: root.join(format!("t-{seed}")),
            seed,
            config: LogConfig {
                compact: true,
                segment_bytes: 1000 + random.below(4000),
                index_interval_bytes: u32::try_from(random.below(600)).unwrap(),
                delete_retention_ms: RETENTION,
                ..LogConfig::default()
            },
            map_bytes: if few_keys { 24 * 30 } else { 1 << 20 },
            has_transactions: !few_keys,
            random,
            sequences: BTreeMap::new(),
            now: NOW,
            first_dirty: 0,
        }
    }

    /// One with transactions, whatever the seed says.
    pub(super) fn with_transactions(root: &Path, seed: u64) -> Self {
        Self {
            map_bytes: 1 << 20,
            has_transactions: true,
            ..Self::new(root, seed)
        }
    }

    /// Writes more history and closes the log.
    pub(super) fn write(&mut self) {
        let log = open(self, &self.dir);
        for _ in 0..60 + self.random.below(150) {
            self.now += 1;
            let producer = self
                .random
                .one_in(2)
                .then(|| i64::try_from(self.random.below(4)).unwrap());
            if let Some(producer) =
                producer.filter(|producer| self.sequences.contains_key(producer) && self.random.one_in(3))
            {
                if producer < 3 && self.has_transactions {
                    let commits = self.random.one_in(2);
                    end(&log, producer, 0, commits, self.now);
                }
                continue;
            }
            let keys: Vec<(String, Option<String>)> = (0..=self.random.below(6))
                .map(|_| {
                    let value = (!self.random.one_in(5)).then(|| "value ".repeat(self.random.index(12)));
                    (format!("key {}", self.random.below(60)), value)
                })
                .collect();
            let sequence = producer.map(|producer| self.sequences.entry(producer).or_default());
            let shape = Shape {
                compression: Compression::ALL[self.random.index(8).saturating_sub(3)],
                producer: producer
                    .zip(sequence.as_deref())
                    .map(|(producer, sequence)| (producer, 0, *sequence)),
                transactional: self.has_transactions && producer.is_some_and(|producer| producer < 3),
                timestamp: self.now,
            };
            if let Some(sequence) = sequence {
                *sequence += i32::try_from(keys.len()).unwrap();
            }
            let records: Vec<(&str, Option<&str>)> = keys
                .iter()
                .map(|(key, value)| (key.as_str(), value.as_deref()))
                .collect();
            put(&log, shape, &records);
        }
        log.roll(self.now).unwrap();
        log.close().unwrap();
    }

    /// Goes through the dirty part of a copy, as the reference program does.
    pub(super) fn clean(&self, dir: &Path) -> i64 {
        let log = open(self, dir);
        log.set_high_watermark(log.log_end_offset());
        let cleaner = Cleaner::new(CleanerConfig {
            dedupe_buffer_bytes: self.map_bytes,
            ..CleanerConfig::default()
        });
        log.set_cleaned_offset(Some(self.first_dirty));
        loop {
            let dirty = log.dirty(self.now).unwrap().unwrap();
            if dirty.cleanable_bytes == 0 {
                break;
            }
            match cleaner.clean(&log, &dirty, self.now, &FullSpeed).unwrap() {
                CleanOutcome::Done { end_offset, .. } => log.set_cleaned_offset(Some(end_offset)),
                CleanOutcome::GivenUp => panic!("given up"),
            }
        }
        log.close().unwrap();
        log.cleaned_offset().unwrap()
    }
}

/// A record that was kept: offset, timestamp, key, value.
pub(super) type Kept = (i64, i64, Option<Vec<u8>>, Option<Vec<u8>>);

/// One batch in a form that does not depend on the compressor.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Batch {
    header: BatchHeader,
    bytes: Vec<u8>,
    pub(super) records: Vec<Kept>,
}

pub(super) fn batches(path: &Path) -> Vec<Batch> {
    let bytes = std::fs::read(path).unwrap();
    let mut iter = BatchIter::new(&bytes);
    let batches = iter
        .by_ref()
        .map(|batch| {
            let batch = batch.unwrap();
            batch.check_crc().unwrap();
            let mut scratch = Vec::new();
            let payload = batch.decompress_into(&mut scratch, 1 << 20).unwrap();
            let records = RecordIter::new(&batch.header, payload)
                .map(|record| {
                    let record = record.unwrap();
                    let owned = |bytes: Option<&[u8]>| bytes.map(<[u8]>::to_vec);
                    (record.offset, record.timestamp, owned(record.key), owned(record.value))
                })
                .collect();
            let mut header = batch.header;
            let is_compressed = header.compression() != Ok(Compression::None);
            if is_compressed {
                // The compressors differ.
                (header.crc, header.batch_length) = (0, 0);
            }
            Batch {
                header,
                bytes: if is_compressed {
                    Vec::new()
                } else {
                    batch.bytes.to_vec()
                },
                records,
            }
        })
        .collect();
    assert!(iter.rest().is_empty());
    batches
}

pub(super) fn files(dir: &Path, suffix: &str) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.ends_with(suffix))
        .collect();
    names.sort();
    names
}

/// Holds our result against Kafka's.
fn compare(job: &Job, ours: &Path, kafkas: &Path, tally: &Tally) {
    let what = format!("SEED={}", job.seed);
    let logs = files(kafkas, ".log");
    if !job.has_transactions {
        // Kafka's full map does not even take a key that it has, so that its rounds end elsewhere: the same records stay,
        // in other segments, and some batches meet a tombstone on its way out or not.
        let all = |dir: &Path| {
            let batches = files(dir, ".log").into_iter().flat_map(|name| batches(&dir.join(name)));
            batches.flat_map(|batch| batch.records).collect::<Vec<_>>()
        };
        assert_eq!(all(ours), all(kafkas), "{what}");
        tally.count("partitions that took several rounds");
        return;
    }
    assert_eq!(files(ours, ".log"), logs, "{what}: segments");
    for name in logs {
        let (mine, theirs) = (batches(&ours.join(&name)), batches(&kafkas.join(&name)));
        compare_batches(&mine, &theirs, tally, &format!("{what}: {name}"));
        let both = |kind: &str| {
            let index = name.replace(".log", kind);
            let read = |dir: &Path| std::fs::read(dir.join(&index)).unwrap_or_default();
            (read(ours), read(kafkas))
        };
        let (mine_aborted, aborted) = both(".txnindex");
        assert_eq!(mine_aborted, aborted, "{what}: {name}: aborted transactions");
        tally.add("aborted transactions in equal indexes", (aborted.len() / 34) as u64);
        if mine.len() == theirs.len() && mine.iter().all(|batch| !batch.bytes.is_empty()) {
            for kind in [".index", ".timeindex"] {
                let (mine, theirs) = both(kind);
                assert_eq!(mine, theirs, "{what}: {name}: {kind}");
                tally.count("indexes equal to Kafka's");
            }
        }
    }
}

fn compare_batches(mine: &[Batch], theirs: &[Batch], tally: &Tally, what: &str) {
    let bases = |batches: &[Batch]| batches.iter().map(|batch| batch.header.base_offset).collect::<Vec<_>>();
    let what = format!("{what}: ours {:?}, Kafka's {:?}", bases(mine), bases(theirs));
    let mut expected = theirs.iter().peekable();
    for batch in mine {
        if let Some(same) = expected.next_if(|same| same.header.base_offset == batch.header.base_offset) {
            assert_eq!(batch, same, "{what}");
            tally.count("batches equal to Kafka's");
            tally.add("uncompressed ones, byte by byte", u64::from(!batch.bytes.is_empty()));
            tally.add(
                "batches with a delete horizon",
                u64::from(batch.header.delete_horizon_ms().is_some()),
            );
            tally.add("batches without records", u64::from(batch.records.is_empty()));
        } else {
            // Ours alone: the end of a group of segments.
            assert_eq!(
                batch.header.record_count,
                0,
                "{what} has {batch:?} before {:?}",
                expected.peek()
            );
            tally.count("empty batches that only we keep");
        }
    }
    assert_eq!(expected.next(), None, "{what} lacks a batch");
}

pub(super) fn copy(from: &Path, to: &Path) {
    assert!(
        Command::new("cp")
            .arg("-r")
            .arg(from)
            .arg(to)
            .status()
            .unwrap()
            .success()
    );
}

pub(super) fn clean_by_kafka(jobs: &[Job], root: &Path) -> Vec<i64> {
    let mut lines = String::new();
    for job in jobs {
        let config = &job.config;
        writeln!(
            lines,
            "{} {} {} {} {} {} {}",
            root.join(job.dir.file_name().unwrap()).display(),
            job.now,
            job.first_dirty,
            job.map_bytes,
            config.segment_bytes,
            config.index_interval_bytes,
            config.delete_retention_ms
        )
        .unwrap();
    }
    let list = root.join("jobs");
    std::fs::write(&list, lines).unwrap();
    let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tools/log/CleanLog.java");
    let output = Command::new("java")
        .args(["-cp", &std::env::var("KAFKA_CLASSPATH").unwrap()])
        .args([&program, &list])
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success(),
        "{text}{}",
        String::from_utf8_lossy(&output.stderr)
    );
    text.lines().filter_map(|line| line.parse().ok()).collect()
}

#[test]
#[ignore = "needs Java and KAFKA_CLASSPATH"]
fn kafkas_cleaner_leaves_the_same() {
    let tally = Tally::default();
    let temporary = tempfile::tempdir().unwrap();
    let seeds = seeds(SEEDS_BY_DEFAULT);
    let root = temporary.path().join("written");
    std::fs::create_dir(&root).unwrap();
    let mut jobs: Vec<Job> = seeds.iter().map(|seed| Job::new(&root, *seed)).collect();
    for round in ["first", "second"] {
        jobs.iter_mut().for_each(Job::write);
        let (ours, kafkas) = (
            temporary.path().join(format!("{round} ours")),
            temporary.path().join(format!("{round}-kafkas")),
        );
        copy(&root, &ours);
        copy(&root, &kafkas);
        let ends = clean_by_kafka(&jobs, &kafkas);
        assert_eq!(ends.len(), jobs.len());
        for (job, end) in jobs.iter_mut().zip(ends) {
            let name = job.dir.file_name().unwrap().to_owned();
            assert_eq!(job.clean(&ours.join(&name)), end, "SEED={}: end of the round", job.seed);
            compare(job, &ours.join(&name), &kafkas.join(&name), &tally);
            // The next round goes on in what Kafka left.
            std::fs::remove_dir_all(&job.dir).unwrap();
            copy(&kafkas.join(&name), &job.dir);
            job.first_dirty = end;
            job.now += RETENTION;
        }
    }
    report("cleaner beside Kafka's", seeds.len(), &tally);
    assert!(tally.get("batches equal to Kafka's") > 0);
}
