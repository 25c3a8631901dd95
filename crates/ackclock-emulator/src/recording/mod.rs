//! Observers that keep what happens in an emulator: in memory, as lines of text, or as captures.

pub(crate) mod event_trace;
pub(crate) mod pcap;
pub(crate) mod pcapng;
pub(crate) mod recorder;
pub(crate) mod series;
