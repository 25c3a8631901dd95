//! Both ends of each flow: looks at their connections after each instant in which something happened there.

use crate::columns::{WindowRow, kind};
use crate::reason::{Arrivals, Memory, Moment, Reason, Segment};
use crate::watch::{End, Passed, Watch, seconds, span};
use ackclock::congestion::BuiltIn;
use ackclock::tcp::Info;
use ackclock::time::Instant;
use ackclock::wire::Flags;
use ackclock_emulator::{Emulator, HostId};
use std::collections::VecDeque;

/// What is known of one end.
#[derive(Clone, Debug, Default)]
struct EndState {
    host: Option<HostId>,
    /// Its port and the other end's, to find its connection by.
    ports: [u16; 2],
    /// As it was looked at last.
    info: Option<Info>,
    memory: Memory,
    /// What was delivered to the host and not processed yet.
    waiting: VecDeque<Arrivals>,
    /// Whether something happened in this instant.
    touched: bool,
    plotted: Option<[u64; 6]>,
}

/// All ends, two of each flow: the one that opened it first.
#[derive(Clone, Debug)]
pub(crate) struct Ends(Vec<EndState>);

fn index(end: End) -> usize {
    usize::from(end.flow) * 2 + usize::from(end.replies)
}

/// A connection before anything happened to it, from its first look.
fn at_the_beginning(first: Info) -> Info {
    let mut info = first;
    (info.bytes_received, info.bytes_acked, info.out_of_order) = (0, 0, 0);
    (info.timeouts, info.tail_probes, info.probes_sent) = (0, 0, 0);
    info
}

impl Ends {
    pub(crate) fn new(flows: u16) -> Self {
        Ends(vec![EndState::default(); usize::from(flows) * 2])
    }

    /// Takes what was noted of an instant: explains each segment that was sent, and plots what changed.
    pub(crate) fn settle<O: ackclock_emulator::Observer>(
        &mut self,
        now: Instant,
        emulator: &Emulator<BuiltIn, O>,
        watch: &mut Watch,
    ) {
        for arrived in watch.arrived.drain(..) {
            self.note(&arrived, false);
        }
        for sent in &watch.sent {
            self.note(sent, true);
        }
        let sent = std::mem::take(&mut watch.sent);
        for (number, end) in self.0.iter_mut().enumerate() {
            if !end.touched && end.waiting.is_empty() {
                continue;
            }
            end.touched = false;
            let own = sent.iter().filter(|sent| index(sent.end) == number);
            end.look(now, emulator, own, watch);
            if number % 2 == 0 {
                end.plot(now, (number / 2) as u8, watch);
            }
        }
        watch.sent = sent;
        watch.sent.clear();
    }

    /// A segment that passed an end.
    fn note(&mut self, passed: &Passed, is_sent: bool) {
        let end = &mut self.0[index(passed.end)];
        end.touched = true;
        end.host = Some(passed.host);
        let ports = [passed.header.source_port, passed.header.destination_port];
        if is_sent {
            end.ports = ports;
            return;
        }
        end.ports = [ports[1], ports[0]];
        let flags = passed.header.flags;
        end.waiting.push_back(Arrivals {
            segments: 1,
            with_payload: u32::from(passed.payload > 0),
            syn: flags.contains(Flags::SYN),
            fin: flags.contains(Flags::FIN),
        });
    }
}

impl EndState {
    /// Looks at the connection, and explains what it sent.
    fn look<'s, O: ackclock_emulator::Observer>(
        &mut self,
        now: Instant,
        emulator: &Emulator<BuiltIn, O>,
        sent: impl Iterator<Item = &'s Passed>,
        watch: &mut Watch,
    ) {
        let ports = self.ports;
        let connection = self.host.and_then(|host| {
            let mut connections = emulator.stack(host).connections(now);
            let found = connections.find(|(ends, _)| ends.map(|end| end.port()) == ports);
            found.map(|(_, info)| info)
        });
        let mut moment = connection.map(|after| {
            let before = self.info.unwrap_or_else(|| at_the_beginning(after));
            let arrivals = self.take_processed(now, &before, &after);
            Moment { now, arrivals, before, after }
        });
        if connection.is_none() {
            // The connection is over, or a handshake is under way, of which the SYN is only the beginning.
            let is_over = self.info.is_some();
            self.waiting.retain(|arrived| !is_over && !arrived.syn);
        }
        for sent in sent {
            let packets = &mut watch.tables.packets;
            let segment = Segment {
                flags: sent.header.flags,
                seq: packets.seq[sent.packet],
                payload: sent.payload,
                ack: packets.ack[sent.packet],
                window: sent.header.window,
            };
            let is_data = packets.kind[sent.packet] & kind::DATA != 0;
            if is_data && segment.seq < self.memory.next {
                packets.kind[sent.packet] |= kind::AGAIN;
            }
            let reason = match &mut moment {
                Some(moment) => moment.explain(&mut self.memory, &segment),
                None => self.without_connection(&segment),
            };
            watch.reasons[sent.packet] = reason;
        }
        self.info = connection.or(self.info);
    }

    /// A segment of an end that has no connection: a listener's, or of one that is over.
    fn without_connection(&mut self, segment: &Segment) -> (Reason, u32) {
        let again = self.memory.next > 0;
        if segment.flags.contains(Flags::RST) {
            return (Reason::Reset, 0);
        }
        if segment.flags.contains(Flags::SYN) {
            self.memory.next = 1;
            return (if again { Reason::SynAgain } else { Reason::SynAck }, 0);
        }
        (Reason::AckOfFin, 0)
    }

    /// What the host has processed of what arrived; the rest still waits.
    fn take_processed(&mut self, now: Instant, before: &Info, after: &Info) -> Arrivals {
        let mut taken = Arrivals::default();
        let processed = match self.info {
            Some(_) => after.segments_received - before.segments_received,
            // All that led to the connection.
            None => u64::MAX,
        };
        for _ in 0..processed {
            let Some(arrived) = self.waiting.pop_front() else {
                break;
            };
            taken.segments += 1;
            taken.with_payload += arrived.with_payload;
            taken.syn |= arrived.syn;
            taken.fin |= arrived.fin;
        }
        let memory = &mut self.memory;
        memory.unacknowledged += taken.with_payload;
        if taken.with_payload > 0 {
            memory.since.get_or_insert(now);
        }
        match after.bytes_acked > before.bytes_acked {
            true => memory.duplicates = 0,
            false => {
                memory.duplicates += (after.duplicate_acks - before.duplicate_acks) as u32;
            }
        }
        taken
    }

    /// Adds a row of the flow's sender, if there is anything new.
    fn plot(&mut self, now: Instant, flow: u8, watch: &mut Watch) {
        let Some(info) = &self.info else {
            return;
        };
        let plotted = [
            u64::from(info.cwnd),
            u64::from(info.ssthresh),
            u64::from(info.in_flight),
            info.rtt.as_nanos(),
            info.rto.as_nanos(),
            u64::from(info.in_recovery),
        ];
        if self.plotted.replace(plotted) == Some(plotted) {
            return;
        }
        watch.tables.windows.push(WindowRow {
            time: seconds(now),
            rtt: span(info.rtt),
            rto: span(info.rto),
            cwnd: info.cwnd,
            ssthresh: info.ssthresh,
            in_flight: info.in_flight,
            flow,
            recovery: u8::from(info.in_recovery),
        });
    }
}
