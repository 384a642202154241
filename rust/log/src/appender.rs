//! The writing side of a partition's log: everything that happens under the append lock.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use barnabas_records::{
    BatchHeader, BatchIter, BatchRef, ControlKey, EndTransactionMarker, RecordIter, control_type, crc32c, patch,
};

use crate::config::{LogConfig, TimestampType};
use crate::env::write;
use crate::error::{AppendError, LogError};
use crate::partition_log::{AppendInfo, AppendOrigin, PartitionLog};
use crate::partition_metadata;
use crate::producer_recovery::look_back;
use crate::producer_state::{BatchNote, Marker, ProducerStates};
use crate::segment::{Segment, file_name};
use crate::validate::validate;

/// What the append lock guards.
#[derive(Debug)]
pub(crate) struct Appender {
    dir_exists: bool,
    pub(crate) producers: ProducerStates,
    /// Offset of the newest producer snapshot, taken or written.
    snapshot_offset: i64,
    /// Before this offset the log may have batches of producers that [`look_back`] would find.
    look_back_from: Option<i64>,
    /// Snapshots that were taken at rolls and are not written yet.
    snapshots_due: Vec<Snapshot>,
}

/// The producers' state as of an offset, encoded.
#[derive(Debug)]
struct Snapshot {
    offset: i64,
    bytes: Vec<u8>,
}

/// Positions and relative offsets in index entries are signed 32-bit numbers to Kafka.
pub(crate) const POSITION_MAX: u64 = i32::MAX as u64;

impl Appender {
    pub(crate) fn new(
        dir_exists: bool,
        producers: ProducerStates,
        snapshot_offset: i64,
        look_back_from: Option<i64>,
    ) -> Self {
        Self {
            dir_exists,
            producers,
            snapshot_offset,
            look_back_from,
            snapshots_due: Vec::new(),
        }
    }

    /// Offset of the newest producer snapshot, taken or written.
    pub(crate) fn snapshot_offset(&self) -> i64 {
        self.snapshot_offset
    }

    /// After a truncation, which [`forget_snapshots_behind`](Self::forget_snapshots_behind) came before.
    pub(crate) fn replace_producers(
        &mut self,
        producers: ProducerStates,
        snapshot_offset: i64,
        look_back_from: Option<i64>,
    ) {
        self.producers = producers;
        self.look_back_from = look_back_from;
        let newest_due = self.snapshots_due.last().map_or(-1, |due| due.offset);
        self.snapshot_offset = snapshot_offset.max(newest_due);
    }

    /// Gives up snapshots of what a truncation cuts off.
    pub(crate) fn forget_snapshots_behind(&mut self, end_offset: i64) {
        self.snapshots_due.retain(|due| due.offset <= end_offset);
    }

    /// Whether the snapshot as of `offset` is still to be written.
    pub(crate) fn is_snapshot_due(&self, offset: i64) -> bool {
        self.snapshots_due.iter().any(|due| due.offset == offset)
    }

    /// Has the producers' state as of an older offset written too.
    pub(crate) fn add_snapshot(&mut self, offset: i64, states: &ProducerStates) {
        let bytes = states.to_snapshot();
        self.snapshots_due.insert(0, Snapshot { offset, bytes });
    }

    /// Notes the producers' state as of `offset`, unless a snapshot says the same. A snapshot without producers has
    /// its use too: the next start need not look for them before that offset.
    pub(crate) fn take_snapshot(&mut self, offset: i64) {
        if self.snapshot_offset < offset {
            let bytes = self.producers.to_snapshot();
            self.snapshots_due.push(Snapshot { offset, bytes });
            self.snapshot_offset = offset;
        }
    }
}

