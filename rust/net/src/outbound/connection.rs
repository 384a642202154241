//! One connection: its handle, its task, its reasons to close.

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use tokio::net::TcpStream;
use tokio::sync::mpsc;

use super::frame::{BadLength, FrameReader};
use super::handshake::{self, VersionRanges};
use super::inherited::OpenSocket;
use super::line::{Ended, InFlight, Line};
use super::receive_pool::ReceivePool;
use super::stream;

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
    line: Arc<Line>,
    client_id: Arc<str>,
    correlation_id: i32,
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
        let line = Arc::new(Line::new(id, events));
        let handle = Self {
            id,
            line: Arc::clone(&line),
            client_id: Arc::clone(&options.client_id),
            // The handshake uses the numbers below.
            correlation_id: handshake::CORRELATION_IDS,
        };
        let task = Task {
            id,
            address: format!("{host}:{port}"),
            options,
            line,
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
        self.line.in_flight()
    }

    /// Sends a request on a connection that is ready: at once, on this thread, as far as the socket takes it.
    ///
    /// # Errors
    /// The request itself, when [`IN_FLIGHT_MAX`] requests are unanswered, its length does not fit a frame, or the connection
    /// is not ready or has closed (its event says why).
    pub fn send(&mut self, request: Request) -> Result<(), Request> {
        if self.in_flight() >= IN_FLIGHT_MAX {
            return Err(request);
        }
        self.correlation_id = self.correlation_id.checked_add(1).unwrap_or(handshake::CORRELATION_IDS);
        let Some(head) = handshake::frame_head(
            request.api_key,
            request.api_version,
            self.correlation_id,
            &self.client_id,
            request.parts.iter().map(Bytes::len).sum(),
        ) else {
            return Err(request);
        };
        let Request {
            token,
            api_key,
            api_version,
            parts,
            deadline,
            expects_response,
        } = request;
        let waiting = InFlight {
            token,
            correlation_id: self.correlation_id,
            api_key,
            api_version,
            sent: Instant::now(),
            deadline,
            expects_response,
        };
        let mut frame = Vec::with_capacity(parts.len() + 1);
        frame.push(head);
        frame.extend(parts);
        self.line.send(frame, waiting).map_err(|mut parts| {
            parts.remove(0);
            Request {
                token,
                api_key,
                api_version,
                parts,
                deadline,
                expects_response,
            }
        })
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.line.release();
    }
}

/// The connection's task and what it owns.
struct Task {
    id: ConnectionId,
    address: String,
    options: ConnectionOptions,
    line: Arc<Line>,
}

/// What woke the task.
enum Wake {
    Readable(io::Result<()>),
    Writable(io::Result<()>),
    Told,
    Timer,
}

impl Task {
    async fn run(self, host: String, port: u16) {
        let reason = match self.set_up(&host, port).await {
            Ok((stream, reader)) => self.serve(&stream, reader).await,
            Err(reason) => reason,
        };
        let unanswered = self.line.close();
        // The owner may be gone; then nobody needs to know.
        let _ = self.line.report(ConnectionEvent::Closed {
            connection: self.id,
            reason,
            unanswered,
        });
    }

    /// Connects and shakes hands, unless the owner gives up first.
    async fn set_up(&self, host: &str, port: u16) -> Result<(Arc<TcpStream>, FrameReader), CloseReason> {
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
            // Before it is ready the task is told of nothing but the handle's end.
            () = self.line.told() => return Err(CloseReason::Requested),
            ready = ready => ready?,
        };
        let stream = Arc::new(stream);
        self.line.open(&stream, Instant::now() + options.idle_timeout);
        self.line.report(ConnectionEvent::Ready {
            connection: self.id,
            versions: Arc::new(versions),
        })?;
        Ok((stream, reader))
    }

    /// Reads, and writes what others could not, until something ends the connection.
    async fn serve(&self, stream: &TcpStream, mut reader: FrameReader) -> CloseReason {
        let _open = OpenSocket::new(stream);
        let mut look_at = self.line.lock().look_at;
        let mut is_writing = false;
        let timer = tokio::time::sleep_until(look_at.into());
        tokio::pin!(timer);
        loop {
            let wake = tokio::select! {
                biased;
                ready = stream.readable() => Wake::Readable(ready),
                () = self.line.told() => Wake::Told,
                ready = stream.writable(), if is_writing => Wake::Writable(ready),
                () = &mut timer => Wake::Timer,
            };
            let is_timer = matches!(wake, Wake::Timer);
            let done = match wake {
                Wake::Readable(Ok(())) => self.read(stream, &mut reader),
                Wake::Readable(Err(error)) | Wake::Writable(Err(error)) => Err(self.io_error(&error)),
                Wake::Writable(Ok(())) => {
                    self.line.write();
                    Ok(())
                }
                Wake::Told => Ok(()),
                Wake::Timer => self.after_timer(),
            };
            if let Err(reason) = done {
                return reason;
            }
            let mut state = self.line.lock();
            if let Err(ended) = state.check() {
                return self.ended(ended);
            }
            is_writing = state.is_writing();
            if !is_timer {
                state.used = Instant::now();
            }
            if state.look_at != look_at {
                look_at = state.look_at;
                timer.as_mut().reset(look_at.into());
            }
        }
    }

    /// Sets when to look again, or says why to close now.
    fn after_timer(&self) -> Result<(), CloseReason> {
        let now = Instant::now();
        let mut state = self.line.lock();
        let first = state.waiting.iter().min_by_key(|request| request.deadline);
        if let Some(late) = first.filter(|request| request.deadline <= now) {
            return Err(CloseReason::RequestTimedOut {
                address: self.address.clone(),
                api_key: late.api_key,
                waited_ms: now.saturating_duration_since(late.sent).as_millis(),
            });
        }
        let look_at = first.map_or(state.used + self.options.idle_timeout, |request| request.deadline);
        if look_at <= now {
            return Err(CloseReason::Idle);
        }
        state.look_at = look_at;
        Ok(())
    }

    fn read(&self, stream: &TcpStream, reader: &mut FrameReader) -> Result<(), CloseReason> {
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
            self.answer(&frame)?;
        }
        Ok(())
    }

    /// Gives a response to the oldest request, whose it must be. A request stays unanswered if it is not.
    fn answer(&self, frame: &Bytes) -> Result<(), CloseReason> {
        let mut body_at = 0;
        let token = self.line.answered(|request| {
            let request = request.ok_or_else(|| self.protocol("a response to nothing".to_owned()))?;
            let (correlation_id, at) = handshake::response_head(request.api_key, request.api_version, frame)
                .map_err(|reason| self.protocol(reason))?;
            if correlation_id != request.correlation_id {
                let reason = format!(
                    "correlation id {correlation_id} where {} was due",
                    request.correlation_id
                );
                return Err(self.protocol(reason));
            }
            body_at = at;
            Ok(request.token)
        })?;
        self.line.report(ConnectionEvent::Response {
            connection: self.id,
            token,
            body: frame.slice(body_at.min(frame.len())..),
        })
    }

    fn ended(&self, ended: Ended) -> CloseReason {
        match ended {
            Ended::Released => CloseReason::Requested,
            Ended::Failed(error) => self.io_error(&error),
        }
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
