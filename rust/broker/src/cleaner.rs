//! The threads that compact logs: the dirtiest first, at most `log.cleaner.io.max.bytes.per.second` together.
//!
//! A thread that finds nothing to do, or whose round was given up, rests for `log.cleaner.backoff.ms`. All of
//! `log.cleaner.*` but `log.cleaner.enable` may change while the broker runs.

use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use barnabas_log::{CleanStats, Cleaner, CleanerConfig, Pace, Round, Throttle};

use crate::broker::Broker;
use crate::config::{OptionError, OptionMap, OptionReader, refuse};

/// `log.cleaner.*`, the options of all threads together.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct CleanerOptions {
    /// No threads when compaction is disabled.
    pub(crate) threads: usize,
    /// Of one thread.
    pub(crate) cleaner: CleanerConfig,
    pub(crate) bytes_per_second_max: f64,
    pub(crate) backoff: Duration,
}

/// A thread's offset map is larger than this.
const DEDUPE_BUFFER_MIN: u64 = 1 << 20;

impl CleanerOptions {
    pub(crate) fn parse(reader: &OptionReader<'_>) -> Result<Self, OptionError> {
        let is_enabled = reader.boolean("log.cleaner.enable", true)?;
        let threads: usize = reader.number("log.cleaner.threads", 1)?;
        let share = threads.max(1);
        let dedupe_buffer: u64 = reader.number("log.cleaner.dedupe.buffer.size", 128 << 20)?;
        let dedupe_buffer_bytes = dedupe_buffer / u64::try_from(share).unwrap_or(u64::MAX);
        if dedupe_buffer_bytes <= DEDUPE_BUFFER_MIN {
            return Err(refuse(
                "log.cleaner.dedupe.buffer.size",
                &dedupe_buffer.to_string(),
                "must be more than 1 MiB for each of log.cleaner.threads",
            ));
        }
        let io_buffer: usize = reader.number("log.cleaner.io.buffer.size", 512 << 10)?;
        Ok(Self {
            threads: if is_enabled { threads } else { 0 },
            cleaner: CleanerConfig {
                dedupe_buffer_bytes,
                dedupe_load_factor: reader.number("log.cleaner.io.buffer.load.factor", 0.9)?,
                // Half for reading, half for writing.
                io_buffer_bytes: io_buffer / share / 2,
            },
            bytes_per_second_max: reader.number("log.cleaner.io.max.bytes.per.second", f64::MAX)?,
            backoff: reader.millis("log.cleaner.backoff.ms", 15_000)?,
        })
    }
}

/// The threads, what they go by, and how they are woken. The options may change while they work.
#[derive(Debug)]
pub(crate) struct CleanerCrew {
    orders: Mutex<Orders>,
    wake: Condvar,
    throttle: Throttle,
}

#[derive(Debug)]
struct Orders {
    options: Arc<CleanerOptions>,
    is_stopping: bool,
    /// By their numbers, with a gap where one has left.
    threads: Vec<Option<JoinHandle<()>>>,
}

impl CleanerCrew {
    /// Without threads as yet: see [`start`](Self::start).
    pub(crate) fn new(options: &CleanerOptions) -> Self {
        Self {
            throttle: Throttle::new(options.bytes_per_second_max),
            orders: Mutex::new(Orders {
                options: Arc::new(options.clone()),
                is_stopping: false,
                threads: Vec::new(),
            }),
            wake: Condvar::new(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Orders> {
        self.orders.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts the threads that the options ask for and that are not there.
    pub(crate) fn start(&self, broker: &Arc<Broker>) -> io::Result<()> {
        let mut orders = self.lock();
        if orders.is_stopping {
            return Ok(());
        }
        let count = orders.options.threads;
        if orders.threads.len() < count {
            orders.threads.resize_with(count, || None);
        }
        for (index, place) in orders.threads.iter_mut().enumerate().take(count) {
            if place.as_ref().is_none_or(JoinHandle::is_finished) {
                let broker = Arc::clone(broker);
                let thread = std::thread::Builder::new().name(format!("barnabas-cleaner-{index}"));
                *place = Some(thread.spawn(move || run(&broker, index))?);
            }
        }
        Ok(())
    }

    /// Takes over other options. The limit of bytes per second and the rest between rounds hold at once; where the
    /// threads or their memory are others, rounds under way are given up, as in Kafka, so that the memory of all
    /// together stays within its limit.
    pub(crate) fn set_options(&self, options: CleanerOptions) {
        let mut orders = self.lock();
        if *orders.options == options {
            return;
        }
        self.throttle.set_limit(options.bytes_per_second_max);
        orders.options = Arc::new(options);
        drop(orders);
        self.wake.notify_all();
    }

    /// Gives up the rounds under way and ends the threads.
    pub(crate) fn stop(&self) {
        let threads = {
            let mut orders = self.lock();
            orders.is_stopping = true;
            std::mem::take(&mut orders.threads)
        };
        self.wake.notify_all();
        for thread in threads.into_iter().flatten() {
            if thread.join().is_err() {
                log::error!("a cleaner thread panicked");
            }
        }
    }

    /// What the thread of that number goes by in its next round; `None` when it is to end.
    fn turn(&self, index: usize) -> Option<Turn<'_>> {
        let mut orders = self.lock();
        let options = Arc::clone(&orders.options);
        if orders.is_stopping {
            return None;
        }
        if index >= options.threads {
            // Told while the lock is held, so that who wants more threads again starts another one in its place.
            if let Some(place) = orders.threads.get_mut(index) {
                *place = None;
            }
            return None;
        }
        Some(Turn { crew: self, options })
    }
}

/// One round of one thread.
#[derive(Debug)]
struct Turn<'a> {
    crew: &'a CleanerCrew,
    options: Arc<CleanerOptions>,
}

impl Turn<'_> {
    /// Waits for that long, or until there are other orders.
    fn rest(&self, time: Duration) {
        let has_none = |orders: &mut Orders| !orders.is_stopping && Arc::ptr_eq(&orders.options, &self.options);
        drop(self.crew.wake.wait_timeout_while(self.crew.lock(), time, has_none));
    }

    /// Whether the round may go on by the orders that there are now.
    fn holds(&self) -> bool {
        let orders = self.crew.lock();
        let (now, then) = (&orders.options, &self.options);
        !orders.is_stopping && (now.threads, now.cleaner) == (then.threads, then.cleaner)
    }
}

impl Pace for Turn<'_> {
    fn go_on(&self, bytes: usize) -> bool {
        match self.crew.throttle.wait_for(bytes, Instant::now()) {
            Duration::ZERO => {}
            wait => self.rest(wait),
        }
        self.holds()
    }
}