impl PartitionLog {
    /// Validates whole batches, gives them offsets and writes them. `records` is patched in place.
    ///
    /// After a failed write the data directory is offline: nothing was acknowledged, and the partial batch is cut at
    /// once or at the next start.
    pub fn append(
        &self,
        records: &mut [u8],
        leader_epoch: i32,
        now_ms: i64,
        origin: AppendOrigin,
    ) -> Result<AppendInfo, AppendError> {
        self.check_usable()?;
        let config = self.config();
        let log_name = || {
            let name = self.dir.file_name().unwrap_or_default();
            name.to_string_lossy().into_owned()
        };
        let validated = validate(records, &config, now_ms, origin, &log_name)?;
        let (mut batches, mut rewritten) = (validated.headers, validated.rewritten);
        let records = rewritten.as_deref_mut().unwrap_or(records);
        if records.len() as u64 > config.segment_bytes.min(POSITION_MAX) {
            return Err(AppendError::RecordListTooLarge {
                size: records.len(),
                max: config.segment_bytes,
            });
        }
        let mut appender = self.lock_appender()?;
        self.check_usable()?;
        if let Some(current) = self.latest_epoch()
            && current > leader_epoch
        {
            return Err(AppendError::FencedLeaderEpoch {
                current,
                found: leader_epoch,
            });
        }
        match origin {
            AppendOrigin::Client => {
                if let Some(info) = self.check_producers(&mut appender, &batches)? {
                    return Ok(info);
                }
            }
            AppendOrigin::Internal => check_markers(&appender.producers, records)?,
        }
        self.append_checked(&mut appender, records, &mut batches, &config, leader_epoch, now_ms)
    }

    /// Writes and publishes what may be appended.
    fn append_checked(
        &self,
        appender: &mut Appender,
        records: &mut [u8],
        batches: &mut [BatchHeader],
        config: &LogConfig,
        leader_epoch: i32,
        now_ms: i64,
    ) -> Result<AppendInfo, AppendError> {
        let base_offset = self.log_end_offset();
        let end_offset = assign(records, batches, base_offset, leader_epoch)?;
        let rolled = self
            .write_batches(appender, records, batches, config, now_ms)
            .map_err(|error| self.env.health.fail(error))?;
        for batch in &*batches {
            if batch.has_producer()
                && let Some(completed) = appender
                    .producers
                    .update(batch, marker(records, batch, base_offset), now_ms)
            {
                self.complete_transaction(&completed)
                    .map_err(|error| self.env.health.fail(error))?;
            }
        }
        if self.latest_epoch() != Some(leader_epoch) {
            write(&self.epochs).assign(leader_epoch, base_offset);
        }
        let unstable = if batches.iter().any(BatchHeader::is_transactional) {
            appender.producers.first_unstable_offset().unwrap_or(i64::MAX)
        } else {
            self.first_unstable_offset.load(Ordering::Relaxed)
        };
        self.first_unstable_offset.store(unstable, Ordering::Release);
        self.log_end_offset.store(end_offset, Ordering::Release);
        self.dirty_since_ms.fetch_min(now_ms, Ordering::AcqRel);
        let unflushed = u64::try_from(end_offset - self.recovery_point()).unwrap_or(0);
        Ok(AppendInfo {
            base_offset,
            last_offset: end_offset - 1,
            log_append_time: if config.message_timestamp_type == TimestampType::LogAppend {
                now_ms
            } else {
                -1
            },
            log_start_offset: self.log_start_offset(),
            duplicate: false,
            bytes: records.len(),
            flush_due: !self.env.temporary && unflushed >= config.flush_messages,
            rolled,
        })
    }

    /// Whether an idempotent producer's batches follow; the answer to a repeated batch is the original one's.
    fn check_producers(
        &self,
        appender: &mut Appender,
        batches: &[BatchHeader],
    ) -> Result<Option<AppendInfo>, AppendError> {
        for batch in batches.iter().filter(|batch| batch.has_producer()) {
            if let Some(original) = self.original_of(appender, batch)? {
                return Ok(Some(AppendInfo {
                    base_offset: original.first_offset(),
                    last_offset: original.last_offset,
                    log_append_time: if batch.is_log_append_time() {
                        original.timestamp
                    } else {
                        -1
                    },
                    log_start_offset: self.log_start_offset(),
                    duplicate: true,
                    bytes: 0,
                    flush_due: false,
                    rolled: false,
                }));
            }
        }
        Ok(None)
    }

