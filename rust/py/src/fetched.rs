//! What one poll fetched, and what of it is still in use.
//!
//! Every `Records`, slice and `Record` of a poll shares one [`Fetched`], which counts for each record who uses it. The
//! buffers stay where they are while more than half of their bytes is in use; when it is half or less, what is in use
//! is copied together and the fetched buffers are let go ([`Fetched::compact`]). So what is kept alive pins at most twice its
//! own size and [`PINNED_BYTES_MIN`], and each byte that survives is copied at most once for as many that have died.
//!
//! Counters are changed by a load and a store, not as one operation: the module is built for the limited API, which no
//! free-threaded interpreter loads, so whoever makes or drops a Python object holds the interpreter's lock.

use std::ops::Range;
use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, OnceLock, PoisonError, RwLock, RwLockReadGuard};

use barnabas_client::fetched::FetchedBatch;
use barnabas_records::{BatchHeader, RecordIndex, RecordRef, RecordsError};
use bytes::Bytes;
use pyo3::prelude::*;

/// Fetched bytes below which nothing is compacted.
pub(crate) const PINNED_BYTES_MIN: usize = 64 << 10;

/// The batches of one poll.
#[pyclass(frozen, module = "barnabas._core")]
#[derive(Debug)]
pub(crate) struct Fetched {
    slots: Box<[Slot]>,
    /// Bytes of the buffers that are held.
    pinned: AtomicUsize,
    /// Those of them that somebody uses.
    live: AtomicUsize,
}

/// One batch.
#[derive(Debug)]
pub(crate) struct Slot {
    pub(crate) topic: Arc<str>,
    pub(crate) partition: i32,
    pub(crate) leader_epoch: i32,
    pub(crate) timestamp_type: i8,
    /// How many records a reader gets of it.
    pub(crate) count: usize,
    storage: RwLock<Storage>,
    /// Views of all its records.
    whole: AtomicUsize,
    /// Uses of single records, `Record` objects and slices, all together.
    uses: AtomicUsize,
    /// The same for each record; 255 stands for as many and more, and is never left again.
    used: OnceLock<Box<[AtomicU8]>>,
}

/// The bytes of a batch, and how to find a record in them.
#[derive(Debug)]
pub(crate) struct Storage {
    header: BatchHeader,
    payload: Bytes,
    /// Index in the payload of the first record that a reader gets.
    first: usize,
    /// After a compaction of single records: which are left, ascending.
    kept: Option<Vec<u32>>,
    index: OnceLock<Result<RecordIndex, RecordsError>>,
}

impl Storage {
    fn new(header: BatchHeader, payload: Bytes, first: usize) -> Self {
        Self {
            header,
            payload,
            first,
            kept: None,
            index: OnceLock::new(),
        }
    }

    /// The header, whose record count is that of the payload.
    pub(crate) fn header(&self) -> &BatchHeader {
        &self.header
    }

    /// The encoded records, those included that no reader gets.
    pub(crate) fn payload(&self) -> &Bytes {
        &self.payload
    }

    fn index(&self) -> Result<&RecordIndex, RecordsError> {
        let built = self
            .index
            .get_or_init(|| RecordIndex::build(&self.header, &self.payload));
        built.as_ref().map_err(Clone::clone)
    }

    /// The place in the payload of a reader's record.
    fn place(&self, record: usize) -> Option<usize> {
        match &self.kept {
            None => self.first.checked_add(record),
            Some(kept) => kept.binary_search(&u32::try_from(record).ok()?).ok(),
        }
    }

