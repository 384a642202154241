//! The threads that compact logs: the dirtiest first, at most `log.cleaner.io.max.bytes.per.second` together.
//!
//! A thread that finds nothing to do, or whose round was given up, rests for `log.cleaner.backoff.ms`.

use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use barnabas_log::{CleanStats, Cleaner, CleanerConfig, Pace, Round, Throttle};

use crate::broker::Broker;
use crate::config::{OptionError, OptionReader, refuse};

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

/// Least memory of a thread's offset map.
const DEDUPE_BUFFER_MIN: u64 = 1 << 20;

impl CleanerOptions {
    pub(crate) fn parse(reader: &OptionReader<'_>) -> Result<Self, OptionError> {
        let is_enabled = reader.boolean("log.cleaner.enable", true)?;
        let threads: usize = reader.number("log.cleaner.threads", 1)?;
        let share = threads.max(1);
        let dedupe_buffer: u64 = reader.number("log.cleaner.dedupe.buffer.size", 128 << 20)?;
        let dedupe_buffer_bytes = dedupe_buffer / u64::try_from(share).unwrap_or(u64::MAX);
        if dedupe_buffer_bytes < DEDUPE_BUFFER_MIN {
            return Err(refuse(
                "log.cleaner.dedupe.buffer.size",
                &dedupe_buffer.to_string(),
                "must be at least 1 MiB for each of log.cleaner.threads",
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

/// Ends the threads, also while they wait.
#[derive(Debug)]
struct Turnstile {
    is_stopping: Mutex<bool>,
    wake: Condvar,
    throttle: Throttle,
}

impl Turnstile {
    fn lock(&self) -> MutexGuard<'_, bool> {
        self.is_stopping.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for that long; returns false as soon as the thread is to end.
    fn rest(&self, time: Duration) -> bool {
        let (is_stopping, _) = self
            .wake
            .wait_timeout_while(self.lock(), time, |is_stopping| !*is_stopping)
            .unwrap_or_else(PoisonError::into_inner);
        !*is_stopping
    }
}

impl Pace for Turnstile {
    fn go_on(&self, bytes: usize) -> bool {
        match self.throttle.wait_for(bytes, Instant::now()) {
            Duration::ZERO => !*self.lock(),
            wait => self.rest(wait),
        }
    }
}

/// The threads.
#[derive(Debug)]
pub(crate) struct CleanerThreads {
    turnstile: Arc<Turnstile>,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

impl CleanerThreads {
    pub(crate) fn start(broker: &Arc<Broker>) -> io::Result<Self> {
        let options = &broker.options.cleaner;
        let this = Self {
            turnstile: Arc::new(Turnstile {
                is_stopping: Mutex::new(false),
                wake: Condvar::new(),
                throttle: Throttle::new(options.bytes_per_second_max),
            }),
            threads: Mutex::default(),
        };
        for index in 0..options.threads {
            let (broker, turnstile) = (Arc::clone(broker), Arc::clone(&this.turnstile));
            let thread = std::thread::Builder::new()
                .name(format!("barnabas-cleaner-{index}"))
                .spawn(move || run(&broker, &turnstile))?;
            this.threads.lock().unwrap_or_else(PoisonError::into_inner).push(thread);
        }
        Ok(this)
    }

    /// Gives up the rounds under way and ends the threads.
    pub(crate) fn stop(&self) {
        *self.turnstile.lock() = true;
        self.turnstile.wake.notify_all();
        let threads = std::mem::take(&mut *self.threads.lock().unwrap_or_else(PoisonError::into_inner));
        for thread in threads {
            if thread.join().is_err() {
                log::error!("a cleaner thread panicked");
            }
        }
    }
}

impl Drop for CleanerThreads {
    fn drop(&mut self) {
        self.stop();
    }
}

fn run(broker: &Broker, turnstile: &Turnstile) {
    let options = &broker.options.cleaner;
    let cleaner = Cleaner::new(options.cleaner);
    let mut rest = Duration::ZERO;
    while turnstile.rest(rest) {
        let round = broker.logs.clean_next(&cleaner, broker.wall_clock_ms(), turnstile);
        rest = match round {
            Some(Round {
                topic,
                partition,
                from,
                done: Some((end, stats)),
            }) => {
                note(broker, &stats);
                log::info!("{topic}-{partition} is compacted from {from} to {end}: {stats:?}");
                Duration::ZERO
            }
            _ => options.backoff,
        };
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
    use crate::config::OptionMap;

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
