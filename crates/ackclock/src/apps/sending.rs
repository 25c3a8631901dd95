//! Content on its way into send queues.

use super::Pattern;
use crate::congestion::CongestionController;
use crate::profile::Profile;
use crate::stack::{Handle, Stack};
use crate::time::Instant;

/// Bytes moved by one call of `send`. They lie on the call stack, which is small in firmware.
pub(super) const CHUNK: usize = 1024;

/// Fills a send queue with the pattern of `seed` from the offset `sent` up to `end`, as far as it has
/// room; returns how many bytes it took.
pub(super) fn send_pattern<C: CongestionController + Clone, P: Profile>(
    now: Instant,
    stack: &mut Stack<'_, C, P>,
    handle: Handle,
    seed: u64,
    sent: u64,
    end: u64,
) -> u64 {
    let pattern = Pattern::new(seed);
    let mut chunk = [0; CHUNK];
    let mut offset = sent;
    loop {
        // Content is made only for what there is room for.
        let room = stack.send_room(handle).min(CHUNK);
        let n = usize::try_from(end.saturating_sub(offset)).unwrap_or(usize::MAX).min(room);
        let data = chunk.get_mut(..n).unwrap_or_default();
        pattern.fill(offset, data);
        let taken = stack.send(now, handle, data).unwrap_or(0);
        if taken == 0 {
            return offset.saturating_sub(sent);
        }
        offset = offset.saturating_add(taken as u64);
    }
}
