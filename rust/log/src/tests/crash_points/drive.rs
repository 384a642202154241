//! A life of a few partitions: random operations, with a crash image now and then in the middle of each of them.

use std::path::PathBuf;
use std::sync::Arc;

use barnabas_records::{
    BatchBuilder, Compression, ControlKey, EndTransactionMarker, Seal, build_control_batch, control_type,
};

use super::model::Model;
use crate::tests::sim::{Random, SimStorage};
use crate::tests::stored::{Stored, decode_stored};
use crate::{AppendOrigin, Cleaner, FullSpeed, LogConfig, LogManager, ManagerConfig, PartitionLog};

pub(super) const NOW: i64 = 1_700_000_000_000;

/// One partition under test.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub(super) topic: &'static str,
    pub(super) topic_id: [u8; 16],
    pub(super) config: LogConfig,
    pub(super) model: Model,
    pub(super) epoch: i32,
}

impl Part {
    pub(super) fn dir(&self) -> PathBuf {
        PathBuf::from(format!("/data/{}-0", self.topic))
    }
}

/// What a step leaves: the models before and after it.
#[derive(Debug)]
pub(super) struct Step {
    pub(super) name: &'static str,
    pub(super) before: Vec<Part>,
    /// The step failed: a fault struck, and the directory is offline.
    pub(super) failed: bool,
}

/// Partitions with their log manager.
#[derive(Debug)]
pub(super) struct Life {
    pub(super) random: Random,
    pub(super) storage: SimStorage,
    pub(super) manager: Option<LogManager>,
    pub(super) parts: Vec<Part>,
    pub(super) now: i64,
    written: u64,
}

pub(super) fn manager_config(random: &mut Random) -> ManagerConfig {
    let _ = random;
    ManagerConfig {
        data_dirs: vec![PathBuf::from("/data")],
        cluster_id: "cluster".to_owned(),
        node_id: 1,
        temporary: false,
        open_files_max: 8,
        recovery_threads: 1,
        defaults: LogConfig::default(),
    }
}

fn log_config(random: &mut Random, compact: bool) -> LogConfig {
    LogConfig {
        segment_bytes: 900 + random.below(2500),
        index_interval_bytes: u32::try_from(random.below(500)).unwrap(),
        segment_index_bytes: u32::try_from(24 + random.below(200)).unwrap(),
        compact,
        delete: !compact,
        min_cleanable_dirty_ratio: 0.0,
        delete_retention_ms: i64::try_from(random.below(100)).unwrap(),
        retention_ms: i64::try_from(random.below(2000)).unwrap(),
        retention_bytes: i64::try_from(random.below(9000)).unwrap() - 2000,
        file_delete_delay_ms: i64::try_from(random.below(500)).unwrap(),
        ..LogConfig::default()
    }
}

impl Life {
    pub(super) fn new(storage: SimStorage, seed: u64) -> Self {
        let mut random = Random::new(seed);
        let parts = [("plain", false), ("keyed", true), ("gone", false)]
            .map(|(topic, compact)| Part {
                topic,
                topic_id: [topic.as_bytes()[0]; 16],
                config: log_config(&mut random, compact),
                model: Model {
                    absent: true,
                    ..Model::default()
                },
                epoch: 0,
            })
            .to_vec();
        let mut life = Self {
            random,
            storage,
            manager: None,
            parts,
            now: NOW,
            written: 0,
        };
        life.open();
        life
    }

    pub(super) fn open(&mut self) {
        let config = manager_config(&mut self.random);
        let manager = LogManager::open(self.storage.as_storage(), config, self.now).unwrap();
        self.manager = Some(manager);
    }

    pub(super) fn manager(&self) -> &LogManager {
        self.manager.as_ref().unwrap()
    }

    pub(super) fn log(&self, index: usize) -> Result<Arc<PartitionLog>, String> {
        let part = &self.parts[index];
        self.manager()
            .get_or_create(part.topic, 0, part.topic_id, part.config.clone(), self.now)
            .map_err(|error| error.to_string())
    }

    /// One random operation.
    pub(super) fn step(&mut self) -> Step {
        self.now += i64::try_from(self.random.below(50)).unwrap();
        let before = self.parts.clone();
        let index = self.random.index(self.parts.len());
        let (name, outcome) = match self.random.below(40) {
            0..=1 => ("flush", self.flush(index)),
            2..=3 => ("checkpoint", self.checkpoint()),
            4 => ("shutdown", self.restart(true)),
            5 => ("kill", self.restart(false)),
            6 => ("delete partition", self.delete()),
            7..=11 => ("end transaction", self.end_transaction(index)),
            12 => ("roll", self.roll(index)),
            13 => ("truncate", self.truncate()),
            14 => ("truncate fully", self.truncate_fully()),
            15 => ("delete records", self.delete_records()),
            16..=17 => ("retention", self.retain(index)),
            18 => ("remove deleted", self.remove_deleted()),
            19..=20 => ("compact", self.compact()),
            _ => ("append", self.append(index)),
        };
        let failed = match outcome {
            Ok(()) => false,
            Err(error) => {
                assert!(self.storage.has_failed(), "{name}: {error}");
                true
            }
        };
        Step { name, before, failed }
    }

