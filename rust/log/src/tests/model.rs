//! The log against a model, a list of batches, under random appends, reads, flushes, re-openings and crashes.
//!
//! `SEEDS=n` sets the number of cases.

use std::sync::Arc;

use barnabas_records::{Compression, Seal};
use proptest::prelude::*;

use super::batches::*;
use super::sim::{Random, SimStorage};
use crate::partition_log::{OpenContext, PartitionLog, TimestampOffset};
use crate::storage::Storage;
use crate::{AppendOrigin, LogConfig};

#[derive(Clone, Debug)]
enum Step {
    Append {
        count: i32,
        value_len: usize,
        time: i64,
        codec: usize,
        epochs: i32,
    },
    Read {
        offset: u64,
        max_bytes: usize,
        min_one_batch: bool,
        up_to: u64,
    },
    Time {
        back: i64,
    },
    Epoch {
        epoch: i32,
    },
    Flush,
    FlushSealed,
    Close,
    Kill,
    PowerFailure {
        seed: u64,
    },
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        12 => (1..5i32, 0..150usize, -40..40i64, 0..5usize, 0..20i32).prop_map(|(count, value_len, time, codec, epochs)| {
            Step::Append { count, value_len, time, codec, epochs: (epochs - 17).max(0) }
        }),
        8 => (any::<u64>(), 0..2000usize, any::<bool>(), any::<u64>())
            .prop_map(|(offset, max_bytes, min_one_batch, up_to)| Step::Read { offset, max_bytes, min_one_batch, up_to }),
        3 => (-50..500i64).prop_map(|back| Step::Time { back }),
        1 => (-1..12i32).prop_map(|epoch| Step::Epoch { epoch }),
        1 => Just(Step::Flush),
        1 => Just(Step::FlushSealed),
        1 => Just(Step::Close),
        1 => Just(Step::Kill),
        1 => any::<u64>().prop_map(|seed| Step::PowerFailure { seed }),
    ];
    proptest::collection::vec(step, 1..80)
}

struct Model {
    storage: SimStorage,
    config: LogConfig,
    log: PartitionLog,
    batches: Vec<(ReadBatch, usize)>,
    epoch: i32,
    flushed: i64,
    checkpoint: i64,
}

impl Model {
    fn new(config: LogConfig) -> Self {
        let storage = SimStorage::new();
        let log = open(&(Arc::new(storage.clone()) as Arc<dyn Storage>), config.clone());
        Self {
            storage,
            config,
            log,
            batches: Vec::new(),
            epoch: 0,
            flushed: 0,
            checkpoint: 0,
        }
    }

    fn end(&self) -> i64 {
        self.batches
            .last()
            .map_or(0, |(batch, _)| batch.records.last().unwrap().0 + 1)
    }

    fn records(&self) -> impl Iterator<Item = (&ReadBatch, i64, i64)> {
        self.batches
            .iter()
            .flat_map(|(batch, _)| batch.records.iter().map(move |record| (batch, record.0, record.1)))
    }

    fn run(&mut self, step: &Step) {
        match *step {
            Step::Append {
                count,
                value_len,
                time,
                codec,
                epochs,
            } => {
                self.epoch += epochs;
                self.append(count, value_len, time, Compression::ALL[codec]);
            }
            Step::Read {
                offset,
                max_bytes,
                min_one_batch,
                up_to,
            } => {
                let bound = u64::try_from(self.end()).unwrap() + 1;
                let (offset, up_to) = (
                    i64::try_from(offset % bound).unwrap(),
                    i64::try_from(up_to % bound).unwrap(),
                );
                self.read(offset, max_bytes, min_one_batch, up_to);
            }
            Step::Time { back } => self.times(NOW + i64::try_from(self.batches.len()).unwrap() * 10 - back),
            Step::Epoch { epoch } => self.epoch_end(epoch),
            Step::Flush => {
                self.flushed = self.log.flush().unwrap();
                self.checkpoint = self.log.recovery_checkpoint();
            }
            Step::FlushSealed => {
                self.flushed = self.log.flush_sealed().unwrap();
                self.checkpoint = self.log.recovery_checkpoint();
            }
            Step::Close => {
                self.log.close().unwrap();
                self.flushed = self.end();
                self.checkpoint = self.log.recovery_checkpoint();
                self.reopen(true);
            }
            Step::Kill => {
                self.storage = self.storage.after_kill();
                self.reopen(false);
            }
            Step::PowerFailure { seed } => {
                self.storage = self.storage.after_power_failure(&mut Random::new(seed));
                self.reopen(false);
                return;
            }
        }
        assert_eq!(self.log.log_end_offset(), self.end());
    }

