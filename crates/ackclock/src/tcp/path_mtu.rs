//! Path MTU discovery by ICMP (RFC 1191, RFC 8201): what routers report is believed as RFC 5927 section 7
//! advises, and larger packets are tried again after a while.

use super::connection::Connection;
use super::handshake::TCP_HEADER;
use super::sender::{Data, DataKind};
use crate::congestion::CongestionController;
use crate::profile::{Kept, Profile};
use crate::seq::{SeqNumber, SeqRange};
use crate::time::{Duration, Instant};

/// Likely MTUs in bytes, in descending order, for routers that do not report theirs (RFC 1191 section 7.1).
const MTU_PLATEAUS: [u32; 9] = [32_000, 17_914, 8_166, 4_352, 2_002, 1_492, 1_006, 508, 296];
/// Least path MTU believed over IPv4, in bytes: a smaller one is an attack or a mistake (Linux's `min_pmtu`).
/// If it is genuine, packets are sent without DF, so that routers may fragment them.
const LEAST_IPV4_MTU: u32 = 552;
/// Least path MTU over IPv6, in bytes: what every IPv6 link carries (RFC 8200 section 5).
const LEAST_IPV6_MTU: u32 = 1_280;
/// Time after which larger packets are tried again; it may be up to two minutes more (RFC 1191 section 6.3).
const RETRY_AFTER: Duration = Duration::from_secs(600);

/// Value of `retry_at` while larger packets are being tried again. (It is even; a time in `retry_at` is odd.)
const TRYING: u16 = 2;

/// State of path MTU discovery by ICMP.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PathMtu {
    /// Sequence number of the packet that was too big, or of the first larger packet that is tried again.
    pub(super) seq: SeqNumber,
    /// The MTU that a router has reported for that packet, in bytes, while it is not yet believed; otherwise
    /// 0.
    told: u16,
    /// When larger packets are tried again, in minutes, modulo 2^16 and made odd; 0 if the MTU was not
    /// lowered, [`TRYING`] while they are being tried.
    retry_at: u16,
}

