//! An acknowledgement waits for the flush that its append made due, and one flush serves all who wait.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test that fails stops")]
#![allow(dead_code, reason = "each test binary uses its part of the common module")]

mod common;

use std::sync::Arc;
use std::time::Duration;

use common::gate::{Gate, Gated, GatedStorage};
use common::{Client, Fetch, Fixture, batch, until};

#[test]
fn producers_that_wait_while_a_flush_runs_share_the_next_one() {
    const PRODUCERS: usize = 20;
    let gate = Arc::<Gate>::default();
    let stopwatch: barnabas_broker::Stopwatch = Arc::new(|| Duration::ZERO);
    let storage = GatedStorage::of(&gate, Gated::Syncs);
    let fixture = Fixture::on(&[], &[("flush.messages", "1")], storage, stopwatch);
    let end = || fixture.node.info(common::TOPIC, 0).unwrap().log_end_offset;
    gate.set(Duration::ZERO, true);
    std::thread::scope(|scope| {
        let fixture = &fixture;
        let produce = |client: &mut Client| client.produce(0, &batch(&[b"value"]));
        let first = scope.spawn(move || produce(&mut fixture.connect()));
        until(|| gate.waiting() == 1);
        let others: Vec<_> = (0..PRODUCERS)
            .map(|_| scope.spawn(move || produce(&mut fixture.connect())))
            .collect();
        // All are in the log, where readers see them, and none is acknowledged: the first flush is still at the gate.
        until(|| end() == 1 + i64::try_from(PRODUCERS).unwrap());
        fixture.until("flushes", 1 + u64::try_from(PRODUCERS).unwrap());
        assert!(!first.is_finished() && others.iter().all(|other| !other.is_finished()));
        assert_eq!(
            fixture.connect().fetch(&Fetch::default())[0].values().len(),
            1 + PRODUCERS
        );
        assert_eq!(gate.take_threads().len(), 1);
        gate.set(Duration::ZERO, false);
        assert_eq!(first.join().unwrap(), (0, 0));
        let mut offsets: Vec<i64> = others
            .into_iter()
            .map(|other| {
                let (error, offset) = other.join().unwrap();
                assert_eq!(error, 0);
                offset
            })
            .collect();
        offsets.sort_unstable();
        let expected: Vec<i64> = (1..=i64::try_from(PRODUCERS).unwrap()).collect();
        assert_eq!(offsets, expected);
    });
    assert_eq!(gate.take_threads().len(), 1, "one sync for all of them");
}
