//! The stack behind the interface of packetdrill: a shared library that runs any packetdrill script
//! against it in virtual time. `docs/packetdrill.md` tells how.
//!
//! | module | holds |
//! | --- | --- |
//! | `interface` | the C side: the one exported symbol, pointers and `errno`; all `unsafe` code |
//! | `machine` | virtual time, packets in and out, calls that wait |
//! | `sockets` | sockets over a [`Stack`](ackclock::stack::Stack) that never wait; they know neither C nor threads |
//! | `flags` | `key=value` settings and profiles |
//! | `commands` | shell commands that set the kernel, as flags |
//! | `trace` | what happens, in packetdrill's notation |
//! | `address` | socket addresses in the kernel's layout |
#![cfg(target_os = "linux")]
#![deny(unsafe_code)]

mod address;
mod commands;
mod flags;
mod interface;
mod machine;
mod sockets;
mod trace;
