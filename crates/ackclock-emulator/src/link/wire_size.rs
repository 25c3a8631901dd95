//! The size of a packet on the wire.

use crate::packet::ip;

/// The size in bytes of a packet on the wire, which decides how long its transmission takes. Queues
/// count the bytes of the IP packet, whatever its size on the wire.
///
/// As parameters of a path: `overhead=+10`, `min=64`, `ack=0`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct WireSize {
    /// Bytes that the link adds to the IP packet (+10 makes zhang91's acks of 50 bytes out of 40),
    /// or that header compression takes from it (-35 models CSLIP, -40 acks of no length). The
    /// result is at least zero.
    pub overhead: i32,
    /// Least size, overhead included.
    pub min: u32,
    /// Size of each TCP segment without payload, in place of the other two rules; 0 if it takes no
    /// time. `None` if there is no exception for them.
    pub ack: Option<u32>,
}

impl WireSize {
    /// Bytes on the wire of an IP packet.
    pub(crate) fn of(&self, packet: &[u8]) -> usize {
        match self.ack {
            Some(size) if ip::is_bare_segment(packet) => size as usize,
            _ => {
                let size = (packet.len() as i64).saturating_add(self.overhead.into());
                // The size is at least `min`, so not negative, and no packet is long enough for an
                // overflow.
                size.max(self.min.into()) as usize
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::testing::ip_packet;
    use ackclock::wire::Ecn;

    #[test]
    fn overhead_minimum_and_fixed_acks_make_the_size() {
        let [ack, data] = [40, 490].map(|length| ip_packet(false, 1, Ecn::NotEct, length));
        for (overhead, min, fixed, sizes) in [
            (0, 0, None, [40, 490]),
            (10, 0, None, [50, 500]),
            (-35, 0, None, [5, 455]),
            (-40, 0, None, [0, 450]),
            (-100, 0, None, [0, 390]),
            (10, 64, None, [64, 500]),
            (10, 64, Some(0), [0, 500]),
            (0, 0, Some(50), [50, 490]),
        ] {
            let size = WireSize { overhead, min, ack: fixed };
            assert_eq!([&ack, &data].map(|packet| size.of(packet)), sizes, "{size:?}");
        }
    }
}