    /// A reader's record.
    pub(crate) fn record(&self, record: usize) -> Result<RecordRef<'_>, RecordsError> {
        let missing = RecordsError::CountMismatch {
            declared: self.header.record_count,
            found: i32::try_from(record).unwrap_or(i32::MAX),
        };
        let place = self.place(record).ok_or_else(|| missing.clone())?;
        self.index()?.get(&self.header, &self.payload, place).ok_or(missing)?
    }

    /// A reader's records one after the other.
    pub(crate) fn records(
        &self,
        range: Range<usize>,
    ) -> Result<impl Iterator<Item = Result<RecordRef<'_>, RecordsError>>, RecordsError> {
        let place = if range.is_empty() {
            Some(0)
        } else {
            self.place(range.start)
        };
        let start = place.unwrap_or(usize::MAX);
        // The index is not needed to read a batch from its start.
        let index = if start == 0 { None } else { Some(self.index()?) };
        let mut walk = barnabas_records::RecordIter::new(&self.header, &self.payload);
        Ok((0..range.len()).map(move |step| {
            let found = match index {
                None => walk.next(),
                Some(index) => index.get(&self.header, &self.payload, start.saturating_add(step)),
            };
            found.unwrap_or_else(|| {
                Err(RecordsError::CountMismatch {
                    declared: self.header.record_count,
                    found: i32::try_from(start.saturating_add(step)).unwrap_or(i32::MAX),
                })
            })
        }))
    }

    /// Where these records of a reader lie in the payload, one after the other.
    pub(crate) fn extent(&self, range: &Range<usize>) -> Result<Range<usize>, RecordsError> {
        let index = self.index()?;
        let end_of_all = self.payload.len();
        let Some(first) = self.place(range.start).filter(|_| !range.is_empty()) else {
            return Ok(0..0);
        };
        let start = index.start(first).unwrap_or(end_of_all);
        let end = index.start(first.saturating_add(range.len())).unwrap_or(end_of_all);
        Ok(start..end.max(start))
    }

    /// A copy that holds nothing but these records of a reader, ascending.
    fn copy_of(&self, records: &[u32]) -> Result<Self, RecordsError> {
        let mut bytes = Vec::new();
        for record in records {
            let record = *record as usize;
            let extent = self.extent(&(record..record.saturating_add(1)))?;
            bytes.extend_from_slice(self.payload.get(extent).unwrap_or_default());
        }
        let header = BatchHeader {
            record_count: i32::try_from(records.len()).unwrap_or(i32::MAX),
            ..self.header
        };
        Ok(Self {
            kept: Some(records.to_vec()),
            ..Self::new(header, Bytes::from(bytes), 0)
        })
    }
}

impl Slot {
    fn new(fetched: FetchedBatch) -> Result<Self, RecordsError> {
        let FetchedBatch { header, payload, .. } = fetched;
        let wanted = fetched.first_offset..fetched.end_offset;
        let all = usize::try_from(header.record_count).unwrap_or(0);
        let mut storage = Storage::new(header, payload, 0);
        let is_whole = wanted.start <= header.base_offset && wanted.end > header.last_offset();
        let is_dense = header.record_count.checked_sub(1) == Some(header.last_offset_delta);
        let records = if header.is_control() {
            0..0
        } else if is_whole {
            0..all
        } else if is_dense {
            let place = |offset: i64| {
                usize::try_from(offset.saturating_sub(header.base_offset))
                    .unwrap_or(0)
                    .min(all)
            };
            place(wanted.start)..place(wanted.end)
        } else {
            let place = |offset: i64| storage.index()?.position_of(&header, &storage.payload, offset);
            place(wanted.start)?..place(wanted.end)?
        };
        storage.first = records.start;
        Ok(Self {
            topic: fetched.topic,
            partition: fetched.partition,
            leader_epoch: fetched.leader_epoch,
            timestamp_type: header.timestamp_type(),
            count: records.len(),
            storage: RwLock::new(storage),
            whole: AtomicUsize::new(0),
            uses: AtomicUsize::new(0),
            used: OnceLock::new(),
        })
    }

    /// The bytes as they lie now. Must not be held while Python code may run.
    #[inline]
    pub(crate) fn storage(&self) -> RwLockReadGuard<'_, Storage> {
        self.storage.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// A batch that does not hold what its header says, as an exception.
    pub(crate) fn broken(&self, error: &RecordsError) -> PyErr {
        let base_offset = self.storage().header.base_offset;
        let message = format!(
            "{}-{}: batch at offset {base_offset}: {error}",
            self.topic, self.partition
        );
        Python::attach(|py| crate::error::raise(py, "CorruptMessageError", &message))
    }

    fn used(&self) -> &[AtomicU8] {
        self.used
            .get_or_init(|| (0..self.count).map(|_| AtomicU8::new(0)).collect())
    }

    /// Whether somebody uses this record.
    fn is_used(&self, record: usize) -> bool {
        self.used
            .get()
            .and_then(|used| used.get(record))
            .is_some_and(|uses| uses.load(Relaxed) > 0)
    }

    /// The records that somebody uses, if not all of them.
    fn used_records(&self) -> Vec<u32> {
        (0..self.count)
            .filter(|record| self.is_used(*record))
            .filter_map(|record| u32::try_from(record).ok())
            .collect()
    }

    /// Bytes that somebody uses.
    fn live_bytes(&self) -> usize {
        let storage = self.storage();
        if self.whole.load(Relaxed) > 0 {
            return storage.payload.len();
        }
        if self.uses.load(Relaxed) == 0 {
            return 0;
        }
        let sizes = self
            .used_records()
            .into_iter()
            .map(|record| size_of_record(&storage, record as usize));
        sizes.sum()
    }
}

