//! One connection: its handle, its task, its reasons to close.

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use bytes::Bytes;
use tokio::net::TcpStream;
use tokio::sync::mpsc;

use super::frame::{BadLength, FrameReader};
use super::handshake::{self, VersionRanges};
use super::inherited::OpenSocket;
use super::receive_pool::ReceivePool;
use super::stream::{self, WriteQueue};

/// Requests that may be unanswered on one connection.
pub const IN_FLIGHT_MAX: usize = 256;

/// What all connections of a client share.
#[derive(Clone, Debug)]
pub struct ConnectionOptions {
    /// Sent in every request header.
    pub client_id: Arc<str>,
    /// Bound on connecting to one address, and on the handshake.
    pub setup_timeout: Duration,
    /// Unused so long, a connection closes itself.
    pub idle_timeout: Duration,
    /// `SO_SNDBUF`, if it is to be set.
    pub send_buffer: Option<usize>,
    /// `SO_RCVBUF`, if it is to be set.
    pub receive_buffer: Option<usize>,
    /// A longer response closes the connection before it is allocated.
    pub response_bytes_max: usize,
    /// Where response buffers come from.
    pub pool: ReceivePool,
}

/// Names a connection in its events; never used again for another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ConnectionId(pub u64);

/// A request, encoded but for its header.
#[derive(Debug)]
pub struct Request {
    /// Comes back with the response.
    pub token: u64,
    /// Which API.
    pub api_key: i16,
    /// At which version; the body must be encoded at it.
    pub api_version: i16,
    /// The body, in order. Never copied.
    pub parts: Vec<Bytes>,
    /// Unanswered by then, the connection closes.
    pub deadline: Instant,
    /// False for Produce with acks=0, whose "response" is reported, empty, once the request was written.
    pub expects_response: bool,
}

/// What a connection reports.
#[derive(Debug)]
pub enum ConnectionEvent {
    /// Connected, and the broker's versions are known.
    Ready {
        /// Which connection.
        connection: ConnectionId,
        /// What the broker serves.
        versions: Arc<VersionRanges>,
    },
    /// A request was answered.
    Response {
        /// Which connection.
        connection: ConnectionId,
        /// The request's token.
        token: u64,
        /// The response without its header.
        body: Bytes,
    },
    /// The connection is gone. It reports nothing after this.
    Closed {
        /// Which connection.
        connection: ConnectionId,
        /// Why.
        reason: CloseReason,
        /// Requests without an answer, oldest first. Whether the broker saw them is unknown.
        unanswered: Vec<u64>,
    },
}

/// Why a connection closed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CloseReason {
    /// No address of the host accepted.
    #[error("cannot connect to {address}: {reason}")]
    ConnectFailed {
        /// host:port
        address: String,
        /// The last address's error.
        reason: String,
    },
    /// The broker's answer to `ApiVersions` was an error, malformed or late.
    #[error("ApiVersions with {address} failed: {reason}")]
    HandshakeFailed {
        /// host:port
        address: String,
        /// What happened.
        reason: String,
    },
    /// A request was not answered in time.
    #[error("request with API key {api_key} to {address} was not answered within {waited_ms} ms")]
    RequestTimedOut {
        /// host:port
        address: String,
        /// Of the request.
        api_key: i16,
        /// How long it waited.
        waited_ms: u128,
    },
    /// The broker closed the connection.
    #[error("{address} closed the connection")]
    PeerClosed {
        /// host:port
        address: String,
    },
    /// Reading or writing failed.
    #[error("connection to {address} failed: {reason}")]
    Io {
        /// host:port
        address: String,
        /// The operating system's words.
        reason: String,
    },
    /// The broker sent what is no response to anything that was asked.
    #[error("{address} does not speak the protocol: {reason}")]
    Protocol {
        /// host:port
        address: String,
        /// What is wrong.
        reason: String,
    },
    /// Not used for `connections.max.idle.ms`.
    #[error("idle")]
    Idle,
    /// Its owner dropped it.
    #[error("closed")]
    Requested,
}

