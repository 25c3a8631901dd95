//! Two of our stacks.

use super::{Access, CHUNK, Family, MTU, Packets, make, use_up};
use ackclock::congestion::BuiltIn;
use ackclock::stack::{
    Capabilities, Cidr, Handle, ListenConfig, Listener, Received, Stack, StackConfig, Storage,
};
use ackclock::tcp::{AckPolicy, Config, Keepalive};
use ackclock::time::{Duration, Instant};
use ackclock::wire::{Checksums, WriteChecksum};
use std::net::SocketAddr;

/// How long a turn of both ends takes in virtual time.
const TURN: Duration = Duration::from_micros(20);

/// Bytes that many idle connections may promise; they use none of them.
const UNBOUNDED: u64 = 1 << 40;

/// What is measured.
#[derive(Clone, Copy, Debug)]
pub struct OursSetup {
    /// The version of IP.
    pub family: Family,
    /// Size of each buffer in bytes.
    pub buffer: usize,
    /// Packets that an end takes in before it speaks.
    pub batch: usize,
    /// How the applications get at the data.
    pub access: Access,
    /// Whether the link sums and verifies.
    pub checksum_offload: bool,
    /// Settings of the connections, but for the sizes of their buffers.
    pub connection: Config,
    /// Whether the stacks are asked of each packet if it concerns them, as with several queues.
    pub claim: bool,
}

impl Default for OursSetup {
    fn default() -> Self {
        OursSetup {
            family: Family::V4,
            buffer: 256 * 1024,
            batch: usize::MAX,
            access: Access::Copy,
            checksum_offload: false,
            connection: Config::default(),
            claim: false,
        }
    }
}

impl OursSetup {
    /// Each connection has a keepalive timer while it has nothing in flight and nothing to acknowledge,
    /// and each segment is acknowledged at once: so a message makes its deadline the earliest of all, and
    /// the answer makes it the latest.
    #[must_use]
    pub fn with_timers() -> Self {
        let mut setup = OursSetup::default();
        setup.connection.keepalive = Some(Keepalive::default());
        setup.connection.ack_policy = AckPolicy::EverySegment;
        setup
    }
}

/// A stack beside what its driver does.
struct End {
    stack: Stack<'static>,
    batch: usize,
    claim: bool,
    verify: Checksums,
}

impl End {
    fn new(host: u32, setup: &OursSetup) -> Self {
        let mut link = Capabilities::with_mtu(MTU as u32);
        if setup.checksum_offload {
            link.verify = Checksums { ip: true, transport: false };
            link.checksum = WriteChecksum::PseudoHeader;
        }
        let mut config = StackConfig::new(link, [1, host.into()]);
        config.max_connections = 200_000;
        config.memory = UNBOUNDED;
        config.max_half_open = 200_000;
        config.max_time_wait = 1_000;
        let law = BuiltIn::by_name("cubic").expect("CUBIC");
        let mut stack = Stack::new(config, law, Storage::growing()).expect("a configuration");
        let address = Cidr { address: setup.family.address(host), prefix: setup.family.prefix() };
        stack.add_address(address).expect("room for an address");
        End { stack, batch: setup.batch, claim: setup.claim, verify: link.verify }
    }

    fn transmit(&mut self, now: Instant, to: &mut Packets) {
        while to.has_room() {
            let mut sink = |transmit: &ackclock::stack::Transmit<'_>| {
                to.push(|memory| transmit.copy_to(memory)).ok_or(ackclock::stack::Rejected)
            };
            if self.stack.transmit(now, &mut sink) == ackclock::stack::Offered::Nothing {
                break;
            }
        }
    }

    /// Takes in what has arrived, a batch at a time, and speaks after each.
    fn poll(&mut self, now: Instant, from: &mut Packets, to: &mut Packets) {
        if self.stack.poll_at() <= now {
            self.stack.on_timeout(now);
        }
        loop {
            let mut taken = 0;
            while taken < self.batch
                && let Some(packet) = from.pop()
            {
                if self.claim {
                    assert!(self.stack.claim(now, &Received { packet, verify: self.verify }));
                } else {
                    self.stack.on_packet(now, packet);
                }
                taken += 1;
            }
            self.transmit(now, to);
            if from.is_empty() {
                break;
            }
        }
        while self.stack.poll_event().is_some() {}
    }
}

/// Two stacks with a connection that is measured, and perhaps others.
pub struct Ours {
    client: End,
    server: End,
    to_server: Packets,
    to_client: Packets,
    listener: Listener,
    config: Config,
    access: Access,
    family: Family,
    address: SocketAddr,
    /// Of the connections that are measured, the client's and the server's.
    handles: Vec<[Handle; 2]>,
    from: Vec<u8>,
    to: Vec<u8>,
    now: Instant,
}

impl Ours {
    /// Two stacks with one connection.
    ///
    /// # Panics
    /// If the connection does not come about.
    pub fn new(setup: &OursSetup) -> Self {
        let mut config = setup.connection;
        config.send_buffer = setup.buffer as u32;
        config.receive_buffer = setup.buffer as u32;
        let (mut client, mut server) = (End::new(1, setup), End::new(2, setup));
        let address = SocketAddr::new(setup.family.address(2), 9);
        let mut listen = ListenConfig::new(address);
        listen.connection = config;
        let listener = server.stack.listen(listen).expect("a free port");
        let now = Instant::from_millis(1);
        let (mut to_server, mut to_client) = Default::default();
        let handle =
            open(&mut client, &mut server, (&mut to_server, &mut to_client), now, |client| {
                client.connect(now, address, None, &config).expect("a connection")
            });
        let accepted = server.stack.accept(listener).expect("a connection to accept");
        Ours {
            client,
            server,
            to_server,
            to_client,
            listener,
            config,
            access: setup.access,
            family: setup.family,
            address,
            handles: vec![[handle, accepted]],
            from: vec![1; CHUNK],
            to: vec![0; CHUNK],
            now,
        }
    }

