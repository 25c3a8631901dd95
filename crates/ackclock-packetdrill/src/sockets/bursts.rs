//! PSH as Linux sets it: on the last segment of everything that it hands to its link in one piece, to be cut
//! there (`tcp_tso_autosize`, `tcp_cwnd_test`), besides that of a write.

use super::Sockets;
use super::socket::Kind;
use ackclock::tcp::Info;
use std::ops::Range;

/// PSH among the flags.
const PSH: u8 = 0x08;
/// Flags of segments that are never part of a piece: URG, SYN, RST.
const ALONE: u8 = 0x26;
/// Largest piece in bytes (GSO_MAX_SIZE).
const MOST_BYTES: u64 = 65_536;
/// By how many bits a rate in bytes a second becomes what is sent in about a millisecond (sk_pacing_shift), and
/// a round trip in microseconds by how many bits a piece on a short path is less than the largest
/// (tcp_tso_rtt_log).
const PACING_SHIFT: u32 = 10;
const ROUND_TRIP_SHIFT: u32 = 9;

impl Sockets {
    /// Marks the end of each piece among packets that were sent at once.
    pub(super) fn mark_bursts(&self, packets: &mut [Vec<u8>]) {
        let views: Vec<Option<View>> = packets.iter().map(|packet| View::of(packet)).collect();
        let mut begin = 0;
        while begin < packets.len() {
            let most = views[begin].as_ref().map_or(1, |view| self.piece(view));
            let mut end = begin + 1;
            while end < packets.len() && end - begin < most && follows(&views[end - 1], &views[end])
            {
                end += 1;
            }
            if end - begin > 1
                && let Some(view) = &views[end - 1]
            {
                view.push(&mut packets[end - 1]);
            }
            begin = end;
        }
    }

    /// How many segments go in one piece on the connection of a packet.
    fn piece(&self, view: &View) -> usize {
        let handles = self.sockets.values().filter_map(|socket| match &socket.kind {
            Kind::Stream(stream) => Some(stream.handle),
            _ => None,
        });
        let mut handles = handles.filter(|handle| {
            let [local, remote] = [self.stack.local_addr(*handle), self.stack.remote_addr(*handle)];
            [local, remote].map(|end| end.map(|end| end.port())) == view.ports.map(Some)
        });
        let info = handles.next().and_then(|handle| self.stack.info(self.now, handle));
        info.map_or(usize::MAX, |info| piece(&info, self.flags.min_tso_segs))
    }
}

/// How many segments go in one piece: half the window, and about what the rate sends in a millisecond.
fn piece(info: &Info, least: u16) -> usize {
    let mss = u64::from(info.mss.max(1));
    let half_window = (u64::from(info.cwnd) / mss / 2).max(1);
    let (round_trip, shortest) = (info.rtt.as_micros(), info.min_rtt.as_micros());
    if round_trip == 0 {
        return half_window as usize;
    }
    // In slow start the rate is two windows in a round trip, then 1.2 of them.
    let percent = if info.cwnd < info.ssthresh / 2 { 200 } else { 120 };
    let rate = u64::from(info.cwnd) * percent * 10_000 / round_trip;
    let nearby = MOST_BYTES.checked_shr((shortest >> ROUND_TRIP_SHIFT) as u32).unwrap_or(0);
    let bytes = ((rate >> PACING_SHIFT) + nearby).min(MOST_BYTES);
    (bytes / mss).max(least.into()).min(half_window) as usize
}

/// What has to be known of a packet.
struct View {
    /// Both addresses, ours first.
    addresses: Vec<u8>,
    /// Both ports, ours first.
    ports: [u16; 2],
    seq: u32,
    payload: u32,
    flags: u8,
    /// Where the TCP header is.
    tcp: usize,
}

impl View {
    /// Reads a packet of the stack's; `None` if it carries no data that may be part of a piece.
    fn of(packet: &[u8]) -> Option<View> {
        let (tcp, addresses): (usize, Range<usize>) = match packet.first()? >> 4 {
            4 => (usize::from(packet[0] & 15) * 4, 12..20),
            _ => (40, 8..40),
        };
        let header = packet.get(tcp..)?;
        let word = |at: usize| Some(u16::from_be_bytes(*header.get(at..)?.first_chunk()?));
        let seq = u32::from_be_bytes(*header.get(4..)?.first_chunk()?);
        let (offset, flags) = (usize::from(header.get(12)? >> 4) * 4, *header.get(13)?);
        let payload = header.len().checked_sub(offset)? as u32;
        let view = View {
            addresses: packet.get(addresses)?.to_vec(),
            ports: [word(0)?, word(2)?],
            seq,
            payload,
            flags,
            tcp,
        };
        (payload > 0 && flags & ALONE == 0).then_some(view)
    }

    /// Sets PSH, and puts the checksum right (RFC 1624 equation 3).
    fn push(&self, packet: &mut [u8]) {
        if self.flags & PSH != 0 {
            return;
        }
        packet[self.tcp + 13] |= PSH;
        let place = self.tcp + 16;
        let sum = u16::from_be_bytes([packet[place], packet[place + 1]]);
        let sum = u32::from(!sum) + u32::from(PSH);
        let sum = !((sum & 0xffff) + (sum >> 16)) as u16;
        packet[place..place + 2].copy_from_slice(&sum.to_be_bytes());
    }
}

/// Whether a packet goes on where the one before it ends, in the same piece.
fn follows(before: &Option<View>, packet: &Option<View>) -> bool {
    let (Some(before), Some(packet)) = (before, packet) else { return false };
    before.addresses == packet.addresses
        && before.ports == packet.ports
        && before.flags & PSH == 0
        && before.payload >= packet.payload
        && before.seq.wrapping_add(before.payload) == packet.seq
}
