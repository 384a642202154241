//! Record batches and codecs: `make fuzz ARGS=records`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| barnabas_records::check::check(data));
