//! Fetch sessions (KIP-227): what a consumer fetches is remembered, so that its requests carry changes alone and its
//! answers only the partitions with something new.
//!
//! Rules and errors are Kafka's (`FetchManager`, `FetchSession`, `FetchContext`). Kafka divides its slots among eight
//! caches; here all slots are one cache, so that `max.incremental.fetch.session.cache.slots` counts exactly. The cache's
//! lock is never asked for while a session's is held.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use barnabas_wire::errors::ErrorCode;
use barnabas_wire::primitives::{Uuid, ZERO_UUID};

use crate::metrics::Counter;

/// The session id that stands for none.
pub(crate) const NO_SESSION: i32 = 0;
/// The epoch that asks for a new session.
const INITIAL_EPOCH: i32 = 0;
/// The epoch that ends a session, or asks for none.
const FINAL_EPOCH: i32 = -1;
/// How long a session is kept from those that hold fewer partitions, and how long it may be idle before anyone takes its slot.
const EVICTION_AGE_MS: i64 = 120_000;
/// Most partitions that all sessions together remember, whether the broker knows them or not. Kafka has no such bound.
const PARTITIONS_MAX: usize = 1 << 20;
/// Kafka gives each of its eight caches so many ids, and does not foresee that a client makes up one beyond them.
const IDS_PER_KAFKA_CACHE: i32 = i32::MAX / 8;

/// How often an id is drawn before the broker gives up; one draw does, unless nearly all ids are in use.
const ID_DRAWS_MAX: u32 = 1000;

/// A topic as a fetch names it: by name up to version 12, then by id, whose name is found when there is such a topic.
#[derive(Debug, Clone)]
pub(crate) struct FetchedTopic {
    pub(crate) name: Option<Arc<str>>,
    pub(crate) id: Uuid,
}

/// A partition of a session: by id where there is one, else by name.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Key {
    Id(Uuid, i32),
    Name(Arc<str>, i32),
}

