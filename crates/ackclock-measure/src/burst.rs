//! Burst capacity: how many packets, sent back to back, a path takes (allman98 section 4.2).
//!
//! Probes are sent at once with a hop limit that ends one router past the part of the path in
//! question; each of its routers then has to queue and forward all of them, and the one behind it
//! answers those that came. How many answers come back is a lower bound: answers may be lost, and
//! routers answer less often than they could.
//!
//! When answers are missing, two more bursts show why. If smaller packets, or packets with pauses
//! between them, bring more answers, it was the path that did not take the burst. If answers stop
//! after as many whatever the packets' size, and also if there is time between them, it is a router
//! that limits how often it answers, and nothing was learnt about the path. (A limit that lets
//! answers pass again as fast as the spaced probes come cannot be told from a queue.)

use crate::probe::{AnswerKind, Heard, Method, Probe, ProbeError, Prober, least_bytes};
use ackclock::time::{Duration, Instant};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::net::IpAddr;

/// Time between spaced probes: little, so as to be done soon, but enough for the least probes to
/// leave a modem's queue one by one.
const SPACING: Duration = Duration::from_millis(20);

/// Most spaced probes.
const MOST_SPACED: u16 = 200;

/// Silence before a control burst, in which queues empty.
const RECOVERY: Duration = Duration::from_millis(500);

/// A burst to be sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BurstPlan {
    /// How many probes; 100 in the paper.
    pub count: u16,
    /// Length of each with its IP header, in bytes; 512 in the paper.
    pub bytes: u16,
    /// Hop limit: one more than the routers that are to take the burst.
    pub hop_limit: u8,
    /// How long to wait for the next answer.
    pub patience: Duration,
}

impl BurstPlan {
    /// Maximum number of bytes that a measurement sends to this target, including control bursts.
    pub fn most_bytes(&self, target: IpAddr) -> u64 {
        let least = least_bytes(Method::Icmp, target).min(self.bytes);
        let [count, spaced] = [self.count, self.count.min(MOST_SPACED)].map(u64::from);
        count * u64::from(self.bytes) + (count + spaced) * u64::from(least)
    }
}

/// Result of one burst.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Burst {
    /// Probes sent.
    pub sent: u16,
    /// Length of each with its IP header.
    pub bytes: u16,
    /// How many of them were answered.
    pub answered: u16,
    /// Who answered how many.
    pub answers_from: BTreeMap<IpAddr, u16>,
    /// How many answers said that there is no way.
    pub unreachable: u16,
}

/// Verdict of a burst on the path.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "verdict", content = "packets")]
pub enum Verdict {
    /// All probes came back: the path takes that many, perhaps more.
    AtLeast(u16),
    /// The path took this many.
    Capacity(u16),
    /// Answers stop after this many at any size and speed: a router limits the rate of its answers.
    RateLimited(u16),
    /// Nobody answers.
    Silent,
}

impl Verdict {
    /// The burst capacity, or its lower bound; `None`: nothing is known of it.
    pub fn capacity(self) -> Option<u16> {
        match self {
            Verdict::AtLeast(packets) | Verdict::Capacity(packets) => Some(packets),
            Verdict::RateLimited(_) | Verdict::Silent => None,
        }
    }

    /// Its word in JSON: `at_least`, `capacity`, `rate_limited` or `silent`.
    pub fn word(self) -> String {
        let told = serde_json::to_value(self).unwrap_or_default();
        told["verdict"].as_str().unwrap_or_default().to_owned()
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Verdict::AtLeast(packets) => write!(f, "at least {packets} packets: all came back"),
            Verdict::Capacity(packets) => write!(f, "{packets} packets"),
            Verdict::RateLimited(packets) => {
                write!(f, "rate-limited, not a capacity: {packets} answers at any size and speed")
            }
            Verdict::Silent => f.write_str("unknown: no answers at this hop limit"),
        }
    }
}

/// A burst, and why it was not answered whole.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Measured {
    /// The burst.
    pub burst: Burst,
    /// As many probes of the least size, sent if answers were missing.
    pub smallest: Option<Burst>,
    /// Probes of that size with pauses between them, sent if that brought no more answers.
    pub spaced: Option<Burst>,
    /// What follows.
    #[serde(flatten)]
    pub verdict: Verdict,
}

