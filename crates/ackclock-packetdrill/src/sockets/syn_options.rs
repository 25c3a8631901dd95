//! Order and padding of the options of a SYN as FreeBSD has them (`tcp_addoptions`): MSS, window scale, SACK-permitted,
//! timestamps, each behind what aligns it, and zeros at the end. The stack's order is Linux's; no standard has one.

use super::layout::{Layout, NO_OPERATION, complete, find};

/// Kinds, and where each begins: at this remainder of a divisor.
const ORDER: [(u8, usize, usize); 4] = [(2, 4, 0), (3, 2, 1), (4, 2, 0), (8, 4, 2)];

/// Orders the options of a SYN. One with others beside these is left as it is.
pub(super) fn as_freebsd_orders(packet: &mut [u8]) {
    let Some(layout) = Layout::of_syn(packet) else { return };
    let Some(options) = layout.options(packet) else { return };
    let mut ordered = Vec::new();
    let mut count = 0;
    for (kind, divisor, remainder) in ORDER {
        let Some((at, len)) = find(options, kind) else { continue };
        while ordered.len() % divisor != remainder {
            ordered.push(NO_OPERATION);
        }
        ordered.extend_from_slice(&options[at..at + len]);
        count += len;
    }
    ordered.resize(ordered.len().next_multiple_of(4), 0);
    let is_all =
        count + options.iter().filter(|byte| **byte == NO_OPERATION).count() >= options.len();
    if is_all && ordered.len() == options.len() {
        let begin = layout.tcp + 20;
        packet[begin..begin + ordered.len()].copy_from_slice(&ordered);
        complete(packet);
    }
}
