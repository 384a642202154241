//! What answers to Produce mean for the batches that were sent.

use std::time::Instant;

use bytes::Bytes;

use super::Sender;
use crate::batch::{Failure, Outcome, SealedBatch};
use crate::cluster::{ClusterView, LeaderHint};
use crate::config::Acks;
use crate::outbox::{Answer, Kind, Outbox};
use crate::produce_message::decode;
use crate::sequences::{PartitionOrder, Verdict, judge};

impl Sender {
    /// Takes an answer to Produce in. Returns leaders that the broker named.
    pub(crate) fn on_answer(&mut self, outbox: &mut Outbox, view: &ClusterView, answer: Answer) -> Vec<LeaderHint> {
        let Answer {
            kind: Kind::Produce { request, .. },
            node,
            api_version,
            result,
        } = answer
        else {
            return Vec::new();
        };
        if let Some(count) = self.in_flight.get_mut(&node) {
            *count = count.saturating_sub(1);
        }
        let mut hints = Vec::new();
        match result {
            Err(reason) => {
                outbox.wants_metadata = true;
                let text = reason.to_string();
                for (slot, batch) in request.batches {
                    self.lost(outbox, slot, batch, &text);
                }
            }
            Ok(_) if self.shared.config.acks == Acks::None => {
                for (slot, batch) in request.batches {
                    self.answered(slot, &batch);
                    self.finish(&batch, -1, -1);
                }
            }
            Ok(body) => hints = self.on_response(outbox, view, request.batches, api_version, &body),
        }
        self.shared.accumulator.completion.ring();
        hints
    }

    fn on_response(
        &mut self,
        outbox: &mut Outbox,
        view: &ClusterView,
        batches: Vec<(usize, SealedBatch)>,
        api_version: i16,
        body: &Bytes,
    ) -> Vec<LeaderHint> {
        let (answers, problem) = match decode(&batches, view, api_version, body) {
            Ok(answers) => (answers, "the broker's answer does not mention the partition".to_owned()),
            Err(error) => (Vec::new(), format!("Produce: {error}")),
        };
        let mut batches: Vec<Option<(usize, SealedBatch)>> = batches.into_iter().map(Some).collect();
        let mut hints = Vec::new();
        for answer in answers {
            let Some((slot, batch)) = batches.get_mut(answer.at).and_then(Option::take) else {
                continue;
            };
            hints.extend(answer.hint);
            self.answered(slot, &batch);
            let is_first = self
                .order(slot)
                .is_none_or(|order| order.is_first_in_line(batch.state.id()));
            let verdict = match judge(answer.code, self.shared.config.enable_idempotence, is_first) {
                Verdict::Split if batch.record_count < 2 => Verdict::Fail,
                verdict => verdict,
            };
            if verdict == Verdict::Done {
                if let Some(Some(partition)) = self.partitions.get_mut(slot) {
                    partition.order.written();
                }
                self.finish(&batch, answer.base_offset, answer.log_append_time);
            } else {
                self.carry_out(
                    outbox,
                    slot,
                    batch,
                    verdict,
                    Failure::Refused(answer.code.code()),
                    &answer.message,
                );
            }
        }
        for (slot, batch) in batches.into_iter().flatten() {
            self.lost(outbox, slot, batch, &problem);
        }
        hints
    }

    /// No answer came to a batch, so nobody knows whether the broker has it.
    fn lost(&mut self, outbox: &mut Outbox, slot: usize, batch: SealedBatch, message: &str) {
        self.answered(slot, &batch);
        self.carry_out(
            outbox,
            slot,
            batch,
            Verdict::Retry { refresh: true },
            Failure::Lost,
            message,
        );
    }

    fn order(&self, slot: usize) -> Option<&PartitionOrder> {
        self.partitions.get(slot)?.as_ref().map(|partition| &partition.order)
    }

    pub(super) fn answered(&mut self, slot: usize, batch: &SealedBatch) {
        if let Some(Some(partition)) = self.partitions.get_mut(slot) {
            partition.order.answered(batch.state.id());
        }
    }

    /// Does with a batch what was decided, unless it has had its chances.
    fn carry_out(
        &mut self,
        outbox: &mut Outbox,
        slot: usize,
        batch: SealedBatch,
        verdict: Verdict,
        failure: Failure,
        message: &str,
    ) {
        let (is_retry, reset) = match verdict {
            Verdict::Retry { refresh } => {
                outbox.wants_metadata |= refresh;
                (true, false)
            }
            Verdict::Reset => (true, true),
            Verdict::Split => return self.split(slot, batch, failure, message, outbox.now),
            Verdict::Done | Verdict::Fail => (false, false),
        };
        let is_late = outbox.now.saturating_duration_since(batch.opened) >= self.shared.config.delivery_timeout;
        // The outcome is decided already when the delivery timeout passed while the batch was in flight.
        let is_over = is_late || batch.attempts > self.shared.config.retries || batch.state.outcome().is_some();
        if is_retry && !is_over {
            self.shared.counters.retries.add(1);
            self.retry(slot, batch, reset, outbox.now);
        } else if is_retry && is_late {
            let waited = self.shared.config.delivery_timeout.as_millis();
            let message = format!("not delivered within delivery.timeout.ms ({waited} ms): {message}");
            self.give_up(slot, &batch, Failure::TimedOut, &message);
        } else {
            self.give_up(slot, &batch, failure, message);
        }
    }

    /// A batch of several records is too large for the broker: its halves are sent in its place. That is no retry of any
    /// record, so it counts as none and is not waited with.
    fn split(&mut self, slot: usize, mut batch: SealedBatch, failure: Failure, message: &str, now: Instant) {
        batch.attempts = batch.attempts.saturating_sub(1);
        match batch.halves(self.shared.config.compression_level) {
            Ok(parts) => {
                self.shared.counters.splits.add(1);
                if let Some(Some(partition)) = self.partitions.get_mut(slot) {
                    for part in parts {
                        partition.order.retry(part, false);
                    }
                    partition.not_before = Some(now);
                }
                self.list(slot);
            }
            Err(error) => {
                let message = format!("{message}; and it cannot be split: {error}");
                self.give_up(slot, &batch, failure, &message);
            }
        }
    }

    pub(super) fn retry(&mut self, slot: usize, batch: SealedBatch, reset: bool, now: Instant) {
        let pause = self.backoff.after(batch.attempts);
        if let Some(Some(partition)) = self.partitions.get_mut(slot) {
            partition.order.retry(batch, reset);
            partition.not_before = Some(now + pause);
        }
        self.list(slot);
    }

    pub(super) fn give_up(&mut self, slot: usize, batch: &SealedBatch, failure: Failure, message: &str) {
        if let Some(Some(partition)) = self.partitions.get_mut(slot) {
            partition.order.gave_up();
        }
        self.shared
            .counters
            .failed_records
            .add(u64::try_from(batch.record_count).unwrap_or(0));
        let outcome = Outcome::Failed {
            failure,
            message: message.into(),
            attempts: batch.attempts,
        };
        self.shared.finish(&batch.state, outcome);
    }

    fn finish(&self, batch: &SealedBatch, base_offset: i64, log_append_time: i64) {
        self.shared
            .counters
            .records
            .add(u64::try_from(batch.record_count).unwrap_or(0));
        self.shared.counters.batches.add(1);
        self.shared.counters.bytes.add(u64::try_from(batch.len()).unwrap_or(0));
        self.shared.finish(
            &batch.state,
            Outcome::Acknowledged {
                base_offset,
                log_append_time,
            },
        );
    }
}
