//! Typed columns from plain text: `cargo +nightly fuzz run text`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| barnabas_columnar::check::text(data));
