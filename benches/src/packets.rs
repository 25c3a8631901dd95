//! Packets to read and write, and timers to fire.

use ackclock::congestion::BuiltIn;
use ackclock::stack::{Capabilities, Cidr, Stack, StackConfig, Storage};
use ackclock::tcp::Config;
use ackclock::time::Instant;
use ackclock::wire::{
    Checksums, Ecn, Flags, Header, IpInfo, MAX_HEADER, Options, Timestamps, WriteChecksum,
    parse_packet, write_packet_header,
};
use smoltcp::phy::ChecksumCapabilities;
use smoltcp::wire::{
    IpProtocol, Ipv4Address, Ipv4Packet, Ipv4Repr, TcpControl, TcpPacket, TcpRepr, TcpSeqNumber,
    TcpTimestampRepr,
};
use std::hint::black_box;

/// Payload of a full segment.
pub const PAYLOAD: usize = 1_448;

/// Writes a packet with `payload`, as a sender does; returns its length.
pub fn write(to: &mut [u8], payload: &[u8]) -> usize {
    let ip = IpInfo {
        source: [10, 0, 0, 1].into(),
        destination: [10, 0, 0, 2].into(),
        hop_limit: 64,
        dscp: 0,
        ecn: Ecn::NotEct,
    };
    let options =
        Options { timestamps: Some(Timestamps { value: 1, echo: 2 }), ..Options::default() };
    let header = Header {
        source_port: 1,
        destination_port: 2,
        flags: Flags::ACK,
        window: 1_000,
        options,
        ..Header::default()
    };
    let mut head = [0; MAX_HEADER];
    let len = write_packet_header(
        &mut head,
        black_box(&ip),
        black_box(&header),
        [payload, &[]],
        WriteChecksum::Complete,
    );
    to[..len].copy_from_slice(&head[..len]);
    to[len..len + payload.len()].copy_from_slice(payload);
    len + payload.len()
}

/// Reads a packet; returns the length of its payload.
///
/// # Panics
/// If it is no TCP segment.
pub fn read(packet: &[u8]) -> usize {
    match parse_packet(black_box(packet), Checksums::default()).map(|packet| packet.protocol) {
        Ok(ackclock::wire::Protocol::Tcp(segment)) => black_box(segment).payload.len(),
        other => panic!("no segment: {other:?}"),
    }
}

/// As [`write()`], by smoltcp.
pub fn write_smoltcp(to: &mut [u8], payload: &[u8]) -> usize {
    let checksums = ChecksumCapabilities::default();
    let (source, destination) = (Ipv4Address::new(10, 0, 0, 1), Ipv4Address::new(10, 0, 0, 2));
    let tcp = TcpRepr {
        src_port: 1,
        dst_port: 2,
        control: TcpControl::None,
        seq_number: TcpSeqNumber(0),
        ack_number: Some(TcpSeqNumber(0)),
        window_len: 1_000,
        window_scale: None,
        max_seg_size: None,
        sack_permitted: false,
        sack_ranges: [None; 3],
        timestamp: Some(TcpTimestampRepr::new(1, 2)),
        payload: black_box(payload),
    };
    let ip = Ipv4Repr {
        src_addr: source,
        dst_addr: destination,
        next_header: IpProtocol::Tcp,
        payload_len: tcp.buffer_len(),
        hop_limit: 64,
    };
    let ip_len = ip.buffer_len();
    ip.emit(&mut Ipv4Packet::new_unchecked(&mut *to), &checksums);
    let len = ip_len + tcp.buffer_len();
    let mut packet = TcpPacket::new_unchecked(&mut to[ip_len..len]);
    tcp.emit(&mut packet, &source.into(), &destination.into(), &checksums);
    len
}

/// As [`read`], by smoltcp.
///
/// # Panics
/// If it is no TCP segment.
pub fn read_smoltcp(packet: &[u8]) -> usize {
    let checksums = ChecksumCapabilities::default();
    let ip = Ipv4Packet::new_checked(black_box(packet)).expect("an IP packet");
    let repr = Ipv4Repr::parse(&ip, &checksums).expect("an IP packet");
    let tcp = TcpPacket::new_checked(ip.payload()).expect("a segment");
    let (source, destination) = (repr.src_addr.into(), repr.dst_addr.into());
    let tcp = TcpRepr::parse(&tcp, &source, &destination, &checksums).expect("a segment");
    black_box(tcp).payload.len()
}

/// A stack with connections whose SYN nobody answers: each has a timer.
pub struct Timers {
    stack: Stack<'static>,
    count: usize,
}

impl Timers {
    /// So many timers.
    ///
    /// # Panics
    /// If there is no memory for them.
    pub fn new(count: usize) -> Self {
        let mut config = StackConfig::new(Capabilities::with_mtu(1500), [1, 2]);
        config.max_connections = count;
        // Each promises a window that nothing ever fills.
        config.memory = 1 << 40;
        let law = BuiltIn::default();
        let mut stack = Stack::new(config, law, Storage::growing()).expect("a configuration");
        let address = Cidr { address: [10, 0, 0, 1].into(), prefix: 8 };
        stack.add_address(address).expect("room for an address");
        let mut settings = Config::default();
        settings.syn_give_up = ackclock::time::Duration::from_secs(1_000_000_000);
        for n in 0..count {
            let now = Instant::from_micros(100 * n as u64);
            // There are 16,384 ephemeral ports towards each.
            let remote = std::net::SocketAddr::new([10, 0, 1, (n / 16_000) as u8].into(), 9);
            stack.connect(now, remote, None, &settings).expect("a free port");
            let mut sink = |_: &ackclock::stack::Transmit<'_>| Ok(());
            while stack.transmit(now, &mut sink).is_taken() {}
        }
        Timers { stack, count }
    }

    /// Lets so many timers fire, each of which starts anew.
    pub fn fire(&mut self, times: u64) {
        for _ in 0..times {
            let now = self.stack.poll_at();
            self.stack.on_timeout(now);
            let mut sink = |_: &ackclock::stack::Transmit<'_>| Ok(());
            while self.stack.transmit(now, &mut sink).is_taken() {}
        }
        assert!(self.count > 0 && !self.stack.poll_at().is_never());
    }
}
