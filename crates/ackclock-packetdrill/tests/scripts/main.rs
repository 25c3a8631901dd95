//! Scripts against the built library, by topic.
#![cfg(target_os = "linux")]

mod calls;
mod closing;
mod data;
mod extensions;
mod handshake;
mod icmp;
mod icmp_error;
mod interface;
mod library;
mod loss;
mod options;
mod player;
mod timers;
mod waiting;
mod words;
