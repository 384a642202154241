//! Where the I/O thread leaves what the client's user must know. One lock, one bell for everything a user's thread waits for.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use bytes::Bytes;

use crate::doorbell::Doorbell;
use crate::lock::lock;

/// Something for the client's user. Their number is bounded by what the user has in flight, by its assignment and by the
/// coalescing of [`Event::Metadata`], [`Event::Fetched`] and [`Event::FetchError`].
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// A submission was answered.
    Response {
        /// The submission.
        token: u64,
        /// The version that was spoken.
        api_version: i16,
        /// The response without its header.
        body: Bytes,
        /// Who answered.
        node_id: i32,
    },
    /// A submission failed.
    Failed {
        /// The submission.
        token: u64,
        /// Kafka's error code, -1 for a lost connection or a timeout.
        error_code: i16,
        /// What happened.
        message: String,
    },
    /// A repeated heartbeat got another answer than "nothing new".
    Heartbeat {
        /// Kafka's error code.
        error_code: i16,
        /// The version that was spoken.
        api_version: i16,
        /// The response without its header.
        body: Bytes,
    },
    /// `poll` was not called in time, and the prepared `LeaveGroup` was sent.
    PollDeadline,
    /// A partition cannot be fetched from.
    FetchError {
        /// The topic.
        topic: std::sync::Arc<str>,
        /// The partition.
        partition: i32,
        /// Kafka's error code.
        error_code: i16,
        /// The offset that was asked for.
        offset: i64,
    },
    /// The leader's log does not have what comes before a partition's position (KIP-320); it is not fetched from until a seek.
    Truncated {
        /// The topic.
        topic: std::sync::Arc<str>,
        /// The partition.
        partition: i32,
        /// The position.
        offset: i64,
        /// Where the logs part, -1 when the leader does not know.
        end_offset: i64,
        /// The epoch of the record before it, -1 when the leader does not know.
        end_epoch: i32,
    },
    /// Watched topics' metadata changed.
    Metadata,
    /// Fetched data waits to be polled.
    Fetched,
    /// Somebody wants whoever waits to look around.
    Wake,
}

/// What ended a wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waited {
    /// There is data.
    ForData,
    /// There is an event.
    ForEvent,
    /// The time is over.
    InVain,
}

/// Events in order, and a bell.
#[derive(Debug, Default)]
pub(crate) struct Mailbox {
    state: Mutex<MailboxState>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct MailboxState {
    events: VecDeque<Event>,
    /// Counts rings that carry no event.
    rings: u64,
    waiting: usize,
    /// For an event loop that waits in place of a thread.
    bell: Doorbell,
}

impl Mailbox {
    /// Adds an event; of events that say the same again one waiting is enough.
    pub(crate) fn post(&self, event: Event) {
        let mut state = lock(&self.state);
        let repeats = matches!(
            event,
            Event::Metadata | Event::Fetched | Event::Wake | Event::FetchError { .. }
        );
        let coalesced = repeats && state.events.contains(&event);
        if !coalesced {
            state.events.push_back(event);
        }
        self.wake(state);
    }

    /// Wakes waiters without an event, so that they look at their own condition.
    pub(crate) fn ring(&self) {
        let mut state = lock(&self.state);
        state.rings += 1;
        self.wake(state);
    }

    /// Wakes who waits, after the lock is free: a thread that is let in at once would else have to wait for it again.
    fn wake(&self, mut state: MutexGuard<'_, MailboxState>) {
        state.bell.ring();
        let is_waited_for = state.waiting > 0;
        drop(state);
        if is_waited_for {
            self.changed.notify_all();
        }
    }

    /// A line to an event loop, which becomes readable when something is posted after [`arm_bell`](Self::arm_bell).
    pub(crate) fn bell(&self) -> std::io::Result<std::os::fd::OwnedFd> {
        lock(&self.state).bell.connect()
    }

    /// Arms the bell; false, and not armed, if an event waits already.
    pub(crate) fn arm_bell(&self) -> bool {
        let mut state = lock(&self.state);
        let may_wait = state.events.is_empty();
        if may_wait {
            state.bell.arm();
        }
        may_wait
    }

    /// All events that wait; waits up to `timeout` for the first.
    pub(crate) fn take(&self, timeout: Duration) -> Vec<Event> {
        let mut events = Vec::new();
        self.wait_until(timeout, |state| {
            events.extend(state.events.drain(..));
            !events.is_empty()
        });
        events
    }

    /// Waits up to `timeout` until `has_data()` is true, which must not lock the mailbox, or an event other than
    /// [`Event::Fetched`] waits. No [`Event::Fetched`] is left.
    pub(crate) fn wait_for_data(&self, timeout: Duration, mut has_data: impl FnMut() -> bool) -> Waited {
        let mut waited = Waited::InVain;
        self.wait_until(timeout, |state| {
            state.events.retain(|event| *event != Event::Fetched);
            if has_data() {
                waited = Waited::ForData;
            } else if !state.events.is_empty() {
                waited = Waited::ForEvent;
            }
            waited != Waited::InVain
        });
        waited
    }

    fn wait_until(&self, timeout: Duration, mut ready: impl FnMut(&mut MailboxState) -> bool) -> bool {
        let deadline = Instant::now().checked_add(timeout);
        let mut state = lock(&self.state);
        loop {
            if ready(&mut state) {
                return true;
            }
            let left = deadline.map_or(Duration::from_secs(3600), |deadline| {
                deadline.saturating_duration_since(Instant::now())
            });
            if left.is_zero() {
                return false;
            }
            state.waiting += 1;
            state = self
                .changed
                .wait_timeout(state, left)
                .unwrap_or_else(std::sync::PoisonError::into_inner)
                .0;
            state.waiting -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_keep_their_order_and_repeated_hints_become_one() {
        let mailbox = Mailbox::default();
        mailbox.post(Event::Fetched);
        mailbox.post(Event::PollDeadline);
        mailbox.post(Event::Fetched);
        mailbox.post(Event::Metadata);
        mailbox.post(Event::Metadata);
        assert_eq!(
            mailbox.take(Duration::ZERO),
            [Event::Fetched, Event::PollDeadline, Event::Metadata]
        );
        assert!(mailbox.take(Duration::ZERO).is_empty());
    }

    #[test]
    fn a_bell_is_armed_only_where_nothing_waits() {
        let mailbox = Mailbox::default();
        let _line = mailbox.bell().unwrap();
        assert!(mailbox.arm_bell());
        mailbox.post(Event::Fetched);
        assert!(!mailbox.arm_bell());
        mailbox.take(Duration::ZERO);
        assert!(mailbox.arm_bell());
    }
}
