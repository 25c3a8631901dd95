//! The report on a connection.

use crate::explain::Retransmission;
use crate::samples::RttStatistics;
use serde::Serialize;
use std::net::SocketAddr;

/// How a connection began and ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Ending {
    /// Both ends sent FIN.
    Closed,
    /// One end sent FIN, the other did not.
    HalfClosed,
    /// An end sent RST.
    Reset,
    /// The SYN was answered with RST.
    Refused,
    /// The SYN was not answered.
    NeverOpened,
    /// The capture has no end of it.
    Open,
}

impl Ending {
    /// In words.
    pub fn name(self) -> &'static str {
        match self {
            Ending::Closed => "closed",
            Ending::HalfClosed => "half closed",
            Ending::Reset => "reset",
            Ending::Refused => "refused",
            Ending::NeverOpened => "never opened",
            Ending::Open => "still open",
        }
    }
}

/// One connection: from a SYN, or the first packet in the capture, to its end.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[non_exhaustive]
pub struct Connection {
    /// In the order of first packets, from 1.
    pub number: u64,
    /// Who began: sent the SYN, or was seen first.
    pub a: SocketAddr,
    /// The other end.
    pub b: SocketAddr,
    /// Name of the interface at which it was seen, if the capture has several.
    pub interface: Option<String>,
    /// Whether it was seen from its SYN on. If it was not, window scaling and initial windows are
    /// not known.
    pub from_the_start: bool,
    /// How it ended.
    pub ending: Ending,
    /// Who sent the RST, if anybody did: "a" or "b".
    pub reset_by: Option<char>,
    /// Seconds from the Unix epoch to its first packet.
    pub first_s: f64,
    /// Seconds from its first to its last packet.
    pub duration_s: f64,
    /// Packets of both directions.
    pub packets: u64,
    /// Longest time without a packet in either direction, in seconds.
    pub idle_max_s: f64,
    /// Its state was given up before its end, to make room for others.
    pub given_up: bool,
    /// What a sent.
    pub a_to_b: Direction,
    /// What b sent.
    pub b_to_a: Direction,
}

impl Connection {
    /// Both directions with the names of their ends.
    pub fn directions(&self) -> [(&'static str, &Direction); 2] {
        [("a to b", &self.a_to_b), ("b to a", &self.b_to_a)]
    }
}

/// The options of a SYN.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[non_exhaustive]
pub struct SynOptions {
    /// Maximum segment size in bytes.
    pub mss: Option<u16>,
    /// Shift count for windows.
    pub window_scale: Option<u8>,
    /// SACK may be sent.
    pub sack_permitted: bool,
    /// The SYN had a timestamp.
    pub timestamps: bool,
}

/// Data sent before any of it was acknowledged.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct InitialWindow {
    /// Payload bytes.
    pub bytes: u64,
    /// Packets as they were captured.
    pub packets: u64,
    /// Segments of at most the MSS; more than packets where the capture was taken before
    /// segmentation.
    pub segments: u64,
}

/// Windows that an end advertised, in bytes.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct Windows {
    /// Whether the values are bytes. If not, the SYN that told the scale was not seen and they are
    /// what stood in the headers, which may be too small.
    pub scale_known: bool,
    /// The least, that of SYN and RST segments aside.
    pub min: u64,
    /// The greatest.
    pub max: u64,
    /// The mean over segments.
    pub avg: f64,
    /// Segments with a window of zero.
    pub zero: u64,
}

/// Retransmissions by what made the sender send them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct Causes {
    /// Fast retransmissions.
    pub fast: u64,
    /// By the retransmission timer.
    pub timeout: u64,
    /// In the recovery after a timeout.
    pub after_timeout: u64,
    /// Tail loss probes.
    pub tail_probe: u64,
    /// Probes of a closed window with data sent before.
    pub window_probe: u64,
    /// Not explained.
    pub unexplained: u64,
    /// Of all these, the ones that were not needed.
    pub spurious: u64,
}

