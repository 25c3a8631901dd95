//! The base controller of DualPI2: proportional and integral, of the queuing delay (RFC 9332 figures 2 and 8).

use ackclock::time::{Duration, Instant};

/// `Tupdate`, as Linux has it and appendix A.1 verifies: every 16 ms.
const UPDATE_INTERVAL: Duration = Duration::from_millis(16);
/// `alpha` in Hz: 0.1 Tupdate / RTT_max^2 for an RTT_max of 100 ms.
const INTEGRAL_GAIN: f64 = 0.16;
/// `beta` in Hz, as appendix A.1 rounds it.
const PROPORTIONAL_GAIN: f64 = 3.2;

/// The probabilities, and the state that they depend on. All in floating point as in the RFC: sums and products of such
/// numbers are the same on every platform.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Controller {
    target: Duration,
    coupling: f64,
    /// p', from 0 to 1.
    base: f64,
    previous_delay: Duration,
    next_update: Instant,
}

impl Controller {
    pub(super) fn new(target: Duration, coupling: u32) -> Self {
        Controller {
            target,
            coupling: coupling.into(),
            base: 0.0,
            previous_delay: Duration::ZERO,
            next_update: Instant::ZERO + UPDATE_INTERVAL,
        }
    }

    /// Makes up for the updates until `now`: since the last call the packet that waits for longest has come at
    /// `oldest`, or none has waited.
    pub(super) fn update(&mut self, now: Instant, oldest: Option<Instant>) {
        while self.next_update <= now {
            let at = self.next_update;
            self.step(oldest.map_or(Duration::ZERO, |since| at.saturating_since(since)));
            self.next_update = at + UPDATE_INTERVAL;
            if oldest.is_none() && self.base == 0.0 && self.previous_delay.is_zero() {
                let idle = now.saturating_since(at);
                let missed = idle.as_nanos() / UPDATE_INTERVAL.as_nanos();
                self.next_update = at + UPDATE_INTERVAL.saturating_mul(missed + 1);
            }
        }
    }

    /// An update with the present delay. A classic queue and an L4S queue drive it alike, whichever delays
    /// more: an L4S queue does so under overload only.
    fn step(&mut self, delay: Duration) {
        let integral = INTEGRAL_GAIN * difference(delay, self.target);
        let proportional = PROPORTIONAL_GAIN * difference(delay, self.previous_delay);
        self.base = (self.base + integral + proportional).clamp(0.0, 1.0);
        self.previous_delay = delay;
    }

    /// p_C: the probability for classic packets.
    pub(super) fn classic_probability(&self) -> f64 {
        self.base * self.base
    }

    /// p_CL: the probability of a mark for L4S packets that is coupled from the classic queue.
    pub(super) fn coupled_probability(&self) -> f64 {
        (self.base * self.coupling).min(1.0)
    }

    /// Whether marks alone no longer help: p_CL has come to one, and p_C to 1/k^2.
    pub(super) fn is_overloaded(&self) -> bool {
        self.base * self.coupling >= 1.0
    }

    #[cfg(test)]
    pub(super) fn set_base(&mut self, base: f64) {
        self.base = base;
        self.next_update = Instant::FAR_FUTURE;
    }
}

/// `left` minus `right`, in seconds.
fn difference(left: Duration, right: Duration) -> f64 {
    let seconds = |span: Duration| span.as_nanos() as f64 / 1e9;
    seconds(left) - seconds(right)
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    fn close(left: f64, right: f64) -> bool {
        (left - right).abs() < 1e-12
    }

    #[test]
    fn an_update_adds_the_distance_from_the_target_and_the_growth_of_the_delay() {
        let mut controller = Controller::new(ms(15), 2);
        controller.step(ms(25));
        // 0.16 * 10 ms + 3.2 * 25 ms.
        assert!(close(controller.base, 0.0016 + 0.08), "{}", controller.base);
        controller.step(ms(25));
        assert!(close(controller.base, 0.0832));
        controller.step(ms(20));
        // 0.16 * 5 ms - 3.2 * 5 ms.
        assert!(close(controller.base, 0.0832 + 0.0008 - 0.016));
        // p' never is below zero.
        controller.step(ms(0));
        assert!(close(controller.base, 0.068 - 0.0024 - 0.064));
        controller.step(ms(0));
        assert_eq!(controller.base, 0.0);
    }

    #[test]
    fn p_is_squared_for_classic_packets_and_coupled_by_k_to_l4s_packets() {
        for (coupling, base, classic, coupled, overloaded) in [
            (2, 0.0, 0.0, 0.0, false),
            (2, 0.125, 0.015_625, 0.25, false),
            (4, 0.125, 0.015_625, 0.5, false),
            (2, 0.5, 0.25, 1.0, true),
            (2, 1.0, 1.0, 1.0, true),
            (1, 0.75, 0.5625, 0.75, false),
        ] {
            let mut controller = Controller::new(ms(15), coupling);
            controller.set_base(base);
            assert_eq!(controller.classic_probability(), classic);
            assert_eq!(controller.coupled_probability(), coupled);
            assert_eq!(controller.is_overloaded(), overloaded);
        }
    }

    #[test]
    fn it_is_updated_every_16_ms_however_rarely_it_is_asked() {
        let since = Instant::ZERO + ms(10);
        let mut often = Controller::new(ms(15), 2);
        for millis in 10..=100 {
            often.update(Instant::ZERO + ms(millis), Some(since));
        }
        let mut once = Controller::new(ms(15), 2);
        once.update(Instant::ZERO + ms(100), Some(since));
        assert_eq!(often, once);
        // Six updates, the last one at 96 ms, when the packet has waited for 86: the growth adds up to that.
        let waits = [6, 22, 38, 54, 70, 86].map(|wait| f64::from(wait) - 15.0);
        let integral = 0.16 * waits.iter().sum::<f64>() / 1e3;
        // The first one would have made it negative but for the growth.
        assert!(close(once.base, integral + 3.2 * 0.086), "{}", once.base);
    }

    #[test]
    fn a_long_idle_time_is_skipped_in_step() {
        let mut controller = Controller::new(ms(15), 2);
        controller.update(Instant::from_secs(1_000_000_000), None);
        assert_eq!(controller.base, 0.0);
        let next = controller.next_update;
        assert!(next > Instant::from_secs(1_000_000_000));
        assert_eq!(next.as_nanos() % 16_000_000, 0);
        assert!(next.saturating_since(Instant::from_secs(1_000_000_000)) <= UPDATE_INTERVAL);
    }
}
