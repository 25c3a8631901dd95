//! Two stacks over an arbitrary path, under arbitrary application scripts, with a clock that jumps.
//! Whatever happens, streams arrive as they were sent, connections end as the script explains, and
//! what goes over the wire keeps TCP's promises at every step.
//!
//! A script that fails is shrunk; its last form is written as a regression test for
//! `regressions.rs`, with a capture beside it. `PROPTEST_CASES` sets how many scripts are tried,
//! 256 by default.

mod machine;
mod promises;
mod regressions;
mod report;
mod script;
mod world;
