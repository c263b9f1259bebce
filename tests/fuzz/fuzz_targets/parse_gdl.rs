//! See `ruche_tests::fuzz::parse_gdl`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| ruche_tests::fuzz::parse_gdl(data));
