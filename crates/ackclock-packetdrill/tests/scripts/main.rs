//! Scripts against the built library, by topic.
#![cfg(target_os = "linux")]

mod acks;
mod calls;
mod closing;
mod data;
mod edges;
mod extensions;
mod handshake;
mod icmp;
mod icmp_error;
mod interface;
mod library;
mod loss;
mod opening;
mod options;
mod other_calls;
mod pipes;
mod player;
mod settings;
mod speed;
mod table;
mod timers;
mod undo;
mod urgent;
mod waiting;
mod windows;
mod words;
