//! Data directories: identity, discovery, checkpoints, shutdown, deletion.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::batches::*;
use super::sim::{Call, Fault, Random, SimStorage};
use crate::manager::{LogManager, ManagerConfig};
use crate::storage::{OpenMode, Storage};
use crate::{FileStorage, LogConfig, LogError, PartitionLog};

fn config() -> ManagerConfig {
    ManagerConfig {
        data_dirs: vec![PathBuf::from("/data")],
        cluster_id: "k0FzR5jvQYSxoUbVVw5F5A".to_owned(),
        node_id: 1,
        temporary: false,
        open_files_max: 100,
        recovery_threads: 1,
        defaults: small_segments(),
    }
}

fn shared(storage: &SimStorage) -> Arc<dyn Storage> {
    Arc::new(storage.clone())
}

fn manager(storage: &SimStorage) -> LogManager {
    LogManager::open(shared(storage), config(), NOW).unwrap()
}

fn create(manager: &LogManager, topic: &str, partition: i32) -> Arc<PartitionLog> {
    manager
        .get_or_create(topic, partition, TOPIC_ID, small_segments(), NOW)
        .unwrap()
}

fn text(storage: &SimStorage, name: &str) -> String {
    String::from_utf8(storage.contents(Path::new("/data"))[name].clone()).unwrap()
}

#[test]
fn partitions_come_back_after_shutdown_and_after_a_kill() {
    let storage = SimStorage::new();
    let first = manager(&storage);
    for (topic, partition) in [("a", 0), ("a-b.c_d", 11)] {
        let log = create(&first, topic, partition);
        append(&log, &batch(3, 10));
        log.set_high_watermark(2);
    }
    create(&first, "never-written", 0);
    let check = |manager: &LogManager, high_watermark| {
        let found: Vec<_> = manager
            .partitions()
            .into_iter()
            .map(|(topic, partition, log)| {
                (
                    topic,
                    partition,
                    log.topic_id(),
                    log.log_end_offset(),
                    log.high_watermark(),
                )
            })
            .collect();
        let expected = [("a", 0), ("a-b.c_d", 11)]
            .map(|(topic, partition)| (topic.to_owned(), partition, TOPIC_ID, 3, high_watermark));
        assert_eq!(found, expected);
    };
    check(&manager(&storage.after_kill()), 0);
    first.checkpoint(NOW).unwrap();
    check(&manager(&storage.after_kill()), 2);
    first.shutdown(NOW).unwrap();
    assert!(
        storage
            .contents(Path::new("/data"))
            .contains_key(".kafka_cleanshutdown")
    );
    let second = manager(&storage);
    check(&second, 2);
    assert!(
        !storage
            .contents(Path::new("/data"))
            .contains_key(".kafka_cleanshutdown"),
        "valid for one start"
    );
}

#[test]
fn checkpoints_are_kafkas() {
    let storage = SimStorage::new();
    let manager = manager(&storage);
    let log = create(&manager, "t", 3);
    append(&log, &batch(3, 10));
    append(&create(&manager, "s", 0), &batch(1, 10));
    log.flush().unwrap();
    log.set_high_watermark(3);
    manager.checkpoint(NOW).unwrap();
    assert_eq!(
        text(&storage, "recovery-point-offset-checkpoint"),
        "0\n2\ns 0 0\nt 3 0\n"
    );
    assert_eq!(text(&storage, "replication-offset-checkpoint"), "0\n2\ns 0 0\nt 3 3\n");
    assert_eq!(text(&storage, "log-start-offset-checkpoint"), "0\n0\n");
    let properties = text(&storage, "meta.properties");
    let (before, rest) = properties.split_once("directory.id=").unwrap();
    let (directory_id, after) = rest.split_once('\n').unwrap();
    assert_eq!(before, "#\ncluster.id=k0FzR5jvQYSxoUbVVw5F5A\n");
    assert_eq!(after, "node.id=1\nversion=1\n");
    assert!(crate::uuid::from_text(directory_id).is_some(), "{directory_id}");
    let metadata = storage.contents(Path::new("/data/t-3"))["partition.metadata"].clone();
    assert_eq!(metadata, b"version: 0\ntopic_id: BwcHBwcHBwcHBwcHBwcHBw");
}

