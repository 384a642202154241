//! Kafka's `DumpLogSegments` over directories of a random history, before and after compaction: it has nothing to complain
//! about that it does not say of the same history compacted by Kafka's own cleaner.
//!
//! Needs Java and Kafka's jars:
//! `KAFKA_CLASSPATH='…/libs/*' [SEEDS=n] cargo test -p barnabas-log --lib kafkas_tools -- --ignored --nocapture`

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::kafka::{Job, RETENTION, batches, clean_by_kafka, copy, files};
use crate::tests::sim::{Tally, report, seeds};

/// What the tool is asked about files with an ending.
const RUNS: [(&str, &[&str]); 9] = [
    (".log", &["--deep-iteration", "--print-data-log"]),
    (".index", &["--index-sanity-check"]),
    (".index", &["--verify-index-only"]),
    (".index", &[]),
    (".timeindex", &["--index-sanity-check"]),
    (".timeindex", &["--verify-index-only"]),
    (".timeindex", &[]),
    (".snapshot", &[]),
    (".txnindex", &[]),
];

/// Parts of lines that complain.
const COMPLAINTS: [&str; 9] = [
    "isvalid: false",
    "Found",
    "ismatch",
    "rror",
    "xception",
    "not found",
    "orrupt",
    "Index timestamp",
    "Index offset",
];

/// Lines of the tool's output and what they count as.
const COUNTED: [(&str, &str); 14] = [
    ("| offset:", "records that DumpLogSegments prints"),
    ("compresscodec: none", "batches without a codec"),
    ("compresscodec: gzip", "batches of gzip"),
    ("compresscodec: snappy", "batches of snappy"),
    ("compresscodec: lz4", "batches of lz4"),
    ("compresscodec: zstd", "batches of zstd"),
    ("isTransactional: true", "transactional batches"),
    ("isControl: true", "control batches"),
    ("endTxnMarker: COMMIT", "markers of commits"),
    ("endTxnMarker: ABORT", "markers of aborts"),
    ("deleteHorizonMs: OptionalLong[", "batches with a delete horizon"),
    (" count: 0 ", "batches without records"),
    ("lastStableOffset", "entries of transaction indexes"),
    ("coordinatorEpoch:", "producers in snapshots"),
];

/// What the tool complains about in each of `dirs`: file and line. Of one that is `counted` the lines are counted.
fn complaints(dirs: &[PathBuf], scratch: &Path, counted: Option<&Tally>) -> Vec<BTreeSet<String>> {
    let mut jobs = Vec::new();
    let mut of = Vec::new();
    for (index, dir) in dirs.iter().enumerate() {
        for (suffix, arguments) in RUNS {
            let names = files(dir, suffix);
            if !names.is_empty() {
                let paths: Vec<String> = names.iter().map(|name| dir.join(name).display().to_string()).collect();
                let words = arguments.iter().map(|word| (*word).to_owned());
                let words: Vec<String> = words.chain(["--files".to_owned(), paths.join(",")]).collect();
                jobs.push(words.join("\t"));
                of.push((index, suffix));
            }
        }
    }
    let list = scratch.join("dumps");
    std::fs::write(&list, jobs.join("\n")).unwrap();
    let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tools/log/Dump.java");
    let output = Command::new("java")
        .args(["-cp", &std::env::var("KAFKA_CLASSPATH").unwrap()])
        .args([&program, &list])
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    let texts: Vec<&str> = text.split("\u{c}\n").skip(1).collect();
    assert_eq!(texts.len(), jobs.len(), "{errors}");
    let mut found = vec![BTreeSet::new(); dirs.len()];
    for ((index, suffix), text) in of.into_iter().zip(texts) {
        let root = dirs[index].display().to_string();
        if suffix == ".log" {
            let printed = text.lines().filter(|line| line.starts_with("| offset:")).count();
            let names = files(&dirs[index], suffix);
            let records = names.iter().flat_map(|name| batches(&dirs[index].join(name)));
            assert_eq!(
                printed,
                records.map(|batch| batch.records.len()).sum::<usize>(),
                "{root}: records printed"
            );
        }
        let mut about = String::new();
        for line in text.lines() {
            if let Some(file) = line.strip_prefix("Dumping ") {
                about = file.replace(&root, "");
            }
            if COMPLAINTS.iter().any(|word| line.contains(word)) {
                found[index].insert(format!("{about}: {}", line.replace(&root, "")));
            }
            if let Some(tally) = counted {
                let counts = COUNTED.iter().filter(|(part, _)| line.contains(part));
                counts.for_each(|(_, what)| tally.count(what));
            }
        }
    }
    found
}

