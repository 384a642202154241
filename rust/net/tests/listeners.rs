//! Listeners that are added to a running server and taken away from it, over loopback.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test's helpers may fail as the test does"
)]

mod loopback;

use std::collections::HashMap;
use std::fs::File;
use std::io::Write;
use std::net::{TcpListener, TcpStream};
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use barnabas_net::framing::Frame;
use barnabas_net::limits::{ConnectionLimits, ListenerLimits};
use barnabas_net::part::{RangeSource, Response};
use barnabas_net::server::{ConnectionInfo, Handler, Listener, Outcome, SendMode, Server, ServerConfig, ServerError};
use tokio::sync::Notify;

use loopback::{PATIENCE, connect, is_closed, until};

#[derive(Clone)]
struct NoFile(Arc<File>);

impl RangeSource for NoFile {
    fn descriptor(&self) -> Option<BorrowedFd<'_>> {
        Some(self.0.as_fd())
    }
    fn read_at(&self, _: &mut [u8], _: u64) -> std::io::Result<usize> {
        Ok(0)
    }
    fn is_at_hand(&self, _: u64) -> bool {
        true
    }
}

/// Answers each frame with the name of the listener that it came by; a frame `w` only once released.
#[derive(Default)]
struct Names {
    release: Arc<Notify>,
    waiting: Arc<AtomicUsize>,
    open: AtomicUsize,
}

impl Handler for Names {
    type File = NoFile;
    type Connection = Arc<str>;

    fn connected(&self, info: ConnectionInfo) -> Arc<str> {
        self.open.fetch_add(1, Ordering::SeqCst);
        info.listener
    }

    fn handle(
        &self,
        name: &mut Arc<str>,
        frame: Frame<'_>,
        _: Instant,
        response: &mut Response<NoFile>,
    ) -> Outcome<NoFile> {
        let name = Arc::clone(name);
        if frame[0] != b'w' {
            response.begin().extend_from_slice(name.as_bytes());
            return Outcome::Reply;
        }
        let release = Arc::clone(&self.release);
        self.waiting.fetch_add(1, Ordering::SeqCst);
        Outcome::Wait(Box::pin(async move {
            release.notified().await;
            let mut response = Response::new();
            response.begin().extend_from_slice(name.as_bytes());
            Some(response)
        }))
    }

    fn disconnected(&self, _: &mut Arc<str>) {
        self.open.fetch_sub(1, Ordering::SeqCst);
    }
}

fn listener(name: &str, port: u16) -> Listener {
    Listener {
        name: name.to_owned(),
        host: "127.0.0.1".to_owned(),
        port,
    }
}

fn start(reactors: usize, limits: ConnectionLimits) -> (Server<Names>, Arc<Names>) {
    let names = Arc::new(Names::default());
    let config = ServerConfig {
        listeners: vec![listener("FIRST", 0)],
        reactors,
        frame_bytes_max: 1 << 20,
        limits,
        protected_listener: "FIRST".to_owned(),
        request_bytes_max: None,
        idle_max: Duration::from_secs(600),
        send_mode: SendMode::Sendfile,
        socket_buffer_bytes: None,
    };
    let server = Server::bind(config, Arc::clone(&names)).unwrap();
    server.open_gate();
    (server, names)
}

fn send(stream: &mut TcpStream, letter: u8) {
    stream.write_all(&[0, 0, 0, 1, letter]).unwrap();
}

fn receive(stream: &mut TcpStream) -> std::io::Result<String> {
    loopback::receive(stream).map(|body| String::from_utf8(body).unwrap())
}

fn ask(stream: &mut TcpStream) -> String {
    send(stream, b'?');
    receive(stream).unwrap()
}

