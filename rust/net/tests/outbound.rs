//! Connections to brokers, against a socket that does what the test says. Each runtime runs on the test's own thread, and only
//! while the test waits for an event.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that fails stops"
)]

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::time::{Duration, Instant};

use barnabas_net::outbound::{
    CloseReason, Connection, ConnectionEvent, ConnectionId, ConnectionOptions, ReceivePool, Request,
};
use barnabas_wire::api;
use barnabas_wire::messages::api_versions::{ApiVersion, ApiVersionsResponse};
use bytes::Bytes;
use tokio::runtime::Runtime;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

const LONG: Duration = Duration::from_secs(30);
/// A version whose headers have no tagged fields.
const METADATA_VERSION: i16 = 1;

/// A connection that is ready, and the other end of it.
struct Line {
    runtime: Runtime,
    events: UnboundedReceiver<ConnectionEvent>,
    connection: Connection,
    peer: TcpStream,
}

impl Line {
    fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        let (sender, mut events) = unbounded_channel();
        let options = ConnectionOptions {
            client_id: Arc::from("test"),
            setup_timeout: LONG,
            idle_timeout: LONG,
            send_buffer: Some(64 << 10),
            receive_buffer: None,
            response_bytes_max: 1 << 20,
            pool: ReceivePool::new(1 << 20),
        };
        let connection = {
            let _runtime = runtime.enter();
            Connection::open(ConnectionId(1), "127.0.0.1".to_owned(), port, options, sender)
        };
        let peer = std::thread::spawn(move || {
            let (mut peer, _) = listener.accept().unwrap();
            let asked = frame(&mut peer);
            let version = i16::from_be_bytes([asked[2], asked[3]]);
            let served = ApiVersionsResponse {
                api_keys: vec![ApiVersion {
                    api_key: api::METADATA,
                    min_version: 0,
                    max_version: METADATA_VERSION,
                }],
                ..Default::default()
            };
            answer(&mut peer, &asked, &served.to_bytes(version).unwrap());
            peer
        });
        let ready = runtime.block_on(events.recv()).unwrap();
        assert!(matches!(ready, ConnectionEvent::Ready { .. }), "{ready:?}");
        Self {
            runtime,
            events,
            connection,
            peer: peer.join().unwrap(),
        }
    }

    /// The next event; the connection's task runs until it comes.
    fn event(&mut self) -> ConnectionEvent {
        let next = async { tokio::time::timeout(LONG, self.events.recv()).await };
        self.runtime.block_on(next).unwrap().unwrap()
    }

    fn send(&mut self, token: u64, body: Vec<u8>, timeout: Duration, expects_response: bool) -> Result<(), Request> {
        self.connection.send(Request {
            token,
            api_key: api::METADATA,
            api_version: METADATA_VERSION,
            parts: vec![Bytes::from(body)],
            deadline: Instant::now() + timeout,
            expects_response,
        })
    }
}

/// The next frame without its length.
fn frame(peer: &mut TcpStream) -> Vec<u8> {
    let mut length = [0; 4];
    peer.read_exact(&mut length).unwrap();
    let mut frame = vec![0; usize::try_from(u32::from_be_bytes(length)).unwrap()];
    peer.read_exact(&mut frame).unwrap();
    frame
}

/// Answers a request whose response header has no tagged fields.
fn answer(peer: &mut TcpStream, asked: &[u8], body: &[u8]) {
    let mut answer = u32::try_from(4 + body.len()).unwrap().to_be_bytes().to_vec();
    answer.extend_from_slice(&asked[4..8]);
    answer.extend_from_slice(body);
    peer.write_all(&answer).unwrap();
}

fn response(event: ConnectionEvent) -> (u64, Bytes) {
    match event {
        ConnectionEvent::Response { token, body, .. } => (token, body),
        other => panic!("{other:?}"),
    }
}

fn closed(event: ConnectionEvent) -> (CloseReason, Vec<u64>) {
    match event {
        ConnectionEvent::Closed { reason, unanswered, .. } => (reason, unanswered),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_request_is_written_by_the_thread_that_sends_it() {
    let mut line = Line::new();
    line.peer.set_read_timeout(Some(LONG)).unwrap();
    line.send(7, b"asked".to_vec(), LONG, true).unwrap();
    // The task has not run since.
    let asked = frame(&mut line.peer);
    assert!(asked.ends_with(b"asked"));
    assert_eq!(line.connection.in_flight(), 1);
    answer(&mut line.peer, &asked, b"answered");
    assert_eq!(response(line.event()), (7, Bytes::from_static(b"answered")));
    assert_eq!(line.connection.in_flight(), 0);
}

#[test]
fn what_the_socket_does_not_take_is_written_by_the_task_and_what_follows_behind_it() {
    let mut line = Line::new();
    let large = vec![3; 16 << 20];
    line.send(1, large.clone(), LONG, true).unwrap();
    line.send(2, b"behind".to_vec(), LONG, true).unwrap();
    let mut peer = line.peer.try_clone().unwrap();
    let reader = std::thread::spawn(move || {
        let (first, second) = (frame(&mut peer), frame(&mut peer));
        answer(&mut peer, &first, b"1");
        answer(&mut peer, &second, b"2");
        (first, second)
    });
    assert_eq!(response(line.event()), (1, Bytes::from_static(b"1")));
    assert_eq!(response(line.event()), (2, Bytes::from_static(b"2")));
    let (first, second) = reader.join().unwrap();
    assert!(first.ends_with(&large) && second.ends_with(b"behind"));
}

#[test]
fn a_request_without_a_response_is_reported_once_it_is_written() {
    let mut line = Line::new();
    line.send(1, b"answered".to_vec(), LONG, true).unwrap();
    line.send(2, b"never".to_vec(), LONG, false).unwrap();
    assert_eq!(response(line.events.try_recv().unwrap()), (2, Bytes::new()));
    assert_eq!(line.connection.in_flight(), 1);
    let asked = frame(&mut line.peer);
    answer(&mut line.peer, &asked, b"");
    assert_eq!(response(line.event()), (1, Bytes::new()));
}

#[test]
fn a_request_that_must_be_answered_sooner_than_the_others_ends_the_connection_in_time() {
    let mut line = Line::new();
    line.send(1, Vec::new(), LONG, true).unwrap();
    let since = Instant::now();
    line.send(2, Vec::new(), Duration::from_millis(20), true).unwrap();
    let (reason, unanswered) = closed(line.event());
    assert!(matches!(reason, CloseReason::RequestTimedOut { .. }), "{reason}");
    assert_eq!(unanswered, [1, 2]);
    assert!(since.elapsed() < LONG / 2);
}

#[test]
fn a_connection_that_has_closed_gives_requests_back() {
    let mut line = Line::new();
    line.send(1, Vec::new(), LONG, true).unwrap();
    line.peer.shutdown(std::net::Shutdown::Both).unwrap();
    let (_, unanswered) = closed(line.event());
    assert_eq!(unanswered, [1]);
    let refused = line.send(2, b"late".to_vec(), LONG, true).unwrap_err();
    assert_eq!((refused.token, refused.parts), (2, vec![Bytes::from_static(b"late")]));
    assert_eq!(line.connection.in_flight(), 0);
}

#[test]
fn dropping_the_handle_closes_the_connection() {
    let Line {
        runtime,
        mut events,
        connection,
        mut peer,
    } = Line::new();
    drop(connection);
    let (reason, _) = closed(runtime.block_on(events.recv()).unwrap());
    assert_eq!(reason, CloseReason::Requested);
    assert_eq!(peer.read(&mut [0; 1]).unwrap(), 0);
}
