//! Idempotent sequences of one partition: which number comes next, and what a broker's answer says about those before it.
//! Pure: batches go in and out, nothing is sent here.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Instant;

use barnabas_wire::errors::ErrorCode;

use crate::batch::{BatchState, SealedBatch, Sequence};

/// A producer id and epoch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ProducerId {
    pub(crate) id: i64,
    pub(crate) epoch: i16,
}

/// What is to be done with a batch that was answered with an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// The broker has it.
    Done,
    /// Send it again, after looking for the leader if `refresh`.
    Retry { refresh: bool },
    /// Send it again under a new epoch: the broker's state of this producer is not what was expected (KIP-360).
    Reset,
    /// Send its halves.
    Split,
    /// Give it up.
    Fail,
}

/// The one place where it is decided whether a produced batch is sent again.
pub(crate) fn judge(code: ErrorCode, is_idempotent: bool, is_first_in_line: bool) -> Verdict {
    match code {
        // A duplicate: the broker has it already and has forgotten, or does not say, at which offset.
        ErrorCode::NONE | ErrorCode::DUPLICATE_SEQUENCE_NUMBER => Verdict::Done,
        // An earlier batch failed, so this one could not follow; it is sent again after the earlier one.
        ErrorCode::OUT_OF_ORDER_SEQUENCE_NUMBER if is_idempotent && !is_first_in_line => {
            Verdict::Retry { refresh: false }
        }
        // Nothing was before it, so the broker lost or never had the batches that it expects: nothing of this batch or
        // its successors was written under this epoch, and a new epoch may begin with it.
        ErrorCode::OUT_OF_ORDER_SEQUENCE_NUMBER | ErrorCode::UNKNOWN_PRODUCER_ID if is_idempotent => {
            if is_first_in_line {
                Verdict::Reset
            } else {
                Verdict::Retry { refresh: false }
            }
        }
        // Larger than the topic's max.message.bytes or segment.bytes, which the client does not know.
        ErrorCode::MESSAGE_TOO_LARGE | ErrorCode::RECORD_LIST_TOO_LARGE => Verdict::Split,
        // The topic or partition may be about to exist, the leader may have moved: retriable, after a look.
        code if code.retriable() => Verdict::Retry {
            refresh: code.refreshes_metadata(),
        },
        _ => Verdict::Fail,
    }
}

/// A batch that was sent and not answered.
#[derive(Debug)]
pub(crate) struct Unanswered {
    pub(crate) opened: Instant,
    ordinal: u64,
    pub(crate) state: Arc<BatchState>,
}

/// How many batches of a producer a broker remembers per partition.
const BATCHES_REMEMBERED: u64 = 5;

/// The order of one partition's sealed batches.
#[derive(Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "four independent facts")]
pub(crate) struct PartitionOrder {
    /// To be sent again, oldest first.
    pub(crate) retries: VecDeque<SealedBatch>,
    /// Sent and not answered.
    pub(crate) in_flight: Vec<Unanswered>,
    producer: Option<ProducerId>,
    next: i32,
    /// Counts numbered batches.
    next_ordinal: u64,
    /// A batch of this epoch was written. Before that the leader has no state of this producer and takes any number: if it
    /// refused the first batch for another reason (it is not the leader yet) and took the second, their order would turn.
    is_established: bool,
    /// Something failed: nothing is sent until all that is in flight was answered, so that retries keep their order.
    is_held: bool,
    /// The next epoch begins with the oldest retry.
    needs_reset: bool,
    /// A numbered batch was given up, so the broker may or may not have it: no new numbers until the rest is decided.
    has_gap: bool,
}

impl PartitionOrder {
    /// Whether a batch may be sent now: the oldest retry, or a new one.
    pub(crate) fn may_send(&self) -> bool {
        if self.in_flight.is_empty() {
            return true;
        }
        if self.is_held || self.needs_reset || (self.producer.is_some() && !self.is_established) {
            return false;
        }
        !self.retries.is_empty() || (!self.has_gap && self.is_near())
    }

    /// Whether a new batch would be among the last that a broker remembers, counted from the oldest undecided one. If more
    /// batches followed that one, a broker would take its repetition for a gap rather than a repetition.
    fn is_near(&self) -> bool {
        let oldest = self.in_flight.iter().map(|unanswered| unanswered.ordinal).min();
        self.producer.is_none() || oldest.is_none_or(|oldest| self.next_ordinal - oldest < BATCHES_REMEMBERED)
    }

