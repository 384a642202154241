//! Repeats a heartbeat that the membership prepared, so that a process whose interpreter is busy keeps its membership. It
//! decides nothing: every answer but "nothing new" goes to the membership. One thing it keeps up by itself: the epoch of a
//! `ConsumerGroupHeartbeat` moves on with the answers, and a member that went on with an old one would be fenced.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use barnabas_wire::api;
use barnabas_wire::errors::ErrorCode;
use barnabas_wire::primitives::Reader;
use bytes::Bytes;

use crate::coordinators::{CoordinatorKey, Coordinators, Found};
use crate::mailbox::{Event, Mailbox};
use crate::nodes::Purpose;
use crate::outbox::{Answer, Kind, Outbox, Send};
use crate::submit::{Variant, encode};

/// The key type of groups in `FindCoordinator`.
const GROUP: i8 = 0;
/// A failed heartbeat is repeated after this, not after the whole interval.
const RETRY: Duration = Duration::from_millis(100);

/// When `poll` was last called, as the I/O thread and the user's thread both see it.
#[derive(Debug)]
pub(crate) struct PollClock {
    base: Instant,
    called: AtomicU64,
}

impl PollClock {
    pub(crate) fn new() -> Self {
        Self {
            base: Instant::now(),
            called: AtomicU64::new(0),
        }
    }

    /// `poll` is being called.
    pub(crate) fn called(&self) {
        let millis = u64::try_from(self.base.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.called.fetch_max(millis, Ordering::Relaxed);
    }

    fn last(&self) -> Instant {
        self.base + Duration::from_millis(self.called.load(Ordering::Relaxed))
    }
}

/// What the membership prepared.
#[derive(Clone, Debug)]
pub struct HeartbeatPlan {
    /// The group.
    pub group: String,
    /// Heartbeat or `ConsumerGroupHeartbeat`.
    pub api_key: i16,
    /// The heartbeat.
    pub variants: Vec<Variant>,
    /// The heartbeat that says everything, for after an answer was lost: it may have moved the member's epoch, and with what
    /// the member owns one of the old epoch is taken. Empty where every heartbeat is alike.
    pub full_variants: Vec<Variant>,
    /// How often.
    pub interval: Duration,
    /// `max.poll.interval.ms`.
    pub poll_interval: Duration,
    /// `LeaveGroup`, or `ConsumerGroupHeartbeat` again.
    pub leave_api_key: i16,
    /// What to send when `poll` is not called in time. Empty for a static member, which does not leave.
    pub leave_variants: Vec<Variant>,
}

/// A heartbeat that is being repeated.
#[derive(Debug)]
pub(crate) struct Heartbeat {
    plan: HeartbeatPlan,
    /// Distinguishes answers to an earlier plan.
    session: u64,
    next_at: Instant,
    is_in_flight: bool,
    is_leaving: bool,
    request_timeout: Duration,
    /// The epoch of the last answer, where it is another than the plan's.
    epoch: Option<i32>,
    /// The last heartbeat got no answer.
    is_unanswered: bool,
}

impl Heartbeat {
    pub(crate) fn new(plan: HeartbeatPlan, session: u64, now: Instant, request_timeout: Duration) -> Self {
        let next_at = now + plan.interval;
        Self {
            plan,
            session,
            next_at,
            is_in_flight: false,
            is_leaving: false,
            request_timeout,
            epoch: None,
            is_unanswered: false,
        }
    }

    /// In place of an earlier heartbeat of the same member: what that one did not hear is still to be heard.
    pub(crate) fn after(mut self, earlier: Option<&Self>) -> Self {
        self.is_unanswered = earlier.is_some_and(|earlier| earlier.is_unanswered || earlier.is_in_flight);
        self
    }

    fn key(&self) -> CoordinatorKey {
        (GROUP, self.plan.group.clone())
    }