/// Statistics of the data that one end sent, and of the other end's acks.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct Direction {
    /// Packets.
    pub packets: u64,
    /// Those with the ACK bit.
    pub ack_packets: u64,
    /// Those with ACK and without payload, SYN, FIN and RST.
    pub pure_acks: u64,
    /// Those with SACK blocks.
    pub sack_packets: u64,
    /// Those whose first SACK block reports a duplicate (RFC 2883).
    pub dsack_packets: u64,
    /// Most SACK blocks in a packet.
    pub max_sack_blocks: u64,
    /// Packets with payload.
    pub data_packets: u64,
    /// Their payload bytes.
    pub data_bytes: u64,
    /// Payload bytes, each counted once.
    pub unique_bytes: u64,
    /// Data packets larger than the MSS: captured before segmentation or after coalescing.
    pub coalesced_packets: u64,
    /// Data packets that the sender retransmitted: the sum over `causes`.
    pub retransmitted_packets: u64,
    /// Payload bytes that were seen before, copies made by the network aside.
    pub retransmitted_bytes: u64,
    /// Of the retransmitted packets, those whose first transmission was not seen.
    pub first_unseen_packets: u64,
    /// Causes of the retransmissions.
    pub causes: Causes,
    /// SYNs and FINs retransmitted without payload.
    pub syn_fin_retransmitted: u64,
    /// Data packets that the network delayed, so that later ones overtook them.
    pub reordered_packets: u64,
    /// Packets with data, SYN or FIN that the network copied.
    pub duplicated_packets: u64,
    /// Payload bytes of those copies.
    pub duplicated_bytes: u64,
    /// Keep-alives (RFC 9293 section 3.8.4).
    pub keepalives: u64,
    /// Probes of a closed window, those that are retransmissions aside.
    pub window_probes: u64,
    /// Packets that no window can have had room for.
    pub out_of_window_packets: u64,
    /// Data packets with PSH.
    pub pushed_packets: u64,
    /// Packets with URG.
    pub urgent_packets: u64,
    /// Packets with SYN.
    pub syn_packets: u64,
    /// Packets with FIN.
    pub fin_packets: u64,
    /// Packets with RST.
    pub rst_packets: u64,
    /// Packets that a router marked with congestion experienced.
    pub ce_packets: u64,
    /// Packets with ECE, SYN aside.
    pub ece_packets: u64,
    /// Packets with CWR, SYN aside.
    pub cwr_packets: u64,
    /// Options of its SYN, if that was seen.
    pub syn_options: Option<SynOptions>,
    /// Least payload of a data packet, in bytes.
    pub min_segment: u64,
    /// Greatest.
    pub max_segment: u64,
    /// Mean.
    pub avg_segment: f64,
    /// The windows that it advertised.
    pub windows: Windows,
    /// If the connection was seen from the start.
    pub initial_window: Option<InitialWindow>,
    /// Bytes between SYN and FIN, if both were seen.
    pub stream_bytes: Option<u64>,
    /// Bytes that were acknowledged and not captured.
    pub missing_bytes: u64,
    /// Packets whose payload was not captured whole.
    pub cut_packets: u64,
    /// Seconds from the first to the last data packet.
    pub data_s: f64,
    /// Longest time between two packets, in seconds.
    pub idle_max_s: f64,
    /// Unique bytes per second of the connection.
    pub throughput: f64,
    /// Most sequence numbers that were on their way at a time.
    pub max_outstanding: u64,
    /// Round-trip times between this point and the other end, by Karn's rule.
    pub rtt: Option<RttStatistics>,
    /// Acks that give no sample, because of retransmissions.
    pub ambiguous_acks: u64,
    /// Duplicate acks (RFC 5681 section 2) that came back.
    pub duplicate_acks: u64,
    /// Times that three of them came in a row.
    pub triple_duplicate_acks: u64,
    /// Maximum number of retransmissions of the same data.
    pub max_retransmissions: u64,
    /// The first retransmissions.
    pub retransmissions: Vec<Retransmission>,
}
