//! The inbound server over loopback: order, limits, back-pressure, file ranges both ways, stopping.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test's helpers may fail as the test does"
)]

mod loopback;

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::FileExt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use barnabas_net::framing::Frame;
use barnabas_net::limits::ConnectionLimits;
use barnabas_net::part::{FileRange, RangeSource, Response};
use barnabas_net::server::{ConnectionInfo, Handler, Listener, Outcome, SendMode, Server, ServerConfig};
use tokio::sync::Notify;

use loopback::{PATIENCE, connect, is_closed, until};

/// A file that can be said not to be in the page cache, until a helper reads it.
#[derive(Clone)]
struct TestFile {
    file: Arc<File>,
    is_missing: Arc<AtomicBool>,
}

impl RangeSource for TestFile {
    fn descriptor(&self) -> Option<BorrowedFd<'_>> {
        Some(self.file.as_fd())
    }
    fn read_at(&self, buffer: &mut [u8], position: u64) -> std::io::Result<usize> {
        if self.is_missing.load(Ordering::SeqCst) {
            let thread = std::thread::current();
            if !thread.name().unwrap_or_default().starts_with("barnabas-read-") {
                return Err(std::io::Error::other("a reactor waited for the disk"));
            }
            self.is_missing.store(false, Ordering::SeqCst);
        }
        self.file.read_at(buffer, position)
    }
    fn is_at_hand(&self, _: u64) -> bool {
        !self.is_missing.load(Ordering::SeqCst)
    }
}

/// Frames are commands: `e…` echoes, `w…` echoes once released, `f` + position + length sends a range of the file between
/// two marks, `s` stays silent, `b` + length answers so many bytes, `t` the reactor's name, `c` closes.
struct Commands {
    file: TestFile,
    release: Arc<Notify>,
    handled: AtomicUsize,
    open: AtomicUsize,
    waiting: Arc<AtomicUsize>,
}

impl Handler for Commands {
    type File = TestFile;
    type Connection = ();

    fn connected(&self, _: ConnectionInfo) {
        self.open.fetch_add(1, Ordering::SeqCst);
    }

    fn handle(
        &self,
        (): &mut (),
        frame: Frame<'_>,
        _: Instant,
        response: &mut Response<TestFile>,
    ) -> Outcome<TestFile> {
        self.handled.fetch_add(1, Ordering::SeqCst);
        let number = |at: usize| usize::try_from(u64::from_be_bytes(frame[at..at + 8].try_into().unwrap())).unwrap();
        match frame[0] {
            b'e' => {
                response.begin().extend_from_slice(&frame);
                Outcome::Reply
            }
            b's' => Outcome::Silent,
            b'b' => {
                let len = number(1);
                response.begin().resize(4 + len, b'b');
                Outcome::Reply
            }
            b't' => {
                let thread = std::thread::current();
                let name = thread.name().unwrap_or_default();
                response.begin().extend_from_slice(name.as_bytes());
                Outcome::Reply
            }
            b'f' => {
                let range = FileRange {
                    file: self.file.clone(),
                    position: u64::try_from(number(1)).unwrap(),
                    len: number(9),
                };
                response.begin().extend_from_slice(b"<<");
                response.push_range(range.clone());
                response.bytes_mut().extend_from_slice(b"><");
                response.push_range(range);
                response.bytes_mut().extend_from_slice(b">>");
                Outcome::Reply
            }
            b'w' => {
                let frame = frame.to_vec();
                let release = Arc::clone(&self.release);
                let guard = Count::new(&self.waiting);
                Outcome::Wait(Box::pin(async move {
                    let _guard = guard;
                    release.notified().await;
                    let mut response = Response::new();
                    response.begin().extend_from_slice(&frame);
                    Some(response)
                }))
            }
            _ => Outcome::Close,
        }
    }

    fn disconnected(&self, (): &mut ()) {
        self.open.fetch_sub(1, Ordering::SeqCst);
    }
}

struct Count(Arc<AtomicUsize>);

impl Count {
    fn new(count: &Arc<AtomicUsize>) -> Self {
        count.fetch_add(1, Ordering::SeqCst);
        Self(Arc::clone(count))
    }
}