/// The handle of a connection. Dropping it closes the connection.
#[derive(Debug)]
pub struct Connection {
    id: ConnectionId,
    outgoing: mpsc::UnboundedSender<Outgoing>,
    client_id: Arc<str>,
    correlation_id: i32,
    in_flight: Arc<AtomicUsize>,
}

/// A request on its way to the connection's task.
#[derive(Debug)]
struct Outgoing {
    frame: Vec<Bytes>,
    waiting: InFlight,
}

#[derive(Debug)]
struct InFlight {
    token: u64,
    correlation_id: i32,
    api_key: i16,
    api_version: i16,
    sent: Instant,
    deadline: Instant,
    expects_response: bool,
}

impl Connection {
    /// Starts connecting on the current runtime. [`ConnectionEvent::Ready`] or [`ConnectionEvent::Closed`] follows.
    pub fn open(
        id: ConnectionId,
        host: String,
        port: u16,
        options: ConnectionOptions,
        events: mpsc::UnboundedSender<ConnectionEvent>,
    ) -> Self {
        let (outgoing, incoming) = mpsc::unbounded_channel();
        let in_flight = Arc::new(AtomicUsize::new(0));
        let handle = Self {
            id,
            outgoing,
            client_id: Arc::clone(&options.client_id),
            // The handshake uses the numbers below.
            correlation_id: handshake::CORRELATION_IDS,
            in_flight: Arc::clone(&in_flight),
        };
        let task = Task {
            id,
            address: format!("{host}:{port}"),
            options,
            events,
            incoming,
            in_flight,
        };
        tokio::spawn(task.run(host, port));
        handle
    }

    /// Its name in events.
    pub fn id(&self) -> ConnectionId {
        self.id
    }

    /// Requests without an answer.
    pub fn in_flight(&self) -> usize {
        self.in_flight.load(Ordering::Relaxed)
    }

    /// Queues a request on a connection that is ready.
    ///
    /// # Errors
    /// The request itself, when [`IN_FLIGHT_MAX`] requests are unanswered, its length does not fit a frame, or the connection
    /// has closed (its event says why).
    pub fn send(&mut self, request: Request) -> Result<(), Request> {
        if self.in_flight() >= IN_FLIGHT_MAX {
            return Err(request);
        }
        self.correlation_id = self.correlation_id.checked_add(1).unwrap_or(handshake::CORRELATION_IDS);
        let correlation_id = self.correlation_id;
        let Some(head) = handshake::frame_head(
            request.api_key,
            request.api_version,
            correlation_id,
            &self.client_id,
            request.parts.iter().map(Bytes::len).sum(),
        ) else {
            return Err(request);
        };
        let waiting = InFlight {
            token: request.token,
            correlation_id,
            api_key: request.api_key,
            api_version: request.api_version,
            sent: Instant::now(),
            deadline: request.deadline,
            expects_response: request.expects_response,
        };
        let mut frame = Vec::with_capacity(request.parts.len() + 1);
        frame.push(head);
        frame.extend(request.parts);
        self.in_flight.fetch_add(1, Ordering::Relaxed);
        self.outgoing.send(Outgoing { frame, waiting }).map_err(|failed| {
            self.in_flight.fetch_sub(1, Ordering::Relaxed);
            let mut parts = failed.0.frame;
            parts.remove(0);
            Request {
                token: failed.0.waiting.token,
                api_key: failed.0.waiting.api_key,
                api_version: failed.0.waiting.api_version,
                parts,
                deadline: failed.0.waiting.deadline,
                expects_response: failed.0.waiting.expects_response,
            }
        })
    }
}

/// The connection's task and what it owns.
struct Task {
    id: ConnectionId,
    address: String,
    options: ConnectionOptions,
    events: mpsc::UnboundedSender<ConnectionEvent>,
    incoming: mpsc::UnboundedReceiver<Outgoing>,
    in_flight: Arc<AtomicUsize>,
}

