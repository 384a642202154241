//! Which log is compacted when, and what is remembered of it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::history::*;
use crate::cleaner::{Cleaner, CleanerConfig, FullSpeed, LogToClean};
use crate::storage::Storage;
use crate::tests::batches::NOW;
use crate::tests::sim::{Random, SimStorage};
use crate::{LogConfig, LogManager, ManagerConfig, PartitionLog};

fn manager(storage: &SimStorage) -> LogManager {
    let config = ManagerConfig {
        data_dirs: vec![PathBuf::from("/data")],
        cluster_id: "cluster".to_owned(),
        node_id: 1,
        temporary: false,
        open_files_max: 50,
        recovery_threads: 1,
        defaults: LogConfig::default(),
    };
    LogManager::open(storage.as_storage(), config, NOW).unwrap()
}

fn compacted() -> LogConfig {
    LogConfig {
        compact: true,
        ..LogConfig::default()
    }
}

fn log(manager: &LogManager, topic: &str) -> Arc<PartitionLog> {
    manager
        .get_or_create(topic, 0, [topic.as_bytes()[0]; 16], compacted(), NOW)
        .unwrap()
}

fn fill(log: &PartitionLog, count: usize) {
    for index in 0..count {
        put(log, PLAIN, &[("k", Some(&index.to_string()))]);
    }
    log.roll(NOW).unwrap();
}

fn names(due: &[LogToClean]) -> Vec<&str> {
    due.iter().map(|next| next.topic.as_str()).collect()
}

fn checkpoint(storage: &SimStorage) -> String {
    let bytes = storage
        .read_whole(Path::new("/data/cleaner-offset-checkpoint"), 1 << 20)
        .unwrap();
    String::from_utf8(bytes).unwrap()
}

#[test]
fn the_dirtiest_log_is_first_and_the_checkpoint_remembers() {
    let storage = SimStorage::new();
    let logs = manager(&storage);
    let (a, b) = (log(&logs, "a"), log(&logs, "b"));
    let plain = logs
        .get_or_create("plain", 0, [9; 16], LogConfig::default(), NOW)
        .unwrap();
    for each in [&a, &b, &plain] {
        fill(each, 4);
    }
    let cleaner = Cleaner::default();
    let round = logs.clean_next(&cleaner, NOW, &FullSpeed).unwrap();
    assert_eq!((round.topic.as_str(), round.from, round.done.unwrap().0), ("a", 0, 4));
    assert_eq!(checkpoint(&storage), "0\n1\na 0 4\n");
    fill(&a, 1);
    // One new record beside one kept: exactly half, which is not more than the ratio.
    assert_eq!(names(&logs.cleanable(NOW)), ["b"]);
    fill(&a, 1);
    assert_eq!(names(&logs.cleanable(NOW)), ["b", "a"]);
    assert_eq!(logs.clean_next(&cleaner, NOW, &FullSpeed).unwrap().topic, "b");
    let round = logs.clean_next(&cleaner, NOW, &FullSpeed).unwrap();
    assert_eq!((round.topic.as_str(), round.from), ("a", 4));
    assert!(logs.clean_next(&cleaner, NOW, &FullSpeed).is_none());
    assert_eq!(checkpoint(&storage), "0\n2\na 0 6\nb 0 4\n");

    logs.shutdown(NOW).unwrap();
    let logs = manager(&storage);
    assert_eq!(logs.get("a", 0).unwrap().cleaned_offset(), Some(6));
    // Nothing is compacted by options that are not the topic's own.
    fill(&logs.get("a", 0).unwrap(), 9);
    assert!(logs.cleanable(NOW).is_empty());
    let a = log(&logs, "a");
    assert_eq!(names(&logs.cleanable(NOW)), ["a"]);
    // What was cut off is not clean when something else is written there.
    // Offset 5 is the only one left below 6, so that its segment goes as a whole; those below it stay given out.
    logs.truncate_to(&a, 5, NOW).unwrap();
    assert_eq!((a.log_end_offset(), a.cleaned_offset()), (5, Some(5)));
    logs.delete("a", 0, NOW).unwrap();
    logs.checkpoint(NOW).unwrap();
    assert_eq!(checkpoint(&storage), "0\n1\nb 0 4\n");
}

