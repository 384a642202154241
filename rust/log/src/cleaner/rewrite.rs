//! Writing segments anew without what compaction removes, and putting them in the place of the old ones.

use std::collections::HashMap;
use std::sync::Arc;

use barnabas_records::{
    BatchFilter, BatchHeader, BatchRef, BatchRetention, FilterRecord, FilterRules, Filtered, patch,
};

use crate::appender::POSITION_MAX;
use crate::cleaner::offset_map::OffsetMap;
use crate::cleaner::transactions::CleanedTransactions;
use crate::cleaner::{CleanStats, Stop, Work, damaged, is_current, pay};
use crate::config::LogConfig;
use crate::env::LogEnv;
use crate::error::LogError;
use crate::index_file::IndexEntry;
use crate::offset_index::OffsetEntry;
use crate::partition_log::PartitionLog;
use crate::producer_state::LastRecord;
use crate::segment::Segment;
use crate::time_index::TimeEntry;
use crate::txn_index::AbortedTransaction;

/// Bytes of output after which it is synced, so that the disk gets it in portions and not in a burst at the end.
const SYNC_INTERVAL: u64 = 32 << 20;

/// Runs of neighbours that fit into one segment together, with their indexes.
pub(super) fn groups<'a>(
    segments: &'a [Arc<Segment>],
    config: &LogConfig,
    first_uncleanable_offset: i64,
) -> Vec<&'a [Arc<Segment>]> {
    let sizes = |segment: &Segment| {
        segment.with_tail(|tail| {
            (
                tail.size,
                tail.offsets.len() * OffsetEntry::LEN,
                tail.times.len() * TimeEntry::LEN,
            )
        })
    };
    let index_max = config.segment_index_bytes as usize;
    let size_max = config.segment_bytes.min(POSITION_MAX);
    let mut groups = Vec::new();
    let mut rest = segments;
    while let Some(first) = rest.first() {
        let (mut size, mut offsets, mut times) = sizes(first);
        let mut count = 1;
        while let Some(next) = rest.get(count) {
            let (more, more_offsets, more_times) = sizes(next);
            let end = rest
                .get(count + 1)
                .map_or(first_uncleanable_offset, |segment| segment.base_offset);
            (size, offsets, times) = (size + more, offsets + more_offsets, times + more_times);
            let fits = size <= size_max
                && offsets <= index_max
                && times <= index_max
                && (more == 0 || end - 1 - first.base_offset <= i64::from(i32::MAX));
            if !fits {
                break;
            }
            count += 1;
        }
        let (group, behind) = rest.split_at_checked(count).unwrap_or((rest, &[]));
        groups.push(group);
        rest = behind;
    }
    groups
}

/// What is known over all groups of a round.
pub(super) struct Rewriter<'a> {
    rules: Rules<'a>,
    transactions: CleanedTransactions,
}

/// What decides about batches and records.
struct Rules<'a> {
    map: &'a OffsetMap,
    /// End of what may be compacted.
    upper_bound: i64,
    now_ms: i64,
    delete_retention_ms: i64,
    last_records: HashMap<i64, LastRecord>,
}

impl<'a> Rewriter<'a> {
    pub(super) fn new(map: &'a OffsetMap, upper_bound: i64, now_ms: i64, log: &PartitionLog) -> Result<Self, LogError> {
        Ok(Self {
            rules: Rules {
                map,
                upper_bound,
                now_ms,
                delete_retention_ms: log.config().delete_retention_ms,
                last_records: log.lock_appender()?.producers.last_records(),
            },
            transactions: CleanedTransactions::default(),
        })
    }

    /// Writes `group` anew and exchanges it.
    pub(super) fn clean_group(&mut self, work: &mut Work<'_>, group: &[Arc<Segment>]) -> Result<(), Stop> {
        // Producers go on writing meanwhile: what they wrote last is asked for anew for each group.
        self.rules.last_records = work.log.lock_appender()?.producers.last_records();
        let mut output = Output::new(work, group);
        match self.write_group(work, group, &mut output) {
            Ok(()) => output.exchange(work.log, group, self.rules.now_ms),
            Err(stop) => {
                output.remove(&work.log.env);
                // Whatever fails when the directory is gone fails because it is gone.
                Err(if is_current(work.log, group) {
                    stop
                } else {
                    Stop::GivenUp
                })
            }
        }
    }

