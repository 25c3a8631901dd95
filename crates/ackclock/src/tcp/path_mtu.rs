//! Path MTU discovery (RFC 1191, RFC 8201): what routers tell of the path, believed as RFC 5927 section 7
//! advises, and tried again after a while.

use super::connection::Connection;
use super::handshake::TCP_HEADER;
use super::sender::{Data, DataKind};
use crate::congestion::CongestionController;
use crate::profile::{Kept, Profile};
use crate::seq::{SeqNumber, SeqRange};
use crate::time::{Duration, Instant};

/// RFC 1191 section 7.1: likely MTUs below a given one, for routers that do not tell theirs.
const MTU_PLATEAUS: [u32; 9] = [32_000, 17_914, 8_166, 4_352, 2_002, 1_492, 1_006, 508, 296];
/// Least path MTU of IPv4 that is believed, in bytes: a smaller one is an attack or a mistake (Linux's
/// `min_pmtu`). If it is neither, routers may fragment what is longer.
const LEAST_IPV4_MTU: u32 = 552;
/// What every link of IPv6 carries, in bytes (RFC 8200 section 5).
const LEAST_IPV6_MTU: u32 = 1_280;
/// After this time, or up to two minutes more, larger packets are tried again (RFC 1191 section 6.3).
const RETRY_AFTER: Duration = Duration::from_secs(600);

/// In the place of a time, which is odd: larger packets are tried again.
const TRYING: u16 = 2;

/// What routers have told.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PathMtu {
    /// The packet that was too big, or the first of the larger ones that are tried again.
    pub(super) seq: SeqNumber,
    /// The MTU that it has met, in bytes, if that is yet to be believed; otherwise 0.
    told: u16,
    /// When larger packets are tried again, in minutes, modulo 2^16 and odd; 0 if the MTU was not lowered,
    /// [`TRYING`] if they are tried.
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

    /// State that may have to be made; `None` where an image hears no routers, or has no memory left.
    fn make_path_state(&mut self) -> Option<&mut PathMtu> {
        if !P::ICMP_ERRORS {
            return None;
        }
        self.seldom.make().and_then(|seldom| seldom.path_mtu.get_mut())
    }

    /// A router has dropped the packet that begins with `seq`.
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
            // RFC 8201 section 4: less than that is discarded.
            (_, ..LEAST_IPV6_MTU) => return,
            (_, _) => told,
        };
        if mtu >= current {
            return;
        }
        // Where bytes are not counted none is known to have arrived. All that is in flight is sent again
        // at once for one error only, whoever sends them.
        let has_passed = self.sender.counters().bytes_acked.get() >= self.sender.mss().into();
        let una = self.sender.snd_una();
        let Some(path) = self.make_path_state() else {
            return;
        };
        // Until as much was acknowledged as a larger packet carries, none need have passed.
        let is_first_try = path.retry_at == TRYING && una.since(path.seq) <= path.told.into();
        if is_first_try && mtu < path.told.into() {
            // Less than the path carried before.
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

    /// The MTU of the path, in bytes.
    pub(crate) fn path_mtu(&self) -> u32 {
        self.sender.path_mtu()
    }

    /// An earlier connection to the same host has found the path to be so narrow.
    pub(crate) fn know_path(&mut self, mtu: u32, until: Instant) {
        let current = self.sender.path_mtu();
        // Whoever probes is glad to know what passes, even if all does.
        if mtu < current || mtu == current && self.probes_always() {
            self.believe_until(until);
            self.sender.set_path_mtu(mtu);
        }
    }

    pub(super) fn change_path_mtu(&mut self, now: Instant, mtu: u32) {
        self.sender.set_path_mtu(mtu);
        if self.state.is_synchronized() {
            let mss = self.agreement.send_mss(&self.settings, mtu, self.ip_header);
            self.sender.set_mss(now, mss);
        }
    }

    /// `data` is to be sent. RFC 5927 section 7.2 believes a router once what it has named is sent again
    /// for want of an ack. Whether the path is narrower now.
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

    /// What the path was believed to carry at first, as far as our segments are that long.
    pub(super) fn first_path_mtu(&self) -> u32 {
        u32::from(self.agreement.our_mss) + u32::from(self.ip_header) + TCP_HEADER
    }

    /// Whether somebody has told what the path carries, and it is believed.
    pub(super) fn is_path_known(&self) -> bool {
        self.path_state().is_some_and(|path| path.retry_at > 0)
    }

    /// Whether larger packets are to be tried again.
    #[inline]
    pub(super) fn is_path_mtu_old(&self, now: Instant) -> bool {
        let retry_at = self.path_state().map_or(0, |path| path.retry_at);
        !retry_at.is_multiple_of(2) && minutes(now).wrapping_sub(retry_at).cast_signed() >= 0
    }

    /// Tries larger packets again, by probes if the connection sends such. If the first of them is lost the
    /// path is what it was.
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

    /// Whether DF is not set, so that packets need an identification.
    #[inline]
    pub(crate) fn lets_fragment(&self) -> bool {
        P::ICMP_ERRORS && self.sender.path_mtu() <= LEAST_IPV4_MTU && self.ip_header == 20
    }
}

/// Least path MTU that is believed, in bytes.
pub(super) fn least_mtu(ip_header: u8) -> u32 {
    if ip_header == 20 { LEAST_IPV4_MTU } else { LEAST_IPV6_MTU }
}

fn minutes(at: Instant) -> u16 {
    (at.as_secs() / 60) as u16
}
