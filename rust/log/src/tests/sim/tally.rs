//! How often each fault struck and each invariant was at stake, and how many seeds to run.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::ops::Range;
use std::sync::Mutex;
use std::time::{SystemTime, UNIX_EPOCH};

/// Counts by name.
#[derive(Debug, Default)]
pub(in crate::tests) struct Tally(Mutex<BTreeMap<&'static str, u64>>);

impl Tally {
    pub(in crate::tests) fn count(&self, what: &'static str) {
        self.add(what, 1);
    }

    pub(in crate::tests) fn add(&self, what: &'static str, count: u64) {
        *self.0.lock().unwrap().entry(what).or_default() += count;
    }

    pub(in crate::tests) fn get(&self, what: &'static str) -> u64 {
        self.0.lock().unwrap().get(what).copied().unwrap_or_default()
    }
}

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

/// `SEED=s` runs only that one, `SEEDS=n` the first n; otherwise a fixed share and one fresh seed.
pub(in crate::tests) fn seeds(by_default: u64) -> Vec<u64> {
    let fixed = |range: Range<u64>| range.collect();
    match (number("SEED"), number("SEEDS")) {
        (Some(seed), _) => vec![seed],
        (None, Some(count)) => fixed(0..count),
        (None, None) => {
            let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
            let fresh = u64::from(now.subsec_nanos()) << 32 | (now.as_secs() & 0xffff_ffff);
            println!("fresh seed: SEED={fresh}");
            let mut seeds: Vec<u64> = fixed(0..by_default);
            seeds.push(fresh);
            seeds
        }
    }
}

static REPORTS: Mutex<BTreeMap<String, String>> = Mutex::new(BTreeMap::new());

/// Adds a test's counts to the JSON file that `REPORT` names, if it names one.
pub(in crate::tests) fn report(test: &str, seeds: usize, tally: &Tally) {
    let Ok(path) = std::env::var("REPORT") else { return };
    let mut entry = format!("{{\"seeds\": {seeds}");
    for (what, count) in tally.0.lock().unwrap().iter() {
        write!(entry, ",\n  \"{what}\": {count}").unwrap();
    }
    entry.push('}');
    let mut reports = REPORTS.lock().unwrap();
    reports.insert(test.to_owned(), entry);
    let body: Vec<String> = reports
        .iter()
        .map(|(test, entry)| format!(" \"{test}\": {entry}"))
        .collect();
    std::fs::write(path, format!("{{\n{}\n}}\n", body.join(",\n"))).unwrap();
}
