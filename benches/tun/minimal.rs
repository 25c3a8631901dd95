//! The bound: a driver that knows its packets beforehand. It keeps to the peer's window, and does
//! nothing else that a TCP must do: it repairs no loss, and measures and checks nothing.

use super::{BUFFER, Job, KERNEL, OURS, PORT, SEGMENT};
use ackclock::link::Link;
use ackclock::stack::{Received, Transmit};
use ackclock::time::Instant;
use ackclock::wire::{
    Ecn, Flags, Header, IpInfo, MAX_HEADER, Options, WriteChecksum, write_packet_header,
};
use ackclock_host::tun::Tun;
use rustix::event::{PollFd, PollFlags, poll};
use std::net::SocketAddr;

/// Packets read at a time.
const BATCH: usize = 64;
/// Segments of one transmission where the kernel segments.
const LARGE: usize = 45 * SEGMENT;
/// Shift count of our windows; with it the field says how much is offered.
const SHIFT: u8 = 3;
const WINDOW: u16 = (BUFFER >> SHIFT) as u16;

/// What of an arriving segment matters.
#[derive(Clone, Copy)]
struct Arrived {
    port: u16,
    seq: u32,
    ack: u32,
    flags: Flags,
    window: u32,
    len: u32,
}

/// What is told of each packet that is no TCP over IPv4 without options of IP: nothing.
fn parse(packet: &[u8]) -> Option<Arrived> {
    if packet.len() < 40 || packet[0] != 0x45 || packet[9] != 6 {
        return None;
    }
    let word = |at: usize| u32::from_be_bytes([0, 1, 2, 3].map(|n| packet[at + n]));
    Some(Arrived {
        port: (word(20) >> 16) as u16,
        seq: word(24),
        ack: word(28),
        flags: Flags::from_bits((word(32) >> 16) as u16),
        window: word(32) & 0xffff,
        len: (packet.len() - 20 - 4 * usize::from(packet[32] >> 4)) as u32,
    })
}

/// The headers of one kind of packet, of which only the numbers change.
struct Template<'p> {
    header: [u8; MAX_HEADER],
    length: usize,
    payload: &'p [u8],
    checksum: WriteChecksum,
    /// Sum of all but the numbers.
    sum: u64,
}

impl<'p> Template<'p> {
    fn new(header: &Header, payload: &'p [u8], checksum: WriteChecksum) -> Self {
        let ip = IpInfo {
            source: OURS.address.into(),
            destination: KERNEL.into(),
            hop_limit: 64,
            dscp: 0,
            ecn: Ecn::NotEct,
        };
        let mut bytes = [0; MAX_HEADER];
        let length = write_packet_header(&mut bytes, &ip, header, [payload, &[]], checksum);
        let written = u16::from_be_bytes([bytes[36], bytes[37]]);
        Template { header: bytes, length, payload, checksum, sum: u64::from(!written) }
    }

    fn send(&mut self, tun: &mut Tun, seq: u32, ack: u32) {
        self.header[24..28].copy_from_slice(&seq.to_be_bytes());
        self.header[28..32].copy_from_slice(&ack.to_be_bytes());
        if self.checksum == WriteChecksum::Complete {
            let halves = |word: u32| u64::from(word >> 16) + u64::from(word & 0xffff);
            let mut sum = self.sum + halves(seq) + halves(ack);
            while sum > 0xffff {
                sum = (sum >> 16) + (sum & 0xffff);
            }
            self.header[36..38].copy_from_slice(&(!(sum as u16)).to_be_bytes());
        }
        let large = self.payload.len() > SEGMENT;
        let transmit = Transmit {
            header: &self.header[..self.length],
            payload: [self.payload, &[]],
            transport_offset: 20,
            segment_size: if large { SEGMENT as u16 } else { 0 },
            checksum: self.checksum,
            ecn: Ecn::NotEct,
        };
        tun.transmit(Instant::ZERO, &transmit).expect("a device that takes packets");
    }
}

/// Reads until a packet is there that passes.
fn await_packet(tun: &mut Tun, passes: impl Fn(&Arrived) -> bool) -> Arrived {
    loop {
        let mut found = None;
        let take = &mut |received: Received<'_>| found = parse(received.packet).filter(&passes);
        if tun.receive(Instant::ZERO, 1, take).expect("a working device") == 0 {
            wait(tun);
        }
        if let Some(found) = found {
            return found;
        }
    }
}

fn wait(tun: &Tun) {
    poll(&mut [PollFd::new(tun, PollFlags::IN)], None).expect("a working device");
}

pub(super) fn run(mut tun: Tun, job: Job, remote: SocketAddr) {
    match job {
        Job::Send(bytes) => send(&mut tun, bytes, remote.port()),
        Job::Receive(bytes) => receive(&mut tun, bytes),
        Job::Answer(_) => unreachable!("no bound is measured of it"),
    }
}

fn header(flags: Flags, destination_port: u16) -> Header {
    let window = WINDOW;
    Header { source_port: PORT, destination_port, flags, window, ..Header::default() }
}