    /// Sends what is due. False when the heartbeat has ended: the group was left.
    pub(crate) fn pump(
        &mut self,
        outbox: &mut Outbox,
        coordinators: &mut Coordinators,
        mailbox: &Mailbox,
        clock: &PollClock,
    ) -> bool {
        if outbox.now >= clock.last() + self.plan.poll_interval {
            if !self.is_leaving {
                self.is_leaving = true;
                mailbox.post(Event::PollDeadline);
            }
            if self.plan.leave_variants.is_empty() {
                return false;
            }
            // Only when it could be sent is there nothing more to do.
            return !self.send(outbox, coordinators, self.plan.leave_api_key, true);
        }
        if outbox.now >= self.next_at && !self.is_in_flight {
            self.is_in_flight = self.send(outbox, coordinators, self.plan.api_key, false);
            if self.is_in_flight {
                self.next_at = outbox.now + self.plan.interval;
            }
        }
        true
    }

    fn send(&self, outbox: &mut Outbox, coordinators: &mut Coordinators, api_key: i16, leave: bool) -> bool {
        let Found::Node(node) = coordinators.find(outbox, &self.key()) else {
            return false;
        };
        let Some(versions) = outbox.ready(node, Purpose::Coordinator) else {
            if outbox.nodes.is_failing(node, Purpose::Coordinator) {
                coordinators.invalidate(&self.key());
            }
            return false;
        };
        let variants = match leave {
            true => &self.plan.leave_variants,
            false if self.is_unanswered && !self.plan.full_variants.is_empty() => &self.plan.full_variants,
            false => &self.plan.variants,
        };
        // The membership joined at these versions on this cluster; if they are gone, its next request says so.
        let Ok((api_version, mut body)) = encode(&versions, api_key, variants) else {
            return false;
        };
        if let (Some(epoch), false, api::CONSUMER_GROUP_HEARTBEAT) = (self.epoch, leave, api_key) {
            body = with_epoch(&body, epoch);
        }
        let send = Send {
            node,
            purpose: Purpose::Coordinator,
            api_key,
            api_version,
            parts: vec![body],
            timeout: self.request_timeout,
            expects_response: true,
        };
        let kind = if leave {
            Kind::Leave
        } else {
            Kind::Heartbeat { session: self.session }
        };
        outbox.send(send, kind).is_ok()
    }

    /// Takes an answer in.
    pub(crate) fn on_answer(
        &mut self,
        outbox: &Outbox,
        coordinators: &mut Coordinators,
        mailbox: &Mailbox,
        session: u64,
        answer: Answer,
    ) {
        if session != self.session {
            return;
        }
        self.is_in_flight = false;
        match answer.result {
            Err(_) => {
                self.is_unanswered = true;
                coordinators.invalidate(&self.key());
                self.next_at = self.next_at.min(outbox.now + RETRY);
            }
            Ok(body) => {
                self.is_unanswered = false;
                let error_code = error_code(self.plan.api_key, answer.api_version, &body);
                if matches!(
                    ErrorCode(error_code),
                    ErrorCode::NOT_COORDINATOR | ErrorCode::COORDINATOR_NOT_AVAILABLE
                ) {
                    coordinators.invalidate(&self.key());
                }
                let news = match self.plan.api_key {
                    api::CONSUMER_GROUP_HEARTBEAT if error_code == 0 => self.keep_up(&body),
                    _ => error_code != 0,
                };
                if news {
                    mailbox.post(Event::Heartbeat {
                        error_code,
                        api_version: answer.api_version,
                        body,
                    });
                }
            }
        }
    }

    /// Takes over the epoch and the interval of an answer; whether the membership has to know: the epoch is another one, or
    /// there is an assignment.
    fn keep_up(&mut self, body: &Bytes) -> bool {
        let Some(answer) = ConsumerAnswer::read(body) else {
            return true;
        };
        let is_new = self.epoch.is_none_or(|epoch| epoch != answer.epoch);
        self.epoch = Some(answer.epoch);
        if let Ok(ms @ 1..) = u64::try_from(answer.interval_ms) {
            self.plan.interval = Duration::from_millis(ms);
        }
        is_new || answer.has_assignment
    }