#[test]
fn a_listener_is_served_from_when_it_is_added_until_it_is_removed() {
    for reactors in [1, 3] {
        let (server, names) = start(reactors, ConnectionLimits::default());
        let first = server.addresses()[0];
        let second = server.add_listener(&listener("SECOND", 0)).unwrap();
        let mut stays = connect(first);
        let mut goes: Vec<_> = (0..5).map(|_| connect(second)).collect();
        assert_eq!(ask(&mut stays), "FIRST");
        for stream in &mut goes {
            assert_eq!(ask(stream), "SECOND");
        }
        let told: Vec<_> = server
            .listeners()
            .into_iter()
            .map(|(name, address)| (name.to_string(), address))
            .collect();
        assert_eq!(told, [("FIRST".to_owned(), first), ("SECOND".to_owned(), second)]);

        assert!(server.remove_listener("SECOND"));
        // The port is free at once.
        drop(TcpListener::bind(second).unwrap());
        assert!(goes.iter_mut().all(is_closed));
        until(|| names.open.load(Ordering::SeqCst) == 1);
        assert_eq!(ask(&mut stays), "FIRST");
        assert_eq!(server.addresses(), [first]);
        assert!(!server.remove_listener("SECOND"));

        // Another one may have its port, and later one of its name another.
        assert_eq!(server.add_listener(&listener("THIRD", second.port())).unwrap(), second);
        let again = server.add_listener(&listener("SECOND", 0)).unwrap();
        assert_eq!(
            (ask(&mut connect(second)), ask(&mut connect(again))),
            ("THIRD".to_owned(), "SECOND".to_owned())
        );
        assert!(server.stop(PATIENCE));
    }
}

#[test]
fn a_port_that_is_taken_is_refused_and_nothing_else_changes() {
    let (server, _) = start(1, ConnectionLimits::default());
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    let error = server.add_listener(&listener("SECOND", port)).unwrap_err();
    assert!(matches!(&error, ServerError::Bind { listener, port: told, .. } if listener == "SECOND" && *told == port));
    assert_eq!(server.addresses().len(), 1);
    assert!(!server.remove_listener("SECOND"));
    drop(taken);
    server.add_listener(&listener("SECOND", port)).unwrap();
    assert!(server.stop(PATIENCE));
    assert!(server.add_listener(&listener("LATE", 0)).is_err());
}

#[test]
fn a_request_that_is_executed_is_answered_before_its_listener_s_connections_are_closed() {
    let (server, names) = start(1, ConnectionLimits::default());
    let second = server.add_listener(&listener("SECOND", 0)).unwrap();
    let mut busy = connect(second);
    send(&mut busy, b'w');
    until(|| names.waiting.load(Ordering::SeqCst) == 1);
    // What is sent behind it is not executed any more.
    send(&mut busy, b'?');
    assert!(server.remove_listener("SECOND"));
    names.release.notify_one();
    assert_eq!(receive(&mut busy).unwrap(), "SECOND");
    assert!(is_closed(&mut busy));

    // One that takes its time is not waited for.
    let second = server.add_listener(&listener("SECOND", 0)).unwrap();
    let mut stuck = connect(second);
    send(&mut stuck, b'w');
    until(|| names.waiting.load(Ordering::SeqCst) == 2);
    assert!(server.remove_listener("SECOND"));
    assert!(is_closed(&mut stuck));
    until(|| names.open.load(Ordering::SeqCst) == 0);
}

#[test]
fn a_listener_that_is_added_before_the_gate_opens_waits_for_it() {
    let names = Arc::new(Names::default());
    let config = ServerConfig {
        listeners: vec![listener("FIRST", 0)],
        reactors: 1,
        frame_bytes_max: 1 << 20,
        limits: ConnectionLimits::default(),
        protected_listener: String::new(),
        request_bytes_max: None,
        idle_max: Duration::from_secs(600),
        send_mode: SendMode::Sendfile,
        socket_buffer_bytes: None,
    };
    let server = Server::bind(config, Arc::clone(&names)).unwrap();
    let second = server.add_listener(&listener("SECOND", 0)).unwrap();
    let first = server.addresses()[0];
    assert!(server.remove_listener("FIRST"));
    drop(TcpListener::bind(first).unwrap());
    let mut early = connect(second);
    send(&mut early, b'?');
    assert_eq!(names.open.load(Ordering::SeqCst), 0);
    server.open_gate();
    assert_eq!(receive(&mut early).unwrap(), "SECOND");
}

