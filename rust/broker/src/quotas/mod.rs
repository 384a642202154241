//! Client quotas (KIP-13, 55, 124, 219, 599): who has used how much, and how long they must be kept from going on.
//!
//! The control plane publishes what is set. Requests are charged where they are answered, on the reactors and in the
//! control queue; until a quota is set for the first time that is one load of an atomic. A throttled answer leaves at once,
//! says how long its client should wait, and its connection is not read for that long. What is counted per client is
//! found once per connection and again after a change of any quota.

mod limits;
mod sensor;

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::{Duration, Instant};

use barnabas_net::rate::Window;

use crate::dispatch::Peer;

pub(crate) use limits::{Kind, Part};
use limits::{Limits, Tags};
pub(crate) use sensor::Reading;
use sensor::Sensor;

/// Who everybody is as long as nobody has to say it.
pub(crate) const ANONYMOUS: &str = "ANONYMOUS";
/// Quotas in use that are counted apart; clients beyond them share one. Kafka has no such bound.
const SENSORS_MAX: usize = 64 * 1024;
/// Bytes of the names of clients that are counted apart.
const NAMES_BYTES_MAX: usize = 16 * 1024 * 1024;
/// Sensors above which those that say nothing any more are dropped.
const SENSORS_KEPT: usize = 256;
/// Longest time between two looks for such, if there are many.
const LOOK_INTERVAL_MS: i64 = 10_000;
/// Stands for the names of all clients that are not counted apart.
const OTHERS: &str = "(others)";

#[derive(Debug, Default)]
struct Registry {
    sensors: HashMap<(Kind, Tags), Arc<Sensor>>,
    names_bytes: usize,
    /// When the sensors were last looked through, and how many were left.
    looked_ms: i64,
    left: usize,
}

/// All quotas.
#[derive(Debug)]
pub(crate) struct ClientQuotas {
    started: Instant,
    window: Window,
    mutation_window: Window,
    /// Grows with every change; 0 as long as there has been no quota.
    generation: AtomicU64,
    /// By kind.
    limits: RwLock<[Limits; 4]>,
    registry: Mutex<Registry>,
}

/// What is counted for a connection under a client id.
#[derive(Debug)]
pub(crate) struct Account {
    generation: u64,
    client_id: String,
    /// By kind.
    sensors: [Option<Arc<Sensor>>; 4],
}

impl Account {
    fn sensor(&self, kind: Kind) -> Option<&Arc<Sensor>> {
        self.sensors.get(kind as usize)?.as_ref()
    }
}

impl ClientQuotas {
    pub(crate) fn new(window: Window, mutation_window: Window) -> Self {
        Self {
            started: Instant::now(),
            window,
            mutation_window,
            generation: AtomicU64::new(0),
            limits: RwLock::default(),
            registry: Mutex::default(),
        }
    }

    fn now_ms(&self) -> i64 {
        i64::try_from(self.started.elapsed().as_millis()).unwrap_or(i64::MAX)
    }

    /// Replaces what is set for an entity.
    pub(crate) fn set(&self, entity: &(Part, Part), values: &HashMap<String, f64>) {
        let mut limits = self.limits.write().unwrap_or_else(PoisonError::into_inner);
        for (kind, limits) in Kind::ALL.into_iter().zip(limits.iter_mut()) {
            let value = values.iter().find(|(key, _)| Kind::of_key(key) == Some(kind));
            limits.set(entity.clone(), value.map(|(_, value)| *value));
        }
        // Within the lock, so that nobody keeps old limits under the new number.
        self.generation.fetch_add(1, Ordering::SeqCst);
    }

    /// Begins to charge a request; `None` if nothing limits its client.
    pub(crate) fn charge(self: &Arc<Self>, peer: &Peer, client_id: Option<&str>) -> Option<Charge> {
        let generation = self.generation.load(Ordering::Acquire);
        if generation == 0 {
            return None;
        }
        let client_id = client_id.unwrap_or_default();
        let mut known = peer.account.lock().unwrap_or_else(PoisonError::into_inner);
        let account = match &*known {
            Some(account) if account.generation == generation && account.client_id == client_id => Arc::clone(account),
            _ => {
                let account = Arc::new(self.account(ANONYMOUS, client_id));
                *known = Some(Arc::clone(&account));
                account
            }
        };
        drop(known);
        account.sensors.iter().any(Option::is_some).then(|| Charge {
            quotas: Arc::clone(self),
            account,
            began: Instant::now(),
            busy: None,
        })
    }

