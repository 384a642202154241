//! A log's batches over a real socket while the log changes under the response: it rolls, loses its beginning, is
//! compacted, truncated, deleted. What arrives is what stood in the log when the response began, whole, or it ends
//! early and the connection with it.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that fails stops"
)]

use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::os::fd::BorrowedFd;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use barnabas_log::{
    AppendOrigin, Cleaner, FileStorage, FullSpeed, LogConfig, LogManager, ManagerConfig, PartitionLog, StorageFile,
};
use barnabas_net::framing::Frame;
use barnabas_net::limits::ConnectionLimits;
use barnabas_net::part::{FileRange, RangeSource, Response};
use barnabas_net::server::{ConnectionInfo, Handler, Listener, Outcome, SendMode, Server, ServerConfig};
use barnabas_records::{BatchBuilder, BatchIter, RecordIter, Seal};

/// Longest that any test waits for what must come.
const PATIENCE: Duration = Duration::from_secs(20);
const NOW: i64 = 1_700_000_000_000;

#[derive(Clone)]
struct LogFile(Arc<dyn StorageFile>);

impl RangeSource for LogFile {
    fn descriptor(&self) -> Option<BorrowedFd<'_>> {
        self.0.as_fd()
    }
    fn read_at(&self, buffer: &mut [u8], position: u64) -> std::io::Result<usize> {
        self.0.read_at(buffer, position)
    }
}

/// A frame is an offset and a number of bytes; the answer is the batches from there on, nothing where there are none.
struct Reads(Arc<PartitionLog>);

impl Handler for Reads {
    type File = LogFile;
    type Connection = ();

    fn connected(&self, _: ConnectionInfo) {}

    fn handle(&self, (): &mut (), frame: Frame<'_>, _: Instant, response: &mut Response<LogFile>) -> Outcome<LogFile> {
        let number = |at: usize| i64::from_be_bytes(frame[at..at + 8].try_into().unwrap());
        let max_bytes = usize::try_from(number(8)).unwrap();
        response.begin();
        if let Ok(slice) = self.0.read(number(0), max_bytes, true, i64::MAX)
            && !slice.is_empty()
        {
            response.push_range(FileRange {
                file: LogFile(slice.file),
                position: slice.position,
                len: slice.len,
            });
        }
        Outcome::Reply
    }

    fn disconnected(&self, (): &mut ()) {}
}

struct Fixture {
    manager: LogManager,
    log: Arc<PartitionLog>,
    server: Server<Reads>,
    _dir: tempfile::TempDir,
}

impl Fixture {
    fn start(send_mode: SendMode, compact: bool, segment_bytes: u64) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let config = LogConfig {
            segment_bytes,
            compact,
            delete: !compact,
            min_cleanable_dirty_ratio: 0.0,
            file_delete_delay_ms: 0,
            ..LogConfig::default()
        };
        let manager = LogManager::open(
            Arc::new(FileStorage),
            ManagerConfig {
                data_dirs: vec![PathBuf::from(dir.path())],
                cluster_id: "test-cluster".to_owned(),
                node_id: 1,
                temporary: true,
                open_files_max: 4,
                recovery_threads: 1,
                defaults: config.clone(),
            },
            NOW,
        )
        .unwrap();
        let log = manager.get_or_create("t", 0, [7; 16], config, NOW).unwrap();
        let server_config = ServerConfig {
            listeners: vec![Listener {
                name: "TEST".to_owned(),
                host: "127.0.0.1".to_owned(),
                port: 0,
            }],
            reactors: 1,
            frame_bytes_max: 1 << 20,
            limits: ConnectionLimits::default(),
            protected_listener: "TEST".to_owned(),
            request_bytes_max: None,
            idle_max: Duration::from_secs(600),
            send_mode,
            // Small, so that most of a response is still in the file while its beginning is read.
            socket_buffer_bytes: Some(64 << 10),
        };
        let server = Server::bind(server_config, Arc::new(Reads(Arc::clone(&log)))).unwrap();
        server.open_gate();
        Self {
            manager,
            log,
            server,
            _dir: dir,
        }
    }

    /// A batch of two records whose values are made of a tag, which says what all of their bytes are.
    fn append(&self, key: u64, tag: u64, value_len: usize) -> i64 {
        let mut builder = BatchBuilder::new(Vec::new());
        for _ in 0..2 {
            let key = format!("key {key}");
            builder
                .append(NOW, Some(key.as_bytes()), Some(&value_of(tag, value_len)), &[])
                .unwrap();
        }
        let mut bytes = builder.finish(&Seal::default(), &mut Vec::new()).unwrap();
        let info = self.log.append(&mut bytes, 0, NOW, AppendOrigin::Client).unwrap();
        self.log.set_high_watermark(self.log.log_end_offset());
        info.base_offset
    }

    fn change(&self, change: Change) {
        let end = self.log.log_end_offset();
        match change {
            Change::Roll => {
                self.log.roll(NOW).unwrap();
                self.append(1, 1, 10);
            }
            Change::DeleteRecords => {
                self.manager.delete_records(&self.log, end - 1, NOW).unwrap();
            }
            Change::Compact => {
                let round = self.manager.clean_next(&Cleaner::default(), NOW + 1, &FullSpeed);
                assert!(round.is_some_and(|round| round.done.is_some()));
            }
            Change::Truncate => {
                assert!(self.manager.truncate_to(&self.log, 2, NOW).unwrap());
                for tag in 0..100 {
                    self.append(tag, 1_000_000 + tag, 30_000);
                }
            }
            Change::DeletePartition => self.manager.delete("t", 0, NOW).unwrap(),
        }
        self.manager.remove_deleted(NOW + 1).unwrap();
    }
}

