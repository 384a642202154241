//! Message sets of formats 0 and 1, and runs of any format: `cargo +nightly fuzz run message_set corpus/message_set`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| barnabas_records::check::check_message_set(data));
