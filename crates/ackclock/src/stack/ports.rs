//! Ephemeral ports: the local port of a connection whose application did not choose one.

/// Search for an ephemeral port (RFC 6056 section 3.3.3, algorithm 3).
#[derive(Clone, Copy, Debug)]
pub(super) struct EphemeralPorts {
    first: u16,
    last: u16,
    next: u32,
}

impl EphemeralPorts {
    /// Chooses ports from `first` to `last`, which may be given in either order.
    pub(super) const fn new(first: u16, last: u16) -> Self {
        let (first, last) = if first < last { (first, last) } else { (last, first) };
        // Port 0 is never used.
        let first = if first == 0 { 1 } else { first };
        let last = if last == 0 { 1 } else { last };
        EphemeralPorts { first, last, next: 0 }
    }

    /// The first port from `offset` on that is not `in_use`, wrapping around; `None` if all are.
    pub(super) fn choose(
        &mut self,
        offset: u32,
        mut in_use: impl FnMut(u16) -> bool,
    ) -> Option<u16> {
        let count = u32::from(self.last - self.first) + 1;
        for _ in 0..count {
            let place = offset.wrapping_add(self.next) % count;
            self.next = self.next.wrapping_add(1);
            let port = self.first.saturating_add(place as u16);
            if !in_use(port) {
                return Some(port);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ports_follow_each_other_from_the_offset_and_skip_those_in_use() {
        let mut ports = EphemeralPorts::new(50_000, 50_003);
        assert_eq!(ports.choose(2, |_| false), Some(50_002));
        assert_eq!(ports.choose(2, |port| port == 50_003), Some(50_000));
        assert_eq!(ports.choose(2, |_| true), None);
        let mut whole = EphemeralPorts::new(u16::MAX, 0);
        assert_eq!(whole.choose(0, |port| port != u16::MAX), Some(u16::MAX));
    }
}
