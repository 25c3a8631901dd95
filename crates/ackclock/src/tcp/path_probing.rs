//! Path MTU discovery by probes, without ICMP (RFC 4821). A probe is a data segment larger than any that the
//! path is known to carry. If it arrives, later segments are as large; if it alone is lost, this is no sign of
//! congestion. If nothing arrives any more (a black hole, section 7.7), segments become smaller.
//!
//! The [search](super::path_search) selects the sizes to probe. The [sender](super::sender) decides when a
//! probe may be sent, and what its loss means for recovery. In images with counters, [MTU
//! verification](super::path_verification) checks whether all packets of a size found by a probe arrive.

use super::connection::Connection;
use super::handshake::TCP_HEADER;
use super::initial::Initial;
use super::path_mtu::least_mtu;
use super::path_search::{PathSearch, Search, SearchStage};
use super::path_verification::{Sent, Verification};
use super::seldom::Seldom;
use super::sender::{Data, ProbeFate, ProbeTurn};
use super::{Config, MtuProbing};
use crate::congestion::CongestionController;
use crate::profile::{Kept, Profile};
use crate::seq::{SeqNumber, SeqRange};
use crate::time::Instant;

/// Number of timeouts in a row after which the path is taken for a black hole. By then nothing was acknowledged
/// for three times the RTO, and the first segment was lost at least twice. (RFC 4821 section 7.7 would rather
/// wait for R1, RFC 1122's three retransmissions. A wrong guess costs only segments that are smaller than
/// necessary until probes pass.)
const BLACK_HOLE_TIMEOUTS: u32 = 2;
/// Factor by which the wait for the next probe is longer if a timeout, and not acks, has shown the loss of the
/// last one (section 7.6.3).
const AFTER_TIMEOUT: u32 = 5;

/// The settings in [`Config`] for path MTU probes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ProbeSettings {
    mode: MtuProbing,
    base_mss: u16,
}

impl ProbeSettings {
    pub(super) fn of(config: &Config) -> Self {
        ProbeSettings { mode: config.mtu_probing, base_mss: config.base_mss }
    }
}

/// Path MTU probing of a connection. Sizes are those of IP packets, in bytes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PathProbing {
    mode: MtuProbing,
    /// Size that nearly every path carries, with which the search begins.
    base: u16,
    search: Search,
    verification: Verification,
    /// Size of the next probe, as requested from the sender.
    wanted: u16,
    /// Size of the probe in flight; 0 if there is none.
    probed: u16,
    /// Data of the probe in flight.
    probe: SeqRange,
    sent: u32,
    lost: u32,
    /// A size was found that was not yet stored for later connections.
    is_news: bool,
}

fn probing_of<P: Profile>(seldom: &mut Seldom<P>) -> Option<&mut PathProbing> {
    if !P::PATH_PROBING {
        return None;
    }
    let probing = seldom.get_mut()?.path_probing.get_mut()?;
    (probing.mode != MtuProbing::Off).then_some(probing)
}

fn size_of_packet(bytes: u32) -> u16 {
    u16::try_from(bytes).unwrap_or(u16::MAX)
}

