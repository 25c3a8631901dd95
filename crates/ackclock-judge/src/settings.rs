//! What the judge is told about the judged host. Each default is the bound that holds for all hosts.

use ackclock::time::Duration;

/// A window law, as far as the judge knows its bounds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub enum Law {
    /// Not known: the bound that holds for all laws.
    #[default]
    Unknown,
    /// RFC 5681.
    Reno,
    /// RFC 9438.
    Cubic,
    /// SACK TCP Veno (Fu and Liew).
    Veno,
    /// BBR, which neither halves its window nor grows by RFC 5681.
    Bbr,
    /// Prague (draft-briscoe-iccrg-prague-congestion-control): CUBIC where marks are not counted; where they are, it
    /// grows and answers losses at most as RFC 5681 has it, and marks by their extent.
    Prague,
}

/// Which small segments the host holds back while something is not acknowledged (RFC 9293 section 3.7.4).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Nagle {
    /// None.
    Off,
    /// Each (RFC 896).
    Rfc896,
    /// Each while another small one is not acknowledged (Minshall's variant).
    Minshall,
}

/// What the judge is told about the judged host.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Settings {
    /// The window law.
    pub law: Law,
    /// The largest initial window in segments of the peer's MSS; RFC 6928 allows 10.
    pub initial_window: u32,
    /// The least RTO. RFC 6298 says that it should be 1 second; most hosts take 200 milliseconds.
    pub least_rto: Duration,
    /// The RTO before the first measurement. RFC 6298 says that it should be 1 second.
    pub initial_rto: Duration,
    /// The largest RTO; RFC 6298 allows 60 seconds and more.
    pub largest_rto: Duration,
    /// How long the host may wait with an ack; RFC 9293 wants less than 0.5 seconds.
    pub ack_delay: Duration,
    /// Full-sized segments that may be acknowledged by one ack; RFC 9293 says 2.
    pub segments_per_ack: u32,
    /// How long after a segment was seen at the interface the host may act as if it had not arrived: the
    /// way through its queues, its scheduling, and the grain of its clock.
    pub reaction: Duration,
    /// Which small segments the host holds back; `None`: not known.
    pub nagle: Option<Nagle>,
    /// Whether the host may probe the path's MTU by data (RFC 4821): a long segment says nothing of how long others are.
    pub probes_path: bool,
    /// Whether the judge sees every packet that the host sends. A capture may lack some; then a number that
    /// tells of one only ends the judgement of its connection.
    pub sees_all: bool,
    /// Whether the judge is told of the application's calls ([`Judge::on_call`](crate::Judge::on_call)). If
    /// not, any of them may be behind what the host does.
    pub calls_are_told: bool,
    /// How long the host keeps a connection in TIME-WAIT at least. RFC 9293 says 4 minutes; most hosts take one.
    pub time_wait: Duration,
    /// How long the host is idle before it sends a keep-alive; RFC 9293 wants 2 hours or what the application says.
    pub keepalive: Duration,
    /// R2: how long the host sends the same data again at least before it gives up (RFC 9293 section 3.8.3).
    pub give_up: Duration,
    /// How long the host waits for its peer at most, while what it has sent is not acknowledged, before it closes the
    /// connection: R2, or the user timeout if that is less; `None`: not known.
    pub longest_wait: Option<Duration>,
    /// R2 for a SYN.
    pub syn_give_up: Duration,
    /// Whether the host as a sender of data heeds SACK where that is agreed on (RFC 2018 section 5).
    pub heeds_sack: bool,
    /// Whether the host waits for what may only be overtaken, where fewer than three segments behind a hole are SACKed (RFC 8985
    /// section 6.2).
    pub waits_for_reordering: bool,
    /// Whether the host repairs with each partial ack of a fast recovery the next hole (RFC 6582 section 3.2).
    pub heeds_partial_acks: bool,
    /// Whether the host sends no more in a fast recovery than arrives, until an ack advances (RFC 9937 section 6.2).
    pub conserves_packets: bool,
    /// Whether the host sends all again from the first loss on, as hosts did before there was SACK.
    pub goes_back: bool,
    /// Whether the host has room for each half-open connection: where there are many others may give way, and what follows
    /// belongs to no connection (RFC 4987 section 3).
    pub keeps_half_open: bool,
    /// How many ranges behind holes the host holds at least; further ones it may drop (RFC 9293 SHLD-31).
    pub reassembly_ranges: usize,
    /// Whether the host reduces its window after an idle time (RFC 5681 section 4.1).
    pub restarts_after_idle: bool,
    /// Whether the host answers segments that belong to no connection, unless there are many; hosts behind a filter do not.
    pub answers_strangers: bool,
    /// Whether the host reports what arrives twice by D-SACK where SACK is agreed on (RFC 2883).
    pub reports_duplicates: bool,
    /// Whether checksums are complete where packets are captured, so that a wrong one is the host's fault when it
    /// sends, and makes it drop what it receives.
    pub checksums_are_complete: bool,
    /// Whether what is captured may be larger than what goes on the path: taken before segmentation.
    pub super_segments: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            law: Law::Unknown,
            initial_window: 10,
            least_rto: Duration::from_millis(200),
            initial_rto: Duration::from_secs(1),
            largest_rto: Duration::from_secs(120),
            ack_delay: Duration::from_millis(500),
            segments_per_ack: 2,
            reaction: Duration::from_millis(10),
            nagle: None,
            probes_path: false,
            sees_all: false,
            calls_are_told: false,
            time_wait: Duration::from_secs(60),
            keepalive: Duration::from_secs(7200),
            give_up: Duration::from_secs(100),
            longest_wait: None,
            syn_give_up: Duration::from_secs(180),
            heeds_sack: false,
            waits_for_reordering: false,
            heeds_partial_acks: false,
            conserves_packets: false,
            goes_back: false,
            keeps_half_open: false,
            reassembly_ranges: usize::MAX,
            restarts_after_idle: false,
            answers_strangers: false,
            reports_duplicates: false,
            checksums_are_complete: true,
            super_segments: false,
        }
    }
}