#[test]
fn limits_of_a_listener_count_from_when_it_is_there() {
    let limits = ListenerLimits {
        connections_max: 1,
        creation_rate: f64::INFINITY,
    };
    let (server, names) = start(
        1,
        ConnectionLimits {
            listeners: HashMap::from([("second".to_owned(), limits)]),
            ..ConnectionLimits::default()
        },
    );
    for _ in 0..3 {
        let second = server.add_listener(&listener("SECOND", 0)).unwrap();
        let mut first = connect(second);
        assert_eq!(ask(&mut first), "SECOND");
        let mut waits = connect(second);
        send(&mut waits, b'?');
        assert_eq!(ask(&mut connect(server.addresses()[0])), "FIRST");
        assert_eq!(server.metrics().accepted.load(Ordering::SeqCst) % 2, 0);
        assert!(server.remove_listener("SECOND"));
        assert!(is_closed(&mut first) && is_closed(&mut waits));
    }
    until(|| names.open.load(Ordering::SeqCst) == 0);
}

/// Threads and descriptors of this process, by what `/proc` says.
#[cfg(target_os = "linux")]
fn descriptors() -> usize {
    std::fs::read_dir("/proc/self/fd").unwrap().count()
}

#[cfg(target_os = "linux")]
#[test]
fn listeners_come_and_go_under_load_and_leave_nothing_behind() {
    let (server, names) = start(2, ConnectionLimits::default());
    let first = server.addresses()[0];
    let is_over = AtomicBool::new(false);
    let answered = AtomicUsize::new(0);
    let second = server.add_listener(&listener("SECOND", 0)).unwrap();
    assert!(server.remove_listener("SECOND"));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            // Who is on a listener that stays notices nothing.
            let mut stream = connect(first);
            while !is_over.load(Ordering::SeqCst) {
                assert_eq!(ask(&mut stream), "FIRST");
                answered.fetch_add(1, Ordering::SeqCst);
            }
        });
        for _ in 0..2 {
            scope.spawn(|| {
                // Whoever connects to the one that comes and goes is served by it, or refused, or cut off.
                while !is_over.load(Ordering::SeqCst) {
                    let Ok(mut stream) = TcpStream::connect(second) else {
                        continue;
                    };
                    let _ = stream.set_read_timeout(Some(PATIENCE));
                    while stream.write_all(&[0, 0, 0, 1, b'?']).is_ok() {
                        match receive(&mut stream) {
                            Ok(name) => assert_eq!(name, "SECOND"),
                            Err(error) => {
                                assert_ne!(error.kind(), std::io::ErrorKind::WouldBlock, "it hangs");
                                break;
                            }
                        }
                    }
                }
            });
        }
        for _ in 0..100 {
            // A client's connection that is being closed may still have the port.
            until(|| server.add_listener(&listener("SECOND", second.port())).is_ok());
            until(|| names.open.load(Ordering::SeqCst) > 1);
            assert!(server.remove_listener("SECOND"));
        }
        is_over.store(true, Ordering::SeqCst);
    });
    assert!(answered.load(Ordering::SeqCst) > 0);
    until(|| server.metrics().connections.load(Ordering::SeqCst) == 0);
    assert_eq!(names.open.load(Ordering::SeqCst), 0);
    let before = descriptors();
    for _ in 0..50 {
        server.add_listener(&listener("SECOND", 0)).unwrap();
        assert!(server.remove_listener("SECOND"));
    }
    // Other tests of this process may open some meanwhile.
    until(|| descriptors() <= before + 20);
    assert!(server.stop(PATIENCE));
}
