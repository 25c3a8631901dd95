//! Hosts whose stack and listeners have other settings than the emulator gives them, and calls that change a connection.

use crate::drawn::Lot;
use ackclock::congestion::BuiltIn;
use ackclock::profile::Full;
use ackclock::stack::{
    Capabilities, Cidr, Handle, ListenConfig, Segmentation, Stack, StackConfig, StackMemory,
    Storage,
};
use ackclock::storage::Buffer;
use ackclock::tcp::{Buffers, Keepalive, Nagle};
use ackclock::time::{Duration, Instant};
use ackclock::wire::WriteChecksum;
use ackclock_judge::Settings;
use std::net::SocketAddr;

/// Of one host: its stack, and what it listens with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hosting {
    /// The device cuts what is larger than the MTU.
    segmentation: bool,
    memory: u64,
    max_half_open: usize,
    max_time_wait: usize,
    /// The host has addresses besides, of other networks.
    more_addresses: bool,
    half_open: usize,
    backlog: usize,
    defer_accept: u8,
    any_destination: bool,
    /// The memory of the stack and its few connections is lent.
    lent: bool,
}

impl Hosting {
    /// A host with room for `half_open` half-open connections, and with other addresses besides.
    pub(crate) fn small(half_open: usize) -> Hosting {
        Hosting {
            segmentation: false,
            memory: u64::MAX,
            max_half_open: 4_096,
            max_time_wait: 16_384,
            more_addresses: true,
            half_open,
            backlog: 100,
            defer_accept: 0,
            any_destination: false,
            lent: false,
        }
    }

    /// A host whose stack has memory for two connections at a time.
    pub(crate) fn lent() -> Hosting {
        Hosting { half_open: 2, backlog: 2, more_addresses: false, lent: true, ..Hosting::small(2) }
    }

    /// Everything by lot; `connections` come at a time.
    pub(crate) fn draw(lot: &mut Lot, connections: usize) -> Hosting {
        Hosting {
            segmentation: lot.rarely(3),
            memory: lot.of(&[u64::MAX, u64::MAX, 40_000_000]),
            max_half_open: lot.of(&[4_096, 4_096, 3]),
            max_time_wait: lot.of(&[16_384, 4]),
            more_addresses: lot.rarely(2),
            half_open: lot.of(&[64, 2, 1]),
            backlog: connections + 1,
            defer_accept: 0,
            any_destination: lot.rarely(4),
            lent: false,
        }
    }

    /// Whether its memory is lent.
    pub(crate) fn is_lent(&self) -> bool {
        self.lent
    }

    /// The device cuts what is larger than the MTU.
    pub(crate) fn cuts_segments(&mut self, cuts: bool) {
        self.segmentation = cuts;
    }

    /// Whether so many connections at a time have a half-open record each; else old ones give way, and with a lost packet
    /// of theirs they are over.
    pub(crate) fn has_room_for(&self, connections: usize) -> bool {
        self.half_open.min(self.max_half_open) >= connections
    }

    /// What the judge may not take for certain where so many connections share the host.
    pub(crate) fn tell(&self, mut told: Settings, connections: usize) -> Settings {
        told.keeps_half_open = self.has_room_for(connections);
        if self.max_time_wait < connections {
            // The oldest of them give way.
            told.time_wait = Duration::ZERO;
        }
        told
    }

    /// The listener of a server.
    pub(crate) fn listening(&self, on: SocketAddr) -> ListenConfig {
        let mut config = ListenConfig::new(on);
        (config.half_open, config.backlog) = (self.half_open, self.backlog);
        (config.defer_accept, config.any_destination) = (self.defer_accept, self.any_destination);
        config
    }

