//! Path MTU discovery by probes, without ICMP (RFC 4821): data in a segment of which it is not known that the
//! path carries it; if it arrives segments are that large from then on, and if it alone is lost that says
//! nothing of congestion. Where nothing arrives any more segments shrink (a black hole, section 7.7).
//!
//! Which size to probe is the [search's](super::path_search) business, when a probe may go and what its loss
//! means to recovery the [sender's](super::sender). Whether what a probe has found passes always is
//! [verified](super::path_verification), where the image counts what is sent.

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

/// A path is a black hole once the retransmission timer has fired so often in a row, three timeouts after
/// something was sent last: then all that was sent in the meantime, and a segment three times, has not
/// arrived. (RFC 4821 section 7.7 would rather wait for R1, RFC 1122's three retransmissions. What is wrong
/// about less costs a few segments that are smaller than they need be, until probes pass.)
const BLACK_HOLE_TIMEOUTS: u32 = 2;
/// How much longer than after a probe whose loss acks have shown no other goes after one whose loss the
/// timer has shown (section 7.6.3).
const AFTER_TIMEOUT: u32 = 5;

/// What of a [`Config`] concerns probes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Probes {
    mode: MtuProbing,
    base_mss: u16,
}

impl Probes {
    pub(super) fn of(config: &Config) -> Self {
        Probes { mode: config.mtu_probing, base_mss: config.base_mss }
    }
}

/// What a connection that may probe keeps. Sizes are those of IP packets, in bytes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PathProbing {
    mode: MtuProbing,
    /// The size that nearly every path carries.
    base: u16,
    search: Search,
    verification: Verification,
    /// The size that the sender was asked to probe.
    wanted: u16,
    /// That of the probe under way, or 0.
    probed: u16,
    /// The data of the probe under way.
    probe: SeqRange,
    sent: u32,
    lost: u32,
    /// A size was confirmed of which later connections do not know yet.
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
    /// A connection that has just been made may probe, if it was asked to and there is memory.
    pub(crate) fn set_up_probing(&mut self, initial: &Initial<P>) {
        let Some(&Probes { mode, base_mss }) = initial.path_probes.get() else {
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

    /// Whether the connection probes, as far as it is asked to from the start.
    pub(super) fn probes_always(&self) -> bool {
        self.path_probing().is_some_and(|probing| probing.mode == MtuProbing::Always)
    }

    /// Whether probes say how large packets may be.
    pub(crate) fn searches_path(&self) -> bool {
        self.path_probing().is_some_and(|probing| probing.search.stage != SearchStage::Waiting)
    }

    /// The largest packet that the link and the peer take.
    fn search_bound(&self) -> u16 {
        let peer = u32::from(self.agreement.peer_mss) + u32::from(self.ip_header) + TCP_HEADER;
        size_of_packet(self.first_path_mtu().min(peer))
    }

    /// Both SYNs are known: what passes, at first (RFC 4821 section 7.2).
    pub(super) fn begin_path_search(&mut self, now: Instant) {
        if !self.probes_always() {
            return;
        }
        let (bound, known) = (self.search_bound(), self.is_path_known());
        let current = size_of_packet(self.sender.path_mtu()).min(bound);
        if let Some(probing) = probing_of(&mut self.seldom) {
            if known {
                probing.search.know(current);
            } else {
                probing.search.begin(now, probing.base, bound);
            }
            let low = probing.search.low;
            self.sender.set_path_mtu(low.into());
        }
    }

    /// The search begins anew from what passes now.
    pub(super) fn search_path_anew(&mut self, now: Instant) {
        let (bound, current) = (self.search_bound(), self.sender.path_mtu());
        if let Some(probing) = probing_of(&mut self.seldom) {
            probing.search.begin(now, size_of_packet(current), bound);
        }
    }

    /// Whether a probe goes now, or new data wait for one.
    #[inline(always)]
    pub(super) fn probe_path(&mut self, now: Instant) -> ProbeTurn {
        if P::PATH_PROBING && self.searches_path() { self.next_probe(now) } else { ProbeTurn::None }
    }

    #[cold]
    #[inline(never)]
    fn next_probe(&mut self, now: Instant) -> ProbeTurn {
        self.settle_probe(now);
        self.verify_path_mtu(now);
        let is_old = self.path_probing().is_some_and(|probing| probing.search.is_old(now));
        if is_old {
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

    /// The link has taken a probe.
    pub(super) fn on_probe_sent(&mut self, data: &Data) {
        if let Some(probing) = probing_of(&mut self.seldom) {
            probing.probed = probing.wanted;
            probing.probe = data.range();
            probing.sent = probing.sent.saturating_add(1);
        }
    }

    /// What has become of a probe (section 7.6).
    fn settle_probe(&mut self, now: Instant) {
        let Some(probing) = probing_of(&mut self.seldom).filter(|probing| probing.probed > 0)
        else {
            return;
        };
        let size = probing.probed;
        let is_acked = self.sender.snd_una().at_or_after(probing.probe.end);
        let headway = match self.sender.take_probe_fate(is_acked) {
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
        // Section 4: a round trip for each packet of the window, so that such losses are rarer than those
        // that are congestion.
        let resume_at = now + self.sender.probe_headway().saturating_mul(headway.into());
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

    /// Goes back to a smaller size if many segments of the one that a probe has found are lost (section 7.8).
    fn verify_path_mtu(&mut self, now: Instant) {
        if !self.path_probing().is_some_and(|probing| probing.verification.is_due(now)) {
            return;
        }
        let (sent, mss, rto) = (self.sent_so_far(), self.sender.mss(), self.sender.rto().timeout());
        let current = size_of_packet(self.sender.path_mtu());
        let Some(probing) = probing_of(&mut self.seldom) else {
            return;
        };
        if let Some(before) = probing.verification.judge(now, sent, mss, rto) {
            probing.search.refute(current, before, now + rto);
            (probing.probed, probing.is_news) = (0, true);
            self.change_path_mtu(now, before.into());
            let _ = self.sender.take_probe_fate(true);
        }
    }

    /// A router has dropped the packet that begins with `seq` and tells what it takes. Whether that was a
    /// probe, whose loss will be seen: then no other packet is concerned.
    pub(super) fn was_probe_too_big(&mut self, told: u32, seq: SeqNumber) -> bool {
        let Some(probing) = probing_of(&mut self.seldom) else {
            return false;
        };
        let is_probe = probing.probed > 0 && probing.probe.start == seq;
        if is_probe {
            probing.search.on_told(told, probing.probed);
        }
        is_probe
    }

    /// A router is believed that the path carries packets of `mtu` bytes at most.
    pub(super) fn narrow_search(&mut self, mtu: u32) {
        if let Some(probing) = probing_of(&mut self.seldom) {
            probing.search.narrow(size_of_packet(mtu));
            probing.verification.end();
        }
    }

    /// The retransmission timer has fired (section 7.7).
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

    /// The MTU that probes have found, in bytes, once for each time that they have.
    #[inline(always)]
    pub(crate) fn take_found_mtu(&mut self) -> Option<u32> {
        let probing = probing_of(&mut self.seldom)?;
        core::mem::take(&mut probing.is_news).then(|| probing.search.low.into())
    }

    /// For [`Info`](super::Info).
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
