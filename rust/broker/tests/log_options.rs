//! Options of logs at work in a broker: changed at run time, applied from time to time, and what a failed data directory
//! means for requests.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test that fails stops")]
#![allow(dead_code, reason = "each test binary uses its part of the common module")]

mod common;

use std::io;
use std::os::fd::BorrowedFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Instant;

use barnabas_broker::{METADATA_TOPIC, Node};
use barnabas_log::{DirEntry, FileStorage, OpenMode, Storage, StorageFile, StorageLock};
use barnabas_records::{BatchRef, Compression};

use common::{Client, Fetch, FetchAnswer, Fixture, PATIENCE, batch, config, publish, until};

/// The file system, with a part of it that can break, and a count of the synced logs.
#[derive(Clone, Debug)]
struct Watched {
    below: PathBuf,
    is_broken: Arc<AtomicBool>,
    log_syncs: Arc<AtomicUsize>,
}

#[derive(Debug)]
struct WatchedFile {
    file: Arc<dyn StorageFile>,
    storage: Watched,
    path: PathBuf,
}

const EIO: i32 = 5;

impl Watched {
    fn new(below: PathBuf) -> Self {
        Self {
            below,
            is_broken: Arc::default(),
            log_syncs: Arc::default(),
        }
    }

    fn check(&self, path: &Path) -> io::Result<()> {
        if self.is_broken.load(Ordering::SeqCst) && path.starts_with(&self.below) {
            return Err(io::Error::from_raw_os_error(EIO));
        }
        Ok(())
    }

    fn start(&self, config: barnabas_broker::BrokerConfig) -> Fixture {
        let started = Instant::now();
        let node = Node::start_on(config, Arc::new(self.clone()), Arc::new(move || started.elapsed())).unwrap();
        publish(&node, &[]);
        node.open_gate();
        Fixture { node, dir: None }
    }
}

impl StorageFile for WatchedFile {
    fn read_at(&self, buffer: &mut [u8], position: u64) -> io::Result<usize> {
        self.storage.check(&self.path)?;
        self.file.read_at(buffer, position)
    }
    fn write_all_at(&self, data: &[u8], position: u64) -> io::Result<()> {
        self.storage.check(&self.path)?;
        self.file.write_all_at(data, position)
    }
    fn len(&self) -> io::Result<u64> {
        self.file.len()
    }
    fn set_len(&self, len: u64) -> io::Result<()> {
        self.file.set_len(len)
    }
    fn sync_data(&self) -> io::Result<()> {
        self.storage.check(&self.path)?;
        if self.path.to_string_lossy().contains("flights-0/") && self.path.extension().is_some_and(|it| it == "log") {
            self.storage.log_syncs.fetch_add(1, Ordering::SeqCst);
        }
        self.file.sync_data()
    }
    fn as_fd(&self) -> Option<BorrowedFd<'_>> {
        self.file.as_fd()
    }
}

impl Storage for Watched {
    fn open(&self, path: &Path, mode: OpenMode) -> io::Result<Arc<dyn StorageFile>> {
        self.check(path)?;
        Ok(Arc::new(WatchedFile {
            file: FileStorage.open(path, mode)?,
            storage: self.clone(),
            path: path.to_owned(),
        }))
    }
    fn exists(&self, path: &Path) -> io::Result<bool> {
        self.check(path)?;
        FileStorage.exists(path)
    }
    fn read_dir(&self, path: &Path) -> io::Result<Vec<DirEntry>> {
        self.check(path)?;
        FileStorage.read_dir(path)
    }
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.check(from)?;
        FileStorage.rename(from, to)
    }
    fn remove_file(&self, path: &Path) -> io::Result<()> {
        self.check(path)?;
        FileStorage.remove_file(path)
    }
    fn create_dir_all(&self, path: &Path) -> io::Result<()> {
        self.check(path)?;
        FileStorage.create_dir_all(path)
    }
    fn remove_dir_all(&self, path: &Path) -> io::Result<()> {
        self.check(path)?;
        FileStorage.remove_dir_all(path)
    }
    fn sync_dir(&self, path: &Path) -> io::Result<()> {
        self.check(path)?;
        FileStorage.sync_dir(path)
    }
    fn lock(&self, path: &Path) -> io::Result<Option<Box<dyn StorageLock>>> {
        self.check(path)?;
        FileStorage.lock(path)
    }
}

