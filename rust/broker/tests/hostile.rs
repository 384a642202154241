//! Requests that no well-behaved client sends: each is answered or closes its own connection, and nothing else happens.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test that fails stops")]
#![allow(dead_code, reason = "each test binary uses its part of the common module")]

mod common;

use std::io::Write;
use std::net::Shutdown;

use barnabas_wire::api;

use common::{Fetch, Fixture, Produce, batch};

/// A small generator of numbers, the same in every run.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.next() % u64::try_from(limit.max(1)).unwrap()).unwrap()
    }

    fn byte(&mut self) -> u8 {
        self.next().to_be_bytes()[3]
    }
}

#[test]
fn unserved_apis_and_versions_close_the_connection() {
    let fixture = Fixture::start();
    let cases = [
        (api::PRODUCE, 2),
        (api::PRODUCE, 0),
        (api::PRODUCE, 14),
        (api::FETCH, 3),
        (api::FETCH, 19),
        (api::HEARTBEAT, 0),
        (9999, 0),
        (-1, 0),
        (api::METADATA, -1),
    ];
    for (key, version) in cases {
        let mut client = fixture.connect();
        client.send(key, version, &[0; 40]);
        assert!(client.is_closed(), "key {key} version {version}");
    }
    assert_eq!(fixture.node.metrics()["requests_refused"], 9);
}

#[test]
fn mutated_requests_never_harm_the_broker() {
    let fixture = Fixture::start();
    let mut numbers = Numbers(0x9e37_79b9_7f4a_7c15);
    let records = batch(&[b"hello", b"world"]);
    let served = [
        (api::PRODUCE, 3..=13),
        (api::FETCH, 4..=18),
        (api::LIST_OFFSETS, 1..=11),
        (api::METADATA, 0..=13),
        (api::API_VERSIONS, 0..=4),
        (api::OFFSET_FOR_LEADER_EPOCH, 2..=4),
    ];
    for round in 0..3000 {
        let (key, versions) = served[numbers.below(served.len())].clone();
        let span = usize::try_from(versions.end() - versions.start()).unwrap();
        let version = versions.start() + i16::try_from(numbers.below(span + 1)).unwrap();
        let mut body = match key {
            api::PRODUCE => Produce {
                version,
                records: &records,
                ..Produce::default()
            }
            .encode(),
            api::FETCH => Fetch {
                version,
                ..Fetch::default()
            }
            .encode(),
            _ => (0..numbers.below(60)).map(|_| numbers.byte()).collect(),
        };
        for _ in 0..numbers.below(4) {
            let at = numbers.below(body.len());
            if let Some(byte) = body.get_mut(at) {
                *byte = [0, 0xff, 0x7f, 0x80, numbers.byte()][numbers.below(5)];
            }
        }
        body.truncate(body.len() - if round % 3 == 0 { numbers.below(body.len()) } else { 0 });
        let mut client = fixture.connect();
        client.send(key, version, &body);
        client.stream.shutdown(Shutdown::Write).unwrap();
        // An answer or the end; what matters is that the broker is still well.
        let _ = std::io::copy(&mut client.stream, &mut std::io::sink());
    }
    let mut client = fixture.connect();
    assert_eq!(client.produce(2, &records).0, 0);
    common::until(|| fixture.node.metrics()["connections"] == 1);
}

#[test]
fn garbage_on_the_socket_is_not_answered() {
    let fixture = Fixture::start();
    let mut numbers = Numbers(42);
    for _ in 0..300 {
        let mut client = fixture.connect();
        let garbage: Vec<u8> = (0..numbers.below(300)).map(|_| numbers.byte()).collect();
        // The broker may close before all is written.
        let _ = client.stream.write_all(&garbage);
        let _ = client.stream.shutdown(Shutdown::Write);
        assert!(client.is_closed());
    }
    assert_eq!(fixture.connect().produce(0, &batch(&[b"a"])).0, 0);
}

#[test]
fn a_frame_over_the_limit_closes_the_connection() {
    let fixture = Fixture::with(&[("socket.request.max.bytes", "1000")], &[]);
    let mut client = fixture.connect();
    assert_eq!(client.produce(0, &batch(&[&[b'x'; 500]])).0, 0);
    client.send(api::PRODUCE, 9, &[0; 1000]);
    assert!(client.is_closed());
}