    /// When to look again.
    pub(crate) fn next_deadline(&self, now: Instant, clock: &PollClock) -> Option<Instant> {
        if self.is_leaving {
            return Some(now + RETRY);
        }
        let poll_deadline = clock.last().checked_add(self.plan.poll_interval)?;
        if self.is_in_flight {
            return Some(poll_deadline);
        }
        // Overdue: the coordinator or its connection is being waited for.
        let next_at = if self.next_at > now { self.next_at } else { now + RETRY };
        Some(next_at.min(poll_deadline))
    }
}

/// The error code in a Heartbeat's or `ConsumerGroupHeartbeat`'s answer: after the throttle time, which Heartbeat has since
/// version 1. -1 when it cannot be read.
fn error_code(api_key: i16, api_version: i16, body: &Bytes) -> i16 {
    let mut reader = Reader::new(body);
    let has_throttle = api_key != api::HEARTBEAT || api_version >= 1;
    let code = if has_throttle {
        reader.i32().and_then(|_| reader.i16())
    } else {
        reader.i16()
    };
    code.unwrap_or(-1)
}

/// What a successful answer to `ConsumerGroupHeartbeat` says of the member.
#[derive(Debug, PartialEq, Eq)]
struct ConsumerAnswer {
    epoch: i32,
    interval_ms: i32,
    has_assignment: bool,
}

impl ConsumerAnswer {
    /// Throttle time, error code, message, member id, epoch, interval, assignment; alike in all versions.
    fn read(body: &Bytes) -> Option<Self> {
        let mut reader = Reader::new(body);
        reader.i32().ok()?;
        reader.i16().ok()?;
        reader.nullable_str(true).ok()?;
        reader.nullable_str(true).ok()?;
        Some(Self {
            epoch: reader.i32().ok()?,
            interval_ms: reader.i32().ok()?,
            has_assignment: reader.i8().ok()? >= 0,
        })
    }
}

/// The same heartbeat with another member epoch, which stands behind the ids of group and member in all versions.
fn with_epoch(body: &Bytes, epoch: i32) -> Bytes {
    let mut reader = Reader::new(body);
    let ids = reader.nullable_str(true).and_then(|_| reader.nullable_str(true));
    let at = body.len() - reader.remaining();
    let mut bytes = body.to_vec();
    if let (Ok(_), Some(place)) = (ids, bytes.get_mut(at..at + size_of::<i32>())) {
        place.copy_from_slice(&epoch.to_be_bytes());
    }
    bytes.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_consumer_heartbeat_goes_on_with_another_epoch() {
        let body = Bytes::from_static(b"\x02g\x03me\0\0\0\x05rest");
        assert_eq!(with_epoch(&body, 6), b"\x02g\x03me\0\0\0\x06rest"[..]);
        assert_eq!(
            with_epoch(&body.slice(..7), 6),
            body.slice(..7),
            "a torn one stays as it is"
        );
    }

    #[test]
    fn epoch_interval_and_assignment_are_read_from_an_answer() {
        let head = b"\0\0\0\0\0\0\0\x03me\0\0\0\x07\0\0\x13\x88";
        for (presence, has_assignment) in [(0xff, false), (1, true)] {
            let body: Bytes = [&head[..], &[presence, 1, 0, 0]].concat().into();
            let expected = ConsumerAnswer {
                epoch: 7,
                interval_ms: 5_000,
                has_assignment,
            };
            assert_eq!(ConsumerAnswer::read(&body), Some(expected));
            assert_eq!(ConsumerAnswer::read(&body.slice(..15)), None);
        }
    }

    #[test]
    fn the_error_code_is_found_in_every_version() {
        assert_eq!(error_code(api::HEARTBEAT, 0, &Bytes::from_static(&[0, 27])), 27);
        assert_eq!(
            error_code(api::HEARTBEAT, 4, &Bytes::from_static(&[0, 0, 0, 1, 0, 25, 0])),
            25
        );
        assert_eq!(error_code(api::HEARTBEAT, 4, &Bytes::from_static(&[0])), -1);
    }
}
