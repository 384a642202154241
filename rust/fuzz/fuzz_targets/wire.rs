//! Headers and messages: `cargo +nightly fuzz run wire`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| barnabas_wire::check::check(data));
