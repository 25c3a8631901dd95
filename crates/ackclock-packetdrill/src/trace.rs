//! Packets and changes of state in packetdrill's own notation, so that what happened can be made a
//! script. What is no packet is a comment.

use ackclock::seq::SeqNumber;
use ackclock::tcp::State;
use ackclock::time::Instant;
use ackclock::wire::{Checksums, Ecn, Flags, IcmpErrorKind, Protocol, Segment, parse_packet};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::net::SocketAddr;

/// Our end and the peer's.
type Ends = [SocketAddr; 2];

/// The flags in packetdrill's letters, in an order that it reads: `.` comes last.
const FLAGS: [(Flags, char); 9] = [
    (Flags::FIN, 'F'),
    (Flags::SYN, 'S'),
    (Flags::RST, 'R'),
    (Flags::PSH, 'P'),
    (Flags::URG, 'U'),
    (Flags::ECE, 'E'),
    (Flags::CWR, 'W'),
    (Flags::AE, 'A'),
    (Flags::ACK, '.'),
];

/// Which way a packet goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Direction {
    /// To the stack.
    In,
    /// From the stack.
    Out,
}

/// Writes what happens, line by line.
pub(crate) struct Trace {
    begin: Instant,
    /// Initial sequence numbers of each connection, ours first, from the SYNs seen.
    first: BTreeMap<Ends, [Option<SeqNumber>; 2]>,
    states: BTreeMap<Ends, State>,
    /// Whose line was the last.
    last: Option<Ends>,
}

impl Trace {
    /// Times are told from `begin` on.
    pub(crate) fn new(begin: Instant) -> Self {
        Trace { begin, first: BTreeMap::new(), states: BTreeMap::new(), last: None }
    }

    /// The lines for a packet.
    pub(crate) fn packet(&mut self, now: Instant, direction: Direction, bytes: &[u8]) -> String {
        let arrow = if direction == Direction::In { '<' } else { '>' };
        let time = self.time(now);
        match parse_packet(bytes, Checksums { ip: false, transport: false }) {
            Ok(packet) => match packet.protocol {
                Protocol::Tcp(segment) => {
                    let ends = ends(direction, &segment);
                    let heading = self.heading(ends);
                    let text = self.segment(ends, direction, &segment, tcp_options(bytes));
                    format!("{heading}{time} {arrow} {text}\n")
                }
                Protocol::IcmpError(error) => {
                    let ends = [error.local, error.remote];
                    let heading = self.heading(ends);
                    let seq = self.relative(ends, 0, error.seq);
                    format!("{heading}{time} {arrow} {} // about {seq}\n", icmp(error.kind))
                }
                Protocol::EchoRequest(_) => format!("// {time} {arrow} icmp echo_request\n"),
                Protocol::OtherIcmp | Protocol::UnknownOption(_) => {
                    format!("// {time} {arrow} icmp\n")
                }
            },
            Err(error) => format!("// {time} {arrow} {} bytes: {error}\n", bytes.len()),
        }
    }

    /// The lines for what has changed since the last call.
    pub(crate) fn states(
        &mut self,
        now: Instant,
        states: impl Iterator<Item = (Ends, State)>,
    ) -> String {
        let states: BTreeMap<Ends, State> = states.collect();
        let before = std::mem::replace(&mut self.states, states);
        let mut changes = Vec::new();
        for (ends, state) in &before {
            let now = self.states.get(ends).copied().unwrap_or(State::Closed);
            changes.extend((now != *state).then_some((*ends, *state, now)));
        }
        for (ends, state) in &self.states {
            let is_new = !before.contains_key(ends);
            changes.extend(is_new.then_some((*ends, State::Closed, *state)));
        }
        let time = self.time(now);
        changes.iter().fold(String::new(), |lines, (ends, from, to)| {
            let heading = self.heading(*ends);
            format!("{lines}{heading}// {time} {from} -> {to}\n")
        })
    }

