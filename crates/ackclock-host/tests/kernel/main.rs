//! Tests of the stack with this machine's kernel as its peer, over a TUN device, each in a network
//! namespace of its own.
//!
//! The tests need root, `/dev/net/tun` and `ip` (Debian's iproute2). Without them each test says
//! why it is skipped; where `CI` or `ACKCLOCK_REQUIRE_KERNEL_TESTS` is set it fails instead.
#![cfg(target_os = "linux")]

mod applications;
mod byte_queue_limit;
mod device;
mod ecn;
mod endings;
mod ethernet;
mod floods;
mod guard;
mod impairments;
mod judged;
mod kernel_side;
mod many;
mod namespace;
mod offload;
mod path_probing;
mod pattern;
mod queues;
mod transfers;
mod urgent;
mod world;
