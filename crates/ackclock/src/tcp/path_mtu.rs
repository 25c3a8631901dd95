//! Path MTU discovery (RFC 1191, RFC 8201): the path takes only smaller packets from now on.

use super::connection::Connection;
use crate::congestion::CongestionController;
use crate::profile::Profile;
use crate::time::Instant;

/// RFC 1191 section 7.1: likely MTUs below a given one, for routers that do not tell theirs.
const MTU_PLATEAUS: [u32; 9] = [32_000, 17_914, 8_166, 4_352, 2_002, 1_492, 1_006, 508, 296];
/// Least path MTU of IPv4 that is believed, in bytes: a smaller one is an attack or a mistake (Linux's
/// `min_pmtu`).
const LEAST_IPV4_MTU: u32 = 552;
/// What every link of IPv6 carries, in bytes (RFC 8200 section 5).
const LEAST_IPV6_MTU: u32 = 1_280;

impl<C: CongestionController, P: Profile> Connection<'_, C, P> {
    /// Path MTU discovery (RFC 1191, RFC 8201).
    pub(super) fn on_packet_too_big(&mut self, now: Instant, told: u32) {
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
        self.sender.set_path_mtu(mtu);
        if self.state.is_synchronized() {
            let mss = self.agreement.send_mss(&self.settings, mtu, self.ip_header);
            self.sender.set_mss(now, mss);
        }
    }
}