#[test]
fn another_cluster_or_node_is_refused() {
    let storage = SimStorage::new();
    manager(&storage).shutdown(NOW).unwrap();
    let other_cluster = ManagerConfig {
        cluster_id: "other".to_owned(),
        ..config()
    };
    let other_node = ManagerConfig { node_id: 2, ..config() };
    for (config, key) in [(other_cluster, "cluster.id"), (other_node, "node.id")] {
        match LogManager::open(shared(&storage), config, NOW) {
            Err(LogError::MetaMismatch { key: found, .. }) => assert_eq!(found, key),
            other => panic!("{other:?}"),
        }
    }
    let stored = LogManager::stored_cluster_id(&storage, Path::new("/data")).unwrap();
    assert_eq!(stored.as_deref(), Some("k0FzR5jvQYSxoUbVVw5F5A"));
    assert_eq!(
        LogManager::stored_cluster_id(&storage, Path::new("/none")).unwrap(),
        None
    );
}

#[test]
fn meta_properties_as_java_writes_them_are_read() {
    let storage = SimStorage::new();
    let path = Path::new("/data/meta.properties");
    storage.open(path, OpenMode::Create).unwrap();
    storage.corrupt(path, |bytes| {
        *bytes =
            b"#\n#Sat Nov 21 11:30:00 UTC 2026\nbroker.id=1\nversion=0\ncluster.id=k0FzR5jvQYSxoUbVVw5F5A\n".to_vec();
    });
    manager(&storage);
    assert!(text(&storage, "meta.properties").contains("directory.id="), "completed");
    storage.corrupt(path, |bytes| *bytes = b"version=7\n".to_vec());
    assert!(matches!(
        LogManager::open(shared(&storage.after_kill()), config(), NOW),
        Err(LogError::Damaged { .. })
    ));
}

#[test]
fn a_data_directory_has_one_owner() {
    let storage = SimStorage::new();
    let first = manager(&storage);
    assert!(matches!(
        LogManager::open(shared(&storage), config(), NOW),
        Err(LogError::Locked { .. })
    ));
    first.shutdown(NOW).unwrap();
    manager(&storage);
}

#[test]
fn real_locks_exclude_within_a_process_too() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join(".lock");
    let held = FileStorage.lock(&path).unwrap().unwrap();
    assert!(FileStorage.lock(&path).unwrap().is_none());
    drop(held);
    assert!(FileStorage.lock(&path).unwrap().is_some());
}

#[test]
fn a_recreated_topic_never_gets_the_old_data() {
    let storage = SimStorage::new();
    let first = manager(&storage);
    append(&create(&first, "t", 0), &batch(1, 1));
    let error = first.get_or_create("t", 0, [9; 16], small_segments(), NOW).unwrap_err();
    assert!(matches!(error, LogError::TopicIdMismatch { .. }), "{error}");
    assert_eq!(error.code(), 103);
    first.delete("t", 0, NOW).unwrap();
    let log = first.get_or_create("t", 0, [9; 16], small_segments(), NOW).unwrap();
    assert_eq!((log.log_end_offset(), log.topic_id()), (0, [9; 16]));
}

/// The checkpoints of a deleted partition are not the new one's: taken for it, they would let a crash pass for a
/// proper flush, or cut the new log at the old one's start.
#[test]
fn a_recreated_topic_never_gets_the_old_checkpoints() {
    let storage = SimStorage::new();
    let manager = manager(&storage);
    let old = create(&manager, "t", 0);
    (0..5).for_each(|_| _ = append(&old, &batch(2, 50)));
    old.flush().unwrap();
    manager.checkpoint(NOW).unwrap();
    assert!(text(&storage, "replication-offset-checkpoint").contains("t 0 "));
    manager.delete("t", 0, NOW).unwrap();
    manager.get_or_create("t", 0, [9; 16], small_segments(), NOW).unwrap();
    for name in ["recovery-point-offset-checkpoint", "replication-offset-checkpoint"] {
        assert!(!text(&storage, name).contains("t 0 "), "{name}");
    }
}