#[test]
fn a_log_that_cannot_be_compacted_is_left_alone() {
    let storage = SimStorage::new();
    let logs = manager(&storage);
    let (bad, good) = (log(&logs, "bad"), log(&logs, "good"));
    fill(&bad, 9);
    fill(&good, 3);
    storage.corrupt(Path::new("/data/bad-0/00000000000000000000.log"), |bytes| {
        bytes[70] ^= 1;
    });
    let cleaner = Cleaner::default();
    let round = logs.clean_next(&cleaner, NOW, &FullSpeed).unwrap();
    assert_eq!((round.topic.as_str(), round.done), ("bad", None));
    assert_eq!(logs.uncleanable(), [("bad".to_owned(), 0)]);
    assert_eq!(logs.clean_next(&cleaner, NOW, &FullSpeed).unwrap().topic, "good");
    assert!(logs.clean_next(&cleaner, NOW, &FullSpeed).is_none());
    // It still takes records, and is forgotten with its topic.
    put(&bad, PLAIN, &[("k", Some("x"))]);
    drop(bad);
    logs.delete("bad", 0, NOW).unwrap();
    assert_eq!(logs.uncleanable(), []);
}

#[test]
fn a_disk_that_fails_takes_the_directory_offline() {
    let storage = SimStorage::new();
    let logs = manager(&storage);
    let a = log(&logs, "a");
    fill(&a, 9);
    logs.checkpoint(NOW).unwrap();
    a.set_cleaned_offset(Some(0));
    storage.fail_after(1, crate::tests::sim::Fault::Broken, true);
    let round = logs.clean_next(&Cleaner::default(), NOW, &FullSpeed).unwrap();
    assert_eq!(round.done, None);
    assert_eq!(logs.offline_dirs().len(), 1);
    assert_eq!(logs.uncleanable(), []);
}

#[test]
fn threads_take_turns() {
    let storage = SimStorage::new();
    let logs = manager(&storage);
    for topic in ["a", "b", "c", "d", "e", "f"] {
        fill(&log(&logs, topic), 5);
    }
    let config = CleanerConfig {
        io_buffer_bytes: 64,
        ..CleanerConfig::default()
    };
    let mut rounds: Vec<String> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..3)
            .map(|_| {
                scope.spawn(|| {
                    let cleaner = Cleaner::new(config);
                    let next = || logs.clean_next(&cleaner, NOW, &FullSpeed);
                    std::iter::from_fn(next).map(|round| round.topic).collect::<Vec<_>>()
                })
            })
            .collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    rounds.sort_unstable();
    assert_eq!(rounds, ["a", "b", "c", "d", "e", "f"]);
}

/// Without the entry in the checkpoint a start after a crash would take the gaps of the first round for a loss.
#[test]
fn the_first_round_is_announced_before_it_changes_anything() {
    let storage = SimStorage::new();
    let logs = manager(&storage);
    let a = log(&logs, "a");
    for _ in 0..3 {
        fill(&a, 3);
    }
    put(&a, PLAIN, &[("end", Some("x"))]);
    storage.capture(Random::new(1), 1);
    logs.clean_next(&Cleaner::default(), NOW, &FullSpeed).unwrap();
    let images = storage.captured();
    assert!(images.len() > 10);
    for image in images {
        let image = image.after_kill();
        let again = manager(&image).get("a", 0).unwrap();
        assert_eq!(again.log_end_offset(), 10);
        let contents = read(&again, 1 << 20).texts();
        assert_eq!(
            &contents[contents.len() - 2..],
            [(8, "k=2".to_owned()), (9, "end=x".to_owned())]
        );
    }
}

/// The marker stands in the active segment. If it were lost when the records that it aborted are gone, the transaction
/// would be open and half of it missing.
#[test]
fn a_marker_is_on_disk_before_what_it_aborted_goes() {
    let storage = SimStorage::new();
    let logs = manager(&storage);
    let a = log(&logs, "a");
    let shape = Shape {
        producer: Some((2, 0, 0)),
        transactional: true,
        ..PLAIN
    };
    put(&a, shape, &[("k", Some("1"))]);
    put(
        &a,
        Shape {
            producer: Some((2, 0, 1)),
            ..shape
        },
        &[("k", Some("2"))],
    );
    a.roll(NOW).unwrap();
    end(&a, 2, 0, false, NOW);
    storage.capture(Random::new(1), 1);
    logs.clean_next(&Cleaner::default(), NOW, &FullSpeed).unwrap();
    let mut is_any_gone = false;
    for (seed, image) in (0..).zip(storage.captured()) {
        let image = image.after_power_failure(&mut Random::new(seed));
        // Before the flush its directory may be lost too.
        let Some(again) = manager(&image).get("a", 0) else {
            continue;
        };
        let is_gone = again.log_end_offset() > 0 && !read(&again, 1 << 20).records.contains_key(&0);
        assert!(!is_gone || again.log_end_offset() == 3, "image {seed}");
        is_any_gone |= is_gone;
    }
    assert!(is_any_gone);
}