/// What woke the task.
enum Wake {
    Outgoing(Option<Outgoing>),
    Readable(io::Result<()>),
    Writable(io::Result<()>),
    Timer,
}

impl Task {
    async fn run(mut self, host: String, port: u16) {
        let mut waiting = VecDeque::new();
        let reason = match self.set_up(&host, port).await {
            Ok((stream, reader)) => self.serve(&stream, reader, &mut waiting).await,
            Err(reason) => reason,
        };
        let mut unanswered: Vec<u64> = waiting.iter().map(|request: &InFlight| request.token).collect();
        self.incoming.close();
        while let Ok(outgoing) = self.incoming.try_recv() {
            unanswered.push(outgoing.waiting.token);
        }
        self.in_flight.store(0, Ordering::Relaxed);
        // The owner may be gone; then nobody needs to know.
        let _ = self.events.send(ConnectionEvent::Closed {
            connection: self.id,
            reason,
            unanswered,
        });
    }

    /// Connects and shakes hands, unless the owner gives up first.
    async fn set_up(&mut self, host: &str, port: u16) -> Result<(TcpStream, FrameReader), CloseReason> {
        let options = &self.options;
        let address = &self.address;
        let ready = async {
            let stream = stream::connect(host, port, options)
                .await
                .map_err(|error| CloseReason::ConnectFailed {
                    address: address.clone(),
                    reason: error.to_string(),
                })?;
            let mut reader = FrameReader::new(options.pool.clone(), options.response_bytes_max);
            let versions = tokio::time::timeout(
                options.setup_timeout,
                handshake::run(&stream, &mut reader, &options.client_id),
            )
            .await
            .unwrap_or_else(|_| Err(format!("no answer within {} ms", options.setup_timeout.as_millis())))
            .map_err(|reason| CloseReason::HandshakeFailed {
                address: address.clone(),
                reason,
            })?;
            Ok((stream, reader, versions))
        };
        let (stream, reader, versions) = tokio::select! {
            biased;
            // A request before Ready breaks the owner's contract; it is reported as unanswered.
            _ = self.incoming.recv() => return Err(CloseReason::Requested),
            ready = ready => ready?,
        };
        let ready = ConnectionEvent::Ready {
            connection: self.id,
            versions: Arc::new(versions),
        };
        self.events.send(ready).map_err(|_| CloseReason::Requested)?;
        Ok((stream, reader))
    }

    /// Writes and reads until something ends the connection.
    async fn serve(
        &mut self,
        stream: &TcpStream,
        mut reader: FrameReader,
        waiting: &mut VecDeque<InFlight>,
    ) -> CloseReason {
        let _open = OpenSocket::new(stream);
        let mut writing = WriteQueue::default();
        let mut used = Instant::now();
        let mut armed = used + self.options.idle_timeout;
        let timer = tokio::time::sleep_until(armed.into());
        tokio::pin!(timer);
        loop {
            let wake = tokio::select! {
                biased;
                ready = stream.readable() => Wake::Readable(ready),
                outgoing = self.incoming.recv() => Wake::Outgoing(outgoing),
                ready = stream.writable(), if !writing.is_empty() => Wake::Writable(ready),
                () = &mut timer => Wake::Timer,
            };
            let done = match wake {
                Wake::Readable(Ok(())) => self.read(stream, &mut reader, waiting),
                Wake::Readable(Err(error)) | Wake::Writable(Err(error)) => Err(self.io_error(&error)),
                Wake::Outgoing(None) => Err(CloseReason::Requested),
                Wake::Outgoing(Some(outgoing)) => {
                    let mut next = Some(outgoing);
                    while let Some(outgoing) = next {
                        if outgoing.waiting.deadline < armed {
                            armed = outgoing.waiting.deadline;
                            timer.as_mut().reset(armed.into());
                        }
                        writing.push(outgoing.frame);
                        waiting.push_back(outgoing.waiting);
                        next = self.incoming.try_recv().ok();
                    }
                    self.write(stream, &mut writing, waiting)
                }
                Wake::Writable(Ok(())) => self.write(stream, &mut writing, waiting),
                Wake::Timer => match self.after_timer(used, waiting) {
                    Ok(next) => {
                        armed = next;
                        timer.as_mut().reset(armed.into());
                        continue;
                    }
                    Err(reason) => Err(reason),
                },
            };
            if let Err(reason) = done {
                return reason;
            }
            used = Instant::now();
        }
    }