    /// Adds connections on which nothing happens.
    ///
    /// # Panics
    /// If one does not come about.
    pub fn add_idle(&mut self, count: usize) {
        for n in 0..count {
            // Ports alone do not tell so many apart.
            let port = 20_000 + (n % 40_000) as u16;
            let address = self.family.address(0x01_0001 + ((n / 40_000) << 8) as u32);
            let address = Cidr { address, prefix: self.family.prefix() };
            if n % 40_000 == 0 {
                self.client.stack.add_address(address).expect("room for an address");
            }
            self.add(Some(SocketAddr::new(address.address, port)));
        }
    }

    /// Adds a connection on which messages go to and fro as on the first.
    ///
    /// # Panics
    /// If it does not come about.
    pub fn add_busy(&mut self) {
        let handles = self.add(None);
        self.handles.push(handles);
    }

    fn add(&mut self, local: Option<SocketAddr>) -> [Handle; 2] {
        self.now += TURN;
        let (now, config, remote) = (self.now, &self.config, self.address);
        let wires = (&mut self.to_server, &mut self.to_client);
        let client = open(&mut self.client, &mut self.server, wires, now, |client| {
            client.connect(now, remote, local, config).expect("a connection")
        });
        [client, self.server.stack.accept(self.listener).expect("a connection to accept")]
    }

    /// Each end has a turn.
    fn turn(&mut self) {
        self.now += TURN;
        self.client.poll(self.now, &mut self.to_client, &mut self.to_server);
        self.server.poll(self.now, &mut self.to_server, &mut self.to_client);
    }

    fn write(&mut self) {
        let (stack, now, handle) = (&mut self.client.stack, self.now, self.handles[0][0]);
        match self.access {
            Access::Copy => while stack.send(now, handle, &self.from).is_ok_and(|n| n > 0) {},
            Access::InPlace => {
                let fill = |room: &mut [u8]| {
                    make(room);
                    room.len()
                };
                while stack.send_with(now, handle, fill).is_ok_and(|n| n > 0) {}
            }
        }
    }

    fn read(&mut self) -> usize {
        let (stack, now, handle) = (&mut self.server.stack, self.now, self.handles[0][1]);
        if self.access == Access::InPlace {
            let Ok(parts) = stack.received(handle) else { return 0 };
            let n = parts.iter().map(|part| part.len()).sum();
            parts.into_iter().for_each(use_up);
            stack.consume(now, handle, n).expect("a connection");
            return n;
        }
        let mut moved = 0;
        while let Ok(n) = stack.receive(now, handle, &mut self.to) {
            std::hint::black_box(&mut self.to);
            moved += n;
        }
        moved
    }

    /// Carries at least so many bytes from application to application; returns how many.
    pub fn transfer(&mut self, bytes: usize) -> usize {
        let mut moved = 0;
        while moved < bytes {
            self.write();
            self.turn();
            moved += self.read();
            self.server.transmit(self.now, &mut self.to_client);
        }
        moved
    }

    /// A message of so many bytes goes to the server and comes back, so many times, on all connections
    /// that are measured together.
    ///
    /// # Panics
    /// If one does not arrive.
    pub fn ping_pong(&mut self, len: usize, times: usize) {
        for _ in 0..times {
            self.now += TURN;
            let now = self.now;
            for [client, _] in &self.handles {
                let sent = self.client.stack.send(now, *client, &self.from[..len]);
                assert_eq!(sent, Ok(len));
            }
            self.client.poll(now, &mut self.to_client, &mut self.to_server);
            self.server.poll(now, &mut self.to_server, &mut self.to_client);
            for [_, server] in &self.handles {
                let stack = &mut self.server.stack;
                let n = stack.receive(now, *server, &mut self.to).expect("a connection");
                assert_eq!(n, len);
                assert_eq!(stack.send(now, *server, &self.to[..n]), Ok(len));
            }
            self.server.poll(now, &mut self.to_server, &mut self.to_client);
            self.client.poll(now, &mut self.to_client, &mut self.to_server);
            for [client, _] in &self.handles {
                let n = self.client.stack.receive(now, *client, &mut self.to);
                assert_eq!(n.expect("a connection"), len);
            }
        }
    }

    /// Opens a connection and closes it from both sides, so many times.
    ///
    /// # Panics
    /// If one does not come about.
    pub fn open_and_close(&mut self, times: usize) {
        for _ in 0..times {
            let [client, server] = self.add(None);
            let now = self.now;
            self.client.stack.close(now, client).expect("a connection");
            self.client.poll(now, &mut self.to_client, &mut self.to_server);
            self.server.poll(now, &mut self.to_server, &mut self.to_client);
            self.server.stack.close(now, server).expect("a connection");
            self.server.poll(now, &mut self.to_server, &mut self.to_client);
            self.client.poll(now, &mut self.to_client, &mut self.to_server);
            self.server.poll(now, &mut self.to_server, &mut self.to_client);
        }
    }
}

/// Opens a connection; returns the client's handle.
fn open(
    client: &mut End,
    server: &mut End,
    (to_server, to_client): (&mut Packets, &mut Packets),
    now: Instant,
    connect: impl FnOnce(&mut Stack<'static>) -> Handle,
) -> Handle {
    let handle = connect(&mut client.stack);
    client.poll(now, to_client, to_server);
    server.poll(now, to_server, to_client);
    client.poll(now, to_client, to_server);
    server.poll(now, to_server, to_client);
    handle
}
