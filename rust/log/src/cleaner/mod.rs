//! Compaction: of the records with one key only the newest stays, as Kafka's log cleaner does it.
//!
//! One round over a log: the newest offset of each key of the *dirty* part (behind the last round) goes into an
//! [`OffsetMap`]; then all segments from the log's start to the end of what the map knows are written anew without the
//! records that the map has a newer one for, small neighbours together. If the keys do not fit into the map, the round
//! ends earlier and the next one goes on there. The rest follows Kafka's rules one by one:
//!
//! - Only what is below the last stable offset, in sealed segments and older than `min.compaction.lag.ms` is touched.
//! - Tombstones stay readable for `delete.retention.ms` after the first round that met them; so do the markers of
//!   transactions of which no record is left. Their batches carry that time (KIP-534).
//! - Control batches have no keys. Records of aborted transactions go at once, and do not enter the map.
//! - The batch with a producer's last sequence number stays, without records if need be, and so does the last batch
//!   of the round, so that sequences and offsets are found again after a restart.
//!
//! New segments are written under `.cleaned` names, made durable, renamed to `.swap` (from then on a start completes the
//! exchange; before, it throws them away), and then take the place of the old ones. Whatever else changes the list
//! of segments meanwhile (retention, truncation, deletion of the log) wins: the round is given up.

mod dirty;
mod offset_map;
mod rewrite;
mod schedule;
mod siphash;
mod throttle;
mod transactions;

use std::sync::Arc;

use barnabas_records::{BatchFilter, BatchRef};

use crate::cleaner::offset_map::{Full, OffsetMap};
use crate::cleaner::rewrite::Rewriter;
use crate::cleaner::transactions::CleanedTransactions;
use crate::error::LogError;
use crate::partition_log::PartitionLog;
use crate::scan::{BatchScan, ScanError};
use crate::segment::Segment;
use crate::storage::StorageFile;
use crate::validate::DECOMPRESSED_BYTES_MAX;

pub use dirty::Dirty;
pub(crate) use schedule::Cleaning;
pub use schedule::{LogToClean, Round};
pub use throttle::{FullSpeed, Pace, Throttle};

/// What one cleaner thread may use.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CleanerConfig {
    /// Memory of the offset map: `log.cleaner.dedupe.buffer.size` over the threads.
    pub dedupe_buffer_bytes: u64,
    /// `log.cleaner.io.buffer.load.factor`: share of the map that is filled.
    pub dedupe_load_factor: f64,
    /// Bytes that are read, and written, at once: half of `log.cleaner.io.buffer.size` over the threads.
    pub io_buffer_bytes: usize,
}

impl Default for CleanerConfig {
    /// Kafka's defaults for one thread.
    fn default() -> Self {
        Self {
            dedupe_buffer_bytes: 128 << 20,
            dedupe_load_factor: 0.9,
            io_buffer_bytes: 256 << 10,
        }
    }
}

/// What a round did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CleanStats {
    /// Keys of the dirty part.
    pub keys: usize,
    /// Bytes of log read, those for the map and those to be written anew.
    pub bytes_read: u64,
    /// Bytes of log written.
    pub bytes_written: u64,
    /// Records looked at when segments were written anew.
    pub records_read: u64,
    /// Records that stayed.
    pub records_kept: u64,
    /// Records without a key, which do not belong into a compacted log and went.
    pub keyless: u64,
}

/// How a round ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CleanOutcome {
    /// Everything below `end_offset` is clean.
    Done {
        /// Where the next round begins.
        end_offset: i64,
        /// What was done.
        stats: CleanStats,
    },
    /// The log changed, or the caller wanted an end; what was written is gone.
    GivenUp,
}

/// Why a round stops.
#[derive(Debug)]
enum Stop {
    GivenUp,
    Failed(LogError),
}

impl From<LogError> for Stop {
    fn from(error: LogError) -> Self {
        Self::Failed(error)
    }
}

/// Compacts logs, one at a time.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cleaner {
    config: CleanerConfig,
}

/// What one round works with.
struct Work<'a> {
    log: &'a PartitionLog,
    pace: &'a dyn Pace,
    config: CleanerConfig,
    filter: BatchFilter,
    read_buffer: Vec<u8>,
    stats: CleanStats,
}

