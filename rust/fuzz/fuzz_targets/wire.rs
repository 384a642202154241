//! Headers and messages: `make fuzz ARGS=wire`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| barnabas_wire::check::check(data));
