//! Avro values to typed columns, ours and arrow-avro's, one after the other in one run.
//!
//! `CARGO_TARGET_DIR=target cargo run --release --manifest-path benches/avro/Cargo.toml -- --bench`, where `collect.py`
//! finds the figures. Ours starts from a record batch, arrow-avro from the
//! values one after the other, each behind the registry's five bytes, the only framing that it takes.

#![expect(clippy::expect_used, reason = "a bench that fails stops")]

#[path = "../../rust/shared/trades.rs"]
mod trades;

use std::hint::black_box;
use std::sync::Arc;
use std::time::Duration;

use arrow_avro::reader::{Decoder as Rival, ReaderBuilder};
use arrow_avro::schema::{AvroSchema, Fingerprint, FingerprintAlgorithm, SchemaStore};
use barnabas_columnar::avro::{AvroOptions, Registry};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use trades::{CpuTime, FIELDS, RECORDS, SCHEMA_ID, batch_of, decode, decoder, encoder, schema_text, trades};

fn rival(text: &str) -> Rival {
    let mut store = SchemaStore::new_with_type(FingerprintAlgorithm::Id);
    let id = Fingerprint::Id(SCHEMA_ID);
    store.set(id, AvroSchema::new(text.to_owned())).expect("it is a schema");
    ReaderBuilder::new()
        .with_batch_size(RECORDS)
        .with_writer_schema_store(store)
        .with_active_fingerprint(id)
        .build_decoder()
        .expect("all types are known")
}

fn decoding(criterion: &mut Criterion<CpuTime>) {
    let mut group = criterion.benchmark_group("avro and its rival");
    group.throughput(Throughput::Elements(RECORDS as u64));
    let all = FIELDS.map(|(name, _)| name);
    for (name, nullable) in [("8 fields", false), ("8 nullable fields", true)] {
        let framed = encoder(nullable).with_id(SCHEMA_ID);
        let registry = Registry::new();
        registry
            .insert(SCHEMA_ID, &schema_text(nullable))
            .expect("it is a schema");
        let bytes = batch_of(&framed);
        let mut ours = decoder(AvroOptions::registry(Arc::new(registry)), nullable, &all);
        group.bench_function(format!("{name}, ours"), |bencher| {
            bencher.iter(|| decode(&bytes, &mut ours))
        });
        let values = framed.encode(&trades()).expect("it is encoded");
        let mut rival = rival(&schema_text(nullable));
        group.bench_function(format!("{name}, arrow-avro"), |bencher| {
            bencher.iter(|| {
                rival.decode(values.value_data()).expect("it decodes");
                black_box(rival.flush().expect("it decodes"));
            });
        });
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default().with_measurement(CpuTime).sample_size(20).measurement_time(Duration::from_secs(3));
    targets = decoding
}
criterion_main!(benches);
