//! Typed columns from CSV: `make fuzz ARGS=csv`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| barnabas_columnar::check::csv(data));
