//! Fault hooks for tests: the n-th request of an API gets an error, a delay, no answer, or its connection closed, before or
//! after it was applied; and a list of the requests that came.
//!
//! Unused they cost one relaxed load per request. A request that a fault is for leaves the fast path: its frame is copied,
//! and it runs as a future of its connection.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use barnabas_net::framing::Frame;
use barnabas_net::part::Response;
use barnabas_net::server::Outcome;
use barnabas_wire::api;
use barnabas_wire::errors::ErrorCode;
use barnabas_wire::header::{RequestHeader, decode_request_header};
use barnabas_wire::refusal::{Refusal, refuse};
use tokio::sync::watch;

use crate::dispatch::{ConnectionState, Dispatch, Peer};
use crate::metadata;
use crate::reply::{self, ReplyTo};
use crate::stored::StoredFile;

/// What happens to a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FaultAction {
    /// It is answered with this error code in every place that has one; before: without being applied.
    Error(i16),
    /// It, or its answer, waits for this long.
    Delay(Duration),
    /// It is never answered, and its connection falls silent, as if the network had lost the answer.
    Drop,
    /// Its connection is closed.
    Disconnect,
}

/// Which requests meet a fault.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// Requests of this API; of any one if none is given.
    pub api_key: Option<i16>,
    /// Requests of clients of this name; of any one if none is given.
    pub client_id: Option<String>,
    /// The first request that meets it, counted from 1 among those that match.
    pub nth: u64,
    /// How many in a row meet it from there on.
    pub times: u64,
    /// What happens.
    pub action: FaultAction,
    /// Whether it happens after the request was applied.
    pub is_after: bool,
}

/// A request that came.
#[derive(Debug, Clone)]
pub struct SeenRequest {
    /// When, by the clock of all arrival stamps.
    pub stamp_ms: f64,
    /// By which connection.
    pub peer: Arc<Peer>,
    /// The client's name for itself.
    pub client_id: Option<String>,
    /// Which API.
    pub api_key: i16,
    /// Which version of it.
    pub api_version: i16,
    /// The client's number for it.
    pub correlation_id: i32,
    /// Bytes of the frame, without its length.
    pub bytes: usize,
}

#[derive(Debug)]
struct Armed {
    id: u64,
    fault: Fault,
    matched: u64,
    fired: u64,
}

#[derive(Debug, Default)]
struct Record {
    limit: usize,
    requests: VecDeque<SeenRequest>,
}

#[derive(Debug, Default)]
struct State {
    next_id: u64,
    faults: Vec<Armed>,
    record: Option<Record>,
}

/// The hooks of one broker.
#[derive(Debug)]
pub(crate) struct Hooks {
    is_armed: AtomicBool,
    state: Mutex<State>,
    /// A fault has fired.
    fired: Condvar,
    /// Ends what delays and drops wait for.
    stop: watch::Sender<bool>,
}

/// What is to happen to one request.
#[derive(Debug, Default, Clone)]
struct Plan {
    before: Vec<FaultAction>,
    after: Vec<FaultAction>,
}

impl Default for Hooks {
    fn default() -> Self {
        Self {
            is_armed: AtomicBool::new(false),
            state: Mutex::default(),
            fired: Condvar::new(),
            stop: watch::channel(false).0,
        }
    }
}

