//! The predicted road does exactly what the general one does: two hosts, each a stack with the room
//! and one without, get the same packets and calls, and give the same packets, events and answers.

use super::*;
use crate::profile::{Absent, Full};
use crate::tcp::{AckPolicy, EcnMode, Nagle, RecoveryAlgorithm};
use proptest::prelude::*;
use std::collections::VecDeque;
use std::vec;

profile! {
    /// Every packet goes the general road.
    struct GeneralRoad: full { Prediction = Absent }
}

/// A host twice. Whatever it is asked, both answers must be the same.
struct Twin {
    with_room: Stack<'static, BuiltIn, Full>,
    without: Stack<'static, BuiltIn, GeneralRoad>,
}

/// Asks both stacks of a twin the same, and gives the answer.
macro_rules! both {
    ($twin:expr, $stack:ident => $call:expr) => {{
        let predicted = {
            let $stack = &mut $twin.with_room;
            $call
        };
        let general = {
            let $stack = &mut $twin.without;
            $call
        };
        prop_assert_eq!(&predicted, &general, "{}", stringify!($call));
        general
    }};
}

const LAWS: &[&str] = &["reno", "cubic", "bbr", "vegas", "veno", "tahoe", "fixed:4", "none"];

/// What a connection, or both, may have or not.
#[derive(Clone, Copy, Debug)]
struct Setting {
    ipv6: bool,
    timestamps: bool,
    sack: bool,
    ecn: bool,
    nagle: Nagle,
    fast_link: bool,
    connections: usize,
    recovery: RecoveryAlgorithm,
    law: &'static str,
    buffer: u32,
    delayed: bool,
}

fn settings() -> impl Strategy<Value = Setting> {
    let flags = (prop::array::uniform6(any::<bool>()), nagle());
    let recovery = prop_oneof![
        2 => Just(RecoveryAlgorithm::Rack),
        1 => prop::sample::select(RecoveryAlgorithm::ALL),
    ];
    let law = prop_oneof![2 => Just("reno"), 1 => prop::sample::select(LAWS)];
    let buffer = prop::sample::select(&[700, 3_000, 20_000, 300_000][..]);
    (flags, 1_usize..4, recovery, law, buffer).prop_map(
        |(
            ([ipv6, timestamps, sack, ecn, fast_link, delayed], nagle),
            connections,
            recovery,
            law,
            buffer,
        )| {
            Setting {
                ipv6,
                timestamps,
                sack,
                ecn,
                nagle,
                fast_link,
                connections,
                recovery,
                law,
                buffer,
                delayed,
            }
        },
    )
}

fn nagle() -> impl Strategy<Value = Nagle> {
    prop::sample::select(&Nagle::ALL[..])
}

/// What happens next: to which host, to which of its connections, and how much of it.
#[derive(Clone, Copy, Debug)]
enum Step {
    Send(bool, usize, usize),
    Read(bool, usize, usize),
    /// Up to so many packets; the link refuses the one after.
    Transmit(bool, usize),
    Deliver(bool, usize),
    Drop(bool),
    Duplicate(bool),
    Overtake(bool),
    Mark(bool),
    Damage(bool, usize, u8),
    /// As damage, with checksums that are right again.
    Forge(bool, usize, u8),
    Events(bool),
    Wait(u64),
    Timers,
    Nagle(bool, usize, Nagle),
    Urgent(bool, usize),
    Codepoint(bool, usize, u8),
    Shutdown(bool, usize),
    Close(bool, usize),
}