impl<C: CongestionController, P: Profile> Connection<'_, C, P> {
    /// Enables probes on a new connection if its settings ask for them and there is memory.
    pub(crate) fn set_up_probing(&mut self, initial: &Initial<P>) {
        let Some(&ProbeSettings { mode, base_mss }) = initial.path_probes.get() else {
            return;
        };
        if mode == MtuProbing::Off {
            return;
        }
        let headers = u32::from(self.ip_header) + TCP_HEADER;
        let base = (u32::from(base_mss) + headers).max(least_mtu(self.ip_header));
        let probing = self.seldom.make().and_then(|seldom| seldom.path_probing.get_mut());
        if let Some(probing) = probing {
            (probing.mode, probing.base) = (mode, size_of_packet(base));
        }
    }

    fn path_probing(&self) -> Option<&PathProbing> {
        if !P::PATH_PROBING {
            return None;
        }
        let probing = self.seldom.get()?.path_probing.get()?;
        (probing.mode != MtuProbing::Off).then_some(probing)
    }

    /// Whether the connection probes from the start ([`MtuProbing::Always`]).
    pub(super) fn probes_always(&self) -> bool {
        self.path_probing().is_some_and(|probing| probing.mode == MtuProbing::Always)
    }

    /// Whether probes determine the path MTU: the search has begun.
    pub(crate) fn searches_path(&self) -> bool {
        self.path_probing().is_some_and(|probing| probing.search.stage != SearchStage::Waiting)
    }

    /// Largest packet that the link and the peer accept, in bytes.
    fn search_bound(&self) -> u16 {
        let peer = u32::from(self.agreement.peer_mss) + u32::from(self.ip_header) + TCP_HEADER;
        size_of_packet(self.first_path_mtu().min(peer))
    }

    /// Begins the search once both SYNs are known, and sets the initial path MTU (RFC 4821 section 7.2).
    pub(super) fn begin_path_search(&mut self, now: Instant) {
        if !self.probes_always() {
            return;
        }
        let (bound, known) = (self.search_bound(), self.is_path_known());
        let current = size_of_packet(self.sender.path_mtu()).min(bound);
        if let Some(probing) = probing_of(&mut self.seldom) {
            if known {
                probing.search.set_known(current);
            } else {
                probing.search.begin(now, probing.base, bound);
            }
            let low = probing.search.low;
            self.sender.set_path_mtu(low.into());
        }
    }

    /// Restarts the search, from the path MTU in use.
    pub(super) fn search_path_anew(&mut self, now: Instant) {
        let (bound, current) = (self.search_bound(), self.sender.path_mtu());
        if let Some(probing) = probing_of(&mut self.seldom) {
            probing.search.begin(now, size_of_packet(current), bound);
        }
    }

    /// The probe to send now, or whether new data has to wait for one.
    #[inline(always)]
    pub(super) fn probe_path(&mut self, now: Instant) -> ProbeTurn {
        if P::PATH_PROBING && self.searches_path() { self.next_probe(now) } else { ProbeTurn::None }
    }

    /// Whether data may have to wait for a probe, of which nothing is in flight: a tail loss probe goes before that data,
    /// and what follows the tail loss probe does not.
    #[inline(always)]
    pub(super) fn wants_probe(&self) -> bool {
        P::PATH_PROBING
            && self.path_probing().is_some_and(|probing| {
                probing.probed == 0 && probing.search.stage == SearchStage::Searching
            })
    }

    #[cold]
    #[inline(never)]
    fn next_probe(&mut self, now: Instant) -> ProbeTurn {
        self.settle_probe(now);
        if self.sender.in_recovery() && self.is_verification_due(now) {
            self.verify_path_mtu(now);
        }
        let is_raise_due =
            self.path_probing().is_some_and(|probing| probing.search.is_raise_due(now));
        if is_raise_due {
            self.search_path_anew(now);
        }
        // Beside a probe there is no room to report what has arrived out of order.
        let has_report = self.receiver.has_report();
        let may_probe = |probing: &&mut PathProbing| {
            probing.probed == 0 && !probing.verification.holds_probes() && !has_report
        };
        let Some(probing) = probing_of(&mut self.seldom).filter(may_probe) else {
            return ProbeTurn::None;
        };
        let was_complete = probing.search.stage == SearchStage::Complete;
        let next = probing.search.next(now);
        let is_complete = probing.search.stage == SearchStage::Complete;
        probing.is_news |= is_complete && !was_complete;
        let Some(size) = next else {
            return ProbeTurn::None;
        };
        probing.wanted = size;
        let payload = self.agreement.send_mss(&self.settings, size.into(), self.ip_header);
        self.sender.path_probe(now, &self.settings, payload)
    }

    /// Records that the link has accepted a probe.
    pub(super) fn on_probe_sent(&mut self, data: &Data) {
        if let Some(probing) = probing_of(&mut self.seldom) {
            probing.probed = probing.wanted;
            probing.probe = data.range();
            probing.sent = probing.sent.saturating_add(1);
        }
    }

    /// Handles the outcome of the probe in flight, if it is known (section 7.6).
    #[cold]
    #[inline(never)]
    pub(super) fn settle_probe(&mut self, now: Instant) {
        let Some(probing) = probing_of(&mut self.seldom).filter(|probing| probing.probed > 0)
        else {
            return;
        };
        let size = probing.probed;
        let is_acked = self.sender.snd_una().at_or_after(probing.probe.end);
        let factor = match self.sender.take_probe_fate(is_acked) {
            ProbeFate::UnderWay if !is_acked => return,
            ProbeFate::UnderWay => {
                probing.probed = 0;
                probing.search.on_success(size);
                probing.is_news = true;
                return self.raise_path_mtu(now, size);
            }
            ProbeFate::None | ProbeFate::Inconclusive | ProbeFate::Repaired => {
                probing.probed = 0;
                return;
            }
            ProbeFate::Lost => 1,
            ProbeFate::TimedOut => AFTER_TIMEOUT,
        };
        probing.probed = 0;
        probing.lost = probing.lost.saturating_add(1);
        // Section 4: the next probe waits one round trip for each packet of the window, so that losses of
        // probes are rarer than those by congestion.
        let resume_at = now + self.sender.probe_interval().saturating_mul(factor.into());
        probing.search.on_failure(size, resume_at);
        let (sent, rto) = (self.sent_so_far(), self.sender.rto().timeout());
        if let Some(probing) = probing_of(&mut self.seldom) {
            probing.verification.pass_over(now, sent, rto);
        }
    }

    fn raise_path_mtu(&mut self, now: Instant, size: u16) {
        let before = size_of_packet(self.sender.path_mtu());
        if size <= before {
            return;
        }
        self.change_path_mtu(now, size.into());
        let (sent, rto) = (self.sent_so_far(), self.sender.rto().timeout());
        if let Some(probing) = probing_of(&mut self.seldom) {
            probing.verification.begin(now, before, sent, rto);
        }
    }

    fn sent_so_far(&self) -> Sent {
        let again = self.sender.counters().bytes_retransmitted.get();
        Sent { all: self.sender.bytes_sent(), again }
    }

    /// Whether an interval of a verification may have ended.
    #[inline(always)]
    pub(super) fn is_verification_due(&self, now: Instant) -> bool {
        self.path_probing().is_some_and(|probing| probing.verification.is_due(now))
    }

    /// Returns to the previous size if many segments of the size found by a probe are lost (section 7.8). Acks decide when,
    /// and in recovery also what is sent: outside it that would hang on how often the connection is asked for something to send.
    #[cold]
    #[inline(never)]
    pub(super) fn verify_path_mtu(&mut self, now: Instant) {
        let (sent, mss, rto) = (self.sent_so_far(), self.sender.mss(), self.sender.rto().timeout());
        let current = size_of_packet(self.sender.path_mtu());
        let Some(probing) = probing_of(&mut self.seldom) else {
            return;
        };
        if let Some(before) = probing.verification.judge(now, sent, mss, rto) {
            probing.search.refute(current, before, now + rto);
            (probing.probed, probing.is_news) = (0, true);
            // What is in flight may still arrive, in recovery too: only some packets of the size are lost.
            self.sender.set_path_mtu(before.into());
            let mss = self.agreement.send_mss(&self.settings, before.into(), self.ip_header);
            self.sender.set_later_mss(now, mss);
            let _ = self.sender.take_probe_fate(true);
        }
    }

    /// Passes to the search that a router has dropped the packet that begins with `seq`, and carries at most
    /// `reported` bytes. Returns whether that packet was the probe: then no other packet is affected, and acks
    /// will show its loss.
    pub(super) fn was_probe_too_big(&mut self, reported: u32, seq: SeqNumber) -> bool {
        let Some(probing) = probing_of(&mut self.seldom) else {
            return false;
        };
        let is_probe = probing.probed > 0 && probing.probe.start == seq;
        if is_probe {
            probing.search.on_reported(reported, probing.probed);
        }
        is_probe
    }

    /// Ends the search: a router that is believed has reported a path MTU of `mtu` bytes.
    pub(super) fn narrow_search(&mut self, mtu: u32) {
        if let Some(probing) = probing_of(&mut self.seldom) {
            probing.search.narrow(size_of_packet(mtu));
            probing.verification.end();
        }
    }

    /// Reduces the packet size after timeouts that suggest a black hole (section 7.7).
    pub(super) fn suspect_black_hole(&mut self, now: Instant) {
        if self.sender.timeouts_in_a_row() < BLACK_HOLE_TIMEOUTS {
            return;
        }
        let (bound, least) = (self.search_bound(), size_of_packet(least_mtu(self.ip_header)));
        let current = size_of_packet(self.sender.path_mtu());
        let Some(probing) = probing_of(&mut self.seldom) else {
            return;
        };
        let smaller = if current > probing.base { probing.base } else { (current / 2).max(least) };
        if smaller >= current {
            return;
        }
        probing.search.begin(now, smaller, bound);
        probing.verification.end();
        (probing.probed, probing.is_news) = (0, false);
        self.change_path_mtu(now, smaller.into());
        let _ = self.sender.take_probe_fate(true);
    }

    /// The path MTU found by probes, in bytes; each finding is returned once.
    #[inline(always)]
    pub(crate) fn take_found_mtu(&mut self) -> Option<u32> {
        let probing = probing_of(&mut self.seldom)?;
        core::mem::take(&mut probing.is_news).then(|| probing.search.low.into())
    }

    /// State of the search, for [`Info`](super::Info).
    pub(super) fn path_search(&self) -> Option<PathSearch> {
        self.path_probing().map(|probing| PathSearch {
            stage: probing.search.stage,
            low: probing.search.low.into(),
            high: probing.search.high.into(),
            probes_sent: probing.sent,
            probes_lost: probing.lost,
        })
    }
}