impl Hooks {
    #[inline]
    pub(crate) fn is_armed(&self) -> bool {
        self.is_armed.load(Ordering::Relaxed)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn changed(&self, state: &State) {
        self.is_armed
            .store(!state.faults.is_empty() || state.record.is_some(), Ordering::SeqCst);
    }

    /// Adds a fault; returns its number.
    pub(crate) fn inject(&self, fault: Fault) -> u64 {
        let mut state = self.lock();
        state.next_id += 1;
        let id = state.next_id;
        state.faults.push(Armed {
            id,
            fault,
            matched: 0,
            fired: 0,
        });
        self.changed(&state);
        id
    }

    /// Takes a fault out again, or all of them.
    pub(crate) fn remove(&self, id: Option<u64>) {
        let mut state = self.lock();
        state.faults.retain(|armed| id.is_some_and(|id| armed.id != id));
        self.changed(&state);
        self.fired.notify_all();
    }

    /// How many requests have met a fault; `None` when it was taken out.
    pub(crate) fn fired(&self, id: u64) -> Option<u64> {
        Self::count(&self.lock(), id)
    }

    fn count(state: &State, id: u64) -> Option<u64> {
        state
            .faults
            .iter()
            .find(|armed| armed.id == id)
            .map(|armed| armed.fired)
    }

    /// Waits until that many have met it; `None` when time ran out before.
    pub(crate) fn wait_fired(&self, id: u64, count: u64, timeout: Duration) -> Option<()> {
        let state = self.lock();
        let (state, _) = self
            .fired
            .wait_timeout_while(state, timeout, |state| {
                Self::count(state, id).is_some_and(|fired| fired < count)
            })
            .unwrap_or_else(PoisonError::into_inner);
        Self::count(&state, id).is_none_or(|fired| fired >= count).then_some(())
    }

    /// Keeps the last `limit` requests from here on; `None` keeps no more and forgets them.
    pub(crate) fn record(&self, limit: Option<usize>) {
        let mut state = self.lock();
        state.record = limit.map(|limit| Record {
            limit,
            ..Record::default()
        });
        self.changed(&state);
    }

    /// The requests that were kept, in the order of their arrival.
    pub(crate) fn seen(&self) -> Vec<SeenRequest> {
        let state = self.lock();
        let requests = state.record.as_ref().map(|record| &record.requests);
        requests.into_iter().flatten().cloned().collect()
    }

    /// Lets nothing wait any longer.
    pub(crate) fn stop(&self) {
        self.stop.send_replace(true);
    }

    /// Keeps a request and says what is to happen to it.
    fn meet(&self, header: &RequestHeader<'_>, seen: impl FnOnce() -> SeenRequest) -> Option<Plan> {
        let mut state = self.lock();
        if let Some(record) = &mut state.record {
            if record.requests.len() >= record.limit {
                record.requests.pop_front();
            }
            record.requests.push_back(seen());
        }
        let mut plan = Plan::default();
        for armed in &mut state.faults {
            let fault = &armed.fault;
            let is_meant = fault.api_key.is_none_or(|key| key == header.api_key)
                && fault.client_id.as_deref().is_none_or(|id| header.client_id == Some(id));
            if !is_meant {
                continue;
            }
            armed.matched += 1;
            if armed.matched >= fault.nth && armed.matched - fault.nth < fault.times {
                armed.fired += 1;
                let actions = if fault.is_after {
                    &mut plan.after
                } else {
                    &mut plan.before
                };
                actions.push(fault.action);
            }
        }
        drop(state);
        if plan.before.is_empty() && plan.after.is_empty() {
            return None;
        }
        self.fired.notify_all();
        Some(plan)
    }
}

/// What becomes of a request after the actions of one side.
enum Fate {
    GoesOn,
    Answered(Response<StoredFile>),
    Closed,
}

impl Dispatch {
    /// Runs a request past the hooks.
    pub(crate) fn hooked(
        &self,
        connection: &ConnectionState,
        frame: Frame<'_>,
        arrival: Instant,
        response: &mut Response<StoredFile>,
    ) -> Outcome<StoredFile> {
        let hooks = &self.0.hooks;
        let plan = match decode_request_header(&frame) {
            Ok((header, _)) => hooks.meet(&header, || SeenRequest {
                stamp_ms: self.0.control.clock.at(arrival),
                peer: Arc::clone(&connection.peer),
                client_id: header.client_id.map(str::to_owned),
                api_key: header.api_key,
                api_version: header.api_version,
                correlation_id: header.correlation_id,
                bytes: frame.len(),
            }),
            Err(_) => None,
        };
        let Some(plan) = plan else {
            return self.execute(connection, frame, arrival, response);
        };
        let dispatch = Self(Arc::clone(&self.0));
        let connection = connection.clone();
        let frame = frame.to_vec();
        Outcome::Wait(Box::pin(async move {
            dispatch.faulty(connection, frame, arrival, plan).await
        }))
    }

    async fn faulty(
        &self,
        connection: ConnectionState,
        mut frame: Vec<u8>,
        arrival: Instant,
        plan: Plan,
    ) -> Option<Response<StoredFile>> {
        let kept = (!plan.after.is_empty()).then(|| frame.clone());
        match self.suffer(&connection.peer, &plan.before, &frame).await {
            Fate::GoesOn => {}
            Fate::Answered(response) => return Some(response),
            Fate::Closed => return None,
        }
        let mut response = Response::new();
        let applied = match self.execute(&connection, Frame::whole(&mut frame), arrival, &mut response) {
            Outcome::Reply | Outcome::Silent => response,
            Outcome::Wait(waiting) => waiting.await?,
            Outcome::Close => return None,
        };
        let Some(frame) = kept else {
            return Some(applied);
        };
        match self.suffer(&connection.peer, &plan.after, &frame).await {
            Fate::GoesOn => Some(applied),
            Fate::Answered(response) => Some(response),
            Fate::Closed => None,
        }
    }

    async fn suffer(&self, peer: &Peer, actions: &[FaultAction], frame: &[u8]) -> Fate {
        let mut stop = self.0.hooks.stop.subscribe();
        for action in actions {
            match action {
                FaultAction::Delay(delay) => {
                    // The broker's stop ends a delay; otherwise it is over when the wait times out.
                    let _ = tokio::time::timeout(*delay, stop.wait_for(|stopped| *stopped)).await;
                }
                FaultAction::Drop => {
                    let _ = stop.wait_for(|stopped| *stopped).await;
                    return Fate::Closed;
                }
                FaultAction::Disconnect => return Fate::Closed,
                FaultAction::Error(code) => {
                    return self.refused(peer, frame, *code).map_or(Fate::Closed, Fate::Answered);
                }
            }
        }
        Fate::GoesOn
    }

    /// The response that refuses a request; `None` when there is none, and its connection is closed.
    fn refused(&self, peer: &Peer, frame: &[u8], error_code: i16) -> Option<Response<StoredFile>> {
        let (header, body) = decode_request_header(frame).ok()?;
        let to = ReplyTo {
            api_key: header.api_key,
            api_version: header.api_version,
            correlation_id: header.correlation_id,
        };
        let mut response = Response::new();
        // Of Metadata only one error is the whole request's; without brokers no other would reach the topics.
        if to.api_key == api::METADATA
            && error_code != ErrorCode::REBOOTSTRAP_REQUIRED.code()
            && metadata::refuse_topics(&self.0, peer, to, body, error_code, &mut response).is_some()
        {
            return Some(response);
        }
        match refuse(to.api_key, to.api_version, body, error_code) {
            Ok(Refusal::Body(body)) => {
                reply::begin(&mut response, to).extend_from_slice(&body);
                Some(response)
            }
            Ok(Refusal::Close) | Err(_) => None,
        }
    }
}
