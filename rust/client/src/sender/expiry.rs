//! Batches that are given up: too old, refused for good, or of a producer that closes.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::Sender;
use crate::batch::{Failure, Outcome};

/// How often per delivery timeout batches are looked through for those that are too old.
const EXPIRY_CHECKS: u32 = 10;

impl Sender {
    /// Gives up what is older than the delivery timeout. What is in flight keeps its place until it is answered, but its
    /// callers do not wait for that.
    pub(super) fn expire(&mut self, now: Instant) {
        let timeout = self.shared.config.delivery_timeout;
        if self.next_expiry_check.is_some_and(|at| at > now) {
            return;
        }
        if self.shared.accumulator.incomplete_count() == 0 {
            // Not before the check that was planned: records that come one at a time would plan one, and wake the I/O thread
            // for it, each.
            self.next_expiry_check = None;
            return;
        }
        let pause = (timeout / EXPIRY_CHECKS).clamp(Duration::from_millis(5), Duration::from_secs(1));
        self.next_expiry_check = Some(now + pause);
        let Some(before) = now.checked_sub(timeout) else { return };
        let message: Arc<str> = format!("not delivered within delivery.timeout.ms ({} ms)", timeout.as_millis()).into();
        let mut is_any = false;
        for partition in self.partitions.iter_mut().flatten() {
            for open in partition.queue.take_opened_before(before) {
                is_any = true;
                self.shared.fail_open(open, Failure::TimedOut, &message);
            }
            while partition
                .order
                .retries
                .front()
                .is_some_and(|batch| batch.opened <= before)
            {
                let Some(batch) = partition.order.retries.pop_front() else {
                    break;
                };
                is_any = true;
                partition.order.gave_up();
                let outcome = Outcome::Failed {
                    failure: Failure::TimedOut,
                    message: Arc::clone(&message),
                    attempts: batch.attempts,
                };
                self.shared.finish(&batch.state, outcome);
            }
            for unanswered in partition
                .order
                .in_flight
                .iter()
                .filter(|unanswered| unanswered.opened <= before)
            {
                is_any = true;
                self.shared.finish(
                    &unanswered.state,
                    Outcome::Failed {
                        failure: Failure::TimedOut,
                        message: Arc::clone(&message),
                        attempts: 1,
                    },
                );
            }
        }
        if is_any {
            self.shared.accumulator.completion.ring();
        }
    }

    /// Fails everything that is not in flight.
    pub(super) fn fail_all(&mut self, failure: Failure, message: &str) {
        let message: Arc<str> = message.into();
        for partition in self.partitions.iter_mut().flatten() {
            while let Some(open) = partition.queue.take_batch() {
                self.shared.fail_open(open, failure, &message);
            }
            for batch in std::mem::take(&mut partition.order.retries) {
                partition.order.gave_up();
                let outcome = Outcome::Failed {
                    failure,
                    message: Arc::clone(&message),
                    attempts: batch.attempts,
                };
                self.shared.finish(&batch.state, outcome);
            }
        }
        self.shared.accumulator.completion.ring();
    }

    /// Gives up everything, in flight or not, because the producer closes now.
    pub(crate) fn abort(&mut self, message: &str) {
        let text: Arc<str> = message.into();
        for queue in self.shared.queues() {
            for open in queue.close(true) {
                self.shared.fail_open(open, Failure::Aborted, &text);
            }
        }
        for partition in self.partitions.iter_mut().flatten() {
            for unanswered in partition.order.in_flight.drain(..) {
                self.shared.finish(
                    &unanswered.state,
                    Outcome::Failed {
                        failure: Failure::Aborted,
                        message: Arc::clone(&text),
                        attempts: 1,
                    },
                );
            }
        }
        self.fail_all(Failure::Aborted, message);
    }
}
