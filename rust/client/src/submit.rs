//! Submitted requests: the way of everything that is neither produced nor fetched. Which broker, which version, whether to try
//! again after a lost connection is decided here; errors inside an answer are the submitter's.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use barnabas_net::outbound::{Backoff, VersionRanges};
use barnabas_wire::api;
use barnabas_wire::errors::ErrorCode;
use bytes::Bytes;

use crate::cluster::{ClusterView, NO_NODE};
use crate::config::ClientConfig;
use crate::coordinators::{CoordinatorKey, Coordinators, Found};
use crate::mailbox::{Event, Mailbox};
use crate::nodes::{NodeId, Purpose};
use crate::outbox::{Answer, Kind, Outbox, Send};

/// Whom a submission is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// The least loaded broker.
    Any,
    /// This broker.
    Node(i32),
    /// The broker that takes controller requests.
    Controller,
    /// The coordinator of a group (key type 0) or transactional id (1).
    Coordinator {
        /// 0 or 1.
        key_type: i8,
        /// The group or transactional id.
        key: String,
    },
    /// A partition's leader.
    Leader {
        /// The topic.
        topic: Arc<str>,
        /// The partition.
        partition: i32,
    },
}

/// A request's body, to be encoded at the version that the broker turns out to serve.
pub trait Message: fmt::Debug + std::marker::Send + Sync {
    /// The body at this version.
    ///
    /// # Errors
    /// What about the message does not fit that version.
    fn encode(&self, version: i16) -> Result<Vec<u8>, String>;
}

/// A message, and the versions at which it has this shape.
#[derive(Clone, Debug)]
pub struct Variant {
    /// The oldest version.
    pub min: i16,
    /// The newest version.
    pub max: i16,
    /// The message.
    pub message: Arc<dyn Message>,
}

/// The newest version that both the broker and one of the variants know, and the body at it.
///
/// # Errors
/// Kafka's error code and a sentence.
pub(crate) fn encode(
    versions: &VersionRanges,
    api_key: i16,
    variants: &[Variant],
) -> Result<(i16, Bytes), (i16, String)> {
    let choices = variants
        .iter()
        .filter_map(|variant| Some((versions.choose(api_key, variant.min, variant.max)?, variant)));
    let Some((version, variant)) = choices.max_by_key(|(version, _)| *version) else {
        let name = api::name(api_key).unwrap_or("?");
        let wanted: Vec<_> = variants
            .iter()
            .map(|variant| format!("{} to {}", variant.min, variant.max))
            .collect();
        let served = versions
            .range(api_key)
            .map_or("none".to_owned(), |(min, max)| format!("{min} to {max}"));
        let text = format!(
            "{name} is needed in version {}; the broker serves {served}",
            wanted.join(" or ")
        );
        return Err((ErrorCode::UNSUPPORTED_VERSION.code(), text));
    };
    let body = variant
        .message
        .encode(version)
        .map_err(|text| (ErrorCode::INVALID_REQUEST.code(), text))?;
    Ok((version, Bytes::from(body)))
}

/// A submitted request.
#[derive(Debug)]
pub(crate) struct Submission {
    pub(crate) token: u64,
    pub(crate) target: Target,
    pub(crate) api_key: i16,
    pub(crate) variants: Vec<Variant>,
    pub(crate) deadline: Instant,
    pub(crate) timeout: Duration,
    pub(crate) retry: bool,
    pub(crate) attempts: u32,
    pub(crate) not_before: Option<Instant>,
    pub(crate) last_error: Option<String>,
}

impl Submission {
    pub(crate) fn new(
        token: u64,
        target: Target,
        api_key: i16,
        variants: Vec<Variant>,
        timeout: Duration,
        retry: bool,
    ) -> Self {
        let deadline = Instant::now() + timeout;
        Self {
            token,
            target,
            api_key,
            variants,
            deadline,
            timeout,
            retry,
            attempts: 0,
            not_before: None,
            last_error: None,
        }
    }

    fn coordinator_key(&self) -> Option<CoordinatorKey> {
        match &self.target {
            Target::Coordinator { key_type, key } => Some((*key_type, key.clone())),
            _ => None,
        }
    }

    fn purpose(&self) -> Purpose {
        // A member that leaves while its JoinGroup is held back for the others must not stand behind it in line.
        if matches!(self.target, Target::Coordinator { .. }) && self.api_key != api::LEAVE_GROUP {
            Purpose::Coordinator
        } else {
            Purpose::Rest
        }
    }

    fn timeout_text(&self) -> String {
        let name = api::name(self.api_key).unwrap_or("?");
        let last = self
            .last_error
            .as_ref()
            .map_or_else(String::new, |error| format!(": {error}"));
        format!(
            "{name} to {:?} was not answered within {} ms{last}",
            self.target,
            self.timeout.as_millis()
        )
    }
}

/// All submissions. Their number is bounded by what the submitter keeps in flight.
#[derive(Debug)]
pub(crate) struct Submissions {
    waiting: Vec<Submission>,
    in_flight: HashMap<u64, Submission>,
    request_timeout: Duration,
    backoff: Backoff,
}

/// What became of the attempt to send a submission.
enum Attempt {
    Sent,
    Wait,
    Refused(i16, String),
}

impl Submissions {
    pub(crate) fn new(config: &ClientConfig) -> Self {
        Self {
            waiting: Vec::new(),
            in_flight: HashMap::new(),
            request_timeout: config.request_timeout,
            backoff: Backoff::new(config.retry_backoff, config.retry_backoff_max),
        }
    }

    pub(crate) fn add(&mut self, submission: Submission) {
        self.waiting.push(submission);
    }