fn step() -> impl Strategy<Value = Step> {
    use Step::*;
    let host = any::<bool>;
    let which = || 0_usize..3;
    let size = || prop_oneof![1_usize..200, 1_400_usize..1_500, 1_usize..9_000];
    prop_oneof![
        8 => (host(), which(), size()).prop_map(|(host, which, size)| Send(host, which, size)),
        8 => (host(), which(), size()).prop_map(|(host, which, size)| Read(host, which, size)),
        16 => (host(), 1_usize..9).prop_map(|(host, most)| Transmit(host, most)),
        16 => (host(), 1_usize..9).prop_map(|(host, most)| Deliver(host, most)),
        1 => host().prop_map(Drop),
        1 => host().prop_map(Duplicate),
        1 => host().prop_map(Overtake),
        1 => host().prop_map(Mark),
        1 => (host(), 0_usize..100, 1_u8..).prop_map(|(host, at, bits)| Damage(host, at, bits)),
        2 => (host(), 0_usize..72, 1_u8..).prop_map(|(host, at, bits)| Forge(host, at, bits)),
        4 => host().prop_map(Events),
        4 => prop_oneof![0_u64..60_000, 0_u64..3_000_000].prop_map(Wait),
        2 => Just(Timers),
        1 => (host(), which(), nagle()).prop_map(|(host, which, nagle)| Step::Nagle(host, which, nagle)),
        1 => (host(), which()).prop_map(|(host, which)| Urgent(host, which)),
        1 => (host(), which(), 0_u8..64).prop_map(|(host, which, dscp)| Codepoint(host, which, dscp)),
        1 => (host(), which()).prop_map(|(host, which)| Shutdown(host, which)),
        1 => (host(), which()).prop_map(|(host, which)| Close(host, which)),
    ]
}

struct World {
    now: Instant,
    hosts: [Twin; 2],
    handles: [Vec<Handle>; 2],
    /// On the way to each host.
    network: [VecDeque<Vec<u8>>; 2],
}

impl World {
    fn new(setting: &Setting) -> Result<Self, TestCaseError> {
        let addresses = if setting.ipv6 { ["fd00::1", "fd00::2"] } else { [CLIENT, SERVER] };
        let config = Config {
            timestamps: setting.timestamps,
            sack: setting.sack,
            ecn: if setting.ecn { EcnMode::Request } else { EcnMode::Off },
            nagle: setting.nagle,
            recovery: setting.recovery,
            send_buffer: setting.buffer,
            receive_buffer: setting.buffer,
            ack_policy: match setting.delayed {
                true => Config::default().ack_policy,
                false => AckPolicy::EverySegment,
            },
            ..Config::default()
        };
        let mut hosts = addresses.map(|address| {
            let mut stack_config = config_of(setting);
            stack_config.secret = [u64::from(address.len() as u32), 3];
            let cidr = Cidr {
                address: address.parse().unwrap(),
                prefix: if setting.ipv6 { 64 } else { 24 },
            };
            let law: BuiltIn = setting.law.parse().unwrap();
            let mut twin = Twin {
                with_room: Stack::new(stack_config, law, Storage::growing()).unwrap(),
                without: Stack::new(stack_config, law, Storage::growing_for(GeneralRoad)).unwrap(),
            };
            twin.with_room.add_address(cidr).unwrap();
            twin.without.add_address(cidr).unwrap();
            twin
        });
        let to = SocketAddr::new(addresses[1].parse().unwrap(), 80);
        let mut listen = ListenConfig::new(to);
        listen.connection = config;
        let listener = both!(hosts[1], stack => stack.listen(listen)).unwrap();
        let now = millis(1);
        let mut world =
            World { now, hosts, handles: [vec![], vec![]], network: Default::default() };
        for _ in 0..setting.connections {
            let handle =
                both!(world.hosts[0], stack => stack.connect(now, to, None, &config)).unwrap();
            world.handles[0].push(handle);
            for host in [0, 1, 0, 1] {
                world.transmit(host, 9)?;
                world.deliver(1 - host, 9)?;
            }
            let accepted = both!(world.hosts[1], stack => stack.accept(listener));
            world.handles[1].extend(accepted);
        }
        prop_assert_eq!(world.handles[1].len(), setting.connections);
        Ok(world)
    }

