//! An estimate of the number of packets that have arrived when a loop wakes up.
//!
//! Reading until no packet is left takes a system call that finds none. Where wake-ups bring one
//! packet each, as requests and answers do, that call is left out: if there are more packets, the
//! next sleep ends at once.

/// A record of the packets that wake-ups have brought.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct WakeUps {
    /// How many wake-ups in a row have brought one packet.
    singles: u8,
    /// How many more wake-ups are assumed to bring one packet, before this is checked again.
    trusted: u8,
}

impl WakeUps {
    /// The most wake-ups between two checks, so that a stream of packets is soon taken in batches.
    const MOST: u8 = 16;

    /// How many packets are to be read after a wake-up, at most a batch.
    pub(crate) const fn budget(&self, batch: usize) -> usize {
        if self.trusted > 0 { 1 } else { batch }
    }

    /// Counts a wake-up that has brought `received` packets within its budget.
    pub(crate) const fn count(&mut self, received: usize) {
        self.trusted = match (self.trusted, received) {
            (0, 1) => {
                self.singles =
                    if self.singles < Self::MOST { self.singles + 1 } else { Self::MOST };
                self.singles
            }
            (1.., 1) => self.trusted - 1,
            (_, 0) => self.trusted,
            _ => {
                self.singles = 0;
                0
            }
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BATCH: usize = 64;

    /// The budgets of wake-ups that bring this many packets each.
    fn budgets(brought: impl IntoIterator<Item = usize>) -> Vec<usize> {
        let mut wake_ups = WakeUps::default();
        let budget = |there: usize| {
            let budget = wake_ups.budget(BATCH);
            wake_ups.count(there.min(budget));
            budget
        };
        brought.into_iter().map(budget).collect()
    }

    #[test]
    fn the_more_wake_ups_have_brought_one_packet_the_more_are_taken_to_do_so() {
        let singles = budgets([1; 10]);
        assert_eq!(singles, [BATCH, 1, BATCH, 1, 1, BATCH, 1, 1, 1, BATCH]);
        let many = budgets([1; 1_000]);
        let looks: Vec<_> = (0..1_000).filter(|wake_up| many[*wake_up] == BATCH).collect();
        assert!(looks.windows(2).all(|pair| pair[1] - pair[0] <= 17), "{looks:?}");
        assert_eq!(looks.iter().rev().take(2).copied().collect::<Vec<_>>(), [985, 968]);
    }

    #[test]
    fn packets_that_come_in_batches_are_read_in_batches() {
        assert_eq!(budgets([2, 7, 64, 64, 3]), [BATCH; 5]);
        // Two singles are trusted twice, and no more once there was a batch.
        assert_eq!(budgets([1, 1, 1, 5, 5, 5, 5]), [BATCH, 1, BATCH, 1, 1, BATCH, BATCH]);
    }
}
