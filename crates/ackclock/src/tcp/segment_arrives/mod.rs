//! SEGMENT ARRIVES (RFC 9293 section 3.10.7), by state. The rules of RFC 5961 and RFC 7323 replace or precede
//! some of the checks.
//!
//! | section | state | where |
//! | --- | --- | --- |
//! | 3.10.7.1, 3.10.7.2 | CLOSED, LISTEN | the stack; a connection in them is over |
//! | 3.10.7.3 | SYN-SENT | `syn_sent.rs` |
//! | 3.10.7.4 | SYN-RECEIVED | `syn_received.rs` |
//! | 3.10.7.4 | the synchronized states | `synchronized.rs` |
//! | 3.10.7.4 | TIME-WAIT | here, until the stack has turned the connection into a TIME-WAIT record |
//!
//! The eight checks of section 3.10.7.4 are in `checks.rs`.

mod checks;
mod syn_received;
mod syn_sent;
mod synchronized;

use super::State;
use super::connection::Connection;
use super::receiver::Arrival;
use crate::congestion::CongestionController;
use crate::profile::Profile;
use crate::time::Instant;
use crate::wire::Segment;

/// What the stack must do after a connection has processed a segment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[must_use]
pub enum Verdict {
    /// Nothing; only the connection's state may have changed.
    Done,
    /// Answer the segment with a RST as if it belonged to no connection (sections 3.10.7.3 and 3.10.7.4: an
    /// unacceptable ACK during the handshake).
    Reset,
}

impl<C: CongestionController, P: Profile> Connection<'_, C, P> {
    /// Processes an arriving segment.
    #[cfg_attr(target_pointer_width = "64", inline(never))]
    pub fn on_segment(&mut self, now: Instant, segment: &Segment<'_>) -> Verdict {
        self.count_segment(segment.payload);
        match self.state {
            State::Closed | State::Listen => Verdict::Reset,
            State::SynSent if P::ACTIVE_OPEN => self.on_segment_in_syn_sent(now, segment),
            State::SynReceived if P::ACTIVE_OPEN => self.on_segment_in_syn_received(now, segment),
            _ => {
                self.on_segment_synchronized(now, segment);
                Verdict::Done
            }
        }
    }

    /// Counts an arrived segment with this payload, for `Info`.
    pub(super) fn count_segment(&mut self, payload: &[u8]) {
        let counters = &mut self.counters;
        counters.segments_received.add(1);
        counters.data_segments_received.add(u32::from(!payload.is_empty()));
    }

    /// Applies the result of taking in a segment's payload and FIN, together with data that had waited for
    /// them.
    pub(super) fn digest_arrival(&mut self, arrival: &Arrival) {
        self.counters.bytes_received.add(arrival.accepted);
        self.count_rarely(|rare| &mut rare.reassembly_dropped, arrival.dropped);
        if arrival.fin {
            self.on_fin();
        }
    }
}