    /// When nothing is in flight: sending goes on, under a new epoch if the partition needs one. `current` is the producer id
    /// if there are numbers; `bump` gives a newer one than the given one, `None` if it has to be asked for first. Says
    /// whether a batch may be sent.
    pub(crate) fn settle(
        &mut self,
        current: Option<ProducerId>,
        bump: impl FnOnce(ProducerId) -> Option<ProducerId>,
    ) -> bool {
        if !self.in_flight.is_empty() {
            return true;
        }
        self.is_held = false;
        let Some(current) = current else { return true };
        let ends_gap = self.has_gap && self.retries.is_empty();
        if self.needs_reset || ends_gap {
            let Some(newer) = self.producer.map_or(Some(current), bump) else {
                return false;
            };
            self.begin(newer);
        } else if self.retries.is_empty() && self.producer != Some(current) {
            self.begin(current);
        }
        true
    }

    /// Numbers all retries anew from 0.
    fn begin(&mut self, producer: ProducerId) {
        self.producer = Some(producer);
        self.next = 0;
        self.needs_reset = false;
        self.has_gap = false;
        self.is_established = false;
        for batch in &mut self.retries {
            let sequence = Sequence {
                producer_id: producer.id,
                producer_epoch: producer.epoch,
                base: self.next,
            };
            // Fails only for bytes that are no batch, and these were just built.
            let _ = batch.set_sequence(sequence);
            self.next = barnabas_records::add_sequence(self.next, batch.record_count);
        }
    }

    /// The number for a new batch of so many records, and the batch's place among the numbered ones.
    pub(crate) fn take_sequence(&mut self, record_count: i32) -> Option<(Sequence, u64)> {
        let producer = self.producer?;
        let sequence = Sequence {
            producer_id: producer.id,
            producer_epoch: producer.epoch,
            base: self.next,
        };
        self.next = barnabas_records::add_sequence(self.next, record_count);
        let ordinal = self.next_ordinal;
        self.next_ordinal += 1;
        Some((sequence, ordinal))
    }

    pub(crate) fn sent(&mut self, batch: &SealedBatch) {
        self.in_flight.push(Unanswered {
            opened: batch.opened,
            ordinal: batch.ordinal,
            state: Arc::clone(&batch.state),
        });
    }

    /// An answer came, of whatever kind.
    pub(crate) fn answered(&mut self, batch_id: u64) {
        self.in_flight.retain(|unanswered| unanswered.state.id() != batch_id);
    }

    /// A batch was written.
    pub(crate) fn written(&mut self) {
        self.is_established = true;
    }

    /// Whether no older batch is undecided.
    pub(crate) fn is_first_in_line(&self, batch_id: u64) -> bool {
        self.in_flight.iter().all(|other| other.state.id() > batch_id)
            && self.retries.iter().all(|other| other.state.id() > batch_id)
    }

    /// Puts a batch back, in front of younger ones.
    pub(crate) fn retry(&mut self, batch: SealedBatch, reset: bool) {
        self.is_held = true;
        self.needs_reset |= reset;
        let at = self
            .retries
            .partition_point(|other| other.state.id() < batch.state.id());
        self.retries.insert(at, batch);
    }

    /// A numbered batch was given up after it had been sent.
    pub(crate) fn gave_up(&mut self) {
        self.is_held = true;
        self.has_gap = self.producer.is_some();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_answer_has_its_verdict() {
        let retry = |refresh| Verdict::Retry { refresh };
        for (code, idempotent, first, verdict) in [
            (ErrorCode::NONE, true, true, Verdict::Done),
            (ErrorCode::DUPLICATE_SEQUENCE_NUMBER, true, false, Verdict::Done),
            (ErrorCode::OUT_OF_ORDER_SEQUENCE_NUMBER, true, false, retry(false)),
            (ErrorCode::OUT_OF_ORDER_SEQUENCE_NUMBER, true, true, Verdict::Reset),
            (ErrorCode::OUT_OF_ORDER_SEQUENCE_NUMBER, false, true, Verdict::Fail),
            (ErrorCode::UNKNOWN_PRODUCER_ID, true, true, Verdict::Reset),
            (ErrorCode::NOT_LEADER_OR_FOLLOWER, true, true, retry(true)),
            (ErrorCode::UNKNOWN_TOPIC_OR_PARTITION, false, true, retry(true)),
            (ErrorCode::REQUEST_TIMED_OUT, true, true, retry(false)),
            (ErrorCode::NOT_ENOUGH_REPLICAS, true, true, retry(false)),
            (ErrorCode::MESSAGE_TOO_LARGE, true, true, Verdict::Split),
            (ErrorCode::RECORD_LIST_TOO_LARGE, false, false, Verdict::Split),
            (ErrorCode::INVALID_RECORD, true, true, Verdict::Fail),
            (ErrorCode::TOPIC_AUTHORIZATION_FAILED, true, true, Verdict::Fail),
        ] {
            assert_eq!(
                judge(code, idempotent, first),
                verdict,
                "{code} idempotent={idempotent} first={first}"
            );
        }
    }
}