/// The directories of all jobs under another root.
fn dirs(jobs: &[Job], root: &Path) -> Vec<PathBuf> {
    let under = |job: &Job| root.join(job.dir.file_name().unwrap());
    jobs.iter().map(under).collect()
}

fn records_of(dirs: &[PathBuf]) -> usize {
    let logs = dirs
        .iter()
        .flat_map(|dir| files(dir, ".log").into_iter().map(|name| dir.join(name)));
    logs.flat_map(|path| batches(&path))
        .map(|batch| batch.records.len())
        .sum()
}

#[test]
#[ignore = "needs Java and KAFKA_CLASSPATH"]
fn kafkas_tools_read_what_they_read_of_kafkas_own_log() {
    let tally = Tally::default();
    let temporary = tempfile::tempdir().unwrap();
    let root = |name: &str| temporary.path().join(name);
    let (ours, kafkas) = (root("ours"), root("kafkas"));
    let seeds = seeds(2);
    std::fs::create_dir(&ours).unwrap();
    let mut jobs: Vec<Job> = seeds.iter().map(|seed| Job::with_transactions(&ours, *seed)).collect();
    for round in ["first", "second"] {
        // The same goes on in both, each as its own cleaner left it.
        for job in &mut jobs {
            let theirs = kafkas.join(job.dir.file_name().unwrap());
            if theirs.exists() {
                let mut twin = job.clone();
                twin.dir = theirs;
                twin.write();
            }
            job.write();
        }
        if round == "first" {
            copy(&ours, &kafkas);
            let found = complaints(&dirs(&jobs, &ours), temporary.path(), Some(&tally));
            for (job, found) in jobs.iter().zip(found) {
                assert_eq!(found, BTreeSet::new(), "SEED={}: not compacted", job.seed);
            }
        }
        let before = records_of(&dirs(&jobs, &ours));
        let ends = clean_by_kafka(&jobs, &kafkas);
        for (job, end) in jobs.iter().zip(&ends) {
            assert_eq!(job.clean(&job.dir), *end, "SEED={}: end of the round", job.seed);
        }
        tally.add(
            "records compacted away",
            (before - records_of(&dirs(&jobs, &ours))) as u64,
        );
        let mine = complaints(&dirs(&jobs, &ours), temporary.path(), Some(&tally));
        let theirs = complaints(&dirs(&jobs, &kafkas), temporary.path(), None);
        for ((job, mine), theirs) in jobs.iter().zip(mine).zip(theirs) {
            let new: Vec<_> = mine.difference(&theirs).collect();
            assert_eq!(
                new,
                Vec::<&String>::new(),
                "SEED={}: {round} round, of Kafka's {theirs:?}",
                job.seed
            );
            tally.add("complaints about our log and about Kafka's", mine.len() as u64);
            tally.add(
                "complaints about Kafka's log alone",
                theirs.difference(&mine).count() as u64,
            );
        }
        for (job, end) in jobs.iter_mut().zip(ends) {
            job.first_dirty = end;
            job.now += RETENTION;
        }
    }
    report("DumpLogSegments beside Kafka's own log", seeds.len(), &tally);
}