    fn write_group(&mut self, work: &mut Work<'_>, group: &[Arc<Segment>], output: &mut Output) -> Result<(), Stop> {
        output.begin(group.first().map_or(0, |first| first.base_offset))?;
        let last = group.iter().rposition(|segment| segment.size() > 0);
        for (index, segment) in group.iter().enumerate() {
            let size = segment.size();
            let end = segment.with_tail(|tail| tail.next_offset);
            for aborted in work.log.aborted_transactions(segment.base_offset, end)? {
                self.transactions.add_aborted(aborted);
            }
            let file = work.open(segment)?;
            let (log, pace) = (work.log, work.pace);
            let mut stats = CleanStats::default();
            work.each_batch(segment, file.as_ref(), 0, |filter, position, batch| {
                let behind = position + batch.bytes.len() as u64;
                // Recovery takes the end of the last batch for the end of what the new segment replaces.
                let ends_group = index > 0 && Some(index) == last && behind == size;
                let start = output.pending.len();
                let aborted = self
                    .filter(filter, batch, ends_group, &mut output.pending, &mut stats)
                    .map_err(|error| damaged(segment, position, &error))?;
                output.take(start, aborted)?;
                if output.pending.len() >= output.chunk {
                    let written = output.write()?;
                    stats.bytes_written += written as u64;
                    pay(log, pace, group, written)?;
                }
                Ok(true)
            })?;
            work.stats.bytes_written += stats.bytes_written;
            work.stats.records_read += stats.records_read;
            work.stats.records_kept += stats.records_kept;
            work.stats.keyless += stats.keyless;
        }
        let written = output.write()?;
        work.stats.bytes_written += written as u64;
        pay(work.log, work.pace, group, written)
    }

    /// Appends what stays of `batch`; returns the aborted transaction that it ends, if its entry stays.
    fn filter(
        &mut self,
        filter: &mut BatchFilter,
        batch: &BatchRef<'_>,
        ends_group: bool,
        out: &mut Vec<u8>,
        stats: &mut CleanStats,
    ) -> barnabas_records::Result<Option<AbortedTransaction>> {
        let header = &batch.header;
        let is_control = header.is_control();
        let rules = &self.rules;
        let mut keeps = None;
        let may_go = if is_control {
            let fate = self.transactions.on_control_batch(batch);
            keeps = fate.keeps;
            fate.may_go
        } else {
            self.transactions.on_batch(header)
        };
        let is_over = |horizon: i64| horizon <= rules.now_ms;
        let discards = may_go && (!is_control || header.delete_horizon_ms().is_some_and(is_over));
        let kept_by_kafka = rules.is_last_of_producer(header) || header.next_offset() == rules.upper_bound;
        let retention = if kept_by_kafka || ends_group {
            BatchRetention::RetainEmpty
        } else if discards {
            BatchRetention::Delete
        } else {
            BatchRetention::DeleteEmpty
        };
        let filter_rules = FilterRules {
            retention,
            is_marker_of_empty_transaction: may_go && is_control,
            new_delete_horizon_ms: rules.now_ms.saturating_add(rules.delete_retention_ms),
        };
        stats.records_read += u64::try_from(header.record_count).unwrap_or(0);
        let may_drop_tombstones = header.delete_horizon_ms().is_some_and(is_over);
        let retain = |record: &FilterRecord<'_>| {
            !discards && (is_control || rules.retains(record, may_drop_tombstones, &mut stats.keyless))
        };
        let start = out.len();
        match filter.filter(batch, &filter_rules, retain, out)? {
            // It says where the segment ends and nothing else: with a timestamp it would get an entry of the time index,
            // for which there is no record.
            Filtered::Emptied if !kept_by_kafka => {
                patch::set_timestamps(out.get_mut(start..).unwrap_or_default(), -1, -1)?;
            }
            Filtered::Whole => stats.records_kept += u64::try_from(header.record_count).unwrap_or(0),
            Filtered::Rewritten { records } => stats.records_kept += u64::try_from(records).unwrap_or(0),
            Filtered::Dropped | Filtered::Emptied => {}
        }
        Ok(keeps)
    }
}

impl Rules<'_> {
    /// Whether a batch is needed for what its producer wrote last: the batch of data with the last sequence number, or,
    /// if there is none, the markers of its epoch.
    fn is_last_of_producer(&self, header: &BatchHeader) -> bool {
        let last = self
            .last_records
            .get(&header.producer_id)
            .filter(|_| header.has_producer());
        last.is_some_and(|last| match last.last_data_offset {
            Some(offset) => header.last_offset() == offset,
            None => header.is_control() && header.producer_epoch == last.epoch,
        })
    }

    #[inline]
    fn retains(&self, record: &FilterRecord<'_>, may_drop_tombstones: bool, keyless: &mut u64) -> bool {
        if record.offset > self.map.latest_offset() {
            return true;
        }
        let Some(key) = record.key else {
            *keyless += 1;
            return false;
        };
        record.offset >= self.map.get(key) && (record.has_value || !may_drop_tombstones)
    }
}