    /// Forgets a submission; an answer to it is dropped.
    pub(crate) fn cancel(&mut self, token: u64) {
        self.waiting.retain(|submission| submission.token != token);
        self.in_flight.remove(&token);
    }

    /// Sends what can be sent, gives up what is too late.
    pub(crate) fn pump(
        &mut self,
        outbox: &mut Outbox,
        view: &ClusterView,
        coordinators: &mut Coordinators,
        mailbox: &Mailbox,
    ) {
        for submission in std::mem::take(&mut self.waiting) {
            if submission.deadline <= outbox.now {
                let message = submission.timeout_text();
                mailbox.post(Event::Failed {
                    token: submission.token,
                    error_code: -1,
                    message,
                });
                continue;
            }
            if submission.not_before.is_some_and(|at| at > outbox.now) {
                self.waiting.push(submission);
                continue;
            }
            match self.attempt(&submission, outbox, view, coordinators) {
                Attempt::Sent => {
                    self.in_flight.insert(submission.token, submission);
                }
                Attempt::Wait => self.waiting.push(submission),
                Attempt::Refused(error_code, message) => {
                    mailbox.post(Event::Failed {
                        token: submission.token,
                        error_code,
                        message,
                    });
                }
            }
        }
    }

    fn attempt(
        &self,
        submission: &Submission,
        outbox: &mut Outbox,
        view: &ClusterView,
        coordinators: &mut Coordinators,
    ) -> Attempt {
        let node = match resolve(submission, outbox, view, coordinators) {
            Ok(Some(node)) => node,
            Ok(None) => return Attempt::Wait,
            Err((code, message)) => return Attempt::Refused(code, message),
        };
        let purpose = submission.purpose();
        let Some(versions) = outbox.ready(node, purpose) else {
            if outbox.nodes.is_failing(node, purpose) {
                // The node may have moved, or the coordinator may be another one by now.
                outbox.wants_metadata = true;
                if let Some(key) = submission.coordinator_key() {
                    coordinators.invalidate(&key);
                }
            }
            return Attempt::Wait;
        };
        let (api_version, body) = match encode(&versions, submission.api_key, &submission.variants) {
            Ok(encoded) => encoded,
            Err((code, message)) => return Attempt::Refused(code, message),
        };
        let left = submission.deadline.saturating_duration_since(outbox.now);
        // A coordinator may keep these for as long as a rebalance takes; the submitter's timeout covers that.
        let waits_long = matches!(submission.api_key, api::JOIN_GROUP | api::SYNC_GROUP);
        let timeout = if waits_long {
            left
        } else {
            left.min(self.request_timeout)
        };
        let send = Send {
            node,
            purpose,
            api_key: submission.api_key,
            api_version,
            parts: vec![body],
            timeout,
            expects_response: true,
        };
        match outbox.send(send, Kind::Submission(submission.token)) {
            Ok(()) => Attempt::Sent,
            Err(_) => Attempt::Wait,
        }
    }

    /// Takes an answer in.
    pub(crate) fn on_answer(
        &mut self,
        outbox: &mut Outbox,
        coordinators: &mut Coordinators,
        mailbox: &Mailbox,
        token: u64,
        answer: Answer,
    ) {
        let Some(mut submission) = self.in_flight.remove(&token) else {
            return;
        };
        let Answer {
            node,
            api_version,
            result,
            ..
        } = answer;
        match result {
            Ok(body) => mailbox.post(Event::Response {
                token,
                api_version,
                body,
                node_id: node,
            }),
            Err(reason) => {
                if let Some(key) = submission.coordinator_key() {
                    coordinators.invalidate(&key);
                }
                outbox.wants_metadata |= matches!(submission.target, Target::Controller | Target::Leader { .. });
                if !submission.retry || submission.deadline <= outbox.now {
                    mailbox.post(Event::Failed {
                        token,
                        error_code: -1,
                        message: reason.to_string(),
                    });
                    return;
                }
                submission.attempts = submission.attempts.saturating_add(1);
                submission.not_before = Some(outbox.now + self.backoff.after(submission.attempts));
                submission.last_error = Some(reason.to_string());
                self.waiting.push(submission);
            }
        }
    }

    /// When to look again.
    pub(crate) fn next_deadline(&self, now: Instant) -> Option<Instant> {
        let time = |submission: &Submission| {
            submission
                .not_before
                .filter(|at| *at > now)
                .map_or(submission.deadline, |at| at.min(submission.deadline))
        };
        self.waiting.iter().map(time).min()
    }
}

/// The broker that a submission is for, `None` while it is being looked for.
fn resolve(
    submission: &Submission,
    outbox: &mut Outbox,
    view: &ClusterView,
    coordinators: &mut Coordinators,
) -> Result<Option<NodeId>, (i16, String)> {
    match &submission.target {
        Target::Any => Ok(outbox.nodes.any_ready(outbox.now)),
        Target::Node(id) => {
            if view.is_known && !view.nodes.iter().any(|node| node.id == *id) {
                outbox.wants_metadata = true;
                return Ok(None);
            }
            outbox.wants_metadata |= !view.is_known;
            Ok(view.is_known.then_some(*id))
        }
        Target::Controller => {
            let is_known = view.controller_id != NO_NODE;
            outbox.wants_metadata |= !is_known;
            Ok(is_known.then_some(view.controller_id))
        }
        Target::Coordinator { key_type, key } => match coordinators.find(outbox, &(*key_type, key.clone())) {
            Found::Node(node) => Ok(Some(node)),
            Found::Pending => Ok(None),
            Found::Refused(code, message) => Err((code, message)),
        },
        Target::Leader { topic, partition } => {
            let leader = view.leader(topic, *partition);
            outbox.wants_metadata |= leader.is_none();
            Ok(leader.map(|(node, _)| node))
        }
    }
}
