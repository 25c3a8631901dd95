//! A path in virtual time, for tests without sockets.

use super::{Answer, AnswerKind, Heard, Probe, ProbeError, Prober};
use ackclock::time::{Duration, Instant};
use std::collections::VecDeque;
use std::net::{IpAddr, Ipv4Addr};

/// Time from a probe to its answer.
pub(crate) const ROUND_TRIP: Duration = Duration::from_millis(30);

/// Time that a queue takes to empty.
const EMPTYING: Duration = Duration::from_millis(10);

/// Routers, each of which answers for one hop limit, and the target behind them.
#[derive(Debug)]
pub(crate) struct Simulated {
    now: Instant,
    /// Those that share a hop answer in turn; none is silent.
    pub(crate) routers: Vec<Vec<Option<Ipv4Addr>>>,
    pub(crate) target: Ipv4Addr,
    /// Packets that the queue takes at once.
    queue_packets: usize,
    queue_bytes: usize,
    /// When and how long what waits in the queue came.
    queued: VecDeque<(Instant, usize)>,
    /// Answers that are left; a new one comes each second.
    answers: f64,
    most_answers: f64,
    answered_at: Instant,
    due: VecDeque<Heard>,
    pub(crate) sent: Vec<Probe>,
}

impl Default for Simulated {
    fn default() -> Self {
        Simulated {
            now: Instant::from_secs(1),
            routers: (1..=7).map(|hop| vec![Some(Ipv4Addr::new(10, 0, hop, 1))]).collect(),
            target: Ipv4Addr::new(10, 1, 0, 1),
            queue_packets: usize::MAX,
            queue_bytes: usize::MAX,
            queued: VecDeque::new(),
            answers: f64::MAX,
            most_answers: f64::MAX,
            answered_at: Instant::ZERO,
            due: VecDeque::new(),
            sent: Vec::new(),
        }
    }
}

impl Simulated {
    pub(crate) fn with_queue_of_packets(queue_packets: usize) -> Self {
        Simulated { queue_packets, ..Simulated::default() }
    }

    pub(crate) fn with_queue_of_bytes(queue_bytes: usize) -> Self {
        Simulated { queue_bytes, ..Simulated::default() }
    }

    /// Routers that answer as many probes, and then one a second.
    pub(crate) fn with_answers(answers: u16) -> Self {
        let answers = f64::from(answers);
        Simulated { answers, most_answers: answers, ..Simulated::default() }
    }

    /// The answer to this probe comes once more.
    pub(crate) fn answer_again(&mut self, number: u16) {
        let from = IpAddr::V4(self.target);
        let answer = Answer { from, number, kind: AnswerKind::TimeExceeded };
        self.due.push_back(Heard { at: self.now, answer });
    }

    fn is_queued(&mut self, bytes: usize) -> bool {
        let now = self.now;
        self.queued.retain(|(since, _)| *since + EMPTYING > now);
        let waiting: usize = self.queued.iter().map(|(_, bytes)| bytes).sum();
        let fits = self.queued.len() < self.queue_packets
            && waiting.saturating_add(bytes) <= self.queue_bytes;
        if fits {
            self.queued.push_back((now, bytes));
        }
        fits
    }

    fn is_answered(&mut self) -> bool {
        let since = self.now.saturating_since(self.answered_at).as_nanos() as f64 / 1e9;
        self.answers = (self.answers + since).min(self.most_answers);
        self.answered_at = self.now;
        let answered = self.answers >= 1.0;
        if answered {
            self.answers -= 1.0;
        }
        answered
    }
}

impl Prober for Simulated {
    fn target(&self) -> IpAddr {
        self.target.into()
    }

    fn now(&self) -> Instant {
        self.now
    }

    fn send(&mut self, probe: Probe) -> Result<(), ProbeError> {
        self.sent.push(probe);
        let hop = usize::from(probe.hop_limit).checked_sub(1).expect("a hop limit");
        let by = match self.routers.get(hop) {
            None => Some((self.target, AnswerKind::Reached)),
            Some(routers) => {
                let turn = self.sent.iter().filter(|it| it.hop_limit == probe.hop_limit).count();
                routers[(turn - 1) % routers.len()].map(|router| (router, AnswerKind::TimeExceeded))
            }
        };
        if self.is_queued(probe.bytes.into())
            && let Some((from, kind)) = by
            && self.is_answered()
        {
            let answer = Answer { from: from.into(), number: probe.number, kind };
            self.due.push_back(Heard { at: self.now + ROUND_TRIP, answer });
        }
        Ok(())
    }

    fn hear(&mut self, until: Instant) -> Result<Option<Heard>, ProbeError> {
        let heard = self.due.pop_front_if(|heard| heard.at <= until);
        self.now = self.now.max(heard.map_or(until, |heard| heard.at));
        Ok(heard)
    }
}
