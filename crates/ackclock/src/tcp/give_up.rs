//! When a connection is in trouble, and when it is given up (RFC 9293 section 3.8.3).
//!
//! | what | after | where |
//! | --- | --- | --- |
//! | delivery is reported as in trouble (R1) | three retransmissions | here |
//! | data or FIN without any ack (R2), or a window that stays shut | [`Config::give_up`](super::Config::give_up), [`Config::user_timeout`](super::Config::user_timeout) | `sender/user_timeout.rs` |
//! | a SYN that nobody answers (R2 for SYNs) | [`Config::syn_give_up`](super::Config::syn_give_up) | `syn_retries.rs` |
//! | a silent peer | [`Keepalive`](super::Keepalive) | `keepalive.rs` |
//! | a connection that the application has closed | [`Config::linger`](super::Config::linger), [`Config::fin_wait_2_timeout`](super::Config::fin_wait_2_timeout) | here |

use super::connection::Connection;
use super::{Error, State};
use crate::congestion::CongestionController;
use crate::profile::Profile;

/// R1 in retransmissions (RFC 9293 section 3.8.3, SHLD-10: at least 3).
const R1: u32 = 3;

impl<C: CongestionController, P: Profile> Connection<'_, C, P> {
    /// Whether the same segment, or the SYN, was retransmitted R1 times without any ack since.
    pub(super) fn is_troubled(&self) -> bool {
        let unanswered = if self.is_opening() {
            self.unanswered_syns()
        } else {
            self.sender.timeouts_in_a_row()
        };
        unanswered >= R1
    }

    /// Ends the connection: its linger time is over, or the peer has sent no FIN within the FIN-WAIT-2
    /// timeout.
    pub(super) fn on_close_timeout(&mut self) {
        if self.state == State::FinWait2 {
            self.state = State::Closed;
        } else {
            self.fail_with_reset(Error::Aborted);
        }
    }
}
