//! Record batches and codecs: `cargo +nightly fuzz run records corpus/records`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| barnabas_records::check::check(data));