/// Sends bursts; no probe is mistaken for one of another burst.
#[derive(Debug)]
pub struct Bursts<'p, P: ?Sized> {
    prober: &'p mut P,
    next: u16,
}

impl<'p, P: Prober + ?Sized> Bursts<'p, P> {
    /// Bursts to the prober's target.
    pub fn new(prober: &'p mut P) -> Self {
        Bursts { prober, next: 0 }
    }

    /// Sends a burst, and the control bursts that its interpretation needs.
    ///
    /// # Errors
    /// See [`ProbeError`].
    pub fn measure(&mut self, plan: BurstPlan) -> Result<Measured, ProbeError> {
        let burst = self.send(plan, Duration::ZERO)?;
        let (mut smallest, mut spaced) = (None, None);
        if burst.answered < burst.sent {
            let least = least_bytes(Method::Icmp, self.prober.target());
            self.rest()?;
            let small_plan = BurstPlan { bytes: least.min(plan.bytes), ..plan };
            let small = self.send(small_plan, Duration::ZERO)?;
            if !is_more(small.answered, burst.answered) {
                self.rest()?;
                let answered = burst.answered.max(small.answered);
                let count = answered.saturating_mul(2).saturating_add(8);
                let count = count.min(plan.count).min(MOST_SPACED);
                spaced = Some(self.send(BurstPlan { count, ..small_plan }, SPACING)?);
            }
            smallest = Some(small);
        }
        let verdict = judge(&burst, smallest.as_ref(), spaced.as_ref());
        Ok(Measured { burst, smallest, spaced, verdict })
    }

    /// Sends probes with this time between them, and counts the answers.
    fn send(&mut self, plan: BurstPlan, spacing: Duration) -> Result<Burst, ProbeError> {
        let first = self.next;
        self.next = first.wrapping_add(plan.count);
        let mut tally = Tally { first, answered: BTreeSet::new(), burst: Burst::default() };
        tally.burst.bytes = plan.bytes;
        for index in 0..plan.count {
            let number = first.wrapping_add(index);
            self.prober.send(Probe { number, hop_limit: plan.hop_limit, bytes: plan.bytes })?;
            tally.burst.sent += 1;
            if !spacing.is_zero() {
                let until = self.prober.now() + spacing;
                while let Some(heard) = self.prober.hear(until)? {
                    tally.note(&heard);
                }
            }
        }
        let mut until = self.prober.now() + plan.patience;
        while tally.burst.answered < tally.burst.sent
            && let Some(heard) = self.prober.hear(until)?
        {
            tally.note(&heard);
            until = until.max(heard.at + plan.patience);
        }
        Ok(tally.burst)
    }

    /// Lets the path come to rest.
    fn rest(&mut self) -> Result<(), ProbeError> {
        let until: Instant = self.prober.now() + RECOVERY;
        while self.prober.hear(until)?.is_some() {}
        Ok(())
    }
}

/// Counts answers, each probe's once.
struct Tally {
    first: u16,
    answered: BTreeSet<u16>,
    burst: Burst,
}

impl Tally {
    fn note(&mut self, Heard { answer, .. }: &Heard) {
        let index = answer.number.wrapping_sub(self.first);
        if index >= self.burst.sent || !self.answered.insert(index) {
            return;
        }
        match answer.kind {
            AnswerKind::TimeExceeded | AnswerKind::Reached => {
                self.burst.answered += 1;
                *self.burst.answers_from.entry(answer.from).or_default() += 1;
            }
            AnswerKind::Unreachable(_) => self.burst.unreachable += 1,
        }
    }
}

/// Whether it is more by more than chance: two packets and a tenth.
fn is_more(answers: u16, than: u16) -> bool {
    answers > than.saturating_add(2).saturating_add(than / 10)
}