    fn append(&mut self, count: i32, value_len: usize, time: i64, compression: Compression) {
        let time = NOW + i64::try_from(self.batches.len()).unwrap() * 10 + time;
        let mut bytes = batch_with(
            &Seal {
                compression,
                ..Seal::default()
            },
            count,
            value_len,
            time,
        );
        let info = self
            .log
            .append(&mut bytes, self.epoch, NOW, AppendOrigin::Client)
            .unwrap();
        assert_eq!(
            (info.base_offset, info.last_offset),
            (self.end(), self.end() + i64::from(count) - 1)
        );
        let len = bytes.len();
        self.batches.push((decode(&bytes).remove(0), len));
    }

    fn read(&self, offset: i64, max_bytes: usize, min_one_batch: bool, up_to: i64) {
        let slice = self.log.read(offset, max_bytes, min_one_batch, up_to).unwrap();
        let found = decode(&slice.read().unwrap());
        let first = self
            .batches
            .partition_point(|(batch, _)| batch.records.last().unwrap().0 < offset);
        let below = |(batch, _): &&(ReadBatch, usize)| batch.records.last().unwrap().0 < up_to;
        let wanted: Vec<&(ReadBatch, usize)> = self.batches[first..].iter().take_while(below).collect();
        let expected: Vec<ReadBatch> = wanted
            .iter()
            .take(found.len())
            .map(|(batch, _)| batch.clone())
            .collect();
        assert_eq!(found, expected);
        let len = |count: usize| wanted[..count].iter().map(|(_, len)| len).sum::<usize>();
        assert_eq!(slice.len, len(found.len()));
        assert!(slice.len <= max_bytes || (found.len() == 1 && min_one_batch));
        if found.len() < wanted.len() && (found.is_empty() || slice.len < max_bytes) {
            // More was wanted: it did not fit, or it is in the next segment.
            let next = &wanted[found.len()].0;
            let fits = len(found.len() + 1) <= max_bytes || (found.is_empty() && min_one_batch);
            let starts_segment = self.log.read(next.base_offset, 1, true, i64::MAX).unwrap().position == 0;
            assert!(
                !fits || (starts_segment && !found.is_empty()),
                "{} bytes at {offset}",
                slice.len
            );
        }
    }

    fn times(&self, timestamp: i64) {
        let found = |(batch, offset, timestamp): (&ReadBatch, i64, i64)| TimestampOffset {
            offset,
            timestamp,
            leader_epoch: batch.leader_epoch,
        };
        let expected = self.records().find(|record| record.2 >= timestamp).map(found);
        assert_eq!(self.log.offset_for_timestamp(timestamp, i64::MAX).unwrap(), expected);
        let greatest = self.records().map(|record| record.2).max();
        let expected = self.records().find(|record| Some(record.2) == greatest).map(found);
        assert_eq!(self.log.max_timestamp(i64::MAX).unwrap(), expected);
    }

    fn epoch_end(&self, epoch: i32) {
        let latest = self.batches.last().map_or(-1, |(batch, _)| batch.leader_epoch);
        assert_eq!(self.log.latest_epoch().unwrap_or(-1), latest);
        let end = self.log.epoch_end_offset(epoch);
        let last_below = self.records().filter(|(batch, ..)| batch.leader_epoch <= epoch).last();
        let expected = if epoch < 0 || epoch > latest {
            (-1, -1)
        } else {
            last_below.map_or((epoch, 0), |(batch, offset, _)| (batch.leader_epoch, offset + 1))
        };
        assert_eq!((end.epoch, end.end_offset), expected);
    }

    /// Opens again; after a power failure what was not flushed may be gone, from the end.
    fn reopen(&mut self, clean_shutdown: bool) {
        let shared: Arc<dyn Storage> = Arc::new(self.storage.clone());
        let context = OpenContext {
            clean_shutdown,
            recovery_point: self.checkpoint,
            ..OpenContext::unclean(NOW)
        };
        self.log = open_at(&shared, self.config.clone(), context);
        let end = self.log.log_end_offset();
        assert!(end >= self.flushed, "{end} of {} flushed", self.flushed);
        self.batches.retain(|(batch, _)| batch.base_offset < end);
        assert_eq!(end, self.end());
        let expected: Vec<ReadBatch> = self.batches.iter().map(|(batch, _)| batch.clone()).collect();
        assert_eq!(read_all(&self.log, 1000), expected);
        self.epoch = self.epoch.max(self.log.latest_epoch().unwrap_or(0));
    }
}

fn cases() -> u32 {
    std::env::var("SEEDS")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(200)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), ..ProptestConfig::default() })]

    #[test]
    fn the_log_is_a_list_of_batches(
        segment_bytes in 800..4000u64,
        index_interval_bytes in 0..500u32,
        segment_index_bytes in 24..200u32,
        steps in steps(),
    ) {
        let config = LogConfig { segment_bytes, index_interval_bytes, segment_index_bytes, ..LogConfig::default() };
        let mut model = Model::new(config);
        for step in &steps {
            model.run(step);
        }
        model.read(0, usize::MAX, true, i64::MAX);
    }
}
