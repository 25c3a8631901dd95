//! Captures that break one sentence each, and their neighbours that break none.

mod accurate_ecn;
mod answers;
mod congestion;
mod format;
mod handshake;
mod odd;
mod path_probes;
mod player;
mod receiver;
mod reset;
mod sender;
mod tail_probes;
mod taken_back;
mod urgent;