#[test]
fn a_log_without_partition_metadata_takes_the_id_it_is_told() {
    let storage = SimStorage::new();
    append(&create(&manager(&storage), "t", 0), &batch(1, 1));
    let image = storage.after_kill();
    image.remove_file(Path::new("/data/t-0/partition.metadata")).unwrap();
    let manager = manager(&image);
    assert_eq!(manager.get("t", 0).unwrap().topic_id(), [0; 16]);
    assert_eq!(create(&manager, "t", 0).topic_id(), TOPIC_ID);
    assert!(
        image
            .contents(Path::new("/data/t-0"))
            .contains_key("partition.metadata")
    );
}

#[test]
fn deleted_partitions_are_gone_even_if_the_broker_dies_while_it_deletes() {
    let storage = SimStorage::new();
    let first = manager(&storage);
    append(&create(&first, "t", 0), &batch(1, 1));
    let before = storage.changes();
    let image = storage.after_kill();
    let later = NOW + small_segments().file_delete_delay_ms;
    first.delete("t", 0, NOW).unwrap();
    first.remove_deleted(later - 1).unwrap();
    assert_eq!(first.next_removal_ms(), Some(later));
    first.remove_deleted(later).unwrap();
    let needed = storage.changes() - before;
    assert_eq!(
        storage
            .read_dir(Path::new("/data"))
            .unwrap()
            .iter()
            .filter(|entry| entry.is_dir)
            .count(),
        0
    );
    assert!(first.get("t", 0).is_none());
    assert!(matches!(
        first.delete("t", 0, NOW),
        Err(LogError::UnknownPartition { .. })
    ));
    for step in 1..needed {
        let image = image.after_kill();
        let manager_before = manager(&image);
        image.fail_after(step, Fault::Broken, true);
        let deleted = manager_before.delete("t", 0, NOW);
        deleted.and_then(|()| manager_before.remove_deleted(later)).unwrap_err();
        let image = image.after_kill();
        let after = manager(&image);
        assert_eq!(after.partitions().len(), 0, "died at step {step}");
        assert_eq!(
            image
                .read_dir(Path::new("/data"))
                .unwrap()
                .iter()
                .filter(|entry| entry.is_dir)
                .count(),
            0
        );
    }
}

/// The deletion failed, the process was killed, and the next start did not see the partition: it must not be back after
/// a power failure.
#[test]
fn a_partition_that_a_start_did_not_see_does_not_come_back() {
    let storage = SimStorage::new();
    let first = manager(&storage);
    append(&create(&first, "t", 0), &batch(3, 10));
    first.checkpoint(NOW).unwrap();
    storage.fail_call(Call::SyncDir, 0, Fault::Broken, true);
    assert!(matches!(first.delete("t", 0, NOW), Err(LogError::Io { .. })));
    let killed = storage.after_kill();
    assert_eq!(manager(&killed).partitions().len(), 0);
    for seed in 0..50 {
        let image = killed.after_power_failure_with_names_in_any_order(&mut Random::new(seed));
        assert_eq!(manager(&image).partitions().len(), 0, "seed {seed}");
    }
}

/// A partition with messages of an old format, or with a damaged header where its producers are looked for, is offline
/// alone; what is on disk of it stays.
#[test]
fn a_partition_that_cannot_be_read_is_offline_alone() {
    let storage = SimStorage::new();
    let first = manager(&storage);
    for topic in ["good", "old"] {
        append(&create(&first, topic, 0), &batch(2, 10));
        let log = create(&first, topic, 0);
        log.set_high_watermark(2);
    }
    first.checkpoint(NOW).unwrap();
    let image = storage.after_kill();
    let dir = Path::new("/data/old-0");
    let old = include_bytes!("../../../../tests/golden/records/java_legacy/v1_none.bin");
    image.corrupt(&dir.join("00000000000000000000.log"), |bytes| {
        bytes.extend_from_slice(old);
    });
    let (before, checkpoint) = (image.contents(dir), text(&image, "replication-offset-checkpoint"));
    let second = manager(&image);
    assert_eq!(base_offsets(&create(&second, "good", 0)), [0]);
    let refused = second.get_or_create("old", 0, TOPIC_ID, small_segments(), NOW);
    let error = refused.unwrap_err();
    assert!(matches!(error, LogError::Offline { .. }) && error.to_string().contains("format 0 or 1"));
    let unopened = second.unopened();
    assert_eq!((unopened.len(), unopened[0].0.as_str(), unopened[0].1), (1, "old", 0));
    create(&second, "good", 0).set_high_watermark(2);
    second.shutdown(NOW).unwrap();
    assert_eq!(image.contents(dir), before);
    assert_eq!(text(&image, "replication-offset-checkpoint"), checkpoint);
}

