//! Promises of TCP that can be seen in its segments, checked on each segment that is sent.

use crate::script::Side;
use ackclock::apps::Pattern;
use ackclock::seq::SeqNumber;
use ackclock::time::Instant;
use ackclock::wire::{Checksums, Flags, Header, Protocol, Segment, parse_packet};
use ackclock_emulator::{Event, LEFT, NodeId, Observer};

/// The stream of bytes that an end sends.
pub(crate) fn stream(side: Side) -> Pattern {
    Pattern::new(side as u64 + 1)
}

/// The state of one end, as far as its segments tell.
#[derive(Clone, Copy, Debug, Default)]
struct Sender {
    iss: Option<SeqNumber>,
    /// Shift count and MSS in the end's SYN.
    window_scale: Option<u8>,
    mss: Option<u16>,
    /// The highest sequence number after anything that the end sent.
    max: SeqNumber,
    fin: Option<SeqNumber>,
    /// The end's highest acknowledgement, and the right edge of its window.
    ack: Option<SeqNumber>,
    edge: Option<SeqNumber>,
}

/// An observer of both ends that keeps the first broken promise.
#[derive(Debug)]
pub(crate) struct Promises {
    ipv6: bool,
    senders: [Sender; 2],
    broken: Option<String>,
}

impl Promises {
    pub(crate) fn new(ipv6: bool) -> Self {
        Promises { ipv6, senders: [Sender::default(); 2], broken: None }
    }

    /// The first promise that was broken.
    pub(crate) fn broken(&self) -> Option<&str> {
        self.broken.as_deref()
    }

    /// The initial sequence number of an end.
    pub(crate) fn iss(&self, side: Side) -> Option<SeqNumber> {
        self.senders[side as usize].iss
    }

    fn check(&mut self, from: Side, segment: &Segment<'_>) -> Result<(), String> {
        let peer = self.senders[from.other() as usize];
        let default_mss = if self.ipv6 { 1220 } else { 536 };
        let sender = &mut self.senders[from as usize];
        let header = &segment.header;
        let flags = header.flags;
        if flags.contains(Flags::RST) {
            return Ok(());
        }
        if flags.contains(Flags::SYN) {
            sender.check_syn(header)?;
        } else {
            promise(flags.contains(Flags::ACK), "every segment after the SYN acknowledges")?;
        }
        let iss = sender.iss.ok_or("a SYN comes first")?;
        if flags.contains(Flags::ACK) {
            sender.check_ack(header, &peer)?;
        }
        let payload = segment.payload;
        if !payload.is_empty() {
            let offset = header.seq.since(iss + 1);
            promise(
                stream(from).first_mismatch(offset.into(), payload).is_none(),
                "the bytes of a segment are those of the stream, however often they are sent",
            )?;
            let most = peer.mss.map_or(default_mss, |mss| mss.max(LEAST_MSS));
            promise(payload.len() <= usize::from(most), "no segment is above the peer's MSS")?;
        }
        sender.check_end(segment, &peer)
    }
}

/// Least MSS of a peer that is believed, in bytes: one that is smaller may be exceeded up to this.
const LEAST_MSS: u16 = 48;

impl Sender {
    /// A SYN, the first one or a retransmission.
    fn check_syn(&mut self, header: &Header) -> Result<(), String> {
        let before = (self.iss, self.mss);
        (self.iss, self.mss) = (Some(header.seq), header.options.mss);
        self.window_scale = header.options.window_scale;
        if self.ack.is_none() {
            self.max = header.seq + 1;
        }
        promise(
            before.0.is_none() || before == (self.iss, self.mss),
            "a retransmitted SYN is the same",
        )
    }

    /// The acknowledgement and the window of a segment.
    fn check_ack(&mut self, header: &Header, peer: &Sender) -> Result<(), String> {
        promise(
            self.ack.is_none_or(|ack| header.ack.at_or_after(ack)),
            "acknowledgements never go back",
        )?;
        promise(header.ack.at_or_before(peer.max), "only what was sent is acknowledged")?;
        self.ack = Some(header.ack);
        let scaled = !header.flags.contains(Flags::SYN) && peer.window_scale.is_some();
        let shift = self.window_scale.filter(|_| scaled).unwrap_or(0);
        let edge = header.ack + (u32::from(header.window) << shift);
        // A window that is not a multiple of its unit is rounded down, so that the edge may seem
        // to go back by less than a unit (RFC 7323 section 2.4).
        let unit = 1 << shift;
        promise(
            self.edge.is_none_or(|old| (edge + (unit - 1)).at_or_after(old)),
            "the right edge of the window never goes back",
        )?;
        self.edge = Some(self.edge.map_or(edge, |old| old.max(edge)));
        Ok(())
    }

    /// The end of a segment: within the peer's window, and at the FIN if there is one.
    fn check_end(&mut self, segment: &Segment<'_>, peer: &Sender) -> Result<(), String> {
        let flags = segment.header.flags;
        let end = segment.header.seq + segment.len();
        if let Some(edge) = peer.edge.filter(|_| !flags.contains(Flags::SYN)) {
            // A probe is one byte, or the FIN, beyond the edge.
            promise(end.at_or_before(edge + 1), "nothing but a probe goes beyond the window")?;
        }
        if flags.contains(Flags::FIN) {
            promise(self.fin.is_none_or(|fin| fin == end), "a FIN stays where it is")?;
            self.fin = Some(end);
        }
        promise(self.fin.is_none_or(|fin| end.at_or_before(fin)), "nothing follows a FIN")?;
        self.max = self.max.max(end);
        Ok(())
    }
}

fn promise(kept: bool, what: &str) -> Result<(), String> {
    if kept { Ok(()) } else { Err(what.into()) }
}

impl Observer for Promises {
    fn on_event(&mut self, now: Instant, event: &Event<'_>) {
        let Event::Sent(packet) = event else {
            return;
        };
        let from = if packet.from == NodeId::from(LEFT) { Side::Left } else { Side::Right };
        let answer = match parse_packet(packet.bytes, Checksums::default()) {
            Ok(parsed) => match parsed.protocol {
                Protocol::Tcp(segment) => self
                    .check(from, &segment)
                    .map_err(|broken| format!("{broken}: {:?}", segment.header)),
                _ => Ok(()),
            },
            Err(error) => Err(format!("a packet can be read: {error}")),
        };
        if let (Err(broken), None) = (answer, &self.broken) {
            let seconds = now.as_nanos() as f64 / 1e9;
            self.broken =
                Some(format!("{from:?}, packet {}, {seconds} s: {broken}", packet.number));
        }
    }
}
