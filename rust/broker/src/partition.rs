//! One partition on this broker: its log, its leadership and who waits for it.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use barnabas_log::{AppendError, AppendInfo, AppendOrigin, EpochEndOffset, LogError, PartitionLog};
use barnabas_wire::errors::ErrorCode;

use crate::append_lane::AppendLane;
use crate::control::{ControlQueue, Event, WatchKind};
use crate::helpers::Helpers;
use crate::purgatory::Waiters;

/// What moves a partition's high watermark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Commit {
    /// A record is committed once every in-sync replica has it.
    InSyncReplicas,
    /// A record is committed once a majority of voters has it on disk (the metadata log).
    Voters,
}

/// Told when a flush that was asked for is done: the error code, 0 if all is well.
pub(crate) type Flushed = Box<dyn FnOnce(ErrorCode) + Send>;

#[derive(Default)]
struct FlushQueue {
    running: bool,
    waiting: Vec<Flushed>,
}

/// One partition. Its log outlives it in the log manager.
pub(crate) struct Partition {
    pub(crate) topic: Arc<str>,
    pub(crate) index: i32,
    pub(crate) log: Arc<PartitionLog>,
    pub(crate) commit: Commit,
    pub(crate) waiters: Waiters,
    pub(crate) lane: Arc<AppendLane>,
    /// Whether the control plane wants to hear of it.
    pub(crate) watched: AtomicBool,
    /// Whether an event about the high watermark waits in the control queue already.
    pub(crate) watch_event_queued: AtomicBool,
    leader_epoch: AtomicI32,
    is_leader: AtomicBool,
    /// Whether this node is the whole in-sync set, so that an append commits at once.
    is_alone_in_sync: AtomicBool,
    is_removed: AtomicBool,
    /// Serialises movements of the high watermark, so that it does not go back when two appends race.
    high_watermark_turn: Mutex<()>,
    flushes: Mutex<FlushQueue>,
    /// Last offsets of the control plane's appends that it has not been told about, in order.
    announcements: Mutex<VecDeque<i64>>,
    control: Arc<ControlQueue>,
    this: Weak<Self>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl std::fmt::Debug for Partition {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Partition")
            .field("topic", &self.topic)
            .field("index", &self.index)
            .finish_non_exhaustive()
    }
}

impl Partition {
    pub(crate) fn new(
        topic: Arc<str>,
        index: i32,
        log: Arc<PartitionLog>,
        commit: Commit,
        control: Arc<ControlQueue>,
    ) -> Arc<Self> {
        Arc::new_cyclic(|this| Self {
            topic,
            index,
            log,
            commit,
            waiters: Waiters::default(),
            lane: Arc::default(),
            watched: AtomicBool::new(false),
            watch_event_queued: AtomicBool::new(false),
            leader_epoch: AtomicI32::new(-1),
            is_leader: AtomicBool::new(false),
            is_alone_in_sync: AtomicBool::new(false),
            is_removed: AtomicBool::new(false),
            high_watermark_turn: Mutex::new(()),
            flushes: Mutex::new(FlushQueue::default()),
            announcements: Mutex::new(VecDeque::new()),
            control,
            this: Weak::clone(this),
        })
    }

    /// Takes the leadership that the image says; returns whether anything changed.
    pub(crate) fn lead(&self, is_leader: bool, leader_epoch: i32, is_alone_in_sync: bool) -> bool {
        let epoch_changed = self.leader_epoch.swap(leader_epoch, Ordering::SeqCst) != leader_epoch;
        let alone_changed = self.is_alone_in_sync.swap(is_alone_in_sync, Ordering::SeqCst) != is_alone_in_sync;
        let leader_changed = self.is_leader.swap(is_leader, Ordering::SeqCst) != is_leader;
        epoch_changed || alone_changed || leader_changed
    }

    pub(crate) fn leader_epoch(&self) -> i32 {
        self.leader_epoch.load(Ordering::SeqCst)
    }

    pub(crate) fn is_leader(&self) -> bool {
        self.is_leader.load(Ordering::SeqCst) && !self.is_removed.load(Ordering::SeqCst)
    }

    /// The partition is no longer part of the image.
    pub(crate) fn remove(&self) {
        self.is_removed.store(true, Ordering::SeqCst);
        self.waiters.wake_all();
        self.fail_announcements(ErrorCode::NOT_LEADER_OR_FOLLOWER);
        self.tell_watcher(WatchKind::Failed);
    }

    /// Checks the leader epoch that a client believes in (KIP-320); -1 means that it does not say.
    pub(crate) fn check_leader_epoch(&self, current: i32) -> Result<(), ErrorCode> {
        match self.leader_epoch() {
            _ if current == -1 => Ok(()),
            epoch if current < epoch => Err(ErrorCode::FENCED_LEADER_EPOCH),
            epoch if current > epoch => Err(ErrorCode::UNKNOWN_LEADER_EPOCH),
            _ => Ok(()),
        }
    }