fn value_of(tag: u64, len: usize) -> Vec<u8> {
    tag.to_be_bytes().into_iter().cycle().take(len.max(8)).collect()
}

fn is_value(value: &[u8]) -> bool {
    let tag = value.first_chunk().map(|tag| u64::from_be_bytes(*tag));
    tag.is_some_and(|tag| value_of(tag, value.len()) == value)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Change {
    Roll,
    DeleteRecords,
    Compact,
    Truncate,
    DeletePartition,
}

fn connect(address: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream
}

fn ask(stream: &mut TcpStream, offset: i64, max_bytes: i64) -> std::io::Result<()> {
    let mut frame = 16_u32.to_be_bytes().to_vec();
    frame.extend_from_slice(&offset.to_be_bytes());
    frame.extend_from_slice(&max_bytes.to_be_bytes());
    stream.write_all(&frame)
}

/// Up to `want` bytes; fewer only if the connection ends. Hanging on is a failure.
fn receive(stream: &mut TcpStream, want: usize) -> Vec<u8> {
    let mut bytes = vec![0; want];
    let mut have = 0;
    while have < want {
        match stream.read(&mut bytes[have..]) {
            Ok(0) => break,
            Ok(count) => have += count,
            Err(error) if error.kind() == ErrorKind::ConnectionReset => break,
            Err(error) => panic!("after {have} of {want} bytes: {error}"),
        }
    }
    bytes.truncate(have);
    bytes
}

/// A response is under way, 64 KiB of it are read, then the log changes, then the rest is read.
fn change_under_a_response(send_mode: SendMode, change: Change) {
    let fixture = Fixture::start(send_mode, change == Change::Compact, 1 << 30);
    for tag in 0..60 {
        fixture.append(tag % 7, tag, 50_000);
    }
    if matches!(change, Change::DeleteRecords | Change::Compact) {
        fixture.log.roll(NOW).unwrap();
        fixture.append(0, 100, 10);
    }
    let before = fixture.log.read(0, 1 << 30, true, i64::MAX).unwrap().read().unwrap();
    let mut client = connect(fixture.server.addresses()[0]);
    ask(&mut client, 0, 1 << 30).unwrap();
    let length = receive(&mut client, 4);
    assert_eq!(u32::from_be_bytes(length.try_into().unwrap()) as usize, before.len());
    let mut received = receive(&mut client, 64 << 10);
    fixture.change(change);
    let left = before.len() - received.len();
    received.extend(receive(&mut client, left));
    if change == Change::Truncate {
        // The rest is gone: the connection is closed, and no other bytes took their place.
        assert!(received.len() < before.len(), "{send_mode:?}");
        let kept = BatchIter::new(&before).next().unwrap().unwrap().bytes.len();
        assert!(received[..kept] == before[..kept], "{send_mode:?}");
        // A page of the file that is cut in the middle is emptied from there on, also while it is being sent.
        let same_or_gone = received[kept..]
            .iter()
            .zip(&before[kept..])
            .all(|(got, was)| got == was || *got == 0);
        assert!(same_or_gone, "{send_mode:?}: other bytes in the response");
    } else {
        assert!(
            received == before,
            "{send_mode:?}, {change:?}: {} bytes",
            received.len()
        );
        ask(&mut client, 0, 1).unwrap();
        assert_eq!(receive(&mut client, 4).len(), 4, "the connection goes on");
    }
    assert!(fixture.server.stop(PATIENCE));
}

#[test]
fn a_response_under_way_is_not_changed_by_what_happens_to_the_log() {
    for send_mode in [SendMode::Sendfile, SendMode::Buffered] {
        for change in [
            Change::Roll,
            Change::DeleteRecords,
            Change::Compact,
            Change::Truncate,
            Change::DeletePartition,
        ] {
            change_under_a_response(send_mode, change);
        }
    }
}

/// Ends the readers also when the test fails.
struct Stop<'a>(&'a AtomicBool);