const NOT_THERE: i16 = 1;
const TOO_LARGE: i16 = 10;
const STORAGE_ERROR: i16 = 56;

fn fetched(client: &mut Client, partition: i32, offset: i64) -> FetchAnswer {
    let fetch = Fetch {
        partitions: vec![(partition, offset)],
        ..Fetch::default()
    };
    client.fetch(&fetch).remove(0)
}

#[test]
fn options_that_change_are_in_force_at_once() {
    let fixture = Fixture::with(&[], &[("max.message.bytes", "100")]);
    let mut client = fixture.connect();
    let large = batch(&[&[b'x'; 500]]);
    assert_eq!(client.produce(0, &large).0, TOO_LARGE);
    for (index, (name, codec)) in [
        ("zstd", Compression::Zstd),
        ("uncompressed", Compression::None),
        ("lz4", Compression::Lz4),
        ("producer", Compression::None),
    ]
    .into_iter()
    .enumerate()
    {
        publish(
            &fixture.node,
            &[("compression.type", name), ("max.message.bytes", "1000")],
        );
        let offset = i64::try_from(index).unwrap();
        assert_eq!(client.produce(0, &large), (0, offset));
        let answer = fetched(&mut client, 0, offset);
        assert_eq!(
            BatchRef::parse(&answer.records).unwrap().header.compression().unwrap(),
            codec
        );
        assert_eq!(answer.values(), [(offset, vec![b'x'; 500])]);
    }
}

#[test]
fn retention_deletes_old_segments_and_their_files() {
    let broker = [("log.retention.check.interval.ms", "5")];
    let topic = [
        ("segment.bytes", "600"),
        ("retention.ms", "-1"),
        ("file.delete.delay.ms", "0"),
    ];
    let fixture = Fixture::with(&broker, &topic);
    let mut client = fixture.connect();
    for offset in 0..6 {
        assert_eq!(client.produce(0, &batch(&[&[b'x'; 300]])), (0, offset));
    }
    assert_eq!(fetched(&mut client, 0, 0).error_code, 0);
    // A change of the option, and no restart.
    publish(&fixture.node, &[topic[0], ("retention.ms", "1"), topic[2]]);
    fixture.until("segments_deleted", 6);
    let answer = fetched(&mut client, 0, 0);
    assert_eq!(
        (answer.error_code, fetched(&mut client, 0, 6).log_start_offset),
        (NOT_THERE, 6)
    );
    let dir = fixture.dir.as_ref().unwrap().path().join("flights-0");
    let is_deleted = |entry: io::Result<std::fs::DirEntry>| {
        entry
            .unwrap()
            .path()
            .extension()
            .is_some_and(|extension| extension == "deleted")
    };
    until(|| !std::fs::read_dir(&dir).unwrap().any(is_deleted));
    assert_eq!(client.produce(0, &batch(&[b"more"])), (0, 6));
    // A restart keeps the log's end.
    let fixture = fixture.restart(&[]);
    assert_eq!(fixture.connect().produce(0, &batch(&[b"more"])), (0, 7));
}

