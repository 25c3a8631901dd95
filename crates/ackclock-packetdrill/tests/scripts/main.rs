//! Scripts against the built library, by topic.
#![cfg(target_os = "linux")]

mod acks;
mod calls;
mod closing;
mod congestion_marks;
mod departures;
mod edges;
mod ending;
mod error_queue;
mod fast_open;
mod fast_open_client;
mod forwarding;
mod freebsd;
mod habits;
mod handshake;
mod icmp;
mod interface;
mod library;
mod opening;
mod options;
mod other_calls;
mod pipes;
mod player;
mod random;
mod readiness;
mod settings;
mod signatures;
mod small_segments;
mod speed;
mod steps;
mod sysctls;
mod table;
mod timers;
mod urgent;
mod waiting;
mod words;