    fn account(&self, user: &str, client_id: &str) -> Account {
        let limits = self.limits.read().unwrap_or_else(PoisonError::into_inner);
        let sensors = Kind::ALL.map(|kind| {
            let (tags, limit) = limits.get(kind as usize)?.find(user, client_id)?;
            Some(self.sensor(kind, tags, limit))
        });
        Account {
            generation: self.generation.load(Ordering::SeqCst),
            client_id: client_id.to_owned(),
            sensors,
        }
    }

    fn sensor(&self, kind: Kind, tags: Tags, limit: f64) -> Arc<Sensor> {
        let now_ms = self.now_ms();
        let mut registry = self.registry.lock().unwrap_or_else(PoisonError::into_inner);
        registry.drop_those_that_are_over(now_ms);
        let mut key = (kind, tags);
        if !registry.sensors.contains_key(&key)
            && (registry.sensors.len() >= SENSORS_MAX || registry.names_bytes >= NAMES_BYTES_MAX)
        {
            key.1 = Tags {
                user: OTHERS.to_owned(),
                client_id: OTHERS.to_owned(),
            };
        }
        if let Some(sensor) = registry.sensors.get(&key) {
            sensor.set_limit(limit);
            return Arc::clone(sensor);
        }
        let window = if kind == Kind::Mutation {
            self.mutation_window
        } else {
            self.window
        };
        let sensor = Arc::new(Sensor::new(kind, key.1.clone(), window, limit, now_ms));
        registry.names_bytes += names_bytes(&key.1);
        registry.sensors.insert(key, Arc::clone(&sensor));
        sensor
    }

    /// What is in use, in the order of the names, as far as `limit` goes.
    pub(crate) fn readings(&self, limit: usize) -> Vec<(Kind, String, String, Reading)> {
        let now_ms = self.now_ms();
        let registry = self.registry.lock().unwrap_or_else(PoisonError::into_inner);
        let mut sensors: Vec<_> = registry.sensors.values().map(Arc::clone).collect();
        drop(registry);
        sensors.sort_by(|one, other| (one.kind as usize, &one.tags).cmp(&(other.kind as usize, &other.tags)));
        let sensors = sensors.into_iter().take(limit);
        let readings = sensors.map(|sensor| {
            let Tags { user, client_id } = &sensor.tags;
            (sensor.kind, user.clone(), client_id.clone(), sensor.read(now_ms))
        });
        readings.collect()
    }
}

fn names_bytes(tags: &Tags) -> usize {
    tags.user.len() + tags.client_id.len()
}

impl Registry {
    fn drop_those_that_are_over(&mut self, now_ms: i64) {
        let is_long_ago = now_ms.saturating_sub(self.looked_ms) >= LOOK_INTERVAL_MS;
        if self.sensors.len() < SENSORS_KEPT || !(is_long_ago || self.sensors.len() >= self.left * 2) {
            return;
        }
        self.looked_ms = now_ms;
        // What a connection holds stays, or its successor would count beside it.
        self.sensors
            .retain(|_, sensor| Arc::strong_count(sensor) > 1 || !sensor.is_over(now_ms));
        self.left = self.sensors.len();
        self.names_bytes = self.sensors.keys().map(|(_, tags)| names_bytes(tags)).sum();
    }
}

/// What a request is charged for.
#[derive(Debug)]
pub(crate) struct Charge {
    quotas: Arc<ClientQuotas>,
    account: Arc<Account>,
    began: Instant,
    /// How long a thread was busy with it, if that is over.
    busy: Option<Duration>,
}

impl Charge {
    /// From here on the request waits, and nobody is busy with it.
    pub(crate) fn pause(&mut self) {
        self.busy.get_or_insert_with(|| self.began.elapsed());
    }

