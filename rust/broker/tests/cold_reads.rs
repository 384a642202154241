//! Fetches of what is not at hand, on a storage whose reads take as long as the test says, and wait at a gate for as long
//! as the test wants.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test that fails stops")]
#![allow(dead_code, reason = "each test binary uses its part of the common module")]

mod common;

use std::sync::Arc;
use std::time::Duration;

use barnabas_broker::Stopwatch;
use barnabas_wire::api;

use common::gate::{Gate, Gated, GatedStorage};
use common::{Client, Fetch, Fixture, batch, until};

/// Fetches of a cold reader that find everything at hand before its next one looks on the reactor.
const AT_HAND_IN_A_ROW: usize = 32;

fn values(client: &mut Client, partition: i32) -> Vec<String> {
    let fetch = Fetch {
        partitions: vec![(partition, 0)],
        ..Fetch::default()
    };
    let values = client.fetch(&fetch)[0].values();
    values
        .into_iter()
        .map(|(_, value)| String::from_utf8(value).unwrap())
        .collect()
}

/// The kind of thread that looked first.
fn looked(gate: &Gate) -> String {
    gate.take_threads().swap_remove(0)
}

#[test]
fn a_cold_reader_waits_for_the_disk_on_helpers_and_holds_up_nobody() {
    let gate = Arc::<Gate>::default();
    let stopwatch: Stopwatch = {
        let gate = Arc::clone(&gate);
        Arc::new(move || gate.now())
    };
    let fixture = Fixture::on(&[], &[], GatedStorage::of(&gate, Gated::Reads), stopwatch);
    let (mut reader, mut other) = (fixture.connect(), fixture.connect());
    for partition in [0, 1] {
        assert_eq!(other.produce(partition, &batch(&[b"value"])), (0, 0));
    }
    gate.take_threads();
    assert_eq!(values(&mut reader, 0), ["value"]);
    assert_eq!(looked(&gate), "barnabas-net-");

    gate.set(Duration::from_millis(1), false);
    assert_eq!(values(&mut reader, 0), ["value"]);
    assert_eq!(looked(&gate), "barnabas-net-", "only the fetch after a slow one moves");

    gate.set(Duration::from_millis(1), true);
    let fetch = Fetch {
        partitions: vec![(0, 0)],
        ..Fetch::default()
    };
    reader.send(api::FETCH, fetch.version, &fetch.encode());
    until(|| gate.waiting() == 1);
    // The helper is stuck in the kernel. The reactor is not.
    for round in 1..20 {
        assert_eq!(other.produce(0, &batch(&[b"other"])), (0, round));
        assert_eq!(values(&mut other, 1), ["value"]);
    }
    gate.set(Duration::ZERO, false);
    reader.receive_frame();
    assert_eq!(looked(&gate), "barnabas-read-");

    // One of them was the one that waited at the gate.
    for _ in 1..AT_HAND_IN_A_ROW - 1 {
        assert_eq!(values(&mut reader, 0)[0], "value");
        assert_eq!(looked(&gate), "barnabas-read-");
    }
    assert_eq!(values(&mut reader, 0)[0], "value");
    assert_eq!(looked(&gate), "barnabas-net-");
}
