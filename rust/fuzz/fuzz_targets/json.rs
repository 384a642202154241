//! Typed columns from JSON, and JSON from them: `make fuzz ARGS=json`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| barnabas_columnar::check::json(data));