    fn transmit(&mut self, host: usize, most: usize) -> Result<(), TestCaseError> {
        let now = self.now;
        let packets = both!(self.hosts[host], stack => {
            let mut packets: Vec<Vec<u8>> = vec![];
            let mut sink = |transmit: &Transmit<'_>| {
                if packets.len() == most {
                    return Err(Rejected);
                }
                let mut packet = vec![0; transmit.len()];
                transmit.copy_to(&mut packet);
                packets.push(packet);
                Ok(())
            };
            while stack.transmit(now, &mut sink).is_taken() {}
            packets
        });
        self.network[1 - host].extend(packets);
        Ok(())
    }

    fn deliver(&mut self, host: usize, most: usize) -> Result<(), TestCaseError> {
        for _ in 0..most {
            let Some(packet) = self.network[host].pop_front() else { break };
            let now = self.now;
            both!(self.hosts[host], stack => stack.on_packet(now, &packet));
        }
        Ok(())
    }

    fn handle(&self, host: bool, which: usize) -> Option<(usize, Handle)> {
        let host = usize::from(host);
        Some((host, *self.handles[host].get(which)?))
    }

    fn step(&mut self, step: Step) -> Result<(), TestCaseError> {
        let now = self.now;
        match step {
            Step::Transmit(host, most) => self.transmit(host.into(), most)?,
            Step::Deliver(host, most) => self.deliver(host.into(), most)?,
            Step::Drop(host) => drop(self.network[usize::from(host)].pop_front()),
            Step::Duplicate(host) => {
                let way = &mut self.network[usize::from(host)];
                way.extend(way.front().cloned());
            }
            Step::Overtake(host) => {
                let way = &mut self.network[usize::from(host)];
                way.pop_front().into_iter().for_each(|late| way.push_back(late));
            }
            Step::Mark(host) => {
                if let Some(packet) = self.network[usize::from(host)].front_mut() {
                    crate::wire::mark_congestion(packet);
                }
            }
            Step::Damage(host, at, bits) => {
                let packet = self.network[usize::from(host)].front_mut();
                if let Some(byte) = packet.and_then(|packet| packet.get_mut(at)) {
                    *byte ^= bits;
                }
            }
            Step::Forge(host, at, bits) => {
                if let Some(packet) = self.network[usize::from(host)].front_mut() {
                    forge(packet, at, bits);
                }
            }
            Step::Events(host) => {
                let twin = &mut self.hosts[usize::from(host)];
                while both!(twin, stack => stack.poll_event()).is_some() {}
            }
            Step::Wait(micros) => self.now += Duration::from_micros(micros),
            Step::Timers => {
                let next = self.hosts.iter().map(|twin| twin.without.poll_at()).min();
                self.now = self.now.max(next.unwrap_or(now).min(now + Duration::from_secs(100)));
                for twin in &mut self.hosts {
                    both!(twin, stack => stack.on_timeout(self.now));
                }
            }
            _ => self.call(step)?,
        }
        for twin in &mut self.hosts {
            both!(twin, stack => stack.poll_at());
        }
        Ok(())
    }

    fn call(&mut self, step: Step) -> Result<(), TestCaseError> {
        let now = self.now;
        let (Step::Send(host, which, _)
        | Step::Read(host, which, _)
        | Step::Nagle(host, which, _)
        | Step::Urgent(host, which)
        | Step::Codepoint(host, which, _)
        | Step::Shutdown(host, which)
        | Step::Close(host, which)) = step
        else {
            return Ok(());
        };
        let Some((host, handle)) = self.handle(host, which) else {
            return Ok(());
        };
        let twin = &mut self.hosts[host];
        let data = [step_byte(now); 9_000];
        match step {
            Step::Send(_, _, n) => drop(both!(twin, stack => stack.send(now, handle, &data[..n]))),
            Step::Read(_, _, n) => {
                let mut to = [0; 9_000];
                let read = |to: &mut [u8]| to.to_vec();
                let _ = both!(twin, stack => {
                    let taken = stack.receive(now, handle, &mut to[..n]);
                    (taken, read(&mut to[..taken.unwrap_or(0)]))
                });
            }
            Step::Nagle(_, _, nagle) => {
                both!(twin, stack => stack.set_nagle(now, handle, nagle)).ok();
            }
            Step::Urgent(..) => drop(both!(twin, stack => stack.send_urgent(now, handle, b"!"))),
            Step::Codepoint(_, _, dscp) => {
                both!(twin, stack => stack.set_dscp(now, handle, dscp)).ok();
            }
            Step::Shutdown(..) => {
                both!(twin, stack => stack.shutdown(now, handle)).ok();
            }
            _ => {
                both!(twin, stack => stack.close(now, handle)).ok();
            }
        }
        Ok(())
    }

    fn compare(&mut self) -> Result<(), TestCaseError> {
        let now = self.now;
        for (twin, handles) in self.hosts.iter_mut().zip(&self.handles) {
            for handle in handles {
                both!(twin, stack => stack.info(now, *handle));
                both!(twin, stack => stack.readiness(*handle));
            }
            both!(twin, stack => *stack.statistics());
        }
        Ok(())
    }
}