/// Bytes of one record of a reader.
fn size_of_record(storage: &Storage, record: usize) -> usize {
    storage
        .extent(&(record..record.saturating_add(1)))
        .map_or(0, |extent| extent.len())
}

fn add(counter: &AtomicUsize, count: usize) {
    counter.store(counter.load(Relaxed).wrapping_add(count), Relaxed);
}

fn subtract(counter: &AtomicUsize, count: usize) -> usize {
    let left = counter.load(Relaxed).saturating_sub(count);
    counter.store(left, Relaxed);
    left
}

impl Fetched {
    /// Takes the batches of a poll.
    pub(crate) fn new(batches: Vec<FetchedBatch>) -> PyResult<Self> {
        let pinned = batches.iter().map(|batch| batch.payload.len()).sum();
        let slot = |batch: FetchedBatch| {
            let message = |error| {
                let FetchedBatch {
                    topic,
                    partition,
                    header,
                    ..
                } = &batch;
                format!("{topic}-{partition}: batch at offset {}: {error}", header.base_offset)
            };
            Slot::new(batch.clone())
                .map_err(|error| Python::attach(|py| crate::error::raise(py, "CorruptMessageError", &message(error))))
        };
        Ok(Self {
            slots: batches.into_iter().map(slot).collect::<PyResult<_>>()?,
            pinned: AtomicUsize::new(pinned),
            live: AtomicUsize::new(pinned),
        })
    }

    /// The batches.
    pub(crate) fn slots(&self) -> &[Slot] {
        &self.slots
    }

    /// One batch.
    #[inline]
    pub(crate) fn slot(&self, slot: u32) -> Option<&Slot> {
        self.slots.get(slot as usize)
    }

    /// Bytes of the buffers that are held.
    pub(crate) fn pinned_bytes(&self) -> usize {
        self.pinned.load(Relaxed)
    }

    /// Somebody uses these records of a batch from now on.
    #[inline]
    pub(crate) fn hold(&self, slot: u32, records: Range<usize>) {
        let Some(slot) = self.slot(slot) else { return };
        if records.len() == slot.count {
            add(&slot.whole, 1);
            return;
        }
        add(&slot.uses, records.len());
        for uses in slot.used().get(records).unwrap_or_default() {
            uses.store(uses.load(Relaxed).saturating_add(1), Relaxed);
        }
    }

    /// Somebody who used these records no longer does. [`Fetched::settle`] follows, once for all that is released.
    #[inline]
    pub(crate) fn release(&self, index: u32, records: Range<usize>) {
        let Some(slot) = self.slot(index) else { return };
        if records.len() == slot.count {
            if subtract(&slot.whole, 1) == 0 {
                let before = slot.storage().payload.len();
                subtract(&self.live, before.saturating_sub(slot.live_bytes()));
            }
            return;
        }
        subtract(&slot.uses, records.len());
        let is_counted = slot.whole.load(Relaxed) == 0;
        let mut died = 0_usize;
        for record in records {
            let Some(uses) = slot.used().get(record) else { continue };
            let before = uses.load(Relaxed);
            if before == u8::MAX {
                continue;
            }
            uses.store(before.saturating_sub(1), Relaxed);
            if is_counted && before == 1 {
                died = died.saturating_add(size_of_record(&slot.storage(), record));
            }
        }
        subtract(&self.live, died);
    }

    /// Compacts if it is due.
    #[inline]
    pub(crate) fn settle(&self) {
        let (pinned, live) = (self.pinned.load(Relaxed), self.live.load(Relaxed));
        if live > 0 && pinned >= PINNED_BYTES_MIN && live <= pinned / 2 {
            self.compact();
        }
    }

    /// Copies what is in use into buffers of its own and lets the others go.
    fn compact(&self) {
        let mut pinned = 0_usize;
        for slot in &self.slots {
            let copy = {
                let storage = slot.storage();
                if slot.whole.load(Relaxed) > 0 {
                    Ok(Storage {
                        kept: storage.kept.clone(),
                        ..Storage::new(storage.header, Bytes::copy_from_slice(&storage.payload), storage.first)
                    })
                } else {
                    storage.copy_of(&slot.used_records())
                }
            };
            // Somebody reads the batch further up this thread's stack, or it is broken: it stays as it is for now.
            if let (Ok(copy), Ok(mut storage)) = (copy, slot.storage.try_write()) {
                *storage = copy;
            }
            pinned = pinned.saturating_add(slot.storage().payload.len());
        }
        self.pinned.store(pinned, Relaxed);
        self.live.store(self.slots.iter().map(Slot::live_bytes).sum(), Relaxed);
    }
}
