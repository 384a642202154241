//! Fetch sessions (KIP-227): what a consumer fetches is remembered, so that its requests carry changes alone and its
//! answers only the partitions with something new.
//!
//! Rules and errors are Kafka's (`FetchManager`, `FetchSession`, `FetchContext`). Kafka divides its slots among eight
//! caches; here all slots are one cache, so that `max.incremental.fetch.session.cache.slots` counts exactly. The cache's
//! lock is never asked for while a session's is held.

mod cache;
mod session;

use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, Mutex};

use barnabas_wire::errors::ErrorCode;
use barnabas_wire::primitives::Uuid;

use crate::metrics::Counter;
use cache::{Cache, Shared, lock};
use session::{CachedPartition, Key, Partitions, Session};
pub(crate) use session::{FetchedTopic, Told, Wanted};

/// The session id that stands for none.
pub(crate) const NO_SESSION: i32 = 0;
/// The epoch that asks for a new session.
const INITIAL_EPOCH: i32 = 0;
/// The epoch that ends a session, or asks for none.
const FINAL_EPOCH: i32 = -1;
/// Most partitions that all sessions together remember, whether the broker knows them or not. Kafka has no such bound.
const PARTITIONS_MAX: usize = 1 << 20;
/// Kafka gives each of its eight caches so many ids, and does not foresee that a client makes up one beyond them.
const IDS_PER_KAFKA_CACHE: i32 = i32::MAX / 8;
/// How often an id is drawn before the broker gives up; one draw does, unless nearly all ids are in use.
const ID_DRAWS_MAX: u32 = 1000;

/// How a request and its answer belong to a session.
#[derive(Debug)]
pub(crate) enum SessionContext {
    /// They do not.
    Sessionless,
    /// The answer begins one.
    Full { is_follower: bool, uses_topic_ids: bool },
    /// They belong to this one; the epoch is the one that it must still expect when the answer is written.
    Incremental { session: Shared, epoch: i32 },
}

/// What a request says about sessions.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SessionRequest {
    pub(crate) id: i32,
    pub(crate) epoch: i32,
    pub(crate) uses_topic_ids: bool,
    pub(crate) is_follower: bool,
}

/// Why a request has no place in a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SessionError {
    /// Told by the error code alone.
    Refused(ErrorCode),
    /// Kafka stumbles over it, and says so of every partition too.
    Unforeseen,
}

/// All sessions.
#[derive(Debug)]
pub(crate) struct FetchSessions {
    slots: usize,
    partitions_max: usize,
    cache: Mutex<Cache>,
    ids: RandomState,
    /// Sessions that lost their slot to another.
    pub(crate) evictions: Counter,
}

impl FetchSessions {
    pub(crate) fn new(slots: usize) -> Self {
        Self {
            slots,
            partitions_max: PARTITIONS_MAX,
            cache: Mutex::default(),
            ids: RandomState::new(),
            evictions: Counter::default(),
        }
    }

    /// Sessions and their partitions.
    pub(crate) fn sizes(&self) -> (usize, usize) {
        let cache = lock(&self.cache);
        (cache.sessions.len(), cache.partitions)
    }

    /// Finds the session of a request; returns what is to be read, in its order.
    pub(crate) fn begin(
        &self,
        request: SessionRequest,
        wanted: Vec<Wanted>,
        forgotten: &[(FetchedTopic, i32)],
        name_of: &dyn Fn(&Uuid) -> Option<Arc<str>>,
        now_ms: i64,
    ) -> Result<(SessionContext, Vec<Wanted>), SessionError> {
        let is_full = matches!(request.epoch, INITIAL_EPOCH | FINAL_EPOCH);
        if is_full && request.id == NO_SESSION && request.epoch == FINAL_EPOCH {
            return Ok((SessionContext::Sessionless, wanted));
        }
        if !(0..8).contains(&(request.id / IDS_PER_KAFKA_CACHE)) {
            return Err(SessionError::Unforeseen);
        }
        if !is_full {
            return self.go_on(request, wanted, forgotten, name_of, now_ms);
        }
        if request.id != NO_SESSION {
            lock(&self.cache).remove(request.id);
        }
        let context = if request.epoch == FINAL_EPOCH {
            SessionContext::Sessionless
        } else {
            SessionContext::Full {
                is_follower: request.is_follower,
                uses_topic_ids: request.uses_topic_ids,
            }
        };
        Ok((context, wanted))
    }

    fn go_on(
        &self,
        request: SessionRequest,
        wanted: Vec<Wanted>,
        forgotten: &[(FetchedTopic, i32)],
        name_of: &dyn Fn(&Uuid) -> Option<Arc<str>>,
        now_ms: i64,
    ) -> Result<(SessionContext, Vec<Wanted>), SessionError> {
        let mut cache = lock(&self.cache);
        let shared = cache
            .sessions
            .get(&request.id)
            .cloned()
            .ok_or(SessionError::Refused(ErrorCode::FETCH_SESSION_ID_NOT_FOUND))?;
        let mut session = lock(&shared);
        if session.epoch != request.epoch {
            return Err(SessionError::Refused(ErrorCode::INVALID_FETCH_SESSION_EPOCH));
        }
        if session.uses_topic_ids != request.uses_topic_ids {
            return Err(SessionError::Refused(ErrorCode::FETCH_SESSION_TOPIC_ID_ERROR));
        }
        if cache.partitions.saturating_add(wanted.len()) > self.partitions_max {
            // The client begins anew, and gets a session if there is room for it.
            let id = session.id;
            drop(session);
            cache.remove(id);
            return Err(SessionError::Refused(ErrorCode::FETCH_SESSION_ID_NOT_FOUND));
        }
        for wanted in &wanted {
            let key = wanted.key();
            if let Some(cached) = session.partitions.get(&key) {
                cached.wanted.update(wanted);
            } else {
                let cached = CachedPartition {
                    wanted: wanted.clone(),
                    high_watermark: -1,
                    log_start_offset: -1,
                };
                session.partitions.push(key, cached);
            }
        }
        for (topic, partition) in forgotten {
            session.partitions.remove(&Key::new(topic, *partition));
        }
        if session.partitions.len() == 0 {
            let id = session.id;
            drop(session);
            cache.remove(id);
            return Ok((SessionContext::Sessionless, wanted));
        }
        cache.touch(&mut session, now_ms);
        drop(cache);
        let epoch = next_epoch(session.epoch);
        session.epoch = epoch;
        let wanted = session.wanted(name_of);
        drop(session);
        Ok((SessionContext::Incremental { session: shared, epoch }, wanted))
    }

