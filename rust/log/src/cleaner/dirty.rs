//! Which part of a log is dirty, and how much of it: Kafka's `LogCleanerManager.cleanableOffsets` and `LogToClean`.

use std::sync::Arc;

use crate::error::LogError;
use crate::partition_log::PartitionLog;
use crate::scan::HeaderScan;
use crate::segment::Segment;

/// What a round over a log would do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dirty {
    /// Everything below is clean.
    pub first_dirty_offset: i64,
    /// Nothing from here on may be compacted yet.
    pub first_uncleanable_offset: i64,
    /// Bytes of the clean segments.
    pub clean_bytes: u64,
    /// Bytes of the dirty segments that may be compacted.
    pub cleanable_bytes: u64,
    /// By how much the oldest dirty record is older than `max.compaction.lag.ms`; 0 when it is not.
    pub overdue_ms: i64,
}

impl Dirty {
    /// Share of dirty bytes.
    pub fn ratio(&self) -> f64 {
        let total = self.clean_bytes + self.cleanable_bytes;
        #[expect(clippy::cast_precision_loss, reason = "a ratio to be compared with an option")]
        match total {
            0 => 0.0,
            _ => self.cleanable_bytes as f64 / total as f64,
        }
    }

    /// Whether a round is due by the topic's options.
    pub fn is_due(&self, min_ratio: f64) -> bool {
        (self.overdue_ms > 0 && self.cleanable_bytes > 0) || self.ratio() > min_ratio
    }
}

impl PartitionLog {
    /// What a round of compaction that begins now would do; `None` when there is nothing in the log.
    pub fn dirty(&self, now_ms: i64) -> Result<Option<Dirty>, LogError> {
        self.reading(|segments, log_end_offset| self.find_dirty(segments, log_end_offset, now_ms))
    }

    fn find_dirty(
        &self,
        segments: &[Arc<Segment>],
        log_end_offset: i64,
        now_ms: i64,
    ) -> Result<Option<Dirty>, LogError> {
        let Some((active, sealed)) = segments.split_last() else {
            return Ok(None);
        };
        let config = self.config();
        let log_start_offset = self.log_start_offset();
        let first_dirty_offset = match self.cleaned_offset() {
            // Behind the end: the log was cut, or lost its end; in front of the start: retention has passed it.
            Some(cleaned) if (log_start_offset..=log_end_offset).contains(&cleaned) => cleaned,
            _ => log_start_offset,
        };
        let dirty_from = sealed.partition_point(|segment| end_of(segment) <= first_dirty_offset);
        let dirty_segments = sealed.get(dirty_from..).unwrap_or_default();
        let young = |segment: &&Arc<Segment>| segment.newest_record_ms() > now_ms - config.min_compaction_lag_ms;
        let first_young = Some(dirty_segments)
            .filter(|_| config.min_compaction_lag_ms > 0)
            .and_then(|segments| segments.iter().find(young))
            .map_or(i64::MAX, |segment| segment.base_offset);
        let bound = self
            .last_stable_offset()
            .min(active.base_offset)
            .min(first_young)
            .max(first_dirty_offset);
        // Whole segments only.
        let first_uncleanable_offset = sealed
            .iter()
            .find(|segment| end_of(segment) > bound)
            .unwrap_or(active)
            .base_offset;
        let mut dirty = Dirty {
            first_dirty_offset,
            first_uncleanable_offset: first_uncleanable_offset.max(first_dirty_offset),
            clean_bytes: 0,
            cleanable_bytes: 0,
            overdue_ms: 0,
        };
        for segment in sealed {
            // The segment that the dirty part begins in counts on both sides, as in Kafka.
            if segment.base_offset < first_dirty_offset {
                dirty.clean_bytes += segment.size();
            }
            if end_of(segment) > first_dirty_offset && segment.base_offset < first_uncleanable_offset {
                dirty.cleanable_bytes += segment.size();
            }
        }
        if config.max_compaction_lag_ms < i64::MAX {
            dirty.overdue_ms = overdue_ms(dirty_segments, now_ms, config.max_compaction_lag_ms.max(0))?;
        }
        Ok(Some(dirty))
    }
}

fn end_of(segment: &Segment) -> i64 {
    segment.with_tail(|tail| tail.next_offset)
}

fn overdue_ms(segments: &[Arc<Segment>], now_ms: i64, max_lag_ms: i64) -> Result<i64, LogError> {
    let mut earliest = i64::MAX;
    for segment in segments {
        let first = match segment.with_tail(|tail| tail.first_timestamp) {
            Some(timestamp) => Some(timestamp),
            None => first_timestamp(segment)?,
        };
        earliest = first
            .filter(|timestamp| *timestamp > 0)
            .map_or(earliest, |first| earliest.min(first));
    }
    let until = now_ms.saturating_sub(max_lag_ms);
    Ok(if earliest < until { until - earliest } else { 0 })
}

/// Greatest timestamp of the first batch.
fn first_timestamp(segment: &Segment) -> Result<Option<i64>, LogError> {
    let file = segment.file()?;
    let first = HeaderScan::new(file.as_ref(), 0, segment.size())
        .next()
        .map_err(|error| segment.scan_error(error))?;
    Ok(first.map(|(_, header)| header.max_timestamp))
}
