//! See `ruche_tests::fuzz::parse_frame`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| ruche_tests::fuzz::parse_frame(data));