    /// Where a leader epoch ends. The newest epoch is there even before its first record: Kafka enters it into its epoch
    /// cache when it becomes leader.
    pub(crate) fn epoch_end_offset(&self, epoch: i32) -> EpochEndOffset {
        let current = self.leader_epoch();
        let ends_now = |epoch| EpochEndOffset {
            epoch,
            end_offset: self.log.log_end_offset(),
        };
        if epoch < 0 && current < 0 {
            return self.log.epoch_end_offset(epoch);
        }
        match self.log.latest_epoch() {
            _ if epoch == current => ends_now(epoch),
            // The newest epoch begins at the log's end.
            Some(latest) if latest < epoch && epoch < current => ends_now(latest),
            None if epoch != -1 && epoch < current => ends_now(epoch),
            _ => self.log.epoch_end_offset(epoch),
        }
    }

    /// The leader epoch of the first record, or the current one if there is none.
    pub(crate) fn first_epoch(&self) -> i32 {
        self.log
            .epoch_for_offset(self.log.log_start_offset())
            .unwrap_or_else(|| self.leader_epoch())
    }

    /// Appends and, where that commits it, moves the high watermark and wakes who waits for it.
    pub(crate) fn append(
        &self,
        records: &mut [u8],
        leader_epoch: i32,
        now_ms: i64,
        origin: AppendOrigin,
    ) -> Result<AppendInfo, AppendError> {
        let info = self.log.append(records, leader_epoch, now_ms, origin)?;
        if self.is_commit_immediate() {
            self.advance_high_watermark(i64::MAX, info.bytes);
        }
        Ok(info)
    }

    fn is_commit_immediate(&self) -> bool {
        self.commit == Commit::InSyncReplicas && self.is_alone_in_sync.load(Ordering::SeqCst)
    }

    /// After a change of the in-sync set: alone in it, everything that is here is committed.
    pub(crate) fn advance_high_watermark_if_alone(&self) {
        if self.is_commit_immediate() {
            self.advance_high_watermark(i64::MAX, 0);
        }
    }

    /// Moves the high watermark up to `to` or the log's end, whichever comes first; `bytes` is what it passes over.
    pub(crate) fn advance_high_watermark(&self, to: i64, bytes: usize) {
        {
            let _turn = lock(&self.high_watermark_turn);
            let to = self.log.log_end_offset().min(to);
            if to <= self.log.high_watermark() {
                return;
            }
            self.log.set_high_watermark(to);
        }
        self.waiters.arrived(bytes);
        self.announce_committed();
        if self.watched.load(Ordering::SeqCst)
            && let Some(this) = self.this.upgrade()
        {
            self.control.high_watermark_moved(&this);
        }
    }

    /// The control plane wants to know when `last_offset` is committed.
    pub(crate) fn announce(&self, last_offset: i64) {
        lock(&self.announcements).push_back(last_offset);
        self.announce_committed();
    }

    fn announce_committed(&self) {
        let mut waiting = lock(&self.announcements);
        while let Some(last_offset) = waiting.front().copied().filter(|offset| self.is_committed(*offset)) {
            waiting.pop_front();
            self.tell_appended(last_offset, ErrorCode::NONE);
        }
    }

    /// Whatever the control plane waits for here will not be committed.
    pub(crate) fn fail_announcements(&self, error: ErrorCode) {
        for last_offset in lock(&self.announcements).drain(..) {
            self.tell_appended(last_offset, error);
        }
    }

    fn tell_appended(&self, last_offset: i64, error: ErrorCode) {
        self.control.push(Event::Appended {
            stamp_ms: self.control.clock.now(),
            topic: Arc::clone(&self.topic),
            partition: self.index,
            last_offset,
            error_code: error.code(),
        });
    }

    /// Tells the control plane, if it watches.
    pub(crate) fn tell_watcher(&self, kind: WatchKind) {
        if self.watched.load(Ordering::SeqCst) {
            self.control.watched(self, kind);
        }
    }

    /// Whether everything up to and with `offset` is committed.
    pub(crate) fn is_committed(&self, offset: i64) -> bool {
        self.log.high_watermark() > offset
    }

    /// Flushes the log on a helper thread and then calls `done`. Who asks while a flush runs shares the next one.
    pub(crate) fn flush(self: &Arc<Self>, helpers: &Arc<Helpers>, done: Flushed) {
        let mut queue = lock(&self.flushes);
        queue.waiting.push(done);
        if std::mem::replace(&mut queue.running, true) {
            return;
        }
        drop(queue);
        self.ask_for_flush(helpers);
    }

    fn ask_for_flush(self: &Arc<Self>, helpers: &Arc<Helpers>) {
        let (partition, pool) = (Arc::clone(self), Arc::clone(helpers));
        helpers.run(move || partition.run_flush(&pool));
    }

    /// Runs one flush for all who wait, and lets the other partitions have their turn before the next.
    fn run_flush(self: &Arc<Self>, helpers: &Arc<Helpers>) {
        let waiting = std::mem::take(&mut lock(&self.flushes).waiting);
        let result = self.log.flush();
        if let Err(error) = &result {
            log::error!("flush of {}-{} failed: {error}", self.topic, self.index);
        }
        let code = result.err().as_ref().map_or(ErrorCode::NONE, log_error_code);
        for done in waiting {
            done(code);
        }
        let mut queue = lock(&self.flushes);
        queue.running = !queue.waiting.is_empty();
        if queue.running {
            drop(queue);
            self.ask_for_flush(helpers);
        }
    }
}

/// The wire's code of a log's error.
pub(crate) fn log_error_code(error: &LogError) -> ErrorCode {
    ErrorCode(error.code())
}
