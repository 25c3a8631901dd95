//! Hosts that look at their packets now and then: all that has come is taken in before anything is sent, so that what is due
//! at one time is due together. Many packets come twice, late or not at all.

use crate::actor::{Actor, Plan, QUIET, Role};
use crate::drawn::{self, Lot};
use crate::emulated::Bench;
use crate::hosts::Hosting;
use crate::{Fault, Outcome};
use ackclock::apps::Application;
use ackclock::congestion::BuiltIn;
use ackclock::stack::{Capabilities, Cidr, Event, ListenConfig, Stack, StackConfig, Storage};
use ackclock::time::{Duration, Instant};
use ackclock_emulator::{HostId, LEFT, RIGHT};
use ackclock_judge::Judges;
use std::collections::BTreeMap;
use std::net::SocketAddr;

const MTU: u32 = 1_500;
/// Milliseconds that a packet is on its way at least, and between two looks of a host.
const DELAY: u64 = 8;
const LOOKS: [u64; 4] = [3, 7, 20, 45];
/// In virtual time.
const LIMIT: Instant = Instant::from_secs(400);

/// One host: its stack, its application, and the packets on their way to it, by the time when they come.
struct Host {
    id: HostId,
    stack: Stack<'static, BuiltIn>,
    actor: Actor,
    looks: u64,
    coming: BTreeMap<(Instant, u64), Vec<u8>>,
}

/// What the way between them does to packets, in percent of them.
struct Way {
    lot: Lot,
    loss: u64,
    copies: u64,
    late: u64,
    packets: u64,
}

impl Way {
    /// When the packet comes, and its copy.
    fn arrivals(&mut self, now: Instant) -> Vec<Instant> {
        let mut percent = |share: u64| self.lot.below(100) < share;
        if percent(self.loss) {
            return Vec::new();
        }
        let (copied, late) = (percent(self.copies), percent(self.late));
        let mut at = |more: u64| now + Duration::from_millis(DELAY + self.lot.below(more));
        let first = at(if late { 30 } else { 1 });
        if copied { vec![first, at(60)] } else { vec![first] }
    }

    fn send(&mut self, now: Instant, packets: Vec<Vec<u8>>, to: &mut Host) {
        for packet in packets {
            for at in self.arrivals(now) {
                self.packets += 1;
                to.coming.insert((at, self.packets), packet.clone());
            }
        }
    }
}

impl Host {
    /// Takes all in that has come, does what is due, and returns what it sends.
    fn serve(&mut self, now: Instant, bench: &Bench) -> Vec<Vec<u8>> {
        while let Some(packet) = self.coming.first_entry().filter(|first| first.key().0 <= now) {
            let bytes = packet.remove();
            bench.passes(now, self.id, false, &bytes);
            self.stack.on_packet(now, &bytes);
        }
        if self.stack.poll_at() <= now {
            self.stack.on_timeout(now);
        }
        if self.actor.wake_at() <= now {
            self.actor.on_wake(now, &mut self.stack);
        }
        let mut sent = Vec::new();
        loop {
            while let Some(event) = self.stack.poll_event() {
                let event: Event = event;
                self.actor.on_event(now, &mut self.stack, &event);
            }
            let before = sent.len();
            let sink = &mut |transmit: &ackclock::stack::Transmit<'_>| {
                transmit.cut(&mut |each| {
                    sent.push([each.header, each.payload[0], each.payload[1]].concat());
                });
                Ok(())
            };
            while self.stack.transmit(now, sink).is_taken() {}
            if sent.len() == before {
                break;
            }
        }
        for bytes in &sent {
            bench.passes(now, self.id, true, bytes);
        }
        sent
    }
}

/// The two hosts of a seed, and what watches them.
fn hosts(lot: &mut Lot, seed: u64) -> ([Host; 2], Bench) {
    let law: BuiltIn = lot.of(&["reno", "cubic", "bbr", "veno"]).parse().expect("a law");
    let configs = [drawn::config(lot), drawn::config(lot)];
    let looks = [lot.of(&LOOKS), lot.of(&LOOKS)];
    let told = |side: usize| {
        let mut told = ackclock_testkit::script::told(&configs[side], &law);
        told.reaction = Duration::from_millis(looks[side]);
        told
    };
    let bench = Bench::new(Judges::new().with(LEFT, told(0)).with(RIGHT, told(1)));
    let ends = ["10.0.0.1:5000", "10.0.0.2:7000"].map(|end| end.parse().expect("an address"));
    let [local, remote]: [SocketAddr; 2] = ends;
    let roles = [
        Role::Connects { local: Some(local), remote, at: Instant::from_millis(1) },
        Role::Listens { with: ListenConfig::new(remote), shared: false },
    ];
    let host = |side: usize| {
        let secret = [seed, side as u64];
        let config = StackConfig::new(Capabilities::with_mtu(MTU), secret);
        let mut stack = Stack::new(config, law, Storage::growing()).expect("a usable MTU");
        let address = Cidr { address: ends[side].ip(), prefix: 24 };
        stack.add_address(address).expect("room for an address");
        let mut hosting = Hosting::small(64);
        hosting.cuts_segments(lot.rarely(3));
        hosting.build(&mut stack, MTU, law, secret);
        let plan = Plan {
            amount: lot.of(&[0, 5_000, 60_000, 200_000]),
            piece: lot.of(&[100, 1_000, 9_000]),
            ..QUIET
        };
        let id = [LEFT, RIGHT][side];
        let actor = Actor::new(plan, roles[side], configs[side], id, bench.clone());
        Host { id, stack, actor, looks: looks[side], coming: BTreeMap::new() }
    };
    ([0, 1].map(host), bench)
}

/// Plays the conversation of a seed.
pub(crate) fn play(seed: u64) -> Outcome {
    let mut lot = Lot::new(seed ^ 0xba7c);
    let ([mut left, mut right], bench) = hosts(&mut lot, seed);
    let mut way = Way {
        loss: lot.of(&[0, 0, 2, 5]),
        copies: lot.of(&[10, 40]),
        late: lot.of(&[0, 20, 50]),
        packets: 0,
        lot,
    };
    for host in [&mut right, &mut left] {
        if host.actor.start(Instant::ZERO, &mut host.stack).is_err() {
            return Err(Fault::Hang("an end cannot start".into()));
        }
    }
    let mut now = Instant::ZERO;
    for millis in 1_u64.. {
        now = Instant::from_millis(millis);
        let [is_left, is_right] = [&left, &right].map(|host| millis.is_multiple_of(host.looks));
        if is_left {
            let packets = left.serve(now, &bench);
            way.send(now, packets, &mut right);
        }
        if is_right {
            let packets = right.serve(now, &bench);
            way.send(now, packets, &mut left);
        }
        let is_over = now >= LIMIT || left.actor.is_done() && right.actor.is_done();
        if millis.is_multiple_of(100) || is_over {
            bench.on_time(now);
            if let Some(fault) = bench.fault() {
                return Err(fault);
            }
        }
        if is_over {
            break;
        }
    }
    let ((sent, got), (answered, received)) = (left.actor.moved(), right.actor.moved());
    if now >= LIMIT || (received, got) != (sent, answered) {
        return Err(Fault::Hang(format!(
            "{received} of {sent} bytes arrived one way, {got} of {answered} the other, by {now:?}"
        )));
    }
    Ok(bench.judged())
}