    /// The batch that `batch` repeats, if it does; fails if `batch` may not follow.
    fn original_of(&self, appender: &mut Appender, batch: &BatchHeader) -> Result<Option<BatchNote>, AppendError> {
        if let Some(original) = appender.producers.duplicate(batch) {
            return Ok(Some(original));
        }
        match appender.producers.check(batch) {
            Ok(()) => Ok(None),
            Err(error @ AppendError::OutOfOrderSequence { .. }) => {
                // Sent again after a restart, perhaps: it may repeat a batch from before the snapshot.
                let Some(from) = appender.look_back_from.take() else {
                    return Err(error);
                };
                look_back(&self.segments(), from, &mut appender.producers)
                    .map_err(|error| self.env.health.note(error))?;
                appender.producers.duplicate(batch).map(Some).ok_or(error)
            }
            Err(error) => Err(error),
        }
    }

    /// Writes to the active segment, after a roll if one is due, and says whether there was one.
    fn write_batches(
        &self,
        appender: &mut Appender,
        records: &[u8],
        batches: &[BatchHeader],
        config: &LogConfig,
        now_ms: i64,
    ) -> Result<bool, LogError> {
        let active = self.segments().last().map(Arc::clone);
        let (active, rolled) = match active {
            Some(active) if !roll_is_due(&active, records.len(), batches, config, now_ms) => (active, false),
            Some(active) => (self.roll_active(appender, &active, now_ms)?, true),
            None => (self.start(appender, now_ms)?, false),
        };
        active.append(records, batches, config.index_interval_bytes)?;
        Ok(rolled)
    }

    /// Makes the directory, if need be, and the first segment.
    fn start(&self, appender: &mut Appender, now_ms: i64) -> Result<Arc<Segment>, LogError> {
        self.ensure_dir(appender)?;
        self.add_segment(now_ms)
    }

    pub(crate) fn ensure_dir(&self, appender: &mut Appender) -> Result<(), LogError> {
        if !appender.dir_exists {
            let storage = self.env.storage.as_ref();
            storage
                .create_dir_all(&self.dir)
                .map_err(|error| LogError::io("create", &self.dir, error))?;
            partition_metadata::write(storage, &self.dir, self.topic_id())?;
            self.dir_unsynced.store(true, Ordering::Release);
            appender.dir_exists = true;
        }
        Ok(())
    }

    /// Begins the next segment. The old one's indexes and the producer snapshot stay in memory: they are written
    /// outside of the append lock, by [`store_sealed_locked`](Self::store_sealed_locked).
    pub(crate) fn roll_active(
        &self,
        appender: &mut Appender,
        active: &Segment,
        now_ms: i64,
    ) -> Result<Arc<Segment>, LogError> {
        active.seal();
        appender.take_snapshot(self.log_end_offset());
        self.sealed_unstored.store(true, Ordering::Release);
        self.add_segment(now_ms)
    }

    /// Publishes a new, empty segment at the log's end.
    pub(crate) fn add_segment(&self, now_ms: i64) -> Result<Arc<Segment>, LogError> {
        let (base_offset, config) = (self.log_end_offset(), self.config());
        let segment = Arc::new(Segment::create(&self.env, &self.dir, base_offset, &config, now_ms)?);
        self.names_unsynced.store(true, Ordering::Release);
        let mut segments = write(&self.segments);
        let mut list = Vec::clone(&segments);
        list.push(Arc::clone(&segment));
        *segments = Arc::new(list);
        Ok(segment)
    }

    /// Writes what rolls left in memory: the indexes of sealed segments and producer snapshots. Until then a crash
    /// costs the next start only time: it builds the indexes anew and takes the producers from an older snapshot and
    /// the log. The caller holds `flushing`, so that nothing appears in a directory that is being removed.
    pub(crate) fn store_sealed_locked(&self) -> Result<(), LogError> {
        if !self.sealed_unstored.swap(false, Ordering::AcqRel) {
            return Ok(());
        }
        for segment in self.segments().iter() {
            segment.store_indexes()?;
        }
        self.names_unsynced.store(true, Ordering::Release);
        let due = std::mem::take(&mut self.lock_appender()?.snapshots_due);
        for snapshot in due {
            let path = self.dir.join(file_name(snapshot.offset, ".snapshot"));
            // A torn snapshot is recognised by its CRC and an older one is used: nobody waits for a sync.
            self.env
                .storage
                .write_atomic(&path, &snapshot.bytes, false)
                .map_err(|error| LogError::io("write", &path, error))?;
        }
        Ok(())
    }
}

