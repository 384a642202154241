//! Lines of log on their way to Python's `logging`: a bounded ring that any thread writes to without waiting, and one
//! Python thread empties.
//!
//! Whoever logs must not wait for whoever reads: a pipe that nobody empties would stop the control plane. So what does not
//! fit is dropped and counted, and of lines from one place only some are kept in a while.

use std::collections::{HashMap, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Condvar, LazyLock, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use pyo3::prelude::*;

use crate::broker::seconds;

/// Lines that wait to be read.
const LINES_MAX: usize = 1024;
/// Lines of one place in [`WINDOW`]; more are left out and counted.
const LINES_PER_WINDOW: u32 = 10;
const WINDOW: Duration = Duration::from_secs(10);
/// Places that are told apart.
const PLACES_MAX: usize = 512;
/// Bytes of one line.
const LINE_BYTES_MAX: usize = 16 * 1024;
/// How often a writer looks for the ring to be free; it is held for about a microsecond.
const TRIES: usize = 1000;

/// Python's numbers of levels.
const DEBUG: u8 = 10;
const INFO: u8 = 20;
const WARNING: u8 = 30;
const ERROR: u8 = 40;

/// Name and value of the fields of a structured line.
type Fields = Vec<(String, String)>;
/// Level, target, text, seconds since 1970, thread, fields.
type Line = (u8, String, String, f64, String, Fields);

struct Window {
    began: Instant,
    lines: u32,
    left_out: u64,
    level: u8,
    target: String,
}

#[derive(Default)]
struct Ring {
    lines: VecDeque<Line>,
    windows: HashMap<u64, Window>,
    lost: u64,
    woken: bool,
}

static RING: LazyLock<Mutex<Ring>> = LazyLock::new(Mutex::default);
static WAKE: Condvar = Condvar::new();

fn lock() -> MutexGuard<'static, Ring> {
    RING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The ring, if it can be had without waiting; in a forked child nobody may ever give it back.
fn try_lock() -> Option<MutexGuard<'static, Ring>> {
    for _ in 0..TRIES {
        match RING.try_lock() {
            Ok(ring) => return Some(ring),
            Err(TryLockError::Poisoned(poisoned)) => return Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => std::thread::yield_now(),
        }
    }
    None
}

impl Ring {
    fn push(&mut self, place: u64, line: Line) {
        let now = Instant::now();
        if self.windows.len() >= PLACES_MAX && !self.windows.contains_key(&place) {
            self.windows
                .retain(|_, window| now.duration_since(window.began) < WINDOW);
        }
        if self.windows.len() < PLACES_MAX || self.windows.contains_key(&place) {
            let window = self.windows.entry(place).or_insert_with(|| Window {
                began: now,
                lines: 0,
                left_out: 0,
                level: line.0,
                target: line.1.clone(),
            });
            if now.duration_since(window.began) >= WINDOW && window.left_out == 0 {
                window.began = now;
                window.lines = 0;
            }
            if window.lines >= LINES_PER_WINDOW {
                window.left_out += 1;
                return;
            }
            window.lines += 1;
        }
        self.append(line);
    }

    fn append(&mut self, mut line: Line) {
        if self.lines.len() >= LINES_MAX {
            self.lost += 1;
            return;
        }
        let end = (0..=LINE_BYTES_MAX.min(line.2.len()))
            .rev()
            .find(|end| line.2.is_char_boundary(*end));
        line.2.truncate(end.unwrap_or(0));
        self.lines.push_back(line);
    }

    /// Says how many lines were left out of windows that are over, or of all.
    fn close_windows(&mut self, all: bool) {
        let now = Instant::now();
        let mut told = Vec::new();
        self.windows.retain(|_, window| {
            let is_over = all || now.duration_since(window.began) >= WINDOW;
            if is_over && window.left_out > 0 {
                let text = format!(
                    "{} lines like the last {LINES_PER_WINDOW} of this kind were left out",
                    window.left_out
                );
                let fields = vec![("left_out".to_owned(), window.left_out.to_string())];
                told.push((
                    window.level,
                    window.target.clone(),
                    text,
                    unix_seconds(),
                    thread_name(),
                    fields,
                ));
            }
            !is_over
        });
        for line in told {
            self.append(line);
        }
    }
}

fn unix_seconds() -> f64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default()
        .as_secs_f64()
}

fn thread_name() -> String {
    std::thread::current().name().unwrap_or("").to_owned()
}

fn write(place: u64, line: Line) {
    if let Some(mut ring) = try_lock() {
        ring.push(place, line);
        drop(ring);
        WAKE.notify_one();
    }
}

fn hash(place: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    place.hash(&mut hasher);
    hasher.finish()
}

/// Takes the events of the crates below.
struct ToRing;

impl log::Log for ToRing {
    fn enabled(&self, metadata: &log::Metadata<'_>) -> bool {
        metadata.level() <= log::max_level()
    }

    fn log(&self, record: &log::Record<'_>) {
        if !self.enabled(record.metadata()) {
            return;
        }
        let level = match record.level() {
            log::Level::Error => ERROR,
            log::Level::Warn => WARNING,
            log::Level::Info => INFO,
            log::Level::Debug | log::Level::Trace => DEBUG,
        };
        let place = hash((record.file(), record.line()));
        let target = record.target().to_owned();
        write(
            place,
            (
                level,
                target,
                record.args().to_string(),
                unix_seconds(),
                thread_name(),
                Vec::new(),
            ),
        );
    }

    fn flush(&self) {}
}

/// Hands a line over without waiting. Lines with the same `template` are of one kind, of which only some are kept.
#[pyfunction]
fn log_push(level: u8, target: String, template: &str, text: String, thread: String, fields: Fields) {
    write(
        hash((&target, template)),
        (level, target, text, unix_seconds(), thread, fields),
    );
}

/// On a thread of its own: waits up to `timeout` seconds for lines and returns all that are there: level, target, text,
/// seconds since 1970, thread, fields.
#[pyfunction]
fn log_pull(py: Python<'_>, timeout: f64) -> PyResult<Vec<Line>> {
    let timeout = seconds(timeout)?;
    // Not in slices: signals are the main thread's.
    Ok(py.detach(|| {
        let (mut ring, _) = WAKE
            .wait_timeout_while(lock(), timeout, |ring| ring.lines.is_empty() && !ring.woken)
            .unwrap_or_else(PoisonError::into_inner);
        let woken = std::mem::take(&mut ring.woken);
        ring.close_windows(woken);
        ring.lines.drain(..).collect()
    }))
}

/// Ends a wait of `log_pull`, which then says of all kinds what was left out.
#[pyfunction]
fn log_wake() {
    lock().woken = true;
    WAKE.notify_all();
}

/// How many lines did not fit.
#[pyfunction]
fn log_lines_lost() -> u64 {
    lock().lost
}

pub(crate) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    // Fails only where somebody else has set one, which then gets the events.
    if log::set_logger(&ToRing).is_ok() {
        log::set_max_level(log::LevelFilter::Info);
    }
    m.add_function(wrap_pyfunction!(log_push, m)?)?;
    m.add_function(wrap_pyfunction!(log_pull, m)?)?;
    m.add_function(wrap_pyfunction!(log_wake, m)?)?;
    m.add_function(wrap_pyfunction!(log_lines_lost, m)?)
}
