//! Where the I/O thread leaves what the client's user must know. One lock, one bell for everything a user's thread waits for.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex};
use std::time::{Duration, Instant};

use bytes::Bytes;

use crate::lock::lock;

/// Something for the client's user. Their number is bounded by what the user has in flight, by its assignment and by the
/// coalescing of [`Event::Metadata`] and [`Event::Fetched`].
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
}

impl Mailbox {
    /// Adds an event; of events that carry nothing one waiting is enough.
    pub(crate) fn post(&self, event: Event) {
        let mut state = lock(&self.state);
        let coalesced =
            matches!(event, Event::Metadata | Event::Fetched | Event::Wake) && state.events.contains(&event);
        if !coalesced {
            state.events.push_back(event);
        }
        if state.waiting > 0 {
            self.changed.notify_all();
        }
    }

    /// Wakes waiters without an event, so that they look at their own condition.
    pub(crate) fn ring(&self) {
        let mut state = lock(&self.state);
        state.rings += 1;
        if state.waiting > 0 {
            self.changed.notify_all();
        }
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
}
