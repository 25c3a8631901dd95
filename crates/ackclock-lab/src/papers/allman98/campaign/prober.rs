//! Probes in the emulator, for the tools that send them into real networks.

use crate::experiment::{Beside, Job};
use crate::mutants::law::Law;
use crate::papers::datagram::{HEADER, ICMP, address, echo_request, ipv4};
use ackclock::congestion::BuiltIn;
use ackclock::time::{Duration, Instant};
use ackclock_emulator::{Emulator, Endpoint, HostId, Topology};
use ackclock_measure::probe::{Flow, Heard, Method, Probe, ProbeError, Prober};
use std::collections::VecDeque;
use std::net::{IpAddr, Ipv4Addr};

/// A host that sends probes to another one through an emulated network, and hears what comes back.
pub(super) struct Emulated {
    emulator: Emulator<Law, ((), Beside)>,
    from: HostId,
    addresses: [Ipv4Addr; 2],
    /// Sent as soon as anybody listens: those of a burst leave together.
    waiting: Vec<Probe>,
    heard: VecDeque<Heard>,
}

impl Emulated {
    /// From one host of a network to another.
    ///
    /// # Errors
    /// What the emulator refuses.
    pub(super) fn new(
        job: &Job<'_>,
        topology: &Topology,
        [from, to]: [HostId; 2],
        seed: u64,
    ) -> Result<Self, crate::Stop> {
        let emulator = job.emulator(topology, seed, |_| BuiltIn::default(), ())?;
        let addresses = [from, to].map(|host| address(topology, host));
        Ok(Emulated { emulator, from, addresses, waiting: Vec::new(), heard: VecDeque::new() })
    }

    /// Lets what waits leave, and hears what comes until then.
    fn run_until(&mut self, until: Instant) {
        let flow = Flow {
            method: Method::Icmp,
            local: self.addresses[0].into(),
            target: self.addresses[1].into(),
            identifier: 0,
            port: 0,
        };
        let probes = std::mem::take(&mut self.waiting);
        let packets = probes.iter().map(|probe| self.packet(probe)).collect();
        self.emulator.occupy(self.from, Interface { flow, packets, heard: Vec::new() });
        self.emulator.run_until(until);
        if let Some(interface) = self.emulator.endpoint::<Interface>(self.from) {
            self.heard.extend(&interface.heard);
        }
    }

    fn packet(&self, probe: &Probe) -> Vec<u8> {
        let data = usize::from(probe.bytes).saturating_sub(HEADER + 8);
        ipv4(self.addresses, ICMP, probe.hop_limit, &echo_request(probe.number, data))
    }
}

impl Prober for Emulated {
    fn target(&self) -> IpAddr {
        self.addresses[1].into()
    }

    fn now(&self) -> Instant {
        self.emulator.now()
    }

    fn send(&mut self, probe: Probe) -> Result<(), ProbeError> {
        self.waiting.push(probe);
        Ok(())
    }

    fn hear(&mut self, until: Instant) -> Result<Option<Heard>, ProbeError> {
        /// Virtual time between two looks at what came.
        const STEP: Duration = Duration::from_millis(10);
        while self.heard.is_empty() && self.emulator.now() < until {
            let next = self.emulator.now() + STEP;
            self.run_until(next.min(until));
        }
        Ok(self.heard.pop_front())
    }
}

/// What stands in for the host's stack.
struct Interface {
    flow: Flow,
    packets: Vec<Vec<u8>>,
    heard: Vec<Heard>,
}

impl Endpoint for Interface {
    fn on_packet(&mut self, now: Instant, bytes: &[u8]) {
        let answer = self.flow.answer_in_ipv4(bytes);
        self.heard.extend(answer.map(|answer| Heard { at: now, answer }));
    }

    fn poll(&mut self, _now: Instant, send: &mut dyn FnMut(&[u8])) {
        self.packets.drain(..).for_each(|packet| send(&packet));
    }

    fn poll_at(&self) -> Instant {
        Instant::FAR_FUTURE
    }

    fn is_done(&self) -> bool {
        self.packets.is_empty()
    }
}
