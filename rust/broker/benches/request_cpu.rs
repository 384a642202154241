//! CPU of the broker's threads per request, and the time of a closed loop, against a broker in this process.
//!
//! `cargo bench -p barnabas-broker --bench request_cpu [-- seconds [words of the cases' names]]` prints one JSON line per
//! case. CPU comes from the scheduler's own count for the broker's threads, so the client's share is not in it.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::cast_precision_loss,
    reason = "a measurement that fails stops"
)]
#![allow(dead_code, reason = "uses a part of the tests' common module")]

#[path = "../tests/common/mod.rs"]
mod common;

use std::io::{Read, Write};
use std::time::{Duration, Instant};

use barnabas_wire::api;
use barnabas_wire::messages::metadata::MetadataRequest;

use common::{Client, Fetch, Fixture, Produce, batch};

/// What a produce case writes at most, and what is warmed for it.
const PAGE_CACHE_WARMED: usize = 256 << 20;

/// Nanoseconds that the broker's threads have run: the reactor and whatever it hands work to.
fn broker_ns() -> u64 {
    let mut total = 0;
    for task in std::fs::read_dir("/proc/self/task").unwrap() {
        let path = task.unwrap().path();
        if std::fs::read_to_string(path.join("comm"))
            .unwrap()
            .starts_with("barnabas-")
        {
            let schedstat = std::fs::read_to_string(path.join("schedstat")).unwrap();
            total += schedstat.split(' ').next().unwrap().parse::<u64>().unwrap();
        }
    }
    total
}

/// Has this much page cache in use and free again. In a virtual machine the first write to memory that the host has taken
/// back costs ten times as much as the copy, which would hide what the broker costs.
fn warm_page_cache(bytes: usize) {
    let mut file = tempfile::tempfile().unwrap();
    let piece = vec![1; 1 << 20];
    for _ in 0..bytes.div_ceil(piece.len()) {
        file.write_all(&piece).unwrap();
    }
}

/// CPU per byte of nothing but a write of the same bytes to a new file, by this thread, under the same conditions.
fn write_floor(bytes: usize, count: usize) -> f64 {
    let mut file = tempfile::tempfile().unwrap();
    let piece = vec![1; bytes];
    let thread = std::fs::read_link("/proc/thread-self").unwrap();
    let ran = || -> u64 {
        let path = std::path::Path::new("/proc").join(&thread).join("schedstat");
        let text = std::fs::read_to_string(path).unwrap();
        text.split(' ').next().unwrap().parse().unwrap()
    };
    let before = ran();
    for _ in 0..count {
        file.write_all(&piece).unwrap();
    }
    (ran() - before) as f64 / (bytes * count) as f64
}

/// Runs `step`, which sends some requests, for the given time and prints what each request cost. Where requests write,
/// it ends before what was warmed for it does.
fn measure(name: &str, seconds: f64, bytes: usize, requests_per_step: u64, mut step: impl FnMut()) {
    let steps_max = if name.starts_with("produce 1") {
        PAGE_CACHE_WARMED / bytes / usize::try_from(requests_per_step).unwrap()
    } else {
        usize::MAX
    };
    let wanted: Vec<String> = std::env::args()
        .skip(1)
        .filter(|word| word.parse::<f64>().is_err() && word != "--bench")
        .collect();
    if !wanted.iter().all(|word| name.contains(word.as_str())) {
        step();
        return;
    }
    // Also outside of what is measured: the first steps.
    for _ in 0..50.min(steps_max / 4) {
        step();
    }
    let (cpu, begin) = (broker_ns(), Instant::now());
    let mut times = Vec::new();
    while begin.elapsed() < Duration::from_secs_f64(seconds) && times.len() < steps_max {
        let at = Instant::now();
        step();
        times.push(at.elapsed());
    }
    let wall = begin.elapsed().as_secs_f64();
    let cpu = (broker_ns() - cpu) as f64;
    let requests = (u64::try_from(times.len()).unwrap() * requests_per_step) as f64;
    times.sort_unstable();
    let quantile = |q: usize| times[(times.len() - 1) * q / 1000].as_secs_f64() * 1e6;
    println!(
        "{{\"case\":\"{name}\",\"requests\":{requests},\"cpu_us_per_request\":{:.2},\"cpu_ns_per_byte\":{:.3},\
         \"mb_per_s\":{:.1},\"step_p50_us\":{:.1},\"step_p99_us\":{:.1}}}",
        cpu / requests / 1e3,
        cpu / requests / bytes as f64,
        requests * bytes as f64 / wall / 1e6,
        quantile(500),
        quantile(990),
    );
}