impl<C: CongestionController, P: Profile> Connection<'_, C, P> {
    #[inline(always)]
    fn path_state(&self) -> Option<&PathMtu> {
        self.seldom.get().and_then(|seldom| seldom.path_mtu.get())
    }

    pub(super) fn path_state_mut(&mut self) -> Option<&mut PathMtu> {
        self.seldom.get_mut().and_then(|seldom| seldom.path_mtu.get_mut())
    }

    /// The state, created on first use; `None` if the image ignores ICMP errors, or memory is short.
    fn make_path_state(&mut self) -> Option<&mut PathMtu> {
        if !P::ICMP_ERRORS {
            return None;
        }
        self.seldom.make().and_then(|seldom| seldom.path_mtu.get_mut())
    }

    /// Handles a Packet Too Big: a router whose next link has an MTU of `told` bytes (0: not reported) has
    /// dropped the packet that begins at `seq`.
    pub(super) fn on_packet_too_big(&mut self, now: Instant, told: u32, seq: SeqNumber) {
        if P::PATH_PROBING && self.was_probe_too_big(told, seq) {
            return;
        }
        let current = self.sender.path_mtu();
        let mtu = match (self.ip_header, told) {
            (20, 0) => {
                let lower = MTU_PLATEAUS.into_iter().find(|plateau| *plateau < current);
                lower.unwrap_or(0).max(LEAST_IPV4_MTU)
            }
            (20, _) => told.max(LEAST_IPV4_MTU),
            // RFC 8201 section 4: a reported MTU below the IPv6 minimum is discarded.
            (_, ..LEAST_IPV6_MTU) => return,
            (_, _) => told,
        };
        if mtu >= current {
            return;
        }
        // An image without counters does not know that data has arrived, so it believes each report at once.
        // So of any number of forged reports, only one has all data in flight retransmitted at once.
        let has_passed = self.sender.counters().bytes_acked.get() >= self.sender.mss().into();
        let una = self.sender.snd_una();
        let Some(path) = self.make_path_state() else {
            return;
        };
        // Until more was acknowledged than one larger packet carries, possibly none of them has passed.
        let is_first_try = path.retry_at == TRYING && una.since(path.seq) <= path.told.into();
        if is_first_try && mtu < path.told.into() {
            // The reported MTU is less than the path carried before.
            return;
        }
        if !is_first_try && (has_passed || path.retry_at > 0) {
            (path.seq, path.told) = (seq, u16::try_from(mtu).unwrap_or(u16::MAX));
            if path.retry_at == TRYING {
                path.retry_at = 0;
            }
            return;
        }
        self.lower_path_mtu(now, mtu);
    }

    fn lower_path_mtu(&mut self, now: Instant, mtu: u32) {
        self.believe_until(now + RETRY_AFTER);
        self.narrow_search(mtu);
        self.change_path_mtu(now, mtu);
    }

    fn believe_until(&mut self, until: Instant) {
        if let Some(path) = self.make_path_state() {
            (path.told, path.retry_at) = (0, minutes(until).wrapping_add(1) | 1);
        }
    }

    /// The path MTU in use, in bytes.
    pub(crate) fn path_mtu(&self) -> u32 {
        self.sender.path_mtu()
    }

    /// Begins with the path MTU that an earlier connection to the same host has found, believed until
    /// `until`.
    pub(crate) fn know_path(&mut self, mtu: u32, until: Instant) {
        let current = self.sender.path_mtu();
        // An MTU no lower than ours still helps path probing: it tells what passes.
        if mtu < current || mtu == current && self.probes_always() {
            self.believe_until(until);
            self.sender.set_path_mtu(mtu);
        }
    }

    pub(super) fn change_path_mtu(&mut self, now: Instant, mtu: u32) {
        self.sender.set_path_mtu(mtu);
        if self.is_sending() {
            let mss = self.agreement.send_mss(&self.settings, mtu, self.ip_header);
            self.sender.set_mss(now, mss);
        }
    }

    /// Applies a reported MTU if `data` is a retransmission that confirms it: RFC 5927 section 7.2 believes a
    /// router once the packet that it named has to be retransmitted for want of an ack. Whether the path MTU
    /// was lowered.
    pub(super) fn believes_router(&mut self, now: Instant, data: &Data) -> bool {
        let (una, nxt) = (self.sender.snd_una(), self.sender.snd_nxt());
        let is_timeout = self.sender.timeouts_in_a_row() > 0;
        let current = self.sender.path_mtu();
        let Some(path) = self.path_state_mut() else {
            return false;
        };
        let is_due = data.kind == DataKind::Retransmission && (is_timeout || data.seq == path.seq);
        let mtu = u32::from(path.told);
        if mtu == 0 || !is_due {
            return false;
        }
        path.told = 0;
        let is_news = mtu < current && SeqRange::new(una, nxt).contains(path.seq);
        if is_news {
            self.lower_path_mtu(now, mtu);
        }
        is_news
    }

    /// The initial path MTU, as far as our announced MSS lets segments be that long, in bytes.
    pub(super) fn first_path_mtu(&self) -> u32 {
        u32::from(self.agreement.our_mss) + u32::from(self.ip_header) + TCP_HEADER
    }

    /// Whether the path MTU in use is one that was reported and is believed.
    pub(super) fn is_path_known(&self) -> bool {
        self.path_state().is_some_and(|path| path.retry_at > 0)
    }

    /// Whether it is time to try larger packets again.
    #[inline]
    pub(super) fn is_path_mtu_old(&self, now: Instant) -> bool {
        let retry_at = self.path_state().map_or(0, |path| path.retry_at);
        !retry_at.is_multiple_of(2) && minutes(now).wrapping_sub(retry_at).cast_signed() >= 0
    }

    /// Tries larger packets again: by path MTU probes if the connection sends them. If the first larger
    /// packet is lost, the path MTU is as it was.
    pub(super) fn retry_path_mtu(&mut self, now: Instant) {
        if self.searches_path() {
            if let Some(path) = self.path_state_mut() {
                (path.retry_at, path.told) = (0, 0);
            }
            return self.search_path_anew(now);
        }
        let (nxt, mtu) = (self.sender.snd_nxt(), self.sender.path_mtu());
        if let Some(path) = self.path_state_mut() {
            (path.retry_at, path.told, path.seq) = (TRYING, mtu as u16, nxt);
        }
        self.change_path_mtu(now, self.first_path_mtu());
    }

    /// Whether packets are sent without DF, and so need an identification.
    #[inline]
    pub(crate) fn lets_fragment(&self) -> bool {
        P::ICMP_ERRORS && self.sender.path_mtu() <= LEAST_IPV4_MTU && self.ip_header == 20
    }
}

/// Least path MTU that is believed, in bytes, for an IP header of `ip_header` bytes.
pub(super) fn least_mtu(ip_header: u8) -> u32 {
    if ip_header == 20 { LEAST_IPV4_MTU } else { LEAST_IPV6_MTU }
}

fn minutes(at: Instant) -> u16 {
    (at.as_secs() / 60) as u16
}
