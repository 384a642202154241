//! Arrow arrays that need not be whole, to record batches: `make fuzz ARGS=arrow_import`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| barnabas_columnar::encode::check::check(data));