/// Whether the markers among `records`, which the broker itself appends, may follow.
fn check_markers(producers: &ProducerStates, records: &[u8]) -> Result<(), AppendError> {
    for batch in BatchIter::new(records).flatten() {
        if batch.header.is_control()
            && batch.header.has_producer()
            && let Some(marker) = marker_of(&batch)
        {
            producers.check_marker(&batch.header, marker)?;
        }
    }
    Ok(())
}

/// Gives the batches their offsets and leader epoch and returns the offset that follows them.
fn assign(
    records: &mut [u8],
    batches: &mut [BatchHeader],
    base_offset: i64,
    leader_epoch: i32,
) -> Result<i64, AppendError> {
    let corrupt = |error: barnabas_records::RecordsError| AppendError::Corrupt {
        reason: error.to_string(),
    };
    let mut next_offset = base_offset;
    let mut rest = records;
    for batch in batches {
        let (bytes, behind) = rest.split_at_mut_checked(batch.size_in_bytes()).unwrap_or_default();
        batch.base_offset = next_offset;
        batch.partition_leader_epoch = leader_epoch;
        patch::set_base_offset(bytes, next_offset).map_err(corrupt)?;
        patch::set_leader_epoch(bytes, leader_epoch).map_err(corrupt)?;
        next_offset = batch.next_offset();
        rest = behind;
    }
    Ok(next_offset)
}

/// How much earlier than `segment.ms` this segment is rolled: spread over partitions and segments, and the same each
/// time it is asked.
fn jitter_ms(active: &Segment, config: &LogConfig) -> i64 {
    let bound = config.segment_jitter_ms.min(config.segment_ms);
    if bound <= 0 {
        return 0;
    }
    i64::from(crc32c(active.log_path().as_os_str().as_encoded_bytes())) % bound
}

fn roll_is_due(active: &Segment, bytes: usize, batches: &[BatchHeader], config: &LogConfig, now_ms: i64) -> bool {
    let last_offset = batches.last().map_or(active.base_offset, BatchHeader::last_offset);
    if last_offset - active.base_offset > i64::from(i32::MAX) {
        return true;
    }
    let max_timestamp = batches.iter().map(|batch| batch.max_timestamp).max().unwrap_or(-1);
    active.with_tail(|tail| {
        let age = match tail.first_timestamp {
            Some(first) if first >= 0 && max_timestamp >= 0 => max_timestamp - first,
            _ => now_ms.saturating_sub(active.created_ms),
        };
        let index_bytes = (tail.offsets.memory().len() + 1) * 8;
        // One more stays free for the entry that ends the segment.
        let time_index_bytes = (tail.times.memory().len() + 2) * 12;
        let index_bytes_max = config.segment_index_bytes as usize;
        tail.size > 0
            && (tail.size + bytes as u64 > config.segment_bytes.min(POSITION_MAX)
                || age > config.segment_ms - jitter_ms(active, config)
                || index_bytes > index_bytes_max
                || time_index_bytes > index_bytes_max)
    })
}

/// The end of a transaction, if `batch` is one.
fn marker(records: &[u8], batch: &BatchHeader, base_offset: i64) -> Option<Marker> {
    if !batch.is_control() {
        return None;
    }
    let mut rest = records;
    let mut offset = base_offset;
    loop {
        let found = BatchRef::parse(rest).ok()?;
        if offset == batch.base_offset {
            return marker_of(&found);
        }
        offset = found.header.next_offset();
        rest = rest.get(found.bytes.len()..)?;
    }
}

/// Reads the first record of a control batch; only COMMIT and ABORT end a transaction.
pub(crate) fn marker_of(batch: &BatchRef<'_>) -> Option<Marker> {
    let mut scratch = Vec::new();
    let payload = batch.decompress_into(&mut scratch, CONTROL_BYTES_MAX).ok()?;
    let record = RecordIter::new(&batch.header, payload).next()?.ok()?;
    let key = ControlKey::parse(record.key?).ok()?;
    if !matches!(key.control_type, control_type::ABORT | control_type::COMMIT) {
        return None;
    }
    let marker = EndTransactionMarker::parse(record.value?).ok()?;
    Some(Marker {
        coordinator_epoch: marker.coordinator_epoch,
        is_abort: key.control_type == control_type::ABORT,
    })
}

/// Greatest control batch that is looked into.
const CONTROL_BYTES_MAX: usize = 1 << 20;