impl Drop for Stop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

/// What readers saw.
#[derive(Default)]
struct Seen {
    whole: AtomicU64,
    short: AtomicU64,
    emptied: AtomicU64,
}

/// Reads from random places until it is told to stop; every sound batch holds one tag's bytes, at its own offsets.
fn read_on(fixture: &Fixture, seed: i64, stop: &AtomicBool, truncations: &AtomicU64, seen: &Seen) {
    let address = fixture.server.addresses()[0];
    let mut client = connect(address);
    let mut turn = seed;
    while !stop.load(Ordering::SeqCst) {
        turn = turn
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let (start, end) = (fixture.log.log_start_offset(), fixture.log.log_end_offset());
        let offset = start + (turn >> 33).rem_euclid((end - start).max(1));
        let truncations_before = truncations.load(Ordering::SeqCst);
        if ask(&mut client, offset, 200_000).is_err() {
            client = connect(address);
            continue;
        }
        let length = receive(&mut client, 4);
        let Ok(length) = <[u8; 4]>::try_from(length) else {
            client = connect(address);
            continue;
        };
        let want = u32::from_be_bytes(length) as usize;
        let bytes = receive(&mut client, want);
        // The count is odd while one is under way.
        let is_cut = || truncations_before % 2 == 1 || truncations.load(Ordering::SeqCst) > truncations_before;
        if bytes.len() < want {
            assert!(is_cut(), "a short response though nothing was truncated");
            seen.short.fetch_add(1, Ordering::SeqCst);
            client = connect(address);
            continue;
        }
        let mut next = i64::MIN;
        for batch in BatchIter::new(&bytes) {
            let Ok(batch) = batch.and_then(|batch| batch.check_crc().map(|()| batch)) else {
                assert!(is_cut(), "a bad batch though nothing was truncated");
                seen.emptied.fetch_add(1, Ordering::SeqCst);
                break;
            };
            assert!(batch.header.base_offset >= next && batch.header.last_offset() >= offset);
            next = batch.header.next_offset();
            for record in RecordIter::new(&batch.header, &batch.bytes[61..]) {
                assert!(is_value(record.unwrap().value.unwrap()));
            }
        }
        seen.whole.fetch_add(1, Ordering::SeqCst);
    }
}

#[test]
fn readers_beside_rolls_deletions_compaction_and_truncations_see_whole_batches() {
    for (send_mode, compact) in [
        (SendMode::Sendfile, false),
        (SendMode::Sendfile, true),
        (SendMode::Buffered, false),
    ] {
        let fixture = Fixture::start(send_mode, compact, 400_000);
        for tag in 0..40 {
            fixture.append(tag % 5, tag, 10_000);
        }
        let (stop, truncations, seen) = (AtomicBool::new(false), AtomicU64::new(0), Seen::default());
        std::thread::scope(|scope| {
            let _stop = Stop(&stop);
            for seed in 1..4 {
                let (fixture, stop, truncations, seen) = (&fixture, &stop, &truncations, &seen);
                scope.spawn(move || read_on(fixture, seed, stop, truncations, seen));
            }
            for round in 0..60_u64 {
                for tag in 0..6 {
                    fixture.append((round + tag) % 5, 1000 * round + tag, 10_000);
                }
                let (start, end) = (fixture.log.log_start_offset(), fixture.log.log_end_offset());
                match round % 4 {
                    0 => assert!(fixture.log.roll(NOW).is_ok()),
                    1 if compact => {
                        let now = NOW + i64::try_from(round).unwrap();
                        fixture.manager.clean_next(&Cleaner::default(), now, &FullSpeed);
                    }
                    1 => {
                        let to = start + (end - start) / 4;
                        let deleted = fixture.manager.delete_records(&fixture.log, to, NOW);
                        assert_eq!(deleted.unwrap(), to);
                    }
                    2 => {
                        // Before and after, so that a reader in between knows of it.
                        truncations.fetch_add(1, Ordering::SeqCst);
                        fixture.manager.truncate_to(&fixture.log, end - 5, NOW).unwrap();
                        truncations.fetch_add(1, Ordering::SeqCst);
                    }
                    _ => fixture.manager.remove_deleted(NOW + 1).unwrap(),
                }
            }
        });
        assert!(seen.whole.load(Ordering::SeqCst) > 0, "{send_mode:?}");
        assert!(fixture.server.stop(PATIENCE));
    }
}
