//! What a connection's handle and its task share: what is still to be written, and the requests that wait for an answer.
//!
//! Who hands a request in writes it, on whatever thread that is; the task is told only when there is something for it to do:
//! the socket takes no more, or a deadline comes before the one that it waits for.

use std::collections::VecDeque;
use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use bytes::Bytes;
use tokio::net::TcpStream;
use tokio::sync::{Notify, mpsc};

use super::connection::{CloseReason, ConnectionEvent, ConnectionId};
use super::stream::WriteQueue;

/// A request without an answer.
#[derive(Debug)]
pub(super) struct InFlight {
    pub(super) token: u64,
    pub(super) correlation_id: i32,
    pub(super) api_key: i16,
    pub(super) api_version: i16,
    pub(super) sent: Instant,
    pub(super) deadline: Instant,
    pub(super) expects_response: bool,
}

#[derive(Debug)]
pub(super) struct Line {
    id: ConnectionId,
    events: mpsc::UnboundedSender<ConnectionEvent>,
    in_flight: AtomicUsize,
    state: Mutex<LineState>,
    task: Notify,
}

#[derive(Debug)]
pub(super) struct LineState {
    /// Only while the connection is ready.
    stream: Option<Arc<TcpStream>>,
    writing: WriteQueue,
    /// Oldest first.
    pub(super) waiting: VecDeque<InFlight>,
    /// When the task looks for what is late.
    pub(super) look_at: Instant,
    /// When something was last sent or received.
    pub(super) used: Instant,
    failed: Option<io::Error>,
    is_released: bool,
}

/// Why the task is to end the connection.
#[derive(Debug)]
pub(super) enum Ended {
    Released,
    Failed(io::Error),
}

impl LineState {
    pub(super) fn is_writing(&self) -> bool {
        !self.writing.is_empty()
    }

    /// What others have found that ends the connection.
    pub(super) fn check(&mut self) -> Result<(), Ended> {
        if self.is_released {
            return Err(Ended::Released);
        }
        self.failed.take().map_or(Ok(()), |error| Err(Ended::Failed(error)))
    }
}

impl Line {
    pub(super) fn new(id: ConnectionId, events: mpsc::UnboundedSender<ConnectionEvent>) -> Self {
        let now = Instant::now();
        Self {
            id,
            events,
            in_flight: AtomicUsize::new(0),
            state: Mutex::new(LineState {
                stream: None,
                writing: WriteQueue::default(),
                waiting: VecDeque::new(),
                look_at: now,
                used: now,
                failed: None,
                is_released: false,
            }),
            task: Notify::new(),
        }
    }

    /// Locks. What is under the lock stays valid when a holder panics: each change is complete before what can.
    pub(super) fn lock(&self) -> MutexGuard<'_, LineState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Requests without an answer.
    pub(super) fn in_flight(&self) -> usize {
        self.in_flight.load(Ordering::Relaxed)
    }

    /// Reports to the owner, who may be gone.
    pub(super) fn report(&self, event: ConnectionEvent) -> Result<(), CloseReason> {
        self.events.send(event).map_err(|_| CloseReason::Requested)
    }

    /// Writes a request, or queues it behind what is being written. Gives the frame back if the connection is not ready.
    pub(super) fn send(&self, frame: Vec<Bytes>, request: InFlight) -> Result<(), Vec<Bytes>> {
        let mut state = self.lock();
        if state.stream.is_none() || state.failed.is_some() {
            return Err(frame);
        }
        self.in_flight.fetch_add(1, Ordering::Relaxed);
        state.used = request.sent;
        let is_sooner = request.deadline < state.look_at;
        state.look_at = state.look_at.min(request.deadline);
        // Behind others: the task knows of them.
        let is_queued = state.is_writing();
        state.writing.push(frame);
        state.waiting.push_back(request);
        if !is_queued {
            self.write_locked(&mut state);
        }
        let is_left = !is_queued && (state.is_writing() || state.failed.is_some());
        drop(state);
        if is_sooner || is_left {
            self.task.notify_one();
        }
        Ok(())
    }

    /// Writes what the socket takes.
    pub(super) fn write(&self) {
        self.write_locked(&mut self.lock());
    }

    fn write_locked(&self, state: &mut LineState) {
        let Some(stream) = &state.stream else { return };
        if let Err(error) = state.writing.write_to(stream) {
            state.failed = Some(error);
        } else if !state.is_writing() {
            state.waiting.retain(|request| {
                if !request.expects_response {
                    self.in_flight.fetch_sub(1, Ordering::Relaxed);
                    let _ = self.report(ConnectionEvent::Response {
                        connection: self.id,
                        token: request.token,
                        body: Bytes::new(),
                    });
                }
                request.expects_response
            });
        }
    }

    /// Task: takes out the oldest request that expects an answer, if `check` finds that it was this one.
    pub(super) fn answered(
        &self,
        check: impl FnOnce(Option<&InFlight>) -> Result<u64, CloseReason>,
    ) -> Result<u64, CloseReason> {
        let mut state = self.lock();
        let index = state.waiting.iter().position(|request| request.expects_response);
        let token = check(index.and_then(|index| state.waiting.get(index)))?;
        if let Some(index) = index {
            state.waiting.remove(index);
            self.in_flight.fetch_sub(1, Ordering::Relaxed);
        }
        Ok(token)
    }

    /// Task: the connection is ready; from here on requests are written.
    pub(super) fn open(&self, stream: &Arc<TcpStream>, look_at: Instant) {
        let mut state = self.lock();
        state.stream = Some(Arc::clone(stream));
        state.look_at = look_at;
    }

    /// Task: nothing more is written. The requests without an answer, oldest first.
    pub(super) fn close(&self) -> Vec<u64> {
        let mut state = self.lock();
        state.stream = None;
        state.writing = WriteQueue::default();
        self.in_flight.store(0, Ordering::Relaxed);
        state.waiting.drain(..).map(|request| request.token).collect()
    }

    /// Task: resolves when somebody else has something for it.
    pub(super) async fn told(&self) {
        self.task.notified().await;
    }

    /// Handle: the owner wants the connection no more.
    pub(super) fn release(&self) {
        self.lock().is_released = true;
        self.task.notify_one();
    }
}
