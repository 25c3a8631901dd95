//! Packet conservation in a fast recovery: no more goes out than arrives.

use super::flight::Delivered;
use super::retransmission::Cause;
use crate::facts::Facts;
use crate::segment::{Offset, Seen};
use crate::sentence::Sentence;
use crate::verdict::Docket;

/// The bound of PRR-CRB, which RFC 9937 section 6.2 has for all acks that do not advance SND.UNA.
pub(crate) static MORE_THAN_ARRIVES: Sentence = Sentence::must(
    "sent-more-than-delivered",
    6937,
    "4",
    "Under all conditions and sequences of events during recovery, PRR-CRB strictly bounds the data transmitted \
     to be equal to or less than the amount of data delivered to the receiver.",
);

/// What was sent and delivered, in bytes, since a recovery began in which no ack has advanced yet.
#[derive(Clone, Copy, Debug)]
struct Counts {
    sent: Offset,
    delivered: Offset,
}

/// The first part of a fast recovery, up to the ack that advances: SafeACK is false there.
#[derive(Clone, Debug, Default)]
pub(crate) struct Conservation {
    counts: Option<Counts>,
}

impl Conservation {
    /// A fast recovery has begun; `delivered` is what arrived of late, all that the host may count among it.
    pub(crate) fn begin(&mut self, delivered: Offset, facts: &Facts) {
        let binds = facts.settings.conserves_packets && facts.sack();
        self.counts = binds.then_some(Counts { sent: 0, delivered });
    }

    /// The host may send by other rules from here on.
    pub(crate) fn end(&mut self) {
        self.counts = None;
    }

    /// Data is sent again. A timeout has rules of its own, and with a retransmission that was lost too the bound
    /// is reckoned anew.
    pub(crate) fn on_again(&mut self, cause: Cause, sends: u32) {
        if cause != Cause::Evidence || sends > 1 {
            self.end();
        }
    }

    /// An ack has come.
    pub(crate) fn on_ack(&mut self, delivered: &Delivered) {
        if delivered.acked > 0 || delivered.dsack {
            self.end();
        } else if let Some(counts) = &mut self.counts {
            counts.delivered += delivered.bytes;
        }
    }

    /// Data is sent, new or again. One segment goes whatever has arrived, and another one is for rounding.
    pub(crate) fn judge(&mut self, seen: &Seen<'_>, facts: &Facts, docket: &mut Docket<'_>) {
        let Some(counts) = &mut self.counts else { return };
        counts.sent += seen.payload_len();
        let Counts { sent, delivered } = *counts;
        if sent > delivered + 2 * facts.peer_mss() {
            docket.forbid(&MORE_THAN_ARRIVES, seen.time, seen.number, || {
                format!("{sent} bytes since the recovery began, in which {delivered} have arrived")
            });
        }
    }
}