fn config_of(setting: &Setting) -> StackConfig {
    let mut config = config();
    config.link.mtu = if setting.fast_link { 9_000 } else { 1_500 };
    config
}

/// Changes a byte, and the checksums as RFC 1624 section 3 has it.
fn forge(packet: &mut [u8], at: usize, bits: u8) {
    let (ip_header, addresses) = if packet[0] >> 4 == 6 { (40, 8..40) } else { (20, 12..20) };
    if at >= packet.len() {
        return;
    }
    let word = |packet: &[u8], at: usize| {
        u16::from_be_bytes([packet[at], packet.get(at + 1).copied().unwrap_or(0)])
    };
    let before = word(packet, at & !1);
    packet[at] ^= bits;
    let after = word(packet, at & !1);
    let ip_checksum = (ip_header == 20 && at < 20).then_some(10);
    let tcp_checksum = (at >= ip_header || addresses.contains(&at)).then_some(ip_header + 16);
    for place in [ip_checksum, tcp_checksum].into_iter().flatten() {
        // What was damaged into another version of IP may have no place for a checksum.
        if place != at & !1 && place + 2 <= packet.len() {
            let sum = u32::from(!word(packet, place)) + u32::from(!before) + u32::from(after);
            let folded = (sum & 0xffff) + (sum >> 16);
            let checksum = !((folded & 0xffff) + (folded >> 16)) as u16;
            packet[place..place + 2].copy_from_slice(&checksum.to_be_bytes());
        }
    }
}

/// Data that tell when they were sent.
fn step_byte(now: Instant) -> u8 {
    (now.as_micros() >> 4) as u8
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]
    #[test]
    fn the_predicted_road_is_the_general_one(
        setting in settings(),
        steps in prop::collection::vec(step(), 1..160),
    ) {
        let mut world = World::new(&setting)?;
        for step in steps {
            world.step(step)?;
            world.compare()?;
        }
    }
}

/// A piece of a segment is acknowledged, then the rest of it: the window grows by what each tells.
#[test]
fn acks_within_a_segment_count_the_bytes_that_they_acknowledge() {
    use Step::*;
    let setting = Setting {
        ipv6: false,
        timestamps: false,
        sack: true,
        ecn: false,
        nagle: crate::tcp::Nagle::Off,
        fast_link: false,
        connections: 1,
        recovery: RecoveryAlgorithm::Rack,
        law: "reno",
        buffer: 20_000,
        delayed: false,
    };
    // What the two acks tell of: all but the last bit of the first is right, and the second is.
    for bit in [1, 2, 4] {
        let mut world = World::new(&setting).unwrap();
        let before = world.hosts[0].without.info(world.now, world.handles[0][0]).unwrap().cwnd;
        let steps = [
            Send(false, 0, 8_760),
            Send(false, 0, 8_760),
            Transmit(false, 10),
            Deliver(true, 1),
            Transmit(true, 1),
            Forge(false, 31, bit),
            Deliver(false, 1),
            Deliver(true, 1),
            Transmit(true, 1),
            Deliver(false, 1),
        ];
        for step in steps {
            world.step(step).unwrap();
            world.compare().unwrap();
        }
        let info = world.hosts[0].with_room.info(world.now, world.handles[0][0]).unwrap();
        assert_eq!((info.bytes_acked, info.cwnd - before), (2_920, 2_920), "bit {bit}");
    }
}
