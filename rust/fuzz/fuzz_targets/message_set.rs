//! Message sets of formats 0 and 1, and runs of any format: `make fuzz ARGS=message_set`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| barnabas_records::check::check_message_set(data));