/// A request's whole frame, so that the client's work in the loop is a write and a read.
fn frame(api_key: i16, api_version: i16, body: &[u8]) -> Vec<u8> {
    let header = barnabas_wire::header::RequestHeader {
        api_key,
        api_version,
        correlation_id: 1,
        client_id: Some("bench"),
    };
    let mut frame = vec![0; 4];
    barnabas_wire::header::encode_request_header(&mut frame, &header).unwrap();
    frame.extend_from_slice(body);
    let length = u32::try_from(frame.len() - 4).unwrap();
    frame[..4].copy_from_slice(&length.to_be_bytes());
    frame
}

fn exchange(client: &mut Client, frame: &[u8], in_flight: usize, sink: &mut Vec<u8>) {
    for _ in 0..in_flight {
        client.stream.write_all(frame).unwrap();
    }
    for _ in 0..in_flight {
        let mut length = [0; 4];
        client.stream.read_exact(&mut length).unwrap();
        let length = usize::try_from(u32::from_be_bytes(length)).unwrap();
        sink.resize(sink.len().max(length), 0);
        client.stream.read_exact(&mut sink[..length]).unwrap();
    }
}

/// A Produce request for one batch of `count` values of `size` bytes, and the batch's size.
fn produce_frame(partition: i32, size: usize, count: usize) -> (Vec<u8>, usize) {
    let value = vec![b'v'; size];
    let values: Vec<&[u8]> = (0..count).map(|_| value.as_slice()).collect();
    let records = batch(&values);
    let request = Produce {
        version: 9,
        partition,
        records: &records,
        ..Produce::default()
    };
    (frame(api::PRODUCE, 9, &request.encode()), records.len())
}

fn produce(client: &mut Client, seconds: f64) {
    let mut sink = Vec::new();
    for (name, partition, size, count, in_flight) in [
        ("produce 1 x 100 B", 0, 100, 1, 1),
        ("produce 1 x 100 B, 5 in flight", 0, 100, 1, 5),
        ("produce 16 KiB of 100 B", 1, 100, 150, 1),
        ("produce 1 MiB of 100 B", 2, 100, 9600, 5),
        ("produce 1 MiB of 1 KiB", 2, 1024, 1000, 5),
    ] {
        let (request, bytes) = produce_frame(partition, size, count);
        if bytes > 1 << 14 {
            warm_page_cache(PAGE_CACHE_WARMED * 3 / 2);
        }
        measure(name, seconds, bytes, in_flight, || {
            exchange(client, &request, usize::try_from(in_flight).unwrap(), &mut sink);
        });
        if bytes > 1 << 14 {
            warm_page_cache(PAGE_CACHE_WARMED);
            println!(
                "{{\"case\":\"write of {bytes} bytes alone\",\"cpu_ns_per_byte\":{:.3}}}",
                write_floor(bytes, PAGE_CACHE_WARMED / bytes)
            );
        }
    }
}

fn fetch(client: &mut Client, seconds: f64) {
    for (name, partition, offset, max_bytes) in [
        ("fetch of an unknown partition", 9, 0, 1),
        ("fetch 1 x 100 B", 0, 0, 1),
        ("fetch 16 KiB", 1, 0, 20_000),
        ("fetch 1 MiB", 2, 0, 1_200_000),
        ("fetch 8 MiB", 2, 0, 8_400_000),
    ] {
        let mut sink = Vec::new();
        let request = Fetch {
            partition_max_bytes: max_bytes,
            partitions: vec![(partition, offset)],
            ..Fetch::default()
        };
        let request = frame(api::FETCH, 12, &request.encode());
        exchange(client, &request, 1, &mut sink);
        let bytes = sink.len();
        measure(name, seconds, bytes, 1, || exchange(client, &request, 1, &mut sink));
    }
}

fn main() {
    let seconds = std::env::args()
        .find_map(|argument| argument.parse().ok())
        .unwrap_or(2.0);
    // The batches are from 1970.
    let fixture = Fixture::with(&[], &[("max.message.bytes", "4000000"), ("retention.ms", "-1")]);
    let mut client = fixture.connect();
    produce(&mut client, seconds);
    fetch(&mut client, seconds);
    let mut sink = Vec::new();
    let request = MetadataRequest {
        topics: None,
        ..MetadataRequest::default()
    }
    .to_bytes(12)
    .unwrap();
    let request = frame(api::METADATA, 12, &request);
    measure("metadata, one topic", seconds, 1, 1, || {
        exchange(&mut client, &request, 1, &mut sink);
    });
    let mut consumer = fixture.connect();
    let (request, _) = produce_frame(0, 100, 1);
    let mut offset = fixture.node.info(common::TOPIC, 0).unwrap().log_end_offset;
    measure("produce to parked consumer, 2 requests", seconds, 1, 2, || {
        let fetch = Fetch {
            max_wait_ms: 10_000,
            partitions: vec![(0, offset)],
            ..Fetch::default()
        };
        consumer
            .stream
            .write_all(&frame(api::FETCH, 12, &fetch.encode()))
            .unwrap();
        exchange(&mut client, &request, 1, &mut sink);
        consumer.receive_frame();
        offset += 1;
    });
}