    /// When to look again, or why to close now.
    fn after_timer(&self, used: Instant, waiting: &VecDeque<InFlight>) -> Result<Instant, CloseReason> {
        let now = Instant::now();
        let Some(first) = waiting.iter().min_by_key(|request| request.deadline) else {
            let idle_at = used + self.options.idle_timeout;
            return if idle_at <= now {
                Err(CloseReason::Idle)
            } else {
                Ok(idle_at)
            };
        };
        if first.deadline > now {
            return Ok(first.deadline);
        }
        Err(CloseReason::RequestTimedOut {
            address: self.address.clone(),
            api_key: first.api_key,
            waited_ms: now.saturating_duration_since(first.sent).as_millis(),
        })
    }

    fn write(
        &self,
        stream: &TcpStream,
        writing: &mut WriteQueue,
        waiting: &mut VecDeque<InFlight>,
    ) -> Result<(), CloseReason> {
        writing.write_to(stream).map_err(|error| self.io_error(&error))?;
        if writing.is_empty() {
            let in_flight = &self.in_flight;
            let (id, events) = (self.id, &self.events);
            waiting.retain(|request| {
                if !request.expects_response {
                    in_flight.fetch_sub(1, Ordering::Relaxed);
                    let event = ConnectionEvent::Response {
                        connection: id,
                        token: request.token,
                        body: Bytes::new(),
                    };
                    let _ = events.send(event);
                }
                request.expects_response
            });
        }
        Ok(())
    }

    fn read(
        &self,
        stream: &TcpStream,
        reader: &mut FrameReader,
        waiting: &mut VecDeque<InFlight>,
    ) -> Result<(), CloseReason> {
        match reader.read_from(stream) {
            Ok(0) => {
                return Err(CloseReason::PeerClosed {
                    address: self.address.clone(),
                });
            }
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(()),
            Err(error) => return Err(self.io_error(&error)),
        }
        while let Some(frame) = reader.next_frame().map_err(|BadLength(length)| {
            self.protocol(format!(
                "a response of {length} bytes, the limit is {}",
                self.options.response_bytes_max
            ))
        })? {
            self.answer(&frame, waiting)?;
        }
        Ok(())
    }

    /// Gives a response to the oldest request, whose it must be. A request stays unanswered if it is not.
    fn answer(&self, frame: &Bytes, waiting: &mut VecDeque<InFlight>) -> Result<(), CloseReason> {
        let index = waiting.iter().position(|request| request.expects_response);
        let request = index.and_then(|index| waiting.get(index));
        let request = request.ok_or_else(|| self.protocol("a response to nothing".to_owned()))?;
        let (correlation_id, body_at) = handshake::response_head(request.api_key, request.api_version, frame)
            .map_err(|reason| self.protocol(reason))?;
        if correlation_id != request.correlation_id {
            let reason = format!(
                "correlation id {correlation_id} where {} was due",
                request.correlation_id
            );
            return Err(self.protocol(reason));
        }
        let body = frame.slice(body_at.min(frame.len())..);
        let event = ConnectionEvent::Response {
            connection: self.id,
            token: request.token,
            body,
        };
        self.in_flight.fetch_sub(1, Ordering::Relaxed);
        if let Some(index) = index {
            waiting.remove(index);
        }
        self.events.send(event).map_err(|_| CloseReason::Requested)
    }

    fn io_error(&self, error: &io::Error) -> CloseReason {
        CloseReason::Io {
            address: self.address.clone(),
            reason: error.to_string(),
        }
    }

    fn protocol(&self, reason: String) -> CloseReason {
        CloseReason::Protocol {
            address: self.address.clone(),
            reason,
        }
    }
}
