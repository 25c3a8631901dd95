//! Both ends of one connection: packets in bytes and as scripts write them.

use super::icmp::IcmpError;
use super::packet::Packet;
use ackclock::apps::Pattern;
use ackclock::seq::{SeqNumber, SeqRange};
use ackclock::wire::ao::key_ids;
use ackclock::wire::{
    Checksums, Ecn, Flags, Header, IpInfo, MAX_HEADER, Options, Protocol, Segment, WriteChecksum,
    parse_packet, write_packet_header,
};
use std::net::SocketAddr;

/// What our timestamps read when a script begins.
pub const FIRST_TIMESTAMP: u32 = 1_000;
/// The peer's initial sequence number.
const PEER_ISN: SeqNumber = SeqNumber(0_u32.wrapping_sub(5_000));
/// The peer's window until the script tells one.
const PEER_WINDOW: u16 = 60_000;

/// The stream that we send.
pub const OUR_STREAM: Pattern = Pattern::new(1);
/// The stream that the peer sends.
pub const PEER_STREAM: Pattern = Pattern::new(2);

/// Both ends of one connection, and what is known of their numbers.
#[derive(Clone, Debug)]
pub struct Conversation {
    /// Our end; with port 0 our SYN tells it.
    pub ours: SocketAddr,
    /// The peer's end.
    pub peers: SocketAddr,
    /// The window of the peer's next packet that does not tell one.
    pub peer_window: u16,
    /// Known from our SYN on.
    our_isn: Option<SeqNumber>,
    /// Our timestamp clock's reading when the script began, less [`FIRST_TIMESTAMP`].
    timestamp_base: Option<u32>,
}

impl Conversation {
    /// One of which no packet was seen.
    pub fn new(ours: SocketAddr, peers: SocketAddr) -> Self {
        Conversation { ours, peers, peer_window: PEER_WINDOW, our_isn: None, timestamp_base: None }
    }

    /// What we have sent `millis` after the script began, in relative numbers; its payload is
    /// checked.
    ///
    /// # Errors
    /// It is no TCP segment, or its payload is not our stream's.
    pub fn read(&mut self, millis: u32, bytes: &[u8]) -> Result<Packet, String> {
        let parsed = parse_packet(bytes, Checksums::default());
        let parsed = parsed.map_err(|error| format!("the stack sent a bad packet: {error}"))?;
        let Protocol::Tcp(Segment { header, payload, .. }) = parsed.protocol else {
            return Err("the stack sent a packet that is not TCP".into());
        };
        if header.flags.contains(Flags::SYN) {
            self.our_isn.get_or_insert(header.seq);
            self.ours.set_port(header.source_port);
        }
        let mut options = header.options;
        if let Some(timestamps) = &mut options.timestamps {
            let reading = FIRST_TIMESTAMP.wrapping_add(millis);
            let now = timestamps.value.wrapping_sub(reading);
            let base = *self.timestamp_base.get_or_insert(now);
            timestamps.value = timestamps.value.wrapping_sub(base);
        }
        shift(&mut options, 0_u32.wrapping_sub(PEER_ISN.0));
        let seq = header.seq - self.our_isn().0;
        let has_ack = header.flags.contains(Flags::ACK);
        let packet = Packet {
            ecn: Some(parsed.ip.ecn),
            flags: header.flags,
            seq,
            len: payload.len() as u32,
            ack: if has_ack { header.ack - PEER_ISN.0 } else { SeqNumber(0) },
            window: Some(header.window),
            urgent: Some(header.urgent_pointer),
            options: Some(options),
            key_ids: key_ids(bytes),
        };
        match OUR_STREAM.first_mismatch(stream_offset(&packet), payload) {
            None => Ok(packet),
            Some(at) => Err(format!("the payload of `{packet}` is wrong from its byte {at} on")),
        }
    }

    /// What the peer sends, with the window it has, in bytes.
    ///
    /// # Errors
    /// It echoes a timestamp, and we have sent none.
    pub fn write(&mut self, packet: &Packet) -> Result<(Packet, Vec<u8>), String> {
        self.peer_window = packet.window.unwrap_or(self.peer_window);
        let packet = Packet { window: Some(self.peer_window), ..*packet };
        let mut options = packet.options.unwrap_or_default();
        shift(&mut options, self.our_isn().0);
        if let Some(timestamps) = options.timestamps.as_mut().filter(|option| option.echo != 0) {
            let base = self.timestamp_base.ok_or("we have sent no timestamp to echo")?;
            timestamps.echo = timestamps.echo.wrapping_add(base);
        }
        let has_ack = packet.flags.contains(Flags::ACK);
        let header = Header {
            source_port: self.peers.port(),
            destination_port: self.ours.port(),
            seq: PEER_ISN + packet.seq.0,
            ack: if has_ack { packet.ack + self.our_isn().0 } else { SeqNumber(0) },
            flags: packet.flags,
            window: self.peer_window,
            urgent_pointer: packet.urgent.unwrap_or(0),
            options,
        };
        let ip = IpInfo {
            source: self.peers.ip().into(),
            destination: self.ours.ip().into(),
            hop_limit: 64,
            dscp: 0,
            ecn: packet.ecn.unwrap_or(Ecn::NotEct),
        };
        let mut payload = vec![0; packet.len as usize];
        PEER_STREAM.fill(stream_offset(&packet), &mut payload);
        let mut bytes = [0; MAX_HEADER];
        let checksum = WriteChecksum::Complete;
        let len = write_packet_header(&mut bytes, &ip, &header, [&payload, &[]], checksum);
        Ok((packet, [&bytes[..len], &payload].concat()))
    }

    /// The error that a router sends to us, in bytes.
    ///
    /// # Errors
    /// The conversation's version of IP has no such error.
    pub fn write_error(&self, error: &IcmpError) -> Result<Vec<u8>, String> {
        error.write(self.ours.ip(), &self.quote(error.about))
    }

    /// The headers of our packet that begins at `seq`, as an ICMP error quotes them.
    fn quote(&self, seq: SeqNumber) -> Vec<u8> {
        let header = Header {
            source_port: self.ours.port(),
            destination_port: self.peers.port(),
            seq: seq + self.our_isn().0,
            flags: Flags::ACK,
            ..Header::default()
        };
        let ip = IpInfo {
            source: self.ours.ip().into(),
            destination: self.peers.ip().into(),
            hop_limit: 64,
            dscp: 0,
            ecn: Ecn::NotEct,
        };
        let mut bytes = [0; MAX_HEADER];
        let checksum = WriteChecksum::Complete;
        let len = write_packet_header(&mut bytes, &ip, &header, [&[], &[]], checksum);
        bytes[..len].to_vec()
    }

    /// 0 before we have told it.
    fn our_isn(&self) -> SeqNumber {
        self.our_isn.unwrap_or_default()
    }
}

/// Where the payload begins in its side's stream.
fn stream_offset(packet: &Packet) -> u64 {
    let syn = u32::from(packet.flags.contains(Flags::SYN));
    (packet.seq + syn - 1).0.into()
}

/// Moves the SACK blocks by `by` sequence numbers. (What lies there instead of blocks has none.)
fn shift(options: &mut Options, by: u32) {
    if options.sack.is_empty() {
        return;
    }
    let (blocks, counters) = (options.sack, options.accurate_ecn());
    options.sack = blocks.without_blocks();
    for block in blocks.as_slice() {
        options.sack.push(SeqRange::new(block.start + by, block.end + by));
    }
    options.set_accurate_ecn(counters);
}
