//! A link around another one that impairs packets as a network does: loss, duplication, reordering,
//! damage and congestion marks.
//!
//! The link is for tests against real peers. What happens to the n-th packet of a direction depends
//! on the seed, the direction and n alone; the same seed gives the same fates.

use ackclock::link::{Link, TransmitError};
use ackclock::stack::{Capabilities, Received, Transmit};
use ackclock::time::Instant;
use ackclock::wire::{complete_checksum, mark_congestion};
#[cfg(unix)]
use std::os::fd::{AsFd, BorrowedFd};

/// The unit of probabilities is a millionth.
const MILLION: u64 = 1_000_000;

/// The probability of each impairment, in millionths (10,000 is 1 %).
///
/// A packet suffers at most one impairment, so the sum must not exceed a million.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Impairment {
    /// The packet is lost.
    pub drop: u32,
    /// The packet arrives twice.
    pub duplicate: u32,
    /// The packet is overtaken: it is held back until the next one of its direction has passed.
    pub reorder: u32,
    /// One bit of the packet is inverted. The four bits of the IP version are left alone, since a
    /// TUN device refuses packets of unknown versions.
    pub corrupt: u32,
    /// The packet is marked "congestion experienced", if its sender supports ECN (RFC 3168).
    pub mark: u32,
}

/// The number of packets that suffered each impairment.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Suffered {
    /// Packets dropped.
    pub dropped: u64,
    /// Packets delivered twice.
    pub duplicated: u64,
    /// Packets held back.
    pub reordered: u64,
    /// Packets damaged.
    pub corrupted: u64,
    /// Packets marked.
    pub marked: u64,
}

/// One direction of an impaired link.
#[derive(Debug)]
struct Direction {
    impairment: Impairment,
    random: SplitMix,
    held: Option<Vec<u8>>,
    suffered: Suffered,
}

/// What happens to a packet.
enum Fate {
    Pass,
    Drop,
    Duplicate,
    Reorder,
    Corrupt,
    Mark,
}

impl Direction {
    fn new(impairment: Impairment, seed: u64) -> Self {
        Direction { impairment, random: SplitMix(seed), held: None, suffered: Suffered::default() }
    }

    /// Whether this direction has no impairment.
    fn is_healthy(&self) -> bool {
        self.impairment == Impairment::default()
    }

    fn fate(&mut self) -> Fate {
        let Impairment { drop, duplicate, reorder, corrupt, mark } = self.impairment;
        let mut draw = self.random.below(MILLION);
        let mut is = |probability: u32| {
            let hit = draw < u64::from(probability);
            draw = draw.wrapping_sub(u64::from(probability));
            hit
        };
        if is(drop) {
            Fate::Drop
        } else if is(duplicate) {
            Fate::Duplicate
        } else if is(reorder) {
            Fate::Reorder
        } else if is(corrupt) {
            Fate::Corrupt
        } else if is(mark) {
            Fate::Mark
        } else {
            Fate::Pass
        }
    }

    /// Decides what happens to a packet, and forwards what results from it, in order.
    ///
    /// A packet that was held back follows the next one that passes. If `forward` fails for the
    /// packet itself, nothing else is forwarded; if it fails for a second copy or a packet that was
    /// held back, that one is lost.
    fn pass<E>(
        &mut self,
        packet: &[u8],
        forward: &mut dyn FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        match self.fate() {
            Fate::Drop => {
                self.suffered.dropped += 1;
                return Ok(());
            }
            Fate::Reorder if self.held.is_none() => {
                self.suffered.reordered += 1;
                self.held = Some(packet.to_vec());
                return Ok(());
            }
            Fate::Pass | Fate::Reorder => forward(packet)?,
            Fate::Duplicate => {
                forward(packet)?;
                self.suffered.duplicated += 1;
                let _ = forward(packet);
            }
            Fate::Corrupt => {
                forward(&self.with_one_bit_inverted(packet))?;
                self.suffered.corrupted += 1;
            }
            Fate::Mark => {
                let mut packet = packet.to_vec();
                let marked = mark_congestion(&mut packet);
                forward(&packet)?;
                self.suffered.marked += u64::from(marked);
            }
        }
        if let Some(held) = self.held.take() {
            let _ = forward(&held);
        }
        Ok(())
    }

