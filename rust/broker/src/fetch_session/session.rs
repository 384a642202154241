//! One fetch session: its partitions, in the order in which they are read, and what its client was told of each.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use barnabas_wire::primitives::{Uuid, ZERO_UUID};

/// A topic as a fetch names it: by name up to version 12, then by id, whose name is found when there is such a topic.
#[derive(Debug, Clone)]
pub(crate) struct FetchedTopic {
    pub(crate) name: Option<Arc<str>>,
    pub(crate) id: Uuid,
}

/// A partition of a session: by id where there is one, else by name.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Key {
    Id(Uuid, i32),
    Name(Arc<str>, i32),
}

impl Key {
    pub(super) fn new(topic: &FetchedTopic, partition: i32) -> Self {
        match &topic.name {
            Some(name) if topic.id == ZERO_UUID => Self::Name(Arc::clone(name), partition),
            _ => Self::Id(topic.id, partition),
        }
    }
}

/// What a request wants of one partition.
#[derive(Debug, Clone)]
pub(crate) struct Wanted {
    pub(crate) topic: FetchedTopic,
    pub(crate) partition: i32,
    /// -1 if the client does not say.
    pub(crate) current_leader_epoch: i32,
    pub(crate) fetch_offset: i64,
    /// -1 if the client does not say.
    pub(crate) last_fetched_epoch: i32,
    pub(crate) max_bytes: i32,
}

impl Wanted {
    pub(super) fn key(&self) -> Key {
        Key::new(&self.topic, self.partition)
    }

    /// Takes the parameters over, but not the topic: once its name is found, it stays.
    pub(super) fn update(&mut self, other: &Self) {
        self.current_leader_epoch = other.current_leader_epoch;
        self.fetch_offset = other.fetch_offset;
        self.last_fetched_epoch = other.last_fetched_epoch;
        self.max_bytes = other.max_bytes;
    }
}

/// What an answer says of a partition, as far as the session goes by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Told {
    pub(crate) high_watermark: i64,
    pub(crate) log_start_offset: i64,
    pub(crate) has_records: bool,
    /// An error, a diverging epoch or another replica to read from: always told.
    pub(crate) is_notable: bool,
    pub(crate) is_error: bool,
}

#[derive(Debug)]
pub(super) struct CachedPartition {
    pub(super) wanted: Wanted,
    pub(super) high_watermark: i64,
    pub(super) log_start_offset: i64,
}

/// The partitions of a session in the order in which they are read.
#[derive(Debug, Default)]
pub(super) struct Partitions {
    turns: HashMap<Key, u64>,
    by_turn: BTreeMap<u64, CachedPartition>,
    next_turn: u64,
}

impl Partitions {
    pub(super) fn len(&self) -> usize {
        self.by_turn.len()
    }

    pub(super) fn get(&mut self, key: &Key) -> Option<&mut CachedPartition> {
        self.by_turn.get_mut(self.turns.get(key)?)
    }

    pub(super) fn push(&mut self, key: Key, partition: CachedPartition) {
        self.turns.insert(key, self.next_turn);
        self.by_turn.insert(self.next_turn, partition);
        self.next_turn += 1;
    }

    pub(super) fn remove(&mut self, key: &Key) -> Option<CachedPartition> {
        self.by_turn.remove(&self.turns.remove(key)?)
    }

    /// What has just sent records is read last the next time, so that no partition keeps the others from the answer.
    pub(super) fn move_to_end(&mut self, key: Key) {
        if let Some(partition) = self.remove(&key) {
            self.push(key, partition);
        }
    }
}

/// One session.
#[derive(Debug)]
pub(crate) struct Session {
    pub(super) id: i32,
    pub(super) is_follower: bool,
    pub(super) uses_topic_ids: bool,
    pub(super) created_ms: i64,
    pub(super) last_used_ms: i64,
    /// Partitions when it was last used, which is what others compete with.
    pub(super) size: usize,
    /// The epoch that the next request must have.
    pub(super) epoch: i32,
    pub(super) partitions: Partitions,
}

impl Session {
    /// The partitions in their order; names that were not known before are looked up.
    pub(super) fn wanted(&mut self, name_of: &dyn Fn(&Uuid) -> Option<Arc<str>>) -> Vec<Wanted> {
        let uses_topic_ids = self.uses_topic_ids;
        let partitions = self.partitions.by_turn.values_mut().map(|cached| {
            let topic = &mut cached.wanted.topic;
            if uses_topic_ids && topic.name.is_none() {
                topic.name = name_of(&topic.id);
            }
            cached.wanted.clone()
        });
        partitions.collect()
    }

    /// Whether the answer has to name the partition.
    pub(super) fn would_tell(&mut self, wanted: &Wanted, told: &Told) -> bool {
        let Some(cached) = self.partitions.get(&wanted.key()) else {
            return true;
        };
        let has_moved =
            cached.high_watermark != told.high_watermark || cached.log_start_offset != told.log_start_offset;
        has_moved || told.has_records || told.is_notable || told.is_error
    }

    /// The same; remembers what it is told.
    pub(super) fn must_tell(&mut self, wanted: &Wanted, told: &Told) -> bool {
        let must_tell = self.would_tell(wanted, told);
        let key = wanted.key();
        let Some(cached) = self.partitions.get(&key) else {
            return true;
        };
        cached.high_watermark = told.high_watermark;
        cached.log_start_offset = told.log_start_offset;
        if told.is_error {
            // So that the partition is told again when the error has gone.
            cached.high_watermark = -1;
        }
        if told.has_records {
            self.partitions.move_to_end(key);
        }
        must_tell
    }

    pub(super) fn last_used_key(&self) -> (i64, i32) {
        (self.last_used_ms, self.id)
    }

    pub(super) fn evictable_key(&self) -> (bool, usize, i32) {
        (self.is_follower, self.size, self.id)
    }
}