    fn flush(&mut self, index: usize) -> Result<(), String> {
        let log = self.log(index)?;
        let flushed = log.flush().map_err(|error| error.to_string())?;
        assert_eq!(flushed, log.log_end_offset());
        self.parts[index].model.flushed = flushed;
        Ok(())
    }

    fn checkpoint(&mut self) -> Result<(), String> {
        self.manager().checkpoint(self.now).map_err(|error| error.to_string())?;
        for index in 0..self.parts.len() {
            let part = &self.parts[index];
            if let Some(log) = self.manager().get(part.topic, 0) {
                let (point, start) = (log.recovery_point(), log.log_start_offset());
                let model = &mut self.parts[index].model;
                model.flushed = model.flushed.max(point);
                model.start_on_disk = start;
            }
        }
        Ok(())
    }

    /// Ends the process and starts another one, which must find everything.
    fn restart(&mut self, properly: bool) -> Result<(), String> {
        if properly {
            self.manager().shutdown(self.now).map_err(|error| error.to_string())?;
            for part in &mut self.parts {
                part.model.flushed = part.model.end;
                part.model.start_on_disk = part.model.start;
            }
        }
        self.manager = None;
        let config = manager_config(&mut self.random);
        let opened = LogManager::open(self.storage.as_storage(), config, self.now);
        self.manager = Some(opened.map_err(|error| error.to_string())?);
        for index in 0..self.parts.len() {
            if self.parts[index].model.absent {
                continue;
            }
            let log = self.log(index)?;
            let model = &self.parts[index].model;
            assert_eq!(log.log_end_offset(), model.end, "no crash, no loss");
            if properly {
                assert_eq!(log.log_start_offset(), model.start);
            }
        }
        Ok(())
    }

    /// Deletes the third partition; its next append makes it anew, under another id.
    fn delete(&mut self) -> Result<(), String> {
        let part = &mut self.parts[2];
        if part.model.absent {
            return Ok(());
        }
        part.topic_id = self.random.next().to_be_bytes().repeat(2).try_into().unwrap();
        part.model = Model {
            absent: true,
            ..Model::default()
        };
        part.epoch = 0;
        let manager = self.manager.as_ref().unwrap();
        if manager.get(part.topic, 0).is_none() {
            return Ok(());
        }
        manager
            .delete(part.topic, 0, self.now)
            .map_err(|error| error.to_string())
    }

    fn roll(&mut self, index: usize) -> Result<(), String> {
        let log = self.log(index)?;
        log.roll(self.now).map(|_| ()).map_err(|error| error.to_string())
    }

    /// Cuts the first partition's end at a batch.
    fn truncate(&mut self) -> Result<(), String> {
        let log = self.log(0)?;
        let model = &mut self.parts[0].model;
        let kept = self.random.index(model.batches.len() + 1);
        let end = model.batches.get(kept).map_or(model.end, |batch| batch.base_offset);
        // An end at the start itself is `truncate_fully`'s.
        if end <= model.start {
            return Ok(());
        }
        model.truncate(end);
        let cut = self.manager().truncate_to(&log, end, self.now);
        cut.map_err(|error| error.to_string())?;
        assert_eq!(log.log_end_offset(), end);
        Ok(())
    }

    /// Empties the first partition, which then begins somewhere else.
    fn truncate_fully(&mut self) -> Result<(), String> {
        let log = self.log(0)?;
        let part = &mut self.parts[0];
        let start = part.model.start + i64::try_from(self.random.below(100)).unwrap();
        part.model = Model {
            start,
            end: start,
            start_on_disk: part.model.start_on_disk.min(start),
            absent: false,
            ..Model::default()
        };
        let cut = self.manager().truncate_fully(&log, start, self.now);
        cut.map_err(|error| error.to_string())?;
        assert_eq!((log.log_start_offset(), log.log_end_offset()), (start, start));
        Ok(())
    }

    fn delete_records(&mut self) -> Result<(), String> {
        let log = self.log(0)?;
        let model = &mut self.parts[0].model;
        let (from, to) = (model.start, log.high_watermark());
        let start = from + i64::try_from(self.random.below((to - from + 1).unsigned_abs())).unwrap();
        model.start = model.start.max(start);
        let deleted = self.manager().delete_records(&log, start, self.now);
        let found = deleted.map_err(|error| error.to_string())?;
        let model = &mut self.parts[0].model;
        assert_eq!(found, model.start);
        model.start_on_disk = model.start;
        Ok(())
    }

    fn retain(&mut self, index: usize) -> Result<(), String> {
        let log = self.log(index)?;
        let outcome = log.apply_retention(self.now);
        let before = self.parts[index].model.start;
        let model = &mut self.parts[index].model;
        // After a failure it may have gone as far as it could.
        model.start = match &outcome {
            Ok(retained) => retained.log_start_offset,
            Err(_) => model.end,
        };
        // The start of a compacted log is 0, unless a crash has lost the names of its first files.
        let part = &self.parts[index];
        assert!(outcome.is_err() || !part.config.compact || part.model.start == before);
        outcome.map(|_| ()).map_err(|error| error.to_string())
    }

