//! Whole stacks: packets and calls in, packets and events out.

mod accurate_ecn;
mod addresses;
mod any_packets;
#[cfg(feature = "tcp-ao")]
mod ao;
mod closing;
mod fast_open;
mod giving_up;
mod host_metrics;
mod icmp_errors;
mod limits;
mod memory;
mod opening;
mod paced;
mod postponed;
mod records;
mod requests;
mod roads;
mod settings;
mod shared_addresses;
#[cfg(feature = "tcp-md5")]
mod signatures;
mod strangers;
mod syn_cookies;
mod trains;
mod urgent;

use super::*;
use crate::congestion::{Ack, Congestion, Start};
use crate::storage::Buffer;
use crate::tcp::{Buffers, Config};
use crate::time::Duration;
use crate::wire::{
    Checksums, Flags, Header, IpInfo, MAX_HEADER, Protocol, Segment, WriteChecksum, parse_packet,
    write_packet_header,
};
use core::net::{IpAddr, SocketAddr};
use std::string::{String, ToString};
use std::vec::Vec;

/// A window law that does nothing.
#[derive(Clone, Debug)]
struct Window;

impl CongestionController for Window {
    fn name(&self) -> &'static str {
        "window"
    }
    fn on_start(&mut self, _: &Start) {}
    fn on_ack(&mut self, _: &Ack) {}
    fn on_congestion(&mut self, _: &Congestion) {}
    fn on_mss_change(&mut self, _: u32) {}
    fn window(&self) -> u32 {
        20_000
    }
    fn slow_start_threshold(&self) -> u32 {
        u32::MAX
    }
}

type Host = Stack<'static, Window>;

const CLIENT: &str = "10.0.0.1";
const SERVER: &str = "10.0.0.2";
/// What takes the place of a round trip.
const STEP: Duration = Duration::from_millis(1);

fn config() -> StackConfig {
    StackConfig::new(Capabilities::with_mtu(1500), [7, 11])
}

fn host_with(address: &str, config: StackConfig) -> Host {
    let mut host = Stack::new(config, Window, Storage::growing()).unwrap();
    let address: IpAddr = address.parse().unwrap();
    let prefix = if address.is_ipv4() { 24 } else { 64 };
    host.add_address(Cidr { address, prefix }).unwrap();
    host
}

fn addr(text: &str) -> SocketAddr {
    text.parse().unwrap()
}

fn millis(millis: u64) -> Instant {
    Instant::from_millis(millis)
}

/// Takes everything that a stack has to send.
fn packets<C: CongestionController + Clone, P: Profile>(
    now: Instant,
    host: &mut Stack<'_, C, P>,
) -> Vec<Vec<u8>> {
    let mut packets = Vec::new();
    let mut sink = |transmit: &Transmit<'_>| {
        let mut packet = std::vec![0; transmit.len()];
        transmit.copy_to(&mut packet).unwrap();
        packets.push(packet);
        Ok(())
    };
    while host.transmit(now, &mut sink).is_taken() {}
    packets
}

fn segment(packet: &[u8]) -> Segment<'_> {
    match parse_packet(packet, Checksums::default()).unwrap().protocol {
        Protocol::Tcp(segment) => segment,
        other => panic!("{other:?}"),
    }
}

/// A packet without payload.
fn packet_of(ip: &IpInfo, header: &Header) -> Vec<u8> {
    let mut bytes = [0; MAX_HEADER];
    let n = write_packet_header(&mut bytes, ip, header, [&[], &[]], WriteChecksum::Complete);
    bytes[..n].to_vec()
}

/// A packet like `packet` with another header and without payload.
fn with_header(packet: &[u8], change: impl FnOnce(&mut Header)) -> Vec<u8> {
    let Segment { mut header, ip, .. } = segment(packet);
    change(&mut header);
    packet_of(&ip, &header)
}

/// Flags and payload of packets.
fn shape(packets: &[Vec<u8>]) -> Vec<(Flags, String)> {
    let parts = packets.iter().map(|packet| segment(packet));
    parts.map(|s| (s.header.flags, String::from_utf8_lossy(s.payload).to_string())).collect()
}

fn events<C: CongestionController + Clone, P: Profile>(host: &mut Stack<'_, C, P>) -> Vec<Event> {
    core::iter::from_fn(|| host.poll_event()).collect()
}

/// Two hosts and the time.
struct Pair {
    now: Instant,
    client: Host,
    server: Host,
}

impl Pair {
    fn new() -> Self {
        Pair::with(config(), config())
    }

    fn with(client: StackConfig, server: StackConfig) -> Self {
        let now = millis(1_000);
        let secret = [client.secret[0] + 1, 5];
        let client = StackConfig { secret, ..client };
        Pair { now, client: host_with(CLIENT, client), server: host_with(SERVER, server) }
    }

    /// Carries packets both ways until nobody has any.
    fn run(&mut self) {
        loop {
            self.now += STEP;
            let to_server = packets(self.now, &mut self.client);
            to_server.iter().for_each(|packet| {
                self.server.on_packet(self.now, packet);
            });
            let to_client = packets(self.now, &mut self.server);
            to_client.iter().for_each(|packet| {
                self.client.on_packet(self.now, packet);
            });
            if to_server.is_empty() && to_client.is_empty() {
                return;
            }
        }
    }

    /// Lets time pass until the next timer of either, and fires it.
    fn wait(&mut self) {
        self.now = self.now.max(self.client.poll_at().min(self.server.poll_at()));
        self.client.on_timeout(self.now);
        self.server.on_timeout(self.now);
    }

    fn listen(&mut self) -> Listener {
        self.server.listen(ListenConfig::new(addr("0.0.0.0:80"))).unwrap()
    }

    fn connect(&mut self) -> Handle {
        let to = addr("10.0.0.2:80");
        self.client.connect(self.now, to, None, &Config::default()).unwrap()
    }

    /// A connection with both its ends.
    fn established(&mut self) -> (Handle, Handle) {
        let listener = self.listen();
        let client = self.connect();
        self.run();
        let server = self.server.accept(listener).unwrap();
        (client, server)
    }
}