/// The verdict of the bursts.
fn judge(burst: &Burst, smallest: Option<&Burst>, spaced: Option<&Burst>) -> Verdict {
    let answered = burst.answered;
    if answered == burst.sent {
        return Verdict::AtLeast(answered);
    }
    let more_when_small = smallest.is_some_and(|small| is_more(small.answered, answered));
    // A path that loses some is no limit of answers: three quarters are enough.
    let all_when_spaced = spaced.is_some_and(|it| {
        it.answered > answered && u32::from(it.answered) * 4 >= u32::from(it.sent) * 3
    });
    let others = [smallest, spaced].into_iter().flatten().map(|it| it.answered);
    match others.fold(answered, u16::max) {
        _ if more_when_small || all_when_spaced => Verdict::Capacity(answered),
        0 => Verdict::Silent,
        // The limit may have been used up when the burst came.
        most => Verdict::RateLimited(most),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::probe::testing::Simulated;

    fn plan(count: u16) -> BurstPlan {
        BurstPlan { count, bytes: 512, hop_limit: 4, patience: Duration::from_secs(1) }
    }

    fn measure(mut path: Simulated, count: u16) -> Measured {
        Bursts::new(&mut path).measure(plan(count)).unwrap()
    }

    #[test]
    fn a_path_that_takes_all_takes_at_least_as_many() {
        let measured = measure(Simulated::default(), 100);
        assert_eq!(measured.verdict, Verdict::AtLeast(100));
        assert_eq!((measured.smallest, measured.spaced), (None, None));
        assert_eq!(measured.burst.answers_from.values().sum::<u16>(), 100);
    }

    #[test]
    fn a_queue_of_packets_takes_as_many_of_any_size_and_all_that_have_time() {
        let measured = measure(Simulated::with_queue_of_packets(16), 100);
        assert_eq!(measured.verdict, Verdict::Capacity(16));
        assert_eq!(measured.smallest.unwrap().answered, 16);
        let spaced = measured.spaced.unwrap();
        assert_eq!((spaced.sent, spaced.answered), (40, 40));
    }

    #[test]
    fn a_queue_of_bytes_takes_more_of_the_smaller_packets() {
        let measured = measure(Simulated::with_queue_of_bytes(8192), 100);
        assert_eq!(measured.verdict, Verdict::Capacity(16));
        assert_eq!((measured.smallest.unwrap().answered, measured.spaced), (100, None));
    }

    #[test]
    fn a_router_that_answers_a_handful_at_any_size_and_speed_limits_its_rate() {
        let measured = measure(Simulated::with_answers(6), 100);
        assert_eq!(measured.verdict, Verdict::RateLimited(6));
        assert_eq!(measured.verdict.capacity(), None);
        assert!(measured.verdict.to_string().starts_with("rate-limited, not a capacity"));
    }

    #[test]
    fn a_limit_that_was_used_up_before_is_one_all_the_same() {
        let few = |sent, answered| Burst { sent, answered, bytes: 512, ..Burst::default() };
        let verdict = judge(&few(100, 0), Some(&few(100, 2)), Some(&few(12, 1)));
        assert_eq!(verdict, Verdict::RateLimited(2));
    }

    #[test]
    fn no_measurement_sends_more_than_is_said_beforehand() {
        let mut path = Simulated::with_answers(90);
        Bursts::new(&mut path).measure(plan(100)).unwrap();
        let sent: u64 = path.sent.iter().map(|probe| u64::from(probe.bytes)).sum();
        let most = plan(100).most_bytes(path.target.into());
        // A burst, one of the least size, and as many of these with pauses.
        assert_eq!((sent, most), (100 * 512 + 200 * 30, 100 * 512 + 200 * 30));
    }

    #[test]
    fn nobody_who_answers_tells_nothing() {
        assert_eq!(measure(Simulated::with_answers(0), 10).verdict, Verdict::Silent);
    }

    #[test]
    fn late_answers_to_an_earlier_burst_do_not_count() {
        let mut path = Simulated::with_queue_of_packets(16);
        let mut bursts = Bursts::new(&mut path);
        bursts.next = u16::MAX - 3;
        let first = bursts.measure(plan(10)).unwrap();
        assert_eq!((first.burst.answered, first.burst.sent), (10, 10));
        let late = bursts.next.wrapping_sub(1);
        bursts.prober.answer_again(late);
        let second = bursts.measure(plan(10)).unwrap();
        assert_eq!(second.burst.answers_from.values().sum::<u16>(), 10);
    }
}