impl Key {
    fn new(topic: &FetchedTopic, partition: i32) -> Self {
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
    fn key(&self) -> Key {
        Key::new(&self.topic, self.partition)
    }

    /// Takes the parameters over, but not the topic: once its name is found, it stays.
    fn update(&mut self, other: &Self) {
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
struct CachedPartition {
    wanted: Wanted,
    high_watermark: i64,
    log_start_offset: i64,
}

/// The partitions of a session in the order in which they are read.
#[derive(Debug, Default)]
struct Partitions {
    turns: HashMap<Key, u64>,
    by_turn: BTreeMap<u64, CachedPartition>,
    next_turn: u64,
}

impl Partitions {
    fn len(&self) -> usize {
        self.by_turn.len()
    }

    fn get(&mut self, key: &Key) -> Option<&mut CachedPartition> {
        self.by_turn.get_mut(self.turns.get(key)?)
    }

    fn push(&mut self, key: Key, partition: CachedPartition) {
        self.turns.insert(key, self.next_turn);
        self.by_turn.insert(self.next_turn, partition);
        self.next_turn += 1;
    }

    fn remove(&mut self, key: &Key) -> Option<CachedPartition> {
        self.by_turn.remove(&self.turns.remove(key)?)
    }

    /// What has just sent records is read last the next time, so that no partition keeps the others from the answer.
    fn move_to_end(&mut self, key: Key) {
        if let Some(partition) = self.remove(&key) {
            self.push(key, partition);
        }
    }
}

/// One session.
#[derive(Debug)]
pub(crate) struct Session {
    id: i32,
    is_follower: bool,
    uses_topic_ids: bool,
    created_ms: i64,
    last_used_ms: i64,
    /// Partitions when it was last used, which is what others compete with.
    size: usize,
    /// The epoch that the next request must have.
    epoch: i32,
    partitions: Partitions,
}

impl Session {
    /// The partitions in their order; names that were not known before are looked up.
    fn wanted(&mut self, name_of: &dyn Fn(&Uuid) -> Option<Arc<str>>) -> Vec<Wanted> {
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
    fn would_tell(&mut self, wanted: &Wanted, told: &Told) -> bool {
        let Some(cached) = self.partitions.get(&wanted.key()) else {
            return true;
        };
        let has_moved =
            cached.high_watermark != told.high_watermark || cached.log_start_offset != told.log_start_offset;
        has_moved || told.has_records || told.is_notable || told.is_error
    }

    /// The same; remembers what it is told.
    fn must_tell(&mut self, wanted: &Wanted, told: &Told) -> bool {
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

    fn last_used_key(&self) -> (i64, i32) {
        (self.last_used_ms, self.id)
    }

    fn evictable_key(&self) -> (bool, usize, i32) {
        (self.is_follower, self.size, self.id)
    }
}

type Shared = Arc<Mutex<Session>>;

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

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

#[derive(Debug, Default)]
struct Cache {
    sessions: HashMap<i32, Shared>,
    last_used: BTreeSet<(i64, i32)>,
    /// What a consumer's new session may take the place of.
    evictable: BTreeSet<(bool, usize, i32)>,
    /// What a follower's new session may take the place of.
    evictable_by_followers: BTreeSet<(bool, usize, i32)>,
    partitions: usize,
}

impl Cache {
    fn remove(&mut self, id: i32) {
        if let Some(session) = self.sessions.remove(&id) {
            let session = lock(&session);
            self.forget_places(&session);
        }
    }

    fn forget_places(&mut self, session: &Session) {
        self.last_used.remove(&session.last_used_key());
        self.evictable.remove(&session.evictable_key());
        self.evictable_by_followers.remove(&session.evictable_key());
        self.partitions = self.partitions.saturating_sub(session.size);
    }

    fn touch(&mut self, session: &mut Session, now_ms: i64) {
        self.forget_places(session);
        session.last_used_ms = now_ms;
        session.size = session.partitions.len();
        let is_old = now_ms.saturating_sub(session.created_ms) > EVICTION_AGE_MS;
        self.last_used.insert(session.last_used_key());
        if is_old || !session.is_follower {
            self.evictable_by_followers.insert(session.evictable_key());
        }
        if is_old {
            self.evictable.insert(session.evictable_key());
        }
        self.partitions += session.size;
    }

    /// Makes room for a session of `size` partitions: what nobody has used for long goes, else what has grown old and has
    /// fewer partitions than the new one.
    fn evict_for(&mut self, is_follower: bool, size: usize, now_ms: i64) -> bool {
        let Some((last_used_ms, oldest)) = self.last_used.first().copied() else {
            return false;
        };
        if now_ms.saturating_sub(last_used_ms) > EVICTION_AGE_MS {
            self.remove(oldest);
            return true;
        }
        let evictable = if is_follower {
            &self.evictable_by_followers
        } else {
            &self.evictable
        };
        match evictable.first().copied() {
            Some(least) if (is_follower, size, NO_SESSION) >= least => {
                self.remove(least.2);
                true
            }
            _ => false,
        }
    }
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
mod tests {
    use super::*;

    fn wanted(partitions: i32) -> Vec<Wanted> {
        let topic = FetchedTopic {
            name: Some(Arc::from("flights")),
            id: ZERO_UUID,
        };
        (0..partitions)
            .map(|partition| Wanted {
                topic: topic.clone(),
                partition,
                current_leader_epoch: -1,
                fetch_offset: 0,
                last_fetched_epoch: -1,
                max_bytes: 1,
            })
            .collect()
    }

    const NOTHING: Told = Told {
        high_watermark: 0,
        log_start_offset: 0,
        has_records: false,
        is_notable: false,
        is_error: false,
    };

    fn create(sessions: &FetchSessions, is_follower: bool, partitions: i32, now_ms: i64) -> i32 {
        let wanted = wanted(partitions);
        let told: Vec<_> = wanted.iter().map(|wanted| (wanted, NOTHING)).collect();
        let full = SessionContext::Full {
            is_follower,
            uses_topic_ids: false,
        };
        sessions.finish(&full, &told, now_ms).id
    }

    fn go_on(sessions: &FetchSessions, id: i32, epoch: i32, now_ms: i64) -> Result<SessionContext, SessionError> {
        let request = SessionRequest {
            id,
            epoch,
            uses_topic_ids: false,
            is_follower: false,
        };
        sessions
            .begin(request, Vec::new(), &[], &|_| None, now_ms)
            .map(|(context, _)| context)
    }

    const NOT_FOUND: SessionError = SessionError::Refused(ErrorCode::FETCH_SESSION_ID_NOT_FOUND);

    #[test]
    fn the_idle_one_goes_first() {
        let sessions = FetchSessions::new(2);
        let idle = create(&sessions, false, 9, 0);
        let busy = create(&sessions, false, 1, 0);
        assert!(go_on(&sessions, busy, 1, EVICTION_AGE_MS).is_ok());
        // At its age it is kept, above it the slot is free for anyone.
        assert_eq!(create(&sessions, false, 1, EVICTION_AGE_MS), NO_SESSION);
        let new = create(&sessions, false, 1, EVICTION_AGE_MS + 1);
        assert!(new != NO_SESSION && go_on(&sessions, busy, 2, EVICTION_AGE_MS + 1).is_ok());
        assert_eq!(go_on(&sessions, idle, 1, EVICTION_AGE_MS + 1).unwrap_err(), NOT_FOUND);
        assert_eq!((sessions.evictions.get(), sessions.sizes()), (1, (2, 2)));
    }

    #[test]
    fn an_old_session_yields_to_one_with_more_partitions() {
        let later = EVICTION_AGE_MS + 1;
        for (partitions, is_taken) in [(2, false), (3, false), (4, true)] {
            let sessions = FetchSessions::new(1);
            let old = create(&sessions, false, 3, 0);
            // Used all along; only its age counts, and that is seen when it is used.
            assert!(go_on(&sessions, old, 1, later).is_ok());
            let new = create(&sessions, false, partitions, later);
            assert_eq!(new != NO_SESSION, is_taken, "{partitions}");
            assert_eq!(go_on(&sessions, old, 2, later).is_err(), is_taken);
        }
    }

    #[test]
    fn a_followers_session_yields_to_none_of_a_consumer() {
        let sessions = FetchSessions::new(1);
        let consumer = create(&sessions, false, 9, 0);
        let follower = create(&sessions, true, 1, 1);
        assert_eq!(go_on(&sessions, consumer, 1, 1).unwrap_err(), NOT_FOUND);
        assert_eq!(create(&sessions, true, 9, 2), NO_SESSION, "a young one keeps its place");
        let later = EVICTION_AGE_MS + 2;
        assert!(go_on(&sessions, follower, 1, later).is_ok());
        assert_eq!(create(&sessions, false, 9, later), NO_SESSION);
        assert!(create(&sessions, true, 2, later) != NO_SESSION);
    }

    #[test]
    fn an_answer_that_another_request_has_overtaken_is_refused() {
        let sessions = FetchSessions::new(1);
        let id = create(&sessions, false, 1, 0);
        let first = go_on(&sessions, id, 1, 0).unwrap();
        let second = go_on(&sessions, id, 2, 0).unwrap();
        let wanted = wanted(1);
        let told = [(&wanted[0], NOTHING)];
        let overtaken = sessions.finish(&first, &told, 0);
        assert_eq!(
            (overtaken.error, overtaken.id, overtaken.is_told),
            (ErrorCode::INVALID_FETCH_SESSION_EPOCH, id, Some(vec![false]))
        );
        let current = sessions.finish(&second, &told, 0);
        assert_eq!((current.error, current.is_told), (ErrorCode::NONE, Some(vec![false])));
    }

    #[test]
    fn all_sessions_together_remember_a_bounded_number_of_partitions() {
        let sessions = FetchSessions {
            partitions_max: 10,
            ..FetchSessions::new(9)
        };
        let first = create(&sessions, false, 6, 0);
        assert_eq!(create(&sessions, false, 5, 0), NO_SESSION);
        let second = create(&sessions, false, 4, 0);
        assert!(first != NO_SESSION && second != NO_SESSION);
        let grow = SessionRequest {
            id: second,
            epoch: 1,
            uses_topic_ids: false,
            is_follower: false,
        };
        let grown = sessions.begin(grow, wanted(5), &[], &|_| None, 0);
        assert_eq!(grown.unwrap_err(), NOT_FOUND);
        assert_eq!(sessions.sizes(), (1, 6));
        assert!(go_on(&sessions, first, 1, 0).is_ok());
    }

    #[test]
    fn epochs_wrap_to_one() {
        assert_eq!([0, 1, i32::MAX, -1].map(next_epoch), [1, 2, 1, -1]);
    }
}