    fn time(&self, now: Instant) -> String {
        let micros = now.saturating_since(self.begin).as_micros();
        format!("{}.{:06}", micros / 1_000_000, micros % 1_000_000)
    }

    /// A line that says which connection follows, if it is another one than before.
    fn heading(&mut self, ends: Ends) -> String {
        match self.last.replace(ends) {
            Some(last) if last == ends => String::new(),
            _ => format!("// {} {}\n", ends[0], ends[1]),
        }
    }

    /// A number of ours (`side` 0) or of the peer's (1), from that of the SYN on.
    fn relative(&self, ends: Ends, side: usize, seq: SeqNumber) -> u32 {
        let first = self.first.get(&ends).and_then(|first| first[side]);
        first.map_or(seq.0, |first| seq.since(first))
    }

    fn segment(
        &mut self,
        ends: Ends,
        direction: Direction,
        segment: &Segment<'_>,
        options: &[u8],
    ) -> String {
        let header = &segment.header;
        let (side, other) = if direction == Direction::Out { (0, 1) } else { (1, 0) };
        if header.flags.contains(Flags::SYN) {
            // One that comes while the connection is open begins no other.
            let is_open = self.states.get(&ends).is_some_and(|state| {
                !matches!(state, State::SynSent | State::SynReceived | State::TimeWait)
            });
            let is_stray = direction == Direction::In && is_open;
            let first = self.first.entry(ends).or_default();
            if direction == Direction::In && !is_stray && !header.flags.contains(Flags::ACK) {
                // A new attempt of the peer's: our number will be another one too.
                *first = if first[1] == Some(header.seq) { *first } else { [None, None] };
            }
            if !is_stray {
                first[side] = Some(header.seq);
            }
        }
        let mut text = match segment.ip.ecn {
            Ecn::NotEct => "",
            Ecn::Ect0 => "[ect0] ",
            Ecn::Ect1 => "[ect1] ",
            Ecn::Ce => "[ce] ",
        }
        .to_owned();
        let flags = FLAGS.iter().filter(|(flag, _)| header.flags.contains(*flag));
        let before = text.len();
        text.extend(flags.map(|(_, letter)| letter));
        if text.len() == before {
            text.push('-');
        }
        let seq = self.relative(ends, side, header.seq);
        let len = segment.payload.len() as u32;
        let _ = write!(text, " {seq}:{}({len})", seq.wrapping_add(len));
        if header.flags.contains(Flags::ACK) {
            let _ = write!(text, " ack {}", self.relative(ends, other, header.ack));
        }
        let _ = write!(text, " win {}", header.window);
        if header.flags.contains(Flags::URG) {
            let _ = write!(text, " urg {}", header.urgent_pointer);
        }
        let words = option_words(options, |seq| self.relative(ends, other, seq));
        if !words.is_empty() {
            let _ = write!(text, " <{}>", words.join(","));
        }
        text
    }
}

fn ends(direction: Direction, segment: &Segment<'_>) -> Ends {
    let source = SocketAddr::new(segment.ip.source.into(), segment.header.source_port);
    let destination =
        SocketAddr::new(segment.ip.destination.into(), segment.header.destination_port);
    match direction {
        Direction::In => [destination, source],
        Direction::Out => [source, destination],
    }
}

fn icmp(kind: IcmpErrorKind) -> String {
    match kind {
        IcmpErrorKind::Unreachable => "icmp unreachable host_unreachable".into(),
        IcmpErrorKind::Refused => "icmp unreachable port_unreachable".into(),
        IcmpErrorKind::PacketTooBig { mtu } => format!("icmp unreachable frag_needed mtu {mtu}"),
        other => format!("icmp {other:?}"),
    }
}