impl Drop for Count {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

struct Running {
    server: Server<Commands>,
    commands: Arc<Commands>,
    contents: Vec<u8>,
}

fn config(send_mode: SendMode) -> ServerConfig {
    ServerConfig {
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
        socket_buffer_bytes: None,
    }
}

fn start(config: ServerConfig) -> Running {
    let contents: Vec<u8> = (0..3_000_000_u32)
        .map(|i| u8::try_from(i.wrapping_mul(2_654_435_761) >> 24).unwrap())
        .collect();
    let file = tempfile::tempfile().unwrap();
    file.write_all_at(&contents, 0).unwrap();
    let commands = Arc::new(Commands {
        file: TestFile {
            file: Arc::new(file),
            is_missing: Arc::default(),
        },
        release: Arc::default(),
        handled: AtomicUsize::new(0),
        open: AtomicUsize::new(0),
        waiting: Arc::default(),
    });
    let server = Server::bind(config, Arc::clone(&commands)).unwrap();
    server.open_gate();
    Running {
        server,
        commands,
        contents,
    }
}

impl Running {
    fn connect(&self) -> TcpStream {
        connect(self.server.addresses()[0])
    }
}

fn frame(body: &[u8]) -> Vec<u8> {
    let mut out = u32::try_from(body.len()).unwrap().to_be_bytes().to_vec();
    out.extend_from_slice(body);
    out
}

fn command(letter: u8, numbers: &[u64]) -> Vec<u8> {
    let mut body = vec![letter];
    for number in numbers {
        body.extend_from_slice(&number.to_be_bytes());
    }
    frame(&body)
}

fn receive(stream: &mut TcpStream) -> Vec<u8> {
    loopback::receive(stream).unwrap()
}

#[test]
fn pipelined_responses_keep_their_order() {
    let running = start(config(SendMode::Sendfile));
    let mut stream = running.connect();
    let mut sent = Vec::new();
    for i in 0..500_u32 {
        sent.extend(frame(&[b"e".as_slice(), &i.to_be_bytes()].concat()));
        if i % 7 == 0 {
            sent.extend(frame(b"s"));
        }
    }
    stream.write_all(&sent).unwrap();
    for i in 0..500_u32 {
        assert_eq!(receive(&mut stream), [b"e".as_slice(), &i.to_be_bytes()].concat());
    }
}

#[test]
fn the_next_request_is_not_started_before_the_one_that_waits_is_answered() {
    let running = start(config(SendMode::Sendfile));
    let mut stream = running.connect();
    stream
        .write_all(&[frame(b"w1"), frame(b"e2"), frame(b"e3")].concat())
        .unwrap();
    until(|| running.commands.waiting.load(Ordering::SeqCst) == 1);
    let mut other = running.connect();
    other.write_all(&frame(b"e4")).unwrap();
    assert_eq!(receive(&mut other), b"e4");
    assert_eq!(running.commands.handled.load(Ordering::SeqCst), 2);
    running.commands.release.notify_one();
    let all: Vec<_> = (0..3).map(|_| receive(&mut stream)).collect();
    assert_eq!(all, [b"w1", b"e2", b"e3"]);
}

#[test]
fn a_request_that_waits_is_dropped_with_its_connection() {
    let running = start(config(SendMode::Sendfile));
    let mut stream = running.connect();
    stream.write_all(&frame(b"w")).unwrap();
    until(|| running.commands.waiting.load(Ordering::SeqCst) == 1);
    drop(stream);
    until(|| running.commands.waiting.load(Ordering::SeqCst) == 0 && running.commands.open.load(Ordering::SeqCst) == 0);
}

#[test]
fn ranges_come_the_same_by_sendfile_and_through_a_buffer() {
    for mode in [SendMode::Sendfile, SendMode::Buffered] {
        let running = start(config(mode));
        let mut stream = running.connect();
        for (position, len) in [
            (0, 0),
            (5, 1),
            (100, 16_384),
            (1, 16_385),
            (4096, 300_000),
            (123, 2_900_000),
        ] {
            stream.write_all(&command(b'f', &[position, len])).unwrap();
            let begin = usize::try_from(position).unwrap();
            let range = &running.contents[begin..begin + usize::try_from(len).unwrap()];
            assert!(
                receive(&mut stream) == [b"<<", range, b"><", range, b">>"].concat(),
                "{mode:?} {position} {len}"
            );
        }
    }
}

#[test]
fn a_range_that_is_not_cached_is_read_by_a_helper_first() {
    for mode in [SendMode::Sendfile, SendMode::Buffered] {
        let running = start(config(mode));
        let cold_reads = || running.server.metrics().cold_reads.load(Ordering::Relaxed);
        let mut stream = running.connect();
        stream.write_all(&command(b'f', &[100_000, 1000])).unwrap();
        receive(&mut stream);
        assert_eq!(cold_reads(), 0, "{mode:?}");
        running.commands.file.is_missing.store(true, Ordering::SeqCst);
        stream.write_all(&command(b'f', &[100_000, 2_800_000])).unwrap();
        // More than sockets take while nobody reads.
        until(|| cold_reads() > 0);
        let range = &running.contents[100_000..2_900_000];
        assert!(
            receive(&mut stream) == [b"<<", range, b"><", range, b">>"].concat(),
            "{mode:?}"
        );
        stream.write_all(&command(b'f', &[100_000, 300_000])).unwrap();
        let before = cold_reads();
        receive(&mut stream);
        assert_eq!(cold_reads(), before, "{mode:?}");
    }
}

#[test]
fn a_range_that_ends_early_closes_the_connection() {
    for mode in [SendMode::Sendfile, SendMode::Buffered] {
        for len in [100, 200_000] {
            let running = start(config(mode));
            let mut stream = running.connect();
            stream.write_all(&command(b'f', &[2_999_950, len])).unwrap();
            let mut rest = Vec::new();
            // Reset or end, never a full response.
            let _ = stream.read_to_end(&mut rest);
            assert!(rest.len() < usize::try_from(2 * len).unwrap(), "{mode:?} {len}");
            until(|| running.commands.open.load(Ordering::SeqCst) == 0);
        }
    }
}

#[test]
fn bad_lengths_close_only_their_own_connection() {
    let running = start(config(SendMode::Sendfile));
    let mut good = running.connect();
    for prefix in [0_u32, 0x8000_0000, 0xffff_ffff, 1 << 21, 0x4845_4144] {
        let mut bad = running.connect();
        bad.write_all(&prefix.to_be_bytes()).unwrap();
        assert!(is_closed(&mut bad), "prefix {prefix:x}");
    }
    good.write_all(&frame(b"e")).unwrap();
    assert_eq!(receive(&mut good), b"e");
    let mut half = running.connect();
    half.write_all(&[0, 0, 0, 9, b'e']).unwrap();
    half.shutdown(Shutdown::Write).unwrap();
    assert!(is_closed(&mut half));
}

#[test]
fn a_slow_reader_holds_up_nobody_and_is_read_no_further() {
    let running = start(config(SendMode::Sendfile));
    let mut slow = running.connect();
    slow.set_nonblocking(true).unwrap();
    let request = command(b'b', &[8 << 20]);
    // Far more than the system's buffers hold is asked for; the server must stop reading requests.
    let mut sent = 0;
    let deadline = Instant::now() + PATIENCE;
    while running.commands.handled.load(Ordering::SeqCst) == 0 {
        assert!(Instant::now() < deadline);
        if slow.write(&request).is_ok_and(|n| n == request.len()) {
            sent += 1;
        }
    }
    let mut quick = running.connect();
    for _ in 0..1000 {
        quick.write_all(&frame(b"e")).unwrap();
        assert_eq!(receive(&mut quick), b"e");
    }
    // One is being sent; none of those behind it was started.
    assert_eq!(running.commands.handled.load(Ordering::SeqCst), 1001);
    slow.set_nonblocking(false).unwrap();
    for _ in 0..sent.min(2) {
        assert_eq!(receive(&mut slow).len(), 8 << 20);
    }
}

#[test]
fn idle_connections_are_closed_and_busy_ones_are_not() {
    let running = start(ServerConfig {
        idle_max: Duration::from_millis(40),
        ..config(SendMode::Sendfile)
    });
    let mut waiting = running.connect();
    waiting.write_all(&frame(b"w")).unwrap();
    let mut idle = running.connect();
    assert!(is_closed(&mut idle));
    assert_eq!(running.commands.waiting.load(Ordering::SeqCst), 1);
    running.commands.release.notify_one();
    assert_eq!(receive(&mut waiting), b"w");
}

#[test]
fn connection_limits_hold() {
    let running = start(ServerConfig {
        limits: ConnectionLimits {
            per_ip_max: 2,
            ..ConnectionLimits::default()
        },
        ..config(SendMode::Sendfile)
    });
    let mut kept: Vec<_> = (0..2).map(|_| running.connect()).collect();
    kept[1].write_all(&frame(b"e")).unwrap();
    assert_eq!(receive(&mut kept[1]), b"e");
    assert!(is_closed(&mut running.connect()));

    let running = start(ServerConfig {
        limits: ConnectionLimits {
            connections_max: 1,
            ..ConnectionLimits::default()
        },
        ..config(SendMode::Sendfile)
    });
    let mut first = running.connect();
    first.write_all(&frame(b"e")).unwrap();
    assert_eq!(receive(&mut first), b"e");
    let mut second = running.connect();
    second.write_all(&frame(b"e2")).unwrap();
    drop(first);
    assert_eq!(receive(&mut second), b"e2");
}

#[test]
fn connections_wait_at_the_gate_and_can_be_closed_by_id() {
    let commands = start(config(SendMode::Sendfile)).commands;
    let server = Server::bind(config(SendMode::Sendfile), Arc::clone(&commands)).unwrap();
    let mut early = TcpStream::connect(server.addresses()[0]).unwrap();
    early.set_read_timeout(Some(PATIENCE)).unwrap();
    early.write_all(&frame(b"e")).unwrap();
    server.open_gate();
    assert_eq!(receive(&mut early), b"e");
    server.close_connection(1);
    assert!(is_closed(&mut early));
}

#[test]
fn connections_are_spread_over_as_many_reactors_as_were_asked_for_last() {
    let running = start(config(SendMode::Sendfile));
    let thread_of = |stream: &mut TcpStream| {
        stream.write_all(&frame(b"t")).unwrap();
        String::from_utf8(receive(stream)).unwrap()
    };
    let names = |count: usize| -> (Vec<TcpStream>, BTreeSet<String>) {
        let mut streams: Vec<_> = (0..count).map(|_| running.connect()).collect();
        let names = streams.iter_mut().map(thread_of).collect();
        (streams, names)
    };
    let all = |count: usize| -> BTreeSet<String> { (0..count).map(|index| format!("barnabas-net-{index}")).collect() };
    assert_eq!(names(3).1, all(1));
    running.server.set_reactors(3).unwrap();
    let (mut streams, used) = names(6);
    assert_eq!(used, all(3));
    running.server.set_reactors(2).unwrap();
    assert_eq!(names(6).1, all(2));
    // Who is connected stays where it is.
    assert_eq!(streams.iter_mut().map(thread_of).collect::<BTreeSet<_>>(), all(3));
    running.server.set_reactors(0).unwrap();
    assert_eq!(names(3).1, all(1));
    drop(streams);
    assert!(running.server.stop(PATIENCE));
}

#[test]
fn stopping_finishes_what_executes() {
    let running = start(ServerConfig {
        reactors: 2,
        ..config(SendMode::Sendfile)
    });
    let mut idle = running.connect();
    let mut busy: Vec<_> = (0..4).map(|_| running.connect()).collect();
    for stream in &mut busy {
        stream.write_all(&[frame(b"w"), frame(b"e")].concat()).unwrap();
    }
    until(|| running.commands.waiting.load(Ordering::SeqCst) == 4);
    let Running { server, commands, .. } = running;
    let stopper = std::thread::spawn(move || server.stop(PATIENCE));
    assert!(is_closed(&mut idle));
    for _ in 0..4 {
        commands.release.notify_one();
    }
    for stream in &mut busy {
        assert_eq!(receive(stream), b"w");
        assert!(is_closed(stream));
    }
    assert!(stopper.join().unwrap());
    assert_eq!(commands.open.load(Ordering::SeqCst), 0);
}

#[test]
fn stopping_does_not_wait_for_ever() {
    let running = start(config(SendMode::Sendfile));
    let mut stream = running.connect();
    stream.write_all(&frame(b"w")).unwrap();
    until(|| running.commands.waiting.load(Ordering::SeqCst) == 1);
    assert!(!running.server.stop(Duration::from_millis(20)));
    assert!(is_closed(&mut stream));
}