impl Cleaner {
    /// A cleaner with these limits.
    pub fn new(config: CleanerConfig) -> Self {
        Self { config }
    }

    /// One round over `log`, whose `dirty` part says where it begins and ends.
    ///
    /// # Errors
    /// The log is damaged or holds older record formats, or a file could not be read or written. Nothing has changed,
    /// but for segments that were exchanged before.
    pub fn clean(
        &self,
        log: &PartitionLog,
        dirty: &Dirty,
        now_ms: i64,
        pace: &dyn Pace,
    ) -> Result<CleanOutcome, LogError> {
        let mut work = Work {
            log,
            pace,
            config: self.config,
            filter: BatchFilter::new(DECOMPRESSED_BYTES_MAX),
            read_buffer: Vec::new(),
            stats: CleanStats::default(),
        };
        match work.round(dirty, now_ms) {
            Ok(end_offset) => Ok(CleanOutcome::Done {
                end_offset,
                stats: work.stats,
            }),
            Err(Stop::GivenUp) => Ok(CleanOutcome::GivenUp),
            // A disk that fails here fails everywhere.
            Err(Stop::Failed(error @ LogError::Io { .. })) => Err(log.env.health.fail(error)),
            Err(Stop::Failed(error)) => Err(error),
        }
    }
}