/// Ends the threads of a broker when it is dropped.
#[derive(Debug)]
pub(crate) struct CleanerGuard(pub(crate) Arc<Broker>);

impl Drop for CleanerGuard {
    fn drop(&mut self) {
        self.0.cleaner.stop();
    }
}

impl Broker {
    /// Takes over what was set for this broker or for all after the start, over what it was started with.
    pub(crate) fn set_broker_options(self: &Arc<Self>, dynamic: &OptionMap) {
        let reader = OptionReader {
            layers: &[dynamic, &self.config.options],
        };
        match CleanerOptions::parse(&reader) {
            Ok(options) => {
                self.cleaner.set_options(options);
                if let Err(error) = self.cleaner.start(self) {
                    log::error!("a cleaner thread cannot be started: {error}");
                }
            }
            // The controller refuses such options; those of another version's log may be here all the same.
            Err(error) => log::error!("the cleaner keeps its options: {error}"),
        }
    }
}

fn run(broker: &Broker, index: usize) {
    crate::helpers::give_way_to_reactors();
    while let Some(turn) = broker.cleaner.turn(index) {
        let cleaner = Cleaner::new(turn.options.cleaner);
        match broker.logs.clean_next(&cleaner, broker.wall_clock_ms(), &turn) {
            Some(Round {
                topic,
                partition,
                from,
                done: Some((end, stats)),
            }) => {
                note(broker, &stats);
                log::info!("{topic}-{partition} is compacted from {from} to {end}: {stats:?}");
            }
            _ => turn.rest(turn.options.backoff),
        }
    }
}

fn note(broker: &Broker, stats: &CleanStats) {
    let metrics = &broker.metrics;
    metrics.cleaner_rounds.increment();
    metrics.cleaner_bytes_read.add(stats.bytes_read);
    metrics.cleaner_bytes_written.add(stats.bytes_written);
    metrics
        .cleaner_records_removed
        .add(stats.records_read - stats.records_kept);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(pairs: &[(&str, &str)]) -> Result<CleanerOptions, OptionError> {
        let map: OptionMap = pairs
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect();
        CleanerOptions::parse(&OptionReader { layers: &[&map] })
    }

    #[test]
    fn the_defaults_are_kafkas() {
        let options = parse(&[]).unwrap();
        assert_eq!((options.threads, options.cleaner), (1, CleanerConfig::default()));
        assert_eq!(options.backoff, Duration::from_secs(15));
    }

    #[test]
    fn threads_share_the_memory() {
        let options = parse(&[
            ("log.cleaner.threads", "4"),
            ("log.cleaner.io.max.bytes.per.second", "1.5e6"),
        ])
        .unwrap();
        assert_eq!(options.cleaner.dedupe_buffer_bytes, 32 << 20);
        assert_eq!(options.cleaner.io_buffer_bytes, 64 << 10);
        assert!((options.bytes_per_second_max - 1.5e6).abs() < 1.0);
        assert_eq!(parse(&[("log.cleaner.enable", "false")]).unwrap().threads, 0);
    }

    #[test]
    fn too_little_memory_is_refused() {
        let error = parse(&[("log.cleaner.threads", "200")]).unwrap_err();
        assert_eq!(error.name, "log.cleaner.dedupe.buffer.size");
    }
}