#[test]
fn records_are_flushed_when_they_are_old_enough() {
    let dir = tempfile::tempdir().unwrap();
    let storage = Watched::new(dir.path().to_owned());
    let fixture = storage.start(config(dir.path(), &[]));
    let mut client = fixture.connect();
    assert_eq!(client.produce(0, &batch(&[b"one"])), (0, 0));
    assert_eq!(storage.log_syncs.load(Ordering::SeqCst), 0);
    publish(&fixture.node, &[("flush.ms", "1")]);
    until(|| storage.log_syncs.load(Ordering::SeqCst) == 1);
    assert_eq!(client.produce(0, &batch(&[b"two"])), (0, 1));
    until(|| storage.log_syncs.load(Ordering::SeqCst) == 2);
}

#[test]
fn an_acknowledgement_waits_for_the_flush_that_its_append_made_due() {
    let dir = tempfile::tempdir().unwrap();
    let storage = Watched::new(dir.path().to_owned());
    let fixture = storage.start(config(dir.path(), &[]));
    publish(&fixture.node, &[("flush.messages", "2")]);
    let mut client = fixture.connect();
    for (offset, flushes) in [(0, 0), (1, 1), (2, 1), (3, 2)] {
        assert_eq!(client.produce(0, &batch(&[b"one"])), (0, offset));
        assert_eq!(storage.log_syncs.load(Ordering::SeqCst), flushes);
    }
    // A flush that fails is an error, now and ever after; what was acknowledged before it is not taken back.
    storage.is_broken.store(true, Ordering::SeqCst);
    assert_eq!(client.produce(0, &batch(&[b"lost"])).0, STORAGE_ERROR);
    storage.is_broken.store(false, Ordering::SeqCst);
    assert_eq!(client.produce(0, &batch(&[b"refused"])).0, STORAGE_ERROR);
    assert!(!fixture.node.stop(PATIENCE), "no clean shutdown");
    drop((client, fixture));
    let again = storage.start(config(dir.path(), &[]));
    assert_eq!(again.connect().produce(0, &batch(&[b"more"])), (0, 4));
}

#[test]
fn partitions_of_a_failed_directory_answer_so_and_the_others_go_on() {
    let dir = tempfile::tempdir().unwrap();
    let storage = Watched::new(dir.path().join("two"));
    let both = || barnabas_broker::BrokerConfig {
        data_dirs: vec![dir.path().join("one"), dir.path().join("two")],
        ..config(dir.path(), &[])
    };
    // The metadata log is in the first directory, so that partitions 0 and 2 are in the second.
    let fixture = storage.start(both());
    fixture
        .node
        .append(METADATA_TOPIC, 0, 0, &[(None, Some(b"as every broker does"))], 1000)
        .unwrap();
    let mut client = fixture.connect();
    for partition in 0..3 {
        assert_eq!(client.produce(partition, &batch(&[b"one"])), (0, 0));
    }
    storage.is_broken.store(true, Ordering::SeqCst);
    let check = |client: &mut Client, offset: i64| {
        for partition in [0, 2] {
            assert_eq!(client.produce(partition, &batch(&[b"two"])).0, STORAGE_ERROR);
            assert_eq!(fetched(client, partition, 0).error_code, STORAGE_ERROR);
        }
        assert_eq!(client.produce(1, &batch(&[b"two"])), (0, offset));
        assert_eq!(
            fetched(client, 1, 0).values().len(),
            usize::try_from(offset + 1).unwrap()
        );
    };
    check(&mut client, 1);
    assert_eq!(fixture.node.metrics()["data_dirs_offline"], 1);
    assert!(!fixture.node.stop(PATIENCE));
    drop((client, fixture));
    // It is still broken at the next start.
    let fixture = storage.start(both());
    check(&mut fixture.connect(), 2);
    assert!(!fixture.node.stop(PATIENCE));
    drop(fixture);
    // And repaired at the one after.
    storage.is_broken.store(false, Ordering::SeqCst);
    let fixture = storage.start(both());
    let mut client = fixture.connect();
    for partition in [0, 2] {
        assert_eq!(client.produce(partition, &batch(&[b"two"])), (0, 1));
    }
    assert_eq!(fixture.node.metrics()["data_dirs_offline"], 0);
}
