//! Avro schemas and values: `cargo +nightly fuzz run avro corpus/avro`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| barnabas_columnar::check::avro(data));