    /// Compacts the second partition, if there is something to do; a disk that fails takes the directory offline.
    fn compact(&mut self) -> Result<(), String> {
        let log = self.log(1)?;
        let round = self.manager().clean_next(&Cleaner::default(), self.now, &FullSpeed);
        match (round, self.manager().offline_dirs().pop()) {
            (_, Some((_, reason))) => Err(reason),
            (Some(round), None) => {
                assert!(round.done.is_some(), "{round:?}");
                let flushed = log.recovery_point();
                let model = &mut self.parts[1].model;
                model.flushed = model.flushed.max(flushed);
                Ok(())
            }
            (None, None) => Ok(()),
        }
    }

    fn remove_deleted(&self) -> Result<(), String> {
        let removed = self.manager().remove_deleted(self.now);
        removed.map_err(|error| error.to_string())
    }

    fn append(&mut self, index: usize) -> Result<(), String> {
        self.written += 1;
        let tag = self.written;
        if self.random.one_in(12) {
            self.parts[index].epoch += 1;
        }
        let producer_id = i64::try_from(self.random.below(6)).unwrap() - 2;
        let producers = self.parts[index].model.producers();
        let known = producers.get(&producer_id);
        let mut seal = Seal {
            compression: Compression::ALL[self.random.index(Compression::ALL.len())],
            ..Seal::default()
        };
        if producer_id >= 0 {
            seal.producer_id = producer_id;
            seal.producer_epoch = known.map_or(0, |producer| producer.epoch);
            seal.base_sequence = known.map_or(0, |producer| producer.next_sequence);
            // Producers 2 and 3 are transactional.
            seal.transactional = producer_id >= 2;
        }
        let mut builder = BatchBuilder::new(Vec::new());
        for record in 0..=self.random.below(4) {
            let key = format!("key {}", self.random.below(9));
            let mut value = format!("{tag}.{record} ").into_bytes();
            value.resize(value.len() + self.random.index(150), b'.');
            let tombstone = self.random.one_in(8);
            builder
                .append(
                    self.now + i64::try_from(record).unwrap(),
                    Some(key.as_bytes()),
                    (!tombstone).then_some(value.as_slice()),
                    &[],
                )
                .unwrap();
        }
        let bytes = builder.finish(&seal, &mut Vec::new()).unwrap();
        // Transactions of clients are the broker's to check before they come here.
        let origin = if seal.transactional {
            AppendOrigin::Internal
        } else {
            AppendOrigin::Client
        };
        self.append_bytes(index, bytes, origin)
    }

    fn end_transaction(&mut self, index: usize) -> Result<(), String> {
        let producers = self.parts[index].model.producers();
        let open = producers.iter().find(|(_, producer)| producer.open.is_some());
        let Some((producer_id, producer)) = open else {
            return self.append(index);
        };
        self.written += 1;
        let key = ControlKey {
            version: 0,
            control_type: if self.random.one_in(2) {
                control_type::COMMIT
            } else {
                control_type::ABORT
            },
        };
        let value = EndTransactionMarker {
            version: 0,
            coordinator_epoch: i32::try_from(self.written).unwrap(),
        };
        let seal = Seal {
            producer_id: *producer_id,
            producer_epoch: producer.epoch,
            transactional: true,
            ..Seal::default()
        };
        let bytes = build_control_batch(Vec::new(), key, &value.to_bytes(), self.now, &seal).unwrap();
        self.append_bytes(index, bytes, AppendOrigin::Internal)
    }

    fn append_bytes(&mut self, index: usize, mut bytes: Vec<u8>, origin: AppendOrigin) -> Result<(), String> {
        let log = self.log(index)?;
        let expected = self.parts[index].model.end;
        let epoch = self.parts[index].epoch;
        let outcome = log.append(&mut bytes, epoch, self.now, origin);
        let mut stored: Vec<Stored> = decode_stored(&bytes);
        match outcome {
            Ok(info) => {
                assert_eq!((info.base_offset, info.duplicate), (expected, false));
                assert_eq!(info.last_offset, stored[0].last_offset);
            }
            Err(error) => {
                // What was not acknowledged may still be found.
                if stored[0].base_offset == expected {
                    self.parts[index].model.push(stored.remove(0));
                }
                return Err(error.to_string());
            }
        }
        let model = &mut self.parts[index].model;
        model.push(stored.remove(0));
        let flushed = log.recovery_point();
        model.flushed = model.flushed.max(flushed);
        log.set_high_watermark(model.end);
        if !model.unsure_stable {
            let stable = model.first_unstable().map_or(model.end, |first| first.max(model.start));
            assert_eq!(log.last_stable_offset(), stable);
        }
        Ok(())
    }
}