    fn with_one_bit_inverted(&mut self, packet: &[u8]) -> Vec<u8> {
        let mut damaged = packet.to_vec();
        // The first four bits, in the order of transmission, are the IP version.
        let bits = (packet.len() as u64 * 8).saturating_sub(4);
        let bit = 4 + self.random.below(bits);
        if let Some(byte) = damaged.get_mut(usize::try_from(bit / 8).unwrap_or(usize::MAX)) {
            *byte ^= 0x80 >> (bit % 8);
        }
        damaged
    }
}

/// A link whose packets are impaired in either direction.
#[derive(Debug)]
pub struct Impaired<L> {
    link: L,
    transmitted: Direction,
    received: Direction,
    packet: Vec<u8>,
}

impl<L> Impaired<L> {
    /// Impairs the packets that the stack transmits and those that it receives.
    pub fn new(link: L, transmitted: Impairment, received: Impairment, seed: u64) -> Self {
        Impaired {
            link,
            transmitted: Direction::new(transmitted, seed),
            received: Direction::new(received, !seed),
            packet: Vec::new(),
        }
    }

    /// Loses every packet of both directions from now on, as if the peer had vanished.
    pub fn cut(&mut self) {
        let all = Impairment { drop: MILLION as u32, ..Impairment::default() };
        self.transmitted.impairment = all;
        self.received.impairment = all;
    }

    /// Counters of the packets that the stack transmitted.
    pub fn transmitted(&self) -> Suffered {
        self.transmitted.suffered
    }

    /// Counters of the packets on their way to the stack.
    pub fn received(&self) -> Suffered {
        self.received.suffered
    }
}

#[cfg(unix)]
impl<L: AsFd> AsFd for Impaired<L> {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.link.as_fd()
    }
}

impl<L: Link> Link for Impaired<L> {
    type Error = L::Error;

    fn capabilities(&self) -> Capabilities {
        self.link.capabilities()
    }

    /// Transmits a packet. If there are impairments, what the link would segment is segmented here,
    /// so that they strike single segments. Segments after the first for which the device has no
    /// room are lost.
    fn transmit(
        &mut self,
        now: Instant,
        transmit: &Transmit<'_>,
    ) -> Result<(), TransmitError<L::Error>> {
        let Impaired { link, transmitted, packet, .. } = self;
        if transmitted.is_healthy() {
            return link.transmit(now, transmit);
        }
        let mut outcome = None;
        transmit.cut(&mut |segment| {
            if matches!(outcome, Some(Err(_))) {
                return;
            }
            packet.resize(segment.len(), 0);
            segment.copy_to(packet);
            let passed = transmitted.pass(packet, &mut |bytes| {
                let whole = Transmit { header: bytes, payload: [&[], &[]], ..*segment };
                link.transmit(now, &whole)
            });
            match passed {
                Err(TransmitError::Full) if outcome.is_some() => {}
                passed => outcome = Some(passed),
            }
        });
        outcome.unwrap_or(Ok(()))
    }