/// The option area of a packet that carries TCP, behind extension headers none.
fn tcp_options(packet: &[u8]) -> &[u8] {
    let ip_header = match packet.first().map(|first| (first >> 4, first & 0x0f)) {
        Some((4, words)) => usize::from(words) * 4,
        _ => 40,
    };
    let tcp = packet.get(ip_header..).unwrap_or_default();
    let header = usize::from(tcp.get(12).map_or(0, |byte| byte >> 4)) * 4;
    tcp.get(20..header).unwrap_or_default()
}

/// Every option as it stands there, padding included. `relative` makes a number of ours short.
fn option_words(mut area: &[u8], relative: impl Fn(SeqNumber) -> u32) -> Vec<String> {
    let mut words = Vec::new();
    while let Some((kind, rest)) = area.split_first() {
        let len = match kind {
            0 | 1 => 1,
            _ => usize::from(rest.first().copied().unwrap_or(0)).max(2),
        };
        let value = area.get(2..len).unwrap_or_default();
        let number = |at: usize| {
            let bytes = value.get(at..).and_then(|value| value.first_chunk());
            bytes.map_or(0, |bytes| u32::from_be_bytes(*bytes))
        };
        words.push(match (kind, value) {
            (0, _) => "eol".into(),
            (1, _) => "nop".into(),
            (2, [high, low]) => format!("mss {}", u16::from_be_bytes([*high, *low])),
            (3, [shift]) => format!("wscale {shift}"),
            (4, []) => "sackOK".into(),
            (5, _) => value.chunks_exact(8).enumerate().fold("sack".into(), |text, (block, _)| {
                let edge = |at| relative(SeqNumber(number(block * 8 + at)));
                format!("{text} {}:{}", edge(0), edge(4))
            }),
            (8, _) => format!("TS val {} ecr {}", number(0), number(4)),
            _ => format!("kind {kind} length {len}"),
        });
        area = area.get(len..).unwrap_or_default();
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_stand_in_their_order_with_their_padding() {
        let area = [2, 4, 5, 180, 4, 2, 8, 10, 0, 0, 0, 7, 0, 0, 0, 9, 1, 3, 3, 7];
        let words = option_words(&area, |seq| seq.0);
        assert_eq!(words.join(","), "mss 1460,sackOK,TS val 7 ecr 9,nop,wscale 7");
        let area = [1, 1, 5, 18, 0, 0, 0, 5, 0, 0, 0, 6, 0, 0, 0, 2, 0, 0, 0, 3];
        let words = option_words(&area, |seq| seq.0 - 1);
        assert_eq!(words.join(","), "nop,nop,sack 4:5 1:2");
        assert_eq!(option_words(&[30, 3, 0, 0], |seq| seq.0), ["kind 30 length 3", "eol"]);
        assert_eq!(option_words(&[2], |seq| seq.0), ["kind 2 length 2"]);
        assert_eq!(option_words(&[2, 200, 1], |seq| seq.0), ["kind 2 length 200"]);
    }

    #[test]
    fn changes_of_state_are_told_once() {
        let mut trace = Trace::new(Instant::ZERO);
        let ends = ["10.0.0.1:80", "10.0.0.2:99"].map(|end| end.parse().expect("an address"));
        let at = |trace: &mut Trace, millis, state: Option<State>| {
            trace.states(Instant::from_millis(millis), state.map(|state| (ends, state)).into_iter())
        };
        assert_eq!(
            at(&mut trace, 1_500, Some(State::SynSent)),
            "// 10.0.0.1:80 10.0.0.2:99\n// 1.500000 CLOSED -> SYN-SENT\n"
        );
        assert_eq!(at(&mut trace, 1_500, Some(State::SynSent)), "");
        assert_eq!(at(&mut trace, 1_501, None), "// 1.501000 SYN-SENT -> CLOSED\n");
    }

    #[test]
    fn what_is_no_packet_is_told_too() {
        let mut trace = Trace::new(Instant::ZERO);
        let told = trace.packet(Instant::ZERO, Direction::In, &[0x45, 0]);
        assert!(told.starts_with("// 0.000000 < 2 bytes: "), "{told}");
    }
}
