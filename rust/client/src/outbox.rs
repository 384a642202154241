//! Requests of all components of the I/O thread: sent on the right connection, remembered until answered.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::time::{Duration, Instant};

use barnabas_net::outbound::{CloseReason, ConnectionId, Request, VersionRanges};
use bytes::Bytes;

use crate::coordinators::CoordinatorKey;
use crate::fetch_request::FetchInFlight;
use crate::fetch_validation::ValidationInFlight;
use crate::nodes::{NodeId, Nodes, Purpose};
use crate::sender::ProduceInFlight;

/// Who asked, and what is needed to use the answer.
#[derive(Debug)]
pub(crate) enum Kind {
    Metadata {
        sequence: u64,
    },
    FindCoordinator(CoordinatorKey),
    Submission(u64),
    Heartbeat {
        session: u64,
    },
    Leave,
    InitProducerId {
        producer: usize,
    },
    Produce {
        producer: usize,
        request: Box<ProduceInFlight>,
    },
    Fetch {
        fetcher: u64,
        request: Box<FetchInFlight>,
    },
    Validate {
        fetcher: u64,
        request: Box<ValidationInFlight>,
    },
}

/// A request that was answered, or that never will be.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) kind: Kind,
    pub(crate) node: NodeId,
    pub(crate) api_version: i16,
    /// The body, or why there is none.
    pub(crate) result: Result<Bytes, CloseReason>,
}

/// A request that is to be sent.
#[derive(Debug)]
pub(crate) struct Send {
    pub(crate) node: NodeId,
    pub(crate) purpose: Purpose,
    pub(crate) api_key: i16,
    pub(crate) api_version: i16,
    pub(crate) parts: Vec<Bytes>,
    pub(crate) timeout: Duration,
    pub(crate) expects_response: bool,
}

#[derive(Debug)]
struct Pending {
    kind: Kind,
    node: NodeId,
    api_version: i16,
}

/// What all components send through.
#[derive(Debug)]
pub(crate) struct Outbox {
    pub(crate) nodes: Nodes,
    /// When this round of the loop began.
    pub(crate) now: Instant,
    /// Some component found the cluster view wrong.
    pub(crate) wants_metadata: bool,
    /// Topics that have records to send and a partition without a known leader.
    pub(crate) leaderless: BTreeSet<Arc<str>>,
    pending: HashMap<u64, Pending>,
    next_token: u64,
}

impl Outbox {
    pub(crate) fn new(nodes: Nodes) -> Self {
        Self {
            nodes,
            now: Instant::now(),
            wants_metadata: false,
            leaderless: BTreeSet::new(),
            pending: HashMap::new(),
            next_token: 0,
        }
    }

    /// As [`Nodes::ready`].
    pub(crate) fn ready(&mut self, node: NodeId, purpose: Purpose) -> Option<Arc<VersionRanges>> {
        self.nodes.ready(node, purpose, self.now)
    }

    /// Sends a request on a connection that [`ready`](Self::ready) said is ready. Gives `kind` back if it is not.
    pub(crate) fn send(&mut self, send: Send, kind: Kind) -> Result<(), Kind> {
        let Some(connection) = self.nodes.connection(send.node, send.purpose) else {
            return Err(kind);
        };
        self.next_token += 1;
        let token = self.next_token;
        let request = Request {
            token,
            api_key: send.api_key,
            api_version: send.api_version,
            parts: send.parts,
            deadline: self.now + send.timeout,
            expects_response: send.expects_response,
        };
        if connection.send(request).is_err() {
            return Err(kind);
        }
        self.pending.insert(
            token,
            Pending {
                kind,
                node: send.node,
                api_version: send.api_version,
            },
        );
        Ok(())
    }

    /// The answer to a request, if it is still of interest.
    pub(crate) fn on_response(&mut self, token: u64, body: Bytes) -> Option<Answer> {
        let Pending {
            kind,
            node,
            api_version,
        } = self.pending.remove(&token)?;
        Some(Answer {
            kind,
            node,
            api_version,
            result: Ok(body),
        })
    }

    /// A connection closed: the requests that it leaves unanswered.
    pub(crate) fn on_closed(
        &mut self,
        connection: ConnectionId,
        reason: &CloseReason,
        unanswered: &[u64],
    ) -> Vec<Answer> {
        self.nodes.on_closed(connection, reason, self.now);
        let pending = unanswered.iter().filter_map(|token| self.pending.remove(token));
        pending
            .map(
                |Pending {
                     kind,
                     node,
                     api_version,
                 }| Answer {
                    kind,
                    node,
                    api_version,
                    result: Err(reason.clone()),
                },
            )
            .collect()
    }
}
