//! Costs of Avro values to typed columns and back.
//!
//! `cargo bench -p barnabas-columnar --bench avro`; records are seeded, with the fields of the JSON bench. Criterion
//! reports the CPU time of one whole record batch, and from it the rate in records. `benches/avro` runs the same
//! beside arrow-avro.

#![expect(clippy::expect_used, reason = "a bench that fails stops")]

#[path = "shared/trades.rs"]
mod trades;

use std::hint::black_box;
use std::sync::Arc;
use std::time::Duration;

use barnabas_columnar::avro::{AvroOptions, Registry};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use trades::{CpuTime, FIELDS, RECORDS, SCHEMA_ID, batch_of, decode, decoder, encoder, schema_text, trades};

fn decoding(criterion: &mut Criterion<CpuTime>) {
    let mut group = criterion.benchmark_group("avro");
    group.throughput(Throughput::Elements(RECORDS as u64));
    let all = FIELDS.map(|(name, _)| name);
    for (name, nullable, names) in [
        ("8 of 8 fields", false, all.as_slice()),
        ("8 of 8 nullable fields", true, all.as_slice()),
        ("3 of 8 fields", false, ["id", "price", "side"].as_slice()),
    ] {
        let encoder = encoder(nullable);
        let bytes = batch_of(&encoder);
        let mut decoder = decoder(AvroOptions::plain(encoder.schema().clone()), nullable, names);
        group.bench_function(name, |bencher| bencher.iter(|| decode(&bytes, &mut decoder)));
    }
    let framed = encoder(false).with_id(SCHEMA_ID);
    let bytes = batch_of(&framed);
    let registry = Registry::new();
    registry.insert(SCHEMA_ID, &schema_text(false)).expect("it is a schema");
    let mut ours = decoder(AvroOptions::registry(Arc::new(registry)), false, &all);
    group.bench_function("8 of 8 fields, registry framing", |bencher| {
        bencher.iter(|| decode(&bytes, &mut ours));
    });
    group.finish();
}

fn encoding(criterion: &mut Criterion<CpuTime>) {
    let batch = trades();
    let mut group = criterion.benchmark_group("avro, encode");
    group.throughput(Throughput::Elements(RECORDS as u64));
    for (name, nullable) in [("8 fields", false), ("8 nullable fields", true)] {
        let encoder = encoder(nullable);
        group.bench_function(name, |bencher| {
            bencher.iter(|| black_box(encoder.encode(&batch).expect("it is encoded")));
        });
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default().with_measurement(CpuTime).sample_size(20).measurement_time(Duration::from_secs(3));
    targets = decoding, encoding
}
criterion_main!(benches);