    fn receive(
        &mut self,
        now: Instant,
        budget: usize,
        deliver: &mut dyn FnMut(Received<'_>),
    ) -> Result<usize, L::Error> {
        let Impaired { link, received: direction, packet, .. } = self;
        if direction.is_healthy() {
            return link.receive(now, budget, deliver);
        }
        link.receive(now, budget, &mut |received| {
            // The stack must find damage by the checksum, so one that the device vouches for, and
            // may have left incomplete, is completed here.
            packet.clear();
            packet.extend_from_slice(received.packet);
            if !received.verify.transport {
                complete_checksum(packet);
            }
            let Ok(()) = direction.pass::<core::convert::Infallible>(packet, &mut |packet| {
                deliver(Received::unverified(packet));
                Ok(())
            });
        })
    }
}

/// The SplitMix64 generator (Steele, Lea and Flood 2014).
#[derive(Debug)]
struct SplitMix(u64);

impl SplitMix {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A random number below `bound`; 0 if `bound` is 0. Its bias is less than 2^-32.
    fn below(&mut self, bound: u64) -> u64 {
        self.next().checked_rem(bound).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ackclock::wire::{Ecn, WriteChecksum};
    use std::collections::VecDeque;

    /// A link that records what is transmitted and delivers what the test has put into it.
    #[derive(Default)]
    struct Recorder {
        sent: Vec<Vec<u8>>,
        arriving: VecDeque<Vec<u8>>,
        room: usize,
    }

    impl Link for Recorder {
        type Error = ();

        fn capabilities(&self) -> Capabilities {
            Capabilities::with_mtu(1500)
        }

        fn transmit(&mut self, _: Instant, packet: &Transmit<'_>) -> Result<(), TransmitError<()>> {
            if self.sent.len() == self.room {
                return Err(TransmitError::Full);
            }
            let mut bytes = vec![0; packet.len()];
            packet.copy_to(&mut bytes);
            self.sent.push(bytes);
            Ok(())
        }

        fn receive(
            &mut self,
            _: Instant,
            budget: usize,
            deliver: &mut dyn FnMut(Received<'_>),
        ) -> Result<usize, ()> {
            let n = budget.min(self.arriving.len());
            self.arriving.drain(..n).for_each(|packet| deliver(Received::unverified(&packet)));
            Ok(n)
        }
    }

    const NUMBER: usize = 20_000;

    fn packet(number: usize) -> Vec<u8> {
        let mut bytes = vec![0x45; 16];
        bytes.extend_from_slice(&(number as u64).to_be_bytes());
        bytes
    }

    fn send<L: Link>(link: &mut L, bytes: &[u8]) -> Result<(), TransmitError<L::Error>> {
        let (header, rest) = bytes.split_at(4);
        let (first, second) = rest.split_at(7);
        link.transmit(
            Instant::ZERO,
            &Transmit {
                header,
                payload: [first, second],
                transport_offset: 0,
                segment_size: 0,
                checksum: WriteChecksum::default(),
                ecn: Ecn::NotEct,
            },
        )
    }

    fn sent_through(impairment: Impairment, seed: u64) -> (Vec<Vec<u8>>, Suffered) {
        let recorder = Recorder { room: usize::MAX, ..Recorder::default() };
        let mut link = Impaired::new(recorder, impairment, Impairment::default(), seed);
        (0..NUMBER).for_each(|number| send(&mut link, &packet(number)).unwrap());
        assert_eq!(link.received(), Suffered::default());
        (std::mem::take(&mut link.link.sent), link.transmitted())
    }

    fn received_through(impairment: Impairment, seed: u64) -> (Vec<Vec<u8>>, Suffered) {
        let recorder =
            Recorder { arriving: (0..NUMBER).map(packet).collect(), ..Recorder::default() };
        let mut link = Impaired::new(recorder, Impairment::default(), impairment, seed);
        let mut arrived = Vec::new();
        let n = link.receive(Instant::ZERO, NUMBER, &mut |received| {
            arrived.push(received.packet.to_vec());
        });
        assert_eq!(n, Ok(NUMBER));
        (arrived, link.received())
    }

    fn one_percent(count: u64) -> bool {
        // Four standard deviations of the binomial distribution (20,000 draws, 1 %) are 56.
        (144..=256).contains(&count)
    }

    #[test]
    fn without_impairment_every_packet_passes_unchanged() {
        let all: Vec<_> = (0..NUMBER).map(packet).collect();
        let nothing = Impairment::default();
        assert_eq!(sent_through(nothing, 1), (all.clone(), Suffered::default()));
        assert_eq!(received_through(nothing, 1), (all, Suffered::default()));
    }

    #[test]
    fn the_same_seed_gives_the_same_fates_and_another_seed_others() {
        let mixed = Impairment {
            drop: 10_000,
            duplicate: 10_000,
            reorder: 10_000,
            corrupt: 10_000,
            mark: 0,
        };
        assert_eq!(sent_through(mixed, 7), sent_through(mixed, 7));
        assert_eq!(received_through(mixed, 7), received_through(mixed, 7));
        assert_ne!(sent_through(mixed, 7), sent_through(mixed, 8));
        assert_ne!(sent_through(mixed, 7), received_through(mixed, 7));
    }

    #[test]
    fn dropped_packets_are_missing_and_the_rest_is_in_order() {
        let (sent, suffered) =
            sent_through(Impairment { drop: 10_000, ..Impairment::default() }, 1);
        assert!(one_percent(suffered.dropped), "{suffered:?}");
        assert_eq!(sent.len() as u64 + suffered.dropped, NUMBER as u64);
        assert!(sent.is_sorted());
    }

    #[test]
    fn duplicated_packets_come_twice_in_a_row() {
        let (mut arrived, suffered) =
            received_through(Impairment { duplicate: 10_000, ..Impairment::default() }, 1);
        assert!(one_percent(suffered.duplicated), "{suffered:?}");
        assert_eq!(arrived.len() as u64, NUMBER as u64 + suffered.duplicated);
        arrived.dedup();
        assert_eq!(arrived, (0..NUMBER).map(packet).collect::<Vec<_>>());
    }

    #[test]
    fn reordered_packets_are_overtaken_by_the_next_one() {
        let (mut sent, suffered) =
            sent_through(Impairment { reorder: 10_000, ..Impairment::default() }, 1);
        assert!(one_percent(suffered.reordered), "{suffered:?}");
        let overtakings = sent.windows(2).filter(|pair| pair[0] > pair[1]).count();
        assert_eq!(overtakings as u64, suffered.reordered);
        sent.sort();
        assert_eq!(sent, (0..NUMBER).map(packet).collect::<Vec<_>>());
    }

    #[test]
    fn corrupted_packets_differ_in_one_bit_outside_the_version() {
        let (arrived, suffered) =
            received_through(Impairment { corrupt: 10_000, ..Impairment::default() }, 1);
        assert!(one_percent(suffered.corrupted), "{suffered:?}");
        let mut damaged = 0;
        for (number, bytes) in arrived.iter().enumerate() {
            let inverted = std::iter::zip(bytes, packet(number))
                .map(|(is, was)| (is ^ was).count_ones())
                .sum::<u32>();
            assert!(inverted <= 1);
            assert_eq!(bytes[0] >> 4, 4);
            damaged += u64::from(inverted);
        }
        assert_eq!(damaged, suffered.corrupted);
    }

    #[test]
    fn only_packets_that_can_be_marked_are() {
        let always = Impairment { mark: 1_000_000, ..Impairment::default() };
        let (sent, suffered) = sent_through(always, 1);
        // The second byte of these packets says ECT(1).
        assert_eq!(suffered.marked, NUMBER as u64);
        assert!(sent.iter().all(|packet| packet[1] == 0x47));
        let mut link =
            Impaired::new(Recorder { room: 1, ..Recorder::default() }, always, always, 1);
        let mut incapable = packet(0);
        incapable[1] = 0x44;
        send(&mut link, &incapable).unwrap();
        assert_eq!((link.link.sent, link.transmitted.suffered.marked), (vec![incapable], 0));
    }

    #[test]
    fn a_full_device_is_reported_and_the_packet_counts_as_not_sent() {
        let mut link = Impaired::new(
            Recorder::default(),
            Impairment { corrupt: 1_000_000, ..Impairment::default() },
            Impairment::default(),
            1,
        );
        assert_eq!(send(&mut link, &packet(0)), Err(TransmitError::Full));
        assert_eq!(link.transmitted(), Suffered::default());
    }

    #[test]
    fn a_cut_link_loses_everything() {
        let mut link = Impaired::new(
            Recorder { arriving: [packet(0)].into(), ..Recorder::default() },
            Impairment::default(),
            Impairment::default(),
            1,
        );
        link.cut();
        send(&mut link, &packet(0)).unwrap();
        let mut arrived = 0;
        assert_eq!(link.receive(Instant::ZERO, 8, &mut |_| arrived += 1), Ok(1));
        assert_eq!((arrived, link.link.sent.len()), (0, 0));
    }
}