    /// A thread has been busy with the request for so long.
    pub(crate) fn set_busy(&mut self, busy: Duration) {
        self.busy = Some(busy);
    }

    /// Charges a request without a quota of its own; returns how many milliseconds its client has to wait.
    pub(crate) fn request(&self) -> u32 {
        self.settle(&[(Kind::Request, self.record_busy())])
    }

    /// Charges a Produce request. One without an answer is not charged for time, as in Kafka.
    pub(crate) fn produce(&self, bytes: usize, is_answered: bool) -> u32 {
        let request_ms = if is_answered { self.record_busy() } else { 0 };
        let produce_ms = self.record(Kind::Produce, float(bytes));
        self.settle(&[(Kind::Request, request_ms), (Kind::Produce, produce_ms)])
    }

    /// Charges a Fetch. If its client has to wait, it gets nothing, and is not charged for it.
    pub(crate) fn fetch(&self, bytes: usize) -> u32 {
        let (request_ms, now_ms) = (self.record_busy(), self.quotas.now_ms());
        let sensor = self.account.sensor(Kind::Fetch);
        let fetch_ms = sensor.map_or(0, |sensor| sensor.try_record(float(bytes), now_ms));
        if request_ms > 0
            && fetch_ms == 0
            && let Some(sensor) = sensor
        {
            sensor.take_back(float(bytes), now_ms);
        }
        self.settle(&[(Kind::Request, request_ms), (Kind::Fetch, fetch_ms)])
    }

    /// The most bytes that a fetch may get without being throttled for good.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a cast of a float saturates, as in Kafka"
    )]
    pub(crate) fn fetch_bytes_max(&self) -> i32 {
        let sensor = self.account.sensor(Kind::Fetch);
        sensor.map_or(i32::MAX, |sensor| sensor.at_once_max() as i32)
    }

    /// Partitions that may still be created and deleted; below 0 none. `None`: as many as one likes.
    pub(crate) fn mutations_left(&self) -> Option<f64> {
        let sensor = self.account.sensor(Kind::Mutation)?;
        Some(sensor.left(self.quotas.now_ms()))
    }

    /// Charges for partitions created and deleted; returns how many milliseconds it takes until nothing is owed.
    pub(crate) fn mutations(&self, partitions: f64) -> u32 {
        let throttle_ms = self.record(Kind::Mutation, partitions);
        u32::try_from(throttle_ms).unwrap_or(u32::MAX)
    }

    /// Charges for time, where a throttle time is known already; returns the longer one.
    pub(crate) fn request_after_mutations(&self, mutations_ms: u32) -> u32 {
        self.settle(&[
            (Kind::Request, self.record_busy()),
            (Kind::Mutation, u64::from(mutations_ms)),
        ])
    }

    fn record_busy(&self) -> u64 {
        let busy = self.busy.unwrap_or_else(|| self.began.elapsed());
        self.record(Kind::Request, busy.as_secs_f64() * 100.0)
    }

    fn record(&self, kind: Kind, value: f64) -> u64 {
        let sensor = self.account.sensor(kind);
        sensor.map_or(0, |sensor| sensor.record(value, self.quotas.now_ms()))
    }

    /// The longest of the times, which is the one that counts; of equal ones the first.
    fn settle(&self, times: &[(Kind, u64)]) -> u32 {
        let longest = times.iter().rev().max_by_key(|(_, ms)| *ms);
        let Some((kind, ms)) = longest.filter(|(_, ms)| *ms > 0) else {
            return 0;
        };
        // What clients are told is a signed number.
        let told = u32::try_from(*ms).unwrap_or(u32::MAX).min(i32::MAX.unsigned_abs());
        if let Some(sensor) = self.account.sensor(*kind) {
            sensor.count_throttled(u64::from(told));
        }
        told
    }
}

#[expect(clippy::cast_precision_loss, reason = "lengths of frames are exact")]
fn float(bytes: usize) -> f64 {
    bytes as f64
}

#[cfg(test)]
mod tests;
