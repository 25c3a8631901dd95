//! Scripts against the built library, by topic.
#![cfg(target_os = "linux")]

mod calls;
mod handshake;
mod interface;
mod library;
mod player;
mod waiting;
mod words;
