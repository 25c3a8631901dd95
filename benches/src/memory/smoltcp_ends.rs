//! Two of smoltcp's interfaces.

use super::{Access, CHUNK, Family, MTU, Packets, make, use_up};
use smoltcp::iface::{Config, Interface, PollIngressSingleResult, SocketHandle, SocketSet};
use smoltcp::phy::{Checksum, Device, DeviceCapabilities, Medium, RxToken, TxToken};
use smoltcp::socket::tcp::{CongestionControl, Socket, SocketBuffer, State};
use smoltcp::time::{Duration, Instant};
use smoltcp::wire::{HardwareAddress, IpAddress, IpCidr};

/// How long a turn of both ends takes in virtual time.
const TURN: Duration = Duration::from_micros(20);

/// Longer than smoltcp stays in TIME-WAIT.
const TIME_WAIT: Duration = Duration::from_secs(11);

/// The server's port.
const PORT: u16 = 9;

/// What is measured.
#[derive(Clone, Copy, Debug)]
pub struct SmoltcpSetup {
    /// The version of IP.
    pub family: Family,
    /// Size of each buffer in bytes.
    pub buffer: usize,
    /// The window law.
    pub congestion: CongestionControl,
    /// Packets that an end takes in before it speaks.
    pub batch: usize,
    /// How the applications get at the data.
    pub access: Access,
    /// Whether the device sums and verifies.
    pub checksum_offload: bool,
}

impl Default for SmoltcpSetup {
    fn default() -> Self {
        SmoltcpSetup {
            family: Family::V4,
            buffer: 256 * 1024,
            congestion: CongestionControl::None,
            batch: usize::MAX,
            access: Access::Copy,
            checksum_offload: false,
        }
    }
}

/// The two directions of the wire as one end sees them.
struct Port<'w> {
    from: &'w mut Packets,
    to: &'w mut Packets,
    checksum_offload: bool,
}

struct Received<'w>(&'w [u8]);
struct Room<'w>(&'w mut Packets);

impl RxToken for Received<'_> {
    fn consume<R, F: FnOnce(&[u8]) -> R>(self, f: F) -> R {
        f(self.0)
    }
}

impl TxToken for Room<'_> {
    fn consume<R, F: FnOnce(&mut [u8]) -> R>(self, len: usize, f: F) -> R {
        let mut result = None;
        self.0.push(|memory| {
            result = Some(f(&mut memory[..len]));
            Some(len)
        });
        result.expect("the packet was written")
    }
}

impl Device for Port<'_> {
    type RxToken<'a>
        = Received<'a>
    where
        Self: 'a;
    type TxToken<'a>
        = Room<'a>
    where
        Self: 'a;

    fn receive(&mut self, _: Instant) -> Option<(Received<'_>, Room<'_>)> {
        if !self.to.has_room() {
            return None;
        }
        Some((Received(self.from.pop()?), Room(self.to)))
    }

    fn transmit(&mut self, _: Instant) -> Option<Room<'_>> {
        self.to.has_room().then_some(Room(self.to))
    }

    fn capabilities(&self) -> DeviceCapabilities {
        let mut capabilities = DeviceCapabilities::default();
        capabilities.medium = Medium::Ip;
        capabilities.max_transmission_unit = MTU;
        if self.checksum_offload {
            capabilities.checksum.tcp = Checksum::None;
        }
        capabilities
    }
}

struct End {
    interface: Interface,
    sockets: SocketSet<'static>,
    socket: SocketHandle,
    address: IpAddress,
    batch: usize,
    checksum_offload: bool,
}

fn socket(setup: &SmoltcpSetup) -> Socket<'static> {
    let buffer = || SocketBuffer::new(vec![0; setup.buffer]);
    let mut socket = Socket::new(buffer(), buffer());
    socket.set_congestion_control(setup.congestion);
    socket
}

impl End {
    fn new(host: u32, setup: &SmoltcpSetup) -> Self {
        let (mut from, mut to) = Default::default();
        let checksum_offload = setup.checksum_offload;
        let mut port = Port { from: &mut from, to: &mut to, checksum_offload };
        let mut config = Config::new(HardwareAddress::Ip);
        config.random_seed = host.into();
        let mut interface = Interface::new(config, &mut port, Instant::ZERO);
        let address = IpAddress::from(setup.family.address(host));
        interface.update_ip_addrs(|addresses| {
            let address = IpCidr::new(address, setup.family.prefix());
            addresses.push(address).expect("room for an address");
        });
        let mut sockets = SocketSet::new(Vec::new());
        let socket = sockets.add(socket(setup));
        End { interface, sockets, socket, address, batch: setup.batch, checksum_offload }
    }

    fn socket(&mut self) -> &mut Socket<'static> {
        self.sockets.get_mut(self.socket)
    }

    /// Takes in what has arrived, a batch at a time, and speaks after each.
    fn poll(&mut self, now: Instant, from: &mut Packets, to: &mut Packets) {
        let mut port = Port { from, to, checksum_offload: self.checksum_offload };
        if self.batch == usize::MAX {
            self.interface.poll(now, &mut port, &mut self.sockets);
            return;
        }
        loop {
            for _ in 0..self.batch {
                let taken = self.interface.poll_ingress_single(now, &mut port, &mut self.sockets);
                if taken == PollIngressSingleResult::None {
                    break;
                }
            }
            self.interface.poll_egress(now, &mut port, &mut self.sockets);
            if port.from.is_empty() {
                break;
            }
        }
    }
}