impl Work<'_> {
    fn round(&mut self, dirty: &Dirty, now_ms: i64) -> Result<i64, Stop> {
        self.log.check_usable().map_err(|_| Stop::GivenUp)?;
        let segments = self.log.segments();
        let map = self.build_map(&segments, dirty)?;
        self.stats.keys = map.len();
        let end_offset = map.latest_offset() + 1;
        let count = segments.partition_point(|segment| segment.base_offset < end_offset);
        let segments = segments.get(..count).unwrap_or_default();
        let mut rewriter = Rewriter::new(&map, dirty.first_uncleanable_offset, now_ms, self.log)?;
        let groups = rewrite::groups(segments, &self.log.config(), dirty.first_uncleanable_offset);
        for group in groups {
            rewriter.clean_group(self, group)?;
        }
        Ok(end_offset)
    }

    /// The newest offset of each key in the dirty part, or in as much of it as fits.
    fn build_map(&mut self, segments: &[Arc<Segment>], dirty: &Dirty) -> Result<OffsetMap, Stop> {
        let (start, end) = (dirty.first_dirty_offset, dirty.first_uncleanable_offset);
        let keys_max = u64::try_from(end - start).unwrap_or(0);
        let config = &self.config;
        let mut map = OffsetMap::new(config.dedupe_buffer_bytes, config.dedupe_load_factor, keys_max);
        map.set_latest_offset(start - 1);
        let mut transactions = CleanedTransactions::default();
        for aborted in self.log.aborted_transactions(start, end)? {
            transactions.add_aborted(aborted);
        }
        let ends = segments
            .iter()
            .skip(1)
            .map(|next| next.base_offset.min(end))
            .chain([end]);
        let dirty_segments = segments
            .iter()
            .zip(ends)
            .filter(|(segment, next)| segment.base_offset < end && *next > start);
        for (segment, next) in dirty_segments {
            if self.map_segment(&mut map, &mut transactions, segment, start)? == Err(Full) {
                if map.latest_offset() < start {
                    return Err(self.too_many_keys(segment, &map).into());
                }
                break;
            }
            // Offsets that no record has are known too.
            map.set_latest_offset(map.latest_offset().max(next - 1));
        }
        Ok(map)
    }

    #[cold]
    fn too_many_keys(&self, segment: &Segment, map: &OffsetMap) -> LogError {
        LogError::Uncleanable {
            path: segment.log_path().to_path_buf(),
            reason: format!(
                "one batch has more keys than the {} that fit into {} bytes of log.cleaner.dedupe.buffer.size",
                map.len(),
                self.config.dedupe_buffer_bytes
            ),
        }
    }

    fn map_segment(
        &mut self,
        map: &mut OffsetMap,
        transactions: &mut CleanedTransactions,
        segment: &Arc<Segment>,
        start: i64,
    ) -> Result<Result<(), Full>, Stop> {
        let size = segment.size();
        let file = self.open(segment)?;
        let found = segment.find(file.as_ref(), start, size);
        let Some((position, _)) = found.or_else(|error| self.or_given_up(segment, error))? else {
            return Ok(Ok(()));
        };
        let mut outcome = Ok(());
        self.each_batch(segment, file.as_ref(), position, |filter, position, batch| {
            let header = batch.header;
            if header.is_control() {
                transactions.on_control_batch(batch);
            } else if !transactions.on_batch(&header) {
                let sees_all = filter.visit(batch, |record| match record.key {
                    Some(key) if record.offset >= start => map.put(key, record.offset).is_ok(),
                    _ => true,
                });
                if !sees_all.map_err(|error| damaged(segment, position, &error))? {
                    outcome = Err(Full);
                    return Ok(false);
                }
            }
            if header.last_offset() >= start {
                map.set_latest_offset(header.last_offset());
            }
            Ok(true)
        })?;
        Ok(outcome)
    }

    /// Calls `visit` with the position and the batch for each batch from `position` on, until it returns false.
    fn each_batch(
        &mut self,
        segment: &Arc<Segment>,
        file: &dyn StorageFile,
        position: u64,
        mut visit: impl FnMut(&mut BatchFilter, u64, &BatchRef<'_>) -> Result<bool, Stop>,
    ) -> Result<(), Stop> {
        let chunk = self.config.io_buffer_bytes;
        let buffer = std::mem::take(&mut self.read_buffer);
        let mut scan = BatchScan::with_buffer(file, position, segment.size(), chunk, buffer);
        let mut unpaid = 0;
        loop {
            let next = scan.next();
            let (position, batch) = match next {
                Ok(Some(found)) => found,
                Ok(None) => break,
                Err(error) => return self.or_given_up(segment, segment.scan_error(error)),
            };
            unpaid += batch.bytes.len();
            self.stats.bytes_read += batch.bytes.len() as u64;
            if !visit(&mut self.filter, position, &batch)? {
                break;
            }
            if unpaid >= chunk {
                pay(
                    self.log,
                    self.pace,
                    std::slice::from_ref(segment),
                    std::mem::take(&mut unpaid),
                )?;
            }
        }
        self.read_buffer = scan.into_buffer();
        pay(self.log, self.pace, std::slice::from_ref(segment), unpaid)
    }

    fn open(&self, segment: &Arc<Segment>) -> Result<Arc<dyn StorageFile>, Stop> {
        segment.file().or_else(|error| self.or_given_up(segment, error))
    }

    /// What goes wrong with a segment that is no longer part of the log is no failure.
    fn or_given_up<T>(&self, segment: &Arc<Segment>, error: LogError) -> Result<T, Stop> {
        Err(if is_current(self.log, std::slice::from_ref(segment)) {
            Stop::Failed(error)
        } else {
            Stop::GivenUp
        })
    }
}

/// Whether all of `segments` are part of the log, and the log is open.
fn is_current(log: &PartitionLog, segments: &[Arc<Segment>]) -> bool {
    let list = log.segments();
    let is_here = |segment: &Arc<Segment>| {
        let index = list.partition_point(|here| here.base_offset < segment.base_offset);
        list.get(index).is_some_and(|here| Arc::ptr_eq(here, segment))
    };
    log.check_usable().is_ok() && segments.iter().all(is_here)
}

/// Tells the pace of `bytes`, and stops if it says so or if `segments` are no longer part of the log.
fn pay(log: &PartitionLog, pace: &dyn Pace, segments: &[Arc<Segment>], bytes: usize) -> Result<(), Stop> {
    if bytes > 0 && !pace.go_on(bytes) || !is_current(log, segments) {
        Err(Stop::GivenUp)
    } else {
        Ok(())
    }
}

fn damaged(segment: &Segment, position: u64, error: &barnabas_records::RecordsError) -> LogError {
    segment.scan_error(ScanError::Bad {
        position,
        reason: error.to_string(),
    })
}
