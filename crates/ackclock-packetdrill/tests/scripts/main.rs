//! Scripts against the built library, by topic.
#![cfg(target_os = "linux")]

mod acks;
mod calls;
mod closing;
mod congestion_marks;
mod edges;
mod ending;
mod growth;
mod handshake;
mod icmp;
mod interface;
mod library;
mod loss;
mod opening;
mod options;
mod other_calls;
mod pipes;
mod player;
mod rack;
mod readiness;
mod rto;
mod settings;
mod small_segments;
mod speed;
mod table;
mod timers;
mod undo;
mod urgent;
mod waiting;
mod words;
