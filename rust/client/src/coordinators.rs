//! Which broker coordinates a group or a transactional id: looked up when needed, kept until somebody finds it wrong.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use barnabas_net::outbound::{Backoff, CloseReason};
use barnabas_wire::api;
use barnabas_wire::errors::ErrorCode;
use barnabas_wire::messages::find_coordinator::{FindCoordinatorRequest, FindCoordinatorResponse};
use barnabas_wire::primitives::Reader;
use bytes::Bytes;

use crate::config::ClientConfig;
use crate::nodes::{NodeId, Purpose};
use crate::outbox::{Kind, Outbox, Send};

/// `FindCoordinator` versions that this client can use.
const VERSIONS: (i16, i16) = (0, 6);

/// Key type (0 group, 1 transactional id) and key.
pub(crate) type CoordinatorKey = (i8, String);

/// What is known of the coordinators.
#[derive(Debug)]
pub(crate) struct Coordinators {
    known: HashMap<CoordinatorKey, Lookup>,
    request_timeout: Duration,
    backoff: Backoff,
}

#[derive(Debug, Default)]
struct Lookup {
    node: Option<NodeId>,
    is_in_flight: bool,
    failures: u32,
    retry_at: Option<Instant>,
    /// An error that asking again does not mend, for those who wait now.
    error: Option<(i16, String)>,
}

/// The state of a lookup.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Found {
    /// Here.
    Node(NodeId),
    /// Not known yet.
    Pending,
    /// Refused, with Kafka's error code.
    Refused(i16, String),
}

impl Coordinators {
    pub(crate) fn new(config: &ClientConfig) -> Self {
        Self {
            known: HashMap::new(),
            request_timeout: config.request_timeout,
            backoff: Backoff::new(config.retry_backoff, config.retry_backoff_max),
        }
    }

    /// The coordinator, looked up if it is not known.
    pub(crate) fn find(&mut self, outbox: &mut Outbox, key: &CoordinatorKey) -> Found {
        let lookup = self.known.entry(key.clone()).or_default();
        if let Some(node) = lookup.node {
            return Found::Node(node);
        }
        if let Some((code, message)) = lookup.error.take() {
            return Found::Refused(code, message);
        }
        if lookup.is_in_flight || lookup.retry_at.is_some_and(|at| at > outbox.now) {
            return Found::Pending;
        }
        let Some(node) = outbox.nodes.any_ready(outbox.now) else {
            return Found::Pending;
        };
        let Some(versions) = outbox.ready(node, Purpose::Rest) else {
            return Found::Pending;
        };
        let Some(api_version) = versions.choose(api::FIND_COORDINATOR, VERSIONS.0, VERSIONS.1) else {
            return Found::Refused(
                ErrorCode::UNSUPPORTED_VERSION.code(),
                "FindCoordinator is not served".to_owned(),
            );
        };
        let request = match api_version {
            ..=3 => FindCoordinatorRequest {
                key: &key.1,
                key_type: key.0,
                ..Default::default()
            },
            _ => FindCoordinatorRequest {
                key_type: key.0,
                coordinator_keys: vec![&key.1],
                ..Default::default()
            },
        };
        let body = match request.to_bytes(api_version) {
            Ok(body) => Bytes::from(body),
            Err(error) => return Found::Refused(ErrorCode::UNSUPPORTED_VERSION.code(), error.to_string()),
        };
        let send = Send {
            node,
            purpose: Purpose::Rest,
            api_key: api::FIND_COORDINATOR,
            api_version,
            parts: vec![body],
            timeout: self.request_timeout,
            expects_response: true,
        };
        lookup.is_in_flight = outbox.send(send, Kind::FindCoordinator(key.clone())).is_ok();
        Found::Pending
    }

    /// Takes an answer in.
    pub(crate) fn on_answer(
        &mut self,
        outbox: &mut Outbox,
        key: &CoordinatorKey,
        answer: Result<(i16, Bytes), CloseReason>,
    ) {
        let lookup = self.known.entry(key.clone()).or_default();
        lookup.is_in_flight = false;
        match answer
            .map_err(|reason| (-1, reason.to_string()))
            .and_then(|(version, body)| parse(&body, version))
        {
            Ok((node, host, port)) => {
                outbox.nodes.add_address(node, (host, port));
                lookup.node = Some(node);
                lookup.failures = 0;
                lookup.retry_at = None;
            }
            Err((code, message)) => {
                if code > 0 && !ErrorCode(code).retriable() {
                    lookup.error = Some((code, message));
                }
                lookup.failures = lookup.failures.saturating_add(1);
                lookup.retry_at = Some(outbox.now + self.backoff.after(lookup.failures));
            }
        }
    }

    /// The coordinator is not where it was thought to be.
    pub(crate) fn invalidate(&mut self, key: &CoordinatorKey) {
        if let Some(lookup) = self.known.get_mut(key) {
            lookup.node = None;
        }
    }

    /// When a lookup may be tried again.
    pub(crate) fn next_retry(&self) -> Option<Instant> {
        self.known
            .values()
            .filter(|lookup| lookup.node.is_none() && !lookup.is_in_flight)
            .filter_map(|lookup| lookup.retry_at)
            .min()
    }
}

fn parse(body: &Bytes, version: i16) -> Result<(NodeId, String, u16), (i16, String)> {
    let malformed = |error: barnabas_wire::WireError| (-1, format!("FindCoordinator: {error}"));
    let response = FindCoordinatorResponse::decode(&mut Reader::new(body), version).map_err(malformed)?;
    let (code, message, node, host, port) = match (version, response.coordinators.first()) {
        (4.., Some(found)) => (
            found.error_code,
            found.error_message,
            found.node_id,
            found.host,
            found.port,
        ),
        (4.., None) => return Err((-1, "FindCoordinator: an answer about nothing".to_owned())),
        _ => (
            response.error_code,
            response.error_message,
            response.node_id,
            response.host,
            response.port,
        ),
    };
    if code != 0 {
        return Err((
            code,
            message
                .filter(|text| !text.is_empty())
                .unwrap_or(ErrorCode(code).message())
                .to_owned(),
        ));
    }
    let port = u16::try_from(port).map_err(|_| (-1, format!("FindCoordinator: port {port}")))?;
    Ok((node, host.to_owned(), port))
}
