//! One Ethernet device, two stacks: this one for TCP, an existing smoltcp `Interface` for UDP, ping,
//! and (with its sockets) DHCP and DNS. They have the same hardware address and the same IP address, so
//! nobody on the wire can tell.
//!
//! Who answers ARP? smoltcp does: requests go to it alone. Answers go to both, each of which remembers
//! whom it asked for.

use ackclock::congestion::Reno;
use ackclock::link::Link;
use ackclock::link::ethernet::Ethernet;
use ackclock::link::phy::PhyLink;
use ackclock::stack::{Capabilities, Cidr, Rejected, Stack, StackConfig, Storage, Transmit};
use ackclock::tcp::{Config, ReceiveError};
use ackclock::time::{Duration, Instant};
use ackclock::wire::EthernetAddress;
use smoltcp::iface::{self, Interface, SocketSet};
use smoltcp::phy::{self, Device, DeviceCapabilities, Medium};
use smoltcp::socket::{tcp, udp};
use smoltcp::wire::{IpCidr, IpListenEndpoint, Ipv4Address};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::error::Error;
use std::rc::Rc;

/// Bytes of a frame without its check sequence.
const FRAME: usize = 1514;

const ECHO: u16 = 7;
const TIME: u16 = 37;

// ---- Whose a frame is ----

/// Ethernet types and IP protocols.
const ARP: [u8; 2] = [0x08, 0x06];
const IPV4: [u8; 2] = [0x08, 0x00];
const ICMP: u8 = 1;
const TCP: u8 = 6;

/// Whether a frame is for our stack, and whether it is for smoltcp. (IPv6 would be alike: neighbour
/// solicitations as requests here, advertisements as answers.)
fn whose(frame: &[u8]) -> (bool, bool) {
    let kind = frame.get(12..14);
    if kind == Some(&ARP) {
        let is_request = frame.get(21) == Some(&1);
        return (!is_request, true);
    }
    if kind != Some(&IPV4) {
        return (false, true);
    }
    match frame.get(23) {
        Some(&TCP) => (true, false),
        // Errors may be about either's packets; smoltcp answers echo requests.
        Some(&ICMP) => (frame.get(34) != Some(&8), true),
        _ => (false, true),
    }
}

/// What smoltcp sees of the device: at most one frame to receive, all its room to send.
struct Rest<'r, D> {
    frame: Option<&'r [u8]>,
    device: &'r mut D,
}

struct Held<'r>(&'r [u8]);

impl phy::RxToken for Held<'_> {
    fn consume<R, F: FnOnce(&[u8]) -> R>(self, f: F) -> R {
        f(self.0)
    }
}

impl<D: Device> Device for Rest<'_, D> {
    type RxToken<'a>
        = Held<'a>
    where
        Self: 'a;
    type TxToken<'a>
        = D::TxToken<'a>
    where
        Self: 'a;

    fn receive(&mut self, now: smoltcp::time::Instant) -> Option<(Held<'_>, D::TxToken<'_>)> {
        let frame = self.frame.take()?;
        Some((Held(frame), self.device.transmit(now)?))
    }

    fn transmit(&mut self, now: smoltcp::time::Instant) -> Option<D::TxToken<'_>> {
        self.device.transmit(now)
    }

    fn capabilities(&self) -> DeviceCapabilities {
        self.device.capabilities()
    }
}

/// A host with both stacks on one device.
struct Board<'s, D> {
    link: PhyLink<D>,
    stack: Stack<'static, Reno>,
    ethernet: Ethernet,
    interface: Interface,
    sockets: SocketSet<'s>,
}

impl<D: Device> Board<'_, D> {
    /// One round of the main loop.
    fn round(&mut self, now: Instant) {
        let Board { link, stack, ethernet, interface, sockets } = self;
        let mut bytes = [0; FRAME];
        loop {
            let mut length = None;
            let Ok(_) = link.receive(now, 1, &mut |received| {
                length = bytes.get_mut(..received.packet.len()).map(|to| {
                    to.copy_from_slice(received.packet);
                    to.len()
                });
            });
            let frame = length.map(|length| &bytes[..length]);
            let (ours, theirs) = frame.map_or((false, true), whose);
            if let Some(frame) = frame.filter(|_| ours) {
                ethernet.on_frame(now, stack, frame);
            }
            if theirs {
                let mut rest = Rest { frame, device: link.device_mut() };
                interface.poll(timestamp(now), &mut rest, sockets);
            }
            if frame.is_none() {
                break;
            }
        }
        stack.on_timeout(now);
        let mut send = |frame: &Transmit<'_>| link.transmit(now, frame).map_err(|_| Rejected);
        while ethernet.transmit(now, stack, &mut send).is_taken() {}
    }
}

fn timestamp(now: Instant) -> smoltcp::time::Instant {
    smoltcp::time::Instant::from_micros((now.as_nanos() / 1000) as i64)
}

// ---- What stands for the wire and for the other host ----

type Queue = Rc<RefCell<VecDeque<Vec<u8>>>>;

/// One end of a wire; on a board this is the driver.
struct Wire {
    received: Queue,
    sent: Queue,
}

struct Received(Vec<u8>);
struct Sent<'a>(&'a Queue);

impl phy::RxToken for Received {
    fn consume<R, F: FnOnce(&[u8]) -> R>(self, f: F) -> R {
        f(&self.0)
    }
}

impl phy::TxToken for Sent<'_> {
    fn consume<R, F: FnOnce(&mut [u8]) -> R>(self, len: usize, f: F) -> R {
        let mut bytes = vec![0; len];
        let answer = f(&mut bytes);
        self.0.borrow_mut().push_back(bytes);
        answer
    }
}

impl Device for Wire {
    type RxToken<'a> = Received;
    type TxToken<'a> = Sent<'a>;

