//! Which of DualPI2's queues sends next (RFC 9332 appendix A.2, section 4.2.2).

use super::super::DualQueueScheduler;
use ackclock::time::Duration;

/// A classic queue that is always full gets one of 16 bytes, whatever the other one does.
const CLASSIC_WEIGHT: i64 = 1;
const L4S_WEIGHT: i64 = 15;
/// How much longer a classic packet must have waited in a time-shifted FIFO.
const TIME_SHIFT: Duration = Duration::from_millis(50);

/// One of the two queues.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Side {
    L4s,
    Classic,
}

/// The first packet of a queue: how long it has waited, and its bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Waiting {
    pub(super) wait: Duration,
    pub(super) bytes: u64,
}

/// The choice between the queues.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Scheduler {
    /// Weighted round robin by bytes: what the L4S queue has sent beyond its share while both were waiting.
    WeightedRoundRobin { excess: i64 },
    /// The packet that has waited for longest, if the time shift is left out of a classic packet's wait.
    TimeShiftedFifo,
}

impl Scheduler {
    pub(super) fn new(scheduler: DualQueueScheduler) -> Self {
        match scheduler {
            DualQueueScheduler::WeightedRoundRobin => Scheduler::WeightedRoundRobin { excess: 0 },
            DualQueueScheduler::TimeShiftedFifo => Scheduler::TimeShiftedFifo,
        }
    }

    /// The queue whose first packet goes next; `None`: both are empty. Only what is sent while the other queue
    /// waits counts, and what was counted is forgotten when both are empty.
    pub(super) fn choose(
        &mut self,
        l4s: Option<Waiting>,
        classic: Option<Waiting>,
    ) -> Option<Side> {
        let (Some(l4s), Some(classic)) = (l4s, classic) else {
            if let (Scheduler::WeightedRoundRobin { excess }, None, None) = (self, l4s, classic) {
                *excess = 0;
            }
            return l4s.map(|_| Side::L4s).or(classic.map(|_| Side::Classic));
        };
        Some(match self {
            Scheduler::WeightedRoundRobin { excess } if *excess <= 0 => {
                *excess += CLASSIC_WEIGHT * l4s.bytes as i64;
                Side::L4s
            }
            Scheduler::WeightedRoundRobin { excess } => {
                *excess -= L4S_WEIGHT * classic.bytes as i64;
                Side::Classic
            }
            Scheduler::TimeShiftedFifo if l4s.wait + TIME_SHIFT >= classic.wait => Side::L4s,
            Scheduler::TimeShiftedFifo => Side::Classic,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn waiting(millis: u64, bytes: u64) -> Option<Waiting> {
        Some(Waiting { wait: Duration::from_millis(millis), bytes })
    }

    fn round_robin() -> Scheduler {
        Scheduler::new(DualQueueScheduler::WeightedRoundRobin)
    }

    #[test]
    fn a_queue_that_is_alone_goes_whatever_the_scheduler() {
        for mut scheduler in [round_robin(), Scheduler::TimeShiftedFifo] {
            assert_eq!(scheduler.choose(None, None), None);
            assert_eq!(scheduler.choose(waiting(0, 100), None), Some(Side::L4s));
            assert_eq!(scheduler.choose(None, waiting(0, 100)), Some(Side::Classic));
        }
    }

    #[test]
    fn of_two_full_queues_the_classic_one_sends_a_sixteenth_of_the_bytes() {
        for (l4s_bytes, classic_bytes) in [(1_000, 1_000), (1_500, 100), (100, 1_500)] {
            let mut scheduler = round_robin();
            let (mut l4s, mut classic) = (0, 0);
            for _ in 0..16_000 {
                match scheduler.choose(waiting(0, l4s_bytes), waiting(0, classic_bytes)) {
                    Some(Side::L4s) => l4s += l4s_bytes,
                    Some(Side::Classic) => classic += classic_bytes,
                    None => panic!("both wait"),
                }
            }
            let excess: u64 = (l4s + classic).abs_diff(16 * classic);
            assert!(excess <= 16 * 1_500, "{l4s} and {classic}");
        }
    }

    #[test]
    fn an_l4s_packet_goes_first_and_what_is_sent_alone_does_not_count() {
        let mut scheduler = round_robin();
        for _ in 0..100 {
            scheduler.choose(waiting(0, 1_500), None);
        }
        let both = |scheduler: &mut Scheduler| scheduler.choose(waiting(0, 100), waiting(900, 100));
        assert_eq!(both(&mut scheduler), Some(Side::L4s));
        assert_eq!(both(&mut scheduler), Some(Side::Classic));
        // 14 L4S packets make up for that, and one more brings the turn.
        let sides: Vec<_> = (0..17).map(|_| both(&mut scheduler)).collect();
        let mut expected = [Some(Side::L4s); 17];
        expected[15] = Some(Side::Classic);
        assert_eq!(sides, expected);
    }

    #[test]
    fn an_idle_line_forgets_what_was_sent() {
        let mut scheduler = round_robin();
        let both = |scheduler: &mut Scheduler| scheduler.choose(waiting(0, 100), waiting(0, 100));
        assert_eq!(both(&mut scheduler), Some(Side::L4s));
        assert_eq!(scheduler.choose(None, None), None);
        assert_eq!(both(&mut scheduler), Some(Side::L4s));
    }

    #[test]
    fn a_classic_packet_goes_once_it_has_waited_for_50_ms_more() {
        let mut scheduler = Scheduler::new(DualQueueScheduler::TimeShiftedFifo);
        assert_eq!(scheduler.choose(waiting(2, 100), waiting(52, 100)), Some(Side::L4s));
        assert_eq!(scheduler.choose(waiting(2, 100), waiting(53, 100)), Some(Side::Classic));
    }
}