#[test]
fn foreign_directories_are_left_alone() {
    let storage = SimStorage::new();
    for name in ["lost+found", "t-x", "-1", "t-01", "t-0.deadbeef-future", "no number"] {
        storage.create_dir_all(&Path::new("/data").join(name)).unwrap();
    }
    assert_eq!(manager(&storage).partitions().len(), 0);
    assert_eq!(
        storage
            .read_dir(Path::new("/data"))
            .unwrap()
            .iter()
            .filter(|entry| entry.is_dir)
            .count(),
        6
    );
}

#[test]
fn new_partitions_go_to_the_emptiest_healthy_directory() {
    let storage = SimStorage::empty();
    let config = ManagerConfig {
        data_dirs: vec!["/a".into(), "/b".into()],
        ..config()
    };
    let manager = LogManager::open(shared(&storage), config, NOW).unwrap();
    let parent = |partition| create(&manager, "t", partition).dir().parent().unwrap().to_owned();
    let first = parent(0);
    assert_ne!(first, parent(1));
    let log = manager.get("t", 0).unwrap();
    storage.fail_after(0, Fault::NoSpace, false);
    try_append(&log, &batch(1, 1)).unwrap_err();
    for partition in 2..5 {
        assert_ne!(parent(partition), first, "that one is offline");
    }
    append(&manager.get("t", 1).unwrap(), &batch(1, 1));
    assert!(manager.shutdown(NOW).is_err());
    let marker = |dir: &str| storage.contents(Path::new(dir)).contains_key(".kafka_cleanshutdown");
    let failed = first.to_str().unwrap();
    let sound = if failed == "/a" { "/b" } else { "/a" };
    assert_eq!((marker(failed), marker(sound)), (false, true));
}

#[test]
fn a_temporary_directory_is_never_synced() {
    let storage = SimStorage::new();
    let manager = LogManager::open(
        shared(&storage),
        ManagerConfig {
            temporary: true,
            ..config()
        },
        NOW,
    )
    .unwrap();
    let log = manager
        .get_or_create(
            "t",
            0,
            TOPIC_ID,
            LogConfig {
                flush_messages: 1,
                ..small_segments()
            },
            NOW,
        )
        .unwrap();
    for _ in 0..100 {
        assert!(!append(&log, &batch(1, 100)).flush_due);
    }
    log.flush().unwrap();
    manager.checkpoint(NOW).unwrap();
    manager.shutdown(NOW).unwrap();
    // Nothing but `/data` itself is on disk.
    let mut random = Random::new(0);
    let lost = (0..50).any(|_| {
        storage
            .after_power_failure(&mut random)
            .read_dir(Path::new("/data"))
            .unwrap()
            .is_empty()
    });
    assert!(lost, "nothing was synced");
}

#[test]
fn no_more_files_stay_open_than_allowed() {
    let dir = tempfile::tempdir().unwrap();
    let config = ManagerConfig {
        data_dirs: vec![dir.path().join("data")],
        open_files_max: 8,
        recovery_threads: 4,
        ..config()
    };
    let manager = LogManager::open(Arc::new(FileStorage), config, NOW).unwrap();
    let open_files = || {
        let data = dir.path().join("data");
        std::fs::read_dir("/proc/self/fd")
            .unwrap()
            .filter_map(|entry| std::fs::read_link(entry.unwrap().path()).ok())
            .filter(|path| path.starts_with(&data))
            .count()
    };
    for round in 0..3 {
        for partition in 0..30 {
            let log = create(&manager, "t", partition);
            append(&log, &batch(1, 10));
            assert_eq!(base_offsets(&log), (0..=round).collect::<Vec<_>>());
        }
    }
    if cfg!(target_os = "linux") {
        assert!(open_files() <= 8 + 1, "the pool and the lock: {}", open_files());
    }
    manager.shutdown(NOW).unwrap();
    assert_eq!(if cfg!(target_os = "linux") { open_files() } else { 0 }, 0);
}