    fn receive(&mut self, _: smoltcp::time::Instant) -> Option<(Received, Sent<'_>)> {
        Some((Received(self.received.borrow_mut().pop_front()?), Sent(&self.sent)))
    }

    fn transmit(&mut self, _: smoltcp::time::Instant) -> Option<Sent<'_>> {
        Some(Sent(&self.sent))
    }

    fn capabilities(&self) -> DeviceCapabilities {
        let mut capabilities = DeviceCapabilities::default();
        capabilities.medium = Medium::Ethernet;
        capabilities.max_transmission_unit = FRAME;
        capabilities
    }
}

/// A smoltcp interface at 192.0.2.`last`.
fn interface(device: &mut impl Device, last: u8) -> Interface {
    let hardware = smoltcp::wire::EthernetAddress(hardware(last).0);
    let config = iface::Config::new(hardware.into());
    let mut interface = Interface::new(config, device, timestamp(Instant::ZERO));
    let address = IpCidr::new(Ipv4Address::new(192, 0, 2, last).into(), 24);
    interface.update_ip_addrs(|addresses| {
        let _ = addresses.push(address);
    });
    interface
}

fn hardware(last: u8) -> EthernetAddress {
    EthernetAddress([2, 0, 0, 0, 0, last])
}

fn udp_socket() -> udp::Socket<'static> {
    let buffer = || udp::PacketBuffer::new(vec![udp::PacketMetadata::EMPTY; 4], vec![0; 512]);
    udp::Socket::new(buffer(), buffer())
}

/// The answers of the echo service over TCP and of the time service over UDP.
fn talk() -> Result<(Vec<u8>, Vec<u8>), Box<dyn Error>> {
    let (near, far) = (Queue::default(), Queue::default());
    let mut world = Wire { received: near.clone(), sent: far.clone() };
    let mut link = PhyLink::new(Wire { received: far, sent: near });

    let mut world_interface = interface(&mut world, 2);
    let mut world_sockets = SocketSet::new(Vec::new());
    let buffer = || tcp::SocketBuffer::new(vec![0; 2048]);
    let mut echo = tcp::Socket::new(buffer(), buffer());
    echo.listen(ECHO)?;
    let mut time = udp_socket();
    time.bind(TIME)?;
    let (echo, time) = (world_sockets.add(echo), world_sockets.add(time));

    // The board. With DHCP the address would come from smoltcp's `dhcpv4::Socket`: when it reports one,
    // both the interface and the stack get it; when it reports that it is lost, both lose it.
    let config = StackConfig::new(link.capabilities(), [0x5eed, 0x5eed]);
    assert_eq!(link.capabilities(), Capabilities::with_mtu(1500));
    let mut stack = Stack::new(config, Reno::default(), Storage::growing())?;
    stack.add_address(Cidr { address: [192, 0, 2, 1].into(), prefix: 24 })?;
    let interface = interface(link.device_mut(), 1);
    let ethernet = Ethernet::new(hardware(1));
    let mut sockets = SocketSet::new(Vec::new());
    let question = sockets.add(udp_socket());
    let mut board = Board { link, stack, ethernet, interface, sockets };

    let mut now = Instant::ZERO;
    let remote = "192.0.2.2:7".parse()?;
    let handle = board.stack.connect(now, remote, None, &Config::default())?;
    board.stack.send(now, handle, b"Is anybody there?")?;
    board.stack.shutdown(now, handle)?;
    let socket = board.sockets.get_mut::<udp::Socket<'_>>(question);
    socket.bind(IpListenEndpoint { addr: None, port: 5000 })?;
    socket.send_slice(b"What time is it?", (Ipv4Address::new(192, 0, 2, 2), TIME))?;

    let (mut answer, mut told, mut bytes) = (Vec::new(), Vec::new(), [0; 100]);
    let mut ended = false;
    while !ended || told.is_empty() {
        if now > Instant::from_secs(60) {
            return Err("no answer within a minute".into());
        }
        board.round(now);
        match board.stack.receive(now, handle, &mut bytes) {
            Ok(n) => answer.extend_from_slice(&bytes[..n]),
            Err(ReceiveError::WouldBlock) => {}
            Err(ReceiveError::Finished) => ended = true,
            Err(error) => return Err(error.into()),
        }
        let socket = board.sockets.get_mut::<udp::Socket<'_>>(question);
        if let Ok((text, _)) = socket.recv() {
            told = text.to_vec();
        }

        world_interface.poll(timestamp(now), &mut world, &mut world_sockets);
        let socket = world_sockets.get_mut::<tcp::Socket<'_>>(echo);
        while socket.can_recv() && socket.can_send() {
            let n = socket.recv_slice(&mut bytes)?;
            socket.send_slice(&bytes[..n])?;
        }
        if socket.state() == tcp::State::CloseWait {
            socket.close();
        }
        let socket = world_sockets.get_mut::<udp::Socket<'_>>(time);
        if let Ok((_, from)) = socket.recv().map(|(text, from)| (text.len(), from)) {
            socket.send_slice(b"a quarter past nine", from)?;
        }
        world_interface.poll(timestamp(now), &mut world, &mut world_sockets);
        now += Duration::from_millis(1);
    }
    Ok((answer, told))
}

fn main() -> Result<(), Box<dyn Error>> {
    let (answer, told) = talk()?;
    println!("over TCP, by ackclock: {}", String::from_utf8_lossy(&answer));
    println!("over UDP, by smoltcp: {}", String::from_utf8_lossy(&told));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_stacks_get_their_answers_over_one_device() {
        let (answer, told) = talk().unwrap();
        assert_eq!(answer, b"Is anybody there?");
        assert_eq!(told, b"a quarter past nine");
    }
}