fn syn_options() -> Options {
    let mss = Some(SEGMENT as u16);
    Options { mss, window_scale: Some(SHIFT), ..Options::default() }
}

fn send(tun: &mut Tun, bytes: u64, port: u16) {
    let checksum = tun.capabilities().checksum;
    let syn = Header { options: syn_options(), ..header(Flags::SYN, port) };
    Template::new(&syn, &[], checksum).send(tun, 0, 0);
    let syn_ack = await_packet(tun, |arrived| arrived.flags.contains(Flags::SYN | Flags::ACK));
    let shift = scale_of_the_kernel();
    let ack = syn_ack.seq.wrapping_add(1);
    let plain = header(Flags::ACK, port);
    Template::new(&plain, &[], checksum).send(tun, 1, ack);
    let data = vec![0x5a; LARGE];
    let size = if tun.is_offloading() { LARGE } else { SEGMENT };
    let mut full = Template::new(&plain, &data[..size], checksum);
    let (mut una, mut nxt, mut window) = (1u64, 1u64, syn_ack.window);
    let end = 1 + bytes;
    while una < end {
        let mut arrived = 0;
        while nxt < end {
            let room = (una + u64::from(window.min(BUFFER as u32))).saturating_sub(nxt);
            let length = if room >= size as u64 {
                (end - nxt).min(size as u64)
            } else if una == nxt {
                // The first window may not hold a large transmission.
                (end - nxt).min(room)
            } else {
                break;
            };
            if length == size as u64 {
                full.send(tun, nxt as u32, ack);
            } else {
                let payload = &data[..length as usize];
                Template::new(&plain, payload, checksum).send(tun, nxt as u32, ack);
            }
            nxt += length;
        }
        let take = &mut |received: Received<'_>| {
            if let Some(segment) = parse(received.packet) {
                una += u64::from(segment.ack.wrapping_sub(una as u32));
                window = segment.window << shift;
                arrived += 1;
            }
        };
        tun.receive(Instant::ZERO, BATCH, take).expect("a working device");
        if arrived == 0 && una < end {
            wait(tun);
        }
    }
    let fin = header(Flags::FIN | Flags::ACK, port);
    Template::new(&fin, &[], checksum).send(tun, end as u32, ack);
    await_packet(tun, |arrived| arrived.flags.contains(Flags::FIN));
    Template::new(&plain, &[], checksum).send(tun, end as u32 + 1, ack.wrapping_add(1));
}

/// The shift count follows from the largest receive buffer (tcp(7), `tcp_rmem`).
fn scale_of_the_kernel() -> u32 {
    let sizes = std::fs::read_to_string("/proc/sys/net/ipv4/tcp_rmem").expect("tcp_rmem");
    let largest = sizes.split_whitespace().last().and_then(|size| size.parse().ok());
    let largest: u32 = largest.expect("a size");
    let core = std::fs::read_to_string("/proc/sys/net/core/rmem_max").expect("rmem_max");
    let largest = largest.max(core.trim().parse().expect("a size"));
    (0..14).find(|shift| largest >> shift <= 0xffff).unwrap_or(14)
}

fn receive(tun: &mut Tun, bytes: u64) {
    let checksum = tun.capabilities().checksum;
    let syn = await_packet(tun, |arrived| arrived.flags.contains(Flags::SYN));
    let mut next = syn.seq.wrapping_add(1);
    let syn_ack = Header { options: syn_options(), ..header(Flags::SYN | Flags::ACK, syn.port) };
    Template::new(&syn_ack, &[], checksum).send(tun, 0, next);
    let mut ack = Template::new(&header(Flags::ACK, syn.port), &[], checksum);
    // RFC 9293 section 3.8.6.3, without anything that would delay an ack for long: the sender's
    // window is wider than what waits here.
    let segments = if tun.is_offloading() { 1 } else { 2 };
    let (mut waiting, mut total, mut finished) = (0, 0, false);
    while !finished {
        let mut acks = Vec::with_capacity(BATCH);
        let take = &mut |received: Received<'_>| {
            let Some(segment) = parse(received.packet) else {
                return;
            };
            if segment.seq == next && segment.len > 0 {
                next = next.wrapping_add(segment.len);
                total += u64::from(segment.len);
                waiting += 1;
                if waiting == segments {
                    waiting = 0;
                    acks.push(next);
                }
            }
            if segment.flags.contains(Flags::FIN) {
                finished = true;
            }
        };
        let read = tun.receive(Instant::ZERO, BATCH, take).expect("a working device");
        acks.iter().for_each(|next| ack.send(tun, 1, *next));
        if read == 0 {
            wait(tun);
        } else if read < BATCH && waiting > 0 {
            ack.send(tun, 1, next);
            waiting = 0;
        }
    }
    assert_eq!(total, bytes);
    let fin = header(Flags::FIN | Flags::ACK, syn.port);
    Template::new(&fin, &[], checksum).send(tun, 1, next.wrapping_add(1));
}
