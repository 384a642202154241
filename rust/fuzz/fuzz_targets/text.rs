//! Typed columns from plain text: `make fuzz ARGS=text`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| barnabas_columnar::check::text(data));
