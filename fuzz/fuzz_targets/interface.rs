#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| ackclock_fuzz::run("interface", data));
