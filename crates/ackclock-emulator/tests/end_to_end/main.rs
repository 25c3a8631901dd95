//! Emulators with real stacks and applications, from end to end.

mod arbitrary;
mod common;
mod failures;
mod impairments;
mod queues;
mod runs;
mod smoltcp;
mod scenarios;
mod topologies;
mod transfers;
mod zhang91;
