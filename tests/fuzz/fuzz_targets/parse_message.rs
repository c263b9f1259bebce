//! See `ruche_tests::fuzz::parse_message`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| ruche_tests::fuzz::parse_message(data));