/// Two interfaces with one connection that is measured, and perhaps others.
pub struct Smoltcp {
    setup: SmoltcpSetup,
    client: End,
    server: End,
    to_server: Packets,
    to_client: Packets,
    from: Vec<u8>,
    to: Vec<u8>,
    port: u16,
    now: Instant,
}

impl Smoltcp {
    /// Two interfaces with one connection.
    ///
    /// # Panics
    /// If the connection does not come about.
    pub fn new(setup: &SmoltcpSetup) -> Self {
        let mut ends = Smoltcp {
            setup: *setup,
            client: End::new(1, setup),
            server: End::new(2, setup),
            to_server: Packets::default(),
            to_client: Packets::default(),
            from: vec![1; CHUNK],
            to: vec![0; CHUNK],
            port: 20_000,
            now: Instant::from_millis(1),
        };
        ends.open();
        ends
    }

    /// Adds connections on which nothing happens: sockets, since without packets of their own they
    /// differ from connections in nothing that takes time.
    pub fn add_idle(&mut self, count: usize) {
        let small = SmoltcpSetup { buffer: 512, ..self.setup };
        for _ in 0..count {
            for end in [&mut self.client, &mut self.server] {
                let mut idle = socket(&small);
                idle.listen(1).expect("a port");
                end.sockets.add(idle);
            }
        }
    }

    /// Opens the connection, anew once TIME-WAIT is over.
    fn open(&mut self) {
        self.now += TIME_WAIT;
        self.poll_client();
        self.port = if self.port < 60_000 { self.port + 1 } else { 20_000 };
        self.server.socket().listen(PORT).expect("a port");
        let remote = (self.server.address, PORT);
        let End { interface, sockets, socket, .. } = &mut self.client;
        let client: &mut Socket<'_> = sockets.get_mut(*socket);
        client.connect(interface.context(), remote, self.port).expect("a connection");
        for _ in 0..2 {
            self.poll_client();
            self.poll_server();
        }
        assert_eq!(self.client.socket().state(), State::Established);
        assert_eq!(self.server.socket().state(), State::Established);
    }

    fn poll_client(&mut self) {
        self.client.poll(self.now, &mut self.to_client, &mut self.to_server);
    }

    fn poll_server(&mut self) {
        self.server.poll(self.now, &mut self.to_server, &mut self.to_client);
    }

    fn write(&mut self) {
        let in_place = self.setup.access == Access::InPlace;
        let socket = self.client.sockets.get_mut::<Socket<'_>>(self.client.socket);
        loop {
            let taken = if in_place {
                socket.send(|room| {
                    make(room);
                    (room.len(), room.len())
                })
            } else {
                socket.send_slice(&self.from)
            };
            if taken.expect("an open connection") == 0 {
                return;
            }
        }
    }

    fn read(&mut self) -> usize {
        let in_place = self.setup.access == Access::InPlace;
        let socket = self.server.sockets.get_mut::<Socket<'_>>(self.server.socket);
        let mut moved = 0;
        loop {
            let n = if in_place {
                socket.recv(|data| {
                    use_up(data);
                    (data.len(), data.len())
                })
            } else {
                let n = socket.recv_slice(&mut self.to);
                std::hint::black_box(&mut self.to);
                n
            };
            let n = n.expect("an open connection");
            moved += n;
            if n == 0 {
                return moved;
            }
        }
    }

    /// Carries at least so many bytes from application to application; returns how many.
    pub fn transfer(&mut self, bytes: usize) -> usize {
        let mut moved = 0;
        while moved < bytes {
            self.now += TURN;
            self.write();
            self.poll_client();
            self.poll_server();
            moved += self.read();
            self.poll_server();
        }
        moved
    }

    /// A message of so many bytes goes to the server and comes back, so many times.
    ///
    /// # Panics
    /// If one does not arrive.
    pub fn ping_pong(&mut self, len: usize, times: usize) {
        for _ in 0..times {
            self.now += TURN;
            let Smoltcp { client, server, from, to, .. } = self;
            assert_eq!(client.socket().send_slice(&from[..len]), Ok(len));
            client.poll(self.now, &mut self.to_client, &mut self.to_server);
            server.poll(self.now, &mut self.to_server, &mut self.to_client);
            assert_eq!(server.socket().recv_slice(to), Ok(len));
            assert_eq!(server.socket().send_slice(&to[..len]), Ok(len));
            server.poll(self.now, &mut self.to_server, &mut self.to_client);
            client.poll(self.now, &mut self.to_client, &mut self.to_server);
            assert_eq!(client.socket().recv_slice(to), Ok(len));
        }
    }

    /// Opens a connection and closes it from both sides, so many times.
    ///
    /// # Panics
    /// If one does not come about.
    pub fn open_and_close(&mut self, times: usize) {
        if self.client.socket().state() == State::Established {
            self.client.socket().abort();
            self.poll_client();
            self.poll_server();
        }
        for _ in 0..times {
            self.open();
            self.client.socket().close();
            self.poll_client();
            self.poll_server();
            self.server.socket().close();
            self.poll_server();
            self.poll_client();
            self.poll_server();
        }
    }
}