/// The new segments of one group. There is more than one only if recompression made the records grow beyond what a
/// segment can hold.
struct Output {
    env: LogEnv,
    dir: std::path::PathBuf,
    created_ms: i64,
    index_interval: u32,
    chunk: usize,
    segments: Vec<Arc<Segment>>,
    /// Batches that are not written yet, and their headers.
    pending: Vec<u8>,
    headers: Vec<BatchHeader>,
    unsynced: u64,
}

impl Output {
    fn new(work: &Work<'_>, group: &[Arc<Segment>]) -> Self {
        Self {
            env: work.log.env.clone(),
            dir: work.log.dir.clone(),
            created_ms: group.last().map_or(0, |last| last.created_ms),
            index_interval: work.log.config().index_interval_bytes,
            chunk: work.config.io_buffer_bytes,
            segments: Vec::new(),
            pending: Vec::with_capacity(work.config.io_buffer_bytes * 2),
            headers: Vec::new(),
            unsynced: 0,
        }
    }

    fn begin(&mut self, base_offset: i64) -> Result<(), LogError> {
        let segment = Segment::create_cleaned(&self.env, &self.dir, base_offset, self.created_ms)?;
        self.segments.push(Arc::new(segment));
        Ok(())
    }

    /// Takes in what was appended to `pending` from `start` on, at most one batch, and an entry of the index.
    fn take(&mut self, start: usize, aborted: Option<AbortedTransaction>) -> Result<(), LogError> {
        if let Some(batch) = self.pending.get(start..).filter(|batch| !batch.is_empty())
            && let Ok(header) = BatchHeader::parse(batch)
        {
            let is_beyond = self.segments.last().is_some_and(|segment| {
                segment.size() + self.pending.len() as u64 > POSITION_MAX
                    || header.last_offset() - segment.base_offset > i64::from(i32::MAX)
            });
            if is_beyond {
                let batch = self.pending.split_off(start);
                self.write()?;
                self.begin(header.base_offset)?;
                self.pending = batch;
            }
            self.headers.push(header);
        }
        match (aborted, self.segments.last()) {
            (Some(aborted), Some(segment)) => segment.txn_index.append(&aborted),
            _ => Ok(()),
        }
    }

    /// Writes what is pending and says how much it was.
    fn write(&mut self) -> Result<usize, LogError> {
        let written = self.pending.len();
        if let Some(segment) = self.segments.last()
            && written > 0
        {
            segment.append(&self.pending, &self.headers, self.index_interval)?;
            self.unsynced += written as u64;
            if self.unsynced >= SYNC_INTERVAL && !self.env.temporary {
                self.unsynced = 0;
                let path = segment.log_path();
                segment
                    .file()?
                    .sync_data()
                    .map_err(|error| LogError::io("flush", &path, error))?;
            }
        }
        self.pending.clear();
        self.headers.clear();
        Ok(written)
    }

    /// Completes the new segments and puts them in the place of `group`.
    fn exchange(self, log: &PartitionLog, group: &[Arc<Segment>], now_ms: i64) -> Result<(), Stop> {
        let outcome = self.complete(group);
        if outcome.is_ok() && log.replace_segments(group, &self.segments, now_ms)? {
            return Ok(());
        }
        self.remove(&self.env);
        match outcome {
            Err(error) if is_current(log, group) => Err(Stop::Failed(error)),
            _ => Err(Stop::GivenUp),
        }
    }

    fn complete(&self, group: &[Arc<Segment>]) -> Result<(), LogError> {
        let group_end = group.last().map_or(0, |last| last.with_tail(|tail| tail.next_offset));
        let mut next_offset = group_end;
        for segment in self.segments.iter().rev() {
            segment.set_next_offset(next_offset);
            next_offset = segment.base_offset;
            segment.seal();
            segment.store_indexes()?;
            if !self.env.temporary {
                segment.sync()?;
            }
        }
        Ok(())
    }

    /// Best effort: the next start removes what stays.
    fn remove(&self, env: &LogEnv) {
        for segment in &self.segments {
            if let Err(error) = segment.remove_files(env) {
                log::warn!("{error}");
            }
        }
    }
}
