//! Crashes at any change of any operation, through several lives of the same partitions, and what must hold of every
//! image: see [`check`].
//!
//! `SEEDS=n` runs more seeds, `SEED=s` only that one, `REPORT=file` writes how often each fault struck and each
//! invariant was at stake. [`flips`] does the same for bits that flip on disk.

mod check;
mod drive;
mod flips;
mod model;

use std::sync::Arc;

use check::{Check, Crash};
use drive::{Life, Part};

use super::sim::{Call, Fault, Random, SimStorage, Tally, report, seeds};

const SEEDS_BY_DEFAULT: u64 = 10;
const STEPS: u64 = 60;
/// One in so many changes to the file system is a crash point.
const CRASH_ONE_IN: u64 = 4;

/// Takes one image down in a random way and holds it against the models.
fn crash(
    image: &SimStorage,
    random: &mut Random,
    (before, after): (&[Part], &[Part]),
    now: i64,
    tally: &Tally,
) -> (SimStorage, Vec<Part>) {
    let (crash, mut image) = match random.below(5) {
        0..=1 => (Crash::Killed, image.after_kill()),
        2..=3 => (Crash::PowerLost, image.after_power_failure(random)),
        _ => (
            Crash::PowerAndNamesLost,
            image.after_power_failure_with_names_in_any_order(random),
        ),
    };
    if crash != Crash::Killed && random.one_in(8) {
        // The next start dies too.
        let dying = image.after_kill();
        dying.fail_after(random.below(12), Fault::Broken, true);
        drop(crate::LogManager::open(
            dying.as_storage(),
            drive::manager_config(random),
            now,
        ));
        image = dying.after_power_failure(random);
        tally.count("recoveries that died too");
    }
    tally.count(match crash {
        Crash::Killed => "crash points: killed",
        Crash::PowerLost => "crash points: power lost",
        Crash::PowerAndNamesLost => "crash points: power lost, names in any order",
    });
    if std::env::var_os("SEED").is_some() {
        println!("an image, {crash:?}");
        tell(&image, after);
    }
    let parts = Check {
        image: &image,
        crash,
        before,
        after,
        now,
        tally,
    }
    .run();
    (image, parts)
}

fn plan_fault(storage: &SimStorage, random: &mut Random) {
    let fault = if random.one_in(2) {
        Fault::NoSpace
    } else {
        Fault::Broken
    };
    let call = Call::ALL[random.index(Call::ALL.len())];
    storage.fail_call(call, random.below(60), fault, random.one_in(2));
}

/// What there is of each partition, for whoever looks into a failing seed.
fn tell(storage: &SimStorage, parts: &[Part]) {
    for part in parts {
        let model = &part.model;
        let files = storage.contents(&part.dir());
        let files: Vec<String> = files
            .iter()
            .map(|(name, bytes)| format!("{} {}", name.trim_start_matches('0'), bytes.len()))
            .collect();
        println!(
            "  {} [{}, {}) flushed {}, start on disk {}, open transactions from {:?}: {}",
            part.topic,
            model.start,
            model.end,
            model.flushed,
            model.start_on_disk,
            model.first_unstable(),
            files.join(", ")
        );
    }
}

/// One seed: several lives of the same partitions, each ended by a crash.
fn live(seed: u64, tally: &Arc<Tally>) {
    let mut life = Life::new(SimStorage::tallied(tally), seed);
    let mut random = Random::new(!seed);
    life.storage.capture(Random::new(seed ^ 0x5555), CRASH_ONE_IN);
    let is_told = std::env::var_os("SEED").is_some();
    for _ in 0..STEPS {
        let step = life.step();
        tally.count(step.name);
        if is_told {
            println!(
                "{} {} at {}",
                step.name,
                if step.failed { "failed" } else { "done" },
                life.now
            );
            tell(&life.storage, &life.parts);
        }
        for image in life.storage.captured() {
            crash(&image, &mut random, (&step.before, &life.parts), life.now, tally);
        }
        if step.failed || random.one_in(15) {
            let storage = life.storage.clone();
            let (image, parts) = crash(&storage, &mut random, (&step.before, &life.parts), life.now, tally);
            if is_told {
                println!("a new life");
                tell(&image, &parts);
            }
            life.manager = None;
            life.storage = image;
            life.parts = parts;
            life.open();
            life.storage.capture(Random::new(random.next()), CRASH_ONE_IN);
            if random.one_in(2) {
                plan_fault(&life.storage, &mut random);
            }
        }
    }
}

#[test]
fn every_crash_point_keeps_what_was_promised() {
    let tally = Arc::new(Tally::default());
    let seeds = seeds(SEEDS_BY_DEFAULT);
    for seed in &seeds {
        let outcome = std::panic::catch_unwind(|| live(*seed, &tally));
        if let Err(panic) = outcome {
            println!("failed with SEED={seed}");
            std::panic::resume_unwind(panic);
        }
    }
    assert!(tally.get("crash points: killed") > 0);
    report("every_crash_point_keeps_what_was_promised", seeds.len(), &tally);
}
