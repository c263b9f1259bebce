//! See `ruche_tests::fuzz::parse_image`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| ruche_tests::fuzz::parse_image(data));