    /// Begins a session with what its first answer tells; [`NO_SESSION`] if there is no slot for it.
    fn create(&self, is_follower: bool, uses_topic_ids: bool, told: &[(&Wanted, Told)], now_ms: i64) -> i32 {
        let mut cache = lock(&self.cache);
        if cache.partitions.saturating_add(told.len()) > self.partitions_max {
            return NO_SESSION;
        }
        if cache.sessions.len() >= self.slots {
            if self.slots == 0 || !cache.evict_for(is_follower, told.len(), now_ms) {
                return NO_SESSION;
            }
            self.evictions.increment();
        }
        let mut partitions = Partitions::default();
        for (wanted, told) in told {
            let cached = CachedPartition {
                wanted: Wanted::clone(wanted),
                high_watermark: told.high_watermark,
                log_start_offset: told.log_start_offset,
            };
            partitions.push(wanted.key(), cached);
        }
        let Some(id) = self.new_id(&cache) else {
            return NO_SESSION;
        };
        let mut session = Session {
            id,
            is_follower,
            uses_topic_ids,
            created_ms: now_ms,
            last_used_ms: now_ms,
            size: 0,
            epoch: next_epoch(INITIAL_EPOCH),
            partitions,
        };
        cache.touch(&mut session, now_ms);
        cache.sessions.insert(id, Arc::new(Mutex::new(session)));
        id
    }

    /// An id that nobody guesses, since it gives a right to a session.
    fn new_id(&self, cache: &Cache) -> Option<i32> {
        let range = u64::from(IDS_PER_KAFKA_CACHE.unsigned_abs()) * 8;
        (0..ID_DRAWS_MAX)
            .filter_map(|draw| {
                let random = self.ids.hash_one((RandomState::new().hash_one(draw), draw));
                i32::try_from(random % range).ok()
            })
            .find(|id| *id != NO_SESSION && !cache.sessions.contains_key(id))
    }

    /// Which partitions an answer would name, in the order of `told`; the session does not remember it.
    #[expect(clippy::unused_self, reason = "beside `finish`, which needs the other sessions")]
    pub(crate) fn would_tell(&self, context: &SessionContext, told: &[(&Wanted, Told)]) -> Vec<bool> {
        match context {
            SessionContext::Sessionless | SessionContext::Full { .. } => vec![true; told.len()],
            SessionContext::Incremental { session, .. } => {
                let mut session = lock(session);
                let is_told = told.iter().map(|(wanted, told)| session.would_tell(wanted, told));
                is_told.collect()
            }
        }
    }

    /// The error and the session's id of an answer that tells nothing; a session that it would have begun is not begun.
    #[expect(clippy::unused_self, reason = "beside `finish`, which needs the other sessions")]
    pub(crate) fn throttled(&self, context: &SessionContext) -> (ErrorCode, i32) {
        match context {
            SessionContext::Sessionless | SessionContext::Full { .. } => (ErrorCode::NONE, NO_SESSION),
            SessionContext::Incremental { session, epoch } => {
                let session = lock(session);
                let error = if session.epoch == *epoch {
                    ErrorCode::NONE
                } else {
                    ErrorCode::INVALID_FETCH_SESSION_EPOCH
                };
                (error, session.id)
            }
        }
    }

    /// Brings an answer in line with its session.
    pub(crate) fn finish(&self, context: &SessionContext, told: &[(&Wanted, Told)], now_ms: i64) -> Finished {
        let whole = |id| Finished {
            error: ErrorCode::NONE,
            id,
            is_told: None,
        };
        match context {
            SessionContext::Sessionless => whole(NO_SESSION),
            SessionContext::Full {
                is_follower,
                uses_topic_ids,
            } => whole(self.create(*is_follower, *uses_topic_ids, told, now_ms)),
            SessionContext::Incremental { session, epoch } => {
                let mut session = lock(session);
                // Otherwise another request of this session has come in the meantime.
                let is_current = session.epoch == *epoch;
                let is_told = told
                    .iter()
                    .map(|(wanted, told)| is_current && session.must_tell(wanted, told));
                Finished {
                    is_told: Some(is_told.collect()),
                    error: if is_current {
                        ErrorCode::NONE
                    } else {
                        ErrorCode::INVALID_FETCH_SESSION_EPOCH
                    },
                    id: session.id,
                }
            }
        }
    }
}

/// What an answer says of its session.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Finished {
    pub(crate) error: ErrorCode,
    pub(crate) id: i32,
    /// Which partitions the answer names, in the order of what was told; `None` stands for all.
    pub(crate) is_told: Option<Vec<bool>>,
}

fn next_epoch(epoch: i32) -> i32 {
    match epoch {
        i32::MAX => 1,
        epoch if epoch < 0 => FINAL_EPOCH,
        epoch => epoch + 1,
    }
}

#[cfg(test)]
mod tests;
