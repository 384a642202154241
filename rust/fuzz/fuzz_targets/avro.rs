//! Avro schemas and values: `make fuzz ARGS=avro`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| barnabas_columnar::check::avro(data));
