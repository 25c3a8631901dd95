//! Two stacks over an arbitrary path, under arbitrary application scripts, with a clock that jumps.
//! In every run streams arrive as they were sent, connections end as the script explains, and each
//! segment on the wire keeps TCP's promises.
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