    /// The stack in the place of the emulator's, with its addresses.
    pub(crate) fn build(
        &self,
        stack: &mut Stack<'static, BuiltIn>,
        mtu: u32,
        law: BuiltIn,
        secret: [u64; 2],
    ) {
        let mut device = Capabilities::with_mtu(mtu);
        if self.segmentation {
            device.segmentation = Segmentation::both(Capabilities::LARGEST_PAYLOAD);
            device.checksum = WriteChecksum::PseudoHeader;
        }
        let mut config = StackConfig::new(device, secret);
        config.memory = self.memory;
        (config.max_half_open, config.max_time_wait) = (self.max_half_open, self.max_time_wait);
        let own: Vec<Cidr> = stack.addresses().collect();
        let storage = if self.lent { lent_storage() } else { Storage::growing() };
        *stack = Stack::new(config, law, storage).expect("a usable MTU");
        let others = ["192.168.7.1", "fd77::1"].map(|text| text.parse().expect("an address"));
        let others = others.into_iter().zip([24, 64]);
        let others = others.map(|(address, prefix)| Cidr { address, prefix });
        let more = others.filter(|_| self.more_addresses);
        for address in more.chain(own) {
            stack.add_address(address).expect("room for an address");
        }
    }
}

/// Memory that is lent for good to a stack of two connections, with a delivery record for each segment in flight.
fn lent_storage() -> Storage<'static, BuiltIn> {
    fn lend<T: Clone + Default>(count: usize) -> Buffer<'static, T> {
        Buffer::lent(Box::leak(vec![T::default(); count].into_boxed_slice()))
    }
    let memory = Box::leak(Box::new(StackMemory::<BuiltIn, Full, 2, 4, 8, 2>::new()));
    memory.storage([(); 2].map(|()| Buffers::<Full> {
        send: lend(30_000),
        receive: lend(30_000),
        flight: lend(64),
        delivery: lend(64),
        reassembly: lend(16),
    }))
}

/// A call that changes a setting of an open connection.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Tune {
    Nagle(Nagle),
    Keepalive(Keepalive),
    /// Traffic class and hop limit.
    IpFields(u8, u8),
    UserTimeout(Duration),
    SendBuffer(u32),
    ReceiveBuffer(u32),
    WindowClamp(u32),
    QuickAcks(u16),
}

impl Tune {
    pub(crate) fn draw(lot: &mut Lot) -> Tune {
        let idle = Duration::from_secs(9);
        match lot.below(8) {
            0 => Tune::Nagle(lot.of(&Nagle::ALL)),
            1 => Tune::Keepalive(Keepalive { idle, interval: idle, count: 9 }),
            2 => Tune::IpFields(lot.of(&[0, 46]), lot.of(&[1, 255])),
            3 => Tune::UserTimeout(Duration::from_secs(lot.of(&[20, 300]))),
            4 => Tune::SendBuffer(lot.of(&[5_000, 500_000])),
            5 => Tune::ReceiveBuffer(lot.of(&[20_000, 500_000])),
            6 => Tune::WindowClamp(lot.of(&[10_000, 100_000])),
            _ => Tune::QuickAcks(lot.of(&[0, 30])),
        }
    }

    /// What the judge may no longer take for certain of a connection that it changes.
    pub(crate) fn tell(self, mut told: Settings) -> Settings {
        match self {
            Tune::Nagle(_) => told.nagle = None,
            Tune::Keepalive(settings) => told.keepalive = told.keepalive.min(settings.idle),
            Tune::UserTimeout(time) => told.give_up = told.give_up.min(time),
            _ => {}
        }
        told
    }

    /// Calls; whether the stack has taken it.
    pub(crate) fn call(
        self,
        now: Instant,
        stack: &mut Stack<'static, BuiltIn>,
        handle: Handle,
    ) -> bool {
        match self {
            Tune::Nagle(on) => stack.set_nagle(now, handle, on).is_ok(),
            Tune::Keepalive(settings) => stack.set_keepalive(now, handle, Some(settings)).is_ok(),
            Tune::IpFields(dscp, limit) => {
                stack.set_dscp(now, handle, dscp).is_ok()
                    && stack.set_hop_limit(now, handle, limit).is_ok()
            }
            Tune::UserTimeout(time) => stack.set_user_timeout(now, handle, Some(time)).is_ok(),
            Tune::SendBuffer(bytes) => stack.set_send_buffer(now, handle, bytes).is_ok(),
            Tune::ReceiveBuffer(bytes) => stack.set_receive_buffer(now, handle, bytes).is_ok(),
            Tune::WindowClamp(bytes) => stack.set_window_clamp(now, handle, Some(bytes)).is_ok(),
            Tune::QuickAcks(count) => stack.set_quick_acks(now, handle, count).is_ok(),
        }
    }
}
